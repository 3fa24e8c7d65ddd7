//! `/api/pasted`: what a text means that somebody has pasted: FEN, PGN, or the address of a board
//! on lichess.org. Nothing is fetched from anywhere. A game that is more than a line of moves is
//! told with everything it has.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, EnPassantMode, fen::Fen};
use tabiya::{Database, Diagram, Error, FormatKind, GameId, LineEnd, Parts, format::Visitor};

use super::{
    game::Whole,
    json, posted, to_json,
    web_address::{Meant, meant},
};
use crate::{
    errors::{Fault, neutral},
    params::{LINE_MOVES_MAX, position},
    state::Explorer,
};

/// Bytes of a text. Games of people have some thousand.
pub(super) const TEXT_BYTES_MAX: usize = 256 << 10;

/// Moves of all lines of a game that can be gone on with.
pub(super) const MOVES_MAX: usize = 5000;
/// Variations of such a game that stand one inside the other.
pub(super) const DEPTH_MAX: u16 = 60;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Posted {
    text: String,
}

/// That a text means nothing is an answer like that it means something, since people paste
/// whatever they have.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct Answer {
    /// `fen` or `pgn`; null if it is neither.
    kind: Option<&'static str>,
    /// Where the moves begin; empty for the start position.
    fen: String,
    /// Moves in UCI notation.
    play: Vec<String>,
    /// What was left out.
    note: Option<String>,
    /// Why the text means no position.
    fault: Option<String>,
    /// All of the game, if it has tags, comments, marks or variations; null otherwise.
    game: Option<Whole>,
}

pub(super) async fn read(State(explorer): State<Arc<Explorer>>, request: Request) -> Response {
    match posted(&explorer, request).await {
        Ok(posted) => answer(&explorer, posted).await.into_response(),
        Err(response) => response,
    }
}

async fn answer(explorer: &Arc<Explorer>, posted: Posted) -> Result<Response, Fault> {
    let read = explorer.look(Vec::new(), move |_| to_json(&understood(&posted.text)));
    Ok(json(read.await?))
}

fn understood(text: &str) -> Answer {
    let text = text.trim().trim_start_matches('\u{feff}');
    let read = if text.is_empty() {
        Err("nothing was pasted".to_owned())
    } else if text.len() > TEXT_BYTES_MAX {
        Err(format!(
            "the text is longer than {} KB; paste one game",
            TEXT_BYTES_MAX >> 10
        ))
    } else {
        match meant(text) {
            None if is_fen(text) => from_fen(text),
            None => from_pgn(text),
            Some(Meant::Fen(fen)) => from_fen(&fen),
            Some(Meant::Moves(moves)) => from_pgn(&moves),
            Some(Meant::Nothing(fault)) => Err(fault),
        }
    };
    read.unwrap_or_else(|fault| Answer {
        fault: Some(fault),
        ..Answer::default()
    })
}

/// Tells whether a text can only be a FEN: PGN has no word with seven strokes.
fn is_fen(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    first.matches('/').count() >= 7 && !text.starts_with('[')
}

fn from_fen(fen: &str) -> Result<Answer, String> {
    let position = position(fen).map_err(|fault| fault.text())?;
    let fen = Fen::from_position(&position, EnPassantMode::Legal);
    let is_start = fen == Fen::from_position(&Chess::default(), EnPassantMode::Legal);
    Ok(Answer {
        kind: Some("fen"),
        fen: if is_start {
            String::new()
        } else {
            fen.to_string()
        },
        ..Answer::default()
    })
}

/// Opens a text as a database.
pub(super) fn database(text: &str) -> Result<Database, Error> {
    // The line feed before it keeps a text from being taken for a compressed file.
    let mut parts = Parts::new(format!("\n{text}").into_bytes());
    parts.format = Some(FormatKind::Pgn);
    Database::from_bytes(parts)
}

/// Reads the first game of a text.
fn from_pgn(text: &str) -> Result<Answer, String> {
    let database = database(text).map_err(|error| neutral(&error))?;
    let line = match database.len() {
        0 => None,
        _ => {
            let line = database.line(GameId(0), LineEnd::Last);
            line.map_err(|error| {
                let what = neutral(&error);
                format!("{what}; expected a FEN, PGN or the address of a board")
            })?
        }
    };
    let line = line.filter(|line| !line.moves.is_empty() || line.start.is_some());
    let Some(line) = line else {
        return Err("this is no FEN, no PGN and no address of a board".to_owned());
    };
    let legal = line
        .moves
        .iter()
        .take_while(|played| played.played.is_some());
    let play: Vec<String> = legal
        .take(LINE_MOVES_MAX)
        .map(|played| played.uci.clone())
        .collect();
    let note = if let Some(damage) = damage(&database)? {
        Some(format!("{damage}; the moves before it are shown"))
    } else if play.len() < line.moves.len() {
        Some(format!(
            "{} moves are shown, up to where a null move or too many follow",
            play.len()
        ))
    } else {
        (database.len() > 1).then(|| format!("the first of {} games is shown", database.len()))
    };
    Ok(Answer {
        kind: Some("pgn"),
        fen: line
            .start
            .as_ref()
            .map_or_else(String::new, |start| Diagram::new(start).fen()),
        play,
        note,
        fault: None,
        game: whole(text, &database)?,
    })
}

