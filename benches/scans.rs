//! Measures how fast the index is read, compared with memory bandwidth.

use std::{path::Path, time::Instant};

use rayon::prelude::*;
use tabiya::{Database, Query, Search};
use tabiya_formats::Source;

use crate::{
    cases::{self, KINGBASE},
    made::Outcome,
};

/// Number of runs of each pass. The best counts, since other programs only slow it down.
const RUNS: usize = 40;

/// Header queries, which the index alone decides.
const HEADERS: [&str; 4] = [
    "eco:B90..B99 result:1-0",
    "elo:2600..4000",
    "date>=2010",
    "not result:*",
];

/// Number of bytes read to measure memory bandwidth: more than any cache holds, from a mapped file
/// as in a scan.
const MEMORY_BYTES: usize = 1 << 29;

/// Measures memory bandwidth, then passes over the index as fractions of it.
pub(crate) fn run(name: &str, path: &Path) -> Outcome<()> {
    let database = Database::open(path)?;
    let megabytes = std::fs::metadata(path)?.len() as f64 / 1e6;
    let folder = tempfile::tempdir()?;
    let filled = folder.path().join("filled");
    std::fs::write(&filled, vec![1; MEMORY_BYTES])?;
    let bytes = Source::map(&filled)?;
    let positions = KINGBASE.iter().filter(|case| case.1.starts_with("fen:"));
    let positions = positions.map(|&(name, query, _)| (name, query));
    let patterns = [("opposite castling", cases::OPPOSITE_CASTLING)];
    let queries: Vec<_> = HEADERS
        .map(|query| (query, query))
        .into_iter()
        .chain(positions)
        .chain(patterns)
        .collect();
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()?;
        let seconds = pool.install(|| {
            best(|| {
                std::hint::black_box(sum(&bytes));
                Ok(())
            })
        })?;
        let memory = bytes.len() as f64 / seconds / 1e9;
        println!(
            "\nindex of {name}: {megabytes:.1} MB, {threads} thread(s); \
             memory is read at {memory:.1} GB/s"
        );
        for (name, query) in &queries {
            let query: Query = query.parse()?;
            let search = Search::new(&query);
            let pass = pool.install(|| best(|| search.bounds(&database).map(drop)))?;
            let rate = megabytes / pass / 1000.0;
            println!(
                "  {name:<24} {:6.2} ms, {:.2} ns/game, {rate:4.1} GB/s, {:.0} % of memory's",
                1000.0 * pass,
                1e9 * pass / f64::from(database.len()),
                100.0 * rate / memory,
            );
        }
    }
    Ok(())
}

/// Returns the least time in seconds over all runs.
fn best(mut run: impl FnMut() -> tabiya::Result<()>) -> tabiya::Result<f64> {
    let mut least = f64::MAX;
    for _ in 0..RUNS {
        let started = Instant::now();
        run()?;
        least = least.min(started.elapsed().as_secs_f64());
    }
    Ok(least)
}

/// Reads every byte.
fn sum(bytes: &[u8]) -> u64 {
    let chunks = bytes.par_chunks(1 << 20);
    let sums = chunks.map(|chunk| {
        let (words, _) = chunk.as_chunks::<8>();
        let words = words.iter().map(|&word| u64::from_le_bytes(word));
        words.fold(0, u64::wrapping_add)
    });
    sums.reduce(|| 0, u64::wrapping_add)
}
