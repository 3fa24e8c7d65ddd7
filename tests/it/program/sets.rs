//! Lists of databases and patterns stand for the databases that they name.

use std::fs;

use tabiya::{ErrorKind, OpenOptions, databases_named};

use super::Bench;

const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/famous.pgn");

/// Makes databases in folders, and lists of them.
fn bench() -> Bench {
    let bench = Bench::new();
    fs::create_dir(bench.path("months")).unwrap();
    for name in ["2024-01.pgn", "2024-02.pgn", "2023-12.pgn", ".2024-03.pgn"] {
        fs::copy(GAMES, bench.path(&format!("months/{name}"))).unwrap();
    }
    fs::write(bench.path("months/2024-04.txt"), "no database").unwrap();
    let text =
        "\u{feff}# months\r\n\r\n  2024-*.pgn\r\n2024-0?.pgn\r\n./2024-02.pgn\r\n../small\r\n";
    fs::write(bench.path("months/all.tabiyaset"), text).unwrap();
    bench
}

const NAMED: [&str; 3] = [
    "months/2024-01.pgn",
    "months/2024-02.pgn",
    "months/../small",
];

#[test]
fn a_list_stands_for_its_databases_in_every_command_that_takes_several() {
    let bench = bench();
    for rest in [
        &["search", "mate", "--count"][..],
        &["search", "mate", "--format", "ids"],
        &["search", "elo>1", "--format", "csv", "--sort", "date:desc"],
        &["tree", "--moves", "e4", "--format", "csv"],
        &["stats", "--format", "csv"],
        &["lines", "--format", "csv"],
        &["report", "opening", "--moves", "e4", "--format", "json"],
    ] {
        let at = if rest[0] == "report" { 2 } else { 1 };
        let ask = |paths: &[&str]| {
            let ran = bench.run(&[&rest[..at], paths, &rest[at..]].concat());
            (ran.code, ran.out)
        };
        let (code, out) = ask(&["months/all.tabiyaset"]);
        assert_eq!((code, &out), (0, &ask(&NAMED).1), "{rest:?}");
        assert!(!out.is_empty());
    }
    let count = bench
        .run(&["search", "months/all.tabiyaset", "--count"])
        .out;
    let each = "months/2024-01.pgn:91\nmonths/2024-02.pgn:91\n";
    let each = each.replace("months/", "").replace(".pgn", "");
    assert_eq!(count, format!("{each}small:5\n"));
}

#[test]
fn a_pattern_in_quotes_stands_for_the_databases_that_fit() {
    let bench = bench();
    let count = |words: &[&str]| bench.run(&[&["search"], words, &["--count"]].concat()).out;
    assert_eq!(count(&["months/2024-*.pgn"]), "2024-01:91\n2024-02:91\n");
    assert_eq!(count(&["small.si4", "months/*.pgn"]).lines().count(), 4);
    assert_eq!(count(&["months/2023*"]), "91\n");
    let ran = bench.run(&["search", "months/2022-*.pgn", "mate"]);
    assert!(
        ran.code == 3 && ran.err.contains("2022-*.pgn: cannot open"),
        "{}",
        ran.err
    );
}

