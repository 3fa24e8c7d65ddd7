//! The move that a notation means.

use shakmaty::{
    Bitboard, CastlingSide, File, Move, Rank, Role, Square,
    attacks::{self, between},
    san::San,
};

use super::Light;
use crate::chess::rays::attacked;

impl Light {
    /// Plays the move that a notation means and returns it. Returns `None` and plays nothing unless
    /// just one man can be meant, the notation says of a capture what is true, and the move is
    /// legal.
    #[inline(always)]
    pub(crate) fn play_meant(&mut self, san: San) -> Option<Move> {
        let played = match san {
            San::Normal {
                role: Role::Pawn,
                file,
                rank: None,
                capture,
                to,
                promotion,
            } => self.play_pawn(file, capture, to, promotion)?,
            San::Normal {
                role,
                file,
                rank,
                capture,
                to,
                promotion: None,
            } if role != Role::Pawn => self.play_piece(role, (file, rank), capture, to)?,
            San::Castle(side) => {
                let king = self.king(self.turn);
                let rooks = self.rights & Bitboard::from(king.rank());
                let mut rooks = rooks.into_iter();
                let rook = rooks.find(|&rook| (rook > king) == (side == CastlingSide::KingSide))?;
                self.castle(king, rook)?;
                Move::Castle { king, rook }
            }
            _ => return None,
        };
        self.end_turn();
        Some(played)
    }

    #[inline(always)]
    fn play_pawn(
        &mut self,
        file: Option<File>,
        is_capture: bool,
        to: Square,
        promotion: Option<Role>,
    ) -> Option<Move> {
        if !is_capture {
            let from = self.pushed_pawn(to)?;
            if file.is_some() || self.occupied().contains(to) || !self.is_advance(from, to) {
                return None;
            }
            self.put_pawn(from, None, to, promotion)?;
            return Some(normal(Role::Pawn, from, None, to, promotion));
        }
        let from = self.taking_pawn(file?, to)?;
        if !self.sides.get(self.turn.other()).contains(to) {
            promotion.is_none().then_some(())?;
            self.pass_by(from, to)?;
            return Some(Move::EnPassant { from, to });
        }
        let capture = Some(self.captured_on(to)?);
        self.put_pawn(from, capture, to, promotion)?;
        Some(normal(Role::Pawn, from, capture, to, promotion))
    }

    #[inline(always)]
    fn play_piece(
        &mut self,
        role: Role,
        (file, rank): (Option<File>, Option<Rank>),
        is_capture: bool,
        to: Square,
    ) -> Option<Move> {
        let from = self.only_one(role, file, rank, to)?;
        let is_blocked = (between(from, to) & self.occupied()).any();
        let holds_own = self.sides.get(self.turn).contains(to);
        let is_taken = self.sides.get(self.turn.other()).contains(to);
        if is_blocked || holds_own || is_taken != is_capture {
            return None;
        }
        let capture = if is_taken {
            Some(self.captured_on(to)?)
        } else {
            None
        };
        self.put_piece(role, from, capture, to)?;
        Some(normal(role, from, capture, to, None))
    }

    /// Returns the only man of the side to move that can go to a square, without moves that expose
    /// the king where there are several.
    #[inline]
    fn only_one(
        &self,
        role: Role,
        file: Option<File>,
        rank: Option<Rank>,
        to: Square,
    ) -> Option<Square> {
        let mut men = self.of(self.turn, role) & attacked(self.turn, role, to);
        if let Some(file) = file {
            men &= Bitboard::from(file);
        }
        if let Some(rank) = rank {
            men &= Bitboard::from(rank);
        }
        let occupied = self.occupied();
        if let Some(from) = men.single_square() {
            return Some(from);
        }
        let reaches = |&from: &Square| (between(from, to) & occupied).is_empty();
        let may_go = |from: &Square| reaches(from) && !self.exposes(*from, to);
        let mut able = men.into_iter().filter(may_go);
        able.next().filter(|_| able.next().is_none())
    }

    /// Returns the pawn that an advance to a square is made with.
    #[inline]
    fn pushed_pawn(&self, to: Square) -> Option<Square> {
        let back = if self.turn.is_white() { -8 } else { 8 };
        let (pawns, near) = (self.of(self.turn, Role::Pawn), to.offset(back)?);
        if pawns.contains(near) {
            return Some(near);
        }
        near.offset(back).filter(|&far| pawns.contains(far))
    }

    /// Returns the pawn of a file that can capture on a square.
    #[inline]
    fn taking_pawn(&self, file: File, to: Square) -> Option<Square> {
        let takers = attacks::pawn_attacks(self.turn.other(), to) & Bitboard::from(file);
        (takers & self.of(self.turn, Role::Pawn)).single_square()
    }

    /// Returns the man on a square that holds one; `None` for a king, which cannot be captured.
    #[inline(always)]
    fn captured_on(&self, square: Square) -> Option<Role> {
        let here = |role: Role| usize::from(self.roles[role as usize].contains(square));
        // Without branches, which nobody could predict.
        let role = here(Role::Pawn)
            + 2 * here(Role::Knight)
            + 3 * here(Role::Bishop)
            + 4 * here(Role::Rook)
            + 5 * here(Role::Queen);
        Role::ALL.get(role.wrapping_sub(1)).copied()
    }
}

#[inline(always)]
fn normal(
    role: Role,
    from: Square,
    capture: Option<Role>,
    to: Square,
    promotion: Option<Role>,
) -> Move {
    Move::Normal {
        role,
        from,
        capture,
        to,
        promotion,
    }
}
