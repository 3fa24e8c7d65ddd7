//! Options that commands share: the same everywhere, or refused with the reason.

use std::fs;

use super::Bench;

#[test]
fn q_silences_the_summary_of_every_command() {
    let bench = Bench::new();
    for arguments in [
        &["search", "small.si4", "white:fool"][..],
        &["search", "small.si4", "-o", "found.pgn"],
        &["tree", "small.si4"],
        &["duplicates", "small.si4"],
        &["index", "small.si4"],
        &["verify", "small.si4"],
        &["convert", "small.si4", "copy.si4"],
        &["repair", "small.si4", "mended.si4"],
        &["info", "."],
        &["stats", "small.si4"],
        &["names", "small.si4"],
    ] {
        let ran = bench.run(&[arguments, &["-q"]].concat());
        assert_eq!(ran.err, "", "{arguments:?}");
    }
}

#[test]
fn n_limits_the_rows_of_every_table_of_rows() {
    let bench = Bench::new();
    let rows = |arguments: &[&str]| {
        let all = [arguments, &["-n", "1", "--format", "jsonl"]].concat();
        let ran = bench.run(&all);
        (ran.code, ran.out.lines().count())
    };
    assert_eq!(rows(&["search", "small.si4"]), (0, 1));
    assert_eq!(rows(&["tree", "small.si4"]), (0, 1));
    assert_eq!(rows(&["names", "small.si4"]), (0, 1));
    let game = "[White \"A, B\"]\n[Black \"C, D\"]\n[Date \"2001.01.01\"]\n\n1. e4 e5 *\n\n";
    let other = "[White \"E, F\"]\n[Black \"G, H\"]\n[Date \"2002.01.01\"]\n\n1. e4 c5 *\n\n";
    let twice = format!("{game}{game}{other}{other}");
    fs::write(bench.path("twice.pgn"), twice).unwrap();
    assert_eq!(rows(&["duplicates", "twice.pgn"]), (0, 1));
    let earlier = game.replace("2001", "1999").replace("e5", "d5");
    fs::write(bench.path("earlier.pgn"), earlier).unwrap();
    assert_eq!(
        rows(&["novelty", "twice.pgn", "--against", "earlier.pgn"]),
        (0, 1)
    );
}

#[test]
fn an_option_that_makes_no_sense_is_refused_with_why() {
    let bench = Bench::new();
    for (arguments, told) in [
        (
            &["index", "small.si4", "--force"][..],
            "replaces nothing but the sidecar",
        ),
        (
            &["verify", "small.si4", "-n", "3"],
            "it goes through all games",
        ),
        (
            &["show", "small.si4", "1", "--limit", "3"],
            "the numbers say",
        ),
        (
            &["convert", "small.si4", "a.pgn", "--sort", "similarity"],
            "search --sort similarity -o",
        ),
        (
            &["convert", "small.si4", "-o", "a.pgn"],
            "the last argument",
        ),
    ] {
        let ran = bench.run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{arguments:?}");
        assert!(ran.err.contains(told), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn games_are_written_in_the_order_that_is_asked_for() {
    let bench = Bench::new();
    let plies = |arguments: &[&str]| {
        let all = [
            &["search"],
            arguments,
            &["--format", "csv", "--columns", "white,plies"],
        ]
        .concat();
        bench.run(&all).out
    };
    let sort = ["--sort", "plies:desc", "--offset", "1", "-n", "3"];
    let write = [&["search", "small.si4", "-o", "sorted.si4"][..], &sort].concat();
    let ran = bench.run(&write);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(
        plies(&["sorted.si4"]),
        plies(&[&["small.si4"][..], &sort].concat())
    );
    let again = bench.run(&write);
    assert_eq!(again.code, 2, "{}", again.err);
    let similar = [
        "search",
        "small.si4",
        "-o",
        "b.si4",
        "--sort",
        "similarity",
        "similar>=0.9",
    ];
    assert_eq!(bench.run(&similar).code, 2);
}

#[test]
fn the_mean_rating_has_one_name_in_every_sort() {
    let bench = Bench::new();
    for command in ["search", "tree", "names"] {
        for key in ["elo", "avgelo"] {
            let ran = bench.run(&[command, "small.si4", "--sort", key]);
            assert_eq!(ran.code, 0, "{command} {key}: {}", ran.err);
        }
    }
}
