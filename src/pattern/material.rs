//! The material and time conditions of a pattern.
//!
//! A position that matches a pattern satisfies each of its conditions, so it has the counts, the
//! side to move and the ply that the pattern requires. Conditions on squares are ignored. If there
//! are none, the answer is exact.

use shakmaty::Color;
use tabiya_chess::{Counts, Man, material::CountRange};

use super::{Pattern, Test, boards::Moment, element::PatternStep, term::Term};

/// Consecutive positions with the same men.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) counts: Counts,
    /// The first ply.
    pub(crate) first: u32,
    /// The ply after the last.
    pub(crate) end: u32,
}

/// A game as a series of stretches.
pub(crate) trait MaterialPhases: Clone {
    /// Advances to the next stretch whose counts are in a range. Adjacent ones may have equal
    /// counts.
    fn next_within(&mut self, range: &CountRange) -> Option<Stretch>;
}

/// The material and time conditions of a step of an automaton.
#[derive(Debug)]
pub(crate) struct MaterialStep {
    /// The patterns without terms that are only about squares.
    alternatives: Vec<Pattern>,
    consecutive: u32,
    /// Whether some pattern asks for the side to move, plies or move numbers.
    asks_for_time: bool,
    /// Whether nothing was left out.
    pub(crate) is_exact: bool,
}

/// A typical number of men in the middle of a game.
const LATE_MEN: u32 = 16;
/// Number of positions before the first capture in nearly every game. A condition that they satisfy
/// excludes almost no games.
const QUIET_POSITIONS: u32 = 6;

/// Returns whether two patterns ask the same of material and time.
fn asks_the_same(one: &Pattern, other: &Pattern) -> bool {
    let asked = |pattern: &Pattern| (pattern.counts, pattern.turn, pattern.plies);
    asked(one) == asked(other) && one.terms == other.terms && one.impossible == other.impossible
}

impl MaterialStep {
    pub(crate) fn new(step: &PatternStep) -> MaterialStep {
        let is_about_squares = |test: &Test| !test.is_about_material();
        let mut is_exact = true;
        let material = |pattern: &Pattern| {
            let mut pattern = pattern.clone();
            is_exact &= !pattern.terms.iter().any(|term| term.any(&is_about_squares));
            let tells = |test: &Test| matches!(test, Test::Any(_)) || test.is_about_material();
            pattern.terms.retain(|term| tells(&term.test));
            pattern
        };
        let mut alternatives: Vec<Pattern> = Vec::new();
        for pattern in step.alternatives.iter().map(material) {
            if !alternatives
                .iter()
                .any(|other| asks_the_same(other, &pattern))
            {
                alternatives.push(pattern);
            }
        }
        MaterialStep {
            asks_for_time: alternatives.iter().any(asks_for_time),
            alternatives,
            consecutive: step.consecutive,
            is_exact,
        }
    }

    /// Returns whether the step excludes a significant number of games.
    pub(crate) fn excludes_games(&self) -> bool {
        let begin = Stretch {
            counts: Counts::STANDARD,
            first: 0,
            end: QUIET_POSITIONS,
        };
        let is_begun_by = |pattern: &Pattern| {
            pattern.counts.contains(begin.counts) && self.complete_in(pattern, begin, 0).is_ok()
        };
        !self.alternatives.iter().any(is_begun_by)
    }

    /// Returns the counts that a position must have, if nothing else is asked and the start does
    /// not have them. Only if they are so low that searching from the end is faster.
    pub(crate) fn late_counts(&self) -> Option<CountRange> {
        let [pattern] = self.alternatives.as_slice() else {
            return None;
        };
        let counts = pattern.counts;
        let asks_nothing_else = self.consecutive == 1
            && !pattern.impossible
            && pattern.terms.is_empty()
            && pattern.turn.is_none()
            && pattern.plies.0 <= 1
            && pattern.has_no_last_ply();
        let most = Man::ALL.map(|man| counts.high.get(man).min(Counts::STANDARD.get(man)));
        let middle =
            (u32::from(counts.low.men()) + most.into_iter().map(u32::from).sum::<u32>()) / 2;
        let is_late = !counts.contains(Counts::STANDARD) && middle <= LATE_MEN;
        (asks_nothing_else && is_late).then_some(counts)
    }

    /// Returns the first ply of a game at which the step is complete. White begins, at move 1.
    #[inline]
    pub(crate) fn first_in(&self, game: &impl MaterialPhases) -> Option<u32> {
        let first = |pattern| self.first_of(pattern, game);
        match self.alternatives.as_slice() {
            [pattern] => first(pattern),
            patterns => patterns.iter().filter_map(first).min(),
        }
    }

    #[inline]
    fn first_of(&self, pattern: &Pattern, game: &impl MaterialPhases) -> Option<u32> {
        // A local copy can stay in registers.
        let mut game = game.clone();
        let (mut run, mut end) = (0, 0);
        while let Some(stretch) = game.next_within(&pattern.counts) {
            if stretch.first != end {
                run = 0;
            }
            end = stretch.end;
            match self.complete_in(pattern, stretch, run) {
                Ok(ply) => return Some(ply),
                Err(length) => run = length,
            }
        }
        None
    }

    /// Searches for the end of a run in a stretch whose counts match, after a run of `run` matching
    /// positions right before it. Returns its ply, or the length of the run at the stretch's end.
    fn complete_in(&self, pattern: &Pattern, stretch: Stretch, mut run: u32) -> Result<u32, u32> {
        if !self.asks_for_time {
            // All positions of the stretch are the same.
            if !holds(pattern, stretch.counts, stretch.first) {
                return Err(0);
            }
            let (missing, length) = (self.consecutive - run, stretch.end - stretch.first);
            return if missing <= length {
                Ok(stretch.first + missing - 1)
            } else {
                Err(run + length)
            };
        }
        // No position before the lowest ply is part of a run.
        for ply in stretch.first.max(pattern.plies.0)..stretch.end {
            run = if holds(pattern, stretch.counts, ply) {
                run + 1
            } else {
                0
            };
            if run >= self.consecutive {
                return Ok(ply);
            }
        }
        Err(run)
    }
}

/// Returns whether a pattern asks for the side to move, plies or move numbers.
fn asks_for_time(pattern: &Pattern) -> bool {
    let is_time =
        |test: &Test| matches!(test, Test::Turn(_) | Test::Plies(..) | Test::MoveNumber(..));
    pattern.turn.is_some()
        || pattern.plies.0 > 0
        || !pattern.has_no_last_ply()
        || pattern.terms.iter().any(|term| term.any(&is_time))
}

/// Returns whether a position whose counts match can match a pattern at a ply.
#[inline]
fn holds(pattern: &Pattern, counts: Counts, ply: u32) -> bool {
    let moment = Moment {
        counts,
        turn: Color::from_white(ply.is_multiple_of(2)),
        ply,
        move_number: 1 + ply / 2,
    };
    let may_hold = |term: &Term| term.holds_at(&moment) != Some(false);
    !pattern.impossible
        && pattern.turn.is_none_or(|turn| turn == moment.turn)
        && (pattern.plies.0..=pattern.plies.1).contains(&ply)
        && pattern.terms.iter().all(may_hold)
}
