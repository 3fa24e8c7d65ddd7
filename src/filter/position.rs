//! What the index proves about a condition on positions, with the reasons.
//!
//! **Stored line.** A game with code k begins with the moves of line k, so a match along line k is
//! a match in the game, at the same ply. Code 0 is the empty line: every game from the standard
//! start has that start position. If nothing after the end of the line can match, because a pawn
//! that must be at home has left or men are missing that no promotion can restore, the game does
//! not match. A line is a true beginning of the game but perhaps not the longest in the table, so
//! nothing is concluded from lines that the record does not name. This does not apply to games with
//! a custom start position: their code means nothing.
//!
//! **Home pawns.** The list has the order in which pawns left their home squares, at most one per
//! ply. At the matching position the pawns that have left are a prefix of the list. So there must
//! be a prefix that has every pawn that the pattern wants gone, none that it wants at home, and one
//! of each group of which it wants some gone. This does not apply to games with a custom start
//! position, whose list means nothing.
//!
//! **Final material.** Captures only remove men. What a game ends with it also had at every earlier
//! position, except for promoted men: the number of pawns never grows; without promotions no number
//! does; with promotions to queens only, neither the numbers of rooks, bishops and knights do, nor
//! the sum of queens and pawns. So the highest counts that a pattern allows must not be below the
//! final ones. The index clamps counts of pieces at three, which only weakens the test. Writers
//! before Scid 4.3 let a count of four and more overflow into the next field instead. From the
//! standard start that takes promotions, and then the only field that is both affected and relied
//! upon is that of White's pawns, which may read one too high. Games with a custom start position
//! are not tested: they may begin with any number of men, and for those without moves Scid 3 stored
//! the material of the standard start.
//!
//! **Promotion flags.** From the standard start there are never more than one queen and two rooks,
//! bishops and knights without a promotion, so a pattern that wants more requires the flag.
//!
//! **Plies.** A game of n plies has no position at ply n + 1. If only a bound of n is known, the
//! bound is used.
//!
//! **Openings.** See [`openings`](super::openings). If a position has an entry there, it replaces
//! visit sets.
//!
//! **Visit sets.** See [`visits`](super::visits). They are read for whole blocks before the
//! records.
//!
//! **Final positions.** See [`ends`](super::ends). They are tested for games that are still
//! undecided.
//!
//! **Timelines.** See [`timeline`](super::timeline). They are read for games that are still
//! undecided.
//!
//! **Conditions of the format.** See [`View::prefilter`]. They may look at moves, so they are asked
//! last.
//!
//! **Comments.** A condition on what the comments of a move tell fails for a move without comments,
//! and a comment count of 0 is exact. So a game without comments does not match if some step needs
//! one. This holds in variations too.
//!
//! **Remarks.** See [`remarks`](super::remarks). They are read for whole blocks before the records.
//!
//! **Results.** Words about the result hold at every position of a game or at none, in variations
//! too.
//!
//! All else is about the main line. When variations are searched, a game with variations is
//! never rejected; a match in the stored line stays certain.

use std::sync::Arc;

use fearless_simd::{Level, dispatch, prelude::*};
use tabiya_chess::GameId;
#[cfg(doc)]
use tabiya_chess::GameResult;
use tabiya_formats::{Header, View};

use super::{
    Batch, BlockBounds, Lanes, StoredLines, Verdict,
    block_facts::GamesOfBlock,
    columns::Columns,
    ends::EndFilter,
    lines::LineVerdict,
    necessary::{FEW_GAMES, Necessary},
    openings::OpeningFilter,
    remarks::RemarkFilter,
    timeline::TimelineFilter,
    visits::VisitFilter,
};
use crate::{
    pattern::automaton::Automaton,
    sidecar::{BLOCK_WORDS, BlockGames, Sidecar},
};

