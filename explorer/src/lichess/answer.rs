//! The answer of the three endpoints, field by field in the order of the original.
//!
//! What is not known is null where the original has null, and left out where it leaves out. Where
//! the original always has a number, and clients fail without one, it is 0.

use serde::Serialize;
use shakmaty::Color;
use tabiya::{GameId, NextMove, Query, chess::GameResult};

use super::{
    count::{Counts, Row, Sums},
    games::{self, Chosen},
    params::LichessRequest,
};
use crate::{errors::Fault, ids::Id, limits::Ask, registry::DatabaseRef, speeds};

/// Null. The original gives a code with each name, and the table of names has no codes.
type Unknown = ();

/// One answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    white: u64,
    draws: u64,
    black: u64,
    moves: Vec<MoveRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recent_games: Option<Vec<MoveGame>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_games: Option<Vec<MoveGame>>,
    opening: Unknown,
    #[serde(skip_serializing_if = "Option::is_none")]
    queue_position: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<Vec<Month>>,
}

/// One move.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct MoveRow {
    uci: String,
    san: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    average_rating: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    average_opponent_rating: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    performance: Option<i32>,
    white: u64,
    draws: u64,
    black: u64,
    /// The game, if there is only one.
    game: Option<Game>,
    opening: Unknown,
}

/// A game and how it goes on.
#[derive(Debug, Serialize)]
struct MoveGame {
    uci: String,
    #[serde(flatten)]
    game: Game,
}

#[derive(Debug, Serialize)]
struct Game {
    id: String,
    winner: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    speed: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'static str>,
    black: Player,
    white: Player,
    /// 0 where unknown.
    year: u16,
    month: Option<String>,
}

#[derive(Debug, Serialize)]
struct Player {
    name: String,
    /// 0 where unknown.
    rating: u16,
}

/// The games of one month.
#[derive(Debug, Serialize)]
struct Month {
    month: String,
    white: u64,
    draws: u64,
    black: u64,
}

/// Finds the answer, as JSON.
///
/// # Errors
/// Those of the searches.
pub(crate) fn find(
    asked: &LichessRequest,
    held: &[DatabaseRef],
    ask: &Ask,
) -> Result<Vec<u8>, Fault> {
    let among: Vec<(DatabaseRef, Query)> = held
        .iter()
        .map(|held| Ok((held.clone(), asked.query(held, ask)?)))
        .collect::<Result<_, Fault>>()?;
    let counts = Counts::new(asked, &among, ask)?;
    let mut rows = counts.rows.iter().take(asked.moves);
    let singles = rows.any(|row| row.sums.games == 1);
    let games = held.iter().zip(&counts.games);
    let games: Vec<(&DatabaseRef, &[GameId])> =
        games.map(|(held, games)| (held, &**games)).collect();
    let mut chosen = games::choose(asked, &games, singles, ask)?;
    let months = std::mem::take(&mut chosen.months);
    let rows = counts.rows.iter().take(asked.moves);
    let moves: Result<_, Fault> = rows
        .map(|row| move_row(asked, row, &chosen, held))
        .collect();
    let list = |wanted: Option<usize>, games: &[(Id, NextMove)]| {
        wanted.map(|_| move_games(games, &counts, held)).transpose()
    };
    let answer = Answer {
        white: counts.total.white,
        draws: counts.total.draws,
        black: counts.total.black,
        moves: moves?,
        recent_games: list(asked.recent_games, &chosen.recent)?,
        top_games: list(asked.top_games, &chosen.top)?,
        opening: (),
        queue_position: asked.player.as_ref().map(|_| 0),
        history: asked
            .history
            .then(|| months.into_iter().map(month).collect()),
    };
    serde_json::to_vec(&answer).map_err(|_| Fault::Internal)
}

fn month(((year, month), [white, draws, black]): ((u16, u8), games::Results)) -> Month {
    Month {
        month: format!("{year:04}-{month:02}"),
        white,
        draws,
        black,
    }
}

fn move_row(
    asked: &LichessRequest,
    row: &Row,
    chosen: &Chosen,
    held: &[DatabaseRef],
) -> Result<MoveRow, Fault> {
    let uci = row.uci();
    let Sums {
        games,
        white,
        draws,
        black,
        ..
    } = row.sums;
    let only = (games == 1)
        .then(|| chosen.by_move.get(&row.next))
        .flatten();
    let player = asked.player.as_ref().map(|player| player.color);
    let moves = |color: Color| color == asked.place.0.turn;
    let sums = &row.sums;
    Ok(MoveRow {
        game: only.map(|&id| game(id, held)).transpose()?,
        opening: (),
        san: row.san.clone(),
        uci,
        average_rating: sums.average_rating().filter(|_| player.is_none()),
        average_opponent_rating: player
            .and_then(|color| sums.average_opponent_rating(moves(color))),
        performance: player.and_then(|color| sums.performance(color, moves(color))),
        white,
        draws,
        black,
    })
}

fn move_games(
    games: &[(Id, NextMove)],
    counts: &Counts,
    held: &[DatabaseRef],
) -> Result<Vec<MoveGame>, Fault> {
    let known = games
        .iter()
        .filter_map(|&(id, next)| Some((id, counts.uci(next)?)));
    let row = |(id, uci)| {
        Ok(MoveGame {
            uci,
            game: game(id, held)?,
        })
    };
    known.map(row).collect()
}

fn game(id: Id, held: &[DatabaseRef]) -> Result<Game, Fault> {
    let database = held.iter().find(|held| held.index == id.database);
    let header = database.ok_or(Fault::Internal)?.header(id.game)?;
    let kind = speeds::of_event(&header.event);
    let player = |name: &str, rating: Option<tabiya::format::Rating>| Player {
        name: name.to_owned(),
        rating: rating.map_or(0, |rating| rating.value.get()),
    };
    let year = header.date.year();
    let month = year.filter(|_| header.date.month() > 0);
    Ok(Game {
        id: id.to_string(),
        winner: match header.result {
            GameResult::WhiteWins => Some("white"),
            GameResult::BlackWins => Some("black"),
            GameResult::Draw | GameResult::Unknown => None,
        },
        speed: kind.map(|(speed, _)| speeds::SPEEDS[speed]),
        mode: kind.map(|(_, mode)| speeds::MODES[mode]),
        black: player(&header.black, header.black_rating),
        white: player(&header.white, header.white_rating),
        year: year.unwrap_or(0),
        month: month.map(|year| format!("{year:04}-{:02}", header.date.month())),
    })
}
