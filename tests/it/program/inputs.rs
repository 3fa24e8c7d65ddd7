//! Where games come from: files, archives and standard input.

use super::{Bench, Ran};

const GAMES: &str = "[White \"Fool\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n\
    [White \"Carlsen\"]\n\n1. e4 e5 1/2-1/2\n";

impl Bench {
    /// Runs a command that reads games from standard input.
    fn run_on(&self, text: &[u8], arguments: &[&str]) -> Ran {
        let mut command = self.command(arguments);
        let output = command.write_stdin(text).output().unwrap();
        Ran {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

#[test]
fn a_hyphen_is_pgn_on_standard_input_in_every_command() {
    let bench = Bench::new();
    for (arguments, expected) in [
        (&["search", "-", "mate", "--format", "ids"][..], "1\n"),
        (&["search", "-", "-white:fool", "--count"], "1\n"),
        (
            &["search", "-", "small.si4", "white:fool", "--count"],
            "-:1\nsmall:1\n",
        ),
        (&["info", "-"], "games"),
        (&["verify", "-"], ""),
        (&["show", "-", "1"], "Qh4#"),
        (&["tree", "-"], "e4"),
        (&["stats", "-"], "1/2-1/2"),
        (&["names", "-", "carl"], "Carlsen"),
        (&["convert", "-", "made.si4"], ""),
        (&["repair", "-", "mended.pgn"], ""),
    ] {
        let ran = bench.run_on(GAMES.as_bytes(), arguments);
        assert_eq!(ran.code, 0, "{arguments:?} {}", ran.err);
        assert!(ran.out.contains(expected), "{arguments:?} {}", ran.out);
    }
    assert_eq!(bench.ids(&["made.si4", "white:fool"]), "1");
    assert_eq!(bench.ids(&["mended.pgn", "white:carlsen"]), "2");
}

#[test]
fn duplicates_are_found_on_standard_input() {
    let twice = GAMES.repeat(2);
    let ran = Bench::new().run_on(twice.as_bytes(), &["duplicates", "-"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
}

#[test]
fn standard_input_has_one_meaning_at_a_time() {
    let bench = Bench::new();
    for (text, arguments) in [
        ("mate", &["search", "-", "--query-file", "-"][..]),
        (GAMES, &["search", "-", "-", "white:fool"]),
    ] {
        let ran = bench.run_on(text.as_bytes(), arguments);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{arguments:?}");
        assert!(ran.err.contains("standard input"), "{}", ran.err);
    }
}

#[test]
fn standard_input_has_no_sidecar() {
    let bench = Bench::new();
    let ran = bench.run_on(GAMES.as_bytes(), &["index", "-"]);
    assert_eq!(ran.code, 3);
    assert!(!bench.path("-.tabiya").exists());
}
