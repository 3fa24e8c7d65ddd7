//! What the index alone proves about each game.
//!
//! A prefilter answers with two sets: `certain` ⊆ the right answer ⊆ `possible`. Only games in
//! `possible` but not in `certain` are decoded. **A prefilter may let a non-matching game through,
//! but it must never drop a matching one**, and it may call a game certain only if decoding would
//! agree. Every condition in [`position`] says why it is necessary.
//!
//! With two sets, `and`, `or` and `not` need no special cases: the negation of an upper bound is a
//! lower bound, and the other way round.

mod block_facts;
mod columns;
mod ends;
pub(crate) mod headers;
pub(crate) mod index_test;
mod lines;
mod material_limit;
pub(crate) mod names;
mod necessary;
mod opening_names;
mod openings;
mod pawn_order;
pub(crate) mod position;
mod remarks;
pub(crate) mod scan;
mod timeline;
mod visits;

use std::fmt;

use roaring::RoaringBitmap;
use tabiya_chess::GameId;

pub(crate) use self::{
    block_facts::BlockBounds,
    index_test::IndexTest,
    lines::StoredLines,
    opening_names::OpeningNameFilter,
    position::PositionFilter,
    scan::{Batch, Node, bounds},
};

/// A set of games.
///
/// ```
/// use tabiya::{GameId, GameSet};
///
/// let even: GameSet = (0..10).step_by(2).map(GameId).collect();
/// let third: GameSet = (0..10).step_by(3).map(GameId).collect();
/// assert!(even.and(&third).iter().eq([0, 6].map(GameId)));
/// assert_eq!(even.or(&third).len(), 7);
/// assert!(!even.without(&third).contains(GameId(6)));
/// ```
#[derive(Clone, PartialEq, Default)]
pub struct GameSet(RoaringBitmap);

/// As the indices of its games.
#[cfg(feature = "serde")]
impl serde::Serialize for GameSet {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl GameSet {
    /// Returns the set of the first `count` games.
    #[must_use]
    pub fn all(count: u32) -> GameSet {
        let mut set = RoaringBitmap::new();
        set.insert_range(0..count);
        GameSet(set)
    }

    /// Returns the number of games in the set.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.0.len()
    }

    /// Returns whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a game is in the set.
    #[must_use]
    pub fn contains(&self, game: GameId) -> bool {
        self.0.contains(game.0)
    }

    /// Returns an iterator over the games in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = GameId> {
        self.0.iter().map(GameId)
    }

    /// Returns the games in both sets.
    #[must_use]
    pub fn and(&self, other: &GameSet) -> GameSet {
        GameSet(&self.0 & &other.0)
    }

    /// Returns the games in either set.
    #[must_use]
    pub fn or(&self, other: &GameSet) -> GameSet {
        GameSet(&self.0 | &other.0)
    }

    /// Returns the games in this set but not in the other.
    #[must_use]
    pub fn without(&self, other: &GameSet) -> GameSet {
        GameSet(&self.0 - &other.0)
    }

    /// Returns whether all games of this set are in the other.
    #[must_use]
    pub fn is_subset(&self, other: &GameSet) -> bool {
        self.0.is_subset(&other.0)
    }

    /// Adds block number `block` of 65 536 games from its bits, lowest first. The block must not
    /// have been added before.
    pub(crate) fn add_block(&mut self, block: u32, bits: &[u64]) {
        if bits.iter().any(|&word| word != 0) {
            self.0 |= GameSet::of_block(block, bits).0;
        }
    }

    /// Returns the games of a block, given as for [`add_block`](GameSet::add_block).
    pub(crate) fn of_block(block: u32, bits: &[u64]) -> GameSet {
        let mut bytes = vec![0; size_of_val(bits)];
        for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(bits) {
            *bytes = word.to_le_bytes();
        }
        GameSet(RoaringBitmap::from_lsb0_bytes(block << 16, &bytes))
    }

    /// Returns the set of the given games. Faster if they are ascending.
    pub(crate) fn of_list(games: impl Iterator<Item = u32> + Clone) -> GameSet {
        let sorted = RoaringBitmap::from_sorted_iter(games.clone());
        GameSet(sorted.unwrap_or_else(|_| games.collect()))
    }

    /// Removes the first `count` games and returns them.
    pub(crate) fn take_first(&mut self, count: u32) -> GameSet {
        let mut first = std::mem::take(&mut self.0);
        if let Some(next) = first.select(count) {
            self.0 = first.clone();
            self.0.remove_range(..next);
            first.remove_range(next..);
        }
        GameSet(first)
    }

    /// Adds games, none of which may be in the set yet.
    pub(crate) fn add(&mut self, others: GameSet) {
        self.0 |= others.0;
    }

    /// Adds games in ascending order, all greater than those in the set.
    pub(crate) fn add_last(&mut self, games: impl IntoIterator<Item = u32>) {
        self.0.extend(games);
    }
}

