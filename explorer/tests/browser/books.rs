//! An opening book beside the moves of the games.

use tabiya::{Database, Lines, TreePosition};
use tabiya_explorer::PageOptions;

use crate::{
    server::{fixture, written},
    tab::with_page,
};

#[test]
fn moves_of_a_book_stand_in_a_column_and_in_rows_of_their_own() {
    let famous = Database::open(fixture("famous.si4")).expect("a database");
    let lines = Lines::new(&TreePosition::default()).run(&[&famous]);
    let book = std::env::temp_dir().join(format!("book-{}.bin", std::process::id()));
    std::fs::write(&book, lines.expect("lines").to_polyglot()).expect("a file");
    let database = written("one-game", "1. e4 e5 1-0\n");
    let page = PageOptions {
        book: Some(book.clone()),
        ..PageOptions::default()
    };
    with_page(vec![database.clone()], page, "/", |tab| {
        tab.wait_for_text("#moves-body", "e4");
        assert!(!tab.is("document.querySelector('#moves-book').hidden"));
        let first = tab.text("#moves-body tr .book");
        assert!(first.ends_with('%'), "{first}");
        // No game begins with it.
        tab.wait_for_text("#moves-body", "d4");
        tab.click("#moves-body tr:nth-child(2) button.san");
        tab.wait("new URLSearchParams(location.search).get('play') !== null");
    });
    for file in [book, database] {
        let _ = std::fs::remove_file(file);
    }
}
