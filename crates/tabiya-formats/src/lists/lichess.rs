//! Games that Lichess exports as JSON.
//!
//! An object has tags in members of other names, the moves in SAN in `moves`, and beside them a
//! clock for each half-move in `clocks` (hundredths of a second) and what the analysis says in
//! `analysis` (`eval` in centipawns for White or `mate` in moves, `judgment`, `variation` in SAN).
//! `createdAt` counts milliseconds since 1970, UTC. Source: the description of Lichess's API, and
//! what Lichess writes for the same games as PGN.

use serde_json::Value;

use super::tags::{comment_text, tag};

/// Seconds of a day.
const DAY: i64 = 86_400;

pub(super) fn tell(game: &Value, pgn: &mut Vec<u8>) {
    tell_tags(game, pgn);
    pgn.push(b'\n');
    let moves = game["moves"].as_str().unwrap_or_default();
    for (ply, san) in moves.split_ascii_whitespace().enumerate() {
        pgn.extend(san.bytes());
        pgn.push(b' ');
        tell_remarks(&game["analysis"][ply], &game["clocks"][ply], pgn);
    }
    pgn.extend(result(game).bytes());
}

fn tell_tags(game: &Value, pgn: &mut Vec<u8>) {
    tag(pgn, "Event", event(game));
    if let Some(id) = game["id"].as_str() {
        tag(pgn, "Site", format!("https://lichess.org/{id}"));
    }
    if let Some(created) = game["createdAt"].as_i64() {
        let seconds = created.div_euclid(1000);
        let (date, time) = (date(seconds.div_euclid(DAY)), seconds.rem_euclid(DAY));
        tag(pgn, "Date", &date);
        tag(pgn, "UTCDate", &date);
        let (hours, minutes) = (time / 3600, time / 60 % 60);
        tag(
            pgn,
            "UTCTime",
            format!("{hours:02}:{minutes:02}:{:02}", time % 60),
        );
    }
    tag(pgn, "Result", result(game));
    for (colour, side) in [("White", "white"), ("Black", "black")] {
        let player = &game["players"][side];
        tag(pgn, colour, name(player));
        for (key, end) in [("rating", "Elo"), ("ratingDiff", "RatingDiff")] {
            if let Some(number) = player[key].as_i64() {
                let sign = if key == "ratingDiff" && number >= 0 {
                    "+"
                } else {
                    ""
                };
                tag(pgn, &format!("{colour}{end}"), format!("{sign}{number}"));
            }
        }
        let title = player["user"]["title"]
            .as_str()
            .or(player["title"].as_str());
        tag(pgn, &format!("{colour}Title"), title.unwrap_or_default());
    }
    let variant = game["variant"].as_str().unwrap_or("standard");
    tag(pgn, "Variant", variant);
    tag(pgn, "TimeControl", time_control(game));
    tag(
        pgn,
        "ECO",
        game["opening"]["eco"].as_str().unwrap_or_default(),
    );
    tag(
        pgn,
        "Opening",
        game["opening"]["name"].as_str().unwrap_or_default(),
    );
    tag(pgn, "Termination", termination(game));
    tag(pgn, "FEN", game["initialFen"].as_str().unwrap_or_default());
}

/// Returns the name of a player: of an account, of an engine, or of somebody else.
fn name(player: &Value) -> String {
    let name = player["user"]["name"].as_str().or(player["name"].as_str());
    // Of exports of 2017.
    let name = name.or(player["userId"].as_str());
    match (name, player["aiLevel"].as_i64()) {
        (Some(name), _) => name.to_owned(),
        (None, Some(level)) => format!("lichess AI level {level}"),
        (None, None) => String::new(),
    }
}

/// Returns the event as Lichess names it in PGN.
fn event(game: &Value) -> String {
    let rated = if game["rated"] == true {
        "rated"
    } else {
        "casual"
    };
    let speed = game["perf"].as_str().or(game["speed"].as_str());
    let speed = speed.unwrap_or_default();
    for kind in ["tournament", "swiss"] {
        if let Some(id) = game[kind].as_str() {
            return format!("{rated} {speed} {kind} https://lichess.org/{kind}/{id}");
        }
    }
    format!("{rated} {speed} game")
}

fn time_control(game: &Value) -> String {
    let clock = &game["clock"];
    match (clock["initial"].as_i64(), clock["increment"].as_i64()) {
        (Some(initial), Some(increment)) => format!("{initial}+{increment}"),
        _ => "-".to_owned(),
    }
}

fn result(game: &Value) -> &'static str {
    let is_over = || match game["status"].as_str() {
        Some("created" | "started" | "aborted" | "noStart" | "unknownFinish") | None => "*",
        Some(_) => "1/2-1/2",
    };
    match game["winner"].as_str() {
        Some("white") => "1-0",
        Some("black") => "0-1",
        _ => is_over(),
    }
}

fn termination(game: &Value) -> &'static str {
    match game["status"].as_str().unwrap_or_default() {
        "created" | "started" => "Unterminated",
        "aborted" | "noStart" => "Abandoned",
        "timeout" | "outoftime" => "Time forfeit",
        "cheat" => "Rules infraction",
        "" | "unknownFinish" => "Unknown",
        _ => "Normal",
    }
}

/// Returns a date as PGN writes it, from the number of days since 1970-01-01, in the calendar of
/// today. Empty for years outside of 1 to 9999.
fn date(days: i64) -> String {
    // Eras of 400 years, counted from March, so that a leap day is the last of its year.
    let days = days.saturating_add(719_468);
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    if (1..=9999).contains(&year) {
        format!("{year:04}.{month:02}.{day:02}")
    } else {
        String::new()
    }
}

/// Appends what is known of the latest half-move: a NAG, a comment and a variation.
fn tell_remarks(analysis: &Value, clock: &Value, pgn: &mut Vec<u8>) {
    let judgment = &analysis["judgment"];
    match judgment["name"].as_str() {
        Some("Inaccuracy") => pgn.extend(b"$6 "),
        Some("Mistake") => pgn.extend(b"$2 "),
        Some("Blunder") => pgn.extend(b"$4 "),
        _ => {}
    }
    let mut parts = Vec::new();
    if let Some(mate) = analysis["mate"].as_i64() {
        parts.push(format!("[%eval #{mate}]"));
    } else if let Some(eval) = analysis["eval"].as_i64() {
        parts.push(format!("[%eval {:.2}]", eval as f64 / 100.0));
    }
    if let Some(hundredths) = clock.as_u64() {
        parts.push(format!("[%clk {}]", clock_text(hundredths)));
    }
    parts.extend(judgment["comment"].as_str().map(str::to_owned));
    if !parts.is_empty() {
        pgn.push(b'{');
        comment_text(pgn, parts.join(" ").as_bytes());
        pgn.extend(b"} ");
    }
    if let Some(variation) = analysis["variation"].as_str() {
        pgn.push(b'(');
        // Words of moves hold no brackets.
        pgn.extend(variation.bytes().filter(|byte| !b"(){};".contains(byte)));
        pgn.extend(b") ");
    }
}

/// Returns a clock as PGN writes it: hours, minutes and seconds.
fn clock_text(hundredths: u64) -> String {
    let (seconds, rest) = (hundredths / 100, hundredths % 100);
    let whole = format!(
        "{}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    );
    match (rest, rest % 10) {
        (0, _) => whole,
        (_, 0) => format!("{whole}.{}", rest / 10),
        _ => format!("{whole}.{rest:02}"),
    }
}
