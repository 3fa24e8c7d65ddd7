//! Replays every main line without further work, to measure how fast a format decodes.

use rayon::prelude::*;
use tabiya_chess::{
    Color, Flow, Follow, Placed, Start,
    follow::Ignore,
    placement::{Key, Placement},
};
use tabiya_formats::{Scratch, View, error::Result};

use crate::database::{Database, with_view};

/// The counts of a replay of all main lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Replay {
    /// Games replayed.
    pub games: u64,
    /// Plies of their main lines.
    pub moves: u64,
    /// Damaged games.
    pub damaged: u64,
    /// The sum of the keys of all positions after a move, modulo 2^64; 0 without keys. The same
    /// games have the same sum, in any format and order.
    pub keys: u64,
}

impl Database {
    /// Replays all main lines in the current rayon pool, without checking that the moves are legal.
    /// For measurements; to check a database, see [`Database::verify`].
    ///
    /// # Errors
    /// `Missing` without a games file.
    pub fn replay(&self) -> Result<Replay> {
        self.require_games()?;
        Ok(with_view!(self, view => replay(view, || Ignore)))
    }

    /// Like [`replay`](Database::replay), with a key of every position, which depends on the men,
    /// their squares and the side to move.
    ///
    /// # Errors
    /// `Missing` without a games file.
    pub fn replay_with_keys(&self) -> Result<Replay> {
        self.require_games()?;
        Ok(with_view!(self, view => replay(view, KeySum::default)))
    }
}

/// A follower with a sum over a game.
trait Total: Follow {
    fn total(&self) -> u64;
}

impl Total for Ignore {
    fn total(&self) -> u64 {
        0
    }
}

fn replay<V: View, F: Total>(view: V, follower: impl Fn() -> F + Sync) -> Replay {
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
    fn forget(&mut self) {
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
    fn shift(&mut self, from: Placed, to: Placed) {
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
    fn look(&mut self) -> Flow {
        self.turn = self.turn.other();
        self.sum = self.sum.wrapping_add(self.key.with_turn(self.turn));
        Flow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::Man;

    /// Sums keys that are recalculated for every position.
    #[derive(Default)]
    struct Slow {
        squares: [u64; 16],
        turn: Option<Color>,
        sum: u64,
    }

    impl Slow {
        fn change(&mut self, placed: Placed) {
            self.squares[placed.man_index()] ^= 1 << placed.square_index();
        }
    }

    impl Total for Slow {
        fn total(&self) -> u64 {
            self.sum
        }
    }

    impl Follow for Slow {
        fn forget(&mut self) {
            self.sum = 0;
        }

        fn start(&mut self, start: Start<'_>) -> Flow {
            let setup = start.setup();
            let squares = |man: Man| setup.board.by_piece(man.into()).into();
            for man in Man::ALL {
                self.squares[man.index()] = squares(man);
            }
            (self.turn, self.sum) = (Some(setup.turn), 0);
            Flow::Continue(())
        }

        fn shift(&mut self, from: Placed, to: Placed) {
            self.change(from);
            self.change(to);
        }

        fn remove(&mut self, gone: Placed) {
            self.change(gone);
        }

        fn place(&mut self, new: Placed) {
            self.change(new);
        }

        fn look(&mut self) -> Flow {
            self.turn = self.turn.map(Color::other);
            let turn = self.turn.unwrap_or(Color::White);
            let now = Placement::of_squares(self.squares, turn);
            self.sum = self.sum.wrapping_add(now.key_with_turn());
            Flow::Continue(())
        }
    }

    #[test]
    fn keys_are_those_of_the_positions_in_every_format() {
        let sums = ["si4", "cbh", "pgn"].map(|suffix| {
            let path = format!("{}/fixtures/famous.{suffix}", env!("CARGO_MANIFEST_DIR"));
            let database = Database::open(path).unwrap();
            let slow = with_view!(&database, view => replay(view, Slow::default));
            assert_eq!(database.replay_with_keys().unwrap(), slow, "{suffix}");
            let plain = database.replay().unwrap();
            assert_eq!(Replay { keys: 0, ..slow }, plain, "{suffix}");
            slow.keys
        });
        assert_ne!(sums[0], 0);
        assert!(sums.iter().all(|&sum| sum == sums[0]), "{sums:?}");
    }
}
