//! A game as PGN.

use tabiya::{
    Database, GameId,
    format::{GameText, Visitor as _},
};

use crate::errors::Fault;

/// Returns a game as PGN, with an empty line at its end.
///
/// # Errors
/// `Absent` when there is no such game; `Unreadable` when it is damaged.
pub(crate) fn text(database: &Database, game: GameId) -> Result<String, Fault> {
    let mut text = GameText::new(&database.header(game)?);
    database.visit(game, &mut text)?;
    Ok(text.finish()?)
}

/// Returns what can be read of a damaged game, which breaks off inside so many variations.
///
/// # Errors
/// When files are missing.
pub(crate) fn beginning(database: &Database, game: GameId, depth: usize) -> Result<String, Fault> {
    let mut text = GameText::new(&database.header(game)?);
    match database.visit(game, &mut text) {
        Err(error) if !error.is_of_game() => return Err(error.into()),
        _ => {}
    }
    for _ in 0..depth {
        // It asks for nothing to be stopped.
        let _ = text.end_variation();
    }
    Ok(text.finish()?)
}
