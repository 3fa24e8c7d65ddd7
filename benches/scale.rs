//! Measures questions to a long file that is indexed in parts: over its first part, its first
//! parts, and all, so that it can be seen whether the time grows with the games and nothing else.

use std::{path::Path, time::Instant};

use tabiya::{Database, GameId, OpenOptions, Query, Search, Strategy};

use crate::{exact::Dice, harness::median, made::Outcome, synthetic};

/// Number of exact positions.
const POSITIONS: usize = 40;
/// Number of runs of each question; the median counts.
const RUNS: usize = 5;
/// The parts that questions are asked of; then all.
const PARTS: [usize; 4] = [1, 2, 5, 10];

/// Questions besides exact positions.
const QUESTIONS: [&str; 6] = [
    "elo>2500",
    "elo>2500 result:1-0",
    "white:zzzz",
    "mate",
    "clock<10 eval>=3",
    "at(clock<5 check)",
];

/// Measures a file, which must have an index.
pub(crate) fn run(path: &Path) -> Outcome<()> {
    let started = Instant::now();
    let parts = OpenOptions::new().open_each(path)?;
    let opened = milliseconds(started);
    let games: u64 = parts.iter().map(|part| u64::from(part.len())).sum();
    println!(
        "{games} games, {} parts, opened in {opened:.1} ms",
        parts.len()
    );
    let counts = PARTS.into_iter().filter(|count| *count < parts.len());
    let counts: Vec<usize> = counts.chain([parts.len()]).collect();
    let named = counts.iter().map(|count| format!("{count:>9}"));
    println!("{:<24}{}  model", "parts, ms", named.collect::<String>());
    let positions = positions(&parts)?;
    check(&parts[0], &positions[0])?;
    let mut rows = [Vec::new(), Vec::new()];
    for &count in &counts {
        let mut times = Vec::new();
        for position in &positions {
            times.push(time(&parts[..count], position)?);
        }
        times.sort_by(f64::total_cmp);
        for (row, part) in rows.iter_mut().zip([5, 9]) {
            row.push(times[(times.len() - 1) * part / 10]);
        }
    }
    for (name, row) in ["exact, median", "exact, nine of ten"].iter().zip(&rows) {
        print(name, &counts, row);
    }
    for question in QUESTIONS {
        let query: Query = question.parse()?;
        let times: Outcome<Vec<f64>> = counts
            .iter()
            .map(|&count| time(&parts[..count], &query))
            .collect();
        print(question, &counts, &times?);
    }
    Ok(())
}

/// Returns positions of games from all parts, as queries.
fn positions(parts: &[Database]) -> Outcome<Vec<Query>> {
    let mut dice = Dice(20_261_130);
    let mut queries = Vec::new();
    while queries.len() < POSITIONS {
        let part = &parts[dice.below(parts.len() as u64) as usize];
        let game = GameId(dice.below(u64::from(part.len())) as u32);
        let ply = 4 + dice.below(40) as usize;
        let fen = synthetic::position_after(part, game, ply)?;
        queries.push(format!("fen:\"{fen}\"").parse()?);
    }
    Ok(queries)
}

/// Compares an answer with that of decoding every game.
fn check(part: &Database, query: &Query) -> Outcome<()> {
    let search = Search::new(query);
    let found = search.run(part)?.games();
    let decoded = search.strategy(Strategy::FullDecode).run(part)?.games();
    if found != decoded {
        return Err(format!("{query}: the two ways disagree").into());
    }
    Ok(())
}

/// Returns how many milliseconds a question takes.
fn time(parts: &[Database], query: &Query) -> Outcome<f64> {
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let started = Instant::now();
        Search::new(query).count_each(&parts.iter().collect::<Vec<_>>())?;
        times.push(milliseconds(started));
    }
    Ok(median(times).0)
}

fn milliseconds(started: Instant) -> f64 {
    1000.0 * started.elapsed().as_secs_f64()
}

/// Prints a row, and what the time of one part and of all says of those between, with the time that
/// was measured as a part of that: 1 if time grows with the parts.
fn print(name: &str, counts: &[usize], times: &[f64]) {
    print!("{name:<24}");
    times.iter().for_each(|time| print!("{time:>9.2}"));
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        return println!();
    };
    let parts = counts.last().map_or(1, |last| last - 1).max(1) as f64;
    let each = (last - first) / parts;
    print!("  {first:.2} + {each:.2} a part:");
    for (count, time) in counts.iter().zip(times).skip(1) {
        print!(" {:.2}", time / (first + each * (count - 1) as f64));
    }
    println!();
}
