//! Openings: the games of positions that many games have, and the next moves of these games.
//!
//! The positions are chosen from a sample of the games and from the first plies of all of them
//! ([`choose`], [`early`]); any choice is valid, because the games of each are complete. A position
//! is its men and its side to move. Its games are those whose main lines have it at any ply; the
//! first ply of each is stored.
//!
//! # The table
//!
//! Blob 1 of the table's only block has the number of games in the database when the positions were
//! chosen, 4 bytes. Blob 0 has the positions, 36 bytes each, in the order of their bytes:
//!
//! ```text
//!      0    32  men by square, a1 first, two squares a byte, the lower four bits first: 0 for
//!               none, else 1 + man (K Q R B N P k q r b n p)
//!     32     1  side to move: 0 White, 1 Black
//!     33     1  zero
//!     34     2  number of the position
//! ```
//!
//! Number 0 is the most common position.
//!
//! # The rows
//!
//! Each blob of a block has the rows of the tree for the block's games in the position with its
//! number, see [`rows`]. Those of the tree are the sums of all blocks. A block's blobs are empty if
//! some of its games are undecided.
//!
//! # The games
//!
//! Blob 0 of each block is the set of undecided games: those that could not be decoded, and some
//! that are too long. Blobs 1 to 512 are the sets of [`rare`] positions: the set of a position is 1
//! more than bits 32 to 40 of its key. Then each of the 256 most common positions has a blob, and
//! the others share blobs, 64 in each. A blob starts with 8 bytes for each position:
//!
//! ```text
//!      0     4  number of its games (24 bits), and above them how they are stored
//!      4     2  the ply at which most of them first have it
//!      6     2  number of games that first have it at another ply
//! ```
//!
//! and then, again for each, the set of its games, and for those with another ply the index in the
//! block and the ply, two bytes each, ascending.

mod beginnings;
pub(super) mod choose;
pub(super) mod collect;
mod early;
#[cfg(test)]
mod early_tests;
mod rare;
pub(super) mod rows;
mod table;

use tabiya_chess::{Man, placement::Placement};
use zerocopy::{
    FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned,
    little_endian::{U16, U32},
};

pub(crate) use self::{rare::RareSet, rows::OpeningRow};
use super::{
    BlockGames, Sidecar, blocks,
    container::{Container, Shape},
    part::{Block, Part},
};

/// Number of positions with a blob each.
const ALONE: u16 = 256;
/// Number of the other positions in each shared blob.
const TOGETHER: u16 = 64;
/// The blob of the undecided games.
const UNDECIDED: u16 = 0;
/// The blob of the most common position.
const FIRST: u16 = 1 + rare::SETS;

/// Returns the blob of a position, and its index in the blob.
fn blob_of(number: u16) -> (u16, u16) {
    match number.checked_sub(ALONE) {
        None => (FIRST + number, 0),
        Some(after) => (FIRST + ALONE + after / TOGETHER, after % TOGETHER),
    }
}

/// Men and side to move in 33 bytes.
type Packed = [u8; 33];

fn packed(placement: &Placement) -> Packed {
    let mut packed = [0; 33];
    for man in Man::ALL {
        let mut squares = placement.squares[man.index()];
        while squares != 0 {
            let square = squares.trailing_zeros();
            packed[square as usize / 2] |= (1 + man.index() as u8) << (square % 2 * 4);
            squares &= squares - 1;
        }
    }
    packed[32] = u8::from(placement.turn.is_black());
    packed
}

/// A position of the table.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct StoredPosition {
    packed: Packed,
    zero: u8,
    number: U16,
}

/// The entry of one position in a blob.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Head {
    shape: U32,
    ply: U16,
    others: U16,
}

/// A game that first has a position at another ply than most.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct OtherPly {
    place: U16,
    ply: U16,
}

/// The three parts of an open sidecar about openings.
#[derive(Debug)]
pub(super) struct Openings {
    pub(super) table: Part,
    pub(super) rows: Part,
    pub(super) games: Part,
}

/// The number of a position of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Opening(u16);

/// The games of one block that have a position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpeningGames<'a> {
    block_games: u32,
    count: u32,
    set: Container<'a>,
    ply: u16,
    others: &'a [OtherPly],
    undecided: Container<'a>,
    /// Number of undecided games.
    undecided_count: u32,
}

/// The state of one game with respect to a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visit {
    /// The position first occurs at this ply.
    At(u32),
    /// The position never occurs.
    Never,
    /// The position may occur.
    Unknown,
}

