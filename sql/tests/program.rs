//! The program, as it is called.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

// Each file of tests becomes a program of 250 MB.
mod parts;

use std::{
    fs,
    path::Path,
    process::{Command, Output},
    sync::Arc,
};

use datafusion::{
    arrow::{
        array::{AsArray as _, RecordBatch},
        datatypes::Float64Type,
    },
    execution::TaskContext,
    physical_plan::collect,
};
use tabiya::{Lines, Query, TreePosition};
use tabiya_sql::{Base, Session};

const FAMOUS: &str = "../fixtures/famous.si4";

fn run(arguments: &[&str]) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_tabiya-sql"));
    Command::new(program).args(arguments).output().unwrap()
}

fn stdout(arguments: &[&str]) -> String {
    let output = run(arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns a folder with the games as `a.si4`, to be damaged.
fn copied() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for suffix in ["si4", "sg4", "sn4"] {
        let bytes = fs::read(format!("../fixtures/famous.{suffix}")).unwrap();
        fs::write(folder.path().join(format!("a.{suffix}")), bytes).unwrap();
    }
    folder
}

#[test]
fn rows_are_written_in_every_format() {
    let select = "select game, white from games where game < 3 order by game";
    let csv = stdout(&[FAMOUS, "-c", select]);
    assert_eq!(csv.lines().count(), 3);
    assert!(csv.starts_with("game,white\n1,"), "{csv}");
    let json = stdout(&[FAMOUS, "--format", "json", "-c", select]);
    assert!(json.starts_with("{\"game\":1,\"white\":\""), "{json}");
    let table = stdout(&[FAMOUS, "--format", "table", "-c", select]);
    assert!(table.contains("| game | white"), "{table}");
    let none = "select game, white from games where game = 1000";
    assert_eq!(
        stdout(&[FAMOUS, "--format", "csv", "-c", none]),
        "game,white\n"
    );
    let folder = tempfile::tempdir().unwrap();
    for format in ["parquet", "arrow"] {
        let path = folder.path().join(format);
        let path = path.to_str().unwrap();
        stdout(&[FAMOUS, "--format", format, "-o", path, "-c", select]);
        let bytes = fs::read(path).unwrap();
        assert!(bytes.len() > 100);
        assert_eq!(bytes.starts_with(b"PAR1"), format == "parquet");
    }
}

#[test]
fn faults_are_told_with_their_place_and_end_with_an_error() {
    for (arguments, part) in [
        (vec!["no/such.si4", "-c", "select 1"], "no/such.si4"),
        (vec![FAMOUS, "-c", "selct 1"], "selct"),
        (vec![FAMOUS, "-c", "select wite from games"], "wite"),
        (
            vec![FAMOUS, "-c", "select 1 from games(query => 'elow:3')"],
            "elow",
        ),
    ] {
        let output = run(&arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(errors.contains(part), "{arguments:?}: {errors}");
    }
}

#[test]
fn an_export_has_every_row_and_is_complete_or_absent() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let out = out.to_str().unwrap();
    stdout(&[
        "export",
        FAMOUS,
        "../fixtures/famous.pgn",
        out,
        "--tables",
        "games,moves,tags,nags,variations",
        "--fens",
    ]);
    for (table, order) in [
        ("games", "game"),
        ("moves", "game, ply"),
        ("tags", "game, tag, value"),
        ("nags", "game, variation, ply, nag"),
        ("variations", "game, variation, ply"),
    ] {
        let columns = match table {
            "games" => "game, white, date, result, eco, opening, plies",
            "moves" | "nags" | "variations" => "*",
            _ => "game, tag, value",
        };
        let here = format!("select {columns} from {table} order by db, {order}");
        let here = stdout(&[FAMOUS, "../fixtures/famous.pgn", "-c", &here]);
        let there = format!(
            "create external table t stored as parquet location '{out}/{table}/'; \
             select {columns} from t order by db, {order}"
        );
        let there = stdout(&["-c", &there]);
        let least = if table == "nags" || table == "variations" {
            3
        } else {
            91
        };
        assert!(here.lines().count() > least, "{here}");
        assert_eq!(here.trim(), there.trim(), "{table}");
    }
    let again = run(&["export", FAMOUS, out]);
    assert_eq!(again.status.code(), Some(2));
    let told = String::from_utf8_lossy(&again.stderr);
    assert!(
        told.contains("exists already; choose a new folder"),
        "{told}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn rows_go_to_parquet_by_sql_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.parquet");
    let path = path.to_str().unwrap();
    stdout(&[
        FAMOUS,
        "-c",
        &format!("copy (select game, san from moves) to '{path}'"),
    ]);
    let count = stdout(&["-c", &format!("select count(*) as n from '{path}'")]);
    let same = stdout(&[FAMOUS, "-c", "select count(*) as n from moves"]);
    assert_eq!(count, same);
}

#[test]
fn damaged_games_are_counted_in_a_warning_and_the_others_are_there() {
    let folder = copied();
    let games = folder.path().join("a.sg4");
    let mut bytes = fs::read(&games).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 40].fill(0xff);
    fs::write(&games, bytes).unwrap();
    let path = folder.path().join("a.si4");
    let arguments = [
        path.to_str().unwrap(),
        "-c",
        "select count(distinct game) as n from moves",
    ];
    let output = run(&arguments);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("damaged games were met"));
    let count: u32 = String::from_utf8_lossy(&output.stdout)
        .lines()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    assert!((80..=91).contains(&count), "{count}");
}

