//! Ends: the final position of each main line.
//!
//! For each [group](GROUP_GAMES) of games a blob has first the squares of all men, 8 bytes a game
//! (bit 0 is a1), then 2 bytes a game, then the men of each game in the order of their squares,
//! half a byte each (the index of the [man](Man::index), the lower half first), each game from a
//! byte of its own on. No squares mean that nothing is known: the game could not be decoded, has
//! more than 2047 plies, 32 men or 31 of one kind, or could still castle after a custom start.
//!
//! | bits of the 2 bytes | what |
//! |---|---|
//! | 0 to 10 | plies of the main line |
//! | 11 | Black is to move |
//! | 12 to 15 | the file, from 1 on, on which a pawn has just moved two squares; else 0 |

use shakmaty::{Bitboard, Color, File, Rank, Square};
use tabiya_chess::{Counts, Man};
use zerocopy::{
    FromBytes, IntoBytes,
    little_endian::{U16, U64},
};

use super::{BLOCK_GAMES, Sidecar, collect::Begun, write::Blobs};
use crate::pattern::Boards;

/// Games of one blob.
pub(super) const GROUP_GAMES: u32 = 256;
/// Blobs of one block.
const GROUPS: usize = (BLOCK_GAMES / GROUP_GAMES) as usize;
/// Games whose ends are located together.
const LANES: usize = 64;
/// The most plies and men of an end that is stored.
const PLIES_MAX: u32 = (1 << 11) - 1;
const MEN_MAX: u32 = 32;
/// Where the side to move and the file begin in the 2 bytes.
const TURN_BIT: u32 = 11;
const FILE_BIT: u32 = 12;

/// The ends of one block under construction.
#[derive(Debug, Default)]
pub(super) struct EndWriter {
    blobs: Blobs,
    groups: usize,
    squares: Vec<U64>,
    moments: Vec<U16>,
    men: Vec<u8>,
}

impl EndWriter {
    /// Takes over the ends of the games that need not be played; `None` if they are damaged.
    pub(super) fn resume(&mut self, begun: &Begun<'_>) -> Option<()> {
        self.groups = begun.games / GROUP_GAMES as usize;
        for group in 0..self.groups {
            self.blobs.push_bytes(begun.ends.bytes(group as u16)?);
        }
        Some(())
    }

    /// Adds the next game: its final position, and the square that a pawn has just crossed there;
    /// `None` if it is not known.
    pub(super) fn add(&mut self, end: Option<(&Boards, Option<Square>)>) {
        let stored = end.and_then(|(boards, crossed)| Some((boards, moment(boards, crossed)?)));
        let (squares, moment) = stored.map_or((0, 0), |(boards, moment)| {
            self.add_men(boards);
            (boards.occupied(), moment)
        });
        self.squares.push(squares.into());
        self.moments.push(moment.into());
        if self.squares.len() == GROUP_GAMES as usize {
            self.end_group();
        }
    }

    fn add_men(&mut self, boards: &Boards) {
        let mut by_square = [0; 64];
        for man in Man::ALL {
            for square in Bitboard(boards.of(man)) {
                by_square[square as usize] = man.index() as u8;
            }
        }
        let mut men = Bitboard(boards.occupied())
            .into_iter()
            .map(|square| by_square[square as usize]);
        while let Some(low) = men.next() {
            self.men.push(low | men.next().unwrap_or_default() << 4);
        }
    }

    fn end_group(&mut self) {
        let parts = [self.squares.as_bytes(), self.moments.as_bytes(), &self.men];
        self.blobs.push_bytes(&parts.concat());
        self.squares.clear();
        self.moments.clear();
        self.men.clear();
        self.groups += 1;
    }

    pub(super) fn finish(mut self) -> Blobs {
        while self.groups < GROUPS {
            self.end_group();
        }
        self.blobs
    }
}

/// Returns the 2 bytes of an end; `None` if it cannot be stored.
fn moment(boards: &Boards, crossed: Option<Square>) -> Option<u16> {
    let most = Man::ALL
        .map(|man| boards.of(man).count_ones())
        .into_iter()
        .max();
    let fits = boards.ply <= PLIES_MAX
        && boards.occupied().count_ones() <= MEN_MAX
        && most.is_some_and(|most| most <= Counts::MAX.into());
    let file = match crossed {
        None => 0,
        Some(square) => (square == crossed_square(square.file(), boards.turn))
            .then_some(square.file() as u16 + 1)?,
    };
    let turn = u16::from(boards.turn.is_black());
    fits.then_some(boards.ply as u16 | turn << TURN_BIT | file << FILE_BIT)
}

/// Returns the square that a pawn of the other side has crossed on a file.
fn crossed_square(file: File, turn: Color) -> Square {
    Square::from_coords(file, turn.fold_wb(Rank::Sixth, Rank::Third))
}

/// The ends of 64 games.
#[derive(Debug)]
pub(crate) struct Ends<'s> {
    /// The first of the games.
    first: u32,
    squares: &'s [U64],
    moments: &'s [U16],
    /// All men of their group.
    men: &'s [u8],
    /// Where the men of each game begin.
    starts: [u16; LANES],
}

impl Sidecar {
    /// Returns whether the sidecar has ends.
    pub(crate) fn has_ends(&self) -> bool {
        self.ends.is_some()
    }

    /// Returns the ends of the 64 games (from a multiple of 64) that include `game`; `None` if
    /// nothing is known of them.
    pub(crate) fn ends(&self, game: u32) -> Option<Ends<'_>> {
        let group = game / GROUP_GAMES;
        let games = self.games.checked_sub(group * GROUP_GAMES)?;
        let games = games.min(GROUP_GAMES) as usize;
        let block = self.block(self.ends.as_ref()?, (game / BLOCK_GAMES) as usize)?;
        let blob = block.bytes(group as u16 % GROUPS as u16)?;
        let (squares, rest) = <[U64]>::ref_from_prefix_with_elems(blob, games).ok()?;
        let (moments, men) = <[U16]>::ref_from_prefix_with_elems(rest, games).ok()?;
        let begin = (game % GROUP_GAMES) as usize / LANES * LANES;
        let (before, squares) = squares.split_at_checked(begin)?;
        let bytes = |squares: &U64| squares.get().count_ones().div_ceil(2) as u16;
        let mut start = before.iter().map(bytes).sum();
        let mut starts = [0; LANES];
        for (place, squares) in starts.iter_mut().zip(squares) {
            *place = start;
            start += bytes(squares);
        }
        Some(Ends {
            first: game / LANES as u32 * LANES as u32,
            squares,
            moments: moments.get(begin..)?,
            men,
            starts,
        })
    }
}

impl Ends<'_> {
    /// Puts the final position of one of the games on the board; `None` if it is not known.
    #[inline]
    pub(crate) fn show(&self, game: u32, boards: &mut Boards) -> Option<()> {
        let lane = game.checked_sub(self.first)? as usize;
        let squares = self.squares.get(lane)?.get();
        let moment = self.moments.get(lane)?.get();
        let men = self.men.get(usize::from(*self.starts.get(lane)?)..)?;
        let men = men.get(..squares.count_ones().div_ceil(2) as usize)?;
        let turn = Color::from_white(moment >> TURN_BIT & 1 == 0);
        let file = usize::from(moment >> FILE_BIT).checked_sub(1);
        let crossed = file.and_then(|file| Some(crossed_square(*File::ALL.get(file)?, turn)));
        boards.set_up(squares, men, turn, crossed);
        boards.ply = u32::from(moment) & PLIES_MAX;
        (squares != 0).then_some(())
    }
}
