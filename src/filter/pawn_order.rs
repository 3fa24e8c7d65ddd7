//! What a pattern requires of the order in which pawns left their home squares.

use shakmaty::{Bitboard, Color};
use tabiya_chess::{
    HomePawns,
    home_pawns::{PawnSet, home_square, pawn_number, pawns_of},
};

use super::columns::Word;
use crate::pattern::{Pattern, Term};

/// What a pattern requires of the order in which pawns left their home squares.
#[derive(Debug)]
pub(super) struct PawnOrder {
    /// All of these have left home.
    gone: PawnSet,
    /// None of these has left home.
    home: PawnSet,
    /// Of each of these groups, at least one pawn has left.
    some_gone: Vec<PawnSet>,
    /// What the list must begin with, if `gone` and `home` together are all pawns.
    pub(super) prefix: Option<Prefix>,
}

impl PawnOrder {
    pub(super) fn new(pattern: &Pattern) -> PawnOrder {
        let pawns = |squares: [u64; 2]| {
            let numbers = squares
                .into_iter()
                .flat_map(Bitboard)
                .filter_map(pawn_number);
            numbers.fold(0, |set: PawnSet, pawn| set | 1 << pawn)
        };
        let home = pawns(Color::ALL.map(|color| pattern.pawns_at_home(color)));
        let gone = pawns(Color::ALL.map(|color| pattern.pawns_gone(color)));
        let mut some_gone: Vec<PawnSet> = pattern
            .terms
            .iter()
            .flat_map(|term| Color::ALL.map(|color| groups(term, color)))
            .flatten()
            .filter(|group| group & gone == 0)
            .collect();
        some_gone.sort_unstable();
        some_gone.dedup();
        PawnOrder {
            gone,
            home,
            some_gone,
            prefix: (gone | home == PawnSet::MAX).then(|| Prefix::of(gone)),
        }
    }

    /// Returns whether the prefix expresses the whole condition, or there is none.
    pub(super) fn is_prefix_or_anything(&self) -> bool {
        let is_anything = self.gone | self.home == 0 && self.some_gone.is_empty();
        self.prefix.is_some() || is_anything
    }

    /// Returns whether the order may lead to the pattern: whether the pawns that leave before the
    /// first pawn that must be at home include all required ones.
    #[inline]
    pub(super) fn allows(&self, pawns: HomePawns) -> bool {
        if let Some(prefix) = &self.prefix {
            return pawns.count() >= prefix.count && prefix.fits(pawns.packed());
        }
        let left = match self.home {
            0 => pawns.left(),
            home => {
                let leaving = pawns.iter().take_while(|&pawn| home >> pawn & 1 == 0);
                leaving.fold(0, |left, pawn| left | 1 << pawn)
            }
        };
        left & self.gone == self.gone && self.some_gone.iter().all(|group| left & group != 0)
    }
}

/// A set of pawns that must be the first ones to leave, in any order.
///
/// All sixteen entries are tested at once, as sixteen 4-bit numbers in one word, without table
/// look-ups, so that several games can be tested at once.
#[derive(Debug)]
pub(super) struct Prefix {
    count: u8,
    /// The lowest bits of the first `count` entries.
    first: u64,
    /// For the numbers 2n and 2n + 1: whether the even one must stay, and whether the odd one
    /// differs from it. All bits or none.
    pairs: [(u64, u64); 8],
}

impl Prefix {
    fn of(gone: PawnSet) -> Prefix {
        let stays = |pawn: usize| match gone >> pawn & 1 {
            0 => u64::MAX,
            _ => 0,
        };
        let count = gone.count_ones() as u8;
        let after = u64::MAX.checked_shr(4 * u32::from(count)).unwrap_or(0);
        Prefix {
            count,
            first: !after & 0x1111_1111_1111_1111,
            pairs: std::array::from_fn(|pair| {
                let even = stays(2 * pair);
                (even, even ^ stays(2 * pair + 1))
            }),
        }
    }

    /// Returns how many pawns must have left.
    #[inline(always)]
    pub(super) fn count(&self) -> u8 {
        self.count
    }

