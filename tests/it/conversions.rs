//! From every format to every other: what both can hold comes over, and what does not is what the
//! report says, neither more nor less.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tabiya::format::GameText;

use crate::support::{
    dice::Dice,
    losses::{TARGETS, convert, every_target, remove},
    pool::random_game,
    shared,
};

/// Makes of PGN a source in every format, and of each of them every target.
fn every_pair(pgn: &Path) {
    let folder = tempfile::tempdir().unwrap();
    every_target(pgn, folder.path());
    for suffix in TARGETS {
        let source: PathBuf = folder.path().join(format!("source.{suffix}"));
        convert(pgn, &source);
        every_target(&source, folder.path());
        remove(folder.path(), "source");
    }
}

#[test]
fn famous_games_lose_what_is_reported_and_nothing_else() {
    every_pair(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/famous.pgn"));
}

/// Games with much that is rare: odd names, dates, tags, starts, glyphs, null moves.
#[test]
fn odd_games_lose_what_is_reported_and_nothing_else() {
    for seed in 1..=4 {
        let mut dice = Dice::new(seed);
        let mut text = String::new();
        for _ in 0..25 {
            let game = random_game(&mut dice);
            let mut writer = GameText::new(&game.header);
            assert!(game.tell(&mut writer).is_continue());
            text += &writer.finish().unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        let pgn = folder.path().join("odd.pgn");
        fs::write(&pgn, text).unwrap();
        every_pair(&pgn);
    }
}

/// One game of jose's has a third knight of one side, which no program can read. Neither `.si4`
/// nor `.dci` takes games of Chess960, nor `.binpack` and `.vf` those without a result.
#[test]
fn games_of_jose_and_of_monty_lose_what_is_reported_and_nothing_else() {
    for (part, written) in [
        (
            "jose/lab.jose",
            [4209, 4299, 4209, 4299, 4299, 4296, 4296, 4299],
        ),
        ("monty/edge.binpack", [10, 13, 10, 13, 13, 13, 13, 13]),
        ("monty/frc-value.binpack", [1, 80, 1, 80, 80, 80, 80, 80]),
    ] {
        if let Some(source) = shared::path(&format!("data/{part}")) {
            let folder = tempfile::tempdir().unwrap();
            assert_eq!(every_target(&source, folder.path()), written, "{part}");
        }
    }
}
