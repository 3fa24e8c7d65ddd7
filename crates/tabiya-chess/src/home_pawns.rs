//! Order in which pawns left their home squares.

use shakmaty::{Color, File, Rank, Role, Square};

use super::{follow::Placed, man::Man};

/// A set of the sixteen pawns on their home squares, one bit each.
///
/// Numbered as in the files of Scid: bit 0 is h7 ... bit 7 is a7, bit 8 is h2 ... bit 15 is a2.
pub type PawnSet = u16;

/// Returns the number of the pawn with this home square; `None` for any other square.
#[must_use]
pub fn pawn_number(square: Square) -> Option<u8> {
    let from_h = 7 - square.file() as u8;
    match square.rank() {
        Rank::Seventh => Some(from_h),
        Rank::Second => Some(8 + from_h),
        _ => None,
    }
}

/// Returns the number of a pawn on its home square; `None` for any other man or square.
#[must_use]
#[inline]
pub fn home_pawn(placed: Placed) -> Option<u8> {
    const WHITE: usize = rank_of(Placed::new(Man::new(Color::White, Role::Pawn), Square::A2));
    const BLACK: usize = rank_of(Placed::new(Man::new(Color::Black, Role::Pawn), Square::A7));
    match rank_of(placed) {
        WHITE | BLACK => pawn_number(placed.square()),
        _ => None,
    }
}

/// Returns a number for the man and the rank that it is on.
#[inline]
const fn rank_of(placed: Placed) -> usize {
    placed.index() >> 3
}

/// Returns the home square of pawn 0 to 15 (higher bits are ignored).
#[must_use]
pub fn home_square(pawn: u8) -> Square {
    let file = File::new(u32::from(7 - pawn % 8));
    let rank = if pawn & 8 == 0 {
        Rank::Seventh
    } else {
        Rank::Second
    };
    Square::from_coords(file, rank)
}

/// Returns the eight pawns of one colour.
#[must_use]
pub const fn pawns_of(color: Color) -> PawnSet {
    match color {
        Color::Black => 0x00ff,
        Color::White => 0xff00,
    }
}

/// The order in which pawns left their home squares, by moving or by being captured there.
///
/// Up to sixteen entries of four bits, the first in the highest bits. At most one entry is added
/// per ply. A game with its own start position has no list; that is `None` in this crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct HomePawns {
    entries: u64,
    count: u8,
}

/// The two pawns of the entries that share a byte.
const PAIR: [PawnSet; 256] = {
    let mut pairs = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        pairs[byte] = 1 << (byte >> 4) | 1 << (byte & 15);
        byte += 1;
    }
    pairs
};

impl HomePawns {
    /// Returns a list from its packed entries (first entry in the highest four bits) and their
    /// number; counts above 16, as in damaged files, become 16.
    #[must_use]
    pub const fn from_packed(entries: u64, count: u8) -> HomePawns {
        HomePawns {
            entries,
            count: if count > 16 { 16 } else { count },
        }
    }

    /// Returns the packed entries, first in the highest four bits. Bits after the last entry have
    /// no meaning: some writers leave junk there.
    #[must_use]
    pub const fn packed(self) -> u64 {
        self.entries
    }

    /// Returns the number of pawns that left, 0 to 16.
    #[must_use]
    pub const fn count(self) -> u8 {
        self.count
    }

    /// Appends a pawn. A list of sixteen is full and does not change.
    pub fn push(&mut self, pawn: u8) {
        if self.count < 16 {
            self.entries |= u64::from(pawn & 15) << (60 - 4 * u32::from(self.count));
            self.count += 1;
        }
    }

    /// Returns the first `count` pawns as a set. `count` must not exceed [`count`](Self::count):
    /// the entries after it are junk.
    #[must_use]
    #[inline]
    pub fn first(self, count: u8) -> PawnSet {
        let bytes = self.entries.to_be_bytes();
        let mut set = 0;
        let pairs = usize::from(count / 2).min(8);
        for &byte in &bytes[..pairs] {
            set |= PAIR[usize::from(byte)];
        }
        if count % 2 == 1 && pairs < 8 {
            set |= 1 << (bytes[pairs] >> 4);
        }
        set
    }

    /// Returns every pawn that left during the game.
    #[must_use]
    pub fn left(self) -> PawnSet {
        self.first(self.count)
    }

    /// Iterates over the pawns in the order in which they left.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        self.after(0)
    }

    /// Iterates over the pawns that left after the first `count`.
    #[doc(hidden)]
    #[inline]
    pub fn after(self, count: u8) -> impl Iterator<Item = u8> {
        let places = u32::from(count)..u32::from(self.count);
        places.map(move |index| (self.entries >> (60 - 4 * index)) as u8 & 15)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pawns_are_numbered_from_h7_to_a2() {
        assert_eq!(pawn_number(Square::H7), Some(0));
        assert_eq!(pawn_number(Square::A7), Some(7));
        assert_eq!(pawn_number(Square::H2), Some(8));
        assert_eq!(pawn_number(Square::A2), Some(15));
        assert_eq!(pawn_number(Square::E4), None);
        for pawn in 0..16 {
            assert_eq!(pawn_number(home_square(pawn)), Some(pawn));
        }
    }

    #[test]
    fn only_pawns_at_home_have_a_number() {
        for placed in (0..Placed::TABLE).filter_map(Placed::from_index) {
            let number = pawn_number(placed.square()).filter(|&pawn| {
                let man = placed.man();
                man.role() == Role::Pawn && pawns_of(man.color()) >> pawn & 1 == 1
            });
            assert_eq!(home_pawn(placed), number);
        }
    }

    #[test]
    fn prefixes_of_every_length_are_the_pawns_pushed() {
        let order = [11, 3, 0, 15, 14, 13, 12, 10, 9, 8, 1, 2, 4, 5, 6, 7];
        let mut list = HomePawns::default();
        for pawn in order {
            list.push(pawn);
        }
        list.push(1);
        assert_eq!(list.count(), 16);
        assert!(list.iter().eq(order));
        let mut set = 0;
        for (count, pawn) in order.into_iter().enumerate() {
            assert_eq!(list.first(count as u8), set);
            set |= 1 << pawn;
        }
        assert_eq!(list.left(), 0xffff);
    }
}
