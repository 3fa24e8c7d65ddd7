//! Whether the side to move may check or mate at once, seen on the board without generating moves.
//!
//! A move that mates gives check, leaves the king no square next to it, and cannot be answered by
//! taking or by going between. So the moves that give check are listed, and for each the squares
//! next to the king are looked at, and the men that surely are not pinned. Whether the move is
//! legal, and whether the check can be answered otherwise, is left to the rules.

use std::cell::LazyCell;

use shakmaty::{Bitboard, File, Rank, Role, Square, attacks};
use tabiya_chess::{
    Man,
    rays::{DIAGONAL, STRAIGHT, attacked, between},
};

use super::boards::Boards;

/// A man that goes to a square, where it may be another piece.
#[derive(Debug, Clone, Copy)]
pub(super) struct Going {
    pub(super) from: Square,
    pub(super) to: Square,
    role: Role,
}

/// Returns the squares on a line with a square.
fn lines(square: Square) -> Bitboard {
    DIAGONAL[square as usize] | STRAIGHT[square as usize]
}

impl Boards {
    /// Returns whether the side to move may have a move that gives check and is one of those that
    /// are looked for. A necessary condition only: `is_it` is not asked about castling and captures
    /// en passant.
    pub(super) fn may_give_check(&self, is_it: impl Fn(Going) -> bool) -> bool {
        let king = self.king(self.turn.other());
        king.is_some_and(|king| {
            self.may_check_by_castling(king)
                || self.en_passant().is_some()
                || self.any_check(king, is_it)
        })
    }

    /// Returns whether the side to move may have a move that mates and is one of those that are
    /// looked for. A necessary condition only, as [`Boards::may_give_check`].
    pub(super) fn may_mate(&self, is_it: impl Fn(Going) -> bool) -> bool {
        let Some(king) = self.king(self.turn.other()) else {
            return false;
        };
        let open = LazyCell::new(|| self.open_squares(king));
        self.may_give_check(|going| {
            let Going { from, to, role } = going;
            // A move takes squares that were free by going there, by attacking them, or by leaving
            // a line.
            let near = attacked(self.turn, role, to) | lines(from) | Bitboard::from(to);
            (*open & !near).is_empty()
                && is_it(going)
                && !self.is_answered(king, going)
                && self.catches(king, going)
        })
    }

    /// Returns whether castling may give check. The rook comes to the d-file or the f-file, and
    /// only on their own rank do king and rook uncover a line.
    fn may_check_by_castling(&self, king: Square) -> bool {
        let back = Bitboard::from(self.turn.backrank());
        let lines = back | Bitboard::from(File::D) | Bitboard::from(File::F);
        self.castling() & u64::from(back) != 0 && lines.contains(king)
    }

    /// Returns whether `is_it` holds of a move that gives check, castling and captures en passant
    /// aside. Pins are not looked at.
    fn any_check(&self, king: Square, is_it: impl Fn(Going) -> bool) -> bool {
        self.any_check_by_pieces(king, &is_it)
            || self.any_check_by_pawns(king, &is_it)
            || self.any_discovered_check(king, &is_it)
    }

    fn any_check_by_pieces(&self, king: Square, is_it: &impl Fn(Going) -> bool) -> bool {
        let (turn, occupied) = (self.turn, Bitboard(self.occupied()));
        let diagonal = attacks::bishop_attacks(king, occupied);
        let straight = attacks::rook_attacks(king, occupied);
        let pieces = [
            (Role::Knight, attacks::knight_attacks(king)),
            (Role::Bishop, diagonal),
            (Role::Rook, straight),
            (Role::Queen, diagonal | straight),
        ];
        let own = Bitboard(self.side(turn));
        pieces.into_iter().any(|(role, checks)| {
            let mut men = Bitboard(self.of(Man::new(turn, role))).into_iter();
            men.any(|from| {
                // Going through the few squares that it reaches on an empty board costs less than
                // the large tables of what sliders attack: those do not stay in the cache.
                let mut to = (attacked(turn, role, from) & checks & !own).into_iter();
                to.any(|to| {
                    (between(from, to) & occupied).is_empty() && is_it(Going { from, to, role })
                })
            })
        })
    }

