//! Compares indexed search with full decode in one run, as ratios.
//!
//! ```sh
//! cargo bench --bench throughput              # synthetic data, and real data if it is there
//! cargo bench --bench throughput -- najdorf   # only cases with this in their names
//! cargo bench --bench throughput -- --quick   # answers only, no times: what CI runs
//! cargo bench --bench throughput -- made.si4  # only passes over the index of this database
//! cargo bench --bench throughput -- --cases made.2cbh     # the cases, on this database
//! cargo bench --bench throughput -- --positions made.si4  # only exact positions, by ply
//! cargo bench --bench throughput -- --near made.si4       # only similar positions and novelties
//! cargo bench --bench throughput -- --pgn made.si4        # only how its games open as PGN
//! cargo bench --bench throughput -- --online 1000000      # only games as of an online service
//! cargo bench --bench throughput -- --scale made.pgn.zst  # only how time grows with indexed parts
//! cargo bench --bench throughput -- --words made.si4      # only every word, the slowest ten
//! cargo bench --bench throughput -- --words made.si4 --pairs  # and every pair in one `at( )`
//! ```
//!
//! Machines are noisy, so a single time means little. Each case runs both ways alternately (A B B A
//! ...) after their results have been compared, and the ratio is computed for each pair.

mod beside;
mod cases;
mod exact;
mod harness;
#[path = "../examples/synthetic/made/mod.rs"]
mod made;
mod near;
mod online;
mod pgn;
mod replay;
mod scale;
mod scans;
mod synthetic;
mod words;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use tabiya::Database;

use crate::{
    cases::{Case, KINGBASE, synthetic_cases},
    harness::{Options, Table},
    made::Outcome,
};

/// Number of games for all words and pairs when only results are compared.
const WORDS_GAMES: u64 = 60;

fn main() -> Outcome<()> {
    // Cargo passes `--bench`; other arguments are for this program.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let (quick, positions) = (has("--quick"), has("--positions"));
    let (words, pairs) = (has("--words"), has("--pairs"));
    let word_options = words::Options {
        pairs: pairs || quick,
        print_times: !quick,
    };
    let wanted: Vec<&str> = arguments
        .iter()
        .filter(|argument| !argument.starts_with("--"))
        .map(String::as_str)
        .collect();
    if has("--online") {
        let games = wanted.first().ok_or("--online wants a number of games")?;
        return online::run(games.parse()?);
    }
    let is_database = |name: &&str| name.ends_with(".si4") || Path::new(name).is_file();
    let (databases, parts): (Vec<&str>, Vec<&str>) = wanted.into_iter().partition(is_database);
    let is_wanted =
        |case: &Case| parts.is_empty() || parts.iter().any(|part| case.name.contains(part));
    let options = Options {
        pairs: if quick { 1 } else { 5 },
        print_times: !quick,
    };
    if !databases.is_empty() {
        return databases.into_iter().try_for_each(|path| match () {
            () if words => words::run(path, path.as_ref(), &word_options),
            () if positions => exact::run(path.as_ref()),
            () if has("--near") => near::run(path.as_ref(), true),
            () if has("--scale") => scale::run(path.as_ref()),
            () if has("--pgn") => pgn::run(path.as_ref()),
            () if has("--cases") => {
                real_cases(path, &Database::open(path)?, false, &is_wanted, options)
            }
            () => scans::run(path, path.as_ref()),
        });
    }
    let folder = tempfile::tempdir()?;
    let games = if quick { 3_000 } else { 200_000 };
    let path = synthetic::write(folder.path(), "synthetic", games, 20_261_121)?;
    let database = Database::open(&path)?;
    run(
        "synthetic",
        &database,
        &synthetic_cases(&database)?
            .into_iter()
            .filter(&is_wanted)
            .collect::<Vec<_>>(),
        options,
    )?;
    if quick {
        let path = synthetic::write(folder.path(), "few", WORDS_GAMES, 20_261_122)?;
        words::run("few games", &path, &word_options)?;
        return near::run(&path, false);
    }
    for real in REAL {
        let Some(path) = unpacked(real.path) else {
            println!("SKIPPED {}: no real data beside the project", real.name);
            continue;
        };
        let database = Database::open(&path)?;
        real_cases(real.name, &database, real.is_counted, &is_wanted, options)?;
        if parts.is_empty() {
            scans::run(real.name, &path)?;
            whole_process(&path)?;
        }
    }
    Ok(())
}

/// Runs the cases of the large real database on that or on another one.
fn real_cases(
    name: &str,
    database: &Database,
    is_counted: bool,
    is_wanted: &impl Fn(&Case) -> bool,
    options: Options,
) -> Outcome<()> {
    let cases = KINGBASE.iter().map(|&(name, query, hits)| Case {
        name: name.into(),
        query: query.into(),
        hits: Some(hits).filter(|_| is_counted),
    });
    let cases: Vec<Case> = cases.filter(is_wanted).collect();
    run(name, database, &cases, options)
}

/// A large real database.
struct Real {
    name: &'static str,
    path: &'static str,
    /// Whether the expected hits of the cases are for it.
    is_counted: bool,
}

const REAL: [Real; 2] = [
    Real {
        name: "kingbase",
        path: "scid4/kingbase/kingbase.si4",
        is_counted: true,
    },
    Real {
        name: "kingbase250k",
        path: "chessbase/kingbase250k/kb250k.cbh",
        is_counted: false,
    },
];

/// Returns the path of a large real database, if it exists unpacked.
fn unpacked(part: &str) -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        std::env::var_os("TABIYA_SHARED_UNPACKED").map(PathBuf::from),
        Some(root.join("target/shared")),
    ];
    folders
        .into_iter()
        .flatten()
        .map(|folder| folder.join(part))
        .find(|path| path.is_file())
}

fn run(name: &str, database: &Database, cases: &[Case], options: Options) -> Outcome<()> {
    println!("\n{name}: {} games", database.len());
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()?;
        pool.install(|| -> Outcome<()> {
            let replay = if options.print_times {
                Some(harness::print_replay(database, threads)?)
            } else {
                None
            };
            let table = Table::new(threads, options, replay);
            for case in cases {
                table.run(database, case)?;
            }
            let positions = cases.iter().filter(|case| case.query.starts_with("fen:"));
            for case in positions {
                table.run_tree(database, case)?;
            }
            if let Some(replay) = replay {
                beside::run(database, cases, replay)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Measures the CPU time of the whole program, from start to printed count.
fn whole_process(database: &Path) -> Outcome<()> {
    const RUNS: u32 = 20;
    println!("\nwhole process, mean CPU of {RUNS} runs, start to printed count");
    for (name, query) in [
        ("header eco+result", "eco:B90..B99 result:1-0"),
        ("header player", "player:carlsen"),
        ("exact najdorf", cases::NAJDORF),
        ("exact rook ending", cases::ROOK_ENDING),
    ] {
        let before = harness::children_cpu_seconds();
        for _ in 0..RUNS {
            let mut program = Command::new(env!("CARGO_BIN_EXE_tabiya"));
            program
                .arg("search")
                .arg(database)
                .arg(query)
                .arg("--count");
            program.output()?;
        }
        let seconds = harness::children_cpu_seconds() - before;
        println!("  {name:<24} {:6.1} ms", 1000.0 * seconds / f64::from(RUNS));
    }
    Ok(())
}
