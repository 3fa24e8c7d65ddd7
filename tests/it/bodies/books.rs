//! Opening books: what a book of any bytes tells.

use std::collections::BTreeSet;

use tabiya::{
    Book, OpenOptions,
    shakmaty::{Chess, Position as _},
};

use super::files::Folder;
use crate::support::books;

/// Positions that are asked for.
const POSITIONS_MAX: usize = 50;

/// Takes a byte that chooses the format, and a book: of Arena's what follows the header, of
/// ChessBase's the length of the table in a byte, the table, the bounds, and what follows the
/// header of the pages.
pub(crate) fn check(input: &[u8]) {
    let Some((&kind, bytes)) = input.split_first() else {
        return;
    };
    let folder = Folder::new();
    let path = match kind % 3 {
        0 => folder.put("a.bin", bytes),
        1 => folder.put("a.abk", &[&books::arena_header(), bytes].concat()),
        _ => {
            let Some((&length, bytes)) = bytes.split_first() else {
                return;
            };
            let (table, bytes) = bytes.split_at(bytes.len().min(length.into()));
            let (bounds, pages) = bytes.split_at(bytes.len().min(12));
            folder.put("a.cto", table);
            folder.put("a.ctb", bounds);
            folder.put("a.ctg", &[&[0; 4096], pages].concat())
        }
    };
    let options = OpenOptions::new().in_memory(true);
    if let Ok(book) = options.open_book(path) {
        walk(&book);
    }
}

/// Goes along the moves that the book has.
fn walk(book: &Book) {
    let mut waiting = vec![Chess::default()];
    let mut asked = 0;
    while let Some(position) = waiting.pop()
        && asked < POSITIONS_MAX
    {
        asked += 1;
        let found = book.moves(&position).expect("nobody changes the file");
        assert_eq!(found.faults.count > 0, found.faults.first.is_some());
        let hefts = found.moves.iter().map(|found| found.heft());
        assert!(hefts.is_sorted_by(|a, b| a >= b));
        let legal = position.legal_moves();
        let mut once = BTreeSet::new();
        for found in &found.moves {
            assert!(legal.contains(&found.played));
            assert!(once.insert(format!("{:?}", found.played)));
            let mut next = position.clone();
            next.play_unchecked(found.played);
            waiting.push(next);
        }
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let [pages, table, bounds] = books::some_chessbase();
    let arena = books::some_arena();
    vec![
        [&[0], &*books::some_polyglot()].concat(),
        [&[1], &arena[books::arena_header().len()..]].concat(),
        [&[2, table.len() as u8], &*table, &*bounds, &pages[4096..]].concat(),
    ]
}