#[test]
fn a_list_is_indexed_verified_described_and_written() {
    let bench = bench();
    let list = "months/all.tabiyaset";
    let ran = bench.run(&["index", list]);
    assert_eq!((ran.code, ran.err.lines().count()), (0, 3), "{}", ran.err);
    assert!(bench.path("months/2024-01.tabiya").exists());
    let ran = bench.run(&["verify", list]);
    assert!(
        ran.code == 0 && ran.err.contains("months/2024-02.pgn: 91 games"),
        "{}",
        ran.err
    );
    let ran = bench.run(&["info", list]);
    assert!(
        ran.code == 0 && ran.out.contains("2024-02.pgn  PGN"),
        "{}",
        ran.out
    );
    assert_eq!((ran.out.lines().count(), bench.run(&[list]).code), (4, 0));
    let ran = bench.run(&["convert", list, "new.si5"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let found = bench.run(&["search", list, "mate", "-o", "found.pgn"]);
    assert_eq!(found.code, 0, "{}", found.err);
    let ran = bench.run(&["add", "new.si5", list]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(bench.run(&["search", "new.si5", "--count"]).out, "374\n");
}

#[test]
fn a_database_of_a_list_that_cannot_be_opened_does_not_stop_the_others() {
    let bench = bench();
    fs::write(bench.path("bad.si4"), "no database").unwrap();
    fs::write(bench.path("some.tabiyaset"), "bad.si4\nsmall\n").unwrap();
    for command in ["index", "verify", "info"] {
        let ran = bench.run(&[command, "some.tabiyaset"]);
        assert_eq!(ran.code, 3, "{command} {}", ran.err);
        assert!(ran.err.contains("bad.si4"), "{}", ran.err);
        let told = format!("{}{}", ran.out, ran.err);
        assert!(told.contains("small"), "{told}");
    }
}

#[test]
fn a_list_is_refused_where_one_database_is_meant() {
    let bench = bench();
    let list = "months/all.tabiyaset";
    for arguments in [
        &["show", list, "1"][..],
        &["names", list],
        &["explain", list, "mate"],
        &["edit", list, "--set", "white=x"],
        &["convert", "small.si4", list],
        &["repair", list, "new.si4"],
    ] {
        let ran = bench.run(arguments);
        assert_eq!(
            (ran.code, ran.out.as_str()),
            (2, ""),
            "{arguments:?} {}",
            ran.err
        );
        assert!(ran.err.contains("all.tabiyaset"), "{}", ran.err);
    }
    let error = OpenOptions::new().open(bench.path(list)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }));
}

#[test]
fn what_is_wrong_with_a_list_is_told_with_its_line() {
    let bench = bench();
    fs::write(bench.path("months/other.tabiyaset"), "2024-01.pgn\n").unwrap();
    for (text, told) in [
        (
            &b"2024-01.pgn\nabsent.pgn\n"[..],
            "line 2: the list needs the file absent.pgn",
        ),
        (
            b"#\n\n2022-*.pgn",
            "line 3: the list needs the file 2022-*.pgn",
        ),
        (
            b"absent/*.pgn",
            "line 1: the list needs the file absent/*.pgn",
        ),
        (b".", "line 1: the list needs the file ."),
        (b"*", ""),
        (
            b"other.tabiyaset",
            "line 1: a list of databases in another one is not supported",
        ),
        (b"# nothing", "a list of databases that names none"),
        (b"2024-01.pgn\n\xff", "not UTF-8 (at byte 12)"),
    ] {
        let list = bench.path("months/bad.tabiyaset");
        fs::write(&list, text).unwrap();
        let named = databases_named(&list);
        if told.is_empty() {
            assert_eq!(named.unwrap().len(), 3);
            continue;
        }
        let error = named.unwrap_err().to_string();
        assert!(
            error.contains("bad.tabiyaset: ") && error.contains(told),
            "{error}"
        );
        let ran = bench.run(&["search", "months/bad.tabiyaset", "mate"]);
        assert!(ran.code > 1 && ran.err.contains(told), "{}", ran.err);
    }
    let list = bench.path("long.tabiyaset");
    fs::write(&list, "s*\n".repeat(1001)).unwrap();
    let error = databases_named(&list).unwrap_err().to_string();
    assert!(
        error.contains("line 1001: the number of patterns"),
        "{error}"
    );
    fs::write(&list, "#".repeat((16 << 20) + 1)).unwrap();
    let error = databases_named(&list).unwrap_err().to_string();
    assert!(error.contains("exceeds the limit of 16777216"), "{error}");
    let absent = databases_named(&bench.path("absent.tabiyaset")).unwrap_err();
    assert!(matches!(absent.kind(), ErrorKind::Io { .. }));
}

#[test]
fn the_list_of_chessbase_names_what_its_window_shows() {
    let bench = bench();
    let sized = |text: &str| [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat();
    let database = |path: &str, value: &str| [vec![0x1e], sized(value), sized(path)].concat();
    let items = [
        [vec![0xff], sized("Databases")].concat(),
        database("months/2024-01.pgn", "January,0,3,91,5,1,1"),
        database("small.si4", "Small,0,1,5,5,1,1"),
        database("gone.cbh", "Gone,0,1,9,5,1,1"),
    ]
    .concat();
    let length = (items.len() as u32).to_be_bytes();
    let list = [&[0x0c, 0x0b, 0x0a, 0x0e], &length[..], &items].concat();
    fs::write(bench.path("DBItems.cbini"), list).unwrap();
    let count = bench.run(&["search", "DBItems.cbini", "--count"]);
    assert_eq!(count.out, "2024-01:91\nsmall:5\n");
    assert!(count.err.contains("Gone ("), "{}", count.err);
    assert!(count.err.contains("gone.cbh): not found"), "{}", count.err);
    let info = bench.run(&["info", "DBItems.cbini"]);
    assert!(info.out.contains("2024-01.pgn") && info.err.contains("gone.cbh"));
    fs::write(bench.path("DBItems.cbini"), "no list").unwrap();
    let refused = bench.run(&["info", "DBItems.cbini"]);
    assert!(
        refused.err.contains("does not begin as a list"),
        "{}",
        refused.err
    );
}
