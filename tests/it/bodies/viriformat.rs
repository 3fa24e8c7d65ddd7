//! Training data in viriformat.

use std::fs;

use tabiya::{Database, OpenOptions};

use super::files::{Folder, open_file};
use crate::support::{dice::Dice, exercise, losses::convert, viri};

/// Takes a file. What is written of it is written the same again.
pub(crate) fn check(input: &[u8]) {
    let Ok(database) = open_file("a.vf", input, OpenOptions::new()) else {
        return;
    };
    exercise::whole(&database);
    let folder = Folder::new();
    let source = folder.put("source.vf", input);
    let [once, twice] = ["once.vf", "twice.vf"].map(|name| folder.path(name));
    let games = convert(&source, &once).games;
    let written = Database::open(&once).expect("what was written opens");
    assert_eq!(u64::from(written.len()), games);
    assert!(written.notes().is_empty(), "{:?}", written.notes());
    convert(&once, &twice);
    let bytes = |path| fs::read(path).expect("a file can be read");
    assert!(bytes(&once) == bytes(&twice));
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut dice = Dice::new(1);
    let sizes = [1, 2, 3, 6, 12].into_iter();
    sizes
        .map(|games| viri::random_file(&mut dice, games))
        .collect()
}
