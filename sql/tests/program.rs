//! The program, as it is called.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
    sync::Arc,
};

use datafusion::{execution::TaskContext, physical_plan::collect};
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
        "games,moves,tags",
        "--fens",
    ]);
    for (table, order) in [
        ("games", "game"),
        ("moves", "game, ply"),
        ("tags", "game, tag, value"),
    ] {
        let columns = match table {
            "games" => "game, white, date, result, eco, opening, plies",
            "moves" => "*",
            _ => "game, tag, value",
        };
        let here = format!("select {columns} from {table} order by db, {order}");
        let here = stdout(&[FAMOUS, "../fixtures/famous.pgn", "-c", &here]);
        let there = format!(
            "create external table t stored as parquet location '{out}/{table}/'; \
             select {columns} from t order by db, {order}"
        );
        let there = stdout(&["-c", &there]);
        assert!(here.lines().count() > 91, "{here}");
        assert_eq!(here.trim(), there.trim(), "{table}");
    }
    let again = run(&["export", FAMOUS, out]);
    assert_eq!(again.status.code(), Some(2));
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
    assert!(String::from_utf8_lossy(&output.stderr).contains("damaged games"));
    let count: u32 = String::from_utf8_lossy(&output.stdout)
        .lines()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap();
    assert!((80..=91).contains(&count), "{count}");
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
