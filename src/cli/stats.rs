//! `stats`: results, years, ratings, openings, lengths, players and events.

use std::{fmt::Display, io::Write as _};

use serde_json::Value;
use tabiya::{
    Flow, GameId, GameSet, Report, Stats, StatsOptions, Tally,
    chess::{GameResult, NameKind},
};

use super::{
    args::{RowFormat, StatsArgs},
    columns::{Columns, or_empty},
    databases,
    failure::Outcome,
    interrupt,
    output::{self, Output},
    progress::Progress,
    query,
    render::Object,
    search,
};

/// The results in the order in which people tell them.
const RESULTS: [GameResult; 4] = [
    GameResult::WhiteWins,
    GameResult::Draw,
    GameResult::BlackWins,
    GameResult::Unknown,
];

pub(crate) fn run(args: &StatsArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let query = query::read(&args.query)?;
    let database = databases::open(&args.database)?;
    search::prepare(&args.run)?;
    let mut games: Vec<GameId> = Vec::new();
    let mut progress = Progress::new("games");
    let report = search::search(&query, &args.run)
        .plies(false)
        .for_each_with_progress(
            &database,
            |hit| {
                games.push(hit.game);
                Flow::Continue(())
            },
            |at| progress.update(at.done, at.total),
        )?;
    progress.clear();
    // Half the games have other statistics.
    interrupt::check()?;
    let options = StatsOptions {
        eco_depth: args.eco_depth.into(),
        top: args.top,
    };
    let games: GameSet = games.into_iter().collect();
    let stats = database.stats(&games, &options);
    if stats.total.games() > 0 {
        match args.format {
            RowFormat::Table => tables(&stats, out)?,
            RowFormat::Jsonl => objects(&stats, out)?,
        }
        warn(&database, &report);
    }
    Ok(Outcome::of_matches(stats.total.games() > 0))
}

/// Says what the statistics lack because of damage.
fn warn(database: &tabiya::Database, report: &Report) {
    if report.damaged > 0 {
        output::warn(&format!(
            "damaged games left out: {}; `tabiya verify` lists them",
            report.damaged
        ));
    }
    if database.name_count(NameKind::Player).is_ok() {
        databases::warn_of_names(database);
    }
}

/// Returns a part in percent with one digit.
fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

fn share(tally: &Tally, of: &Tally) -> f64 {
    f64::from(tally.games()) / f64::from(of.games().max(1))
}

fn tables(stats: &Stats, out: &mut Output) -> anyhow::Result<()> {
    let total = &stats.total;
    let mut columns = Columns::new(&["result", "#games", "#%"]);
    for result in RESULTS {
        let games = total.count(result);
        let share = f64::from(games) / f64::from(total.games().max(1));
        columns.row([result.to_string(), games.to_string(), percent(share)]);
    }
    columns.row(["all".to_owned(), total.games().to_string(), percent(1.0)]);
    columns.print(out)?;
    let number = |mean: Option<f64>| or_empty(mean.map(|mean| format!("{mean:.1}")));
    let mut columns = Columns::new(&["", "#White", "#Black", "#all"]);
    columns.row([
        "score %".to_owned(),
        or_empty(total.white_score().map(percent)),
        or_empty(total.black_score().map(percent)),
        String::new(),
    ]);
    let mean = &stats.mean_ratings;
    columns.row([
        "mean rating".to_owned(),
        number(mean.white),
        number(mean.black),
        number(mean.all),
    ]);
    let lengths = &stats.lengths;
    let empty = String::new;
    let mean_plies = number(lengths.mean_plies);
    columns.row(["mean plies".to_owned(), empty(), empty(), mean_plies]);
    let median_plies = number(lengths.median_plies);
    columns.row(["median plies".to_owned(), empty(), empty(), median_plies]);
    next(columns, out)?;
    let titles = &["year", "#games", "#%", "#score"];
    next(tallies(titles, &stats.years, total), out)?;
    let titles = &["rating", "#games", "#%", "#score"];
    next(tallies(titles, &stats.ratings, total), out)?;
    let titles = &["eco", "#games", "#%", "#score"];
    next(tallies(titles, &stats.openings, total), out)?;
    let titles = &["moves from", "#games", "#%", "#score"];
    next(tallies(titles, &lengths.by_ten_moves, total), out)?;
    let mut columns = Columns::new(&["player", "#games", "#white", "#black", "#score"]);
    for player in &stats.players {
        columns.row([
            player.name.clone(),
            player.games().to_string(),
            player.as_white.games().to_string(),
            player.as_black.games().to_string(),
            or_empty(player.score().map(percent)),
        ]);
    }
    next(columns, out)?;
    let events = stats.events.iter().map(|event| (&event.name, &event.games));
    next(
        tallies(&["event", "#games", "#%", "#score"], events, total),
        out,
    )
}

