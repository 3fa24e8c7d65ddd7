//! Attacks on kings.

use shakmaty::{Bitboard, CastlingMode, Chess, Color, Position as _, Role, Square, attacks};

use super::Light;
use crate::{
    forgiving_position,
    rays::{DIAGONAL, STRAIGHT, between, reach},
};

impl Light {
    /// Notes what aims at a side's king.
    #[inline(always)]
    pub(super) fn aim(&mut self, at: Color) {
        let king = self.king(at);
        self.lines = reach(Role::Queen, king);
        self.aimed = self.sliders(king, at.other());
    }

    /// Notes whether the move just made gives check, with a man that attacks `reach` on an empty
    /// board.
    #[inline(always)]
    pub(super) fn attack(&mut self, reach: Bitboard, from: Square, to: Square) {
        let waiting = self.turn.other();
        self.aim(waiting);
        let (king, occupied) = (self.king(waiting), self.occupied());
        self.is_check = reach.contains(king) && (between(king, to) & occupied).is_empty()
            || self.is_uncovered(king, from, (occupied, Bitboard::EMPTY));
    }

    /// Whether the king can be captured after one of its men, not the king, has moved.
    #[inline(always)]
    pub(super) fn exposes(&self, from: Square, to: Square) -> bool {
        let king = self.king(self.turn);
        let after = self.occupied().without(from).with(to);
        if self.is_check {
            return self.is_attacked(king, after, to.into());
        }
        self.is_uncovered(king, from, (after, to.into()))
    }

    /// Whether one of the men that [aim](Light::aim) at a king attacks it, when none of them did
    /// before a man has left a square. Ignores those on `gone`.
    #[inline(always)]
    fn is_uncovered(
        &self,
        king: Square,
        left: Square,
        (occupied, gone): (Bitboard, Bitboard),
    ) -> bool {
        let aimed = self.aimed & !gone;
        // One branch: each half alone is often true, and in no order that could be predicted.
        let may_be = self.lines.contains(left) & aimed.any();
        may_be && is_any_clear(aimed, king, occupied)
    }

    /// Whether the side to move is mated. `mode` is how its rights to castle are read.
    pub fn is_mate(&self, mode: CastlingMode) -> bool {
        let has_no_moves = |position: Chess| position.legal_moves().is_empty();
        self.is_check()
            && !self.king_can_move()
            && forgiving_position(self.setup(), mode).is_ok_and(has_no_moves)
    }

    /// Whether the king of the side to move has a legal move other than castling.
    fn king_can_move(&self) -> bool {
        let king = self.king(self.turn);
        let squares = attacks::king_attacks(king) & !*self.sides.get(self.turn);
        let without_king = self.occupied().without(king);
        let is_safe = |to| !self.is_attacked(to, without_king, Bitboard::from(to));
        squares.into_iter().any(is_safe)
    }

    /// Whether the side not to move attacks a square, ignoring its men on `gone`.
    pub(super) fn is_attacked(&self, square: Square, occupied: Bitboard, gone: Bitboard) -> bool {
        let (turn, by) = (self.turn, self.turn.other());
        let leapers = attacks::knight_attacks(square) & self.of(by, Role::Knight)
            | attacks::pawn_attacks(turn, square) & self.of(by, Role::Pawn)
            | attacks::king_attacks(square) & self.of(by, Role::King);
        (leapers & !gone).any() || self.is_slid_to(square, by, occupied, gone)
    }

    /// Whether a queen, rook or bishop of one side attacks a square. Mostly none is on a line with
    /// it, so looking between the two squares costs less than a large table of attacks.
    #[inline(always)]
    fn is_slid_to(&self, square: Square, by: Color, occupied: Bitboard, gone: Bitboard) -> bool {
        is_any_clear(self.sliders(square, by) & !gone, square, occupied)
    }

    /// Returns the queens, rooks and bishops of one side that would attack a square if no man were
    /// between.
    #[inline(always)]
    fn sliders(&self, square: Square, by: Color) -> Bitboard {
        let queens = self.roles[Role::Queen as usize];
        let straight = STRAIGHT[square as usize] & (self.roles[Role::Rook as usize] | queens);
        let diagonal = DIAGONAL[square as usize] & (self.roles[Role::Bishop as usize] | queens);
        (straight | diagonal) & *self.sides.get(by)
    }
}

/// Whether no man is between a square and one of some others.
#[inline(always)]
pub(super) fn is_any_clear(others: Bitboard, square: Square, occupied: Bitboard) -> bool {
    let is_clear = |other: Square| (between(square, other) & occupied).is_empty();
    others.into_iter().any(is_clear)
}
