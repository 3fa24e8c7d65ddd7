//! Lines as an opening book in the format that PolyGlot introduced, which
//! [`polyglot`] describes.

use tabiya_formats::book::polyglot::{self, coded};

use super::graph::{GraphNode, LineGraph};
use crate::{
    pattern::position_of,
    report::tree::{TreeStats, legal},
};

impl LineGraph {
    /// Returns the lines as an opening book in PolyGlot's format, in ascending order of the keys.
    ///
    /// The weight of a move is the sum of two for each win of the side that plays it and one for
    /// each draw; where one of a position is greater than 65 535, all of it are divided by the same
    /// number. A move without points has no entry, nor has one that is not
    /// [legal](super::GraphMove::is_legal) there. Of a position after which no game has a result,
    /// the weights are numbers of games. With [`only`](super::Lines::only) the book has the moves
    /// of that side.
    #[must_use]
    pub fn to_polyglot(&self) -> Vec<u8> {
        let of_side = |node: &&GraphNode| self.only().is_none_or(|side| node.setup().turn == side);
        let mut entries: Vec<(u64, u16, u16)> = self
            .nodes()
            .iter()
            .filter(of_side)
            .flat_map(entries)
            .collect();
        // Heavier moves first, as programs expect.
        entries.sort_unstable_by_key(|&(key, coded, weight)| (key, u16::MAX - weight, coded));
        let bytes = |(key, coded, weight)| polyglot::entry(key, coded, weight);
        entries.into_iter().flat_map(bytes).collect()
    }
}

/// Returns the entries of a position: key, move, weight.
fn entries(node: &GraphNode) -> Vec<(u64, u16, u16)> {
    let Some(position) = position_of(node.setup().clone()) else {
        return Vec::new();
    };
    let key = polyglot::key(&position);
    let moves = node.moves().iter();
    let mut stats = moves.clone().map(|played| &played.row.stats);
    let has_results = stats.any(|stats| stats.score_permille().is_some());
    let played = moves.filter_map(|played| {
        let stats = &played.row.stats;
        let weight = if has_results {
            points(stats)
        } else {
            stats.games()
        };
        Some((coded(legal(&position, played.row.next)?)?, weight))
    });
    let played: Vec<(u16, u64)> = played.collect();
    let most = played.iter().map(|&(_, weight)| weight).max().unwrap_or(0);
    let divisor = most.div_ceil(u16::MAX.into()).max(1);
    let entry = |(coded, weight): (u16, u64)| {
        let weight = (weight / divisor).min(u16::MAX.into()) as u16;
        (weight > 0).then_some((key, coded, weight))
    };
    played.into_iter().filter_map(entry).collect()
}

/// Returns two for each win of the side to move and one for each draw.
fn points(stats: &TreeStats) -> u64 {
    let wins = stats.turn().fold_wb(stats.white_wins(), stats.black_wins());
    wins.saturating_mul(2).saturating_add(stats.draws())
}