/// Returns a table of games by something.
fn tallies<'t, K: Display>(
    titles: &'static [&'static str; 4],
    rows: impl IntoIterator<Item = (K, &'t Tally)>,
    total: &Tally,
) -> Columns {
    let mut columns = Columns::new(titles);
    for (key, tally) in rows {
        columns.row([
            key.to_string(),
            tally.games().to_string(),
            percent(share(tally, total)),
            or_empty(tally.white_score().map(percent)),
        ]);
    }
    columns
}

/// Prints another table below those before.
fn next(columns: Columns, out: &mut Output) -> anyhow::Result<()> {
    if !columns.is_empty() {
        writeln!(out)?;
    }
    columns.print(out)
}

fn objects(stats: &Stats, out: &mut Output) -> anyhow::Result<()> {
    let total = &stats.total;
    let lengths = &stats.lengths;
    let mean = &stats.mean_ratings;
    object(
        out,
        "all",
        Value::Null,
        total,
        total,
        &[
            ("blackScore", total.black_score().into()),
            ("whiteElo", mean.white.into()),
            ("blackElo", mean.black.into()),
            ("elo", mean.all.into()),
            ("meanPlies", lengths.mean_plies.into()),
            ("medianPlies", lengths.median_plies.into()),
        ],
    )?;
    for (&year, tally) in &stats.years {
        object(out, "year", year.into(), tally, total, &[])?;
    }
    for (&rating, tally) in &stats.ratings {
        object(out, "elo", rating.into(), tally, total, &[])?;
    }
    for (eco, tally) in &stats.openings {
        object(out, "eco", eco.as_str().into(), tally, total, &[])?;
    }
    for (&moves, tally) in &lengths.by_ten_moves {
        object(out, "moves", moves.into(), tally, total, &[])?;
    }
    for player in &stats.players {
        let mut object = Object::begin(&mut *out)?;
        object.field("by", &"player".into())?;
        object.field("key", &player.name.as_str().into())?;
        object.field("games", &player.games().into())?;
        object.field("white", &player.as_white.games().into())?;
        object.field("black", &player.as_black.games().into())?;
        object.field("score", &player.score().into())?;
        object.end()?;
    }
    for event in &stats.events {
        let name = event.name.as_str().into();
        object(out, "event", name, &event.games, total, &[])?;
    }
    Ok(())
}

/// Prints one row as an object: by what and which, games, results, White's score.
fn object(
    out: &mut Output,
    by: &str,
    key: Value,
    tally: &Tally,
    total: &Tally,
    more: &[(&str, Value)],
) -> anyhow::Result<()> {
    let mut object = Object::begin(out)?;
    object.field("by", &by.into())?;
    object.field("key", &key)?;
    object.field("games", &tally.games().into())?;
    object.field("share", &share(tally, total).into())?;
    for result in RESULTS {
        object.field(result.as_str(), &tally.count(result).into())?;
    }
    object.field("whiteScore", &tally.white_score().into())?;
    for (name, value) in more {
        object.field(name, value)?;
    }
    Ok(object.end()?)
}
