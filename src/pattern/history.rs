//! How often a position has stood on its line.
//!
//! Two positions are the same if the men, the side to move and the castling rights are, and the
//! squares on which a pawn can be captured en passant (FIDE 9.2). A capture or pawn move ends all
//! repetition, so only the positions since then are kept. Of these only the first can have such a
//! square.

use tabiya_chess::Man;

/// The positions since the last capture or pawn move.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    /// The last is the present one.
    stood: Vec<Stood>,
    /// Whether a pawn can be captured en passant in the first of them.
    begins_with_en_passant: bool,
}

/// What makes positions of one side to move different.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stood {
    /// Nearly always tells two positions apart, so it is compared first.
    pub(super) occupied: u64,
    pub(super) men: [u64; Man::COUNT],
    pub(super) castling: u64,
}

impl History {
    /// Begins with a position after a capture or pawn move, or at the start.
    pub(super) fn begin(&mut self, now: Stood, has_en_passant: bool) {
        self.stood.clear();
        self.stood.push(now);
        self.begins_with_en_passant = has_en_passant;
    }

    /// Adds the next position.
    pub(super) fn go_on(&mut self, now: Stood) {
        self.stood.push(now);
    }

    /// Returns how often the present position has stood, this time included.
    pub(super) fn repetition(&self) -> u32 {
        let Some((now, before)) = self.stood.split_last() else {
            return 0;
        };
        // Positions of the same side to move.
        let same = before.iter().enumerate().rev().skip(1).step_by(2);
        let is_same = |(index, stood): &(usize, &Stood)| {
            *stood == now && !(*index == 0 && self.begins_with_en_passant)
        };
        1 + same.filter(is_same).count() as u32
    }
}
