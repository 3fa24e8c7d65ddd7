//! Check, mate and stalemate on the board of a followed game.
//!
//! Nearly all positions are decided without generating moves: a king that can step aside is not
//! mated, and a side with a free man can move it. The rest is decided by the rules.

use shakmaty::{Bitboard, Color, Position as _, Role, Square, attacks};
use tabiya_chess::{
    Man, Placed,
    rays::{DIAGONAL, STRAIGHT, attacked_by, between},
};

use super::boards::Boards;

impl Boards {
    /// Returns whether the side to move is in check.
    #[inline]
    pub(crate) fn is_check(&self) -> bool {
        let king = self.king(self.turn);
        king.is_some_and(|king| self.attacks(self.turn.other(), king, self.occupied()))
    }

    /// Returns whether the side to move is checkmated.
    pub(crate) fn is_mate(&self) -> bool {
        self.is_check()
            && !self.king_can_step_aside()
            && self
                .position()
                .is_some_and(|position| position.is_checkmate())
    }

    /// Returns whether the side to move is stalemated.
    #[inline]
    pub(crate) fn is_stalemate(&self) -> bool {
        // With a free man it is not stalemate: it can move, or the side is in check.
        !self.has_free_man()
            && !self.is_check()
            && !self.king_can_step_aside()
            && self
                .position()
                .is_some_and(|position| position.is_stalemate())
    }

    pub(super) fn king(&self, color: Color) -> Option<Square> {
        Bitboard(self.of(Man::new(color, Role::King))).first()
    }

    /// Returns whether a side's men other than the king attack a square: those on the squares in
    /// `occupied`, which block lines.
    #[inline]
    pub(super) fn attacks(&self, by: Color, square: Square, occupied: u64) -> bool {
        self.attacks_with(by, occupied, square, occupied)
    }

    /// Like [`Boards::attacks`], by the men on the squares in `among` only.
    #[inline]
    pub(super) fn attacks_with(
        &self,
        by: Color,
        among: u64,
        square: Square,
        occupied: u64,
    ) -> bool {
        let men = |role| self.of(Man::new(by, role)) & among;
        let near = u64::from(attacks::pawn_attacks(by.other(), square)) & men(Role::Pawn)
            | u64::from(attacks::knight_attacks(square)) & men(Role::Knight);
        // Few men stand on a line with the square, so looking at each costs less than the large
        // tables of what sliders attack: those do not stay in the cache.
        let queens = men(Role::Queen);
        let far = u64::from(DIAGONAL[square as usize]) & (men(Role::Bishop) | queens)
            | u64::from(STRAIGHT[square as usize]) & (men(Role::Rook) | queens);
        let sees = |slider| u64::from(between(square, slider)) & occupied == 0;
        near != 0 || Bitboard(far).into_iter().any(sees)
    }

    /// Returns whether the king of the side to move has a legal step.
    fn king_can_step_aside(&self) -> bool {
        let (turn, enemy) = (self.turn, self.turn.other());
        let Some(king) = self.king(turn) else {
            return false;
        };
        let theirs = self.king(enemy).map_or(Bitboard(0), attacks::king_attacks);
        let targets = attacks::king_attacks(king) & !Bitboard(self.side(turn)) & !theirs;
        // The king does not block an attack on the squares behind it.
        let occupied = self.occupied() & !u64::from(Bitboard::from(king));
        targets
            .into_iter()
            .any(|to| !self.attacks(enemy, to, occupied))
    }

    /// Returns whether the side to move has a man that is on no line with its king, so that it
    /// cannot be pinned, and can move one step. `false` may be wrong.
    #[inline]
    fn has_free_man(&self) -> bool {
        let turn = self.turn;
        let Some(king) = self.king(turn) else {
            return false;
        };
        let free = u64::from(!(DIAGONAL[king as usize] | STRAIGHT[king as usize]));
        let men = |role| self.of(Man::new(turn, role)) & free;
        let pawns = men(Role::Pawn);
        let pushed = turn.fold_wb(pawns << 8, pawns >> 8);
        pushed & !self.occupied() != 0 || self.has_free_piece(men)
    }

    fn has_free_piece(&self, men: impl Fn(Role) -> u64) -> bool {
        let own = self.side(self.turn);
        let steps = |role: Role, square: Square| {
            let around = u64::from(attacks::king_attacks(square));
            let steps = match role {
                Role::Knight => attacks::knight_attacks(square).into(),
                Role::Bishop => around & u64::from(DIAGONAL[square as usize]),
                Role::Rook => around & u64::from(STRAIGHT[square as usize]),
                _ => around,
            };
            steps & !own != 0
        };
        [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
            .into_iter()
            .any(|role| Bitboard(men(role)).into_iter().any(|at| steps(role, at)))
    }

    /// Returns the squares of one side's men.
    #[inline]
    pub(super) fn side(&self, color: Color) -> u64 {
        let of = |role| self.of(Man::new(color, role));
        let pieces = of(Role::King) | of(Role::Queen) | of(Role::Rook);
        pieces | of(Role::Bishop) | of(Role::Knight) | of(Role::Pawn)
    }

    /// Returns whether the SAN of the piece that has just moved needs its file, and its rank,
    /// because other pieces of its kind could have moved to the same square.
    pub(super) fn told_apart(&self, from: Placed, to: Placed) -> (bool, bool) {
        let (target, mover) = (to.square(), self.turn.other());
        let role = from.man().role();
        let alike = self.of(from.man()) & !(1 << to.square_index());
        let candidates = alike & u64::from(attacked_by(to));
        if candidates == 0 || matches!(role, Role::Pawn | Role::King) {
            return (false, false);
        }
        // The squares occupied before the move, except for the target.
        let occupied = self.occupied() | 1 << from.square_index();
        let reach = attacks::attacks(target, role.of(mover), Bitboard(occupied));
        let others = candidates & u64::from(reach);
        let leaves_no_check = |other: &Square| {
            let occupied = occupied & !u64::from(Bitboard::from(*other));
            let king = self.king(mover);
            !king.is_some_and(|king| self.attacks(self.turn, king, occupied))
        };
        let (mut any, mut on_file, mut on_rank) = (false, false, false);
        for other in Bitboard(others).into_iter().filter(leaves_no_check) {
            any = true;
            on_file |= other.file() == from.square().file();
            on_rank |= other.rank() == from.square().rank();
        }
        (any && (!on_file || on_rank), on_file)
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Position as _;

    use crate::pattern::walks::for_each_ply;

    #[test]
    fn check_mate_and_stalemate_are_what_the_rules_say() {
        let mut seen = [0; 3];
        for_each_ply(1000, |ply| {
            let (rules, boards) = (ply.after, ply.boards);
            let said = [boards.is_check(), boards.is_mate(), boards.is_stalemate()];
            let right = [rules.is_check(), rules.is_checkmate(), rules.is_stalemate()];
            assert_eq!(said, right, "{rules:?}");
            for (seen, said) in seen.iter_mut().zip(said) {
                *seen += u32::from(said);
            }
        });
        assert!(seen.iter().all(|&seen| seen > 20), "{seen:?}");
    }
}
