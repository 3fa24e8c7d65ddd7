//! What the index says about a condition on positions, with the reasons.
//!
//! **Stored line.** A game with code k begins with the moves of line k, so what is found along
//! line k is found in the game, at the same ply. Code 0 stands for the empty line: every game
//! from the standard start has that start position. And when, at the end of the line, nothing
//! later can match because a pawn that must be at home has left or men are missing that no
//! promotion can bring, the game does not match. A line is a true beginning of the game but
//! perhaps not the longest in the table, so nothing is concluded from lines that a game is not
//! said to follow. Not for games with their own start position: their code means nothing.
//!
//! **Home pawns.** The list tells in which order pawns left their home squares, and they leave
//! one at a time, one a ply at most. At the matching position the pawns that have left are a
//! prefix of the list. So there must be a prefix that holds every pawn that the pattern wants
//! gone, none that it wants at home, and one of each group of which it wants some gone. Not for
//! games with their own start position, whose list means nothing.
//!
//! **Final material.** Captures only take away. What a game ends with it had at every earlier
//! position too, except for men that promotion brought: the number of pawns never grows; without
//! promotions no number does; with promotions to queens only, rooks, bishops and knights do not,
//! nor do queens and pawns together. So the highest counts that a pattern allows must not be
//! below the final ones. The index clamps counts of pieces at three, which only makes it say
//! less. Writers before Scid 4.3 let a count of four and more run over into the next field
//! instead; from the standard start that takes promotions, and then the only field that is both
//! run into and relied upon is that of White's pawns, which may read one too high. Games with
//! their own start position are not judged by it: they may begin with any number of men, and
//! for those without moves Scid 3 stored the material of the standard start.
//!
//! **Promotion flags.** From the standard start there are never more than one queen and two
//! rooks, bishops and knights without a promotion, so a pattern that wants more needs the flag.
//!
//! **Plies.** A game of n plies has no position at ply n + 1; where only a bound of n is known,
//! that is used.
//!
//! **What else the format knows.** See [`View::may_hold`].
//!
//! **Openings.** See [`openings`](super::openings). What is known of these settles the matter.
//!
//! **Visit sets.** See [`visits`](super::visits). They are asked for whole blocks before records
//! are looked at.
//!
//! **Timelines.** See [`timeline`](super::timeline). They are asked last, about games that nothing
//! else decides.
//!
//! All of this is about the main line. When variations are searched, a game that has some is
//! never rejected; what the stored line proves stays true.

use std::sync::Arc;

use fearless_simd::{Level, dispatch, prelude::*};

use super::{
    Batch, BlockBounds, Lanes, StoredLines, Verdict,
    columns::Columns,
    lines::LineVerdict,
    necessary::{FEW_GAMES, Necessary},
    openings::OpeningFilter,
    timeline::TimelineFilter,
    visits::VisitFilter,
};
use crate::{
    chess::GameId,
    format::{Header, View},
    pattern::{Pattern, automaton::Automaton},
    sidecar::{BLOCK_WORDS, BlockGames, Sidecar},
};