    /// Returns whether all pawns must have left, so that any entries match.
    #[inline(always)]
    pub(super) fn is_all(&self) -> bool {
        self.count == 16
    }

    /// Returns whether none of the first entries is a pawn that must stay. Each pawn leaves once,
    /// so these entries are then exactly the set, if there are enough of them.
    #[inline]
    fn fits(&self, entries: u64) -> bool {
        self.staying(entries) == 0
    }

    /// Returns a bit for each of the first entries that is a pawn that must stay.
    #[inline(always)]
    pub(super) fn staying<W: Word<u64>>(&self, entries: W) -> W {
        // Only the lowest bit of each entry counts here: bits 1 to 3 of the numbers.
        let bits = [entries >> 1, entries >> 2, entries >> 3];
        let low = self.staying_of_eight(entries, bits, 0);
        let high = self.staying_of_eight(entries, bits, 4);
        select(low, high, bits[2]) & self.first
    }

    /// Like `staying` for numbers whose highest bit is known: the four pairs from `first` on.
    #[inline(always)]
    fn staying_of_eight<W: Word<u64>>(&self, entries: W, bits: [W; 3], first: usize) -> W {
        let [a, b, c, d] = [first, first + 1, first + 2, first + 3].map(|at| self.pairs[at]);
        let low = select((entries & a.1) ^ a.0, (entries & b.1) ^ b.0, bits[0]);
        let high = select((entries & c.1) ^ c.0, (entries & d.1) ^ d.0, bits[0]);
        select(low, high, bits[1])
    }
}

/// Selects bits from one word where `which` is 0 and from the other where it is 1.
#[inline(always)]
fn select<W: Word<u64>>(zero: W, one: W, which: W) -> W {
    zero ^ ((zero ^ one) & which)
}

/// Returns groups of pawns; one pawn of each group must have left for a term to hold.
///
/// A pawn that stands off its home rank has moved there: in r ranks it has changed its file at most
/// r times, so one of the pawns of those files has left.
fn groups(term: &Term, color: Color) -> Vec<PawnSet> {
    let each = Bitboard(term.pawns_required(color))
        .into_iter()
        .map(|square| 1 << square as u32);
    let somewhere = Some(term.pawn_somewhere(color)).filter(|&squares| squares != 0);
    each.chain(somewhere)
        .filter_map(|squares| origins(Bitboard(squares), color))
        .collect()
}

/// Returns the pawns that can have reached one of the squares; `None` if a pawn may stand there
/// without having moved.
fn origins(squares: Bitboard, color: Color) -> Option<PawnSet> {
    let mut set = 0;
    for square in squares {
        let ranks = match color {
            Color::White => square.rank() as i32 - 1,
            Color::Black => 6 - square.rank() as i32,
        };
        if ranks == 0 {
            return None;
        }
        for pawn in 0..16 {
            let own = pawns_of(color) >> pawn & 1 == 1;
            let files = (home_square(pawn).file() as i32 - square.file() as i32).abs();
            if own && files <= ranks {
                set |= 1 << pawn;
            }
        }
    }
    Some(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_fits_exactly_the_lists_that_begin_with_its_pawns() {
        let order = [11, 3, 0, 15, 14, 13, 12, 10, 9, 8, 1, 2, 4, 5, 6, 7];
        let mut list = HomePawns::default();
        order.into_iter().for_each(|pawn| list.push(pawn));
        for count in 0..=16 {
            let gone = list.first(count);
            let prefix = Prefix::of(gone);
            assert!(prefix.fits(list.packed()), "{count} pawns");
            assert_eq!((prefix.count(), prefix.is_all()), (count, count == 16));
            for pawn in 0..16 {
                // Replace one of the pawns by another: the list cannot begin with that set.
                let inside = gone >> pawn & 1 == 1;
                for other in (0..16).filter(|other| (gone >> other & 1 == 1) != inside) {
                    let changed = Prefix::of(gone ^ (1 << pawn) ^ (1 << other));
                    assert!(!changed.fits(list.packed()), "{count}: {pawn}, {other}");
                }
            }
        }
    }
}
