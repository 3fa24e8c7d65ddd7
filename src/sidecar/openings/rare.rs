//! Positions near the standard start that are not among the chosen ones.
//!
//! A rare move order leads to a structure that many games have, for which visit sets exclude
//! little. So the games of all such positions are stored as well, though not position by position:
//! each position belongs to one of [`SETS`] sets by its key, and a set has the games of all its
//! positions. As none of them is frequent, no set has many games.
//!
//! Whether a position is included must depend on the position alone, since games reach it at
//! different plies: it must have at least 26 men, and at most 16 of the initial squares must have
//! lost the man that stands there in the standard start. Keys are those of [`Placement`].

use tabiya_chess::{Placed, placement::Placement};

use super::choose::LEAST_MEN;
use crate::sidecar::{
    BlockGames, Sidecar, collect::Begun, container::Container, part::Block, write::Blobs,
};

// The following is part of the file's version: look-ups must use the same sets.

/// The number of sets; a power of two.
pub(super) const SETS: u16 = 1 << 9;
/// The greatest number of initial squares that have lost their man.
const AWAY_MAX: u32 = 16;

/// The set of a rare position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RareSet(u16);

impl RareSet {
    /// Returns the number of its blob.
    fn blob(self) -> u16 {
        1 + self.0
    }

    fn of_key(key: u64) -> RareSet {
        // The highest and the lowest bits are used to look up frequent positions.
        RareSet((key >> 32) as u16 & (SETS - 1))
    }
}

/// The initial squares that still have their man.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Home(u64);

impl Home {
    /// The initial squares of each man, by [`Man::index`](tabiya_chess::Man::index).
    const SQUARES: [u64; 16] = {
        let mut squares = [0; 16];
        let white = [1 << 4, 1 << 3, 0x81, 0x24, 0x42, 0xff00u64];
        let mut role = 0;
        while role < white.len() {
            squares[role] = white[role];
            squares[role + 6] = white[role].swap_bytes();
            role += 1;
        }
        squares
    };

    fn of(placement: &Placement) -> Home {
        let both = placement.squares.iter().zip(Home::SQUARES);
        Home(both.fold(0, |home, (squares, first)| home | squares & first))
    }

    #[inline]
    fn change(&mut self, placed: Placed) {
        self.0 ^= Home::SQUARES[placed.man_index()] & 1 << placed.square_index();
    }

    #[inline]
    fn is_near(self) -> bool {
        self.0.count_ones() >= 32 - AWAY_MAX
    }
}

/// The collected data of one block.
pub(super) struct RareVisits {
    home: Home,
    /// In game order: the set, and the game's index in the block.
    visits: Vec<(u16, u16)>,
    /// By set: one more than the index of the last game in it.
    seen_in: Box<[u32; SETS as usize]>,
}

impl RareVisits {
    pub(super) fn new() -> RareVisits {
        RareVisits {
            home: Home(0),
            visits: Vec::new(),
            seen_in: Box::new([0; SETS as usize]),
        }
    }

    /// Takes over the sets of the games that need not be played; `None` if they are damaged.
    pub(super) fn resume(&mut self, begun: &Begun<'_>) -> Option<()> {
        for number in 0..SETS {
            let set = RareSet(number);
            let games = games_of(&begun.openings, set.blob())?;
            games.for_each(|place| {
                if usize::from(place) < begun.games {
                    self.visits.push((number, place));
                }
            });
        }
        Some(())
    }

    pub(super) fn start(&mut self, placement: &Placement) {
        self.home = Home::of(placement);
    }

    /// Updates the state for a man that arrives on a square or leaves it.
    #[inline]
    pub(super) fn change(&mut self, placed: Placed) {
        self.home.change(placed);
    }

    /// Records a position that is not among the chosen ones. A game adds each set once, which
    /// bounds the memory.
    #[inline]
    pub(super) fn look(&mut self, now: &Placement, place: usize) {
        if !self.home.is_near() || now.men < LEAST_MEN {
            return;
        }
        let RareSet(set) = RareSet::of_key(now.key_with_turn());
        let seen_in = &mut self.seen_in[usize::from(set)];
        if *seen_in != place as u32 + 1 {
            *seen_in = place as u32 + 1;
            self.visits.push((set, place as u16));
        }
    }

    /// Writes all sets of a block of this number of games.
    pub(super) fn finish(mut self, games: u32, blobs: &mut Blobs) {
        // Stable, so that the games of each set stay ascending.
        self.visits.sort_by_key(|&(set, _)| set);
        let mut rest = self.visits.as_slice();
        for set in 0..SETS {
            let (these, after) = rest.split_at(rest.partition_point(|visit| visit.0 == set));
            blobs.push_list(these.iter().map(|visit| visit.1), games);
            rest = after;
        }
    }
}

/// Returns the games of a set of a block; `None` if it is damaged.
pub(super) fn games_of(block: &Block<'_>, number: u16) -> Option<BlockGames> {
    let count = block.count(number) as usize;
    Some(BlockGames::union(&[block.set(number)?], count, block.games))
}

impl Sidecar {
    /// Returns the set that has all games of a position; `None` if the position is not a rare one,
    /// or the table cannot be read.
    pub(crate) fn rare_set(&self, placement: &Placement) -> Option<RareSet> {
        let is_near = Home::of(placement).is_near() && placement.men >= LEAST_MEN;
        let is_rare = is_near && self.looked_up(placement)?.is_none();
        is_rare.then(|| RareSet::of_key(placement.key_with_turn()))
    }

    /// Returns the games of a block that are in a set or undecided; `None` if the data is damaged.
    pub(in super::super) fn rare_games(&self, set: RareSet, block: usize) -> Option<BlockGames> {
        let games = self.block_games(block)?;
        let part = &self.openings.as_ref()?.games;
        let block = part.block(&self.file.bytes, block, games)?;
        let rows = [block.set(set.blob())?, block.set(super::UNDECIDED)?];
        let most = block.count(set.blob()) + block.count(super::UNDECIDED);
        let rows = match rows {
            [_, Container::Empty] => &rows[..1],
            _ => &rows[..],
        };
        Some(BlockGames::union(rows, most as usize, games))
    }
}
