//! Simple Chess Databases, in both layouts.

use tabiya::{Database, Parts, format::ScdbLayout};
use tabiya_formats::{
    Encode,
    scdb::{Encoder, Writer},
};

use super::{
    files::some_games,
    pieces::{Pieces, joined},
};
use crate::support::{exercise, game::PlainGame};

const FILES: &[u8; 5] = b"ignse";

pub(crate) fn check(input: &[u8]) {
    let pieces = Pieces::of(input);
    let [index, games, names, sites, events] = FILES.map(|letter| pieces.owned(letter));
    let mut parts = Parts::new(index.unwrap_or_default());
    (parts.games, parts.names) = (games, names);
    (parts.sites, parts.events) = (sites, events);
    if let Ok(database) = Database::from_bytes(parts) {
        exercise::whole(&database);
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let layouts = [ScdbLayout::Reference, ScdbLayout::Described];
    let seed = |layout| [(1, 1), (2, 2), (3, 6)].map(|(seed, games)| (seed, games, layout));
    let seeds = layouts.into_iter().flat_map(seed);
    seeds
        .map(|(seed, games, layout)| joined_parts(written(&some_games(seed, games), layout)))
        .collect()
}

fn joined_parts(parts: Parts) -> Vec<u8> {
    let files = [
        Some(parts.index),
        parts.games,
        parts.names,
        parts.sites,
        parts.events,
    ];
    joined(
        FILES
            .iter()
            .copied()
            .zip(files.map(Option::unwrap_or_default)),
    )
}

/// Writes games to the five files of a database.
pub(crate) fn written(games: &[PlainGame], layout: ScdbLayout) -> Parts {
    let mut writer = Writer::in_memory(layout).expect("memory can be written");
    let mut encoder = Encoder::new();
    for game in games {
        encoder.begin(&game.header);
        let _ = game.tell(&mut encoder);
        let encoded = encoder.finish().expect("a random game can be encoded");
        writer.append(&encoded).expect("there is room");
    }
    writer.finish_in_memory().expect("memory can be written").0
}
