//! What a position must have, in the terms that prefilters of formats can check without a board.

use super::{Color, material::CountRange};

/// Squares of the second and the seventh rank, by colour of the pawns that start there.
pub const HOME: [u64; 2] = [0xff00, 0x00ff_0000_0000_0000];

/// Necessary conditions on one position. By colour means White's first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requirements {
    /// Counts of each kind of men.
    pub counts: CountRange,
    /// Who is to move.
    pub turn: Option<Color>,
    /// Plies since the start of the game, ends included.
    pub plies: (u32, u32),
    /// By colour: squares on each of which a pawn must stand.
    pub pawns: [u64; 2],
    /// By colour: squares one of which must hold the king.
    pub kings: [u64; 2],
}

impl Requirements {
    /// Returns by colour the home squares on which pawns must stand. Pawns do not come back, so
    /// none of these has left.
    pub fn pawns_at_home(&self) -> [u64; 2] {
        [self.pawns[0] & HOME[0], self.pawns[1] & HOME[1]]
    }
}

/// The possible places of both kings: pairs of sets of squares, White's first.
#[derive(Debug, Clone)]
pub struct KingPlaces(pub Vec<[u64; 2]>);

impl KingPlaces {
    /// Returns whether any of the pairs passes the test.
    #[inline]
    pub fn any(&self, test: impl Fn([u64; 2]) -> bool) -> bool {
        self.0.iter().any(|&squares| test(squares))
    }
}
