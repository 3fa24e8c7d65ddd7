//! Databases of ChessBase 1 to 5: both files.

use tabiya::OpenOptions;

use super::{
    files::{Folder, some_games},
    pieces::{Pieces, joined},
};
use crate::support::{
    cbf::{self, Ending},
    exercise,
};

const INDEX: u8 = b'i';
const GAMES: u8 = b'g';

pub(crate) fn check(input: &[u8]) {
    let pieces = Pieces::of(input);
    let folder = Folder::new();
    let mut path = folder.path("a.cbi");
    for (letter, name) in [(GAMES, "a.cbf"), (INDEX, "a.cbi")] {
        if let Some(bytes) = pieces.get(letter) {
            path = folder.put(name, bytes);
        }
    }
    for salvage in [false, true] {
        let options = OpenOptions::new().in_memory(true).salvage(salvage);
        if let Ok(database) = options.open(&path) {
            exercise::whole(&database);
        }
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let seed = |(seed, games, ending)| {
        let games = some_games(seed, games);
        let bytes = games.iter().filter_map(|game| cbf::bytes(game, ending));
        let games: Vec<Vec<u8>> = bytes.collect();
        joined([(INDEX, &cbf::index_of(&games)), (GAMES, &games.concat())])
    };
    [
        (1, 1, Ending::Told),
        (2, 2, Ending::None),
        (3, 6, Ending::Told),
    ]
    .map(seed)
    .into()
}