impl Sidecar {
    /// Returns a position if its games are stored.
    pub(crate) fn opening(&self, placement: &Placement) -> Option<Opening> {
        self.looked_up(placement)?
    }

    /// Looks a position up; `None` if the table cannot be read.
    fn looked_up(&self, placement: &Placement) -> Option<Option<Opening>> {
        let table = &self.openings.as_ref()?.table;
        let block = self.block_of_all(table)?;
        let positions = <[StoredPosition]>::ref_from_bytes(block.bytes(0)?).ok()?;
        let wanted = packed(placement);
        let place = positions.binary_search_by(|position| position.packed.cmp(&wanted));
        let position = place.ok().and_then(|place| positions.get(place));
        Some(position.map(|position| Opening(position.number.get())))
    }

    /// Returns the games of a block that have a position; `None` if they are damaged.
    pub(crate) fn opening_games(&self, opening: Opening, block: usize) -> Option<OpeningGames<'_>> {
        let games = self.block_games(block)?;
        let part = &self.openings.as_ref()?.games;
        let block = part.block(&self.file.bytes, block, games)?;
        let (blob, place) = blob_of(opening.0);
        positions_of(&block, blob)?.nth(place.into())?
    }

    /// Returns the rows of a position's tree; `None` if they are not stored.
    pub(crate) fn opening_rows(&self, opening: Opening) -> Option<Vec<OpeningRow>> {
        let part = &self.openings.as_ref()?.rows;
        let mut rows = Vec::new();
        for number in 0..blocks(self.games) {
            let block = self.block(part, number)?;
            rows::merge(&mut rows, &rows::read(block.bytes(opening.0)?)?);
        }
        rows.sort_unstable_by_key(|row| row.step);
        Some(rows).filter(|rows| !rows.is_empty())
    }
}

/// Iterates over the games of the positions of a blob; `None` if they are damaged.
fn positions_of<'a>(
    block: &Block<'a>,
    blob: u16,
) -> Option<impl Iterator<Item = Option<OpeningGames<'a>>> + use<'a>> {
    let games = block.games;
    let undecided = block.set(UNDECIDED)?;
    let undecided_count = block.count(UNDECIDED);
    let heads = if blob < FIRST + ALONE { 1 } else { TOGETHER };
    let (heads, mut rest) =
        <[Head]>::ref_from_prefix_with_elems(block.bytes(blob)?, heads.into()).ok()?;
    Some(heads.iter().map(move |head| {
        let shape = Shape(head.shape.get());
        let (set, after) = rest.split_at_checked(shape.bytes(games)?)?;
        let others = usize::from(head.others.get());
        let (others, after) = <[OtherPly]>::ref_from_prefix_with_elems(after, others).ok()?;
        rest = after;
        Some(OpeningGames {
            block_games: games,
            count: shape.count(),
            set: shape.read(games, set)?,
            ply: head.ply.get(),
            others,
            undecided_count,
            undecided,
        })
    }))
}

impl OpeningGames<'_> {
    /// Returns the games that have the position, without undecided ones.
    pub(crate) fn games(&self) -> BlockGames {
        BlockGames::union(&[self.set], self.count as usize, self.block_games)
    }

    /// Adds the undecided games.
    pub(crate) fn with_undecided(&self, games: BlockGames) -> BlockGames {
        games.with(&self.undecided)
    }

    /// Returns the ply at which a game that has the position first has it.
    #[inline]
    pub(crate) fn first_ply(&self, place: u16) -> u32 {
        let other = self
            .others
            .binary_search_by_key(&place, |other| other.place.get());
        let other = other.ok().and_then(|other| self.others.get(other));
        other.map_or(self.ply, |other| other.ply.get()).into()
    }

    /// Returns whether all plies are in an inclusive range.
    pub(crate) fn are_all_within(&self, (low, high): (u32, u32)) -> bool {
        if low == 0 && high >= u16::MAX.into() {
            return true;
        }
        let plies = self.others.iter().map(|other| other.ply.get());
        let mut plies = std::iter::once(self.ply).chain(plies).map(u32::from);
        plies.all(|ply| low <= ply && ply <= high)
    }

    /// Returns the state of a game, by its index in the block.
    #[inline]
    pub(crate) fn visit(&self, place: u16) -> Visit {
        if self.undecided_count > 0 && self.undecided.holds(place) {
            return Visit::Unknown;
        }
        if self.set.holds(place) {
            Visit::At(self.first_ply(place))
        } else {
            Visit::Never
        }
    }
}
