//! The men on their squares.

use shakmaty::{Color, Move, Role, Square};
use tabiya_chess::{Flow, Follow, Man, Placed, Start};

/// The man on each square.
#[derive(Debug, Clone)]
pub(crate) struct Men([Option<Man>; 64]);

impl Men {
    pub(crate) fn new() -> Men {
        Men([None; 64])
    }

    #[inline]
    pub(crate) fn at(&self, square: Square) -> Option<Man> {
        self.0[square as usize]
    }

    /// Whether the men that a move needs besides the moving one are in place.
    pub(crate) fn allow(&self, played: Move, turn: Color) -> bool {
        let is = |square, color, role| self.at(square) == Some(Man::new(color, role));
        match played {
            Move::Castle { king, rook } => {
                is(king, turn, Role::King)
                    && is(rook, turn, Role::Rook)
                    && king.rank() == turn.backrank()
            }
            Move::EnPassant { from, to } => {
                let victim = Square::from_coords(to.file(), from.rank());
                is(from, turn, Role::Pawn)
                    && is(victim, turn.other(), Role::Pawn)
                    && self.at(to).is_none()
            }
            Move::Normal {
                role, promotion, ..
            } => promotion.is_none() || role == Role::Pawn,
            Move::Put { .. } => false,
        }
    }
}

impl Follow for Men {
    fn reset(&mut self) {
        self.0 = [None; 64];
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.0 = [None; 64];
        for (square, piece) in start.setup().board {
            self.0[square as usize] = Some(Man::new(piece.color, piece.role));
        }
        Flow::Continue(())
    }

    fn moved(&mut self, from: Placed, to: Placed) {
        // Castling shifts the king first, perhaps to the rook's square or away from the rook's
        // target square.
        if self.at(from.square()) == Some(from.man()) {
            self.0[from.square() as usize] = None;
        }
        self.0[to.square() as usize] = Some(to.man());
    }

    fn remove(&mut self, gone: Placed) {
        self.0[gone.square() as usize] = None;
    }

    fn place(&mut self, new: Placed) {
        self.0[new.square() as usize] = Some(new.man());
    }
}
