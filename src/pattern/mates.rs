//! Whether the side to move may check or mate at once, seen on the board without generating moves.
//!
//! A move that mates gives check, and leaves the king no square next to it. So the moves that give
//! check are listed, and for each the squares next to the king are looked at. Whether the move is
//! legal, and whether the check can be answered otherwise, is left to the rules.

use shakmaty::{Bitboard, File, Rank, Role, Square, attacks};
use tabiya_chess::Man;

use super::boards::Boards;

/// A man that goes to a square, where it may be another piece.
#[derive(Debug, Clone, Copy)]
struct Going {
    from: Square,
    to: Square,
    role: Role,
}

impl Boards {
    /// Returns whether the side to move may have a move that gives check. A necessary condition
    /// only.
    pub(super) fn may_give_check(&self) -> bool {
        self.may_check(|_, _| true)
    }

    /// Returns whether the side to move may have a move that mates. A necessary condition only.
    pub(super) fn may_mate(&self) -> bool {
        self.may_check(|king, going| self.catches(king, going))
    }

    /// Returns whether there may be a move that gives check and of which `is_it` holds; of castling
    /// and of captures en passant that is not asked.
    fn may_check(&self, is_it: impl Fn(Square, Going) -> bool) -> bool {
        let king = self.king(self.turn.other());
        king.is_some_and(|king| {
            self.may_check_by_castling(king)
                || self.en_passant().is_some()
                || self.any_check(king, |going| is_it(king, going))
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
        let own = Bitboard(self.side(turn));
        let mut roles = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen].into_iter();
        roles.any(|role| {
            let men = Bitboard(self.of(Man::new(turn, role)));
            if men.is_empty() {
                return false;
            }
            let checks = attacks::attacks(king, role.of(turn), occupied) & !own;
            men.into_iter().any(|from| {
                let to = attacks::attacks(from, role.of(turn), occupied) & checks;
                to.into_iter().any(|to| is_it(Going { from, to, role }))
            })
        })
    }

    fn any_check_by_pawns(&self, king: Square, is_it: &impl Fn(Going) -> bool) -> bool {
        let turn = self.turn;
        let pawns = self.pawns(turn);
        let last = Bitboard::from(turn.relative_rank(Rank::Eighth));
        let near = Bitboard::from(turn.relative_rank(Rank::Seventh)) & Bitboard(pawns);
        let checks = attacks::pawn_attacks(turn.other(), king) & !last;
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
        (self.pawns_may_reach(checks.into(), pawns) && Bitboard(pawns).into_iter().any(check))
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
        self.sliders(own).any(|(slider, line)| {
            let between = u64::from(attacks::between(king, slider)) & self.occupied();
            let uncovers = line.contains(king) && between.is_power_of_two() && between & own != 0;
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
        let (turn, free) = (self.turn, !self.occupied());
        let ahead = |squares: u64| turn.fold_wb(squares << 8, squares >> 8) & free;
        let one = ahead(1 << from as u32);
        let is_home = from.rank() == turn.relative_rank(Rank::Second);
        let two = if is_home { ahead(one) } else { 0 };
        let taken = attacks::pawn_attacks(turn, from) & Bitboard(self.side(turn.other()));
        Bitboard(one | two) | taken
    }

    /// Returns whether a pawn may reach one of some squares by one move.
    fn pawns_may_reach(&self, squares: u64, pawns: u64) -> bool {
        Bitboard(squares).into_iter().any(|square| {
            let file = u64::from(Bitboard::from(square.file()));
            let beside = u64::from(attacks::pawn_attacks(self.turn.other(), square));
            pawns & (file | beside) != 0
        })
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
        let taken = near | attacks::attacks(to, role.of(turn), occupied);
        let theirs = Bitboard(self.side(turn.other())).without(to);
        let mut flights = (attacks::king_attacks(king) & !theirs & !taken).into_iter();
        flights.all(|flight| self.attacks(turn, flight, occupied.into()))
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
        assert!(Boards::new(fen.as_setup()).may_mate());
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
            let may = [ply.boards.may_give_check(), ply.boards.may_mate()];
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
