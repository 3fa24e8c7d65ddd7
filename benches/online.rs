//! Measures the conversion of PGN as an online service publishes it: each game with a site of its
//! own and clocks, compressed and not.

use std::{
    fs::{self, File},
    io::{BufReader, BufWriter},
    path::Path,
    time::Instant,
};

use ruzstd::encoding::{CompressionLevel, compress};
use tabiya::{Flow, convert, format::Overwrite};

use crate::made::{self, Outcome};

/// Number of runs of each way; the best counts.
const RUNS: usize = 3;

/// Makes this number of games and converts them.
pub(crate) fn run(games: u64) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let [text, packed] = ["online.pgn", "online.pgn.zst"].map(|name| folder.path().join(name));
    made::online(&mut BufWriter::new(File::create(&text)?), games, 1)?;
    compress(
        BufReader::new(File::open(&text)?),
        BufWriter::new(File::create(&packed)?),
        CompressionLevel::Fastest,
    );
    let [(plain, first), (unpacked, second)] = [&text, &packed].map(|source| {
        let made = source.with_extension("si5");
        (best(source, &made, games), names_and_records(&made))
    });
    if first? != second? {
        return Err("the compressed games are others".into());
    }
    let (plain, unpacked) = (plain?, unpacked?);
    for (name, (seconds, memory)) in [("plain", plain), ("zstd", unpacked)] {
        println!(
            "convert to .si5, {name:<6} {:>9.0} games/s, {memory:>5} MB",
            games as f64 / seconds
        );
    }
    println!("rate of compressed games {:.2}", plain.0 / unpacked.0);
    Ok(())
}

/// Returns the seconds of the fastest run, and the most memory that any has of its own in MB.
fn best(source: &Path, target: &Path, games: u64) -> Outcome<(f64, u64)> {
    let (mut least, mut most) = (f64::MAX, 0);
    for _ in 0..RUNS {
        let started = Instant::now();
        let converted = convert(&[source.into()], target, Overwrite::Replace, |_| {
            most = most.max(memory_megabytes());
            Flow::Continue(())
        })?;
        least = least.min(started.elapsed().as_secs_f64());
        if (converted.games, converted.skipped) != (games, 0) {
            return Err(format!("{converted:?} of {games} games").into());
        }
    }
    Ok((least, most))
}

/// Returns the bytes that tell of all games and names.
fn names_and_records(made: &Path) -> Outcome<(Vec<u8>, Vec<u8>)> {
    Ok((fs::read(made)?, fs::read(made.with_extension("sn5"))?))
}

/// Returns the memory of this process that is not that of files; 0 where the system does not tell.
fn memory_megabytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}
