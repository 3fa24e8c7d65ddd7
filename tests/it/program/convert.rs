//! `convert` of some games, or without some of their contents, and `search --output`.

use std::fs;

use super::{Bench, kills::files_in};

/// Three games: one with a comment and a variation, one that is damaged, one plain.
const GAMES: &str = "[White \"Ann\"]\n[Black \"Bo\"]\n[Result \"1-0\"]\n\n\
    1. e4 {[%clk 0:05:00] best} e5 $1 (1... c5 {Sicilian} (1... d5)) 2. Nf3 1-0\n\n\
    [White \"Ann\"]\n[Black \"Cy\"]\n[Result \"0-1\"]\n\n1. e4 e5 2. Ke3 0-1\n\n\
    [White \"Di\"]\n[Black \"Ann\"]\n[Result \"1/2-1/2\"]\n\n1. d4 d5 1/2-1/2\n\n";

fn bench() -> Bench {
    let bench = Bench::new();
    fs::write(bench.path("three.pgn"), GAMES).unwrap();
    bench
}

/// Returns the movetexts of a PGN file, one a line.
fn movetexts(bench: &Bench, name: &str) -> String {
    let text = fs::read_to_string(bench.path(name)).unwrap();
    let lines = text.lines();
    let moves = lines.filter(|line| !line.starts_with('[') && !line.is_empty());
    moves.collect::<Vec<_>>().join("\n")
}

