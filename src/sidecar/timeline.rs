//! Timelines: the changes of material in the main line of each game.
//!
//! For each [group](GROUP_GAMES) of games a blob has first the lengths of their timelines, a byte
//! each, then the timelines. Length 0 means that nothing is known: the game could not be decoded,
//! does not begin with the standard men and White's first move, or its timeline is longer than 255
//! bytes.
//!
//! A timeline begins with the men of the standard start. Each of its bytes is an event. The low
//! half is the number of plies after the previous event (at first: after the start), the high half
//! is the kind:
//!
//! | high half | what |
//! |---|---|
//! | 1 to 5 | a white Q, R, B, N or P leaves the board |
//! | 7 to 11 | the same of Black |
//! | 12 to 15 | a pawn of the side that moves becomes a Q, R, B or N |
//! | 6 | nothing, and 16 plies more than the low half times 16 pass |
//! | 0 | the game ends: this is its last position |
//!
//! White moves at odd plies. A pawn that captures and promotes makes two events, with no ply
//! between them.

use shakmaty::{Color, Role};
use tabiya_chess::{Counts, Man, material::CountRange};

use super::{BLOCK_GAMES, Sidecar};
use crate::pattern::material::{MaterialPhases, Stretch};

/// Games of one blob: few, so that one of them is found quickly.
pub(super) const GROUP_GAMES: u32 = 256;
/// Blobs of one block.
pub(super) const GROUPS: usize = (BLOCK_GAMES / GROUP_GAMES) as usize;

/// Kinds of events, in the high half. Men that leave have their [index](Man::index), in which those
/// of the kings are unused.
pub(super) const END: u8 = 0;
pub(super) const PASS: u8 = 6;
/// The pieces that pawns become, from 12 on.
pub(super) const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
pub(super) const FIRST_PROMOTION: u8 = Man::COUNT as u8;
/// Plies of one unit of [`PASS`].
pub(super) const PASS_PLIES: u32 = 16;

/// The timeline of one game in its stored form. Invalid bytes give invalid stretches, but not many,
/// and cause no failure; the checksum prevents this.
#[derive(Debug, Clone)]
pub(crate) struct Timeline<'a> {
    bytes: std::slice::Iter<'a, u8>,
    counts: Counts,
    /// The ply from which on the counts hold.
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

    /// Advances to the ply of the next event, or past the last position. Kings are not counted, so
    /// events with their indices change no counts; only promotions need a special case.
    #[inline(always)]
    fn advance(&mut self) -> Option<()> {
        let event = *self.bytes.next()?;
        self.ply += u32::from(PLIES[usize::from(event)]);
        match Man::from_index(usize::from(event >> 4)) {
            Some(man) => self.counts.take_if_any(man.index() as u8),
            None => self.counts = promoted(event >> 4, self.counts, self.ply),
        }
        Some(())
    }
}

impl Timeline<'_> {
    /// Returns whether a game without promotions had a position whose counts are in a range.
    /// Searches from its end, which has the counts `last`. The start position is not tested.
    #[inline]
    pub(crate) fn ends_after(&self, range: &CountRange, mut last: Counts) -> bool {
        let mut rest = self.bytes.clone();
        // Going backwards, the number of men never decreases.
        while range.has_room_for(last) {
            if range.contains(last) {
                return true;
            }
            match rest
                .next_back()
                .map(|event| Man::from_index(usize::from(event >> 4)))
            {
                Some(Some(gone)) => last.add(gone),
                _ => return false,
            }
        }
        false
    }
}

/// By event: the number of plies until its counts hold, or until the game is over.
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

/// Returns the counts after a promotion at a ply. It takes no `Timeline`, so that this can stay in
/// registers.
#[inline(never)]
fn promoted(what: u8, mut counts: Counts, ply: u32) -> Counts {
    let role = PROMOTIONS[usize::from(what.wrapping_sub(FIRST_PROMOTION) & 3)];
    let color = Color::from_white(ply % 2 == 1);
    counts.take(Man::new(color, Role::Pawn));
    counts.add(Man::new(color, role));
    counts
}

impl MaterialPhases for Timeline<'_> {
    #[inline]
    fn next_within(&mut self, range: &CountRange) -> Option<Stretch> {
        loop {
            while !range.contains(self.counts) {
                self.advance()?;
            }
            let (counts, first) = (self.counts, self.ply);
            self.advance()?;
            // If two events are at the same ply, there is no position between them.
            if self.ply > first {
                let end = self.ply;
                return Some(Stretch { counts, first, end });
            }
        }
    }
}

/// The timelines of 64 games.
#[derive(Debug)]
pub(crate) struct Timelines<'s> {
    /// The first of the games.
    first: u32,
    /// All timelines of their group.
    bytes: &'s [u8],
    lengths: &'s [u8],
    /// The start of each game's timeline.
    starts: [u16; LANES],
}

/// Games whose timelines are located together.
const LANES: usize = 64;
const _: () = assert!(GROUP_GAMES as usize * 255 <= u16::MAX as usize);

impl Sidecar {
    /// Returns whether the sidecar has timelines.
    pub(crate) fn has_timelines(&self) -> bool {
        self.timelines.is_some()
    }

    /// Returns the timelines of the 64 games (from a multiple of 64) that include `game`; `None` if
    /// nothing is known of them.
    pub(crate) fn timelines(&self, game: u32) -> Option<Timelines<'_>> {
        let group = game / GROUP_GAMES;
        let games = self
            .games
            .checked_sub(group * GROUP_GAMES)?
            .min(GROUP_GAMES);
        let block = self.block(self.timelines.as_ref()?, (game / BLOCK_GAMES) as usize)?;
        let blob = block.bytes(group as u16 % GROUPS as u16)?;
        let (lengths, bytes) = blob.split_at_checked(games as usize)?;
        let (before, lengths) =
            lengths.split_at_checked((game % GROUP_GAMES) as usize / LANES * LANES)?;
        let sum = |lengths: &[u8]| lengths.iter().map(|&length| u16::from(length)).sum::<u16>();
        let mut start = sum(before);
        let mut starts = [0; LANES];
        for (place, &length) in starts.iter_mut().zip(lengths) {
            *place = start;
            start += u16::from(length);
        }
        Some(Timelines {
            first: game / LANES as u32 * LANES as u32,
            bytes,
            lengths,
            starts,
        })
    }
}

impl<'s> Timelines<'s> {
    /// Returns whether a game is one of the 64.
    #[inline]
    pub(crate) fn has(&self, game: u32) -> bool {
        game / LANES as u32 == self.first / LANES as u32
    }

    /// Returns the timeline of one of the games; `None` if nothing is known of it.
    #[inline]
    pub(crate) fn of(&self, game: u32) -> Option<Timeline<'s>> {
        let lane = game.checked_sub(self.first)? as usize;
        let start = usize::from(*self.starts.get(lane)?);
        let length = usize::from(*self.lengths.get(lane)?);
        let bytes = self.bytes.get(start..start + length)?;
        (length > 0).then(|| Timeline::new(bytes))
    }
}
