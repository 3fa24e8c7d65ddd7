//! A game as PGN.

use tabiya::{Database, GameId, format::GameText};

use crate::errors::Fault;

/// Returns what is sound of a game as PGN, with an empty line at its end. A comment stands where
/// something is missing.
///
/// # Errors
/// `Absent` when there is no such game; `Unreadable` when no half-move can be read.
pub(crate) fn text(database: &Database, game: GameId) -> Result<String, Fault> {
    let mut text = GameText::new(&database.header(game)?);
    database.visit_sound(game, &mut text)?;
    Ok(text.finish()?)
}

/// Returns the same of a game of which perhaps only the tags can be read.
///
/// # Errors
/// When files are missing.
pub(crate) fn beginning(database: &Database, game: GameId) -> Result<String, Fault> {
    let mut text = GameText::new(&database.header(game)?);
    match database.visit_sound(game, &mut text) {
        Err(error) if !error.is_of_game() => Err(error.into()),
        _ => Ok(text.finish()?),
    }
}
