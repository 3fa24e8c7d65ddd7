//! The continuation of a game after a position, as one small number.

use shakmaty::{Bitboard, File, Move, Role, Square};

use super::{castling::castled, follow::Placed};

/// The continuation of a game after a position, in 16 bits: from, to, promotion. Castling is the
/// king's move; from squares other than those of standard chess, the king goes to the rook's
/// square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Step(pub u16);

impl Step {
    /// A null move: no man moves from a1 to a1.
    pub const NULL: Step = Step(0);
    /// The game ends.
    pub const END: Step = Step(u16::MAX);

    /// Returns the step of a move.
    pub fn of(played: Move) -> Step {
        match played {
            Move::Castle { king, rook } => {
                let (to, _) = castled(king, rook);
                Step::new(king, castling_target(to, rook, king), None)
            }
            played => match played.from() {
                Some(from) => Step::new(from, played.to(), played.promotion()),
                None => Step::NULL,
            },
        }
    }

    fn new(from: Square, to: Square, promotion: Option<Role>) -> Step {
        let promotion = promotion.map_or(0, |role| role as u16);
        Step(from as u16 | (to as u16) << 6 | promotion << 12)
    }

    /// Returns from, to and promotion of a step that is a move.
    pub fn squares(self) -> (Square, Square, Option<Role>) {
        let square = |bits: u16| Square::new(u32::from(bits & 63));
        let mut roles = Role::ALL.into_iter();
        let promotion = roles.find(|&role| role as u16 == self.0 >> 12);
        (square(self.0), square(self.0 >> 6), promotion)
    }
}

/// Returns the target square of a castling king in a step.
fn castling_target(to: Square, rook: Square, king: Square) -> Square {
    let is_usual = king.file() == File::E && Bitboard::CORNERS.contains(rook);
    if is_usual { to } else { rook }
}

/// Collects a step from the board changes of one ply.
#[derive(Debug, Clone, Copy, Default)]
pub struct StepTaken {
    /// From and to square of the first man that moves.
    moved: Option<(Square, Square)>,
    promotion: Option<Role>,
}

impl StepTaken {
    /// Moves a man, which may become another.
    #[inline]
    pub fn shift(&mut self, from: Placed, to: Placed) {
        match &mut self.moved {
            None => self.moved = Some((from.square(), to.square())),
            Some((king, to)) => *to = castling_target(*to, from.square(), *king),
        }
    }

    /// Puts a man on the board.
    #[inline]
    pub fn place(&mut self, new: Placed) {
        self.promotion = Some(new.man().role());
    }

    /// Returns the step of a complete ply.
    #[inline]
    pub fn step(&self) -> Step {
        match self.moved {
            None => Step::NULL,
            Some((from, to)) => Step::new(from, to, self.promotion),
        }
    }
}
