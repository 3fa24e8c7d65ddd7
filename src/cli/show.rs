//! `show`: prints games by number.

use std::{io::Write as _, ops::RangeInclusive, path::Path, sync::Arc};

use serde_json::Value;
use tabiya::{
    Database, Diagram, Error, GameId, Line, LineEnd, LineMove, Match,
    format::{GameDamage, Visitor},
};

use super::{
    args::{ShowArgs, ShowFormat},
    databases::{self, Opened},
    failure::{Outcome, Usage},
    interrupt,
    output::{self, Output, one_line},
    pgn_text::{self, SoundText},
    query,
    render::{Aside, Object, Row, opening},
};

/// The NAG for a diagram, used to mark a place in PGN.
const DIAGRAM: u8 = 220;

pub(crate) fn run(args: &ShowArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let parts = databases::open_or_indexed(&args.database)?;
    let ranges = ranges(args, &parts)?;
    if ranges.is_empty() {
        return Ok(Outcome::Nothing);
    }
    let games = ranges.iter().cloned().flatten();
    if args.format == ShowFormat::Svg && games.take(2).count() > 1 {
        let message = "an SVG document is one board: give one game number";
        return Err(Usage(message.to_owned()).into());
    }
    interrupt::watch();
    let mut outcome = Outcome::Done;
    let mut is_first = true;
    for number in ranges.into_iter().flatten() {
        interrupt::check()?;
        let (opened, game) = game(&parts, number)?;
        if args.format == ShowFormat::Board && !std::mem::take(&mut is_first) {
            writeln!(out)?;
        }
        match text(args, opened, game) {
            Ok((text, damage)) => {
                out.write_all(text.as_bytes())?;
                if let Some(damage) = damage {
                    output::complain(&format!(
                        "tabiya: error: {}; the rest is shown",
                        damage.cause
                    ));
                    outcome = Outcome::Damaged;
                }
            }
            Err(error) if is_damaged(&error) => {
                output::complain(&format!("tabiya: error: {error}"));
                outcome = Outcome::Damaged;
            }
            Err(error) => return Err(error),
        }
    }
    for part in &parts {
        databases::warn_of_names(&part.database);
    }
    Ok(outcome)
}

/// Returns the game with a number, and the part of the database that it is in.
fn game(parts: &[Arc<Opened>], number: u32) -> anyhow::Result<(&Opened, GameId)> {
    let in_part = |part: &Arc<Opened>| number <= last_number(&part.database);
    let part = parts.iter().find(|part| in_part(part)).or(parts.last());
    let part = part.ok_or_else(|| Usage("there are no games".to_owned()))?;
    let last = last_number(&part.database);
    if parts.len() > 1 && number > last {
        let message = format!("there is no game {number}; the last one is {last}");
        return Err(Usage(message).into());
    }
    Ok((part, part.database.game(number)?))
}

/// Returns what is sound of a game in the requested format, and its damage.
fn text(args: &ShowArgs, opened: &Opened, game: GameId) -> anyhow::Result<SoundText> {
    let database = &opened.database;
    let place = match (args.ply, &args.line) {
        (_, Some(moves)) => Some(LineEnd::Moves(moves)),
        (Some(ply), None) => Some(LineEnd::Ply(ply)),
        (None, None) => None,
    };
    match (args.format, place) {
        (ShowFormat::Pgn, None) => Ok(pgn_text::game(database, game)?),
        (ShowFormat::Pgn, Some(place)) => {
            let last = line(database, game, place)?.last;
            Ok(pgn_text::marked(database, game, last, DIAGRAM)?)
        }
        (ShowFormat::Jsonl, place) => object(opened, game, place),
        (ShowFormat::Board, place) => board(database, game, place.unwrap_or(LineEnd::Last)),
        (ShowFormat::Svg, place) => {
            let line = line(database, game, place.unwrap_or(LineEnd::Last))?;
            let title = title(database, game, &line)?;
            let last_move = line.moves.last().and_then(LineMove::squares);
            let diagram = Diagram::new(&line.end).title(&title);
            Ok((diagram.last_move(last_move).svg(), damage(database, game)?))
        }
    }
}

/// Returns a line of a game, or an error if it has no such line.
fn line(database: &Database, game: GameId, end: LineEnd<'_>) -> anyhow::Result<Line> {
    if let Some(line) = database.line(game, end)? {
        return Ok(line);
    }
    let number = database.number(game);
    Err(Usage(match end {
        LineEnd::Ply(ply) => {
            let last = database.plies(game)?;
            format!("game {number} has no ply {ply}; its last one is {last}")
        }
        LineEnd::Moves(moves) => format!("game {number} has no line `{moves}`"),
        _ => format!("game {number} has no such place"),
    })
    .into())
}

/// Returns whether a single game caused the error, so that the others can be shown.
fn is_damaged(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<Error>();
    error.is_some_and(|error| error.game().is_some())
}

