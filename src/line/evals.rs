//! What engines thought of the positions of a game, kept while it is followed.

use std::ops::Range;

use shakmaty::Move;
use tabiya_chess::EngineEval;

/// The evaluations of a game's positions, from the start position on.
#[derive(Debug, Default)]
pub(super) struct Evals {
    kept: Vec<Option<Kept>>,
    visits: Vec<u8>,
}

#[derive(Debug)]
struct Kept {
    expectation: f64,
    code: fn(Move) -> u16,
    /// Where they are among those of all positions.
    visits: Range<usize>,
}

impl Evals {
    pub(super) fn clear(&mut self) {
        self.kept.clear();
        self.visits.clear();
    }

    /// Returns that of the position after so many half-moves.
    pub(super) fn of(&self, ply: u32) -> Option<EngineEval<'_>> {
        let kept = self.kept.get(ply as usize)?.as_ref()?;
        let visits = self.visits.get(kept.visits.clone())?;
        Some(EngineEval::new(kept.expectation, visits, kept.code))
    }

    /// Keeps that of the next position.
    pub(super) fn keep(&mut self, eval: Option<EngineEval<'_>>) {
        let first = self.visits.len();
        self.visits
            .extend(eval.into_iter().flat_map(|eval| eval.visits));
        self.kept.push(eval.map(|eval| Kept {
            expectation: eval.expectation,
            code: eval.code,
            visits: first..self.visits.len(),
        }));
    }
}
