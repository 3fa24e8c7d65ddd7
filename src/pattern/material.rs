//! What a pattern asks of material and time alone.
//!
//! A position that matches a pattern satisfies each of its conditions, so it has the counts, the
//! side to move and the ply that the pattern wants; what depends on squares is let pass. Where
//! nothing does, the answer is exact.

use super::{
    Pattern, Test,
    automaton::PatternStep,
    term::{Moment, Term},
};
use crate::chess::Counts;
use shakmaty::Color;

/// Consecutive positions with the same men.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) counts: Counts,
    /// The first ply.
    pub(crate) first: u32,
    /// The ply behind the last.
    pub(crate) end: u32,
}

/// A step of an automaton, as far as material and time tell.
#[derive(Debug)]
pub(crate) struct MaterialStep {
    /// Without the terms that are only about squares.
    alternatives: Vec<Pattern>,
    consecutive: u32,
    /// Nothing was left out.
    pub(crate) is_exact: bool,
}

/// Nearly every game begins with so many positions before the first capture. A condition that
/// they satisfy excludes next to none.
const QUIET_POSITIONS: u32 = 6;

impl MaterialStep {
    pub(crate) fn new(step: &PatternStep) -> MaterialStep {
        let is_about_squares = |test: &Test| !test.is_about_material();
        let mut is_exact = true;
        let material = |pattern: &Pattern| {
            let mut pattern = pattern.clone();
            is_exact &= !pattern.terms.iter().any(|term| term.any(&is_about_squares));
            let tells = |test: &Test| matches!(test, Test::Group(_)) || test.is_about_material();
            pattern.terms.retain(|term| tells(&term.test));
            pattern
        };
        MaterialStep {
            alternatives: step.alternatives.iter().map(material).collect(),
            consecutive: step.consecutive,
            is_exact,
        }
    }

    /// Tells whether there are games worth mentioning that do not satisfy it.
    pub(crate) fn excludes_games(&self) -> bool {
        let begin = Stretch {
            counts: Counts::STANDARD,
            first: 0,
            end: QUIET_POSITIONS,
        };
        self.first_in(std::iter::once(begin)).is_none()
    }

    /// Returns the first ply of a game at which the step is complete. White begins, with move 1.
    #[inline]
    pub(crate) fn first_in(&self, stretches: impl Iterator<Item = Stretch> + Clone) -> Option<u32> {
        let first = |pattern| self.first_of(pattern, stretches.clone());
        match self.alternatives.as_slice() {
            [pattern] => first(pattern),
            patterns => patterns.iter().filter_map(first).min(),
        }
    }

    #[inline]
    fn first_of(&self, pattern: &Pattern, stretches: impl Iterator<Item = Stretch>) -> Option<u32> {
        let mut run = 0;
        for stretch in stretches {
            if !pattern.counts.contains(stretch.counts) {
                if !pattern.counts_within_reach(stretch.counts) {
                    return None;
                }
                run = 0;
                continue;
            }
            // No position before the lowest ply is part of a run.
            for ply in stretch.first.max(pattern.plies.0)..stretch.end {
                run = match holds(pattern, stretch.counts, ply) {
                    true => run + 1,
                    false => 0,
                };
                if run >= self.consecutive {
                    return Some(ply);
                }
            }
        }
        None
    }
}

/// Tells whether a position whose counts fit can match a pattern at a ply.
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
