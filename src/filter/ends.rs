//! What the final positions in a sidecar prove about a condition on them.
//!
//! The sidecar has the men, the side to move and the ply of the final position of nearly every main
//! line, and whether a pawn has just moved two squares. So the terms of a pattern that are about
//! these are tested as if the game had been played; a game for which they fail does not match. If
//! there are no other terms, and only one position is asked for, a game for which they hold
//! matches, at its last ply. Nothing is concluded about games whose ends are not stored.

use std::sync::Arc;

use super::Lanes;
use crate::{
    pattern::{Boards, automaton::Automaton, element::PatternStep},
    sidecar::Sidecar,
};

/// What a condition on the final position asks of its men, side to move and ply.
#[derive(Debug)]
pub(super) struct EndFilter {
    sidecar: Arc<Sidecar>,
    step: PatternStep,
    standard: Boards,
    /// Whether nothing else is asked, so that games can be certain.
    pub(super) decides: bool,
}

impl EndFilter {
    /// Prepares a filter. Returns `None` if ends do not restrict the automaton.
    pub(super) fn new(automaton: &Automaton, sidecar: &Arc<Sidecar>) -> Option<EndFilter> {
        let (step, decides) = automaton.of_end().filter(|_| sidecar.has_ends())?;
        Some(EndFilter {
            sidecar: Arc::clone(sidecar),
            step,
            standard: Boards::standard(),
            decides,
        })
    }

    /// Evaluates some of the up to 64 games from `first` on, none of which crosses a multiple of
    /// 64.
    pub(super) fn lanes(&self, first: u32, among: u64) -> Lanes {
        let Some(ends) = self.sidecar.ends(first).filter(|_| among != 0) else {
            return Lanes {
                certain: 0,
                possible: among,
            };
        };
        let mut boards = self.standard.clone();
        let (mut found, mut excluded) = (0, 0);
        let mut rest = among;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            if ends.show(first.saturating_add(lane), &mut boards).is_some() {
                let matches = u64::from(self.step.matches(&boards));
                found |= matches << lane;
                excluded |= (matches ^ 1) << lane;
            }
        }
        Lanes {
            certain: if self.decides { found } else { 0 },
            possible: among & !excluded,
        }
    }

    /// Returns the last ply of a game that is certain to match.
    pub(super) fn found_at(&self, game: u32) -> Option<u32> {
        let mut boards = self.standard.clone();
        let ends = self.sidecar.ends(game).filter(|_| self.decides)?;
        ends.show(game, &mut boards)?;
        self.step.matches(&boards).then_some(boards.ply)
    }
}
