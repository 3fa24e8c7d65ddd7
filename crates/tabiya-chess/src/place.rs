//! Places in a game, including its variations.

use std::num::NonZeroU32;

/// A move of a game, by its number in the order of a PGN file: all moves count, including those of
/// variations, and the first is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MoveId(NonZeroU32);

impl MoveId {
    /// Returns the move with this number; `None` for 0, which is before all moves.
    #[must_use]
    pub const fn from_number(number: u32) -> Option<MoveId> {
        match NonZeroU32::new(number) {
            Some(number) => Some(MoveId(number)),
            None => None,
        }
    }

    /// Returns the number, at least 1.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0.get()
    }
}

/// The place of a match. Ordered by ply; for the same ply the main line comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MatchPlace {
    /// Plies since the start of the game.
    pub ply: u32,
    /// The last move, if it is in a variation.
    pub variation: Option<MoveId>,
}

impl MatchPlace {
    /// Returns a place in the main line.
    pub const fn in_main_line(ply: u32) -> MatchPlace {
        MatchPlace {
            ply,
            variation: None,
        }
    }
}
