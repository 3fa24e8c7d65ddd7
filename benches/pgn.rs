//! Measures how a PGN file is opened, beside another reader and beside the same games as `.si4`.

use std::{
    fs::File,
    ops::ControlFlow,
    path::{Path, PathBuf},
    time::Instant,
};

use pgn_reader::{Reader, SanPlus, Skip, Visitor};
use rayon::ThreadPool;
use shakmaty::{Chess, Position};
use tabiya::{Database, OpenOptions, Progress, Query, Search, Sidecar, convert, format::Overwrite};

use crate::{beside, cases, made::Outcome};

/// Queries of which tags decide all, or which games are asked for more.
const TAGS_FIRST: [&str; 3] = ["player:carlsen", "player:carlsen mate", "year>1900 mate"];

/// Number of runs of each way; the best counts.
const RUNS: usize = 5;

/// Measures the games of a database, which is not changed: they are converted to PGN first.
pub(crate) fn run(database: &Path) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let text = folder.path().join("games.pgn");
    convert(
        &[database.to_owned()],
        &text,
        Overwrite::Refuse,
        Progress::ignore,
    )?;
    let [one, two] = [1, 2].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new();
        pool.num_threads(threads).build()
    });
    let (one, two) = (one?, two?);
    compare_games(&text)?;
    let reader = best(|| replay(&text).map(drop))?;
    let open_one = best(|| open(&one, &text))?;
    let open_two = best(|| open(&two, &text))?;
    row("another reader and replay, 1 thread", reader, None);
    row("first open, 1 thread", open_one, Some(("of that", reader)));
    row(
        "first open, 2 threads",
        open_two,
        Some(("of 1 thread", open_one)),
    );
    for query in TAGS_FIRST {
        let query: Query = query.parse()?;
        let whole = || count(&opened(&text, false)?, &query);
        let tags_first = || count_tags_first(&text, &query);
        if one.install(tags_first)? != one.install(whole)? {
            return Err("without all moves the answer is another".into());
        }
        for (threads, pool) in [(1, &one), (2, &two)] {
            let read_whole = best(|| pool.install(whole).map(drop))?;
            let taken = best(|| pool.install(tags_first).map(drop))?;
            let name = format!("tags first, {query}, {threads} thread(s)");
            row(&name, taken, Some(("of reading all moves", read_whole)));
        }
    }
    let made = folder.path().join("games.si4");
    let converted = best(|| {
        let to_scid = || {
            convert(
                std::slice::from_ref(&text),
                &made,
                Overwrite::Replace,
                Progress::ignore,
            )
        };
        two.install(to_scid)?;
        Ok(())
    })?;
    let first = Some(("of first open", open_two));
    row("convert to .si4, 2 threads", converted, first);
    let indexed = best(|| {
        let build = || Sidecar::build(&opened(&text, false)?);
        two.install(build)?;
        Ok(())
    })?;
    row("open and make the sidecar, 2 threads", indexed, first);
    two.install(|| beside_scid(&text, database, folder.path()))
}

/// Compares questions to the text with a sidecar with the same to the database.
fn beside_scid(text: &Path, database: &Path, folder: &Path) -> Outcome<()> {
    let scid = beside::linked(&Database::open(database)?, &sub(folder, "scid")?)?;
    Sidecar::build(&Database::open(&scid)?)?;
    for (name, query) in [
        ("header", "player:carlsen"),
        ("exact najdorf", cases::NAJDORF),
        ("exact rook ending", cases::ROOK_ENDING),
        ("all rook endings", "at(Q=0 q=0 R=1 r=1 B=0 b=0 N=0 n=0)"),
        ("every position", "at(piece:Nd5 piece:bg7 flip)"),
    ] {
        let query: Query = query.parse()?;
        let count = |path| count(&opened(path, true)?, &query);
        let [answer, expected] = [text, &scid].map(|path: &Path| count(path));
        if answer? != expected? {
            return Err(format!("{name}: PGN and Scid disagree").into());
        }
        let in_scid = best(|| count(&scid).map(drop))?;
        let in_text = best(|| count(text).map(drop))?;
        let name = format!("open, {name}, with sidecar");
        row(&name, in_text, Some(("of .si4", in_scid)));
    }
    Ok(())
}

fn sub(folder: &Path, name: &str) -> Outcome<PathBuf> {
    let path = folder.join(name);
    std::fs::create_dir(&path)?;
    Ok(path)
}

fn opened(path: &Path, sidecar: bool) -> tabiya::Result<Database> {
    OpenOptions::new().sidecar(sidecar).open(path)
}

fn open(pool: &ThreadPool, path: &Path) -> Outcome<()> {
    pool.install(|| opened(path, false))?;
    Ok(())
}

fn count(database: &Database, query: &Query) -> Outcome<u64> {
    Ok(Search::new(query).count(database)?.matched)
}

/// Opens a file for a query and counts what matches.
fn count_tags_first(path: &Path, query: &Query) -> Outcome<u64> {
    let options = OpenOptions::new().sidecar(false).for_query(query);
    count(&options.open(path)?, query)
}

/// Returns the seconds of the fastest run.
fn best(mut work: impl FnMut() -> Outcome<()>) -> Outcome<f64> {
    let mut least = f64::MAX;
    for _ in 0..RUNS {
        let started = Instant::now();
        work()?;
        least = least.min(started.elapsed().as_secs_f64());
    }
    Ok(least)
}

fn row(name: &str, seconds: f64, beside: Option<(&str, f64)>) {
    print!("{name:<44} {:>9.1} ms", 1000.0 * seconds);
    match beside {
        Some((what, other)) => println!("  {:.2} {what}", seconds / other),
        None => println!(),
    }
}

/// Compares the games and plies that both readers find.
fn compare_games(text: &Path) -> Outcome<()> {
    let told = replay(text)?;
    let database = opened(text, false)?;
    let verified = database.verify()?;
    if (verified.games, verified.main_line_moves) == (told.games, told.plies) {
        Ok(())
    } else {
        Err(format!(
            "{verified:?}, but {} games, {} plies",
            told.games, told.plies
        )
        .into())
    }
}

/// Counts games and the plies of main lines.
#[derive(Default)]
struct Count {
    games: u64,
    plies: u64,
}

fn replay(text: &Path) -> Outcome<Count> {
    let mut reader = Reader::new(File::open(text)?);
    let mut count = Count::default();
    while reader.read_game(&mut count)?.is_some() {}
    Ok(count)
}

impl Visitor for Count {
    type Tags = Chess;
    type Movetext = Chess;
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), Chess> {
        ControlFlow::Continue(Chess::new())
    }

    fn begin_movetext(&mut self, start: Chess) -> ControlFlow<(), Chess> {
        ControlFlow::Continue(start)
    }

    fn san(&mut self, position: &mut Chess, plus: SanPlus) -> ControlFlow<()> {
        // Not after a null move, nor from another start.
        if let Ok(played) = plus.san.to_move(position) {
            position.play_unchecked(played);
        }
        self.plies += 1;
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Chess) -> ControlFlow<(), Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, _: Chess) {
        self.games += 1;
    }
}