    fn any_check_by_pawns(&self, king: Square, is_it: &impl Fn(Going) -> bool) -> bool {
        let turn = self.turn;
        let pawns = Bitboard(self.pawns(turn));
        let near = pawns & Bitboard::from(turn.relative_rank(Rank::Seventh));
        let checks = attacks::pawn_attacks(turn.other(), king);
        let check = |from| {
            let role = Role::Pawn;
            let mut to = (self.pawn_steps(from) & checks).into_iter();
            to.any(|to| is_it(Going { from, to, role }))
        };
        // A queen or a knight checks wherever another piece would.
        let promotes = |from: Square| {
            let occupied = Bitboard(self.occupied()).without(from);
            let sees = |going: &Going| {
                attacks::attacks(going.to, going.role.of(turn), occupied).contains(king)
            };
            let mut goings = self.promotions(from);
            goings.any(|going| sees(&going) && is_it(going))
        };
        let far = pawns & !near;
        (self.all_pawn_steps(far) & checks).any() && far.into_iter().any(check)
            || near.into_iter().any(promotes)
    }

    /// Returns the promotions of a pawn on its seventh rank, to a queen and to a knight.
    fn promotions(&self, from: Square) -> impl Iterator<Item = Going> {
        let to = self.pawn_steps(from).into_iter();
        to.flat_map(move |to| [Role::Queen, Role::Knight].map(|role| Going { from, to, role }))
    }

    fn any_discovered_check(&self, king: Square, is_it: &impl Fn(Going) -> bool) -> bool {
        let turn = self.turn;
        let own = self.side(turn);
        let of = |role| Bitboard(self.of(Man::new(turn, role)));
        let diagonal = DIAGONAL[king as usize] & (of(Role::Bishop) | of(Role::Queen));
        let straight = STRAIGHT[king as usize] & (of(Role::Rook) | of(Role::Queen));
        (diagonal | straight).into_iter().any(|slider| {
            let between = u64::from(between(king, slider)) & self.occupied();
            let uncovers = between.is_power_of_two() && between & own != 0;
            let from = Bitboard(between).first().filter(|_| uncovers);
            from.is_some_and(|from| self.any_move(from, is_it))
        })
    }

    /// Returns whether `is_it` holds of a move of the man on a square.
    fn any_move(&self, from: Square, is_it: &impl Fn(Going) -> bool) -> bool {
        let turn = self.turn;
        let has = |role: &Role| Bitboard(self.of(Man::new(turn, *role))).contains(from);
        let Some(role) = Role::ALL.into_iter().find(has) else {
            return false;
        };
        let to = match role {
            Role::Pawn if from.rank() == turn.relative_rank(Rank::Seventh) => {
                return self.promotions(from).any(is_it);
            }
            Role::Pawn => self.pawn_steps(from),
            _ => {
                let reached = attacks::attacks(from, role.of(turn), Bitboard(self.occupied()));
                reached & !Bitboard(self.side(turn))
            }
        };
        to.into_iter().any(|to| is_it(Going { from, to, role }))
    }

    /// Returns the squares to which a pawn can go, but not by capturing en passant.
    fn pawn_steps(&self, from: Square) -> Bitboard {
        self.all_pawn_steps(Bitboard::from(from))
    }

    /// Returns the squares to which some of the pawns can go, but not by capturing en passant.
    fn all_pawn_steps(&self, pawns: Bitboard) -> Bitboard {
        let (turn, free) = (self.turn, !Bitboard(self.occupied()));
        let up = turn.fold_wb(8, -8);
        let one = pawns.shift(up) & free;
        let two = (one & Bitboard::from(turn.relative_rank(Rank::Third))).shift(up) & free;
        let left = pawns.without(File::A).shift(up - 1);
        let right = pawns.without(File::H).shift(up + 1);
        one | two | (left | right) & Bitboard(self.side(turn.other()))
    }

