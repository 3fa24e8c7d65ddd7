//! The move that a notation means.

use shakmaty::{
    Bitboard, CastlingSide, File, Move, Rank, Role, Square,
    attacks::{self, between},
    san::San,
};

use super::Light;
use crate::chess::rays::attacked;

impl Light {
    /// Returns the move that a notation means, if just one man can be meant and the notation says
    /// of a capture what is true. Whether the move is legal is only found out when it is played.
    #[inline]
    pub(crate) fn meant(&self, san: San) -> Option<Move> {
        match san {
            San::Normal {
                role: Role::Pawn,
                file,
                rank: None,
                capture,
                to,
                promotion,
            } => {
                let from = if capture {
                    self.taking_pawn(file?, to)?
                } else {
                    self.pushed_pawn(to).filter(|_| file.is_none())?
                };
                let taken = self.waiting_on(to);
                if capture && taken.is_none() {
                    return Some(Move::EnPassant { from, to });
                }
                (taken.is_some() == capture).then_some(Move::Normal {
                    role: Role::Pawn,
                    from,
                    capture: taken,
                    to,
                    promotion,
                })
            }
            San::Normal {
                role,
                file,
                rank,
                capture,
                to,
                promotion: None,
            } => {
                let taken = self.waiting_on(to);
                let from = self.only_one(role, file, rank, to)?;
                (taken.is_some() == capture).then_some(Move::Normal {
                    role,
                    from,
                    capture: taken,
                    to,
                    promotion: None,
                })
            }
            San::Castle(side) => {
                let king = self.king(self.turn);
                let rooks = self.rights & Bitboard::from(king.rank());
                let mut rooks = rooks.into_iter();
                let rook = rooks.find(|&rook| (rook > king) == (side == CastlingSide::KingSide))?;
                Some(Move::Castle { king, rook })
            }
            _ => None,
        }
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

    /// Returns the man of the side not to move on a square.
    #[inline(always)]
    fn waiting_on(&self, square: Square) -> Option<Role> {
        if !self.sides.get(self.turn.other()).contains(square) {
            return None;
        }
        let is_here = |role: &Role| self.roles[*role as usize].contains(square);
        Role::ALL.into_iter().find(is_here)
    }
}
