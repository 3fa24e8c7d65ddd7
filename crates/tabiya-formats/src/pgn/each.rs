//! Games in parallel, results in order.

use rayon::prelude::*;

use super::{
    game::Game,
    input::Input,
    place::GamePlace,
    split::{Batch, Piece},
};
use crate::{
    error::{Error, Result},
    limits::PGN_GAME_BYTES_MAX,
};

/// Processes every game on all threads of the current rayon pool and delivers the results in
/// file order on the calling thread.
///
/// `make` converts one game, for example to its encoded bytes; see [`Game::header`] and
/// [`Game::replay`]. `deliver` gets its result, or the error if the game cannot be read: a fault
/// of one game never stops the others. Errors name the line, byte and game, and the file if the
/// input has a name. If `deliver` returns an error, reading stops and the error is returned.
///
/// Memory stays bounded for input of any size: about 12 MB of text and the results of 32 768
/// games, or one game of [`PGN_GAME_BYTES_MAX`]. A longer game is delivered as `LimitExceeded`;
/// in compressed input, reading then resumes at the next tag pair after an empty line.
///
/// # Errors
/// Any error of `deliver`. `Io` if compressed input is damaged or cut short; the complete
/// games before that are delivered first.
pub fn for_each_game<T: Send>(
    input: &Input,
    make: impl Fn(&Game<'_>) -> Result<T> + Sync,
    mut deliver: impl FnMut(GamePlace, Result<T>) -> Result<()>,
) -> Result<()> {
    for_each_or_pause(input, make, |made| match made {
        None => Ok(()),
        Some((place, made)) => deliver(place, made),
    })
}

/// Like [`for_each_game`]; also delivers `None` after every few megabytes of text, even of text
/// without a game, so that the caller can stop.
pub fn for_each_or_pause<T: Send>(
    input: &Input,
    make: impl Fn(&Game<'_>) -> Result<T> + Sync,
    mut deliver: impl FnMut(Option<(GamePlace, Result<T>)>) -> Result<()>,
) -> Result<()> {
    let mut batches = input.batches()?;
    for_each_piece(
        || {
            let batch = batches.next().map_err(|error| input.named(error))?;
            batch.iter().for_each(|batch| input.count(batch));
            match batch {
                // Damage that reading has gone on behind.
                None => input.damaged().map(|()| None),
                batch => Ok(batch),
            }
        },
        |text, piece| make_one(text, piece, &make),
        |made| {
            let located = made.map(|(place, made)| {
                let located = made.map_err(|error| input.named(locate(error, place)));
                (place, located)
            });
            deliver(located)
        },
    )
}

/// Like [`for_each_or_pause`], for the unparsed text of the games of all batches.
fn for_each_piece<'t, T: Send>(
    mut next_batch: impl FnMut() -> Result<Option<Batch<'t>>> + Send,
    make: impl Fn(&[u8], &Piece) -> T + Sync,
    mut deliver: impl FnMut(Option<(GamePlace, T)>) -> Result<()>,
) -> Result<()> {
    let mut deliver_all = |parsed: Option<(Batch<'t>, Vec<T>)>| {
        let (batch, made) = parsed.unzip();
        let pieces = batch.iter().flat_map(|batch| &batch.pieces);
        let mut games = pieces.zip(made.into_iter().flatten());
        games.try_for_each(|(piece, made)| deliver(Some((piece.place, made))))?;
        deliver(None)
    };
    let mut parsed = None;
    let mut next = next_batch();
    while let Ok(Some(batch)) = next {
        let (mut made, mut following) = (Vec::new(), Ok(None));
        // The next batch is read and split while this one is parsed and the last one delivered.
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| following = next_batch());
            scope.spawn(|_| made = make_all(&batch, &make));
            deliver_all(parsed.take())
        })?;
        parsed = Some((batch, made));
        next = following;
    }
    deliver_all(parsed)?;
    next.map(drop)
}

fn make_all<T: Send>(batch: &Batch<'_>, make: &(impl Fn(&[u8], &Piece) -> T + Sync)) -> Vec<T> {
    let make = |piece: &Piece| {
        let text = batch.text.get(piece.range.clone());
        make(text.unwrap_or_default(), piece)
    };
    batch.pieces.par_iter().with_min_len(4).map(make).collect()
}

fn make_one<T>(text: &[u8], piece: &Piece, make: impl Fn(&Game<'_>) -> Result<T>) -> Result<T> {
    if piece.too_long {
        return Err(Error::limit(
            "the length of the game in bytes",
            PGN_GAME_BYTES_MAX as u64,
        ));
    }
    make(&Game::parse(text, piece.place)?)
}

/// Adds the place of the game to an error, unless the error has a more precise one.
fn locate(error: Error, place: GamePlace) -> Error {
    let error = match error.offset() {
        None => error.at_offset(place.offset_bytes),
        Some(_) => error,
    };
    error.in_game(place.number).at_line(place.line)
}
