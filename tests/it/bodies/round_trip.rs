//! Games that are written in every format and read again: what both formats can hold is the same,
//! and what is lost is reported.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tabiya::Database;

use super::{
    files::Folder,
    pgn,
    pieces::{Pieces, joined},
};
use crate::support::{
    dice::Dice,
    losses::{TARGETS, convert, every_target},
    pool::random_game,
};

/// What a game is made of; games as text; and the format between.
const CHOICES: u8 = b'c';
const TEXT: u8 = b't';
const BY_WAY_OF: u8 = b'w';

/// Events of a game that is made of bytes: a longer one takes longer and says nothing more.
const EVENTS_MAX: usize = 120;

pub(crate) fn check(input: &[u8]) {
    let pieces = Pieces::of(input);
    let text = match (pieces.get(TEXT), pieces.get(CHOICES)) {
        (Some(text), _) => text.to_vec(),
        (None, Some(choices)) => {
            let game = random_game(&mut Dice::of_bytes(choices));
            if game.events.len() > EVENTS_MAX {
                return;
            }
            pgn::text(&game).into_bytes()
        }
        (None, None) => return,
    };
    let folder = Folder::new();
    let text = folder.put("text.pgn", &text);
    // A conversion ends where packed text is damaged.
    if !Database::open(&text).is_ok_and(|database| database.notes().is_empty()) {
        return;
    }
    let source = written_once(&folder, &text);
    every_target(&source, folder.root());
    let way = pieces.get(BY_WAY_OF).and_then(<[u8]>::first).copied();
    let suffix = TARGETS[usize::from(way.unwrap_or_default()) % TARGETS.len()];
    let between = folder.path(&format!("source.{suffix}"));
    convert(&source, &between);
    every_target(&between, folder.root());
}

/// Returns the text as it is written: characters that control, names of tags that are none and
/// the like are gone then, and nothing else will go.
fn written_once(folder: &Folder, text: &Path) -> PathBuf {
    let [once, twice] = ["once.pgn", "twice.pgn"].map(|name| folder.path(name));
    convert(text, &once);
    convert(&once, &twice);
    let bytes = |path| fs::read(path).expect("a file can be read");
    assert!(
        bytes(&once) == bytes(&twice),
        "text that is written again is another"
    );
    once
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut dice = Dice::new(2);
    let mut seeds = Vec::new();
    for way in 0..TARGETS.len() as u8 {
        let choices: Vec<u8> = (0..150).map(|_| dice.below(256) as u8).collect();
        seeds.push(joined([(CHOICES, &*choices), (BY_WAY_OF, &[way])]));
    }
    let texts = pgn::seeds().into_iter().zip((0..).map(|way| [way]));
    seeds.extend(texts.map(|(text, way)| joined([(TEXT, &*text), (BY_WAY_OF, &way)])));
    seeds
}
