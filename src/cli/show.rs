//! `show`: games by number.

use std::{io::Write as _, ops::RangeInclusive};

use serde_json::Value;
use tabiya::{Database, Error, GameId, Match};

use super::{
    args::{ShowArgs, ShowFormat},
    board,
    databases::{self, Opened},
    failure::{Interrupted, Outcome, Usage},
    interrupt,
    line::MainLine,
    output::{self, Output, one_line},
    pgn_text,
    render::{Object, Row},
};

pub(crate) fn run(args: &ShowArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    if args.ply.is_some() && args.format != ShowFormat::Board {
        return Err(Usage("--ply goes with --format board only".to_owned()).into());
    }
    let database = databases::open(&args.database)?;
    let label = database.name();
    let opened = Opened { database, label };
    let ranges: Vec<_> = args
        .numbers
        .iter()
        .map(|text| range(text, &opened.database))
        .collect::<anyhow::Result<_>>()?;
    interrupt::watch();
    let mut outcome = Outcome::Done;
    let mut is_first = true;
    for game in ranges.into_iter().flatten().filter_map(GameId::from_number) {
        if interrupt::requested() {
            return Err(Interrupted.into());
        }
        if args.format == ShowFormat::Board && !std::mem::take(&mut is_first) {
            writeln!(out)?;
        }
        let text = match args.format {
            ShowFormat::Pgn => pgn_text::game(&opened.database, game).map_err(Into::into),
            ShowFormat::Jsonl => object(&opened, game),
            ShowFormat::Board => position(&opened.database, game, args.ply),
        };
        match text {
            Ok(text) => out.write_all(text.as_bytes())?,
            Err(error) if is_damaged(&error) => {
                output::complain(&format!("tabiya: error: {error}"));
                outcome = Outcome::Damaged;
            }
            Err(error) => return Err(error),
        }
    }
    databases::warn_of_names(&opened.database);
    Ok(outcome)
}

/// Tells whether one game is at fault, so that the others can be shown.
fn is_damaged(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<Error>();
    error.is_some_and(|error| error.game().is_some())
}

/// Reads a number or a range of numbers and checks that there are such games.
fn range(text: &str, database: &Database) -> anyhow::Result<RangeInclusive<u32>> {
    let wrong = || {
        Usage(format!(
            "`{text}` is neither a game number nor a range `3..7`"
        ))
    };
    let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
    let (first, last) = match text.split_once("..") {
        None => {
            let number = number(text)?;
            (number, number)
        }
        Some(("", "")) => return Err(wrong().into()),
        Some(("", last)) => (1, number(last)?),
        Some((first, "")) => (number(first)?, database.len()),
        Some((first, last)) => (number(first)?, number(last)?),
    };
    if first == 0 || last == 0 {
        return Err(Usage("games are numbered from 1 on".to_owned()).into());
    }
    for number in [first, last] {
        if let Some(game) = GameId::from_number(number) {
            database.facts(game)?;
        }
    }
    if first > last {
        return Err(Usage(format!("the range `{text}` runs backwards")).into());
    }
    Ok(first..=last)
}

/// Returns a game as a line of JSON: the header and the main line.
fn object(opened: &Opened, game: GameId) -> anyhow::Result<String> {
    let line = MainLine::read(&opened.database, game, None)?;
    let mut row = Row::new(opened, Match { game, ply: None }, false)?;
    row.plies = u32::try_from(line.moves.len()).unwrap_or(u32::MAX);
    let mut text = Vec::new();
    let mut object = Object::begin(&mut text)?;
    object.row(&row)?;
    let (san, uci): (Vec<Value>, Vec<Value>) = line
        .moves
        .into_iter()
        .map(|written| (Value::from(written.san), Value::from(written.uci)))
        .unzip();
    object.field("fen", &line.start.into())?;
    object.field("san", &san.into())?;
    object.field("uci", &uci.into())?;
    object.end()?;
    Ok(String::from_utf8(text)?)
}

/// Returns a position of a game: a line that says which, the board, the FEN.
fn position(database: &Database, game: GameId, ply: Option<u32>) -> anyhow::Result<String> {
    let line = MainLine::read(database, game, ply)?;
    let played = line.moves.len();
    if let Some(ply) = ply.filter(|ply| *ply as usize > played) {
        let number = game.number();
        let message = format!("game {number} has no ply {ply}; its last one is {played}");
        return Err(Usage(message).into());
    }
    let header = database.header(game)?;
    let last = line.moves.last();
    let arrived = last.map_or_else(String::new, |written| format!(" after {}", written.san));
    Ok(format!(
        "{}: {} - {} {}, ply {played}{arrived}\n{}{}\n",
        game.number(),
        one_line(&header.white),
        one_line(&header.black),
        header.result,
        board::draw(line.point.board()),
        line.point.fen(),
    ))
}
