//! The `repertoire` command.

use std::fs;

use serde_json::Value;
use tabiya::Database;

use super::{Bench, damage};

const BASE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/famous.si4");
const LINES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/lines/white.pgn");

/// The arguments for the famous games beside some lines.
fn famous<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let base = ["repertoire", BASE, "--file", LINES, "--color", "white"];
    [&base[..], more].concat()
}

#[test]
fn a_repertoire_is_told_in_every_format() {
    let bench = Bench::new();
    let table = bench.run(&famous(&["-q", "-n", "2"])).out;
    for part in [
        "me                   60  65.9%",
        "opponent             15  16.5%",
        "not in the files      7   7.7%",
        "Where games leave the files, 2 of 19:",
        "opponent     11  72.7%  1.e4 ",
        "6  12.8%  50.0%  no            1.e4 c5",
        "Lines played to their end, 2 of 4:",
        "    1  1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5 4.b4 Bb6",
    ] {
        assert!(table.contains(part), "{part}: {table}");
    }
    let csv = bench.run(&famous(&["--format", "csv"])).out;
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows.len(), 1 + 91 - 7);
    assert!(rows[0].starts_with("database,game,white,black,result,date,left,ply,line,answers"));
    let jsonl = |part: &str| -> Vec<Value> {
        let told = bench
            .run(&famous(&["--format", "jsonl", "--show", part]))
            .out;
        let rows = told.lines().map(|row| serde_json::from_str(row).unwrap());
        rows.collect()
    };
    let place = &jsonl("places")[1];
    assert_eq!(
        (
            &place["left"],
            &place["games"],
            &place["line"],
            &place["answers"],
            &place["score"]
        ),
        (
            &"opponent".into(),
            &11.into(),
            &"1.e4".into(),
            &"1...e5 1...e6 1...c6".into(),
            &72.7.into()
        )
    );
    let gap = &jsonl("gaps")[0];
    assert_eq!(
        (&gap["line"], &gap["inFile"]),
        (&"1.e4 c5".into(), &false.into())
    );
    assert_eq!((jsonl("lines").len(), jsonl("unplayed").len()), (4, 6));
    let games = jsonl("games");
    let left = games.iter().filter(|game| game["left"] == "me").count();
    let query = format!("repertoire.white:\"{LINES}\" left:me");
    let found = bench.run(&["search", BASE, &query, "--count", "-q"]);
    assert_eq!(found.out.trim(), left.to_string());
}

#[test]
fn pgn_of_a_repertoire_has_its_lines_and_the_gaps() {
    let bench = Bench::new();
    let written = bench.run(&famous(&["-o", "white.pgn"]));
    assert_eq!(
        (written.code, written.out.as_str()),
        (0, ""),
        "{}",
        written.err
    );
    let pgn = fs::read_to_string(bench.path("white.pgn")).unwrap();
    let flat = pgn.replace('\n', " ");
    assert!(
        flat.contains("1. e4 {47, 73.4%} 1... e5 {29, 67.2%}"),
        "{flat}"
    );
    assert!(flat.contains("(1... c5 {gap: 6, 50.0%})"), "{flat}");
    assert_eq!(flat.matches("gap:").count(), 1);
    // The gap is the only new position.
    let positions = |path| {
        let file = Database::open(path).unwrap();
        tabiya::Repertoire::of(&[file]).unwrap().positions()
    };
    assert_eq!(
        positions(bench.path("white.pgn")),
        positions(LINES.into()) + 1
    );
}

#[test]
fn a_page_of_a_repertoire_tells_what_the_table_tells() {
    let bench = Bench::new();
    bench.run(&famous(&["result:1-0", "-o", "white.html"]));
    let page = fs::read_to_string(bench.path("white.html")).unwrap();
    let csv = bench
        .run(&famous(&[
            "result:1-0",
            "--format",
            "csv",
            "--show",
            "places",
        ]))
        .out;
    assert!(page.contains("that match result=1-0") || page.contains("that match result:1-0"));
    for row in csv.lines().skip(1) {
        let games = row.split(',').nth(1).unwrap();
        let line = row.split(',').find(|part| part.starts_with("1.")).unwrap();
        assert!(page.contains(&format!("<td>{line}</td>")), "{line}");
        assert!(page.contains(&format!("<td>{games}</td>")), "{games}");
    }
    assert!(page.contains("<svg") && !page.contains("<script"));
}

#[test]
fn several_files_and_bases_count_together() {
    let bench = Bench::new();
    fs::write(bench.path("d4.pgn"), "1. d4 d5 *\n").unwrap();
    let one = bench.run(&famous(&["--format", "csv"])).out;
    let two = bench
        .run(&famous(&[
            "--file", "d4.pgn", "--format", "csv", "--show", "places",
        ]))
        .out;
    assert!(two.contains("\nme,13,"), "{two}");
    let args = famous(&["--format", "csv"]);
    let twice = [&["repertoire", BASE][..], &args[1..]].concat();
    let twice = bench.run(&twice).out;
    assert_eq!(twice.lines().count() - 1, 2 * (one.lines().count() - 1));
}

#[test]
fn a_repertoire_command_refuses_what_makes_no_sense() {
    let bench = Bench::new();
    for wrong in [
        &["repertoire", "small.si4", "--color", "white"][..],
        &["repertoire", "small.si4", "--file", LINES],
        &famous(&["--format", "pgn", "--show", "gaps"]),
        &famous(&["--format", "html", "--show", "gaps"]),
        &famous(&["-o", "a.bin"]),
        &famous(&["--gap", "101"]),
        &[
            "repertoire",
            "small.si4",
            "--file",
            LINES,
            "--color",
            "white",
            "-o",
            LINES,
            "--force",
        ],
    ] {
        assert_eq!(bench.run(wrong).code, 2, "{wrong:?}");
    }
    fs::write(bench.path("empty.pgn"), "no chess").unwrap();
    let empty = [
        "repertoire",
        "small.si4",
        "--file",
        "empty.pgn",
        "--color",
        "black",
    ];
    let empty = bench.run(&empty);
    assert_eq!(empty.code, 2);
    assert!(empty.err.contains("empty.pgn: no game"), "{}", empty.err);
    let missing = [
        "repertoire",
        "small.si4",
        "--file",
        "none.pgn",
        "--color",
        "black",
    ];
    assert_eq!(bench.run(&missing).code, 3);
    let nothing = bench.run(&famous(&["white:nobody"]));
    assert_eq!((nothing.code, nothing.out.as_str()), (1, ""));
}

#[test]
fn a_repertoire_tells_of_damaged_games_and_lines() {
    let bench = Bench::new();
    damage(&bench);
    let args = [
        "repertoire",
        "small.si4",
        "--file",
        LINES,
        "--color",
        "white",
    ];
    let ran = bench.run(&args);
    assert!(ran.err.contains("damaged games"), "{}", ran.err);
    let args = [
        "repertoire",
        BASE,
        "--file",
        "small.si4",
        "--color",
        "white",
    ];
    let ran = bench.run(&args);
    assert!(ran.err.contains("in the files of lines"), "{}", ran.err);
}