#[test]
fn only_games_that_match_are_converted() {
    let bench = bench();
    for (source, target) in [("three.pgn", "won.pgn"), ("three.pgn", "won.si4")] {
        let ran = bench.run(&["convert", source, target, "--query", "white:ann result:1-0"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.err.contains("1 game written"), "{}", ran.err);
    }
    assert_eq!(
        movetexts(&bench, "won.pgn"),
        "1. e4 {[%clk 0:05:00] best} 1... e5 $1 (1... c5 {Sicilian} (1... d5)) 2. Nf3 1-0"
    );
    assert_eq!(bench.ids(&["won.si4", "black:bo"]), "1");
    // Of a database that is no text.
    let ran = bench.run(&[
        "convert",
        "won.si4",
        "again.si5",
        "--query",
        "at(piece:Nf3)",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(bench.ids(&["again.si5"]), "1");
}

/// What is sound of a damaged game counts as the game.
#[test]
fn games_that_are_searched_in_part_are_told() {
    let bench = bench();
    let query = ["--query", "at(piece:pd5)"];
    let ran = bench.run(&[&["convert", "three.pgn", "d5.pgn"][..], &query].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.err.contains("searched up to there: ") && ran.err.contains("Ke3"),
        "{}",
        ran.err
    );
    assert_eq!(movetexts(&bench, "d5.pgn"), "1. d4 d5 1/2-1/2");
    let strict = ["convert", "three.pgn", "strict.pgn", "--strict"];
    let ran = bench.run(&[&strict[..], &query].concat());
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(!bench.path("strict.pgn").exists());
}

#[test]
fn comments_and_variations_are_left_out_on_request_and_not_lost() {
    let bench = bench();
    for (options, expected) in [
        (
            &["--no-comments"][..],
            "1. e4 e5 $1 (1... c5 (1... d5)) 2. Nf3 1-0",
        ),
        (
            &["--no-variations"],
            "1. e4 {[%clk 0:05:00] best} 1... e5 $1 2. Nf3 1-0",
        ),
        (
            &["--no-comments", "--no-variations", "--strict"],
            "1. e4 e5 $1 2. Nf3 1-0",
        ),
    ] {
        let convert = [
            "convert",
            "three.pgn",
            "less.pgn",
            "--force",
            "--limit",
            "1",
        ];
        let ran = bench.run(&[&convert[..], options].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(!ran.err.contains("warning"), "{}", ran.err);
        assert_eq!(movetexts(&bench, "less.pgn"), expected);
    }
}

#[test]
fn marks_and_commands_are_left_out_of_every_format() {
    let bench = Bench::new();
    let game = "[White \"Ann\"]\n[Result \"1-0\"]\n\n1. e4 {best [%clk 0:05:00] now} e5 $1 \
        {[%csl Ge4]} (1... c5 $6 {[%eval 0.25]}) 2. Nf3 {[%eval 0.3]} 1-0\n\n";
    fs::write(bench.path("one.pgn"), game).unwrap();
    for suffix in ["pgn", "si4", "si5", "cbh", "2cbh"] {
        let base = format!("base.{suffix}");
        assert_eq!(bench.run(&["convert", "one.pgn", &base]).code, 0);
        for (options, expected) in [
            (
                &["--drop-commands"][..],
                "1. e4 {best now} 1... e5 $1 (1... c5 $6) 2. Nf3 1-0",
            ),
            (
                &["--no-nags", "--drop-commands"],
                "1. e4 {best now} 1... e5 (1... c5) 2. Nf3 1-0",
            ),
            (
                &["--no-comments", "--no-nags", "--keep", "csl"],
                "1. e4 e5 {[%csl Ge4]} (1... c5) 2. Nf3 1-0",
            ),
        ] {
            let target = ["convert", &base, "less.pgn", "--force", "--strict"];
            let ran = bench.run(&[&target[..], options].concat());
            assert_eq!(ran.code, 0, "{}", ran.err);
            assert_eq!(
                movetexts(&bench, "less.pgn"),
                expected,
                "{suffix} {options:?}"
            );
        }
    }
}

#[test]
fn all_that_write_games_leave_parts_out() {
    let bench = bench();
    let less = ["--no-comments", "--no-variations", "--no-nags", "--eco"];
    for (target, command) in [
        (
            "a.pgn",
            &["search", "three.pgn", "plies:3", "-o", "a.pgn"][..],
        ),
        (
            "b.pgn",
            &[
                "search",
                "three.pgn",
                "plies:3",
                "--sort",
                "date",
                "-o",
                "b.pgn",
            ],
        ),
        ("c.pgn", &["dedupe", "three.pgn", "-o", "c.pgn"]),
        ("d.pgn", &["add", "d.pgn", "three.pgn"]),
    ] {
        bench.run(&["new", "d.pgn"]);
        bench.run(&[command, &less].concat());
        let text = fs::read_to_string(bench.path(target)).unwrap();
        assert!(text.contains("[ECO \"C40\"]"), "{target} {text}");
        let moves = movetexts(&bench, target);
        assert!(moves.starts_with("1. e4 e5 2. Nf3 1-0"), "{target} {moves}");
    }
    for wrong in [
        &["search", "three.pgn"][..],
        &["dedupe", "three.pgn", "--dry-run"],
    ] {
        let ran = bench.run(&[wrong, &["--no-nags"]].concat());
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains("--output is needed"), "{}", ran.err);
    }
}

/// A damaged game of which something can be read is one of them.
#[test]
fn at_most_so_many_games_are_written() {
    let bench = bench();
    for (limit, code, games) in [("0", 0, 0), ("1", 0, 1), ("2", 3, 2), ("9", 3, 3)] {
        for target in ["some.pgn", "some.si4", "some.cbh"] {
            let ran = bench.run(&["convert", "three.pgn", target, "--force", "-n", limit]);
            assert_eq!(ran.code, code, "{}", ran.err);
            let games = if games == 1 {
                "1 game".to_owned()
            } else {
                format!("{games} games")
            };
            let written = format!("{games} written to {target}");
            assert!(ran.err.contains(&written), "{}", ran.err);
        }
    }
}

#[test]
fn what_a_search_finds_is_written_as_a_database() {
    let bench = bench();
    let search = ["search", "three.pgn", "small.si4", "white:ann result:1-0"];
    let ran = bench.run(&[&search[..], &["-o", "found.si5"]].concat());
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{}", ran.err);
    assert!(
        ran.err.contains("1 game written to found.si5"),
        "{}",
        ran.err
    );
    assert_eq!(bench.ids(&["found.si5", "white:ann"]), "1");
    let again = bench.run(&[&search[..], &["-o", "found.si5"]].concat());
    assert_eq!(again.code, 2, "{}", again.err);
    let forced = bench.run(&[
        "search",
        "three.pgn",
        "-o",
        "found.si5",
        "--force",
        "-n",
        "2",
    ]);
    assert_eq!(forced.code, 3, "{}", forced.err);
    assert!(forced.err.contains("the rest kept"), "{}", forced.err);
    assert_eq!(bench.ids(&["found.si5"]), "1 2");
    // Only in the variation.
    let sicilian = [
        "search",
        "three.pgn",
        "at(piece:pc5)",
        "-o",
        "c5.pgn",
        "--variations",
    ];
    let ran = bench.run(&sicilian);
    assert!(ran.err.contains("1 game written to c5.pgn"), "{}", ran.err);
    let onto_itself = bench.run(&["search", "three.pgn", "-o", "three.pgn", "--force"]);
    assert_eq!(onto_itself.code, 2);
}

/// The work for all games after that would be wasted.
#[test]
fn a_conversion_ends_at_the_limit_of_the_format_and_says_which_has_room() {
    let bench = bench();
    // One more round than `.sn4` can number.
    let games: String = (0..1_u32 << 18)
        .map(|round| format!("[Round \"{round}\"]\n\n*\n\n"))
        .collect();
    fs::write(bench.path("rounds.pgn"), games).unwrap();
    let ran = bench.run(&["convert", "rounds.pgn", "rounds.si4"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    for said in [
        "the number of rounds exceeds the limit of 262143",
        "rounds.si5 has room",
    ] {
        assert!(ran.err.contains(said), "{}", ran.err);
    }
    assert!(!bench.path("rounds.si4").exists());
    let ran = bench.run(&["convert", "rounds.pgn", "rounds.si5"]);
    assert!(ran.err.contains("262144 games written"), "{}", ran.err);
}

/// Games, names and annotations are missing of which no record says so.
#[test]
fn sources_that_are_cut_are_told_and_refused_if_strict() {
    let famous = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/famous.pgn");
    let bench = Bench::new();
    for name in ["games.si4", "names.si4", "games.cbh", "lost.cbh"] {
        assert_eq!(bench.run(&["convert", famous, name]).code, 0, "{name}");
    }
    for name in ["games.si4", "names.sn4", "games.cbh"] {
        let bytes = fs::read(bench.path(name)).unwrap();
        fs::write(bench.path(name), &bytes[..bytes.len() / 2]).unwrap();
    }
    fs::remove_file(bench.path("lost.cba")).unwrap();
    fs::write(bench.path("base.pgn"), "1. e4 *\n").unwrap();
    for (source, fault) in [
        ("games.si4", "the index ends inside a record"),
        ("names.si4", "the names are cut short"),
        ("games.cbh", "the index holds fewer records"),
        (
            "lost.cbh",
            "an annotation needs the file lost.cba, which is missing",
        ),
    ] {
        for write in [
            &["convert", source, "all.pgn", "--force"][..],
            &["convert", source, "all.pgn", "--force", "--sort", "date"],
            &["dedupe", source, "-o", "all.pgn", "--force"],
            &["add", "base.pgn", source],
        ] {
            let before = files_in(bench.directory.path());
            let ran = bench.run(&[write, &["--strict"]].concat());
            assert_eq!(ran.code, 3, "{write:?}: {}", ran.err);
            assert!(ran.err.contains(fault), "{write:?}: {}", ran.err);
            assert!(files_in(bench.directory.path()) == before, "{write:?}");
            let ran = bench.run(write);
            assert_eq!(ran.code, 3, "{write:?}: {}", ran.err);
            assert_eq!(ran.err.matches(fault).count(), 1, "{write:?}: {}", ran.err);
        }
    }
}
