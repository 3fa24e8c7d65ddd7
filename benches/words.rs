//! Measures every field and word of the language, and on request every pair of conditions in one
//! `at( )`: which are slowest, compared with playing all main lines on a board.

use std::path::Path;

use rayon::ThreadPool;
use tabiya::{
    Database, Query, Search, Sidecar, Strategy,
    query::table::{FIELDS, Field, KEYWORDS, Level},
};

use crate::{beside, harness, made::Outcome};

/// Number of printed rows.
const SLOWEST: usize = 10;
/// Number of runs of each search. The best counts, since other programs only slow it down.
const RUNS: usize = 3;
/// Number of times that each of the slowest is measured again, beside the board. The median counts:
/// a machine's speed changes within minutes.
const ROUNDS: usize = 5;
/// The least processor time of one measurement of the board, so that the clock's steps do not
/// matter.
const SECONDS: f64 = 1.0;
/// A query that tests every position of every main line and that no game matches.
const NOWHERE: &str = "at(piece:Ka8 piece:kc8 check)";

/// Queries whose cost the examples of their fields do not show.
const SHAPES: [&str; 22] = [
    "played:O-O-O#",
    "san:\"?x?8=N\"",
    "san:\"?????\"",
    "played:\"?x??\"",
    "played:\"??=?\"",
    "can:\"?xf7+\"",
    "count(at(played:\"?x??\"))>=20",
    "at(P@4-5>=3 p@6=3 shift)",
    "at(piece:Nd5 or piece:Ne5 or piece:Nd4 flip)",
    "last(check)",
    "played:\"Qxh7#\"",
    "at(played:\"Qxh7#\" mate)",
    "at(played:Bxh7+ piece:Bh7) or at(played:Bxh7+ piece:bh7)",
    "at(check for:5)",
    "at(stalemate flip)",
    "at(move:40 men:8..10)",
    "at(diff>=5 for:8)",
    "at(piece:Pd4 flip mirror)",
    "not at(piece:P@h)",
    "at(check) then at(mate)",
    "at(check) next at(check)",
    "at(Q=1 q=1) then at(Q=0 q=0) then at(R=0 r=0)",
];

/// What to run and print.
pub(crate) struct Options {
    /// Whether to run every pair of conditions too.
    pub(crate) pairs: bool,
    /// Whether to print times, or only to compare results.
    pub(crate) print_times: bool,
}

/// Runs all queries, on the database without and with a sidecar. Its own folder is not changed.
pub(crate) fn run(name: &str, path: &Path, options: &Options) -> Outcome<()> {
    let folders = (tempfile::tempdir()?, tempfile::tempdir()?);
    let original = Database::open(path)?;
    let plain = Database::open(beside::linked(&original, folders.0.path())?)?;
    let copy = beside::linked(&original, folders.1.path())?;
    Sidecar::build(&Database::open(&copy)?)?;
    let pair = Pair {
        plain,
        beside: Database::open(&copy)?,
        pool: rayon::ThreadPoolBuilder::new().num_threads(2).build()?,
        print_times: options.print_times,
    };
    println!("\nwords on {name}: {} games, 2 threads", pair.plain.len());
    pair.ask("fields and words", words()?)?;
    if options.pairs {
        pair.ask("pairs of conditions", pairs())?;
    }
    Ok(())
}

/// The same games without a sidecar and with one.
struct Pair {
    plain: Database,
    beside: Database,
    pool: ThreadPool,
    print_times: bool,
}

/// The processor seconds of one query.
struct Row {
    question: String,
    plain: f64,
    beside: f64,
}

impl Pair {
    /// Compares the results of all queries, then prints the slowest.
    fn ask(&self, title: &str, questions: Vec<String>) -> Outcome<()> {
        let board: Query = NOWHERE.parse()?;
        let board = Search::new(&board).strategy(Strategy::FullDecode);
        let mut rows = Vec::new();
        let mut refused = Vec::new();
        for question in questions {
            let Ok(query) = question.parse() else {
                refused.push(question);
                continue;
            };
            rows.push(self.measure(question, &query)?);
        }
        println!(
            "{title}: {} questions, all ways agree; {} are no queries",
            rows.len(),
            refused.len()
        );
        if !self.print_times {
            return Ok(());
        }
        let replay = self.seconds(&self.plain, &board)?;
        println!("all main lines on a board: {replay:.2} s of processor time");
        self.print_slowest("without a sidecar", &mut rows, &board, |row| row.plain)?;
        self.print_slowest("with a sidecar", &mut rows, &board, |row| row.beside)
    }

    fn print_slowest(
        &self,
        title: &str,
        rows: &mut [Row],
        board: &Search<'_>,
        key: impl Fn(&Row) -> f64,
    ) -> Outcome<()> {
        rows.sort_by(|a, b| key(b).total_cmp(&key(a)));
        println!("slowest {title:<18} without, to board      with, to board");
        for row in rows.iter().take(SLOWEST) {
            let [plain, beside] = self.ratios(&row.question.parse()?, board)?;
            println!(
                "  {:>9.2} s {plain:>7.2}x  {:>9.2} s {beside:>7.2}x   {}",
                row.plain, row.beside, row.question,
            );
        }
        Ok(())
    }