/// What the index proves about one automaton.
#[derive(Debug)]
pub(crate) struct PositionFilter {
    /// What the stored line proves, by its code.
    lines: Box<[LineVerdict; 256]>,
    /// The same for the scan: [`FOUND`], [`OPEN`] or 0 for `Never`.
    classes: Box<[u8; 256]>,
    /// For every step, its alternatives: some alternative of every step must be possible.
    steps: Vec<Vec<Necessary>>,
    /// The visit sets of a sidecar, if it has one that restricts the automaton.
    visits: Option<VisitFilter>,
    timelines: Option<TimelineFilter>,
    /// What the sidecar knows of comments, if the automaton asks for it.
    remarks: Option<RemarkFilter>,
    /// The sidecar's final positions, if the automaton is about these; stronger than timelines.
    ends: Option<EndFilter>,
    /// The sidecar's list of all games that have the position; stronger than visit sets.
    opening: Option<OpeningFilter>,
    /// Whether variations are searched too.
    variations: bool,
    /// Whether some step needs home-pawn entries in columns.
    wants_pawns: bool,
    /// The SIMD level of the processor.
    level: Level,
    /// Whether no game may be called certain.
    only_excludes: bool,
    /// Whether a game without comments cannot match, in no line.
    needs_comments: bool,
    /// The results with which a game may match, in any line: bit [`GameResult`].
    results: u8,
}

/// Bits of a class.
const FOUND: u8 = 1;
const OPEN: u8 = 2;

impl PositionFilter {
    /// Prepares a filter. `sidecar` is that of the database, if it has one.
    pub(crate) fn new(
        automaton: &Automaton,
        variations: bool,
        lines: &StoredLines,
        sidecar: Option<&Arc<Sidecar>>,
    ) -> PositionFilter {
        let lines = lines.verdicts(automaton);
        let mut classes = Box::new([OPEN; 256]);
        for (class, line) in classes.iter_mut().zip(lines.iter()) {
            *class = match line {
                LineVerdict::Found(_) => FOUND,
                LineVerdict::Open => OPEN,
                LineVerdict::Never => 0,
            };
        }
        let ends = sidecar.and_then(|sidecar| EndFilter::new(automaton, sidecar));
        let timelines = || TimelineFilter::new(automaton, sidecar?);
        let steps: Vec<Vec<Necessary>> = automaton
            .steps
            .iter()
            .map(|step| step.outlines().map(Necessary::new).collect())
            .collect();
        PositionFilter {
            classes,
            lines,
            wants_pawns: steps.iter().flatten().any(Necessary::wants_pawns),
            level: Level::new(),
            steps,
            visits: sidecar.and_then(|sidecar| VisitFilter::new(automaton, sidecar)),
            timelines: if ends.is_some() { None } else { timelines() },
            ends,
            remarks: None,
            opening: sidecar.and_then(|sidecar| OpeningFilter::new(automaton, sidecar)),
            variations,
            only_excludes: false,
            needs_comments: false,
            results: u8::MAX,
        }
    }

    /// Excludes games with other results than these: bit [`GameResult`].
    pub(crate) fn with_results(self, results: u8) -> PositionFilter {
        PositionFilter { results, ..self }
    }

    /// Excludes games by what a sidecar knows of comments, for an automaton of which this filter
    /// knows the conditions on boards.
    pub(crate) fn knowing_remarks(
        self,
        automaton: &Automaton,
        sidecar: Option<&Arc<Sidecar>>,
    ) -> PositionFilter {
        let remarks = sidecar.and_then(|sidecar| RemarkFilter::new(automaton, sidecar));
        PositionFilter { remarks, ..self }
    }

    /// Decides about main lines only, even if variations are searched.
    pub(crate) fn in_main_line(self) -> PositionFilter {
        PositionFilter {
            variations: false,
            ..self
        }
    }

    /// Returns whether visit sets are used.
    pub(crate) fn asks_visits(&self) -> bool {
        self.visits.is_some()
    }

    /// Returns whether it is used what the sidecar knows of comments.
    pub(crate) fn asks_remarks(&self) -> bool {
        self.remarks.is_some()
    }

    /// Returns whether timelines are used.
    pub(crate) fn asks_timelines(&self) -> bool {
        self.timelines.is_some()
    }

    /// Returns whether final positions are used.
    pub(crate) fn asks_ends(&self) -> bool {
        self.ends.is_some()
    }

    /// Returns whether the list of games that have the position is used.
    pub(crate) fn knows_games(&self) -> bool {
        self.opening.is_some()
    }

    /// Returns whether a sidecar reduces the possible games.
    pub(super) fn has_candidates(&self) -> bool {
        let is_any = self.opening.is_some() || self.visits.is_some() || self.remarks.is_some();
        !self.variations && is_any
    }

