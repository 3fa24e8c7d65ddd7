//! One open database serves many threads, and how many there are changes no answer.

use std::{
    fmt::Write as _,
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Barrier,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rayon::ThreadPoolBuilder;
use tabiya::{
    Database, Dedupe, Diagram, DuplicateGroup, Duplicates, Error, Explanation, Flow, GameId,
    GameSet, Line, Match, Matches, NameRow, NameSuggestion, OpenOptions, PositionCounts, Positions,
    Query, Repeats, Report, SamePlayers, Search, Sidecar, SidecarOptions, Spellings, Stats,
    StatsOptions, Strategy, Summary, Tree, TreePosition, TreeSearch, Verification, chess::NameKind,
    convert, format::Overwrite,
};
use tempfile::TempDir;

use crate::support::{
    ask,
    dice::Dice,
    pool::{NAMES, OPENINGS, random_game, written},
};

#[test]
fn what_users_hold_can_be_shared_and_sent() {
    fn shared<T: Send + Sync>() {}
    shared::<Database>();
    shared::<OpenOptions>();
    shared::<Query>();
    shared::<Search<'_>>();
    shared::<Match>();
    shared::<Matches>();
    shared::<Report>();
    shared::<Explanation>();
    shared::<GameSet>();
    shared::<Sidecar>();
    shared::<SidecarOptions>();
    shared::<TreePosition>();
    shared::<TreeSearch<'_>>();
    shared::<Tree>();
    shared::<Positions>();
    shared::<PositionCounts>();
    shared::<Stats>();
    shared::<Summary>();
    shared::<NameRow>();
    shared::<Duplicates>();
    shared::<DuplicateGroup>();
    shared::<Dedupe<'_>>();
    shared::<Repeats>();
    shared::<NameSuggestion>();
    shared::<Spellings>();
    shared::<Verification>();
    shared::<Line>();
    shared::<Diagram>();
    shared::<Error>();
}

/// The same games in three formats, in two of them with a sidecar too.
struct Bases {
    _folder: TempDir,
    paths: Vec<PathBuf>,
}

impl Bases {
    fn new(seed: u64, games: u32) -> Bases {
        let folder = TempDir::new().unwrap();
        let mut dice = Dice::new(seed);
        let games: Vec<_> = (0..games).map(|_| random_game(&mut dice)).collect();
        let parts = written(&games);
        let plain = folder.path().join("plain.si4");
        fs::write(&plain, parts.index).unwrap();
        fs::write(plain.with_extension("sg4"), parts.games.unwrap()).unwrap();
        fs::write(plain.with_extension("sn4"), parts.names.unwrap()).unwrap();
        let mut paths = vec![plain];
        for name in ["plain.cbh", "plain.pgn", "indexed.si4", "indexed_too.cbh"] {
            let target = folder.path().join(name);
            let go_on = &mut |_| Flow::Continue(());
            convert(&paths[..1], &target, Overwrite::Refuse, go_on).unwrap();
            if name.starts_with("indexed") {
                let database = Database::open(&target).unwrap();
                let sidecar = SidecarOptions::new().columns(true);
                sidecar.build(&database).unwrap();
            }
            paths.push(target);
        }
        Bases {
            _folder: folder,
            paths,
        }
    }

    /// Opens all of them; nothing has been asked yet.
    fn open(&self) -> Vec<Database> {
        let open = |path: &PathBuf| Database::open(path).unwrap();
        self.paths.iter().map(open).collect()
    }
}

/// Makes a query of what there are many of and what there are few of.
fn some_query(dice: &mut Dice) -> String {
    let name = |dice: &mut Dice| dice.pick(&NAMES).chars().take(4).collect::<String>();
    let square = |dice: &mut Dice| {
        let file = char::from(b'a' + dice.below(8) as u8);
        format!("{file}{}", 1 + dice.below(8))
    };
    let part = |dice: &mut Dice| match dice.below(10) {
        0 => format!("player:\"{}\"", name(dice).replace('"', "")),
        1 => format!("elo:{}..", 1000 + dice.below(1800)),
        2 => format!("year:{}", 1998 + dice.below(3)),
        3 => "result:1-0".to_owned(),
        4 => format!("at(piece:N{})", square(dice)),
        5 => format!("at(check ply:{}..)", dice.below(60)),
        6 => format!("at(Q=0 q=0 R={} for:3)", dice.below(3)),
        7 => format!("path:\"N{}-{}\"", square(dice), square(dice)),
        8 => format!("at(piece:P{}) then at(check)", square(dice)),
        _ => "text:müller".to_owned(),
    };
    let (one, other) = (part(dice), part(dice));
    match dice.below(4) {
        0 => one,
        1 => format!("({one}) or ({other})"),
        2 => format!("({one}) not ({other})"),
        _ => format!("({one}) ({other})"),
    }
}

/// Asks one of all questions and puts the answer into words.
fn answer(databases: &[Database], question: u64) -> String {
    let mut dice = Dice::new(question);
    let database = dice.pick(databases);
    let query = ask::query(&some_query(&mut dice));
    let search = Search::new(&query).variations(dice.percent(30));
    let mut words = format!("{:?} {query}: ", database.path().file_name());
    match dice.below(8) {
        0..=2 => {
            let found = search.run(database).unwrap();
            write!(words, "{:?}", found.as_slice()).unwrap();
        }
        3 => {
            let limit = 1 + dice.number() % 20;
            let count = search.clone().count(database).unwrap().matched;
            let first = search.limit(limit).run(database).unwrap();
            write!(words, "{count} {:?}", first.as_slice()).unwrap();
        }
        4 => {
            let moves = dice.pick(&OPENINGS);
            let position = TreePosition::from_moves(moves).unwrap();
            let tree = TreeSearch::new(&position).query(&query).run(database);
            write!(words, "{:?}", tree.unwrap().rows()).unwrap();
        }
        5 => {
            let epd = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b\n\
                       rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w\n";
            let positions = Positions::from_epd(epd).unwrap().query(&query);
            let counts = positions.keep_games(true).run(database).unwrap();
            for row in counts.rows() {
                write!(
                    words,
                    "{:?} {:?}",
                    row.tally,
                    row.games.iter().collect::<Vec<_>>()
                )
                .unwrap();
            }
        }
        6 => {
            let kind = *dice.pick(&NameKind::ALL);
            let names = database.find_names(kind, "ü").unwrap();
            let games = search.run(database).unwrap().games();
            let stats = database.stats(&games, &StatsOptions::default()).unwrap();
            write!(
                words,
                "{names:?} {stats:?} {:?}",
                database.summary().unwrap()
            )
            .unwrap();
        }
        _ => {
            let game = GameId(dice.below(database.len() as usize) as u32);
            let header = database.header(game).unwrap();
            let plies = database.plies(game).unwrap();
            let same = database.duplicates(SamePlayers::Exact);
            write!(words, "{header:?} {plies} {:?}", same.unwrap().groups).unwrap();
        }
    }
    words
}

/// Lets threads ask all questions, each of them some, and compares. Returns how many were asked.
fn asks_alike(databases: &[Database], threads: usize, answers: &[u64]) -> usize {
    let (next, begin) = (AtomicUsize::new(0), Barrier::new(threads));
    let ask = || {
        begin.wait();
        loop {
            let question = next.fetch_add(1, Ordering::Relaxed);
            let Some(&known) = answers.get(question) else {
                break;
            };
            let words = answer(databases, question as u64);
            assert_eq!(hash(&words), known, "question {question}: {words}");
        }
    };
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(ask);
        }
    });
    answers.len()
}

