//! Databases of any size for measurements.

mod dice;
mod games;
mod openings;
mod play;

use std::path::Path;

use rayon::prelude::*;
use tabiya::{
    format::Overwrite,
    testing::{
        Written,
        scid4::{Edition, EncodedGame, Writer},
    },
};

use self::{games::Maker, openings::Book};

/// Errors are reported to the user.
pub(crate) type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Number of games that are created together before they are written in order.
const BATCH_GAMES: u64 = 8192;

/// Writes a database of `games` games that depend only on the seed and their numbers.
pub(crate) fn from_seed(path: &Path, games: u64, seed: u64) -> Outcome<Written> {
    let book = Book::new()?;
    write(path, games, || Maker::new(&book, seed), Maker::make)
}

/// Writes a database of `games` games. Each thread creates games with its own maker, while one of
/// them writes the finished ones: in order, and in constant memory.
pub(crate) fn write<M>(
    path: &Path,
    games: u64,
    maker: impl Fn() -> M + Sync,
    make: impl Fn(&mut M, u64) -> tabiya::Result<EncodedGame> + Sync,
) -> Outcome<Written> {
    let mut writer = Writer::create(path, Edition::Si4, Overwrite::Refuse)?;
    let batch = |first: u64| -> tabiya::Result<Vec<EncodedGame>> {
        let numbers = first..games.min(first + BATCH_GAMES);
        let made = numbers.into_par_iter().map_init(&maker, &make);
        made.collect()
    };
    let mut ready = batch(0)?;
    for first in (0..games).step_by(BATCH_GAMES as usize) {
        let write = || ready.iter().try_for_each(|game| writer.append(game));
        let (written, next) = rayon::join(write, || batch(first + BATCH_GAMES));
        written?;
        ready = next?;
    }
    Ok(writer.finish()?)
}
