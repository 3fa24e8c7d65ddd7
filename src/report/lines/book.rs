//! Lines as an opening book in the format that PolyGlot introduced.
//!
//! A book is a list of entries of 16 bytes, big-endian, ascending by key: the key of the position
//! (8 bytes: a hash of men, castling rights, en-passant file and side to move, by the format's
//! published random numbers), the move (2), its weight (2) and a field for learning (4, zero). A
//! move has the file and rank of the target in bits 0 to 5, those of the origin in bits 6 to 11 and
//! the promotion in bits 12 to 14 (1 knight to 4 queen); castling is the king's move to the rook's
//! square. Source: the format's description by Michel Van den Bergh.

use shakmaty::{EnPassantMode, Move, Position as _, Role, Square, zobrist::Zobrist64};

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
        let mut bytes = Vec::with_capacity(entries.len() * 16);
        for (key, coded, weight) in entries {
            bytes.extend(key.to_be_bytes());
            bytes.extend(coded.to_be_bytes());
            bytes.extend(weight.to_be_bytes());
            bytes.extend([0; 4]);
        }
        bytes
    }
}

/// Returns the entries of a position: key, move, weight.
fn entries(node: &GraphNode) -> Vec<(u64, u16, u16)> {
    let Some(position) = position_of(node.setup().clone()) else {
        return Vec::new();
    };
    let key: Zobrist64 = position.zobrist_hash(EnPassantMode::PseudoLegal);
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
        (weight > 0).then_some((key.0, coded, weight))
    };
    played.into_iter().filter_map(entry).collect()
}

/// Returns two for each win of the side to move and one for each draw.
fn points(stats: &TreeStats) -> u64 {
    let wins = stats.turn().fold_wb(stats.white_wins(), stats.black_wins());
    wins.saturating_mul(2).saturating_add(stats.draws())
}

fn coded(played: Move) -> Option<u16> {
    let (from, to) = (played.from()?, played.to());
    let square = |square: Square| square as u16;
    let promotion = match played.promotion() {
        None => 0,
        Some(Role::Knight) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Rook) => 3,
        Some(_) => 4,
    };
    Some(square(to) | square(from) << 6 | promotion << 12)
}
