//! The program begins by itself, with what it finds.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use clap::{Parser as _, error::ErrorKind};
use tabiya_explorer::{Options, Places, Start};

use crate::server::{Folder, Server, fixture};

/// Returns a folder below another, with a database in it if it is to have one.
fn folder(outer: &Path, name: &str, database: Option<&str>) -> PathBuf {
    let path = outer.join(name);
    std::fs::create_dir_all(&path).expect("a folder");
    if let Some(database) = database {
        std::fs::copy(fixture("famous.pgn"), path.join(database)).expect("a file");
    }
    path
}

/// Returns the places of a user whose folder is this one.
fn places(home: &Folder) -> Places {
    Places {
        present: Some(folder(&home.0, "present", None)),
        documents: Some(folder(&home.0, "Documents", None)),
        home: Some(home.0.clone()),
    }
}

fn begun(arguments: &[&str], places: &Places) -> Options {
    let arguments = [&["tabiya-explorer", "--no-open"], arguments].concat();
    let start = Start::try_parse_from(arguments).expect("arguments");
    start.at(places).options
}

#[test]
fn folders_that_have_databases_are_offered_when_nothing_is_named() {
    let home = Folder::new("explorer-usual");
    let places = places(&home);
    for (name, database) in [
        ("Documents/ChessBase", None),
        ("Documents/ChessBase/Bases", Some("mine.pgn")),
        ("Documents/ChessBase/Bases/Mega", Some("mega.pgn")),
        ("Documents/ChessBase/CompBase", Some("notes.txt")),
        ("Documents/Letters", Some("elsewhere.pgn")),
        ("Scid/bases", Some("own.pgn")),
        ("present", Some("here.pgn")),
    ] {
        folder(&home.0, name, database);
    }
    let found = begun(&[], &places);
    let wanted = [
        "present",
        "Documents/ChessBase/Bases",
        "Documents/ChessBase/Bases/Mega",
        "Scid/bases",
    ];
    let outer = dunce::canonicalize(&home.0).expect("a folder");
    assert_eq!(found.page.folders, wanted.map(|name| outer.join(name)));
    assert!(!found.sample && found.databases.is_empty());
}

#[test]
fn a_present_folder_among_the_documents_is_offered_once() {
    let home = Folder::new("explorer-usual-twice");
    let documents = folder(&home.0, "Documents", Some("mine.pgn"));
    let places = Places {
        present: Some(documents.join("../Documents")),
        ..places(&home)
    };
    assert_eq!(begun(&[], &places).page.folders.len(), 1);
}

#[test]
fn famous_games_are_served_and_told_when_there_is_no_database() {
    let home = Folder::new("explorer-sample");
    let found = begun(&[], &places(&home));
    assert!(found.sample && found.page.folders.is_empty());
    let server = Server::of(Options {
        listen: Some("127.0.0.1:0".parse().expect("an address")),
        ..found
    });
    let told = server.get("/api/databases").json();
    assert_eq!(told["sample"], true);
    assert_eq!(told["databases"][0]["name"], "famous");
    assert!(server.get("/masters?play=e2e4").json()["white"].as_u64() > Some(0));
    let told = Server::famous().get("/api/databases").json();
    assert_eq!(told["sample"], false);
}

#[test]
fn what_is_named_is_served_and_nothing_else() {
    let home = Folder::new("explorer-named");
    let own = folder(&home.0, "Documents", Some("mine.pgn"));
    let named = folder(&home.0, "named", None);
    let database = fixture("famous.si4");
    let database = database.to_str().expect("a path");
    let found = begun(&[database], &places(&home));
    assert_eq!(found.databases, [PathBuf::from(database)]);
    assert!(found.page.folders.is_empty() && !found.sample);
    // A folder is one of those whose databases are offered.
    let found = begun(&[named.to_str().expect("a path"), database], &places(&home));
    assert_eq!(found.databases, [PathBuf::from(database)]);
    assert_eq!(found.page.folders, [named]);
    assert!(!found.page.folders.contains(&own) && !found.sample);
}

#[test]
fn what_others_can_reach_must_be_named() {
    for arguments in [
        &["--listen", "0.0.0.0:9002"][..],
        &["--public"],
        &["--host", "chess.example"],
        &["--mcp"],
    ] {
        let all = [&["tabiya-explorer"], arguments].concat();
        let error = Start::try_parse_from(all).expect_err("nothing is named");
        let kind = error.kind();
        assert_eq!(kind, ErrorKind::MissingRequiredArgument, "{arguments:?}");
        let all = [&["tabiya-explorer", "games.pgn"], arguments].concat();
        assert!(Start::try_parse_from(all).is_ok(), "{arguments:?}");
    }
}

#[test]
fn the_manual_page_has_every_option_of_the_help() {
    let print = |option: &str| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_tabiya-explorer"));
        let printed = program.arg(option).env("COLUMNS", "60").output();
        String::from_utf8(printed.expect("the program").stdout).expect("text")
    };
    let help = print("--help");
    assert!(
        help.lines().all(|line| line.chars().count() <= 60),
        "{help}"
    );
    let page = print("--man").replace("\\-", "-");
    assert!(page.contains(".TH tabiya-explorer 1"), "{page}");
    let words = help.split([' ', ',', '`', '\n']);
    let options: Vec<&str> = words.filter(|word| word.starts_with("--")).collect();
    assert!(options.len() > 20, "{help}");
    for option in options {
        assert!(page.contains(option), "{option}");
    }
}

// Elsewhere the system does not ask the environment where the user's folders are.
#[cfg(target_os = "linux")]
#[test]
fn the_program_begins_without_arguments() {
    use crate::{client::ask, server::listening};
    use std::{
        io::{BufRead, BufReader},
        process::Stdio,
    };
    let home = Folder::new("explorer-begins");
    let mut program = Command::new(env!("CARGO_BIN_EXE_tabiya-explorer"))
        .arg("--no-open")
        .current_dir(&home.0)
        .env("HOME", &home.0)
        .env_remove("XDG_CONFIG_HOME")
        // What the program has no time to clean up goes with the test.
        .env("TMPDIR", &home.0)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut lines = BufReader::new(program.stderr.take().expect("its errors")).lines();
    let address = listening(&mut lines);
    let answer = address.map(|address| ask(address, "GET", "/api/databases", "\r\n"));
    program.kill().expect("an end");
    program.wait().expect("an end");
    assert_eq!(answer.expect("an address").json()["sample"], true);
}
