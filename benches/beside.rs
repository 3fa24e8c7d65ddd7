//! Compares searches with and without a sidecar.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use tabiya::{Database, Query, Search, Sidecar, SidecarOptions, TreePosition, TreeSearch};

use crate::{cases::Case, harness, made::Outcome};

/// Number of runs of each search; the median counts.
const RUNS: usize = 7;

/// Builds a sidecar for a database, compares all results and measures both ways. The database's own
/// folder is not changed.
pub(crate) fn run(plain: &Database, cases: &[Case], replay: f64) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let path = linked(plain, folder.path())?;
    let started = Instant::now();
    Sidecar::build(&Database::open(&path)?)?;
    let seconds = started.elapsed().as_secs_f64();
    let beside = Database::open(&path)?;
    let Some(sidecar) = beside.sidecar() else {
        return Err("the sidecar is not used".into());
    };
    let games = f64::from(plain.len());
    println!(
        "sidecar built in {seconds:.2} s: {:.0} games/s, {:.1} bytes a game",
        games / seconds,
        sidecar.size_bytes() as f64 / games,
    );
    let pair = Pair {
        plain,
        beside: &beside,
        replay,
    };
    pair.searches("with a sidecar", cases.iter())?;
    for moves in TREES {
        pair.tree(moves)?;
    }
    let columns = SidecarOptions::new().columns(true);
    columns.build(&beside)?;
    let headers = cases
        .iter()
        .filter(|case| !case.query.contains(['@', '"', '(']));
    Pair {
        beside: &Database::open(&path)?,
        ..pair
    }
    .searches("with columns", headers)
}

/// Lines after which trees are counted.
const TREES: [&str; 3] = ["", "1.e4", "1.e4 c5 2.Nf3 d6"];

/// A database without a sidecar and with one.
struct Pair<'a> {
    plain: &'a Database,
    beside: &'a Database,
    /// Seconds for replaying all main lines.
    replay: f64,
}

impl Pair<'_> {
    fn searches<'c>(&self, title: &str, cases: impl Iterator<Item = &'c Case>) -> Outcome<()> {
        println!(
            "{title:<24} {:>9} {:>12} {:>12}  ratio, ratio to replay",
            "undecided", "without", "with"
        );
        for case in cases {
            let query: Query = case.query.parse()?;
            let search = Search::new(&query);
            if search.run(self.plain)?.as_slice() != search.run(self.beside)?.as_slice() {
                return Err(format!("{}: the sidecar changes the answer", case.name).into());
            }
            let report = search.count(self.beside)?;
            let undecided = (report.possible - report.certain).to_string();
            self.print(&case.name, &undecided, |database| {
                search.count(database).map(drop)
            })?;
        }
        Ok(())
    }

    fn tree(&self, moves: &str) -> Outcome<()> {
        let position = TreePosition::from_moves(moves)?;
        let tree = TreeSearch::new(&position);
        if tree.run(self.plain)?.rows() != tree.run(self.beside)?.rows() {
            return Err(format!("{moves}: the sidecar changes the tree").into());
        }
        self.print(&format!("tree {moves}"), "", |database| {
            tree.run(database).map(drop)
        })
    }

    fn print(
        &self,
        name: &str,
        undecided: &str,
        run: impl Fn(&Database) -> tabiya::Result<()>,
    ) -> Outcome<()> {
        let time = |database: &Database| -> Outcome<f64> {
            let mut times = Vec::new();
            for _ in 0..RUNS {
                let started = Instant::now();
                run(database)?;
                times.push(started.elapsed().as_secs_f64());
            }
            Ok(harness::median(times).0)
        };
        let (without, with) = (time(self.plain)?, time(self.beside)?);
        println!(
            "{name:<24} {undecided:>9} {:>9.2} ms {:>9.2} ms  {:.1}x {:.1}x",
            1000.0 * without,
            1000.0 * with,
            without / with,
            self.replay / with,
        );
        Ok(())
    }
}

/// Links or copies the files of a database to a folder. Returns the path of the index.
pub(crate) fn linked(database: &Database, folder: &Path) -> Outcome<PathBuf> {
    for (path, _) in database.files() {
        let link = folder.join(path.file_name().unwrap_or_default());
        #[cfg(unix)]
        std::os::unix::fs::symlink(fs::canonicalize(&path)?, link)?;
        #[cfg(not(unix))]
        fs::copy(&path, link)?;
    }
    let index = database.path().file_name().unwrap_or_default();
    Ok(folder.join(index))
}
