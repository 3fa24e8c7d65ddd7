//! What the visit sets of a sidecar prove about a condition on positions.
//!
//! A man that stands on a square has moved there, or stood there from the start. So for each square
//! on which a pattern requires a man, the game must be in that man's visit set; if the pattern
//! allows several men or squares, in one of their sets.
//! At the matching position every aspect of the game has some state (the files of each side's
//! pawns, the squares of both kings), so the game must be in the set of one of the states that the
//! pattern allows. A game that could not be decoded when the sets were made is never excluded. The
//! sets cover main lines only: when variations are searched, a game with variations is never
//! excluded either.
//!
//! If a pattern asks for one aspect only, the sets prove that it matches, though not where. Limits
//! on counts that the start position satisfies hold as long as there are never more than two of any
//! piece, which is what such patterns usually allow.

use std::sync::Arc;

use super::openings::placement;
use crate::{
    pattern::{Pattern, automaton::Automaton},
    sidecar::{BlockGames, Proof, RequiredSets, Sidecar},
};

/// The visit-set conditions of an automaton.
#[derive(Debug)]
pub(crate) struct VisitFilter {
    sidecar: Arc<Sidecar>,
    /// For every step, its alternatives; some alternative of every step must be possible. Steps
    /// without known conditions are left out.
    steps: Vec<Vec<RequiredSets>>,
    /// What proves a match, for each alternative that can be proved.
    proofs: Vec<Proof>,
}

impl VisitFilter {
    /// Prepares a filter; `None` if visit sets say nothing about the automaton.
    pub(super) fn new(automaton: &Automaton, sidecar: &Arc<Sidecar>) -> Option<VisitFilter> {
        let wanted = |pattern: &Pattern| {
            let rare = placement(pattern).and_then(|(only, _)| sidecar.rare_set(&only));
            RequiredSets::new(pattern).in_set(rare)
        };
        let alternatives = automaton
            .steps
            .iter()
            .map(|step| step.outlines().map(wanted).collect::<Vec<RequiredSets>>());
        let steps: Vec<_> = alternatives
            .filter(|step| !step.iter().any(RequiredSets::is_empty))
            .collect();
        let single = automaton.single().filter(|step| step.consecutive == 1);
        let alternatives = single.iter().flat_map(|step| &step.alternatives);
        let proofs: Vec<_> = alternatives.filter_map(RequiredSets::proof).collect();
        (!steps.is_empty() || !proofs.is_empty()).then(|| VisitFilter {
            sidecar: Arc::clone(sidecar),
            steps,
            proofs,
        })
    }

    /// Returns the games of a block whose main lines may match; `None` when it may be any.
    pub(super) fn candidates(&self, block: usize) -> Option<BlockGames> {
        let steps = self.steps.iter();
        steps
            .filter_map(|step| self.candidates_of_step(block, step))
            .reduce(BlockGames::and)
    }

    /// Returns games of a block whose main lines match for certain.
    pub(super) fn proved(&self, block: usize) -> BlockGames {
        let proofs = self.proofs.iter();
        proofs
            .filter_map(|proof| self.sidecar.proved(block, proof))
            .reduce(BlockGames::or)
            .unwrap_or(BlockGames::NONE)
    }

    fn candidates_of_step(&self, block: usize, step: &[RequiredSets]) -> Option<BlockGames> {
        let mut games = BlockGames::NONE;
        for wanted in step {
            games = games.or(self.sidecar.candidates(block, wanted)?);
        }
        Some(games)
    }
}