    /// Returns the processor time of a query, without and with the sidecar, as a multiple of that
    /// of the board right before it.
    fn ratios(&self, query: &Query, board: &Search<'_>) -> Outcome<[f64; 2]> {
        let search = Search::new(query);
        let times = |search: &Search<'_>, database: &Database, least: f64, runs: u32| {
            let before = harness::cpu_seconds();
            let (mut spent, mut done) = (0.0, 0);
            while spent < least || done < runs {
                self.pool.install(|| search.count(database))?;
                (spent, done) = (harness::cpu_seconds() - before, done + 1);
            }
            Outcome::Ok((spent, done))
        };
        let mut ratios = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            let (replay, runs) = times(board, &self.plain, SECONDS, 1)?;
            for (ratios, database) in ratios.iter_mut().zip([&self.plain, &self.beside]) {
                ratios.push(times(&search, database, 0.0, runs)?.0 / replay);
            }
        }
        Ok(ratios.map(|mut ratios| {
            ratios.sort_by(f64::total_cmp);
            ratios[ROUNDS / 2]
        }))
    }

    fn measure(&self, question: String, query: &Query) -> Outcome<Row> {
        let search = Search::new(query);
        let full = search.clone().strategy(Strategy::FullDecode);
        self.pool.install(|| -> Outcome<()> {
            let found = full.run(&self.plain)?;
            for database in [&self.plain, &self.beside] {
                if search.run(database)?.as_slice() != found.as_slice() {
                    return Err(format!("{question}: the ways disagree").into());
                }
                if search.count(database)?.matched != found.len() as u64 {
                    return Err(format!("{question}: the number is another").into());
                }
            }
            Ok(())
        })?;
        Ok(Row {
            plain: self.seconds(&self.plain, &search)?,
            beside: self.seconds(&self.beside, &search)?,
            question,
        })
    }

    /// Returns the processor seconds for counting; 0 if no times are wanted.
    fn seconds(&self, database: &Database, search: &Search<'_>) -> Outcome<f64> {
        let mut least = f64::MAX;
        for _ in 0..RUNS {
            if !self.print_times {
                return Ok(0.0);
            }
            let before = harness::cpu_seconds();
            self.pool.install(|| search.count(database))?;
            least = least.min(harness::cpu_seconds() - before);
        }
        Ok(least)
    }
}

/// Returns a query for every field, for every value with a name, and for every word between
/// conditions.
fn words() -> Outcome<Vec<String>> {
    let mut questions: Vec<String> = SHAPES.map(str::to_owned).into();
    // Repertoires are in files of the user.
    let fields = FIELDS
        .iter()
        .filter(|field| !field.example.contains("repertoire"));
    for field in fields {
        questions.push(field.example.to_owned());
        if field.level == Level::Position {
            questions.extend(clause(field).map(|clause| format!("at({clause})")));
        }
        let choices = field.choices.iter();
        questions.extend(choices.map(|choice| format!("{}:{choice}", field.name)));
    }
    for word in KEYWORDS {
        let Some((_, question)) = JOINED.iter().find(|(joined, _)| *joined == word) else {
            return Err(format!("there is no question with the word {word}").into());
        };
        questions.push((*question).to_owned());
    }
    Ok(questions)
}

/// A query with each word that joins conditions.
const JOINED: [(&str, &str); 6] = [
    ("and", "elo>=2400 and at(Q=0 q=0)"),
    ("or", "at(Q>=2) or at(q>=2)"),
    ("not", "at(not piece:P@e not piece:p@e)"),
    ("then", "at(piece:Nd5) then at(N=0)"),
    ("next", "at(piece:Nd5) next at(not piece:Nd5)"),
    ("at", "at(piece:Kc1 piece:kg8)"),
];

/// Returns every pair of conditions on positions, and of a condition and a modifier.
fn pairs() -> Vec<String> {
    let inside = |field: &&Field| matches!(field.level, Level::Position | Level::Modifier);
    let clauses: Vec<&str> = FIELDS.iter().filter(inside).filter_map(clause).collect();
    let join = |(at, first)| {
        let others = clauses.get(at + 1..).unwrap_or_default();
        others
            .iter()
            .map(move |other| format!("at({first} {other})"))
    };
    clauses.iter().enumerate().flat_map(join).collect()
}

/// Returns the clause of a field in its example: `mate` in `at(mate ply<20)`.
fn clause(field: &Field) -> Option<&'static str> {
    let inner = field
        .example
        .trim_start_matches("at(")
        .trim_end_matches(')');
    let mut quoted = false;
    let mut words = inner.split(|letter| {
        quoted ^= letter == '"';
        letter == ' ' && !quoted
    });
    words.find(|word| {
        word.strip_prefix(field.name)
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    })
}
