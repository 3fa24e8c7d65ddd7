//! Conditions that become part of a scan give the same rows as conditions that are evaluated on the
//! rows, whatever the format.
//!
//! A long file, since each file of tests becomes a program of 250 MB.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod joins;
mod tables;

use std::{
    fmt::Write as _,
    io::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use datafusion::{
    arrow::{
        array::{Array as _, AsArray as _, RecordBatch},
        datatypes::{Int32Type, Int64Type, UInt64Type},
    },
    physical_plan::displayable,
};
use fastrand::Rng;
use tabiya::{ConvertOptions, Database, Progress, Query, Search};
use tabiya_sql::{Base, Session};

/// Conditions of all formats together, unless `TABIYA_SQL_CASES` says otherwise.
const CASES: usize = 2000;

/// Real databases, or folders of them, with games of all kinds of headers: partial dates, unknown
/// names, texts, damage.
const SHARED: [&str; 22] = [
    "scid4/res/res_database.si4",
    "scid4/annotated",
    "pgn-lichess/lichess.pgn",
    "chessbase/linares",
    "chessbase/hedgehog",
    "chessbase/text",
    "chessbase/cb12",
    "chessbase/archives/small.cbv",
    "scdb/games.dci",
    "scdb/edge.dci",
    "scdb/quirks/crashed.dci",
    "jose/annotated.pgn",
    "jose/lab.jose",
    "jose/live-mysql-jose",
    "monty/std.binpack",
    "monty/std-value.binpack",
    "monty/truncated.binpack",
    "scid4/problems-si3/endings.si3",
    "training/sf-small.binpack",
    "training/viri.vf",
    "scid5/edge",
    "scid5/tcec-frc",
];

/// Formats that tabiya writes. The second `.dci` has the longer layout.
const WRITTEN: [&str; 7] = [
    "a.si4", "a.si5", "a.cbh", "a.2cbh", "a.dci", "long.dci", "a.pgn",
];

/// Formats that tabiya reads only.
const READ: [&str; 3] = [
    "../fixtures/shelf/famous.cbf",
    "../fixtures/shelf/puzzles.csv",
    "../fixtures/positions.epd",
];

fn options() -> ConvertOptions {
    tabiya::format::Overwrite::Refuse.into()
}

/// Writes games as Chess.com's archive of a month.
fn archive(games: &Path, folder: &Path) -> PathBuf {
    let pgn = std::fs::read_to_string(games).unwrap();
    let games = pgn.split("\n\n[Event ").map(|game| {
        let pgn = format!("[Event {}", game.trim_start_matches("[Event "));
        serde_json::json!({ "pgn": pgn })
    });
    let games: Vec<_> = games.collect();
    let path = folder.join("month.json");
    std::fs::write(&path, serde_json::json!({ "games": games }).to_string()).unwrap();
    path
}

/// Returns the famous games in every format that is written, and real databases where they are.
fn databases(folder: &Path) -> Vec<PathBuf> {
    let famous = [PathBuf::from("../fixtures/famous.pgn")];
    let mut paths = Vec::new();
    for name in WRITTEN {
        let target = folder.join(name);
        let options = match name {
            "long.dci" => options().layout(tabiya::format::ScdbLayout::Described),
            _ => options(),
        };
        tabiya::convert(&famous, &target, options, Progress::ignore).unwrap();
        paths.push(target);
    }
    paths.extend(READ.map(PathBuf::from));
    paths.push(archive(&famous[0], folder));
    let shared = Path::new("../../shared/data");
    if !shared.exists() {
        let required = std::env::var("TABIYA_REQUIRE_SHARED").is_ok_and(|value| value == "1");
        assert!(!required, "../shared is required");
        // Past the test harness, which keeps back what passing tests print.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: tests on real databases, since ../shared/data is not there"
        );
        return paths;
    }
    for part in SHARED {
        let path = shared.join(part);
        let mut files = vec![path.clone()];
        if path.is_dir() && !part.starts_with("jose") {
            files = path
                .read_dir()
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .collect();
            let is_index = |path: &PathBuf| {
                let suffix = path.extension().and_then(|suffix| suffix.to_str());
                suffix.is_some_and(|suffix| ["cbh", "si4", "si5"].contains(&suffix))
            };
            files.retain(is_index);
            files.sort();
        }
        assert!(!files.is_empty(), "{part}: no database");
        paths.extend(files);
    }
    paths
}

