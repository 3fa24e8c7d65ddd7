//! An opening book beside the games.

use std::fs;

use serde_json::{Value, json};
use tabiya::{Database, Lines, TreePosition};
use tabiya_explorer::{Limits, Options, PageOptions};

use crate::server::{Folder, Server, fixture, options};

/// Writes the lines of the famous games as a book, and serves it beside a database.
fn server(folder: &Folder, database: &str) -> Server {
    let famous = Database::open(fixture("famous.si4")).expect("a database");
    let lines = Lines::new(&TreePosition::default()).run(&[&famous]);
    let book = lines.expect("lines").to_polyglot();
    let path = folder.0.join("famous.bin");
    fs::write(&path, book).expect("a file can be written");
    Server::of(Options {
        page: PageOptions {
            book: Some(path),
            ..PageOptions::default()
        },
        ..options(vec![fixture(database)], Limits::default())
    })
}

#[test]
fn a_book_stands_beside_the_tree_of_games() {
    let folder = Folder::new("books");
    let server = server(&folder, "famous.si4");
    let start = server.get("/api/tree").json();
    let book = &start["book"];
    assert_eq!(book["name"], "famous.bin");
    assert_eq!(book["format"], "PolyGlot book (.bin)");
    let first = &book["moves"][0];
    assert_eq!(
        (&first["san"], &first["uci"]),
        (&json!("e4"), &json!("e2e4"))
    );
    assert_eq!(first["weight"], 69);
    assert_eq!(
        (&first["results"], &book["faults"]),
        (&Value::Null, &json!(0))
    );
    let none = server.get("/api/tree?fen=4k3/8/8/8/8/8/4P3/4K3_w").json();
    assert_eq!(none["book"]["moves"], json!([]));
    let without = Server::famous().get("/api/tree").json();
    assert_eq!(without["book"], Value::Null);
}

#[test]
fn a_book_that_changes_is_told_and_games_stay() {
    let folder = Folder::new("changed-book");
    let server = server(&folder, "famous.si4");
    fs::write(folder.0.join("famous.bin"), [0; 32]).expect("a file can be written");
    let answer = server.get("/api/tree?play=e2e4").json();
    assert!(answer["trees"][0]["total"]["games"].as_u64() > Some(0));
    let fault = answer["book"]["fault"].as_str().expect("a fault");
    assert!(!fault.contains("famous") && !fault.contains('/'), "{fault}");
}

#[test]
fn what_is_no_book_is_refused_when_the_program_starts() {
    let folder = Folder::new("no-book");
    let path = folder.put("no.bin", b"this is no opening book, it is a text");
    let refused = tabiya_explorer::Explorer::open(&Options {
        page: PageOptions {
            book: Some(path),
            ..PageOptions::default()
        },
        ..options(vec![fixture("famous.si4")], Limits::default())
    });
    assert!(refused.expect_err("no book").to_string().contains("no.bin"));
}
