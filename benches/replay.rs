//! Replays every main line without further work, to measure how fast a format decodes.

use rayon::prelude::*;
use tabiya_chess::{
    Color, Flow, Follow, Placed, Start,
    follow::Ignore,
    placement::{Key, Placement},
};
use tabiya_formats::{Opened, Scratch, View, with_view};

/// The counts of a replay of all main lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Replay {
    /// Games replayed.
    pub(crate) games: u64,
    /// Plies of their main lines.
    pub(crate) moves: u64,
    /// Damaged games.
    pub(crate) damaged: u64,
    /// The sum of the keys of all positions after a move, modulo 2^64; 0 without keys. The same
    /// games have the same sum, in any format and order.
    pub(crate) keys: u64,
}

/// Replays all main lines in the current rayon pool, without checking that the moves are legal.
pub(crate) fn plain(opened: &Opened) -> Replay {
    with_view!(opened, view => replay(view, || Ignore))
}

/// Like [`plain`], with a key of every position, which depends on the men, their squares and the
/// side to move.
pub(crate) fn with_keys(opened: &Opened) -> Replay {
    with_view!(opened, view => replay(view, KeySum::default))
}

/// A follower with a sum over a game.
pub(crate) trait Total: Follow {
    fn total(&self) -> u64;
}

impl Total for Ignore {
    fn total(&self) -> u64 {
        0
    }
}

pub(crate) fn replay<V: View, F: Total>(view: V, follower: impl Fn() -> F + Sync) -> Replay {
    const TASK_GAMES: usize = 4096;
    let task = |records: &[V::Record]| {
        let (mut scratch, mut follow) = (Scratch::default(), follower());
        let mut sum = Replay::default();
        for record in records {
            match view.main_line(record, &mut scratch, &mut follow) {
                Ok(plies) => {
                    sum.games += 1;
                    sum.moves += u64::from(plies);
                    sum.keys = sum.keys.wrapping_add(follow.total());
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
        keys: a.keys.wrapping_add(b.keys),
    };
    view.records()
        .par_chunks(TASK_GAMES)
        .map(task)
        .reduce(Replay::default, add)
}

/// Sums the keys of a game's positions.
struct KeySum {
    standard: Key,
    key: Key,
    turn: Color,
    sum: u64,
}

impl Default for KeySum {
    fn default() -> KeySum {
        let standard = Placement::at(Start::Standard).key;
        KeySum {
            standard,
            key: standard,
            turn: Color::White,
            sum: 0,
        }
    }
}

impl Total for KeySum {
    fn total(&self) -> u64 {
        self.sum
    }
}

impl Follow for KeySum {
    fn reset(&mut self) {
        self.sum = 0;
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        (self.key, self.turn) = match start {
            Start::Standard => (self.standard, Color::White),
            Start::Custom(setup) => (Placement::at(start).key, setup.turn),
        };
        self.sum = 0;
        Flow::Continue(())
    }

    #[inline(always)]
    fn moved(&mut self, from: Placed, to: Placed) {
        self.key.shift(from, to);
    }

    #[inline(always)]
    fn remove(&mut self, gone: Placed) {
        self.key.change(gone);
    }

    #[inline(always)]
    fn place(&mut self, new: Placed) {
        self.key.change(new);
    }

    #[inline(always)]
    fn ply_done(&mut self) -> Flow {
        self.turn = self.turn.other();
        self.sum = self.sum.wrapping_add(self.key.with_turn(self.turn));
        Flow::Continue(())
    }
}
