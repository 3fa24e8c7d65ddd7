//! Databases of any size for measurements.

mod dice;
mod games;
mod openings;
mod play;

use std::{io::Write, path::Path};

use rayon::prelude::*;
use tabiya::format::{GameHeader, Overwrite};
use tabiya_formats::{
    Written, pgn,
    scid4::{Edition, EncodedGame, Encoder, Writer},
};

use self::{games::Maker, openings::Book};

/// Errors are reported to the user.
pub(crate) type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Number of games that are created together before they are written in order.
const BATCH_GAMES: u64 = 8192;

/// Writes a database of `games` games that depend only on the seed and their numbers.
pub(crate) fn from_seed(path: &Path, games: u64, seed: u64) -> Outcome<Written> {
    let book = Book::new()?;
    write(
        path,
        games,
        || Maker::new(&book, seed, Encoder::new()),
        Maker::make,
    )
}

/// Writes PGN as an online service publishes it.
pub(crate) fn online(out: &mut (impl Write + Send), games: u64, seed: u64) -> Outcome<()> {
    let book = Book::new()?;
    let maker = || Maker::new(&book, seed, pgn::GameText::new(&GameHeader::default())).online();
    each(games, maker, Maker::make, |game| {
        Ok(out.write_all(game.as_bytes())?)
    })?;
    Ok(out.flush()?)
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
    each(games, maker, make, |game| Ok(writer.append(game)?))?;
    Ok(writer.finish()?)
}

/// Makes games on all threads and passes them on in order.
fn each<M, G: Send + Sync>(
    games: u64,
    maker: impl Fn() -> M + Sync,
    make: impl Fn(&mut M, u64) -> tabiya::Result<G> + Sync,
    mut pass: impl FnMut(&G) -> Outcome<()> + Send,
) -> Outcome<()> {
    let batch = |first: u64| -> tabiya::Result<Vec<G>> {
        let numbers = first..games.min(first + BATCH_GAMES);
        let made = numbers.into_par_iter().map_init(&maker, &make);
        made.collect()
    };
    let mut ready = batch(0)?;
    for first in (0..games).step_by(BATCH_GAMES as usize) {
        let write = || ready.iter().try_for_each(&mut pass);
        let (written, next) = rayon::join(write, || batch(first + BATCH_GAMES));
        written?;
        ready = next?;
    }
    Ok(())
}
