//! Finds positions that may be in the lines: those that follow the first position in enough games.
//!
//! Each position that follows is counted under a hash of it, without being stored; when the count
//! of a hash comes near to the least number of games, the position is kept. What this passes over,
//! because games have it before the first position or long after it, is found while the graph
//! grows, at the cost of another pass.

use std::{
    collections::HashSet,
    sync::atomic::{AtomicU8, Ordering},
};

use tabiya_chess::{Flow, Follow, GameId, Placed, Rewind, Start, placement::Placement};
use tabiya_formats::{
    Remaining, View, error::Result, progress::Progress, run_ordered, sound::Sound,
};

use super::{
    Lines,
    graph::{Place, place_of},
};
use crate::{filter::GameSet, limits::LINE_POSITIONS_MAX};

/// Number of games of one task.
const TASK_GAMES: usize = 1 << 13;
/// Number of concurrent tasks.
const TASKS: usize = 8;
/// Numbers of counters, as powers of two.
const COUNTERS: std::ops::RangeInclusive<u32> = 10..=24;
/// Counts end here, before they overflow.
const COUNT_MAX: u8 = 100;
/// Beyond the least count a position is kept for this many counts more: another one with the same
/// hash may have had the first.
const KEPT_AGAIN: u8 = 3;

/// The positions found so far, in all databases.
pub(super) struct Discovery {
    root: Placement,
    /// How many half-moves after the first position are looked at.
    plies: u32,
    variations: bool,
    /// The least count of a position that is kept.
    least: u8,
    /// By hash.
    counters: Vec<AtomicU8>,
    found: HashSet<Place>,
    positions: Vec<Placement>,
}

impl Discovery {
    /// Prepares for some games that have the first position. `least` is the least number of games
    /// of a move.
    pub(super) fn new(lines: &Lines<'_>, games: u64, least: u64) -> Discovery {
        let setup = lines.position.setup();
        let plies = lines.depth.saturating_sub(1);
        let bits = games
            .saturating_mul(plies.into())
            .saturating_mul(2)
            .max(1)
            .ilog2();
        let counters = 1_usize << bits.clamp(*COUNTERS.start(), *COUNTERS.end());
        Discovery {
            root: Placement::new(&setup.board, setup.turn),
            plies,
            variations: lines.variations,
            // Some of the games may have the position by other ways.
            least: (least / 2).clamp(1, COUNT_MAX.into()) as u8,
            counters: (0..counters).map(|_| AtomicU8::new(0)).collect(),
            found: HashSet::new(),
            positions: Vec::new(),
        }
    }

    /// Looks through the games of a database that have the first position.
    pub(super) fn look_through<V: View>(
        &mut self,
        view: V,
        games: &GameSet,
        progress: &mut dyn FnMut(Progress) -> Flow,
    ) -> Result<()> {
        let games: Vec<GameId> = games.iter().collect();
        let (found, positions) = (&mut self.found, &mut self.positions);
        let (root, plies, variations) = (self.root, self.plies, self.variations);
        let (counters, least) = (&self.counters, self.least);
        let tasks = games.chunks(TASK_GAMES).map(|games| {
            let following = Following {
                root,
                plies,
                variations,
                counters,
                least,
                standard: Placement::at(Start::Standard),
                now: (root, None),
                found: Vec::new(),
            };
            ((games, following), games.len())
        });
        let work = |(games, following): &mut (&[GameId], Following<'_>), left: &mut Remaining| {
            let mut sound = Sound::default();
            let _ = view.for_each_touched(&games[games.len() - left.count()..], |_, record| {
                // Damaged games are told when the positions are counted.
                let _ = if variations {
                    sound.tree(view, record, following)
                } else {
                    sound.main_line(view, record, following)
                };
                left.done(1)
            });
        };
        let deliver = |(_, following): &mut (&[GameId], Following<'_>), _| {
            for place in following.found.drain(..) {
                // What is left out is found while the graph grows.
                if positions.len() < LINE_POSITIONS_MAX && found.insert(place_of(&place)) {
                    positions.push(place);
                }
            }
            Ok(())
        };
        let total = games.len() as u64;
        let ask = &mut |done| progress(Progress::of(done, total));
        run_ordered(tasks, TASKS, work, deliver, ask)
    }

    /// Returns the positions found.
    pub(super) fn positions(self) -> Vec<Placement> {
        self.positions
    }
}

/// Follows games to the first position and some half-moves further.
struct Following<'a> {
    root: Placement,
    plies: u32,
    variations: bool,
    counters: &'a [AtomicU8],
    least: u8,
    standard: Placement,
    /// The present position, and how many half-moves after the first one it is.
    now: (Placement, Option<u32>),
    found: Vec<Placement>,
}

impl Following<'_> {
    fn look(&mut self) -> Flow {
        let (now, after) = &mut self.now;
        let is_root = now.key == self.root.key && place_of(now) == place_of(&self.root);
        *after = match *after {
            _ if is_root => Some(0),
            Some(plies) => Some(plies + 1),
            None => None,
        };
        let is_over = match *after {
            None => now.men < self.root.men,
            Some(plies) => plies >= self.plies,
        };
        if after.is_some_and(|plies| plies > 0 && plies <= self.plies) {
            self.count();
        }
        if is_over && !self.variations {
            Flow::Break(())
        } else {
            Flow::Continue(())
        }
    }

    /// Counts the present position, and keeps it if it is common enough.
    fn count(&mut self) {
        let key = self.now.0.key_with_turn() as usize;
        let counter = &self.counters[key & (self.counters.len() - 1)];
        // Common positions are no longer written, for which the threads would wait.
        let last = self.least + KEPT_AGAIN;
        if counter.load(Ordering::Relaxed) >= last {
            return;
        }
        let count = counter.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        if count >= self.least && count <= last {
            self.found.push(self.now.0);
        }
    }
}

impl Follow for Following<'_> {
    fn reset(&mut self) {}

    fn start(&mut self, start: Start<'_>) -> Flow {
        let place = match start {
            Start::Standard => self.standard,
            custom => Placement::at(custom),
        };
        self.now = (place, None);
        self.look()
    }

    #[inline]
    fn moved(&mut self, from: Placed, to: Placed) {
        self.now.0.shift(from, to);
    }

    #[inline]
    fn remove(&mut self, gone: Placed) {
        self.now.0.remove(gone);
    }

    #[inline]
    fn place(&mut self, new: Placed) {
        self.now.0.place(new);
    }

    #[inline]
    fn ply_done(&mut self) -> Flow {
        self.now.0.pass();
        self.look()
    }
}

impl Rewind for Following<'_> {
    type Snapshot = (Placement, Option<u32>);

    fn snapshot(&self) -> Self::Snapshot {
        self.now
    }

    fn restore(&mut self, now: &Self::Snapshot) {
        self.now = *now;
    }
}
