//! Databases of Scid: `.si4` and `.si3`, `.si5`.

use tabiya::{Database, FormatKind, Parts};
use tabiya_formats::{
    Encode,
    scid4::{Edition, Encoder, Writer},
};

use super::{
    files::some_games,
    pieces::{Pieces, joined},
};
use crate::support::{exercise, game::PlainGame};

const FILES: &[u8; 3] = b"ign";

pub(crate) fn check_scid4(input: &[u8]) {
    check(input, None);
}

pub(crate) fn check_scid5(input: &[u8]) {
    check(input, Some(FormatKind::Scid5));
}

fn check(input: &[u8], format: Option<FormatKind>) {
    let pieces = Pieces::of(input);
    let [index, games, names] = FILES.map(|letter| pieces.owned(letter));
    let mut parts = Parts::new(index.unwrap_or_default());
    (parts.format, parts.games, parts.names) = (format, games, names);
    if let Ok(database) = Database::from_bytes(parts) {
        exercise::whole(&database);
    }
}

pub(crate) fn scid4_seeds() -> Vec<Vec<u8>> {
    let mut seeds = seeds(Edition::Si4);
    // Those of Scid 3 differ in their version and in what records have no room for.
    let older = seeds.iter().map(|seed| {
        let at = memchr::memmem::find(seed, b"Scid.si").expect("an index");
        let mut older = seed.clone();
        older[at + 8..at + 10].copy_from_slice(&300_u16.to_be_bytes());
        older
    });
    seeds.extend(older.collect::<Vec<_>>());
    seeds
}

pub(crate) fn scid5_seeds() -> Vec<Vec<u8>> {
    seeds(Edition::Si5)
}

fn seeds(edition: Edition) -> Vec<Vec<u8>> {
    let seed = |(seed, games)| written(&some_games(seed, games), edition);
    [(1, 1), (2, 2), (3, 5), (4, 12)].map(seed).to_vec()
}

fn written(games: &[PlainGame], edition: Edition) -> Vec<u8> {
    let mut writer = Writer::in_memory(edition).expect("memory can be written");
    let mut encoder = Encoder::with_edition(edition);
    for game in games {
        encoder.begin(&game.header);
        let _ = game.tell(&mut encoder);
        let encoded = encoder.finish().expect("a random game can be encoded");
        writer.append(&encoded).expect("there is room");
    }
    let parts = writer.finish_in_memory().expect("memory can be written").0;
    let files = [Some(parts.index), parts.games, parts.names];
    joined(
        FILES
            .iter()
            .copied()
            .zip(files.map(Option::unwrap_or_default)),
    )
}
