//! Measures lists of similar positions, without a sidecar and with one, and novelties of some games
//! against the whole database.

use std::{path::Path, time::Instant};

use tabiya::{
    ConvertOptions, Database, Flow, GameId, Novelties, Query, Search, Sidecar, Similar, SimilarGame,
};

use crate::{beside, exact::Dice, made::Outcome, synthetic};

/// Number of positions of each band.
const POSITIONS: usize = 20;
/// Bands of plies, inclusive.
const BANDS: [(usize, usize); 3] = [(6, 12), (13, 24), (25, 60)];
/// Number of games in a list.
const LISTED: u64 = 50;
/// Number of games whose novelties are looked for: the last of the database.
const NOVELTY_GAMES: u32 = 1000;
/// Number of runs of each search. The best counts, since other programs only slow it down.
const RUNS: usize = 3;

/// Measures a database, which is not changed: a sidecar is built elsewhere.
pub(crate) fn run(path: &Path, print_times: bool) -> Outcome<()> {
    let (plain_folder, made_folder) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let original = Database::open(path)?;
    let plain = Database::open(beside::linked(&original, plain_folder.path())?)?;
    let copy = beside::linked(&original, made_folder.path())?;
    Sidecar::build(&Database::open(&copy)?)?;
    let pair = [plain, Database::open(&copy)?];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    println!(
        "\nthe {LISTED} most similar of {} games, {POSITIONS} positions a row, 2 threads",
        pair[0].len()
    );
    if print_times {
        println!("plies        without: median ms  nine of ten   with: median ms  nine of ten");
    }
    pool.install(|| {
        BANDS
            .iter()
            .try_for_each(|&band| row(&pair, band, print_times))?;
        novelties(&pair, made_folder.path(), print_times)
    })
}

/// Compares the lists of the positions of one band and measures them.
fn row(pair: &[Database; 2], (low, high): (usize, usize), print_times: bool) -> Outcome<()> {
    let mut dice = Dice(20_261_124);
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..POSITIONS {
        let game = GameId(dice.below(u64::from(pair[0].len())) as u32);
        let ply = low + dice.below((high - low + 1) as u64) as usize;
        let fen = synthetic::position_after(&pair[0], game, ply)?;
        let similar = Similar::from_fen(&fen)?.limit(LISTED);
        let lists = [listed(&similar, &pair[0])?, listed(&similar, &pair[1])?];
        if lists[0].0 != lists[1].0 {
            return Err(format!("{fen}: the sidecar changes the list").into());
        }
        for (times, (_, time)) in times.iter_mut().zip(lists) {
            times.push(time);
        }
    }
    if print_times {
        let [plain, beside] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            (times[times.len() / 2], times[times.len() * 9 / 10])
        });
        println!(
            "{:<12} {:>18.0} {:>12.0} {:>17.0} {:>12.0}",
            format!("{low} to {high}"),
            plain.0,
            plain.1,
            beside.0,
            beside.1
        );
    }
    Ok(())
}

/// Returns a list, and the least time in milliseconds.
fn listed(similar: &Similar, database: &Database) -> Outcome<(Vec<SimilarGame>, f64)> {
    let (mut games, mut least) = (Vec::new(), f64::MAX);
    for _ in 0..RUNS {
        let started = Instant::now();
        games = similar.run(database)?.0;
        least = least.min(1000.0 * started.elapsed().as_secs_f64());
    }
    Ok((games, least))
}

/// Compares the novelties of some games without and with a sidecar, and measures them.
fn novelties(pair: &[Database; 2], folder: &Path, print_times: bool) -> Outcome<()> {
    let target = folder.join("last.si4");
    let first = pair[0].len().saturating_sub(NOVELTY_GAMES) + 1;
    let query: Query = format!("number:{first}..").parse()?;
    let options = ConvertOptions::default().search(Search::new(&query));
    let sources = [pair[0].path().to_owned()];
    tabiya::convert(&sources, &target, options, &mut |_| Flow::Continue(()))?;
    let games = Database::open(&target)?;
    let (mut found, mut times) = (Vec::new(), Vec::new());
    for database in pair {
        let started = Instant::now();
        let bases = std::slice::from_ref(database);
        let (novelties, _) = Novelties::new().run(&games, bases)?;
        times.push(started.elapsed().as_secs_f64());
        found.push(novelties);
    }
    if found[0] != found[1] {
        return Err("the sidecar changes novelties".into());
    }
    let count = found[0].len();
    println!("novelties of {} games: {count}", games.len());
    if print_times {
        println!("without {:.2} s, with {:.2} s", times[0], times[1]);
    }
    Ok(())
}
