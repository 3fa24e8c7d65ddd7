//! Text of files on a terminal and in messages: nothing in it is a command, nothing is invisible.

use std::fs;

use super::Bench;

/// A control character, the introducer of commands in one byte, a change of direction.
const COMMANDS: &str = "\u{1b}]0;owned\u{7}\u{7f}\u{9b}31m\u{202e}";

fn write(bench: &Bench, name: &str) {
    let game = format!(
        "[Event \"a{COMMANDS}z\"]\n[White \"W{COMMANDS}\"]\n[Result \"*\"]\n\n\
         1. e4 {{c{COMMANDS}}} e5 *\n\n[White \"B\"]\n\n1. e4 \u{1b}[31me4\u{a0}\u{200b} *\n"
    );
    fs::write(bench.path(name), game).unwrap();
}

/// Returns whether a character commands a terminal.
fn commands(letter: char) -> bool {
    tabiya::is_command(letter) && letter != '\n'
}

#[test]
fn messages_show_each_character_of_a_file_also_in_a_pipe() {
    let bench = Bench::new();
    write(&bench, "bad.pgn");
    for arguments in [
        &["verify", "bad.pgn"][..],
        &["search", "bad.pgn", "mate"],
        &["repair", "bad.pgn", "new.pgn"],
        &["show", "bad.pgn", "2"],
        &["convert", "bad.pgn", "new.si4"],
    ] {
        let ran = bench.run(arguments);
        let told = format!("{}{}", ran.out, ran.err);
        assert!(!ran.err.contains(commands), "{arguments:?}: {told:?}");
        assert!(!told.contains(['\u{a0}', '\u{200b}']), "{told:?}");
    }
    let verified = bench.run(&["verify", "bad.pgn"]).out;
    assert!(verified.contains(r"\u{1b}[31me4"), "{verified:?}");
    let query = bench
        .run(&["search", "bad.pgn", "elow\u{a0}\u{200b}:1"])
        .err;
    assert!(!query.contains(['\u{a0}', '\u{200b}']), "{query:?}");
}

#[cfg(unix)]
#[test]
fn names_of_files_are_no_commands() {
    let bench = Bench::new();
    let name = format!("n{}.pgn", COMMANDS.replace('\u{7}', ""));
    write(&bench, &name);
    for arguments in [
        &["info", &*name][..],
        &["info", "."],
        &["verify", &name],
        &["search", &name, "mate"],
        &["search", "small.si4", &name, "--count"],
        &["convert", &name, "new.pgn"],
        &["search", &format!("absent{name}")],
    ] {
        let ran = bench.run(arguments);
        assert!(!ran.err.contains(commands), "{arguments:?}: {:?}", ran.err);
        // Counts are rows for programs.
        if arguments[0] == "info" {
            assert!(!ran.out.contains(commands), "{:?}", ran.out);
        }
    }
}

#[test]
fn json_escapes_what_commands_a_terminal() {
    let bench = Bench::new();
    write(&bench, "bad.pgn");
    for arguments in [
        &[
            "search",
            "bad.pgn",
            "--columns",
            "white,event,comments,tag.Event",
        ][..],
        &["show", "bad.pgn", "1"],
        &["names", "bad.pgn"],
        &["duplicates", "bad.pgn"],
    ] {
        let ran = bench.run(&[arguments, &["--format", "jsonl"]].concat());
        assert!(!ran.out.contains(commands), "{arguments:?}: {:?}", ran.out);
        let white = ran.out.lines().find_map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let white = row.get("name").or(row.get("white"))?.as_str()?;
            white.starts_with('W').then(|| white.to_owned())
        });
        if arguments[0] != "duplicates" {
            assert_eq!(white, Some(format!("W{COMMANDS}")), "{:?}", ran.out);
        }
    }
}

#[test]
fn what_is_piped_as_data_keeps_its_characters() {
    let bench = Bench::new();
    write(&bench, "bad.pgn");
    for format in ["csv", "pgn"] {
        let out = bench.run(&["search", "bad.pgn", "--format", format]).out;
        assert!(out.contains("\u{9b}31m\u{202e}"), "{out:?}");
    }
    let table = bench.run(&["search", "bad.pgn"]).out;
    assert!(!table.contains(commands), "{table:?}");
}
