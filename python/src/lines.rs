//! The moves of all lines of a game, and single positions of many.

use pyo3::prelude::*;
use tabiya::{AllLines, Database, GameId, ListStyle, MainLine, Notation};

use crate::{
    tables::{game_ids, of_sound},
    work::read,
};

/// A move: which of them it follows, the numbers of its variation and of that around it, its
/// half-move, UCI, SAN, NAGs, what a variation begins with, and the comment after it.
type ToldMove = (
    Option<usize>,
    Option<u32>,
    Option<u32>,
    u32,
    String,
    String,
    Vec<u32>,
    Option<String>,
    Option<String>,
);

/// The moves, what is said before the first one, and the game's damage.
pub(crate) type ToldLines = (Vec<ToldMove>, Option<String>, Option<String>);

/// Returns what is sound of all lines.
pub(crate) fn all(py: Python<'_>, database: &Database, game: u32) -> PyResult<ToldLines> {
    let AllLines {
        moves,
        comment,
        damage,
        ..
    } = read(py, database, |database| {
        database.all_lines(GameId(game), false)
    })?;
    let moves = moves.into_iter().map(|noted| {
        // Not bytes, which a list of `u8` would become.
        let nags = noted.nags.into_iter().map(u32::from);
        (
            noted.after,
            noted.variation,
            noted.parent,
            noted.ply,
            noted.uci,
            noted.san,
            nags.collect(),
            noted.before,
            noted.comment,
        )
    });
    let damage = damage.map(|damage| damage.cause.to_string());
    Ok((moves.collect(), comment, damage))
}

/// Returns for each game the position after so many half-moves of its main line, signed numbers of
/// 32 bits, as FEN; `None` below 0, and where the game is shorter.
pub(crate) fn fens(
    py: Python<'_>,
    database: &Database,
    games: &[u8],
    plies: &[u8],
) -> PyResult<Vec<Option<String>>> {
    let plies = plies.as_chunks::<4>().0.iter();
    let plies = plies.map(|bytes| u32::try_from(i32::from_ne_bytes(*bytes)).ok());
    read(py, database, |database| {
        let mut line = MainLine::new(ListStyle::Words, &[Notation::Fen]);
        let mut fens = Vec::with_capacity(games.len() / 4);
        for (game, ply) in game_ids(games).zip(plies) {
            let fen = ply.map(|ply| of_sound(line.position_after(database, game, ply)));
            fens.push(fen.transpose()?.flatten().flatten());
        }
        Ok(fens)
    })
}
