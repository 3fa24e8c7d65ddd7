//! What the timelines of a sidecar prove about a condition on positions.
//!
//! A timeline has every change of material of the main line with its ply, and the last ply. So
//! what a condition asks of material, side to move and ply alone is known of every position. A
//! position that matches a pattern satisfies that part of it, a run of positions one after the
//! other does, and so does each step of a sequence: a game without such positions does not
//! match. If the condition asks nothing else and has one step, one with them does, and where is
//! known too. Nothing is concluded about games without a timeline.
//!
//! A condition that asks for counts alone, other than those of the start, is looked for from the
//! end of the game, whose material the record has, as far as the sidecar tells that it is right
//! and that men only left the board: what leaves few men over comes late.

use std::sync::Arc;

use super::Lanes;
use crate::{
    chess::{Counts, material::CountRange},
    format::Header,
    pattern::{automaton::Automaton, material::MaterialStep},
    sidecar::{BLOCK_GAMES, BlockGames, Sidecar, Timeline},
};

/// An automaton as far as material and time are concerned.
#[derive(Debug)]
pub(super) struct TimelineFilter {
    sidecar: Arc<Sidecar>,
    /// All of these must come; steps that exclude no games are not here.
    steps: Vec<MaterialStep>,
    /// A game in which they come matches.
    pub(super) is_exact: bool,
    /// What is looked for from the end.
    late: Option<Late>,
}

/// Counts of which some position, other than the start, must have any.
#[derive(Debug)]
struct Late {
    counts: CountRange,
    /// By block: the games that may end otherwise than their records say or that have
    /// promotions, if that is known.
    others: Vec<Option<BlockGames>>,
}

impl TimelineFilter {
    /// Prepares a filter; `None` if timelines say nothing about the automaton.
    pub(super) fn new(automaton: &Automaton, sidecar: &Arc<Sidecar>) -> Option<TimelineFilter> {
        if !sidecar.has_timelines() {
            return None;
        }
        let mut steps: Vec<_> = automaton.steps.iter().map(MaterialStep::new).collect();
        let is_exact = matches!(steps.as_slice(), [step] if step.is_exact);
        steps.retain(|step| is_exact || step.excludes_games());
        let late = match steps.as_slice() {
            [step] => step.late_counts().map(|counts| Late {
                counts,
                others: sidecar.not_shrinking_to_end(),
            }),
            _ => None,
        };
        (!steps.is_empty()).then(|| TimelineFilter {
            sidecar: Arc::clone(sidecar),
            steps,
            is_exact,
            late,
        })
    }

    /// Evaluates some of up to 64 games from `first` on, which are among 64 from a multiple of
    /// 64 on.
    pub(super) fn lanes<R: Header>(&self, first: u32, records: &[R], among: u64) -> Lanes {
        if among == 0 {
            return Lanes::NONE;
        }
        let timelines = self.sidecar.timelines(first);
        let told = self.late.as_ref().map_or(0, |late| late.told(first));
        let (mut excluded, mut unknown) = (0, 0);
        let mut rest = among;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            let game = first.saturating_add(lane);
            let Some(timeline) = timelines.as_ref().and_then(|all| all.of(game)) else {
                unknown |= 1 << lane;
                continue;
            };
            let record = records.get(lane as usize).filter(|_| told >> lane & 1 == 1);
            let end = record.and_then(|record| record.final_material().exact());
            excluded |= u64::from(!self.is_found_in(&timeline, end)) << lane;
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
        let timeline = self.sidecar.timelines(game)?.of(game);
        timeline
            .filter(|_| self.is_exact)
            .and_then(|timeline| self.found_in(&timeline))
    }

    /// Tells whether all steps come in a game. What it ends with, if that is given, it does
    /// without having had promotions.
    #[inline]
    fn is_found_in(&self, timeline: &Timeline<'_>, end: Option<Counts>) -> bool {
        match (&self.late, end) {
            (Some(late), Some(end)) => timeline.ends_after(&late.counts, end),
            _ => self.found_in(timeline).is_some(),
        }
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

impl Late {
    /// Returns which of 64 games for certain have no promotions and end as their records say.
    fn told(&self, first: u32) -> u64 {
        let block = self.others.get((first / BLOCK_GAMES) as usize);
        match block {
            Some(Some(others)) => !others.lanes(first % BLOCK_GAMES),
            _ => 0,
        }
    }
}
