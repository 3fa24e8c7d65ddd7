//! What the timelines of a sidecar prove about a condition on positions.
//!
//! A timeline has every change of material of the main line with its ply, and the last ply. So
//! what a condition asks of material, side to move and ply alone is known of every position. A
//! position that matches a pattern satisfies that part of it, a run of positions one after the
//! other does, and so does each step of a sequence: a game without such positions does not
//! match. If the condition asks nothing else and has one step, one with them does, and where is
//! known too. Nothing is concluded about games without a timeline.

use std::sync::Arc;

use super::Lanes;
use crate::{
    pattern::{automaton::Automaton, material::MaterialStep},
    sidecar::{Sidecar, Timeline},
};

/// An automaton as far as material and time are concerned.
#[derive(Debug)]
pub(super) struct TimelineFilter {
    sidecar: Arc<Sidecar>,
    /// All of these must come; steps that exclude no games are not here.
    steps: Vec<MaterialStep>,
    /// A game in which they come matches.
    pub(super) is_exact: bool,
}

impl TimelineFilter {
    /// Prepares a filter; `None` if timelines say nothing about the automaton.
    pub(super) fn new(automaton: &Automaton, sidecar: &Arc<Sidecar>) -> Option<TimelineFilter> {
        sidecar.timelines()?;
        let mut steps: Vec<_> = automaton.steps.iter().map(MaterialStep::new).collect();
        let is_exact = matches!(steps.as_slice(), [step] if step.is_exact);
        steps.retain(|step| is_exact || step.excludes_games());
        (!steps.is_empty()).then(|| TimelineFilter {
            sidecar: Arc::clone(sidecar),
            steps,
            is_exact,
        })
    }

    /// Evaluates some of the 64 games from `first` on.
    pub(super) fn lanes(&self, first: u32, among: u64) -> Lanes {
        let (mut excluded, mut rest) = (0, among);
        let mut unknown = 0;
        let Some(mut timelines) = self.sidecar.timelines() else {
            return Lanes::UNKNOWN;
        };
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            match timelines.of(first.saturating_add(lane)) {
                None => unknown |= 1 << lane,
                Some(timeline) => {
                    excluded |= u64::from(self.found_in(&timeline).is_none()) << lane;
                }
            }
        }
        let possible = among & !excluded;
        Lanes {
            certain: if self.is_exact {
                possible & !unknown
            } else {
                0
            },
            possible,
        }
    }

    /// Returns where a game matches for certain.
    pub(super) fn found_at(&self, game: u32) -> Option<u32> {
        let timeline = self.sidecar.timelines()?.of(game);
        timeline
            .filter(|_| self.is_exact)
            .and_then(|timeline| self.found_in(&timeline))
    }

    /// Returns the first ply at which the last step is complete; `None` unless all come.
    #[inline]
    fn found_in(&self, timeline: &Timeline<'_>) -> Option<u32> {
        let mut found = None;
        for step in &self.steps {
            found = Some(step.first_in(timeline)?);
        }
        found
    }
}