fn hash(words: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}

/// Asks one question after the other on one thread.
fn known_answers(bases: &Bases, questions: u64) -> Vec<u64> {
    let databases = bases.open();
    let alone = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    alone.install(|| {
        let questions = 0..questions;
        questions
            .map(|question| hash(&answer(&databases, question)))
            .collect()
    })
}

/// What is made at first use is made by several threads at once.
#[test]
fn many_threads_on_databases_just_opened_find_what_one_finds() {
    let bases = Bases::new(11, 120);
    let answers = known_answers(&bases, 60);
    for threads in [2, 4, 8, 8] {
        asks_alike(&bases.open(), threads, &answers);
    }
}

#[test]
fn answers_and_their_order_do_not_depend_on_the_number_of_threads() {
    let bases = Bases::new(12, 150);
    let answers = known_answers(&bases, 60);
    for threads in [2, 7] {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let databases = bases.open();
        pool.install(|| {
            for (question, &known) in (0..).zip(&answers) {
                let words = answer(&databases, question);
                assert_eq!(hash(&words), known, "{threads} threads: {words}");
            }
        });
    }
}

/// The sink and progress run on the caller's thread, with nothing locked.
#[test]
fn a_panic_in_what_the_user_gave_leaves_the_database_as_it_was() {
    let bases = Bases::new(13, 100);
    let query = ask::query("at(check) or year:1998");
    thread::scope(|scope| {
        // On threads of their own, so that their last words stay with this test.
        for database in bases.open() {
            let query = &query;
            scope.spawn(move || {
                let search = Search::new(query).strategy(Strategy::FullDecode);
                let before = search.run(&database).unwrap();
                assert!(before.len() > 2);
                for at in [0, 1, before.len() - 1] {
                    let mut seen = 0;
                    let sink = |_| {
                        seen += 1;
                        assert!(seen <= at, "the user's own panic");
                        Flow::Continue(())
                    };
                    let fell = AssertUnwindSafe(|| search.for_each(&database, sink));
                    assert!(catch_unwind(fell).is_err());
                    let progress = |_| panic!("the user's own panic");
                    let fell = AssertUnwindSafe(|| search.on_progress(progress).count(&database));
                    assert!(catch_unwind(fell).is_err());
                    let fell = AssertUnwindSafe(|| database.on_progress(progress).verify());
                    assert!(catch_unwind(fell).is_err());
                    let after = search.run(&database).unwrap();
                    assert_eq!(after.as_slice(), before.as_slice());
                }
            });
        }
    });
}