/// Greatest length of the numbers on standard input.
const NUMBERS_BYTES_MAX: usize = 64 << 20;

/// Reads all numbers: the arguments, and standard input for `-`.
fn ranges(args: &ShowArgs, parts: &[Arc<Opened>]) -> anyhow::Result<Vec<RangeInclusive<u32>>> {
    let stdin = Path::new("-");
    if args.database == stdin && args.numbers.iter().any(|text| text == "-") {
        let message = "standard input cannot be both the database and the numbers";
        return Err(Usage(message.to_owned()).into());
    }
    let mut ranges = Vec::new();
    for text in &args.numbers {
        match text.as_str() {
            "-" => {
                let piped = query::text_of(stdin, NUMBERS_BYTES_MAX + 1)?;
                if piped.len() > NUMBERS_BYTES_MAX {
                    let message = format!("more than {NUMBERS_BYTES_MAX} bytes of game numbers");
                    return Err(Usage(message).into());
                }
                for text in piped.split_whitespace() {
                    ranges.push(range(text, parts)?);
                }
            }
            text => ranges.push(range(text, parts)?),
        }
    }
    Ok(ranges)
}

/// Parses a number or a range of numbers and checks that the games exist.
fn range(text: &str, parts: &[Arc<Opened>]) -> anyhow::Result<RangeInclusive<u32>> {
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
        Some((first, "")) => {
            let last = parts.last().map_or(0, |part| last_number(&part.database));
            (number(first)?, last)
        }
        Some((first, last)) => (number(first)?, number(last)?),
    };
    if first == 0 || last == 0 {
        return Err(Usage("games are numbered from 1 on".to_owned()).into());
    }
    for number in [first, last] {
        game(parts, number)?;
    }
    if first > last {
        return Err(Usage(format!("the range `{text}` runs backwards")).into());
    }
    Ok(first..=last)
}

fn last_number(database: &Database) -> u32 {
    let last = database.games().next_back();
    last.map_or(0, |game| database.number(game))
}

/// Returns a game as a line of JSON: the header, the main line, and the requested place.
fn object(opened: &Opened, game: GameId, place: Option<LineEnd<'_>>) -> anyhow::Result<SoundText> {
    let main = line(&opened.database, game, LineEnd::Last)?;
    let mut row = Row::new(opened, Match::from(game), false)?;
    row.plies = u32::try_from(main.moves.len()).unwrap_or(u32::MAX);
    let mut text = Vec::new();
    let mut object = Object::begin(&mut text)?;
    object.row(&row)?;
    object.field("opening", &opening(&opened.database, game).into())?;
    let start = main.start.as_ref().map(|start| Diagram::new(start).fen());
    let (san, uci): (Vec<Value>, Vec<Value>) = main
        .moves
        .into_iter()
        .map(|played| (Value::from(played.san), Value::from(played.uci)))
        .unzip();
    object.field("fen", &start.into())?;
    object.field("san", &san.into())?;
    object.field("uci", &uci.into())?;
    let mut aside = Aside::new(Vec::new(), false, true);
    let damage = aside.visit(&opened.database, game)?;
    // Few games have them.
    for (name, list) in [("clocks", aside.clocks()), ("evals", aside.evals())] {
        if let Some(list) = list {
            object.field(name, &serde_json::from_str(&list)?)?;
        }
    }
    if let Some(place) = place {
        let line = line(&opened.database, game, place)?;
        object.field("ply", &line.moves.len().into())?;
        object.field("line", &line.san().into())?;
        object.field("position", &Diagram::new(&line.end).fen().into())?;
    }
    object.end()?;
    Ok((String::from_utf8(text)?, damage))
}

/// Returns a position of a game: a title, the board, the FEN.
fn board(database: &Database, game: GameId, place: LineEnd<'_>) -> anyhow::Result<SoundText> {
    let line = line(database, game, place)?;
    let (title, diagram) = (title(database, game, &line)?, Diagram::new(&line.end));
    let text = format!("{title}\n{}{}\n", diagram.text(), diagram.fen());
    Ok((text, damage(database, game)?))
}

/// Returns the damage of a game of which something is shown.
fn damage(database: &Database, game: GameId) -> anyhow::Result<Option<GameDamage>> {
    struct Nobody;
    impl Visitor for Nobody {}
    Ok(database.visit_sound(game, &mut Nobody)?)
}

/// Returns the title of a position: the game, its result, the ply and the last move.
fn title(database: &Database, game: GameId, line: &Line) -> anyhow::Result<String> {
    let header = database.header(game)?;
    let last = line.moves.last();
    let arrived = last.map_or_else(String::new, |played| format!(" after {}", played.san));
    Ok(format!(
        "{}: {} - {} {}, ply {}{arrived}",
        database.number(game),
        one_line(&header.white),
        one_line(&header.black),
        header.result,
        line.moves.len(),
    ))
}
