//! How often a position has stood on its line.
//!
//! Two positions are the same if the men, the side to move and the castling rights are, and the
//! squares on which a pawn can be captured en passant (FIDE 9.2). What a capture, a pawn move or
//! the loss of a right has changed does not come back, so only the positions since then are kept.
//! Of these only the first can have such a square.
//!
//! Nearly always the squares of all men tell two positions apart. Where they are the same, the
//! moves between them are taken back.

use tabiya_chess::Placed;

/// The positions since the last move that cannot be undone.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    /// The squares of all men, by position. The last is the present one.
    occupied: Vec<u64>,
    /// By position: the number of shifts that led to it.
    ends: Vec<usize>,
    /// What has moved: men, before and after.
    shifts: Vec<(Placed, Placed)>,
    /// The castling rights.
    castling: u64,
    /// Whether a pawn can be captured en passant in the first of the positions.
    begins_with_en_passant: bool,
}

impl History {
    /// Begins with a position after a move that cannot be undone, or at the start.
    pub(super) fn begin(&mut self, occupied: u64, castling: u64, has_en_passant: bool) {
        self.occupied.clear();
        self.ends.clear();
        self.shifts.clear();
        (self.castling, self.begins_with_en_passant) = (castling, has_en_passant);
        self.go_on(occupied);
    }

    /// Notes that a man moves.
    pub(super) fn shift(&mut self, from: Placed, to: Placed) {
        self.shifts.push((from, to));
    }

    /// Adds the position after the last shifts.
    pub(super) fn go_on(&mut self, occupied: u64) {
        self.occupied.push(occupied);
        self.ends.push(self.shifts.len());
    }

    /// Returns the castling rights of all the positions.
    pub(super) fn castling(&self) -> u64 {
        self.castling
    }

    /// Returns how often the present position has stood, this time included. `men` are its men.
    pub(super) fn repetition(&self, men: &[u64; 16]) -> u32 {
        let Some((now, before)) = self.occupied.split_last() else {
            return 0;
        };
        let (mut then, mut left) = (*men, self.shifts.len());
        let mut count = 1;
        // Positions of the same side to move.
        for (index, occupied) in before.iter().enumerate().rev().skip(1).step_by(2) {
            if occupied != now {
                continue;
            }
            let end = self.ends[index];
            for (from, to) in &self.shifts[end..left] {
                then[from.man_index()] ^= (1 << from.square_index()) ^ (1 << to.square_index());
            }
            left = end;
            let has_en_passant = index == 0 && self.begins_with_en_passant;
            count += u32::from(then == *men && !has_en_passant);
        }
        count
    }
}
