//! The move that a notation means.

use shakmaty::{Bitboard, CastlingSide, Move, Role, Square, attacks, san::San};

use super::Light;
use crate::rays::{between, reach};

/// What a notation says about a move: not more than is needed to find its man.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// The move of one man.
    Man {
        /// Its kind.
        role: Role,
        /// The squares that it may come from.
        from: Bitboard,
        /// Whether it captures.
        is_capture: bool,
        /// Where it goes.
        to: Square,
        /// What it becomes.
        promotion: Option<Role>,
    },
    /// Castling.
    Castle(CastlingSide),
}

impl Meaning {
    /// Returns what a notation in shakmaty's form says; `None` if only shakmaty should judge it.
    pub fn of(san: San) -> Option<Meaning> {
        match san {
            San::Normal {
                role,
                file,
                rank,
                capture,
                to,
                promotion,
            } => {
                let is_usual = match role {
                    Role::Pawn => rank.is_none() && file.is_some() == capture,
                    _ => promotion.is_none(),
                };
                let file = file.map_or(Bitboard::FULL, Bitboard::from);
                let rank = rank.map_or(Bitboard::FULL, Bitboard::from);
                is_usual.then_some(Meaning::Man {
                    role,
                    from: file & rank,
                    is_capture: capture,
                    to,
                    promotion,
                })
            }
            San::Castle(side) => Some(Meaning::Castle(side)),
            San::Put { .. } | San::Null => None,
        }
    }
}

impl Light {
    /// Plays the move that a notation means and returns it. Returns `None` and plays nothing unless
    /// just one man can be meant, the notation says of a capture what is true, and the move is
    /// legal.
    #[inline(always)]
    pub fn play_meant(&mut self, meaning: Meaning) -> Option<Move> {
        let played = match meaning {
            Meaning::Man {
                role: Role::Pawn,
                from,
                is_capture,
                to,
                promotion,
            } => self.play_pawn(from, is_capture, to, promotion)?,
            Meaning::Man {
                role,
                from,
                is_capture,
                to,
                ..
            } => self.play_piece(role, from, is_capture, to)?,
            Meaning::Castle(side) => self.play_castling(side)?,
        };
        self.end_turn();
        Some(played)
    }

    #[inline(never)]
    fn play_castling(&mut self, side: CastlingSide) -> Option<Move> {
        let king = self.king(self.turn);
        let rooks = self.rights & Bitboard::from(king.rank());
        let mut rooks = rooks.into_iter();
        let rook = rooks.find(|&rook| (rook > king) == (side == CastlingSide::KingSide))?;
        self.castle(king, rook)?;
        Some(Move::Castle { king, rook })
    }

    #[inline(always)]
    fn play_pawn(
        &mut self,
        from: Bitboard,
        is_capture: bool,
        to: Square,
        promotion: Option<Role>,
    ) -> Option<Move> {
        if !is_capture {
            let from = self.pushed_pawn(to)?;
            self.put_pawn(from, None, to, promotion)?;
            return Some(normal(Role::Pawn, from, None, to, promotion));
        }
        let takers = attacks::pawn_attacks(self.turn.other(), to) & from;
        let from = (takers & self.of(self.turn, Role::Pawn)).single_square()?;
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
        from: Bitboard,
        is_capture: bool,
        to: Square,
    ) -> Option<Move> {
        let from = self.only_one(self.of(self.turn, role) & reach(role, to) & from, to)?;
        let is_blocked = (between(from, to) & self.occupied()).any();
        let holds_own = self.sides.get(self.turn).contains(to);
        let is_taken = self.sides.get(self.turn.other()).contains(to);
        // One branch, which is hardly ever taken.
        if is_blocked | holds_own | (is_taken != is_capture) {
            return None;
        }
        let capture = if is_capture {
            Some(self.captured_on(to)?)
        } else {
            None
        };
        self.put_piece(role, from, capture, to)?;
        Some(normal(role, from, capture, to, None))
    }

    /// Returns the only one of several men that can go to a square, without moves that expose the
    /// king where there are several.
    #[inline(always)]
    fn only_one(&self, men: Bitboard, to: Square) -> Option<Square> {
        match men.single_square() {
            Some(from) => Some(from),
            None => self.only_able(men, to),
        }
    }

    #[inline(never)]
    fn only_able(&self, men: Bitboard, to: Square) -> Option<Square> {
        let occupied = self.occupied();
        let reaches = |&from: &Square| (between(from, to) & occupied).is_empty();
        let may_go = |from: &Square| reaches(from) && !self.exposes(*from, to);
        let mut able = men.into_iter().filter(may_go);
        able.next().filter(|_| able.next().is_none())
    }

    /// Returns the pawn that an advance to a square is made with; `None` if it cannot be.
    #[inline(always)]
    fn pushed_pawn(&self, to: Square) -> Option<Square> {
        let (back, fourth) = if self.turn.is_white() {
            (-8, 3)
        } else {
            (8, 4)
        };
        let (pawns, near) = (self.of(self.turn, Role::Pawn), to.offset(back)?);
        let men = self.occupied();
        if men.contains(to) {
            return None;
        }
        if pawns.contains(near) {
            return Some(near);
        }
        let is_far = to.rank() as u32 == fourth && !men.contains(near);
        let far = near.offset(back).filter(|&far| pawns.contains(far));
        far.filter(|_| is_far)
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
