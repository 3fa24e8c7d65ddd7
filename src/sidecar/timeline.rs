//! How the material of each game changes in the course of its main line.
//!
//! Of each [group](GROUP_GAMES) of games a blob has first the lengths of their timelines, a byte
//! each, then the timelines one after the other. Length 0 stands for a game of which nothing is
//! known: one that could not be decoded, that does not begin with the standard men and White's
//! first move, or whose timeline is longer than 255 bytes.
//!
//! A timeline begins with the men of the standard start. Each of its bytes is an event; the low
//! half says how many plies after the event before (at first: after the start), the high half
//! what happens:
//!
//! | high half | what |
//! |---|---|
//! | 1 to 5 | a white Q, R, B, N or P leaves the board |
//! | 7 to 11 | the same of Black |
//! | 12 to 15 | a pawn of the side that moves becomes a Q, R, B or N |
//! | 6 | nothing, and 16 plies more than the low half times 16 pass |
//! | 0 | the game ends: this is its last position |
//!
//! White moves at odd plies. A pawn that captures and promotes makes two events, no ply apart.

use shakmaty::{Color, Role};

use super::{BLOCK_GAMES, Sidecar, part::Part};
use crate::{
    chess::{Counts, Man, material::CountRange},
    pattern::material::{Stretch, Stretches},
};

/// Games of one blob: few, so that the way to one among them is short.
pub(super) const GROUP_GAMES: u32 = 256;
/// Blobs of one block.
pub(super) const GROUPS: usize = (BLOCK_GAMES / GROUP_GAMES) as usize;

/// What an event is: its high half. Men that leave have their [index](Man::index), from which
/// kings are missing.
pub(super) const END: u8 = 0;
pub(super) const PASS: u8 = 6;
/// What pawns become, from 12 on.
pub(super) const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
pub(super) const FIRST_PROMOTION: u8 = Man::COUNT as u8;
/// Plies of one unit of [`PASS`].
pub(super) const PASS_PLIES: u32 = 16;

/// The timeline of one game, as its bytes have it. Bytes that make no sense give stretches that
/// make none, but not many, and nothing fails; the checksum is what keeps them out.
#[derive(Debug, Clone)]
pub(crate) struct Timeline<'a> {
    bytes: std::slice::Iter<'a, u8>,
    counts: Counts,
    /// The ply from which on there are so many.
    ply: u32,
}

impl<'a> Timeline<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Timeline<'a> {
        Timeline {
            bytes: bytes.iter(),
            counts: Counts::STANDARD,
            ply: 0,
        }
    }

    /// Goes on to the next event: to its ply, or behind the last one. That kings are not counted
    /// makes nothing of what has their numbers; so only promotions are a case of their own.
    #[inline(always)]
    fn advance(&mut self) -> Option<()> {
        let event = *self.bytes.next()?;
        self.ply += u32::from(PLIES[usize::from(event)]);
        match Man::from_index(usize::from(event >> 4)) {
            Some(man) => self.counts.take(man),
            None => self.counts = promoted(event >> 4, self.counts, self.ply),
        }
        Some(())
    }
}

/// By event: how many plies pass until the counts are what it makes them, or until the game is
/// over.
const PLIES: [u16; 256] = {
    let mut plies = [0; 256];
    let mut event = 0;
    while event < plies.len() {
        let low = event as u16 & 15;
        plies[event] = match (event >> 4) as u8 {
            END => low + 1,
            PASS => (low + 1) * PASS_PLIES as u16,
            _ => low,
        };
        event += 1;
    }
    plies
};

/// Returns the counts after a promotion at a ply. It knows nothing of the timeline, so that this
/// can stay in registers.
#[inline(never)]
fn promoted(what: u8, mut counts: Counts, ply: u32) -> Counts {
    let role = PROMOTIONS[usize::from(what.wrapping_sub(FIRST_PROMOTION) & 3)];
    let color = Color::from_white(ply % 2 == 1);
    counts.take(Man::new(color, Role::Pawn));
    counts.add(Man::new(color, role));
    counts
}

impl Stretches for Timeline<'_> {
    #[inline]
    fn next_within(&mut self, range: &CountRange) -> Option<Stretch> {
        loop {
            while !range.contains(self.counts) {
                self.advance()?;
            }
            let (counts, first) = (self.counts, self.ply);
            self.advance()?;
            // Of two events at one ply, the first makes no position.
            if self.ply > first {
                let end = self.ply;
                return Some(Stretch { counts, first, end });
            }
        }
    }
}

/// Returns timelines of games; best asked for in their order.
#[derive(Debug)]
pub(crate) struct Timelines<'s> {
    sidecar: &'s Sidecar,
    part: &'s Part,
    /// The group of the last game asked for, and its number; `None` if it is damaged.
    group: Option<(u32, Option<Group<'s>>)>,
}

/// A blob, and how far it has been looked at.
#[derive(Debug)]
struct Group<'s> {
    lengths: &'s [u8],
    timelines: &'s [u8],
    /// A game of the group and where its timeline begins.
    game: usize,
    offset: usize,
}

impl Sidecar {
    /// Returns the timelines of its games; `None` if it has none.
    pub(crate) fn timelines(&self) -> Option<Timelines<'_>> {
        Some(Timelines {
            sidecar: self,
            part: self.timelines.as_ref()?,
            group: None,
        })
    }
}

impl<'s> Timelines<'s> {
    /// Returns the timeline of a game; `None` when nothing is known of it.
    #[inline]
    pub(crate) fn of(&mut self, game: u32) -> Option<Timeline<'s>> {
        let number = game / GROUP_GAMES;
        if self.group.as_ref().is_none_or(|(open, _)| *open != number) {
            self.group = Some((number, self.open(number)));
        }
        let (_, group) = self.group.as_mut()?;
        group.as_mut()?.timeline((game % GROUP_GAMES) as usize)
    }

    fn open(&self, number: u32) -> Option<Group<'s>> {
        let first = number * GROUP_GAMES;
        let games = self.sidecar.games.checked_sub(first)?.min(GROUP_GAMES);
        let block = (first / BLOCK_GAMES) as usize;
        let block = self.sidecar.block(self.part, block)?;
        let bytes = block.bytes(number as u16 % GROUPS as u16)?;
        let (lengths, timelines) = bytes.split_at_checked(games as usize)?;
        Some(Group {
            lengths,
            timelines,
            game: 0,
            offset: 0,
        })
    }
}

impl<'s> Group<'s> {
    #[inline]
    fn timeline(&mut self, game: usize) -> Option<Timeline<'s>> {
        if game < self.game {
            (self.game, self.offset) = (0, 0);
        }
        let between = self.lengths.get(self.game..game)?;
        self.offset += between
            .iter()
            .map(|&length| usize::from(length))
            .sum::<usize>();
        self.game = game;
        let length = usize::from(*self.lengths.get(game)?);
        let bytes = self.timelines.get(self.offset..self.offset + length)?;
        (length > 0).then(|| Timeline::new(bytes))
    }
}
