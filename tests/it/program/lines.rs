//! The `lines` command.

use std::fs;

use serde_json::Value;

use super::{Bench, damage};

/// The arguments for a few lines of the famous games.
fn famous<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let base = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/famous.si4");
    [&["lines", base, "--min-games", "12", "--depth", "3"], more].concat()
}

#[test]
fn lines_are_told_move_after_move_in_every_format() {
    let bench = Bench::new();
    let table = bench.run(&famous(&["-q"]));
    let moves: Vec<&str> = table
        .out
        .lines()
        .skip(1)
        .map(|row| row[..12].trim_end())
        .collect();
    assert_eq!(
        moves,
        ["1.e4", "  1...e5", "    2.Nf3", "1.d4", "  1...Nf6"]
    );
    let csv = bench.run(&famous(&["--format", "csv"])).out;
    assert!(
        csv.contains("\n1.e4 e5 2.Nf3,3,Nf3,g1f3,21,72.4,14,0,7,66.7,"),
        "{csv}"
    );
    let jsonl = bench.run(&famous(&["--format", "jsonl"])).out;
    let rows: Vec<Value> = jsonl
        .lines()
        .map(|row| serde_json::from_str(row).unwrap())
        .collect();
    assert_eq!(
        (rows.len(), &rows[1]["san"], &rows[1]["games"]),
        (5, &"e5".into(), &29.into())
    );
    let json: Value = serde_json::from_str(&bench.run(&famous(&["--format", "json"])).out).unwrap();
    let first = &json["positions"][0];
    assert_eq!(first["games"], 84);
    let next = first["moves"][1]["position"].as_u64().unwrap() as usize;
    assert_eq!(json["positions"][next]["line"], "1.d4");
    let pgn = bench.run(&famous(&["--format", "pgn"])).out;
    let text = "1. e4 {47, 73.4%} (1. d4 {24, 33.3%} 1... Nf6 {13, 38.5%}) 1... e5 {29, 67.2%} 2.";
    assert!(pgn.replace('\n', " ").contains(text), "{pgn}");
    let games = bench.run(&famous(&["--format", "games"])).out;
    assert_eq!(games.matches("[Event \"Lines\"]").count(), 2, "{games}");
    let dot = bench.run(&famous(&["--format", "dot"])).out;
    assert!(dot.starts_with("digraph") && dot.contains("p0 -> p1 [label=\"1.e4\\n47, 73.4%\"]"));
    let book = bench.run(&famous(&["-o", "lines.bin"]));
    assert_eq!((book.code, book.out.as_str()), (0, ""));
    assert_eq!(fs::read(bench.path("lines.bin")).unwrap().len(), 5 * 16);
}

#[test]
fn a_file_of_lines_is_chosen_by_its_name_and_kept_without_force() {
    let bench = Bench::new();
    let code = |more: &[&str]| bench.run(&famous(more)).code;
    for name in [
        "a.txt", "a.csv", "a.jsonl", "a.json", "a.pgn", "a.dot", "a.bin",
    ] {
        assert_eq!(code(&["-o", name]), 0, "{name}");
        assert!(!fs::read(bench.path(name)).unwrap().is_empty());
    }
    let before = fs::read(bench.path("a.pgn")).unwrap();
    let exists = bench.run(&["lines", "small.si4", "-o", "a.pgn"]);
    assert_eq!(exists.code, 2, "{}", exists.err);
    assert_eq!(fs::read(bench.path("a.pgn")).unwrap(), before);
    let replaced = bench.run(&["lines", "small.si4", "-o", "a.pgn", "--force"]);
    assert_eq!(replaced.code, 0, "{}", replaced.err);
    assert_ne!(fs::read(bench.path("a.pgn")).unwrap(), before);
    let source = bench.run(&["lines", "a.pgn", "-o", "a.pgn", "--force"]);
    assert!(
        source.err.contains("is read and cannot be written to"),
        "{}",
        source.err
    );
    for file in ["small.sg4", "other.cbh", "small.tabiya"] {
        fs::write(bench.path(file), "kept").unwrap();
        let ran = bench.run(&["lines", "a.pgn", "-o", file, "--format", "pgn", "--force"]);
        assert_eq!(
            (ran.code, fs::read(bench.path(file)).unwrap()),
            (2, b"kept".to_vec())
        );
    }
    let told = bench.run(&["lines", "a.pgn", "--format", "csv", "-o", "-"]);
    assert!(told.out.starts_with("line,ply,san"), "{}", told.out);
    for wrong in [&["-o", "a.xyz"][..], &["--force"], &["--only-color", "red"]] {
        assert_eq!(code(wrong), 2, "{wrong:?}");
    }
    let named = bench.run(&["lines", "small.si4", "-o", "a.xyz", "--format", "pgn"]);
    assert_eq!(named.code, 0, "{}", named.err);
}

#[test]
fn lines_without_games_or_moves_say_so() {
    let bench = Bench::new();
    let ran = bench.run(&["lines", "small.si4", "--moves", "a4"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    let ran = bench.run(&["lines", "small.si4", "--min-games", "1000"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""));
    assert!(
        ran.err.contains("no move is left by --min-games"),
        "{}",
        ran.err
    );
    for wrong in [
        &["--depth", "0"][..],
        &["--depth", "201"],
        &["--min-share", "101"],
        &["--fen", "nonsense"],
    ] {
        let ran = bench.run(&[&["lines", "small.si4"], wrong].concat());
        assert_eq!(ran.code, 2, "{wrong:?}");
    }
}

#[test]
fn lines_tell_of_damaged_games() {
    let bench = Bench::new();
    damage(&bench);
    let ran = bench.run(&["lines", "small.si4", "--min-games", "1"]);
    assert!(ran.err.contains("damaged"), "{}", ran.err);
}
