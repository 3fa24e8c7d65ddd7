//! What the order in which pawns left their home squares says about the pawns of positions.
//!
//! When k pawns have left, all others are at home, so at least 16 - k pawns are on the board. A
//! position has in common with the wanted one those of them that it wants there, and elsewhere at
//! most k pawns, of those that have ever stood on their squares in the game. The pawns at home that
//! it does not want there are in only one of the two positions. So J of the pawns is at most
//!
//! ```text
//! (wanted at home + in common elsewhere) / (wanted + at home, but not wanted there)
//! ```
//!
//! for one of the k from 0 to the number of pawns that left in the game.

use shakmaty::{Bitboard, Color};
use tabiya_chess::{
    HomePawns,
    home_pawns::{PawnSet, pawn_number, pawns_of},
};

use super::{Likeness, PAWNS, TOLERANCE};

/// The pawns of a position that are at home.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AtHome {
    wanted: PawnSet,
    /// Number of all pawns.
    pawns: u8,
}

/// A least J, in units of 1/65536, rounded down.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeastShare(i32);

impl LeastShare {
    const ONE: i32 = 1 << 16;

    /// Returns the J that pawns need for a similarity of at least `least`, if the rest of it is at
    /// most `rest`.
    #[inline]
    pub(crate) fn of_pawns(least: f64, rest: f64) -> LeastShare {
        let share = (least - TOLERANCE - rest) / PAWNS;
        LeastShare((share * f64::from(Self::ONE)) as i32 - 1)
    }
}

impl AtHome {
    pub(crate) fn new(likeness: &Likeness) -> AtHome {
        let of = |color| Bitboard(likeness.pawns_of(color)).into_iter();
        let numbers = |color| {
            let numbers = of(color).filter_map(pawn_number);
            numbers.fold(0, |set: PawnSet, pawn| set | 1 << pawn) & pawns_of(color)
        };
        AtHome {
            wanted: numbers(Color::White) | numbers(Color::Black),
            pawns: likeness.sizes()[0],
        }
    }

    /// Returns the greatest number of pawns that a position has in common with the wanted one, if
    /// it is of a game from the standard start in which pawns left in this order, has at most
    /// `most` pawns and at least this J; `None` if there is no such position. `visits` is the
    /// number of the wanted pawns, those at home too, that have ever stood on their squares in the
    /// game.
    #[inline]
    pub(crate) fn most_common(
        &self,
        left: HomePawns,
        visits: u8,
        most: u8,
        LeastShare(least): LeastShare,
    ) -> Option<u8> {
        let elsewhere = visits.saturating_sub(self.wanted.count_ones() as u8);
        // Until as many have left as can be in common elsewhere, each that leaves adds one to those
        // in common, unless it is wanted at home. From then on none does.
        let start = left.count().min(elsewhere).max(16_u8.saturating_sub(most));
        if start > left.count() {
            return None;
        }
        let moved = elsewhere.min(start);
        let at_home = !left.first(start);
        let mut wanted = (at_home & self.wanted).count_ones() as u8;
        let mut others = (at_home & !self.wanted).count_ones() as u8;
        let mut later = left.after(start);
        loop {
            let common = wanted + moved;
            let all = i32::from(self.pawns) + i32::from(others);
            if i32::from(common) * LeastShare::ONE >= least * all {
                return Some(common);
            }
            match self.wanted >> later.next()? & 1 {
                0 => others = others.saturating_sub(1),
                _ => wanted = wanted.saturating_sub(1),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Board, Position, Role};

    use super::*;
    use crate::pattern::{similar::jaccard, walks::for_each_ply};
    use tabiya_chess::{Man, Share, home_pawns::home_square};

    fn pawns(board: &Board) -> [u64; 2] {
        let of = |color: Color| u64::from(board.by_piece(Man::new(color, Role::Pawn).into()));
        [Color::White, Color::Black].map(of)
    }

    #[test]
    fn pawns_that_a_position_has_in_common_are_never_more_than_their_order_allows() {
        let mut wanted: Vec<Likeness> = Vec::new();
        let (mut list, mut visited) = (None, [0; 2]);
        let mut last = Board::empty();
        let (mut plies, mut left_out) = (0_u32, 0);
        for_each_ply(400, |ply| {
            let [before, after] = [ply.before, ply.after].map(|position| pawns(position.board()));
            if *ply.before.board() != last {
                let is_standard = *ply.before.board() == Board::default();
                list = is_standard.then(HomePawns::default);
                visited = before;
            }
            last = ply.after.board().clone();
            let Some(list) = &mut list else { return };
            for pawn in 0..16 {
                let side = usize::from(pawns_of(Color::Black) >> pawn & 1 == 1);
                let home = u64::from(Bitboard::from(home_square(pawn)));
                if before[side] & !after[side] & home != 0 {
                    list.push(pawn);
                }
            }
            visited = [visited[0] | after[0], visited[1] | after[1]];
            for likeness in &wanted {
                let count = |theirs: [u64; 2]| {
                    let both = Color::ALL.map(|color| {
                        let theirs = theirs[usize::from(color.is_black())];
                        (theirs & likeness.pawns_of(color)).count_ones()
                    });
                    both[0] + both[1]
                };
                let all = after[0].count_ones() + after[1].count_ones();
                let both = i32::from(likeness.sizes()[0]) + all as i32;
                let share = jaccard(count(after) as i32, both);
                let most = |share: f64| {
                    let least = LeastShare::of_pawns(PAWNS * share, 0.0);
                    let at_home = AtHome::new(likeness);
                    at_home.most_common(*list, count(visited) as u8, all as u8, least)
                };
                let common = most(share).map(u32::from);
                assert!(common >= Some(count(after)), "{likeness:?} {list:?}");
                left_out += u32::from(most(share + 0.2).is_none());
            }
            if plies.is_multiple_of(16) {
                wanted.insert(0, Likeness::new(ply.after.board(), Share::ONE));
                wanted.truncate(4);
            }
            plies += 1;
        });
        assert!(left_out > 1000, "{left_out}");
    }
}
