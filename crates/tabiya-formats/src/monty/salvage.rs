//! Games of a damaged file: after a damaged game, the next one is searched for, byte by byte.
//!
//! A game is found if its header is valid, its position is legal and all its moves are legal. A
//! game without moves is found only directly after another game, since a position alone proves
//! little. The bytes between two games found count as one damaged game; if its header is intact,
//! its moves before the damage can be read.

use std::ops::Range;

use tabiya_chess::GameResult;

use super::{Game, Layout};
use crate::{
    GameHeader, Report,
    error::{Error, Result},
    indexed::{Builder, Index, Survey},
    progress::Progress,
};

/// Bytes at the beginning of a file from which its layout is detected.
const TRIAL_BYTES: usize = 1 << 18;
/// Largest size of a game, so that the search stays linear. No real game has a hundredth of it.
const GAME_BYTES_MAX: usize = 1 << 20;
/// Games between two progress reports.
const PAUSE_GAMES: usize = 256;

/// Returns the layout in which whole games cover most of the first bytes; an empty file is policy
/// data without games.
pub(super) fn detect(bytes: &[u8]) -> Option<Layout> {
    let bytes = bytes.get(..TRIAL_BYTES).unwrap_or(bytes);
    if bytes.is_empty() {
        return Some(Layout::default());
    }
    let held = |layout| {
        let games = Games::new(bytes, layout).filter(|game| game.is_whole);
        games.map(|game| game.place.len()).sum::<usize>()
    };
    let rated = Layout::ALL.map(|layout| (held(layout), layout));
    // Reversed, since `max_by_key` returns the last of equals.
    let best = rated.into_iter().rev().max_by_key(|rated| rated.0)?;
    (best.0 > 0).then_some(best.1)
}

/// Surveys all games, damaged ones included.
pub(super) fn survey(bytes: &[u8], layout: Layout, progress: Report<'_>) -> Result<Index> {
    let mut builder = Builder::default();
    for (number, found) in Games::new(bytes, layout).enumerate() {
        let game = bytes.get(found.place.clone()).unwrap_or_default();
        let game = Game::open(game, layout);
        let mut survey = Survey::new();
        let is_read = found.is_whole && game.is_ok_and(|game| game.check(&mut survey).is_ok());
        let result = game.map_or(GameResult::Unknown, |game| game.result());
        add(&mut builder, result, &found.place, &mut survey, is_read)?;
        let (done, total) = (found.place.end as u64, bytes.len() as u64);
        let is_due = number.is_multiple_of(PAUSE_GAMES);
        if is_due && progress(Progress::of(done, total)).is_break() {
            return Err(Error::interrupted());
        }
    }
    Ok(builder.finish())
}

/// A game, or the bytes between two games.
struct Found {
    place: Range<usize>,
    is_whole: bool,
}

/// The games of a file and the bytes between them, in order.
struct Games<'b> {
    bytes: &'b [u8],
    layout: Layout,
    at: usize,
    /// The game after the damaged bytes.
    next: Option<Range<usize>>,
}

impl<'b> Games<'b> {
    fn new(bytes: &'b [u8], layout: Layout) -> Games<'b> {
        Games {
            bytes,
            layout,
            at: 0,
            next: None,
        }
    }

    /// Returns the range of the game that begins here, if it is valid and has enough plies.
    fn whole(&self, at: usize, plies_min: u32) -> Option<Range<usize>> {
        let bytes = self.bytes.get(at..)?;
        let bytes = bytes.get(..GAME_BYTES_MAX).unwrap_or(bytes);
        let mut survey = Survey::new();
        // Checked first, since this ends at the first illegal move.
        Game::open(bytes, self.layout)
            .ok()?
            .check(&mut survey)
            .ok()?;
        let (_, length) = Game::find(bytes, self.layout).ok()?;
        let is_long_enough = survey.plies() >= plies_min;
        is_long_enough.then_some(at..at + length)
    }
}

impl Iterator for Games<'_> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        let at = self.at;
        if at >= self.bytes.len() {
            return None;
        }
        let whole = |place: Range<usize>| Found {
            place,
            is_whole: true,
        };
        if let Some(place) = self.next.take().or_else(|| self.whole(at, 0)) {
            self.at = place.end;
            return Some(whole(place));
        }
        self.next = (at + 1..self.bytes.len()).find_map(|at| self.whole(at, 1));
        self.at = self
            .next
            .as_ref()
            .map_or(self.bytes.len(), |next| next.start);
        Some(Found {
            place: at..self.at,
            is_whole: false,
        })
    }
}

/// Adds what is known of a game to an index.
pub(super) fn add(
    builder: &mut Builder,
    result: GameResult,
    place: &Range<usize>,
    survey: &mut Survey,
    is_read: bool,
) -> Result<()> {
    let unknown = || "?".to_owned();
    let header = GameHeader {
        event: unknown(),
        site: unknown(),
        round: unknown(),
        white: unknown(),
        black: unknown(),
        result,
        ..GameHeader::default()
    };
    let length = u32::try_from(place.len()).unwrap_or(u32::MAX);
    builder.push(&header, (place.start as u64, length), survey, is_read)
}