    /// Returns the sidecar's bounds for the games of a block; `None` if it has none.
    /// See [`bounds`](super::bounds) for `wants_plies`.
    pub(super) fn known<V: View>(
        &self,
        block: &GamesOfBlock<V>,
        wants_plies: bool,
    ) -> Option<BlockBounds> {
        let opening = self.opening.as_ref();
        let games = block.games.len() as u32;
        let by_boards = match opening.and_then(|opening| opening.bounds(block.number)) {
            Some(known) => Some(known),
            None => self.visited(block.number, games, wants_plies),
        };
        let remarks = self.remarks.as_ref();
        let by_remarks = remarks.and_then(|remarks| remarks.bounds(block.number));
        let known = match (by_boards, by_remarks) {
            // Of both conditions, only the one on remarks may be all that is asked.
            (Some(boards), Some(told)) => BlockBounds {
                certain: told.certain,
                possible: boards.possible.and(told.possible),
            },
            (boards, told) => boards.or(told)?,
        };
        if !self.variations {
            return Some(known);
        }
        let mut open = Box::new([0; BLOCK_WORDS]);
        for (word, records) in open.iter_mut().zip(block.records().chunks(64)) {
            *word = have_variations(records);
        }
        Some(BlockBounds {
            possible: known.possible.or(BlockGames::Many(open)),
            ..known
        })
    }

    /// Returns the bounds by visit sets for the main lines of a block with this number of games.
    fn visited(&self, block: usize, games: u32, wants_plies: bool) -> Option<BlockBounds> {
        let visits = self.visits.as_ref()?;
        let certain = if self.only_excludes || wants_plies {
            BlockGames::NONE
        } else {
            visits.proved(block)
        };
        let possible = match visits.candidates(block) {
            None if certain == BlockGames::NONE => return None,
            None => BlockGames::all(games),
            Some(games) => games,
        };
        Some(BlockBounds { certain, possible })
    }

    /// Keeps only exclusions, for a condition that is stricter than the automaton, and that games
    /// without comments do not satisfy if it `needs_comments`.
    pub(crate) fn only_excluding(self, needs_comments: bool) -> PositionFilter {
        let mut filter = self.deciding_by_ends();
        filter.needs_comments = needs_comments;
        if let Some(ends) = &mut filter.ends {
            ends.decides = false;
        }
        if let Some(remarks) = &mut filter.remarks {
            remarks.decides = false;
        }
        filter
    }

    /// Keeps only exclusions, and what final positions decide.
    pub(crate) fn deciding_by_ends(mut self) -> PositionFilter {
        self.only_excludes = true;
        if let Some(opening) = &mut self.opening {
            opening.decides = false;
        }
        for (line, class) in self.lines.iter_mut().zip(self.classes.iter_mut()) {
            if let LineVerdict::Found(_) = line {
                (*line, *class) = (LineVerdict::Open, OPEN);
            }
        }
        if let Some(timelines) = &mut self.timelines {
            timelines.is_exact = false;
        }
        self
    }

    /// Evaluates a batch of records.
    pub(crate) fn lanes<V: View>(&self, view: V, batch: Batch<'_, V::Record>) -> Lanes {
        let many = batch.among.count_ones() > FEW_GAMES;
        let (mut found, mut open) = match batch.records.try_into() {
            Ok(records) if many => {
                let mut columns = Columns::EMPTY;
                columns.fill(records, self.wants_pawns, |record| {
                    self.classes[usize::from(record.stored_line())]
                });
                dispatch!(self.level, simd => self.in_columns(simd, &columns, batch))
            }
            _ => self.one_by_one(batch),
        };
        if let Some(timelines) = &self.timelines {
            let told = timelines.lanes(batch.first, batch.records, open & !found);
            found |= told.certain;
            open = told.possible;
        }
        if let Some(ends) = &self.ends {
            let told = ends.lanes(batch.first, open & !found);
            found |= told.certain;
            open = told.possible;
        }
        open = self.by_format(view, batch, open & !found);
        if self.variations {
            open |= have_variations(batch.records) & !found;
        }
        if self.needs_comments {
            open &= having(batch.records, |record| record.comment_count().at_most != 0);
        }
        if self.results != u8::MAX {
            let results = self.results;
            open &= having(batch.records, |record| {
                results >> record.result() as u8 & 1 == 1
            });
        }
        Lanes {
            certain: found,
            possible: found | open,
        }
    }

