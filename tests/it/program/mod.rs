//! The program keeps the contract of its commands: standard output, standard error, exit codes.

#[cfg(unix)]
mod book;
mod change;
#[cfg(unix)]
mod changed;
mod columns;
mod common;
mod convert;
mod dedupe;
mod divided;
mod duplicates;
#[cfg(unix)]
mod explore;
#[cfg(unix)]
mod file_names;
mod foreign_text;
mod games;
mod index;
mod inputs;
#[cfg(unix)]
mod interrupts;
mod kills;
mod lines;
mod names;
mod opening_books;
pub(crate) mod parts;
mod positions;
mod readme;
mod refused_writes;
mod repair;
mod repertoire;
mod report;
mod search;
mod serialized;
mod sets;
#[cfg(unix)]
mod shell;
mod stats;
mod terminal;
mod training;
mod tree;

use std::{fs, io, path::PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

use super::small_base;

/// A directory with the database `small.si4` in it.
struct Bench {
    directory: TempDir,
}

/// What a run left behind.
struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Bench {
    fn new() -> Bench {
        let directory = TempDir::new().unwrap();
        small_base::write(directory.path(), "small");
        Bench { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
        command.current_dir(self.directory.path()).args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let output = self.command(arguments).output().unwrap();
        Ran {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Returns the game numbers that a search prints, on one line.
    fn ids(&self, arguments: &[&str]) -> String {
        let all = [&["search"], arguments, &["--format", "ids"]].concat();
        let out = self.run(&all).out;
        out.lines().collect::<Vec<_>>().join(" ")
    }
}

#[test]
fn a_fault_in_the_query_is_drawn_with_its_suggestion_and_ends_with_2() {
    let ran = Bench::new().run(&["search", "small.si4", "white:fool", "elow:2500"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert_eq!(
        ran.err,
        "tabiya: error: there is no field `elow`\n\
         white:fool elow:2500\n           ^^^^\n\
         help: did you mean `elo`?\n"
    );
}

#[test]
fn wrong_usage_ends_with_2() {
    let bench = Bench::new();
    for wrong in [
        &["search"][..],
        &["search", "white:fool"],
        &["search", "small.si4", "--cuont"],
        &["search", "small.si4", "--format", "xml"],
        &["search", "small.si4", "--threads", "0"],
        &["show", "small.si4", "6"],
        &["show", "small.si4", "0"],
        &["show", "small.si4", "3..1"],
        &["show", "small.si4", "one"],
        &["show", "small.si4", "1", "--ply", "5"],
        &["show", "small.si4", "1", "--line", "f3 e6"],
        &["show", "small.si4", "1", "--line", "f3", "--ply", "1"],
        &["show", "small.si4", "1", "2", "--format", "svg"],
        &["show", "small.si4", "1", "--format", "board", "--ply", "5"],
        &["frobnicate"],
        &["convert", "small.si4", "small.xyz"],
        &["convert", "small.si4", "small.si4"],
    ] {
        let ran = bench.run(wrong);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{wrong:?}");
        assert!(!ran.err.is_empty());
    }
}

#[test]
fn what_cannot_be_opened_ends_with_3() {
    let bench = Bench::new();
    fs::write(bench.path("text.si4"), "no database").unwrap();
    fs::write(bench.path("empty.si4"), "").unwrap();
    for path in ["absent.si4", "text.si4", "empty.si4"] {
        for command in [
            &["search", path, "white:x"][..],
            &["info", path],
            &["verify", path],
        ] {
            let ran = bench.run(command);
            assert_eq!((ran.code, ran.out.as_str()), (3, ""), "{command:?}");
            assert!(ran.err.starts_with("tabiya: error: "), "{}", ran.err);
            assert!(ran.err.contains(path), "{}", ran.err);
        }
    }
    let ran = bench.run(&["search", "small.si4", "absent.si4", "white:x"]);
    assert_eq!(ran.code, 3);
}

#[test]
fn missing_names_are_warned_of_and_only_matter_where_they_are_needed() {
    let bench = Bench::new();
    fs::remove_file(bench.path("small.sn4")).unwrap();
    let ran = bench.run(&["search", "small.si4", "result:1-0", "--format", "ids"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "2\n"));
    assert!(
        ran.err.contains("warning: ") && ran.err.contains("small.sn4"),
        "{}",
        ran.err
    );
    let ran = bench.run(&["search", "small.si4", "white:fool"]);
    assert_eq!((ran.code, ran.out.as_str()), (3, ""));
}

#[test]
fn a_missing_games_file_is_warned_of_and_only_matters_where_it_is_needed() {
    let bench = Bench::new();
    fs::remove_file(bench.path("small.sg4")).unwrap();
    assert_eq!(bench.ids(&["small.si4", "white:fool"]), "1");
    let ran = bench.run(&["search", "small.si4", "check"]);
    assert_eq!((ran.code, ran.out.as_str()), (3, ""));
    assert!(ran.err.contains("small.sg4"), "{}", ran.err);
}

/// Makes the second game's first move one that no piece can make.
fn damage(bench: &Bench) {
    let path = bench.path("small.sg4");
    let mut bytes = fs::read(&path).unwrap();
    bytes[small_base::SECOND_GAME_MOVES] = 0x5f;
    fs::write(path, bytes).unwrap();
}

#[test]
fn help_teaches_the_query_language_and_the_version_is_told() {
    let bench = Bench::new();
    let ran = bench.run(&["search", "--help"]);
    assert_eq!(ran.code, 0);
    for word in [
        "THE QUERY LANGUAGE",
        "avgelo",
        "bishops:opposite",
        "e.g. ",
        "Exit codes",
    ] {
        assert!(ran.out.contains(word), "{word}");
    }
    let ran = bench.run(&["--version"]);
    assert_eq!(ran.out, format!("tabiya {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn completions_are_printed_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = Bench::new().run(&["completions", shell]);
        assert_eq!(ran.code, 0);
        assert!(ran.out.contains("tabiya"), "{shell}");
    }
}

#[test]
fn a_broken_pipe_ends_quietly() {
    let bench = Bench::new();
    bench.run(&["convert", "small.si4", "small.si4", "double.si4"]);
    fs::write(bench.path("start.epd"), "4k3/8/8/8/8/8/8/4K3 w - -\n").unwrap();
    let search = ["search", "small.si4", "--format"];
    let counted = ["--positions", "start.epd"];
    let sorted = ["--sort", "date", "--moves", "san", "--comments", "--fens"];
    for arguments in [
        &["search", "small.si4"][..],
        &["search", "small.si4", "--count"],
        &[&search[..], &["table"]].concat(),
        &[&search[..], &["ids"]].concat(),
        &[&search[..], &["csv"]].concat(),
        &[&search[..], &["jsonl"]].concat(),
        &[&search[..], &["pgn"]].concat(),
        &[&search[..], &["csv"], &sorted].concat(),
        &[&search[..], &["jsonl"], &sorted].concat(),
        &[&search[..], &["table"], &counted].concat(),
        &[&search[..], &["csv"], &counted].concat(),
        &[&search[..], &["jsonl"], &counted].concat(),
        &["show", "small.si4", "1"],
        &["show", "small.si4", "1", "--format", "jsonl"],
        &["tree", "small.si4", "-q"],
        &["tree", "small.si4", "--format", "csv"],
        &["tree", "small.si4", "--format", "jsonl"],
        &["stats", "small.si4"],
        &["stats", "small.si4", "--format", "csv"],
        &["stats", "small.si4", "--format", "jsonl"],
        &["names", "small.si4"],
        &["names", "small.si4", "--format", "csv"],
        &["names", "small.si4", "--format", "jsonl"],
        &["duplicates", "double.si4"],
        &["duplicates", "double.si4", "--format", "csv"],
        &["duplicates", "double.si4", "--format", "jsonl"],
        &["duplicates", "double.si4", "--across", "small.si4"],
        &["dedupe", "double.si4", "--dry-run"],
        &["dedupe", "double.si4", "--dry-run", "--format", "csv"],
        &["dedupe", "double.si4", "--dry-run", "--format", "jsonl"],
        &["explain", "small.si4", "mate"],
        &["info", "small.si4"],
        &["info", "."],
        &["info", "--formats"],
        &["completions", "bash"],
        &["man"],
        &["--help"],
        &["search", "--help"],
    ] {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_tabiya"))
            .current_dir(bench.directory.path())
            .args(arguments)
            .stdout(writer)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            "",
            "{arguments:?}"
        );
    }
}
