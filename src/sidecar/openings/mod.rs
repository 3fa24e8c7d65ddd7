//! Openings: the games of positions that many games have, and what these games did next.
//!
//! Which positions these are is found out from a sample of the games ([`choose`]); any will do,
//! because the games of each are complete. A position is its men and its side to move. Its games
//! are those in whose main lines it comes at any ply, and of each its first ply there is known.
//!
//! # The table
//!
//! Blob 1 of the table's only block has the number of games among which the positions were chosen,
//! 4 bytes. Blob 0 has the positions, 36 bytes each, in the order of their bytes:
//!
//! ```text
//!      0    32  men by square, a1 first, two squares a byte, the lower four bits first: 0 for
//!               none, else 1 + man (K Q R B N P k q r b n p)
//!     32     1  side to move: 0 White, 1 Black
//!     33     1  zero
//!     34     2  number of the position
//! ```
//!
//! Numbers begin with 0 for the commonest.
//!
//! # The rows
//!
//! Of the commonest positions the rows of the tree are ready. They have two blocks: one of the
//! games of all complete blocks, and one of the games behind, so that the first can be kept when
//! games are appended. Blob number has the rows of a position, as [`rows`] says; those of the tree
//! are the sums of both. A block's blobs are empty if some of its games could not be decoded.
//!
//! # The games
//!
//! Blob 0 of each block is the set of the games of which nothing is known: those that could not
//! be decoded, and some that are too long. Blobs 1 to 512 are the sets of [`rare`] positions: the
//! set of a position is 1 more than bits 32 to 40 of its key. Then each of the 256 commonest
//! positions has a blob, and after them each 64 share one. In a blob come first, for each
//! position, 8 bytes:
//!
//! ```text
//!      0     4  number of its games (24 bits), and above them how they are stored
//!      4     2  the ply at which most of them first have it
//!      6     2  number of games that first have it at another ply
//! ```
//!
//! and then, again for each, the set of its games, and for those with another ply the place in
//! the block and the ply, two bytes each, ascending.

pub(super) mod choose;
pub(super) mod collect;
mod rare;
pub(super) mod rows;
mod table;

use zerocopy::{
    FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned,
    little_endian::{U16, U32},
};

pub(crate) use self::{rare::RareSet, rows::OpeningRow};
use super::{
    BLOCK_GAMES, BlockGames, Sidecar,
    container::{Container, Shape},
    part::{Block, Part},
};
use crate::chess::{Man, placement::Placement};

/// So many positions have a blob each.
const ALONE: u16 = 256;
/// So many of the others share one.
const TOGETHER: u16 = 64;
/// The blob of the games of which nothing is known.
const UNDECIDED: u16 = 0;
/// The blob of the commonest position.
const FIRST: u16 = 1 + rare::SETS;

/// Returns the blob that a position is in, and which of its positions it is.
fn blob_of(number: u16) -> (u16, u16) {
    match number.checked_sub(ALONE) {
        None => (FIRST + number, 0),
        Some(behind) => (FIRST + ALONE + behind / TOGETHER, behind % TOGETHER),
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

/// What a blob says of one of its positions.
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

/// Both parts of an open sidecar.
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
    /// How many of these there are.
    undecided_count: u32,
}

/// What is known of one game and a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visit {
    /// It first comes at this ply.
    At(u32),
    /// It never comes.
    Never,
    /// It may come.
    Unknown,
}

impl Sidecar {
    /// Returns a position if it is one of those whose games are known.
    pub(crate) fn opening(&self, placement: &Placement) -> Option<Opening> {
        self.looked_up(placement)?
    }

    /// Looks a position up; `None` when the table cannot be read.
    fn looked_up(&self, placement: &Placement) -> Option<Option<Opening>> {
        let table = &self.openings.as_ref()?.table;
        let block = self.block_of_all(table)?;
        let positions = <[StoredPosition]>::ref_from_bytes(block.bytes(0)?).ok()?;
        let wanted = packed(placement);
        let place = positions.binary_search_by(|position| position.packed.cmp(&wanted));
        let position = place.ok().and_then(|place| positions.get(place));
        Some(position.map(|position| Opening(position.number.get())))
    }

    /// Returns the games of a block that have a position; `None` when they are damaged.
    pub(crate) fn opening_games(&self, opening: Opening, block: usize) -> Option<OpeningGames<'_>> {
        let games = self.block_games(block)?;
        let part = &self.openings.as_ref()?.games;
        let block = part.block(&self.file.bytes, block, games)?;
        let (blob, place) = blob_of(opening.0);
        let undecided = block.set(UNDECIDED)?;
        let heads = if blob < FIRST + ALONE { 1 } else { TOGETHER };
        let (heads, mut rest) =
            <[Head]>::ref_from_prefix_with_elems(block.bytes(blob)?, heads.into()).ok()?;
        for (number, head) in heads.iter().enumerate() {
            let shape = Shape(head.shape.get());
            let (set, behind) = rest.split_at_checked(shape.bytes(games)?)?;
            let others = usize::from(head.others.get());
            let (others, behind) = <[OtherPly]>::ref_from_prefix_with_elems(behind, others).ok()?;
            if number == usize::from(place) {
                return Some(OpeningGames {
                    block_games: games,
                    count: shape.count(),
                    set: shape.read(games, set)?,
                    ply: head.ply.get(),
                    others,
                    undecided_count: block.count(UNDECIDED),
                    undecided,
                });
            }
            rest = behind;
        }
        None
    }

    /// Returns the rows of a position's tree; `None` when they are not ready.
    pub(crate) fn opening_rows(&self, opening: Opening) -> Option<Vec<OpeningRow>> {
        let [complete, last] = self.opening_row_blocks()?;
        let mut rows = rows::read(complete.bytes(opening.0)?)?;
        rows::merge(&mut rows, &rows::read(last.bytes(opening.0)?)?);
        rows.sort_unstable_by_key(|row| row.step);
        Some(rows).filter(|rows| !rows.is_empty())
    }

    /// Returns the rows of the games in complete blocks and of those behind; `None` when they are
    /// damaged.
    pub(super) fn opening_row_blocks(&self) -> Option<[Block<'_>; 2]> {
        let part = &self.openings.as_ref()?.rows;
        let last = self.games % BLOCK_GAMES;
        let block = |number, games| part.block(&self.file.bytes, number, games);
        Some([block(0, self.games - last)?, block(1, last)?])
    }
}

impl OpeningGames<'_> {
    /// Returns the games that have the position; not those that only may have it.
    pub(crate) fn games(&self) -> BlockGames {
        BlockGames::union(&[self.set], self.count as usize, self.block_games)
    }

    /// Adds the games of which nothing is known.
    pub(crate) fn with_undecided(&self, games: BlockGames) -> BlockGames {
        games.with(&self.undecided)
    }

    /// Returns the ply at which a game that has the position first does.
    #[inline]
    pub(crate) fn first_ply(&self, place: u16) -> u32 {
        let other = self
            .others
            .binary_search_by_key(&place, |other| other.place.get());
        let other = other.ok().and_then(|other| self.others.get(other));
        other.map_or(self.ply, |other| other.ply.get()).into()
    }

    /// Returns whether all plies lie in a range, ends included.
    pub(crate) fn are_all_within(&self, (low, high): (u32, u32)) -> bool {
        if low == 0 && high >= u16::MAX.into() {
            return true;
        }
        let plies = self.others.iter().map(|other| other.ply.get());
        let mut plies = std::iter::once(self.ply).chain(plies).map(u32::from);
        plies.all(|ply| low <= ply && ply <= high)
    }

    /// Returns what is known of a game, by its place in the block.
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