/// Returns the bytes that this process has for itself, mapped files aside.
fn own_memory_bytes() -> Option<u64> {
    let status = fs::read_to_string(Path::new("/proc/self/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("RssAnon"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes << 10)
}

/// `TABIYA_STRESS_SECONDS` makes it shorter or longer than ten minutes. In release:
/// `cargo test --release --test it -- --ignored --nocapture ten_thousand`.
#[test]
#[ignore = "takes ten minutes"]
fn ten_thousand_questions_by_two_threads_are_answered_alike_in_flat_memory() {
    let seconds = std::env::var("TABIYA_STRESS_SECONDS");
    let seconds = seconds.map_or(600, |seconds| seconds.parse().unwrap());
    let bases = Bases::new(14, 2000);
    let answers = known_answers(&bases, 10_000);
    let (databases, begun) = (bases.open(), Instant::now());
    let (mut asked, mut memory) = (0, Vec::new());
    loop {
        asked += asks_alike(&databases, 2, &answers);
        memory.push(own_memory_bytes().unwrap_or_default());
        let mebibytes = memory[memory.len() - 1] >> 20;
        println!("{:?}: {asked} questions, {mebibytes} MiB", begun.elapsed());
        if begun.elapsed() >= Duration::from_secs(seconds) {
            break;
        }
    }
    let (early, late) = (memory[memory.len() / 3], memory[memory.len() - 1]);
    assert!(late <= early + (8 << 20), "{early} bytes, then {late}");
}
