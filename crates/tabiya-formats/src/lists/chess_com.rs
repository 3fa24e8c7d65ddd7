//! Games of a monthly archive of Chess.com (`https://api.chess.com/pub/player/NAME/games/YYYY/MM`).
//!
//! An object has the whole game as PGN in `pgn`, with clocks, and beside it what the PGN lacks:
//! `accuracies` (`white` and `black`, from 0 to 100). Source: the page of Chess.com about its
//! published data; and archives of it.

use serde_json::Value;

use super::tags::tag;

/// Appends as tags what an object says beside its PGN.
pub(super) fn tell_beside(game: &Value, pgn: &mut Vec<u8>) {
    for (name, side) in [("WhiteAccuracy", "white"), ("BlackAccuracy", "black")] {
        if let Some(accuracy) = game["accuracies"][side].as_f64() {
            tag(pgn, name, accuracy.to_string());
        }
    }
}