#[test]
fn words_that_mean_something_else_are_warned_of() {
    for condition in [
        "games(query => 'mate in one')",
        "games where matches(db, game, 'mate in one')",
        "tree(query => 'mate in one')",
    ] {
        let output = run(&[FAMOUS, "-c", &format!("select * from {condition}")]);
        assert!(output.status.success(), "{condition}");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains("did you mean `can:mate`?"), "{condition}");
    }
}

#[test]
fn notes_of_opening_are_warnings_wherever_a_database_is_named() {
    let folder = copied();
    let path = folder.path().join("a.si4");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..1000]).unwrap();
    let path = path.to_str().unwrap();
    let named = format!("select count(*) as n from games('{path}')");
    for arguments in [
        vec![path, "-c", "select count(*) as n from games"],
        vec!["-c", &named],
    ] {
        let output = run(&arguments);
        assert!(output.status.success(), "{arguments:?}");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            errors.contains("warn") && errors.contains("a.si4"),
            "{errors}"
        );
    }
}

/// Two games of which numbers are less in one column than in another, whichever two these are.
const RATED: &str = "[Event \"one\"]
[Date \"1999.12.31\"]
[White \"a\"]
[Black \"b\"]
[Result \"1-0\"]
[WhiteElo \"2100\"]
[BlackElo \"2800\"]

1. e4 {[%clk 0:01:30] [%eval 0.25]} e5 $2 (1... c5 2. Nf3) 2. Nf3 {[%eval #-3]} 1-0

[Event \"two\"]
[Date \"2005.01.02\"]
[White \"b\"]
[Black \"a\"]
[Result \"0-1\"]
[WhiteElo \"2790\"]
[BlackElo \"2110\"]

1. e4 {[%eval #2]} 0-1
";

async fn rows(session: &Session, text: &str) -> Vec<RecordBatch> {
    let frame = session.sql(text).await;
    let frame = frame.unwrap_or_else(|error| panic!("{text}: {error}"));
    let rows = frame.collect().await;
    rows.unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[tokio::test]
async fn lines_are_those_of_the_library() {
    let base = Base::open(Path::new(FAMOUS)).unwrap();
    let position = TreePosition::from_moves("1.e4 e5").unwrap();
    let query: Query = "result:1-0".parse().unwrap();
    let lines = Lines::new(&position)
        .query(&query)
        .depth(7)
        .min_games(1)
        .min_share(0.1);
    let graph = lines.run(&[base.database()]).unwrap();
    let moves = graph.in_order();
    let expected = moves.iter().map(|at| {
        let stats = &graph.nodes()[at.node].moves()[at.number].row.stats;
        let line = graph.line_with(at.node, at.number);
        let same = graph.same_as(at.node, at.number).unwrap_or_default();
        let counts = [
            stats.games(),
            stats.white_wins(),
            stats.draws(),
            stats.black_wins(),
        ];
        format!(
            "{line},{},{},{same}",
            at.depth,
            counts.map(|count| count.to_string()).join(",")
        )
    });
    let expected: Vec<String> = expected.collect();
    assert!(expected.len() > 20);
    let select = "select line, depth, games, white, draws, black, same_as \
                  from lines(moves => 'e4 e5', depth => 7, min_games => 1, min_share => 10, \
                  query => 'result:1-0')";
    let told = stdout(&[FAMOUS, "-c", select]);
    assert!(told.lines().skip(1).eq(expected), "{told}");
    for (arguments, told) in [
        ("depth => 0", "depth => 0: a number from 1 to"),
        (
            "min_share => 'many'",
            "min_share => many: a number from 0 to 100",
        ),
        ("fen => 'x', moves => 'e4'", "lines: either fen or moves"),
        ("width => 3", "lines: no argument is named width"),
    ] {
        let output = run(&[FAMOUS, "-c", &format!("select * from lines({arguments})")]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && errors.contains(told),
            "{errors}"
        );
    }
}

#[tokio::test]
async fn differences_of_any_two_columns_of_numbers_are_signed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rated.pgn");
    fs::write(&path, RATED).unwrap();
    let session = Session::new(vec![Base::open(&path).unwrap()]).unwrap();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let positions = format!("positions('{start}')");
    for table in [
        "games",
        "moves",
        "tags",
        "nags",
        "variations",
        "tree()",
        "lines(min_games => 1)",
        &positions,
    ] {
        let schema = rows(&session, &format!("select * from {table}")).await[0].schema();
        let fields = schema.fields().iter();
        let numbers: Vec<_> = fields
            .filter(|field| field.data_type().is_numeric())
            .collect();
        assert!(!numbers.is_empty(), "{table}");
        for one in &numbers {
            let is_signed = !one.data_type().is_unsigned_integer();
            assert!(is_signed, "{table}: {} is {}", one.name(), one.data_type());
            for other in &numbers {
                let (one, other) = (one.name(), other.name());
                let text = format!(
                    "select count(*) filter (where cast({one} - {other} as double) \
                     <> cast({one} as double) - cast({other} as double)) * 1.0e0 from {table}"
                );
                let wrong = rows(&session, &text).await[0].column(0).clone();
                assert_eq!(wrong.as_primitive::<Float64Type>().value(0), 0.0, "{text}");
            }
        }
    }
}

#[tokio::test]
async fn a_file_that_another_program_changes_is_an_error_with_its_path() {
    let folder = copied();
    let path = folder.path().join("a.si4");
    let session = Session::new(vec![Base::open(&path).unwrap()]).unwrap();
    let before = session.sql("select count(*) from moves").await.unwrap();
    let planned = before.clone().create_physical_plan().await.unwrap();
    assert!(before.collect().await.is_ok());
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 47]).unwrap();
    let context = Arc::new(TaskContext::default());
    let running = collect(planned, context).await;
    let again = session.sql("select count(*) from moves").await.unwrap();
    for error in [running.unwrap_err(), again.collect().await.unwrap_err()] {
        assert!(error.to_string().contains("a.si4"), "{error}");
    }
}

#[test]
fn semicolons_in_quotes_and_comments_divide_nothing() {
    let text = "select ';' as a, \"a;b\" from (select 1 as \"a;b\"); -- it's; so\n\
                /* nor; it's */ select 2 as b;\n ;";
    assert_eq!(stdout(&["-c", text]), "a,a;b\n;,1\nb\n2\n");
}

#[test]
fn a_fault_of_sql_has_its_line_and_column() {
    for (text, part) in [
        ("select game,\n wite from games", "line 2, column 2: "),
        ("select game\n fron games g x", "Line: 2, Column: 7"),
    ] {
        let output = run(&[FAMOUS, "-c", text]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(part), "{text}: {errors}");
    }
}

#[test]
fn a_file_that_holds_one_result_gets_no_second() {
    let folder = tempfile::tempdir().unwrap();
    for (format, succeeds) in [("parquet", false), ("arrow", false), ("csv", true)] {
        let path = folder.path().join(format);
        let path = path.to_str().unwrap();
        let output = run(&["-c", "select 1; select 2", "--format", format, "-o", path]);
        assert_eq!(output.status.success(), succeeds, "{format}");
    }
}

#[test]
fn a_statement_that_fails_leaves_the_output_as_it_was_and_no_database_is_overwritten() {
    let folder = copied();
    let file = folder.path().join("x.csv");
    fs::write(&file, "before").unwrap();
    let failed = run(&["-c", "select nothing", "-o", file.to_str().unwrap()]);
    assert_eq!(failed.status.code(), Some(2));
    assert_eq!(fs::read(&file).unwrap(), b"before");
    let (index, names) = (folder.path().join("a.si4"), folder.path().join("a.sn4"));
    let before = fs::read(&names).unwrap();
    let arguments = [index.to_str().unwrap(), "-o", names.to_str().unwrap()];
    let output = run(&[&arguments[..], &["-c", "select 1"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("a.sn4"));
    assert_eq!(fs::read(&names).unwrap(), before);
}

#[test]
fn an_export_removes_no_folder_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let partial = folder.path().join("out.partial");
    fs::create_dir(&partial).unwrap();
    fs::write(partial.join("mine"), "").unwrap();
    let out = folder.path().join("out");
    let output = run(&["export", FAMOUS, out.to_str().unwrap()]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("out.partial"), "{errors}");
    assert!(partial.join("mine").exists() && !out.exists());
}

#[test]
fn explain_shows_the_query_and_what_the_index_decides() {
    let text = "explain select count(*) from games where eco = 'C33' and \
                matches(db, game, 'at(check)') and month = 5";
    let plan = stdout(&[FAMOUS, "-c", text]);
    for part in [
        "famous=[",
        "eco:C33",
        "at(check)",
        "(eco:C33: opening code; 1 game, 0 open)",
        "month",
    ] {
        assert!(plan.contains(part), "{part}: {plan}");
    }
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_a_statement_whatever_it_does() {
    use std::{
        process::Stdio,
        thread,
        time::{Duration, Instant},
    };
    for statement in [
        "select count(*) from games a, games b, games c, games d, games e \
         where a.game + b.game > c.game + d.game + e.game",
        "select count(*) from moves a, moves b, moves c where a.san < b.uci or b.fen > c.fen",
    ] {
        let program = Path::new(env!("CARGO_BIN_EXE_tabiya-sql"));
        let mut command = Command::new(program);
        command
            .args([FAMOUS, "-c", statement])
            .stdout(Stdio::null());
        let mut child = command.spawn().unwrap();
        thread::sleep(Duration::from_secs(2));
        assert!(child.try_wait().unwrap().is_none(), "{statement}: too fast");
        let asked = Instant::now();
        let id = child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-INT", &id])
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(child.wait().unwrap().code(), Some(130));
        // Left alone, these take days. The machine may be busy.
        let took = asked.elapsed();
        assert!(took < Duration::from_secs(60), "{statement}: {took:?}");
    }
}

/// Returns a pipe that nobody reads.
fn unread() -> std::io::PipeWriter {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer
}

#[test]
fn a_reader_that_has_left_ends_no_statement_that_writes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.parquet");
    let text = format!(
        "select * from moves; copy (select game from games) to '{}'; select 1",
        file.display()
    );
    let status = Command::new(env!("CARGO_BIN_EXE_tabiya-sql"))
        .args([FAMOUS, "--format", "csv", "-c", &text])
        .stdout(unread())
        .status()
        .unwrap();
    assert!(status.success());
    assert!(fs::read(&file).unwrap().starts_with(b"PAR1"));
}

#[test]
fn an_export_ends_well_when_nobody_reads_what_it_tells() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("all");
    let status = Command::new(env!("CARGO_BIN_EXE_tabiya-sql"))
        .args(["export", FAMOUS])
        .arg(&target)
        .stderr(unread())
        .status()
        .unwrap();
    assert!(status.success());
    assert!(target.join("games").is_dir());
}

/// Writes a table of two games in the layout of Lichess.
fn written_parquet(folder: &Path) -> String {
    let path = folder.join("train.parquet");
    let select = "select 'First' as \"White\", 1500 as \"WhiteElo\", \
                  date '2024-02-29' as \"UTCDate\", '1-0' as \"Result\", \
                  '1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0' as movetext \
                  union all select 'Second', null, null, '*', '1. d4 d5 2. Nonsense *'";
    let path = path.to_str().unwrap().to_owned();
    stdout(&["--format", "parquet", "-o", &path, "-c", select]);
    path
}

#[test]
fn parquet_of_others_is_a_database_and_a_source_of_convert() {
    let folder = tempfile::tempdir().unwrap();
    let parquet = written_parquet(folder.path());
    let select = "select db, white, year, white_elo, plies from games \
                  where matches(db, game, 'at(mate)')";
    assert_eq!(
        stdout(&[&parquet, "-c", select]),
        "db,white,year,white_elo,plies\ntrain,First,2024,1500,5\n"
    );
    let named = format!("select count(*) from games('{parquet}', query => 'white:first')");
    assert_eq!(stdout(&[FAMOUS, "-c", &named]), "count(*)\n1\n");
    let target = folder.path().join("games.pgn");
    let target = target.to_str().unwrap();
    let output = run(&["convert", &parquet, FAMOUS, target]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(
        told.contains(&format!("damaged, the rest kept: {parquet}")),
        "{told}"
    );
    assert!(told.contains("93 games written to"), "{told}");
    let pgn = fs::read_to_string(target).unwrap();
    assert!(pgn.contains("1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0"), "{pgn}");
    let refused = run(&["convert", FAMOUS, target]);
    assert_eq!(refused.status.code(), Some(2));
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(
        told.contains("games.pgn") && told.contains("; --force replaces it"),
        "{told}"
    );
    let replaced = run(&["convert", FAMOUS, target, "--force"]);
    assert_eq!(replaced.status.code(), Some(0));
}
