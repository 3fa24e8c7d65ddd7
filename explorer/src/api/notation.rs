//! The moves of all lines of a game, for reading.

use tabiya::{Database, GameId, NotedMove};

use crate::errors::Fault;

/// Returns all moves of a game with positions; of a damaged one those that can be read.
///
/// # Errors
/// When files are missing.
pub(super) fn of(database: &Database, game: GameId) -> Result<Vec<NotedMove>, Fault> {
    match database.all_lines(game, true) {
        Err(error) if error.is_of_game() => Ok(Vec::new()),
        told => Ok(told?.moves),
    }
}

/// Tells whether a move has more than one of the main line: words, marks, or that it is none.
pub(super) fn says_more(noted: &NotedMove) -> bool {
    let is_plain = noted.before.is_none() && noted.comment.is_none() && noted.nags.is_empty();
    noted.depth > 0 || !is_plain
}
