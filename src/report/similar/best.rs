//! The list of the most similar games while it is made.

use std::{cmp::Ordering, collections::BinaryHeap};

use tabiya_chess::GameId;

use super::SimilarGame;
use crate::pattern::similar::TOLERANCE;

/// A game in the order of the list: the best is the least.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ranked(SimilarGame);

impl Eq for Ranked {}

impl Ord for Ranked {
    fn cmp(&self, other: &Ranked) -> Ordering {
        let (one, other) = (&self.0, &other.0);
        let by_similarity = if (one.similarity - other.similarity).abs() < TOLERANCE {
            Ordering::Equal
        } else {
            other.similarity.total_cmp(&one.similarity)
        };
        by_similarity.then(one.game.cmp(&other.game))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Ranked) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The best games, the worst of them on top.
pub(super) struct Best {
    games: BinaryHeap<Ranked>,
    pub(super) limit: usize,
}

impl Best {
    pub(super) fn new(limit: u64) -> Best {
        Best {
            games: BinaryHeap::new(),
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
        }
    }

    pub(super) fn add(&mut self, game: SimilarGame) {
        self.games.push(Ranked(game));
        if self.games.len() > self.limit {
            self.games.pop();
        }
    }

    /// Returns the last game of the list; `None` if there is room for more.
    pub(super) fn last(&self) -> Option<SimilarGame> {
        let is_full = self.games.len() >= self.limit;
        self.games.peek().filter(|_| is_full).map(|last| last.0)
    }

    /// Removes all games.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = SimilarGame> {
        self.games.drain().map(|game| game.0)
    }

    /// Returns the games, the most similar first.
    pub(super) fn into_sorted(self) -> Vec<SimilarGame> {
        let games = self.games.into_sorted_vec();
        games.into_iter().map(|game| game.0).collect()
    }
}

/// Returns the similarity that a game needs at least to be listed before the last one.
pub(super) fn needed(game: GameId, last: Option<SimilarGame>) -> f64 {
    match last {
        None => 0.0,
        Some(last) if game < last.game => last.similarity,
        // Of equal similarities the first game counts.
        Some(last) => last.similarity + 2.0 * TOLERANCE,
    }
}
