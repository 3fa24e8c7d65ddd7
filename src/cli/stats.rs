//! `stats`: results, years, ratings, openings, lengths, players and events.

use std::{cmp::Reverse, collections::BTreeMap, fmt::Display, io::Write as _};

use serde_json::Value;
use tabiya::{
    Flow, GameId, GameSet, Query, Stats, StatsOptions, StatsSum, Tally,
    chess::{GameResult, NameKind},
};

use super::{
    args::{RowFormat, StatsArgs},
    columns::{Columns, or_empty},
    databases::{self, Opened},
    failure::Outcome,
    interrupt,
    output::Output,
    progress::Progress,
    query,
    render::Records,
    running,
};

/// The results in the usual order.
const RESULTS: [GameResult; 4] = [
    GameResult::WhiteWins,
    GameResult::Draw,
    GameResult::BlackWins,
    GameResult::Unknown,
];

/// Names of the machine-readable fields: not every row has all of them.
const NAMES: [&str; 20] = [
    "by",
    "key",
    "games",
    "share",
    "1-0",
    "1/2-1/2",
    "0-1",
    "*",
    "whiteScore",
    "blackScore",
    "whiteElo",
    "blackElo",
    "elo",
    "meanPlies",
    "medianPlies",
    "unknownLengths",
    "white",
    "black",
    "oneself",
    "score",
];

pub(crate) fn run(args: &StatsArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let (paths, words) = databases::split(&args.query)?;
    let query = query::read_with(words, &args.query)?;
    let mut options = databases::options().clone();
    // Of all games the lengths are wanted too.
    if query != Query::All {
        options = options.for_query(&query);
    }
    let databases = databases::open_all(&paths, &options)?;
    interrupt::watch();
    let mut sums = StatsSum::default();
    let mut names: BTreeMap<&'static str, Tally> = BTreeMap::new();
    for source in &databases {
        let mut damaged = 0;
        for opened in source.parts() {
            let opened = opened?;
            let (games, left_out) = games(&query, &opened, args)?;
            damaged += left_out;
            let mut progress = Progress::new("games to measure");
            sums.add(&opened.database, &games, |at| progress.update(at))?;
            if args.openings {
                let mut progress = Progress::new("games to name");
                for (name, tally) in opened
                    .database
                    .on_progress(|at| progress.update(at))
                    .openings(&games)?
                {
                    names.entry(name).or_default().merge(&tally);
                }
            }
        }
        databases::warn_of_damaged(source.path(), damaged);
    }
    let options = StatsOptions::new()
        .eco_depth(args.eco_depth.into())
        .top(args.top);
    let stats = sums.finish(&options);
    let mut openings: Vec<(&str, Tally)> = names.into_iter().collect();
    openings.sort_by_key(|(_, tally)| Reverse(tally.games()));
    openings.truncate(args.top);
    if stats.total.games() == 0 {
        running::hint(&query, databases::whole(&databases))?;
        return Ok(Outcome::Nothing);
    }
    match args.format {
        RowFormat::Table => tables(&stats, &openings, out)?,
        RowFormat::Csv => records(&stats, &openings, &mut Records::csv(&NAMES, out)?)?,
        RowFormat::Jsonl => records(&stats, &openings, &mut Records::Jsonl(out))?,
    }
    // PGN, of which there may be parts, always has its names.
    for database in databases::whole(&databases) {
        if database.name_count(NameKind::Player).is_ok() {
            databases::warn_of_names(database);
        }
    }
    Ok(Outcome::Done)
}

/// Returns the games of a query, and the number of damaged ones.
fn games(query: &Query, opened: &Opened, args: &StatsArgs) -> anyhow::Result<(GameSet, u64)> {
    let mut games: Vec<GameId> = Vec::new();
    let mut progress = Progress::new("games");
    let search = args.run.search(query).plies(false);
    let report =
        search
            .on_progress(|at| progress.update(at))
            .for_each(&opened.database, |hit| {
                games.push(hit.game);
                Flow::Continue(())
            })?;
    progress.clear();
    // An incomplete set of games has other statistics.
    interrupt::check()?;
    Ok((games.into_iter().collect(), report.damaged))
}

/// Returns a share in percent with one decimal.
fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

fn share(tally: &Tally, of: &Tally) -> f64 {
    f64::from(tally.games()) / f64::from(of.games().max(1))
}

fn tables(stats: &Stats, openings: &[(&str, Tally)], out: &mut Output) -> anyhow::Result<()> {
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
    if lengths.unknown > 0 {
        let unknown = lengths.unknown.to_string();
        columns.row(["length unknown".to_owned(), empty(), empty(), unknown]);
    }
    next(columns, out)?;
    let titles = &["year", "#games", "#%", "#score"];
    next(tallies(titles, &stats.years, total), out)?;
    let titles = &["rating", "#games", "#%", "#score"];
    next(tallies(titles, &stats.ratings, total), out)?;
    let titles = &["eco", "#games", "#%", "#score"];
    next(tallies(titles, &stats.openings, total), out)?;
    let named = openings.iter().map(|(name, tally)| (*name, tally));
    next(
        tallies(&["opening", "#games", "#%", "#score"], named, total),
        out,
    )?;
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

/// Returns a table of games by key.
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

/// Prints another table after the previous ones.
fn next(columns: Columns, out: &mut Output) -> anyhow::Result<()> {
    if !columns.is_empty() {
        writeln!(out)?;
    }
    columns.print(out)
}

fn records(
    stats: &Stats,
    openings: &[(&str, Tally)],
    records: &mut Records<'_>,
) -> anyhow::Result<()> {
    let total = &stats.total;
    let lengths = &stats.lengths;
    let mean = &stats.mean_ratings;
    let mut row = |by, key: Value, tally: &Tally, more: &[(&'static str, Value)]| {
        let mut fields = vec![
            ("by", Value::from(by)),
            ("key", key),
            ("games", tally.games().into()),
            ("share", share(tally, total).into()),
        ];
        fields.extend(RESULTS.map(|result| (result.as_str(), tally.count(result).into())));
        fields.push(("whiteScore", tally.white_score().into()));
        fields.extend_from_slice(more);
        records.row(&fields)
    };
    let all = [
        ("blackScore", total.black_score().into()),
        ("whiteElo", mean.white.into()),
        ("blackElo", mean.black.into()),
        ("elo", mean.all.into()),
        ("meanPlies", lengths.mean_plies.into()),
        ("medianPlies", lengths.median_plies.into()),
        ("unknownLengths", lengths.unknown.into()),
    ];
    row("all", Value::Null, total, &all)?;
    for (&year, tally) in &stats.years {
        row("year", year.into(), tally, &[])?;
    }
    for (&rating, tally) in &stats.ratings {
        row("elo", rating.into(), tally, &[])?;
    }
    for (eco, tally) in &stats.openings {
        row("eco", eco.as_str().into(), tally, &[])?;
    }
    for (name, tally) in openings {
        row("opening", (*name).into(), tally, &[])?;
    }
    for (&moves, tally) in &lengths.by_ten_moves {
        row("moves", moves.into(), tally, &[])?;
    }
    for event in &stats.events {
        row("event", event.name.as_str().into(), &event.games, &[])?;
    }
    for player in &stats.players {
        records.row(&[
            ("by", "player".into()),
            ("key", player.name.as_str().into()),
            ("games", player.games().into()),
            ("white", player.as_white.games().into()),
            ("black", player.as_black.games().into()),
            ("oneself", player.against_oneself.into()),
            ("score", player.score().into()),
        ])?;
    }
    Ok(())
}
