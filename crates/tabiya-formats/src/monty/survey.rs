//! Surveys all games of a file in parallel.

use std::ops::Range;

use rayon::prelude::*;

use super::{Game, Layout, salvage};
use crate::{
    Damage, Report,
    error::{Error, Result},
    indexed::{Builder, Index, Survey},
    progress::Progress,
};

/// Number of games surveyed together.
const BATCH_GAMES: usize = 4096;
/// Number of games surveyed by one thread at a time.
const TASK_GAMES: usize = 64;
/// Surveys the games of a file in parallel up to the first damaged one. Also returns the error of
/// that game.
pub(super) fn survey(
    bytes: &[u8],
    layout: Layout,
    progress: Report<'_>,
) -> Result<(Index, Option<Error>)> {
    let mut builder = Builder::default();
    let mut at = 0;
    loop {
        let (places, cut) = find_games(bytes, layout, at);
        let parts: Vec<_> = places
            .par_chunks(TASK_GAMES)
            .map(|places| survey_part(bytes, layout, places))
            .collect();
        for part in parts {
            let (part, damage) = part?;
            builder.append(part)?;
            if let Some((damage, start)) = damage {
                let number = (builder.len() + 1) as u32;
                return Ok((builder.finish(), Some(located(damage, start, number))));
            }
        }
        at = places.last().map_or(at, |place| place.end);
        let (done, total) = (at as u64, bytes.len() as u64);
        if progress(Progress::of(done, total)).is_break() {
            return Err(Error::interrupted());
        }
        if cut.is_some() || at >= bytes.len() {
            let number = (builder.len() + 1) as u32;
            let error = cut.map(|damage| located(damage, at, number));
            return Ok((builder.finish(), error));
        }
    }
}

/// Surveys games up to the first damaged one; also returns its damage and where it begins.
fn survey_part(
    bytes: &[u8],
    layout: Layout,
    places: &[Range<usize>],
) -> Result<(Builder, Option<(Damage, usize)>)> {
    let mut builder = Builder::default();
    for place in places {
        let mut survey = Survey::new();
        let game = Game::open(bytes.get(place.clone()).unwrap_or_default(), layout);
        let result = game.and_then(|game| game.check(&mut survey).map(|()| game.result()));
        match result {
            Ok(result) => salvage::add(&mut builder, result, place, &mut survey, true)?,
            Err(damage) => return Ok((builder, Some((damage, place.start)))),
        }
    }
    Ok((builder, None))
}

/// Creates the error for a damaged game, located at the start of the game.
fn located(damage: Damage, start: usize, number: u32) -> Error {
    Error::corrupt(damage.what)
        .in_game(number)
        .at_offset(start as u64)
}

/// Finds the next games from an offset, up to one batch. Also returns the damage if the games end
/// before the bytes do.
fn find_games(bytes: &[u8], layout: Layout, mut at: usize) -> (Vec<Range<usize>>, Option<Damage>) {
    let mut places = Vec::new();
    while at < bytes.len() && places.len() < BATCH_GAMES {
        match Game::find(bytes.get(at..).unwrap_or_default(), layout) {
            Ok((_, length)) => {
                places.push(at..at + length);
                at += length;
            }
            Err(damage) => return (places, Some(damage)),
        }
    }
    (places, None)
}
