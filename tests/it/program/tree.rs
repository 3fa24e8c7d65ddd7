//! The `tree` command.

use std::path::Path;

use super::{Bench, damage};

/// Returns what the famous games give, and what was agreed upon.
fn famous(golden: &str, arguments: &[&str]) -> [String; 2] {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let base = fixtures.join("famous.si4");
    let base = base.to_str().unwrap();
    let ran = Bench::new().run(&[&["tree", base], arguments].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let golden = std::fs::read_to_string(fixtures.join("golden").join(golden));
    [ran.out, golden.unwrap().replace("\r\n", "\n")]
}

#[test]
fn the_tables_of_famous_games_are_the_agreed_ones() {
    let [out, golden] = famous("tree.txt", &[]);
    assert_eq!(out, golden);
    let [full, golden] = famous("tree.txt", &["--strategy", "full", "--threads", "1"]);
    assert_eq!(full, golden);
    let arguments = ["--moves", "1.e4 e5", "--format", "jsonl", "--sort", "score"];
    let [out, golden] = famous("tree.jsonl", &arguments);
    assert_eq!(out, golden);
}

/// Returns the moves of a tree on one line.
fn moves(arguments: &[&str]) -> String {
    let all = [&["tree", "small.si4", "--format", "jsonl"], arguments].concat();
    let out = Bench::new().run(&all).out;
    let objects = out.lines().map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        row["san"].as_str().unwrap().to_owned()
    });
    objects.collect::<Vec<_>>().join(" ")
}

#[test]
fn positions_come_as_moves_or_fen_and_games_from_a_query() {
    assert_eq!(moves(&["--moves", "f3 e5 g4"]), "Qh4#");
    assert_eq!(moves(&["--moves", "1.f3 e5 2.g4 Qh4"]), "[end]");
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w";
    assert_eq!(moves(&["--fen", fen]), "Qh5");
    assert_eq!(moves(&["--fen", fen, "-result:1-0"]), "");
    assert_eq!(moves(&["white:fool"]), "f3");
    assert_eq!(moves(&["--", "white:fool"]), "f3");
}

#[test]
fn exit_codes_tell_what_came_of_it() {
    let bench = Bench::new();
    let code = |arguments: &[&str]| {
        let ran = bench.run(&[&["tree"], arguments].concat());
        (ran.code, ran.out.is_empty(), ran.err.is_empty())
    };
    assert_eq!(code(&["small.si4", "--quiet"]), (0, false, true));
    assert_eq!(code(&["small.si4", "--moves", "a4"]), (1, true, false));
    assert_eq!(code(&["small.si4", "white:nobody", "-q"]), (1, true, true));
    for wrong in [
        &["small.si4", "--moves", "e5"][..],
        &["small.si4", "--fen", "nonsense"],
        &["small.si4", "--fen", "8/8/8/8/8/8/8/8 w", "--moves", "e4"],
        &["small.si4", "--sort", "colour"],
        &["small.si4", "wite:fool"],
        &[],
    ] {
        assert_eq!(code(wrong), (2, true, false), "{wrong:?}");
    }
    assert_eq!(code(&["absent.si4"]), (3, true, false));
}

#[test]
fn a_bad_fen_or_move_is_marked_in_its_text() {
    let bench = Bench::new();
    let fen = "8/8/8/8/8/8/8/8 x";
    let turn =
        format!("expected the side to move, `w` or `b`, found `x`\n{fen}\n                ^\n");
    for (arguments, fault) in [
        (["tree", "small.si4", "--fen", fen], &*turn),
        (["search", "small.si4", "--like", fen], &turn),
        (
            ["tree", "small.si4", "--moves", "1.e4 e5 Ke3"],
            "`Ke3` (half-move 3) is not a legal move there\n1.e4 e5 Ke3\n        ^^^\n",
        ),
    ] {
        let ran = bench.run(&arguments);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""));
        assert_eq!(ran.err, format!("tabiya: error: {fault}"), "{arguments:?}");
    }
}

#[test]
fn damaged_games_are_warned_of_and_left_out() {
    let bench = Bench::new();
    damage(&bench);
    let full = ["tree", "small.si4", "--strategy", "full", "--moves", "e4"];
    let ran = bench.run(&full);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert!(ran.err.contains("damaged games left out: 1"), "{}", ran.err);
}
