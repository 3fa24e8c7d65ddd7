//! Lists of puzzles, of positions and of games as JSON.

use tabiya::OpenOptions;

use super::{
    files::{open_file, some_games},
    pgn::same_tags,
};
use crate::support::{exercise, lists::List};

/// Takes a list; its first byte tells of what.
pub(crate) fn check(input: &[u8]) {
    let Some((first, text)) = input.split_first() else {
        return;
    };
    let list = List::ALL[usize::from(*first) % List::ALL.len()];
    let name = format!("a.{}", list.suffix());
    if let Ok(database) = open_file(&name, text, OpenOptions::new()) {
        exercise::whole(&database);
        same_tags(&database, &name, text);
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (number, list) in (0..).zip(List::ALL) {
        for (seed, games) in [(1, 1), (2, 4)] {
            let text = list.of_games(&some_games(seed, games));
            seeds.push([&[number], text.as_bytes()].concat());
        }
    }
    seeds
}