/// What the index can say about one automaton.
#[derive(Debug)]
pub(crate) struct PositionFilter {
    /// What the stored line proves, by its code.
    lines: Box<[LineVerdict; 256]>,
    /// The same for the scan: [`FOUND`], [`OPEN`] or 0 for never.
    classes: Box<[u8; 256]>,
    /// For every step, its alternatives: some alternative of every step must be possible.
    steps: Vec<Vec<Necessary>>,
    /// What a sidecar knows, if there is one and it knows anything of this.
    visits: Option<VisitFilter>,
    timelines: Option<TimelineFilter>,
    /// What it knows of all games that have the position, which is more.
    opening: Option<OpeningFilter>,
    /// Variations are searched too.
    variations: bool,
    /// Some step asks for the entries of home pawns in columns.
    wants_pawns: bool,
    /// Which instructions the processor has.
    level: Level,
    /// No game is called certain.
    only_excludes: bool,
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
        let necessary = |patterns: &Vec<Pattern>| patterns.iter().map(Necessary::new).collect();
        let mut classes = Box::new([OPEN; 256]);
        for (class, line) in classes.iter_mut().zip(lines.iter()) {
            *class = match line {
                LineVerdict::Found(_) => FOUND,
                LineVerdict::Open => OPEN,
                LineVerdict::Never => 0,
            };
        }
        let steps: Vec<Vec<Necessary>> = automaton
            .steps
            .iter()
            .map(|step| necessary(&step.alternatives))
            .collect();
        PositionFilter {
            classes,
            lines,
            wants_pawns: steps.iter().flatten().any(Necessary::wants_pawns),
            level: Level::new(),
            steps,
            visits: sidecar.and_then(|sidecar| VisitFilter::new(automaton, sidecar)),
            timelines: sidecar.and_then(|sidecar| TimelineFilter::new(automaton, sidecar)),
            opening: sidecar.and_then(|sidecar| OpeningFilter::new(automaton, sidecar)),
            variations,
            only_excludes: false,
        }
    }

    /// Tells whether visit sets are asked.
    pub(crate) fn asks_visits(&self) -> bool {
        self.visits.is_some()
    }

    /// Tells whether timelines are asked.
    pub(crate) fn asks_timelines(&self) -> bool {
        self.timelines.is_some()
    }

    /// Tells whether the games that have the position are known.
    pub(crate) fn knows_games(&self) -> bool {
        self.opening.is_some()
    }

    /// Tells whether a sidecar leaves fewer games possible.
    pub(super) fn has_candidates(&self) -> bool {
        !self.variations && (self.opening.is_some() || self.visits.is_some())
    }

    /// Returns what a sidecar tells of the games of a block; `None` when it tells nothing.
    /// `records` are those of the block. See [`bounds`](super::bounds) for `wants_plies`.
    pub(super) fn known<R: Header>(
        &self,
        block: usize,
        records: &[R],
        wants_plies: bool,
    ) -> Option<BlockBounds> {
        let opening = self.opening.as_ref();
        let known = match opening.and_then(|opening| opening.bounds(block)) {
            Some(known) => known,
            None => self.visited(block, records.len() as u32, wants_plies)?,
        };
        if !self.variations {
            return Some(known);
        }
        let mut open = Box::new([0; BLOCK_WORDS]);
        for (word, records) in open.iter_mut().zip(records.chunks(64)) {
            *word = have_variations(records);
        }
        Some(BlockBounds {
            possible: known.possible.or(BlockGames::Many(open)),
            ..known
        })
    }

    /// Returns what visit sets tell of the main lines of a block of so many games.
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

    /// Keeps only what the automaton excludes: for a condition that is stricter than it.
    pub(crate) fn only_excluding(mut self) -> PositionFilter {
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
                dispatch!(self.level, simd => self.in_columns(simd, view, &columns, batch))
            }
            _ => self.one_by_one(view, batch),
        };
        if let Some(timelines) = &self.timelines {
            let told = timelines.lanes(batch.first, batch.records, open & !found);
            found |= told.certain;
            open = told.possible;
        }
        if self.variations {
            open |= have_variations(batch.records) & !found;
        }
        Lanes {
            certain: found,
            possible: found | open,
        }
    }

    /// Returns, of 64 games, those that match for certain, and those that may.
    #[inline(always)]
    fn in_columns<S: Simd, V: View>(
        &self,
        simd: S,
        view: V,
        columns: &Columns,
        batch: Batch<'_, V::Record>,
    ) -> (u64, u64) {
        // Of a custom start the stored line means nothing.
        let custom = if <V::Record as Header>::EVIDENCE.starts {
            columns.unproved(simd)
        } else {
            u64::MAX
        };
        let found = columns.with_lines(simd, FOUND) & !custom;
        let open = (columns.with_lines(simd, OPEN) | custom) & batch.among;
        let open = self.after_steps(view, batch.first, open, |necessary, open| {
            necessary.games_in_columns(simd, columns, batch.records, open)
        });
        (found, open)
    }

    /// The same of a few games.
    fn one_by_one<V: View>(&self, view: V, batch: Batch<'_, V::Record>) -> (u64, u64) {
        let (found, open) = batch.each().fold((0, 0), |(found, open), (lane, record)| {
            match self.line_verdict(record) {
                LineVerdict::Found(_) => (found | 1 << lane, open),
                LineVerdict::Open => (found, open | 1 << lane),
                LineVerdict::Never => (found, open),
            }
        });
        let open = self.after_steps(view, batch.first, open, |necessary, open| {
            necessary.games(batch.records, open)
        });
        (found, open)
    }

    /// Returns which of some open games are possible for every step.
    #[inline(always)]
    fn after_steps<V: View>(
        &self,
        view: V,
        first: u32,
        open: u64,
        games: impl Fn(&Necessary, u64) -> u64,
    ) -> u64 {
        self.steps.iter().fold(open, |open, step| {
            let possible = |necessary: &Necessary| {
                view.may_hold(&necessary.pattern, GameId(first), games(necessary, open))
            };
            step.iter()
                .fold(0, |games, necessary| games | possible(necessary))
        })
    }

    /// Returns what is known of one game, and the ply at which it matches if it does.
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

    /// Returns the ply at which a game matches for certain, as far as stored lines and
    /// timelines tell.
    fn found_at<R: Header>(&self, game: u32, record: &R) -> Option<u32> {
        match self.line_verdict(record) {
            LineVerdict::Found(ply) => Some(ply.into()),
            LineVerdict::Open | LineVerdict::Never => self.timelines.as_ref()?.found_at(game),
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

fn have_variations<R: Header>(records: &[R]) -> u64 {
    let records = records.iter().enumerate();
    records.fold(0, |games, (lane, record)| {
        games | u64::from(record.variation_count().at_most != 0) << lane
    })
}