/// Returns all of the first game if it is more than a line of moves.
fn whole(text: &str, database: &Database) -> Result<Option<Whole>, String> {
    let whole = Whole::of(database, GameId(0)).map_err(|fault| fault.text())?;
    if whole.moves() > MOVES_MAX || whole.depth() > DEPTH_MAX {
        let limits = format!("{MOVES_MAX} moves or variations nested {DEPTH_MAX} times");
        return Err(format!("the game has more than {limits}"));
    }
    Ok((text.starts_with('[') || whole.is_annotated()).then_some(whole))
}

/// Returns what is wrong with the first game, of which something could be read.
fn damage(database: &Database) -> Result<Option<String>, String> {
    struct Nobody;
    impl Visitor for Nobody {}
    let damage = database.visit_sound(GameId(0), &mut Nobody);
    let damage = damage.map_err(|error| neutral(&error))?;
    Ok(damage.map(|damage| neutral(&damage.cause)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(text: &str) -> String {
        let answer = understood(text);
        assert_eq!(answer.fault, None, "{text}");
        answer.play.join(",")
    }

    #[test]
    fn games_are_read_with_and_without_tags_and_numbers() {
        for text in [
            "1. e4 c5 2. Nf3",
            "1.e4 c5 2.Nf3",
            "e4 c5 Nf3",
            "1. e4 {a comment} c5 (1... e5) 2. Nf3 $1 *",
            "[Event \"x\"]\n[White \"<img src=x onerror=alert(1)>\"]\n\n1. e4 c5\n2. Nf3 1-0\n",
        ] {
            assert_eq!(play(text), "e2e4,c7c5,g1f3", "{text}");
        }
        let two = understood("1. e4 *\n\n[Event \"b\"]\n\n1. d4 *\n");
        assert_eq!(two.play, ["e2e4"]);
        assert_eq!(two.note.as_deref(), Some("the first of 2 games is shown"));
        let placed = understood("[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 *");
        assert_eq!(
            (&*placed.fen, &placed.play[..]),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", &["e2e4".to_owned()][..])
        );
    }

    #[test]
    fn a_game_that_is_more_than_moves_is_told_with_everything() {
        for text in [
            "[Event \"x\"]\n\n1. e4 *",
            "{first} 1. e4 *",
            "1. e4 {last} *",
            "1. e4! *",
            "1. e4 (1. d4) *",
        ] {
            assert!(understood(text).game.is_some(), "{text}");
        }
        for text in ["1. e4 c5 *", "e4 c5", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"] {
            assert!(understood(text).game.is_none(), "{text}");
        }
        let deep =
            |depth: usize| format!("1. e4 {}*", "(1. d4 ".repeat(depth) + &") ".repeat(depth));
        assert!(understood(&deep(60)).game.is_some());
        let fault = understood(&deep(61)).fault.unwrap_or_default();
        assert!(fault.contains("nested 60 times"), "{fault}");
    }

    #[test]
    fn moves_before_a_bad_one_are_shown() {
        let answer = understood("1. e4 e5 2. Ke3");
        assert_eq!(
            (answer.fault, answer.play.join(",")),
            (None, "e2e4,e7e5".to_owned())
        );
        let note = answer.note.unwrap_or_default();
        assert!(note.contains("game 1: illegal move Ke3"), "{note}");
    }

    #[test]
    fn what_means_no_position_is_told() {
        for (text, told) in [
            ("", "nothing was pasted"),
            ("hello", "address of a board"),
            ("8/8/8/8/8/8/8/8 w", "the board is empty"),
            ("PK\u{3}\u{4}\u{0}", "address of a board"),
            ("BZh91AY&SY", "address of a board"),
            ("1. Ke3", "game 1"),
            (&"e4 ".repeat(100_000), "longer than 256 KB"),
        ] {
            let fault = understood(text).fault.unwrap_or_default();
            assert!(
                fault.contains(told),
                "{}: {fault}",
                text.get(..20).unwrap_or(text)
            );
        }
    }

    #[test]
    fn what_follows_a_null_move_is_left_out_and_that_is_told() {
        let answer = understood("1. e4 -- 2. d4 *");
        assert_eq!(answer.play, ["e2e4"]);
        assert!(
            answer
                .note
                .expect("a note")
                .starts_with("1 moves are shown")
        );
    }
}