#[test]
fn every_format_that_is_read_is_among_the_databases_compared() {
    let folder = tempfile::tempdir().unwrap();
    let paths = databases(folder.path());
    if !Path::new("../../shared/data").exists() {
        return;
    }
    let kinds: Vec<_> = paths
        .iter()
        .map(|path| Database::open(path).unwrap().kind())
        .collect();
    for kind in tabiya::format::SUPPORT.iter().flat_map(|row| row.kinds) {
        assert!(kinds.contains(kind), "{kind}");
    }
}

async fn rows(session: &Session, text: &str) -> Vec<RecordBatch> {
    let frame = session
        .sql(text)
        .await
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    frame
        .collect()
        .await
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Returns the numbers of games that a statement selects, ascending.
async fn games(session: &Session, text: &str) -> Vec<i64> {
    let batches = rows(session, text).await;
    let columns = batches
        .iter()
        .map(|batch| batch.column(0).as_primitive::<Int64Type>());
    let mut games: Vec<i64> = columns
        .flat_map(|column| column.values().to_vec())
        .collect();
    games.sort_unstable();
    games
}

/// Values of each column, as SQL writes them.
struct Values {
    columns: Vec<(&'static str, Vec<String>)>,
}

impl Values {
    async fn of(session: &Session) -> Values {
        let mut columns = Vec::new();
        let texts = [
            "white", "black", "event", "site", "round", "eco", "opening", "result", "db",
        ];
        let numbers = [
            "year",
            "month",
            "white_elo",
            "black_elo",
            "plies",
            "game",
            "flags",
        ];
        for name in texts.into_iter().chain(numbers).chain(["date"]) {
            let query = format!(
                "select distinct cast({name} as varchar) v from games \
                 where {name} is not null order by v limit 40"
            );
            let batches = rows(session, &query).await;
            let mut values = Vec::new();
            for batch in &batches {
                let column = datafusion::arrow::compute::cast(
                    batch.column(0),
                    &datafusion::arrow::datatypes::DataType::Utf8,
                )
                .unwrap();
                let column = column.as_string::<i32>();
                for value in column.iter().flatten() {
                    values.push(match name {
                        "date" => format!("date '{value}'"),
                        name if numbers.contains(&name) => value.to_owned(),
                        _ => format!("'{}'", value.replace('\'', "''")),
                    });
                }
            }
            let more: &[&str] = match name {
                "date" => &["date '1900-01-01'", "date '2020-02-29'", "null"],
                name if numbers.contains(&name) => &["0", "1", "2000", "-1", "70000", "null"],
                "eco" => &["'A00'", "'E99'", "'B9'", "'x'", "''", "null"],
                "result" => &["'1-0'", "'*'", "'draw'", "null"],
                _ => &[
                    "'?'",
                    "''",
                    "'Carlsen, Magnus'",
                    "'a\"b'",
                    "'c*n'",
                    "' x '",
                    "null",
                ],
            };
            values.extend(more.iter().map(ToString::to_string));
            columns.push((name, values));
        }
        Values { columns }
    }

    /// Returns a random condition.
    fn condition(&self, dice: &mut Rng, depth: usize) -> String {
        if depth > 0 && dice.u8(..100) < 55 {
            let one = self.condition(dice, depth - 1);
            return match dice.u8(..3) {
                0 => format!("not ({one})"),
                1 => format!("({one}) and ({})", self.condition(dice, depth - 1)),
                _ => format!("({one}) or ({})", self.condition(dice, depth - 1)),
            };
        }
        let (name, values) = dice.choice(&self.columns).unwrap();
        let mut value = || dice.choice(values).unwrap().clone();
        let (one, other) = (value(), value());
        let is_text = one.starts_with('\'');
        let not = if dice.bool() { "not " } else { "" };
        match dice.u8(..10) {
            0..=3 => {
                let sign = dice.choice(["=", "<>", "<", "<=", ">", ">="]).unwrap();
                if dice.bool() {
                    format!("{name} {sign} {one}")
                } else {
                    format!("{one} {sign} {name}")
                }
            }
            4 => format!("{name} {not}between {one} and {other}"),
            5 => format!("{name} {not}in ({one}, {other})"),
            6 => format!("{name} is {not}null"),
            7 if *name == "game" || *name == "db" => {
                let query = *dice.choice(&QUERIES).unwrap();
                format!("{not}matches(db, game, '{query}')")
            }
            7 if *name == "eco" || *name == "round" => {
                let tag = if *name == "eco" { "ECO" } else { "Round" };
                format!("{not}tag('{tag}') = {one}")
            }
            _ if is_text => {
                let like = if dice.bool() { "like" } else { "ilike" };
                format!("{name} {not}{like} {}", pattern(dice, &one))
            }
            _ => format!("{name} >= {one} or coalesce({name} = {other}, false)"),
        }
    }
}

const QUERIES: [&str; 4] = ["at(check)", "result:1-0", "at(Q=0 q=0)", "plies>40"];

/// Returns a pattern that is made of a text.
fn pattern(dice: &mut Rng, text: &str) -> String {
    let chars: Vec<char> = text
        .trim_matches('\'')
        .chars()
        .filter(|char| *char != '\'')
        .collect();
    let start = dice.usize(..=chars.len());
    let end = dice.usize(start..=chars.len());
    let mut pattern = String::from("'");
    if dice.bool() {
        pattern.push('%');
    }
    for char in &chars[start..end] {
        match dice.u8(..12) {
            0 => pattern.push('_'),
            1 => pattern.push('%'),
            2 => pattern.extend(char.to_uppercase()),
            _ => pattern.push(*char),
        }
    }
    if dice.bool() {
        pattern.push('%');
    }
    pattern.push('\'');
    pattern
}

#[tokio::test(flavor = "multi_thread")]
async fn conditions_give_the_same_rows_with_and_without_pushdown() {
    let folder = tempfile::tempdir().unwrap();
    let paths = databases(folder.path());
    let cases = std::env::var("TABIYA_SQL_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    let cases = cases.unwrap_or(CASES).div_ceil(paths.len());
    let (mut pushed, mut plies, mut faults) = (0, 0, Vec::new());
    for (number, path) in (0..).zip(&paths) {
        let base = Base::open(path).unwrap_or_else(|error| panic!("{error}"));
        let count = base.database().len();
        let with = Session::new(vec![Arc::clone(&base)]).unwrap();
        let without = Session::with_pushdown(vec![base], false).unwrap();
        let values = Values::of(&without).await;
        let seed = std::env::var("TABIYA_SQL_SEED")
            .ok()
            .and_then(|seed| seed.parse().ok());
        let mut dice = Rng::with_seed(seed.unwrap_or(13) + number);
        for _ in 0..cases {
            let text = tables::statement(&values, count, &mut dice);
            let (one, other) = (games(&with, &text).await, games(&without, &text).await);
            if one != other {
                faults.push(format!(
                    "{}: {text}: {} and {}",
                    path.display(),
                    one.len(),
                    other.len()
                ));
            }
            let plan = with
                .sql(&text)
                .await
                .unwrap()
                .create_physical_plan()
                .await
                .unwrap();
            let plan = displayable(plan.as_ref()).indent(false).to_string();
            pushed += usize::from(!plan.contains("=[]"));
            plies += usize::from(plan.contains("plies="));
        }
    }
    assert!(
        faults.is_empty(),
        "{} of {} conditions give other rows:\n{}",
        faults.len(),
        cases * paths.len(),
        faults.join("\n")
    );
    assert!(
        pushed > cases * paths.len() / 3,
        "only {pushed} conditions became queries"
    );
    assert!(
        plies > cases * paths.len() / 50,
        "only {plies} conditions limited plies"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn moves_and_tags_of_some_games_are_the_same_with_and_without_pushdown() {
    let paths = [
        PathBuf::from("../fixtures/famous.pgn"),
        PathBuf::from("../fixtures/famous.cbh"),
    ];
    let bases = || paths.iter().map(|path| Base::open(path).unwrap());
    let with = Session::new(bases().collect()).unwrap();
    let without = Session::with_pushdown(bases().collect(), false).unwrap();
    for condition in [
        "game = 7",
        "game between 3 and 5 and ply > 10",
        "game in (1, 90) or san = 'O-O'",
        "not (game > 2) and uci like 'e2%'",
        "db = 'famous' and game = 2",
        "db <> 'famous' and game < 3",
    ] {
        for table in ["moves", "tags"] {
            if table == "tags" && (condition.contains("ply") || condition.contains("san")) {
                continue;
            }
            let condition = if table == "tags" {
                condition.replace("uci", "value")
            } else {
                condition.to_owned()
            };
            let text = format!("select game from {table} where {condition}");
            assert_eq!(
                games(&with, &text).await,
                games(&without, &text).await,
                "{text}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_of_rows_are_those_of_the_library() {
    let folder = tempfile::tempdir().unwrap();
    for path in databases(folder.path()) {
        let base = Base::open(&path).unwrap();
        let session = Session::new(vec![base]).unwrap();
        let database = Database::open(&path).unwrap();
        for text in ["", "result:1-0", "at(check)", "plies<20 or eco:B"] {
            let query: Query = text.parse().unwrap();
            let matched = Search::new(&query).count(&database).unwrap().matched;
            let sql = format!(
                "select count(*) from games('{}', query => '{text}')",
                path.display()
            );
            let batches = rows(&session, &sql).await;
            let count = datafusion::arrow::compute::cast(
                batches[0].column(0),
                &datafusion::arrow::datatypes::DataType::UInt64,
            );
            assert_eq!(
                count.unwrap().as_primitive::<UInt64Type>().value(0),
                matched,
                "{sql}"
            );
            let mut select = String::from("select game, match_ply from games(");
            let _ = write!(select, "'{}', query => '{text}')", path.display());
            let found: usize = rows(&session, &select)
                .await
                .iter()
                .map(RecordBatch::num_rows)
                .sum();
            assert_eq!(found as u64, matched, "{select}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_stops_and_faults_point_at_their_place() {
    let session = Session::new(vec![
        Base::open(Path::new("../fixtures/famous.si4")).unwrap(),
    ])
    .unwrap();
    let batches = rows(
        &session,
        "select game, white from games where eco is not null limit 3",
    )
    .await;
    let count: usize = batches.iter().map(RecordBatch::num_rows).sum();
    assert_eq!(count, 3);
    assert!(
        batches
            .iter()
            .all(|batch| batch.column(1).null_count() == 0)
    );
    for (text, part) in [
        ("select wite from games", "wite"),
        ("select * from games(query => 'elow:3')", "elow"),
        ("select * from games('no/such.si4')", "no/such.si4"),
        ("select * from games(colour => 'x')", "colour"),
        ("select * from tree(moves => 'e5')", "e5"),
        ("select * from positions('nonsense')", "nonsense"),
        ("select matches(db, game, 'elow:3') from games", "elow"),
    ] {
        let error = match session.sql(text).await {
            Ok(frame) => frame.collect().await.unwrap_err(),
            Err(error) => error,
        };
        assert!(error.to_string().contains(part), "{text}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn long_lists_and_conditions_give_their_rows_within_the_limits_of_queries() {
    let bases = || vec![Base::open(Path::new("../fixtures/famous.si4")).unwrap()];
    let with = Session::new(bases()).unwrap();
    let without = Session::with_pushdown(bases(), false).unwrap();
    let list = |count: usize| {
        let names = (0..count).map(|number| format!("'N{number}'"));
        names.collect::<Vec<_>>().join(",")
    };
    let numbers: Vec<String> = (3..700)
        .map(|number| format!("(game = {number})"))
        .collect();
    for condition in [
        format!("white in ({}, 'NN')", list(300)),
        format!("white not in ({}, 'NN')", list(999)),
        format!("white in ({}, 'NN')", list(5000)),
        format!("db <> 'famous' or white in ({}, 'NN')", list(900)),
        format!(
            "year < 1900 and white not in ({}) and black in ({}, 'NN')",
            list(900),
            list(900)
        ),
        numbers.join(" or "),
    ] {
        let text = format!("select game from games where {condition}");
        let (one, other) = (games(&with, &text).await, games(&without, &text).await);
        assert_eq!(one, other, "{}", &text[..90]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stars_in_names_are_stars_and_no_pattern() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pgn");
    let game = |white: &str| format!("[White \"{white}\"]\n[Result \"*\"]\n\n1. e4 *\n\n");
    let names = ["a*b", "xa*bx", "aXb", "Ma\u{161}en", "\u{17f}en", " x"];
    std::fs::write(&path, names.map(game).concat()).unwrap();
    let with = Session::new(vec![Base::open(&path).unwrap()]).unwrap();
    for (condition, expected) in [
        ("white like '%a*b%'", vec![1, 2]),
        ("white = 'a*b'", vec![1]),
        ("white <> 'a*b'", vec![2, 3, 4, 5, 6]),
        ("white like '%a\u{161}en'", vec![4]),
        ("white ilike '%SEN'", vec![5]),
    ] {
        let text = format!("select game from games where {condition}");
        assert_eq!(games(&with, &text).await, expected, "{condition}");
    }
}

/// Returns numbers of games and the places where their query holds.
async fn places(session: &Session, text: &str) -> Vec<(i64, Option<i32>)> {
    let mut places = Vec::new();
    for batch in rows(session, text).await {
        let games = batch.column(0).as_primitive::<Int64Type>();
        let plies = batch.column(1).as_primitive::<Int32Type>();
        places.extend(games.values().iter().copied().zip(plies));
    }
    places.sort_unstable();
    places
}

#[tokio::test(flavor = "multi_thread")]
async fn match_ply_is_of_the_query_of_the_call_whatever_conditions_are_pushed() {
    let bases = || vec![Base::open(Path::new("../fixtures/famous.si4")).unwrap()];
    let with = Session::new(bases()).unwrap();
    let without = Session::with_pushdown(bases(), false).unwrap();
    for (from, has_place) in [
        ("games", false),
        ("games(query => 'result:1-0')", false),
        ("games(query => 'at(check)')", true),
    ] {
        let text = format!(
            "select game, match_ply from {from} \
             where matches(db, game, 'at(mate)') and year < 1990"
        );
        let (one, other) = (places(&with, &text).await, places(&without, &text).await);
        assert!(one.len() > 3, "{text}");
        assert_eq!(
            one.iter().any(|(_, ply)| ply.is_some()),
            has_place,
            "{text}"
        );
        assert_eq!(one, other, "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn matches_by_a_repertoire_is_a_query_of_its_own() {
    let bases = || vec![Base::open(Path::new("../fixtures/famous.si4")).unwrap()];
    let with = Session::new(bases()).unwrap();
    let without = Session::with_pushdown(bases(), false).unwrap();
    let text = "select game from games where \
                matches(db, game, 'repertoire:\"../fixtures/famous.pgn\" repertoire.plies:2') \
                or matches(db, game, 'repertoire:\"../fixtures/famous.pgn\" repertoire.plies:40')";
    assert_eq!(games(&with, text).await, games(&without, text).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_join_keeps_the_games_in_memory_and_not_their_moves() {
    let bases = vec![Base::open(Path::new("../fixtures/famous.si4")).unwrap()];
    let session = Session::new(bases).unwrap();
    let text = "select count(m.san) from moves m join games g on m.db = g.db and m.game = g.game";
    let plan = session.sql(text).await.unwrap();
    let plan = plan.create_physical_plan().await.unwrap();
    let plan = displayable(plan.as_ref()).indent(false).to_string();
    // The first input of a join is the one that is kept.
    let place = |table: &str| plan.find(&format!("table={table}")).unwrap();
    assert!(place("games") < place("moves"), "{plan}");
}