    /// Returns the squares to which the enemy king could go if it had the move.
    fn open_squares(&self, king: Square) -> Bitboard {
        // The king does not block an attack on the squares behind it.
        let occupied = Bitboard(self.occupied()).without(king);
        let near = self
            .king(self.turn)
            .map_or(Bitboard::EMPTY, attacks::king_attacks);
        let theirs = Bitboard(self.side(self.turn.other()));
        let mut open = Bitboard::EMPTY;
        for square in attacks::king_attacks(king) & !theirs & !near {
            if !self.attacks(self.turn, square, occupied.into()) {
                open.add(square);
            }
        }
        open
    }

    /// Returns whether the man that has moved is surely the only one that gives check, and can be
    /// taken, or a piece can go between: men on no line with their king, which cannot be pinned.
    fn is_answered(&self, king: Square, Going { from, to, .. }: Going) -> bool {
        let lines = lines(king);
        if lines.contains(from) {
            return false;
        }
        let taker = self.turn.other();
        let free = self.side(taker) & !u64::from(lines);
        let occupied = u64::from(Bitboard(self.occupied()).without(from).with(to));
        let pieces = free & !self.pawns(taker);
        let mut between = between(to, king).into_iter();
        self.attacks_with(taker, free, to, occupied)
            || between.any(|square| self.attacks_with(taker, pieces, square, occupied))
    }

    /// Returns whether after a move the enemy king has no square to go to.
    fn catches(&self, king: Square, Going { from, to, role }: Going) -> bool {
        let turn = self.turn;
        // The king does not block an attack on the squares behind it.
        let occupied = Bitboard(self.occupied())
            .without(from)
            .with(to)
            .without(king);
        let own_king = self.king(turn).filter(|own| *own != from);
        let near = own_king.map_or(Bitboard::EMPTY, attacks::king_attacks);
        let reached = attacked(turn, role, to);
        let theirs = Bitboard(self.side(turn.other())).without(to);
        let mut flights = (attacks::king_attacks(king) & !theirs & !near).into_iter();
        flights.all(|flight| {
            let is_free = || (between(to, flight) & occupied).is_empty();
            (reached.contains(flight) && is_free()) || self.attacks(turn, flight, occupied.into())
        })
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Chess, Position as _, fen::Fen};

    use crate::pattern::{Boards, walks::for_each_ply};

    /// The queen on e8 takes the squares to which the king could go, and the rook gives check.
    #[test]
    fn a_promotion_that_uncovers_a_check_may_mate() {
        let fen: Fen = "8/R3P2k/8/6K1/8/8/8/8 w - - 0 1".parse().unwrap();
        assert!(Boards::new(fen.as_setup()).may_mate(|_| true));
    }

    #[test]
    fn moves_that_check_or_mate_are_not_ruled_out() {
        let (mut mates, mut excluded) = (0, [0; 2]);
        for_each_ply(1500, |ply| {
            let moves = ply.after.legal_moves();
            let has = |is_it: fn(&Chess) -> bool| {
                moves.iter().any(|played| {
                    let mut next = ply.after.clone();
                    next.play_unchecked(*played);
                    is_it(&next)
                })
            };
            let (has_check, has_mate) = (has(Chess::is_check), has(Chess::is_checkmate));
            let boards = &ply.boards;
            let may = [boards.may_give_check(|_| true), boards.may_mate(|_| true)];
            assert!(may[0] || !has_check, "{:?}", ply.after);
            assert!(may[1] || !has_mate, "{:?}", ply.after);
            mates += u32::from(has_mate);
            excluded[0] += u32::from(!may[0]);
            excluded[1] += u32::from(!may[1]);
        });
        let is_telling = mates > 100 && excluded.iter().all(|&plies| plies > 1000);
        assert!(is_telling, "{mates} {excluded:?}");
    }
}
