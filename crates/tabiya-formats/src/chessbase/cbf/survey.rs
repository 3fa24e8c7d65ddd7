//! Surveys all games of a database in parallel.

use rayon::prelude::*;

use super::{game::Game, header::Head};
use crate::{
    GameHeader, Report, Scratch,
    encoding::Charset,
    error::{Error, Result},
    indexed::{Builder, Index, Survey},
    progress::Progress,
};

/// Number of games surveyed together.
const BATCH_GAMES: usize = 4096;
/// Number of games surveyed by one thread at a time.
const TASK_GAMES: usize = 64;

/// Surveys the games at these offsets.
///
/// # Errors
/// `LimitExceeded`; `Interrupted` after a `Break` from `progress`.
pub(super) fn survey(
    bytes: &[u8],
    offsets: &[u64],
    charset: Charset,
    progress: Report<'_>,
) -> Result<Index> {
    let mut builder = Builder::default();
    for (batch, offsets) in offsets.chunks(BATCH_GAMES).enumerate() {
        let parts: Vec<Result<Builder>> = offsets
            .par_chunks(TASK_GAMES)
            .map(|offsets| survey_part(bytes, offsets, charset))
            .collect();
        parts
            .into_iter()
            .try_for_each(|part| builder.append(part?))?;
        // Games usually follow each other.
        let last = offsets.last().copied().unwrap_or_default();
        let total = bytes.len() as u64;
        let done = if batch == 0 { last / 2 } else { last };
        if progress(Progress::of(done.min(total), total)).is_break() {
            return Err(Error::interrupted());
        }
    }
    Ok(builder.finish())
}

fn survey_part(bytes: &[u8], offsets: &[u64], charset: Charset) -> Result<Builder> {
    let mut builder = Builder::default();
    let mut scratch = Scratch::default();
    for &offset in offsets {
        let game = from_offset(bytes, offset);
        let mut survey = Survey::new();
        let head = Head::read(game).ok();
        let length = head.map_or(0, |head| head.game_bytes().min(game.len()));
        let header = head.and_then(|head| head.header(game, charset).ok());
        let header = header.unwrap_or_else(unknown);
        let is_read = Game::open(game, &mut scratch.moves, charset)
            .and_then(|game| game.visit(&mut survey))
            .is_ok();
        let place = (offset, length as u32);
        builder.push(&header, place, &mut survey, is_read)?;
    }
    Ok(builder)
}

/// Returns the header of a game whose own cannot be read.
fn unknown() -> GameHeader {
    let name = || "?".to_owned();
    GameHeader {
        white: name(),
        black: name(),
        event: name(),
        site: name(),
        round: name(),
        ..GameHeader::default()
    }
}

/// Returns the bytes from an offset on; none behind the end.
pub(super) fn from_offset(bytes: &[u8], offset: u64) -> &[u8] {
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    bytes.get(offset..).unwrap_or_default()
}
