//! Summary of a game's main line: its 52 bytes in `.cbb`, and the final material.

use shakmaty::{Color, Role, Square};

use crate::chess::{Counts, Flow, Follow, Man, Placed, Rewind, Start};

/// Bytes per game in `.cbb`.
pub(super) const SUMMARY_BYTES: usize = 52;

/// Offsets of the parts. Parts with a byte for each rank or side have White's first.
mod at {
    /// Final number of pawns, and whether the side ever had no pieces: four bits a side.
    pub(super) const PAWNS: usize = 3;
    /// Whether the side ever had no queen, or at most one rook, bishop, knight.
    pub(super) const FEW: usize = 4;
    /// Whether the side ever had no queen, rook, bishop, knight.
    pub(super) const NONE: usize = 5;
    /// Files of white pawns by rank 3 to 7, of black ones by rank 2 to 6.
    pub(super) const WHITE_PAWNS: usize = 6;
    pub(super) const BLACK_PAWNS: usize = 11;
    /// Ranks and files of the kings.
    pub(super) const KING_RANKS: usize = 16;
    pub(super) const KING_FILES: usize = 18;
    /// Files by rank, of rooks and queens and of bishops and knights.
    pub(super) const MAJORS: usize = 20;
    pub(super) const MINORS: usize = 36;
}

/// Follows a main line and records the squares men have been on and which men were missing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Summary {
    bytes: [u8; SUMMARY_BYTES],
    counts: Counts,
}

impl Summary {
    pub(super) fn new() -> Summary {
        Summary {
            bytes: [0; SUMMARY_BYTES],
            counts: Counts::default(),
        }
    }

    /// Returns the bytes for a game that ends at the current position.
    pub(super) fn to_bytes(self) -> [u8; SUMMARY_BYTES] {
        let mut bytes = self.bytes;
        for color in Color::ALL {
            let pawns = self.counts.get(Man::new(color, Role::Pawn)).min(7);
            bytes[at::PAWNS] |= pawns << color.fold_wb(0, 4);
        }
        bytes
    }

    /// Returns the current material.
    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    /// Records that a man is on a square.
    fn see(&mut self, placed: Placed) {
        let (color, square) = (placed.man().color(), placed.square());
        let side = color.fold_wb(0, 1);
        let (rank, file) = (square.rank() as usize, 1 << square.file() as u8);
        match placed.man().role() {
            Role::King => {
                self.bytes[at::KING_RANKS + side] |= 1 << rank;
                self.bytes[at::KING_FILES + side] |= file;
            }
            Role::Queen | Role::Rook => self.bytes[at::MAJORS + 8 * side + rank] |= file,
            Role::Bishop | Role::Knight => self.bytes[at::MINORS + 8 * side + rank] |= file,
            Role::Pawn => self.see_pawn(color, square),
        }
    }

    fn see_pawn(&mut self, color: Color, square: Square) {
        let (first, lowest) = color.fold_wb((at::WHITE_PAWNS, 2), (at::BLACK_PAWNS, 1));
        let rank = (square.rank() as usize).checked_sub(lowest);
        if let Some(rank) = rank.filter(|&rank| rank < 5) {
            self.bytes[first + rank] |= 1 << square.file() as u8;
        }
    }

    /// Records which men a side currently lacks.
    fn see_missing(&mut self, color: Color) {
        let shift = color.fold_wb(0, 4);
        let count = |role| self.counts.get(Man::new(color, role));
        let few = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
        let (mut at_most_one, mut none) = (0, 0);
        for (bit, role) in few.into_iter().enumerate() {
            let allowed = u8::from(role != Role::Queen);
            at_most_one |= u8::from(count(role) <= allowed) << bit;
            none |= u8::from(count(role) == 0) << bit;
        }
        self.bytes[at::FEW] |= at_most_one << shift;
        self.bytes[at::NONE] |= none << shift;
        self.bytes[at::PAWNS] |= u8::from(none == 15) << (3 + shift);
    }
}

impl Follow for Summary {
    fn forget(&mut self) {
        *self = Summary::new();
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        let setup = start.setup();
        self.bytes = [0; SUMMARY_BYTES];
        self.counts = Counts::of(&setup.board);
        for (square, piece) in setup.board {
            self.see(Placed::new(piece.into(), square));
        }
        for color in Color::ALL {
            self.see_missing(color);
        }
        Flow::Continue(())
    }

    fn shift(&mut self, _: Placed, to: Placed) {
        self.see(to);
    }

    fn remove(&mut self, gone: Placed) {
        self.counts.take(gone.man());
        if gone.man().role() != Role::Pawn {
            self.see_missing(gone.man().color());
        }
    }

    fn place(&mut self, new: Placed) {
        self.counts.add(new.man());
        self.see(new);
    }

    fn look(&mut self) -> Flow {
        Flow::Continue(())
    }
}

impl Rewind for Summary {
    type Snapshot = Summary;

    fn snapshot(&self) -> Summary {
        *self
    }

    fn restore(&mut self, snapshot: &Summary) {
        *self = *snapshot;
    }
}