    /// Returns, of 64 games, those that are certain to match and those that may match.
    #[inline(always)]
    fn in_columns<S: Simd, R: Header>(
        &self,
        simd: S,
        columns: &Columns,
        batch: Batch<'_, R>,
    ) -> (u64, u64) {
        // The stored line of a game with a custom start means nothing.
        let custom = if R::EVIDENCE.starts {
            columns.unproved(simd)
        } else {
            u64::MAX
        };
        let found = columns.with_lines(simd, FOUND) & !custom;
        let open = (columns.with_lines(simd, OPEN) | custom) & batch.among;
        let open = self.after_steps(open, |necessary, open| {
            necessary.games_in_columns(simd, columns, batch.records, open)
        });
        (found, open)
    }

    /// The same for a few games.
    fn one_by_one<R: Header>(&self, batch: Batch<'_, R>) -> (u64, u64) {
        let (found, open) = batch.each().fold((0, 0), |(found, open), (lane, record)| {
            match self.line_verdict(record) {
                LineVerdict::Found(_) => (found | 1 << lane, open),
                LineVerdict::Open => (found, open | 1 << lane),
                LineVerdict::Never => (found, open),
            }
        });
        let open = self.after_steps(open, |necessary, open| necessary.games(batch.records, open));
        (found, open)
    }

    /// Returns which of the open games are possible for every step.
    #[inline(always)]
    fn after_steps(&self, open: u64, possible: impl Fn(&Necessary, u64) -> u64) -> u64 {
        self.steps.iter().fold(open, |open, step| {
            step.iter()
                .fold(0, |games, necessary| games | possible(necessary, open))
        })
    }

    /// Returns which of the open games are possible by the conditions of the format, which may look
    /// at moves: after all others.
    fn by_format<V: View>(&self, view: V, batch: Batch<'_, V::Record>, open: u64) -> u64 {
        if open == 0 {
            return 0;
        }
        let first = GameId(batch.first);
        self.steps
            .iter()
            .fold(open, |open, step| match step.as_slice() {
                // The records have told which games are left.
                [only] => view.prefilter(&only.pattern.requirements(), first, open),
                several => several.iter().fold(0, |games, one| {
                    let left = one.games(batch.records, open);
                    games | view.prefilter(&one.pattern.requirements(), first, left)
                }),
            })
    }

    /// Returns the verdict on one game, and the ply of its match if known.
    pub(crate) fn verdict<V: View>(
        &self,
        view: V,
        game: u32,
        record: &V::Record,
    ) -> (Verdict, Option<u32>) {
        if let Some(ply) = self.found_at(game, record) {
            return (Verdict::Yes, Some(ply));
        }
        let opening = self.opening.as_ref();
        let has_variations = || self.variations && record.variation_count().at_most != 0;
        match opening.and_then(|opening| opening.verdict(game)) {
            Some((Verdict::Yes, ply)) => (Verdict::Yes, ply),
            Some((Verdict::No, _)) if !has_variations() => (Verdict::No, None),
            _ => (self.lanes(view, Batch::one(game, record)).first(), None),
        }
    }

    /// Returns the ply at which a game is certain to match, as far as stored lines and timelines
    /// prove it.
    fn found_at<R: Header>(&self, game: u32, record: &R) -> Option<u32> {
        match self.line_verdict(record) {
            LineVerdict::Found(ply) => Some(ply.into()),
            LineVerdict::Open | LineVerdict::Never => {
                let by_remarks = self.remarks.as_ref();
                if let Some(ply) = by_remarks.and_then(|remarks| remarks.found_at(game)) {
                    return Some(ply);
                }
                let by_end = self.ends.as_ref().and_then(|ends| ends.found_at(game));
                by_end.or_else(|| self.timelines.as_ref()?.found_at(game))
            }
        }
    }

    #[inline]
    fn line_verdict<R: Header>(&self, record: &R) -> LineVerdict {
        if record.may_be_custom_start() {
            LineVerdict::Open
        } else {
            self.lines[usize::from(record.stored_line())]
        }
    }
}

/// Returns which of 64 games have a record that passes.
fn having<R: Header>(records: &[R], passes: impl Fn(&R) -> bool) -> u64 {
    let records = records.iter().enumerate();
    records.fold(0, |games, (lane, record)| {
        games | u64::from(passes(record)) << lane
    })
}

fn have_variations<R: Header>(records: &[R]) -> u64 {
    having(records, |record| record.variation_count().at_most != 0)
}
