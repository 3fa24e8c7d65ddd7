//! The engine data of the present position, kept while a game is followed.

use shakmaty::{Chess, Move, Position as _, san::SanPlus};
use tabiya_chess::EngineEval;

/// An inclusive range of shares from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ShareRange {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Whether the range is inverted.
    pub(crate) outside: bool,
}

impl ShareRange {
    fn contains(&self, share: f64) -> bool {
        (self.low <= share && share <= self.high) != self.outside
    }
}

/// Engine data with its own memory, which is reused from position to position.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kept {
    expectation: Option<f64>,
    visits: Vec<u8>,
    code: Option<fn(Move) -> u16>,
}

impl Kept {
    pub(super) fn keep(&mut self, eval: Option<EngineEval<'_>>) {
        self.visits.clear();
        self.expectation = eval.map(|eval| eval.expectation);
        self.code = eval.map(|eval| eval.code);
        self.visits
            .extend(eval.into_iter().flat_map(|eval| eval.visits));
    }

    /// Returns whether the expectation of the side to move lies in a range.
    pub(super) fn scores(&self, range: &ShareRange) -> bool {
        self.expectation
            .is_some_and(|expectation| range.contains(expectation))
    }

    /// Returns whether the share of the most visited move in all visits is in a range.
    pub(super) fn is_focused(&self, range: &ShareRange) -> bool {
        let most = self.visits.iter().copied().max().unwrap_or_default();
        let all: u32 = self.visits.iter().map(|&visits| u32::from(visits)).sum();
        all > 0 && range.contains(f64::from(most) / f64::from(all))
    }

    /// Returns whether some legal move whose SAN fits is in a range, as its share of the visits
    /// of the most visited move. `position` must be the one that the data belongs to.
    pub(super) fn visits_move(
        &self,
        position: &Chess,
        fits: impl Fn(&str) -> bool,
        range: &ShareRange,
    ) -> bool {
        let Some(code) = self.code else {
            return false;
        };
        let mut legal = position.legal_moves();
        if legal.len() != self.visits.len() {
            return false;
        }
        legal.sort_unstable_by_key(|&played| code(played));
        let most = self.visits.iter().copied().max().unwrap_or_default();
        let is_in_range = |visits: u8| range.contains(f64::from(visits) / f64::from(most));
        most > 0
            && legal.iter().zip(&self.visits).any(|(&played, &visits)| {
                is_in_range(visits)
                    && fits(&SanPlus::from_move(position.clone(), played).to_string())
            })
    }
}
