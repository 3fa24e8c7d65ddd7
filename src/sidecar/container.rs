//! Sets of games of one block, stored in the smallest form.
//!
//! | kind | stored | bytes |
//! |---|---|---|
//! | 0 | nothing: no game | 0 |
//! | 1 | nothing: every game | 0 |
//! | 2 | the [numbers](super::numbers) of the games | 2 a game, or 1 and 512 |
//! | 3 | the [numbers](super::numbers) of all others | as many for each of these |
//! | 4 | one bit a game, in words of 64 | 8 for 64 games |
//!
//! Kind 5 is for other data; its number of bytes is stored instead of the number of games.
//!
//! A number is the game's index in its block, little-endian; so are the words, whose lowest bit is
//! their first game.

use zerocopy::{FromBytes, little_endian::U64};

use super::numbers::Numbers;

/// A container in its stored form. Numbers that are out of order or range make a search lose games
/// but never fail; the checksum prevents this.
#[derive(Debug, Clone, Copy)]
pub(super) enum Container<'a> {
    Empty,
    Full,
    /// These games.
    List(Numbers<'a>),
    /// All but these.
    Gaps(Numbers<'a>),
    Bits(&'a [U64]),
}

/// The number of games in a container (low 24 bits) and its kind (high 8 bits).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape(pub(super) u32);

const EMPTY: u32 = 0;
const FULL: u32 = 1;
const LIST: u32 = 2;
const GAPS: u32 = 3;
const BITS: u32 = 4;
const RAW: u32 = 5;

impl Shape {
    fn new(kind: u32, count: u32) -> Shape {
        Shape(kind << 24 | count)
    }

    /// Returns the shape of raw data, of less than 2^24 bytes.
    pub(super) fn raw(bytes: usize) -> Shape {
        Shape::new(RAW, bytes as u32)
    }

    /// Returns the number of bytes of raw data; `None` for containers.
    pub(super) fn raw_bytes(self) -> Option<usize> {
        (self.0 >> 24 == RAW).then_some(self.count() as usize)
    }

    /// Returns the number of games.
    pub(super) fn count(self) -> u32 {
        self.0 & 0xff_ffff
    }

    /// Returns the size in bytes in a block of `games` games; `None` for an invalid shape.
    pub(super) fn bytes(self, games: u32) -> Option<usize> {
        let missing = games.checked_sub(self.count())?;
        let numbers = |count: u32| Some(Numbers::bytes(count as usize));
        match self.0 >> 24 {
            EMPTY => Some(0).filter(|_| self.count() == 0),
            FULL => Some(0).filter(|_| missing == 0),
            LIST => numbers(self.count()),
            GAPS => numbers(missing),
            BITS => Some(8 * games.div_ceil(64) as usize),
            _ => None,
        }
    }

    /// Reads a container of this shape, in a block of `games` games.
    pub(super) fn read(self, games: u32, bytes: &[u8]) -> Option<Container<'_>> {
        let missing = games.checked_sub(self.count())?;
        let numbers = |count: u32| Numbers::read(count as usize, bytes);
        match self.0 >> 24 {
            EMPTY => Some(Container::Empty),
            FULL => Some(Container::Full),
            LIST => numbers(self.count()).map(Container::List),
            GAPS => numbers(missing).map(Container::Gaps),
            BITS => <[U64]>::ref_from_bytes(bytes).ok().map(Container::Bits),
            _ => None,
        }
    }
}

/// Appends the smallest form of a set to `bytes`. Bit n is game n. Bits from `games` on must be
/// clear.
pub(super) fn write(bits: &[u64], games: u32, bytes: &mut Vec<u8>) -> Shape {
    let count: u32 = bits.iter().map(|word| word.count_ones()).sum();
    let missing = games - count;
    let words = &bits[..games.div_ceil(64) as usize];
    let bitmap_bytes = 8 * words.len();
    let is_worth = |count: u32| Numbers::bytes(count as usize) < bitmap_bytes.min(NUMBERS_BYTES);
    if count == 0 {
        return Shape::new(EMPTY, 0);
    }
    if missing == 0 {
        return Shape::new(FULL, count);
    }
    let kind = if count <= missing && is_worth(count) {
        let games = numbers(words.iter().copied());
        Numbers::write(count as usize, games, bytes);
        LIST
    } else if missing < count && is_worth(missing) {
        let gaps = numbers(inverted(words, games));
        Numbers::write(missing as usize, gaps, bytes);
        GAPS
    } else {
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        BITS
    };
    Shape::new(kind, count)
}

/// Like [`write`](fn@write), for a set given as an ascending list of games.
pub(super) fn write_list(
    places: impl ExactSizeIterator<Item = u16>,
    games: u32,
    bytes: &mut Vec<u8>,
) -> Shape {
    let count = places.len() as u32;
    // A list is then the smallest form, so no other is tried.
    if count > 0 && count < games / 16 {
        Numbers::write(count as usize, places, bytes);
        return Shape::new(LIST, count);
    }
    let mut bits = vec![0; super::BLOCK_WORDS];
    for place in places {
        bits[usize::from(place / 64)] |= 1u64 << (place % 64);
    }
    write(&bits, games, bytes)
}

/// Numbers that take more bytes than this are stored as bits even if bits are larger, because bits
/// are faster to combine.
const NUMBERS_BYTES: usize = 6144;

/// Iterates over the indices of the games.
fn numbers(words: impl Iterator<Item = u64>) -> impl Iterator<Item = u16> {
    let firsts = (0u16..=u16::MAX).step_by(64);
    let words = words.zip(firsts);
    words.flat_map(|(word, first)| ones(word).map(move |bit| first + bit))
}

/// Returns the complement of the set.
fn inverted(words: &[u64], games: u32) -> impl Iterator<Item = u64> {
    let firsts = (0..games).step_by(64);
    let words = words.iter().zip(firsts);
    words.map(move |(word, first)| !word & present(first, games))
}

/// Returns which of 64 games exist in a block of `games` games; `first` is the first of the 64.
pub(super) fn present(first: u32, games: u32) -> u64 {
    match games.saturating_sub(first) {
        0 => 0,
        left => u64::MAX >> (64 - left.min(64)),
    }
}

/// Iterates over the indices of the set bits.
pub(super) fn ones(mut word: u64) -> impl Iterator<Item = u16> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as u16)?;
        word &= word - 1;
        Some(bit)
    })
}

impl Container<'_> {
    /// Returns whether a game is in the container.
    #[inline]
    pub(super) fn holds(&self, game: u16) -> bool {
        match self {
            Container::Empty => false,
            Container::Full => true,
            Container::List(list) => list.contains(game),
            Container::Gaps(gaps) => !gaps.contains(game),
            Container::Bits(words) => {
                let word = words.get(usize::from(game / 64));
                word.is_some_and(|word| word.get() >> (game % 64) & 1 == 1)
            }
        }
    }
}
