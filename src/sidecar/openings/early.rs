//! Finds the positions that games have within their first plies and that are not rare.
//!
//! All games are looked at, twice: first the positions are counted by some bits of their keys, then
//! those whose bits are common are counted one by one, of which there are few.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    sync::atomic::{AtomicU32, Ordering},
};

use tabiya_chess::placement::Placement;
use tabiya_formats::{Ask, Remaining, Scratch, View, error::Result, run_ordered};

use super::beginnings::Beginnings;

/// Number of plies that are looked at: lines of a dozen half-moves, and some by which other games
/// come to the same positions later.
pub(super) const PLIES: usize = 16;
/// A position is taken if one in this many games has it within these plies,
const SHARE: usize = 24_576;
/// and at least this many games.
const LEAST_GAMES: usize = 48;
/// Number of games of one task.
const TASK_GAMES: usize = 1 << 14;
/// Number of concurrent tasks.
const TASKS: usize = 8;
/// Numbers of counters, as powers of two.
const COUNTERS: std::ops::RangeInclusive<u32> = 10..=22;

/// Counted positions, by key.
type Counts = HashMap<u64, (usize, Placement), BuildHasherDefault<KeyHasher>>;

/// Returns the positions with their counts, in no order.
///
/// # Errors
/// `Interrupted` if `ask` breaks.
pub(super) fn positions<V: View>(view: V, ask: Ask<'_>) -> Result<Vec<(usize, Placement)>> {
    let least = (view.game_count() / SHARE).max(LEAST_GAMES);
    counted(view, least, ask)
}

/// Returns those that are counted at least so often.
pub(super) fn counted<V: View>(
    view: V,
    least: usize,
    ask: Ask<'_>,
) -> Result<Vec<(usize, Placement)>> {
    if view.game_count() < least {
        return Ok(Vec::new());
    }
    let sieve = Sieve::new(view.game_count(), least);
    for_each(view, ask, |(), place| sieve.count(place), |()| ())?;
    let mut all = Counts::default();
    let count = |counts: &mut Counts, place: &Placement| {
        if sieve.is_common(place) {
            let known = counts.entry(place.key_with_turn());
            known.or_insert_with(|| (0, *place)).0 += 1;
        }
    };
    let merge = |counts: &mut Counts| {
        for (key, (count, place)) in counts.drain() {
            all.entry(key).or_insert((0, place)).0 += count;
        }
    };
    for_each(view, ask, count, merge)?;
    let counted = all.into_values();
    Ok(counted.filter(|(count, _)| *count >= least).collect())
}

/// Calls `see` for each position of the first plies of all games, with what its task has found so
/// far, and `deliver` with what a task has found.
fn for_each<V: View, T: Default + Send>(
    view: V,
    ask: Ask<'_>,
    see: impl Fn(&mut T, &Placement) + Sync,
    mut deliver: impl FnMut(&mut T),
) -> Result<()> {
    let beginnings = Beginnings::new(view, PLIES);
    let tasks = view.records().chunks(TASK_GAMES);
    let tasks = tasks.map(|records| ((records, T::default()), records.len()));
    let work = |(records, found): &mut (&[V::Record], T), left: &mut Remaining| {
        let mut scratch = Scratch::default();
        for record in &records[records.len() - left.count()..] {
            beginnings.see(record, &mut scratch, |_, position| see(found, position));
            if left.done(1).is_break() {
                break;
            }
        }
    };
    let deliver = |(_, found): &mut (&[V::Record], T), _| {
        deliver(found);
        Ok(())
    };
    run_ordered(tasks, TASKS, work, deliver, &mut |_| ask())
}

/// Counts positions by some bits of their keys.
struct Sieve {
    counters: Vec<AtomicU32>,
    least: u32,
}

impl Sieve {
    fn new(games: usize, least: usize) -> Sieve {
        let bits = (games * PLIES).ilog2();
        let counters = 1_usize << bits.clamp(*COUNTERS.start(), *COUNTERS.end());
        Sieve {
            counters: (0..counters).map(|_| AtomicU32::new(0)).collect(),
            least: least as u32,
        }
    }

    #[inline]
    fn counter(&self, place: &Placement) -> &AtomicU32 {
        &self.counters[place.key_with_turn() as usize & (self.counters.len() - 1)]
    }

    #[inline]
    fn count(&self, place: &Placement) {
        // Counters of common positions are no longer written, for which the threads would wait.
        if !self.is_common(place) {
            self.counter(place).fetch_add(1, Ordering::Relaxed);
        }
    }

    #[inline]
    fn is_common(&self, place: &Placement) -> bool {
        self.counter(place).load(Ordering::Relaxed) >= self.least
    }
}

/// Takes keys as their own hashes: their bits are as good as random.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 ^= key;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
