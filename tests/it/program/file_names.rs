//! Files whose names are no UTF-8.

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt};

use super::{Bench, Ran, small_base};

const NAME: &[u8] = b"Z\xfcrich.si4";

/// Runs a command, where `@` stands for the database and `@.si5` for a new one.
fn run(bench: &Bench, arguments: &[&str]) -> Ran {
    let mut command = bench.command(&[]);
    for argument in arguments {
        match argument.strip_prefix('@') {
            Some("") => command.arg(OsStr::from_bytes(NAME)),
            Some(suffix) => {
                let name = [&b"new \xff"[..], suffix.as_bytes()].concat();
                command.arg(OsStr::from_bytes(&name))
            }
            None => command.arg(argument),
        };
    }
    let output = command.output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).expect("what is printed is text"),
        err: String::from_utf8(output.stderr).expect("what is told is text"),
    }
}

fn bench() -> Bench {
    let bench = Bench::new();
    small_base::write(bench.directory.path(), "copy");
    for suffix in ["si4", "sg4", "sn4"] {
        let name = [&b"Z\xfcrich."[..], suffix.as_bytes()].concat();
        let renamed = bench.directory.path().join(OsStr::from_bytes(&name));
        fs::rename(bench.path(&format!("copy.{suffix}")), renamed).unwrap();
    }
    bench
}

#[test]
fn every_command_takes_files_whose_names_are_no_text() {
    let bench = bench();
    for (arguments, told) in [
        (&["info", "@"][..], "Z\u{fffd}rich"),
        (&["search", "@", "white:fool", "--format", "ids"], "1"),
        (
            &[
                "search",
                "@",
                "small.si4",
                "white:fool",
                "--format",
                "jsonl",
            ],
            "fool",
        ),
        (&["show", "@", "1"], "[Event"),
        (&["verify", "@"], ""),
        (&["stats", "@"], ""),
        (&["tree", "@"], ""),
        (&["index", "@"], ""),
        (&["search", "@", "white:fool", "--format", "ids"], "1"),
        (&["convert", "@", "@.si5"], ""),
        (&["convert", "@", "@.cbh"], ""),
        (&["convert", "@", "@.pgn"], ""),
        (&["convert", "@.cbh", "@.cbh.dci"], ""),
        (&["convert", "@", "@.cbh", "--force"], ""),
        (&["verify", "@.cbh"], ""),
    ] {
        let ran = run(&bench, arguments);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.err);
        let text = ran.out.to_lowercase();
        assert!(
            text.contains(&told.to_lowercase()),
            "{arguments:?}: {}",
            ran.out
        );
    }
}

#[test]
fn what_is_wrong_with_files_whose_names_are_no_text_is_told_by_their_names() {
    let bench = bench();
    let games = [&b"Z\xfcrich."[..], b"sg4"].concat();
    fs::remove_file(bench.directory.path().join(OsStr::from_bytes(&games))).unwrap();
    for (arguments, code) in [
        (&["search", "@", "check"][..], 3),
        (&["info", "@.si4"], 3),
        (&["convert", "@", "@"], 2),
        (&["convert", "@", "@.pgn"], 3),
        (&["index", "@"], 3),
    ] {
        let ran = run(&bench, arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains('\u{fffd}'), "{arguments:?}: {}", ran.err);
    }
}
