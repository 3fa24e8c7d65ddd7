//! The squares that men visit in a game.

use tabiya_chess::{Flow, Follow, Man, Placed, Start};

/// Squares by man (bit 0 is a1), padded so that no man's index is out of bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Squares(pub(super) [u64; 16]);

impl Squares {
    fn add(&mut self, placed: Placed) {
        self.0[placed.man_index()] |= 1 << placed.square_index();
    }

    /// Returns whether the man of a row (man × 64 + square) has stood on its square.
    pub(super) fn has(&self, row: u16) -> bool {
        self.0[usize::from(row / 64) & 15] >> (row % 64) & 1 == 1
    }
}

/// Follows a game and records where men have stood, including in variations if they are followed.
#[derive(Debug)]
pub(crate) struct VisitTracker {
    standard: Squares,
    pub(crate) squares: Squares,
}

impl VisitTracker {
    pub(crate) fn new() -> VisitTracker {
        VisitTracker {
            standard: squares_of(Start::Standard),
            squares: Squares::default(),
        }
    }
}

fn squares_of(start: Start<'_>) -> Squares {
    let setup = start.setup();
    let mut squares = Squares::default();
    for man in Man::ALL {
        squares.0[man.index()] = setup.board.by_piece(man.into()).into();
    }
    squares
}

impl Follow for VisitTracker {
    fn reset(&mut self) {
        self.squares = Squares::default();
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.squares = match start {
            Start::Standard => self.standard,
            custom => squares_of(custom),
        };
        Flow::Continue(())
    }

    #[inline]
    fn moved(&mut self, _: Placed, to: Placed) {
        self.squares.add(to);
    }

    fn remove(&mut self, _: Placed) {}

    #[inline]
    fn place(&mut self, new: Placed) {
        self.squares.add(new);
    }
}
