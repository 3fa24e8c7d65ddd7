//! Playing every main line and doing nothing with it: how fast a format decodes.

use rayon::prelude::*;

use crate::{
    chess::follow::Ignore,
    database::{Database, with_view},
    error::Result,
    format::{Scratch, View},
};

/// What a replay of all main lines counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Replay {
    /// Games that were played through.
    pub games: u64,
    /// Half-moves of their main lines.
    pub moves: u64,
    /// Damaged games.
    pub damaged: u64,
}

impl Database {
    /// Plays all main lines in the current rayon pool, without asking whether the moves are
    /// legal. For measuring; to check a database, see [`Database::verify`].
    ///
    /// # Errors
    /// `Missing` without a games file.
    pub fn replay(&self) -> Result<Replay> {
        self.require_games()?;
        Ok(with_view!(self, view => replay(view)))
    }
}

fn replay<V: View>(view: V) -> Replay {
    const TASK_GAMES: usize = 4096;
    let task = |records: &[V::Record]| {
        let mut scratch = Scratch::default();
        let mut sum = Replay::default();
        for record in records {
            match view.main_line(record, &mut scratch, &mut Ignore) {
                Ok(plies) => {
                    sum.games += 1;
                    sum.moves += u64::from(plies);
                }
                Err(_) => sum.damaged += 1,
            }
        }
        sum
    };
    let add = |a: Replay, b: Replay| Replay {
        games: a.games + b.games,
        moves: a.moves + b.moves,
        damaged: a.damaged + b.damaged,
    };
    view.records()
        .par_chunks(TASK_GAMES)
        .map(task)
        .reduce(Replay::default, add)
}
