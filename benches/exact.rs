//! Measures exact positions of real games with a sidecar, by ply.

use std::{path::Path, time::Instant};

use tabiya::{Database, GameId, Query, Search, Sidecar};

use crate::{beside, made::Outcome, synthetic};

/// Number of positions of each band.
const POSITIONS: usize = 200;
/// For this many of them the result is compared with a search without a sidecar.
const COMPARED: usize = 20;
/// Number of runs of each search. The best counts, since other programs only slow it down.
const RUNS: usize = 5;
/// Bands of plies, inclusive.
const BANDS: [(usize, usize); 4] = [(4, 7), (4, 12), (13, 20), (16, 80)];

/// Measures a database, which is not changed: a sidecar is built elsewhere if it has none.
pub(crate) fn run(path: &Path) -> Outcome<()> {
    let plain_folder = tempfile::tempdir()?;
    let made_folder = tempfile::tempdir()?;
    let mut database = Database::open(path)?;
    let plain = Database::open(beside::linked(&database, plain_folder.path())?)?;
    if database.sidecar().is_none() {
        let copy = beside::linked(&database, made_folder.path())?;
        Sidecar::build(&Database::open(&copy)?)?;
        database = Database::open(&copy)?;
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    println!(
        "exact positions of {} games, {POSITIONS} for each row, 2 threads, warm",
        database.len()
    );
    println!("{:<12} median ms  nine of ten  worst  settled", "plies");
    pool.install(|| {
        BANDS
            .iter()
            .try_for_each(|&band| row(&plain, &database, band))
    })
}

/// Measures the positions of one band.
fn row(plain: &Database, database: &Database, (low, high): (usize, usize)) -> Outcome<()> {
    let mut dice = Dice(20_261_122);
    let (mut times, mut settled, mut worst) = (Vec::new(), 0, String::new());
    while times.len() < POSITIONS {
        let game = GameId(dice.below(u64::from(database.len())) as u32);
        let ply = low + dice.below((high - low + 1) as u64) as usize;
        let fen = synthetic::position_after(database, game, ply)?;
        // For a shorter game, this is its last position.
        let turn = if ply.is_multiple_of(2) { 'w' } else { 'b' };
        if !fen.contains(&format!(" {turn} ")) || !fen.ends_with(&format!(" {}", ply / 2 + 1)) {
            continue;
        }
        let query: Query = format!("fen:\"{fen}\"").parse()?;
        let search = Search::new(&query);
        let mut least = f64::MAX;
        for _ in 0..RUNS {
            let started = Instant::now();
            search.count(database)?;
            least = least.min(1000.0 * started.elapsed().as_secs_f64());
        }
        let report = search.count(database)?;
        settled += usize::from(report.decoded == 0);
        if times.iter().all(|&time| time < least) {
            worst = format!("{fen}, {} decoded, {} hits", report.decoded, report.matched);
        }
        if times.len() < COMPARED && search.count(plain)?.matched != report.matched {
            return Err(format!("{fen}: the sidecar changes the answer").into());
        }
        times.push(least);
    }
    times.sort_by(f64::total_cmp);
    let at = |part: usize| times[(times.len() - 1) * part / 10];
    println!(
        "{:<12} {:>9.2} {:>12.2} {:>6.1} {settled:>8}  {worst}",
        format!("{low} to {high}"),
        at(5),
        at(9),
        at(10),
    );
    Ok(())
}

/// SplitMix64: the same positions in every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % end
    }
}
