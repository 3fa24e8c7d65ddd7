//! Games as PGN text.

use tabiya::{Database, GameId, Result, format::pgn::GameText};

/// Returns a game as PGN, with an empty line at its end.
pub(crate) fn game(database: &Database, game: GameId) -> Result<String> {
    let mut text = GameText::new(&database.header(game)?);
    database.visit(game, &mut text)?;
    text.finish()
}
