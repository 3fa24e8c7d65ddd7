//! What the timelines of a sidecar prove about a condition on positions.
//!
//! A timeline has every change of material of the main line with its ply, and the last ply. So the
//! material, the side to move and the ply of every position are known. A position that matches a
//! pattern satisfies its conditions on these; so does each position of a consecutive run, and each
//! step of a sequence. A game without such positions does not match. If the condition asks nothing
//! else and has one step, a game with them matches, and the ply is known too. Nothing is concluded
//! about games without a timeline.
//!
//! A condition that asks only for counts other than those of the start is searched from the end of
//! the game. The record has the final material; the sidecar says for which games it is right and
//! men only left the board. Positions with few men come late.

use std::sync::Arc;

use tabiya_chess::{Counts, material::CountRange};
use tabiya_formats::Header;

use super::Lanes;
use crate::{
    pattern::{automaton::Automaton, material::MaterialStep},
    sidecar::{BLOCK_GAMES, BlockGames, Sidecar, Timeline},
};

/// The material and time conditions of an automaton.
#[derive(Debug)]
pub(super) struct TimelineFilter {
    sidecar: Arc<Sidecar>,
    /// All of these must occur; steps that exclude no games are left out.
    steps: Vec<MaterialStep>,
    /// Whether a game in which they occur matches.
    pub(super) is_exact: bool,
    /// The condition to search from the end.
    late: Option<Late>,
}

/// A set of counts; some position other than the start must have one of them.
#[derive(Debug)]
struct Late {
    counts: CountRange,
    /// By block: the games with promotions, or that may end otherwise than their records say;
    /// `None` if unknown.
    others: Vec<Option<BlockGames>>,
}

impl TimelineFilter {
    /// Prepares a filter. Returns `None` if timelines do not restrict the automaton.
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

    /// Evaluates some of the up to 64 games from `first` on, none of which crosses a multiple of
    /// 64.
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

    /// Returns the ply at which a game is certain to match.
    pub(super) fn found_at(&self, game: u32) -> Option<u32> {
        let timeline = self.sidecar.timelines(game)?.of(game);
        timeline
            .filter(|_| self.is_exact)
            .and_then(|timeline| self.found_in(&timeline))
    }

    /// Returns whether all steps occur in a game. If `end` is given, it is the final material, and
    /// the game has no promotions.
    #[inline]
    fn is_found_in(&self, timeline: &Timeline<'_>, end: Option<Counts>) -> bool {
        match (&self.late, end) {
            (Some(late), Some(end)) => timeline.ends_after(&late.counts, end),
            _ => self.found_in(timeline).is_some(),
        }
    }

    /// Returns the first ply at which the last step is complete; `None` unless all occur.
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
    /// Returns which of 64 games are certain to have no promotions and to end as their records say.
    fn told(&self, first: u32) -> u64 {
        let block = self.others.get((first / BLOCK_GAMES) as usize);
        match block {
            Some(Some(others)) => !others.lanes(first % BLOCK_GAMES),
            _ => 0,
        }
    }
}
