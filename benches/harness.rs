//! Runs cases in pairs, after comparing their results.

use std::time::Instant;

use tabiya::{Database, Positions, Progress, Query, Search, Strategy, TreePosition, TreeSearch};
use tabiya_formats::{OpenSettings, Opened};

use crate::{cases::Case, made::Outcome, replay};

/// What to run and print.
#[derive(Clone, Copy)]
pub(crate) struct Options {
    /// Number of pairs of runs for each case.
    pub(crate) pairs: usize,
    /// Whether to print times, or only counts.
    pub(crate) print_times: bool,
}

/// Prints a row for each case.
pub(crate) struct Table {
    options: Options,
    /// Seconds for replaying all main lines.
    replay: Option<f64>,
}

impl Table {
    /// Prints the header.
    pub(crate) fn new(threads: usize, options: Options, replay: Option<f64>) -> Table {
        print!(
            "{:<24} {:>9} {:>9}",
            format!("{threads} thread(s)"),
            "undecided",
            "hits"
        );
        if options.print_times {
            println!(
                " {:>13} {:>12}  ratio [min..max], ratio to replay",
                "full decode", "indexed"
            )
        } else {
            println!()
        }
        Table { options, replay }
    }

    /// Compares the results of both ways, then measures.
    pub(crate) fn run(&self, database: &Database, case: &Case) -> Outcome<()> {
        let query: Query = case.query.parse()?;
        let full = Search::new(&query).strategy(Strategy::FullDecode);
        let indexed = Search::new(&query);
        let found = indexed.run(database)?;
        if full.run(database)?.as_slice() != found.as_slice() {
            return Err(format!("{}: the two ways disagree", case.name).into());
        }
        let report = indexed.count(database)?;
        if report.matched != found.len() as u64 || case.hits.is_some_and(|n| n != report.matched) {
            return Err(format!("{}: {} games", case.name, report.matched).into());
        }
        let undecided = report.possible - report.certain;
        print!("{:<24} {undecided:>9} {:>9}", case.name, report.matched);
        let count = |search: &Search<'_>| search.count(database).map(drop);
        self.compare(|| count(&full), || count(&indexed))
    }

    /// Compares the two trees of a position, then measures.
    pub(crate) fn run_tree(&self, database: &Database, case: &Case) -> Outcome<()> {
        let fen = case.query.trim_start_matches("fen:").trim_matches('"');
        let position = TreePosition::from_fen(fen)?;
        let full = TreeSearch::new(&position).strategy(Strategy::FullDecode);
        let indexed = TreeSearch::new(&position);
        let (tree, reference) = (indexed.run(database)?, full.run(database)?);
        if tree.rows() != reference.rows() {
            return Err(format!("tree of {}: the two ways disagree", case.name).into());
        }
        let (name, games) = (format!("tree {}", case.name), tree.total().games());
        print!("{name:<24} {:>9} {games:>9}", tree.report().decoded);
        let make = |search: &TreeSearch<'_>| search.run(database).map(drop);
        self.compare(|| make(&full), || make(&indexed))
    }

    /// Runs both ways alternately: A B, B A, A B, ...
    fn compare(
        &self,
        full: impl Fn() -> tabiya::Result<()>,
        indexed: impl Fn() -> tabiya::Result<()>,
    ) -> Outcome<()> {
        if !self.options.print_times {
            println!();
            return Ok(());
        }
        let time = |run: &dyn Fn() -> tabiya::Result<()>| -> Outcome<f64> {
            let started = Instant::now();
            run()?;
            Ok(started.elapsed().as_secs_f64())
        };
        let mut pairs = Vec::new();
        for pair in 0..self.options.pairs {
            pairs.push(if pair % 2 == 0 {
                let first = time(&full)?;
                (first, time(&indexed)?)
            } else {
                let first = time(&indexed)?;
                (time(&full)?, first)
            });
        }
        self.print(&pairs);
        Ok(())
    }

    fn print(&self, pairs: &[(f64, f64)]) {
        let (full, _, _) = median(pairs.iter().map(|pair| pair.0).collect());
        let (indexed, _, _) = median(pairs.iter().map(|pair| pair.1).collect());
        let (ratio, low, high) = median(pairs.iter().map(|pair| pair.0 / pair.1).collect());
        print!(
            " {:>10.1} ms {:>9.2} ms  {ratio:.1}x [{low:.1}..{high:.1}]",
            1000.0 * full,
            1000.0 * indexed,
        );
        match self.replay {
            Some(replay) => println!(" {:.1}x", replay / indexed),
            None => println!(),
        }
    }
}

/// Returns the median, the least and the greatest of some values.
pub(crate) fn median(mut values: Vec<f64>) -> (f64, f64, f64) {
    values.sort_by(f64::total_cmp);
    (
        values[values.len() / 2],
        values[0],
        values[values.len() - 1],
    )
}

/// Measures the replay of all main lines: the moves alone, with a key of every position, and with
/// every position looked up. Returns the seconds of the first.
pub(crate) fn print_replay(database: &Database, threads: usize) -> Outcome<f64> {
    let opened = Opened::open(
        database.path(),
        &OpenSettings::default(),
        &mut Progress::ignore,
    );
    let (opened, _) = opened?;
    let moves = replay::plain(&opened).moves as f64;
    // Almost no game has the wanted position, so games are played to their ends.
    let positions = Positions::from_epd("k7/8/K7/8/8/8/8/8 b - -")?;
    let positions = positions.strategy(Strategy::FullDecode);
    println!("main-line replay, {threads} thread(s):");
    let plain = rate("moves alone", moves, || {
        replay::plain(&opened);
        Ok(())
    })?;
    rate("with hash", moves, || {
        replay::with_keys(&opened);
        Ok(())
    })?;
    rate("looked up", moves, || positions.run(database).map(drop))?;
    Ok(moves / plain / 1e6)
}

/// Measures, prints and returns a rate in million moves per second.
fn rate(name: &str, moves: f64, mut play: impl FnMut() -> tabiya::Result<()>) -> Outcome<f64> {
    let mut rates = Vec::new();
    for _ in 0..5 {
        let started = Instant::now();
        play()?;
        rates.push(moves / started.elapsed().as_secs_f64() / 1e6);
    }
    let (middle, low, high) = median(rates);
    println!("  {name:<12} {middle:.0} million moves/s [{low:.0}..{high:.0}]");
    Ok(middle)
}

/// Returns the CPU seconds of all finished child processes; 0 if the system does not report them.
pub(crate) fn children_cpu_seconds() -> f64 {
    spent(13).unwrap_or_default()
}

/// Returns the CPU seconds of all threads so far, or the wall time if the system does not report
/// them.
pub(crate) fn cpu_seconds() -> f64 {
    spent(11).unwrap_or_else(|| {
        let since = std::time::SystemTime::UNIX_EPOCH.elapsed();
        since.unwrap_or_default().as_secs_f64()
    })
}

/// Returns the sum of two adjacent fields of the process statistics: user and system time in
/// seconds.
fn spent(first: usize) -> Option<f64> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The fields after the program's name, which is in brackets and may contain anything.
    let after_name = stat.rsplit(')').next()?;
    let fields = after_name.split_whitespace().skip(first).take(2);
    let ticks: Option<Vec<f64>> = fields.map(|field| field.parse().ok()).collect();
    Some(ticks?.iter().sum::<f64>() / TICKS_PER_SECOND)
}
