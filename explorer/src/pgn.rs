//! A game as PGN.

use tabiya::{Database, GameId, format::GameText};

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
