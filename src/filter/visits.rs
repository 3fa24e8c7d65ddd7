//! What the visit sets of a sidecar prove about a condition on positions.
//!
//! A man that stands on a square has come there, or stood there from the start. So of each
//! square on which a pattern has a man, the game must be in that man's visit set; of several men
//! or squares of which the pattern wants one, in one of theirs.
//! At the matching position every aspect of the game has some state (the files of each side's
//! pawns, the places of both kings), so the game must be in one of the sets of those that the
//! pattern allows. A game that could not be decoded when the sets were made is never excluded.
//! Sets are about main lines: when variations are searched, a game that has some is never
//! excluded either.
//!
//! When one aspect is all that a pattern asks, the sets prove that it matches, though not where.
//! What else such patterns say follows from the start position as long as there are no more than
//! two of any piece: that is what they mostly allow.

use std::sync::Arc;

use super::openings::placement;
use crate::{
    pattern::{Pattern, automaton::Automaton},
    sidecar::{BlockGames, Proof, Sidecar, Wanted},
};

/// An automaton as far as visit sets are concerned.
#[derive(Debug)]
pub(crate) struct VisitFilter {
    sidecar: Arc<Sidecar>,
    /// For every step, its alternatives; some alternative of every step must be possible. Steps
    /// of which nothing is known are not here.
    steps: Vec<Vec<Wanted>>,
    /// What proves a match, for each alternative that has it.
    proofs: Vec<Proof>,
}

impl VisitFilter {
    /// Prepares a filter; `None` if visit sets say nothing about the automaton.
    pub(super) fn new(automaton: &Automaton, sidecar: &Arc<Sidecar>) -> Option<VisitFilter> {
        let wanted = |pattern: &Pattern| {
            let rare = placement(pattern).and_then(|(only, _)| sidecar.rare_set(&only));
            Wanted::new(pattern).in_set(rare)
        };
        let alternatives = automaton.steps.iter().map(|step| {
            let patterns = step.alternatives.iter();
            patterns.map(wanted).collect::<Vec<Wanted>>()
        });
        let steps: Vec<_> = alternatives
            .filter(|step| !step.iter().any(Wanted::is_empty))
            .collect();
        let single = automaton.single().filter(|step| step.consecutive == 1);
        let alternatives = single.iter().flat_map(|step| &step.alternatives);
        let proofs: Vec<_> = alternatives.filter_map(Wanted::proof).collect();
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

    fn candidates_of_step(&self, block: usize, step: &[Wanted]) -> Option<BlockGames> {
        let mut games = BlockGames::NONE;
        for wanted in step {
            games = games.or(self.sidecar.candidates(block, wanted)?);
        }
        Some(games)
    }
}
