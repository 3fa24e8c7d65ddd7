//! Writes a database of any size for measurements: of generated games, or of the games of another
//! database, repeated in another order.
//!
//! ```sh
//! cargo run --release --example synthetic -- made.si4 --games 10000000 --seed 1
//! cargo run --release --example synthetic -- large.si4 --games 10000000 --from small.si4
//! cargo run --release --example synthetic -- --online --games 20000000 | zstd > month.pgn.zst
//! ```
//!
//! Without a path, a small database is written, examined and deleted.

mod made;

use std::{
    fs,
    io::{self, BufWriter},
    path::{Path, PathBuf},
    time::Instant,
};

use tabiya::{Database, GameId, GameSet, Query, Search, StatsOptions};
use tabiya_formats::{Encode as _, Written, scid4::Encoder};

use self::made::Outcome;

/// The command line options.
struct Options {
    path: Option<PathBuf>,
    games: u64,
    seed: u64,
    from: Option<PathBuf>,
    online: bool,
}

impl Options {
    fn read(mut arguments: impl Iterator<Item = String>) -> Outcome<Options> {
        let mut options = Options {
            path: None,
            games: 2000,
            seed: 1,
            from: None,
            online: false,
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} wants a value"));
            match argument.as_str() {
                "--games" => options.games = value()?.parse()?,
                "--seed" => options.seed = value()?.parse()?,
                "--online" => options.online = true,
                "--from" => options.from = Some(value()?.into()),
                _ => options.path = Some(argument.into()),
            }
        }
        Ok(options)
    }
}

fn main() -> Outcome<()> {
    let options = Options::read(std::env::args().skip(1))?;
    if options.online {
        let mut out = BufWriter::new(io::stdout());
        return made::online(&mut out, options.games, options.seed);
    }
    let folder = tempfile::tempdir()?;
    let throw_away = || folder.path().join("synthetic.si4");
    let path = options.path.clone().unwrap_or_else(throw_away);

    let started = Instant::now();
    let written = match &options.from {
        Some(source) => repeat(source, &path, options.games)?,
        None => made::from_seed(&path, options.games, options.seed)?,
    };
    let seconds = started.elapsed().as_secs_f64();
    let games = written.games;
    let database = Database::open(&path)?;
    let stats = database.stats(&GameSet::all(games), &StatsOptions::default())?;
    let bytes = fs::metadata(path.with_extension("sg4"))?.len();
    println!(
        "{games} games, {:.1} half-moves and {:.1} bytes each",
        stats.lengths.mean_plies.unwrap_or_default(),
        bytes as f64 / f64::from(games.max(1)),
    );
    // The speed is not part of the example's expected output.
    eprintln!("{:.0} games/s", f64::from(games) / seconds);
    match options.path {
        Some(_) => Ok(()),
        None => look(&database),
    }
}

/// Prints counts that show whether the games resemble real ones.
fn look(database: &Database) -> Outcome<()> {
    for (what, query) in [
        (
            "1.e4",
            "fen:\"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b\"",
        ),
        (
            "Najdorf",
            "fen:\"rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w\"",
        ),
        ("rook endings", "at(Q=0 q=0 R=1 r=1 B=0 N=0 b=0 n=0)"),
        ("promotions", "flag:promotion"),
        ("White wins", "result:1-0"),
        ("draws", "result:1/2"),
    ] {
        let query: Query = query.parse()?;
        let found = Search::new(&query).count(database)?.matched;
        println!("{what:<12} {found:>4}");
    }
    Ok(())
}

/// Writes `games` games of another database: all of them in another order, repeated as needed.
fn repeat(source: &Path, path: &Path, games: u64) -> Outcome<Written> {
    let source = Database::open(source)?;
    let count = u64::from(source.len()).max(1);
    // A step of about the golden ratio separates neighbours; without a common divisor it reaches
    // every game.
    let step = (count * 618 / 1000..).find(|&step| gcd(step, count) == 1);
    let step = step.unwrap_or(1);
    made::write(path, games, Encoder::new, |encoder, number| {
        let game = GameId((number % count * step % count) as u32);
        encoder.begin(&source.header(game)?);
        source.visit(game, encoder)?;
        encoder.finish()
    })
}

fn gcd(one: u64, other: u64) -> u64 {
    match other {
        0 => one,
        _ => gcd(other, one % other),
    }
}
