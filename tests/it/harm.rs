//! Databases of formats other than Scid 4 survive whatever is done to their bytes.

use rayon::prelude::*;
use tabiya::{Database, GameId, Parts};

use crate::{
    malformed::{exercise, replacements},
    support::game::PlainGame,
};

/// One of the files in memory.
type Part = fn(&mut Parts) -> Option<&mut Vec<u8>>;

/// All of them; the index is the first, the games are the second.
const PARTS: [Part; 5] = [
    |parts| Some(&mut parts.index),
    |parts| parts.games.as_mut(),
    |parts| parts.names.as_mut(),
    |parts| parts.sites.as_mut(),
    |parts| parts.events.as_mut(),
];

/// Cuts every file everywhere and changes every byte, one at a time. Every game whose bytes are
/// not touched, by damage to the games, must read as before.
pub(crate) fn any_harm_is_survived(whole: &Parts) {
    let database = Database::from_bytes(whole.clone()).expect("it opens");
    let games: Vec<GameId> = database.games().collect();
    let read = |database: &Database, game| PlainGame::read(database, game);
    let plain: Vec<PlainGame> = games
        .iter()
        .map(|&game| read(&database, game).expect("undamaged"))
        .collect();
    let end_of = |game: GameId| {
        let facts = database.facts(game).expect("facts");
        let start = facts.offset_bytes as usize;
        (start, start + facts.length_bytes as usize)
    };
    for (number, part) in PARTS.into_iter().enumerate() {
        let length = part(&mut whole.clone()).map_or(0, |bytes| bytes.len());
        let is_games = number == 1;
        (0..length).into_par_iter().for_each(|at| {
            let mut parts = whole.clone();
            let bytes = part(&mut parts).expect("it is there");
            let byte = bytes[at];
            bytes.truncate(at);
            if let Some(cut) = exercise(parts, number < 2).filter(|_| is_games) {
                for (&game, plain) in games.iter().zip(&plain) {
                    let found = read(&cut, game);
                    assert_eq!(found.is_ok(), end_of(game).1 <= at, "cut at {at}");
                    assert!(found.is_err() || found.ok().as_ref() == Some(plain));
                }
            }
            for value in replacements(byte) {
                let mut parts = whole.clone();
                part(&mut parts).expect("it is there")[at] = value;
                let Some(changed) = exercise(parts, number < 2).filter(|_| is_games) else {
                    continue;
                };
                for (&game, plain) in games.iter().zip(&plain) {
                    let (start, end) = end_of(game);
                    if !(start..end).contains(&at) {
                        assert_eq!(read(&changed, game).ok().as_ref(), Some(plain), "byte {at}");
                    }
                }
            }
        });
    }
}
