//! Training data of the engine Monty, in all its layouts.

use std::ops::ControlFlow;

use shakmaty::{CastlingMode, Chess, Position};
use tabiya::{OpenOptions, chess::Start, format::MontyLayout as Layout};
use tabiya_formats::monty::{Game, GameWriter, named_visits};

use super::files::open_file;
use crate::support::{dice::Dice, exercise, pool};

const LAYOUTS: [Layout; 3] = [Layout::Policy, Layout::Value, Layout::OldValue];

pub(crate) fn check(input: &[u8]) {
    if let Ok(database) = open_file("a.binpack", input, OpenOptions::new()) {
        exercise::whole(&database);
    }
    for layout in LAYOUTS {
        if let Some(once) = rewritten(input, layout) {
            let twice = rewritten(&once, layout).expect("what was written is read");
            assert_eq!(once, twice, "{layout:?}");
        }
    }
}

/// Reads the first game and writes it anew; `None` where it is damaged or cannot be written.
fn rewritten(bytes: &[u8], layout: Layout) -> Option<Vec<u8>> {
    let (game, length) = Game::read(bytes, layout).ok()?;
    assert!(length <= bytes.len());
    let setup = game.setup();
    let mut position = match setup.clone() {
        None => Chess::default(),
        Some(setup) => {
            let mode = CastlingMode::detect(&setup);
            tabiya::chess::forgiving_position(setup, mode).ok()?
        }
    };
    let from = setup.as_ref().map_or(Start::Standard, Start::Custom);
    let mut writer = GameWriter::new(layout, from, game.result()).ok()?;
    let mut is_written = true;
    let read = game.for_each(|ply| {
        let visits = named_visits(&position, ply.visits);
        is_written = writer.play(ply.played, ply.score, &visits).is_ok();
        if !is_written {
            return ControlFlow::Break(());
        }
        position.play_unchecked(ply.played);
        ControlFlow::Continue(())
    });
    (read.is_ok() && is_written).then(|| writer.finish())
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for layout in LAYOUTS {
        for (seed, games) in [(1, 1), (2, 3), (3, 8)] {
            let mut dice = Dice::new(seed);
            let games = (0..games).map(|_| pool::training_game(&mut dice, layout));
            seeds.push(games.flatten().collect());
        }
    }
    seeds
}
