//! Positions near the standard start that are not among the chosen ones.
//!
//! A rare order of moves leads into a structure that many games have, of which visit sets
//! exclude little. So the games of all such positions are kept as well, though not position by
//! position: each belongs to one of [`SETS`] sets by its key, and a set has the games of all its
//! positions. As none of them is frequent, no set has many games.
//!
//! Which positions are meant must follow from the position alone, since games come to one at
//! different plies: those with at least 26 men in which at most 16 of the first squares have lost
//! the man that stands there in the standard start. Keys are those of
//! [`Placement`].

use super::choose::LEAST_MEN;
use crate::{
    chess::{Placed, placement::Placement},
    sidecar::{BlockGames, Sidecar, container::Container, write::Blobs},
};

// What follows is part of the file's version: a position must be sought where it was put.

/// How many sets there are; a power of two.
pub(super) const SETS: u16 = 1 << 9;
/// How many first squares may have lost their man.
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
        // The highest and the lowest bits are those by which frequent positions are looked up.
        RareSet((key >> 32) as u16 & (SETS - 1))
    }
}

/// The first squares that still have their man.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Home(u64);

impl Home {
    /// The squares on which each man begins, by [`Man::index`](crate::chess::Man::index).
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

/// What is collected from one block.
pub(super) struct RareVisits {
    home: Home,
    /// Game by game: the set, and the game's place in the block.
    visits: Vec<(u16, u16)>,
    /// By set: one more than the place of the last game in it.
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

    pub(super) fn start(&mut self, placement: &Placement) {
        self.home = Home::of(placement);
    }

    /// Takes a man that comes to a square or leaves it.
    #[inline]
    pub(super) fn change(&mut self, placed: Placed) {
        self.home.change(placed);
    }

    /// Takes a position that is not among the chosen ones. A game adds each set once, which
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

    /// Writes all sets of a block of so many games.
    pub(super) fn finish(mut self, games: u32, blobs: &mut Blobs) {
        // Stable, so that the games of each set ascend.
        self.visits.sort_by_key(|&(set, _)| set);
        let mut rest = self.visits.as_slice();
        for set in 0..SETS {
            let (these, behind) = rest.split_at(rest.partition_point(|visit| visit.0 == set));
            blobs.push_list(these.iter().map(|visit| visit.1), games);
            rest = behind;
        }
    }
}

impl Sidecar {
    /// Returns the set that has all games of a position; `None` if it is not a rare one, or that
    /// cannot be told.
    pub(crate) fn rare_set(&self, placement: &Placement) -> Option<RareSet> {
        let is_near = Home::of(placement).is_near() && placement.men >= LEAST_MEN;
        let is_rare = is_near && self.looked_up(placement)?.is_none();
        is_rare.then(|| RareSet::of_key(placement.key_with_turn()))
    }

    /// Returns the games of a block that are in a set or of which nothing is known; `None` when
    /// that is damaged.
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