impl FromIterator<GameId> for GameSet {
    fn from_iter<I: IntoIterator<Item = GameId>>(games: I) -> GameSet {
        GameSet(games.into_iter().map(|game| game.0).collect())
    }
}

impl fmt::Debug for GameSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GameSet({} games)", self.len())
    }
}

/// What the index proves: `certain` ⊆ answer ⊆ `possible`.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tabiya::{Database, Query, Search};
///
/// let database = Database::open("fixtures/famous.si4")?;
/// let query: Query = "white:morphy mate".parse()?;
/// let search = Search::new(&query);
/// let (bounds, found) = (search.bounds(&database)?, search.run(&database)?.games());
/// assert!(bounds.certain.is_subset(&found) && found.is_subset(&bounds.possible));
/// println!("{} games must be decoded", bounds.undecided().len());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bounds {
    /// Games that satisfy the query for certain.
    pub certain: GameSet,
    /// Games that may satisfy it; all others do not.
    pub possible: GameSet,
}

impl Bounds {
    /// Returns what holds of these games alone.
    pub(crate) fn among(&self, games: &GameSet) -> Bounds {
        Bounds {
            certain: self.certain.and(games),
            possible: self.possible.and(games),
        }
    }

    /// Returns the games that must be decoded.
    #[must_use]
    pub fn undecided(&self) -> GameSet {
        // `certain` is a subset of `possible`, so equal sizes mean equal sets.
        if self.possible.len() == self.certain.len() {
            return GameSet::default();
        }
        self.possible.without(&self.certain)
    }
}

/// [`Bounds`] of up to 64 games, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lanes {
    pub(crate) certain: u64,
    pub(crate) possible: u64,
}

impl Lanes {
    /// Nothing is known.
    pub(crate) const UNKNOWN: Lanes = Lanes {
        certain: 0,
        possible: u64::MAX,
    };

    /// Every game.
    pub(crate) const ALL: Lanes = Lanes::exact(u64::MAX);

    /// No game.
    pub(crate) const NONE: Lanes = Lanes::exact(0);

    /// Exactly these games.
    pub(crate) const fn exact(games: u64) -> Lanes {
        Lanes {
            certain: games,
            possible: games,
        }
    }

    pub(crate) const fn and(self, other: Lanes) -> Lanes {
        Lanes {
            certain: self.certain & other.certain,
            possible: self.possible & other.possible,
        }
    }

    pub(crate) const fn or(self, other: Lanes) -> Lanes {
        Lanes {
            certain: self.certain | other.certain,
            possible: self.possible | other.possible,
        }
    }

    pub(crate) const fn not(self) -> Lanes {
        Lanes {
            certain: !self.possible,
            possible: !self.certain,
        }
    }

    /// Returns what is known of the first game.
    pub(crate) const fn first(self) -> Verdict {
        match (self.certain & 1, self.possible & 1) {
            (1, _) => Verdict::Yes,
            (_, 0) => Verdict::No,
            _ => Verdict::Maybe,
        }
    }
}

/// What the index proves about one game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    No,
    Maybe,
    Yes,
}
