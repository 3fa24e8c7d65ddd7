//! Chooses the positions to store: those that many games of a sample have, and the [early] ones.

use std::{cmp::Reverse, collections::HashMap};

use rayon::prelude::*;
use tabiya_chess::placement::{Placement, Placements};
use tabiya_formats::{Ask, Remaining, Scratch, TimeSlice, View, error::Result, run_ordered};

use super::{Packed, beginnings::Beginnings, early, packed};

/// Number of games in the sample, taken at even distances.
const SAMPLE_GAMES: usize = 1 << 16;
/// Number of games of one task.
const TASK_GAMES: usize = 1 << 10;
/// Number of concurrent tasks: all.
const TASKS: usize = SAMPLE_GAMES / TASK_GAMES;
/// Number of plies followed.
const SAMPLE_PLIES: usize = 40;
/// A position is taken if one in this many games has it. Rarer positions have so few games that
/// decoding them is fast.
const TAKEN_SHARE: usize = 2048;
/// The least number of sampled games for that.
const LEAST_GAMES: usize = 8;
/// Positions with fewer men are not taken: there are few, and this way the rest of a game need not
/// be compared.
pub(super) const LEAST_MEN: u32 = 26;
/// The greatest number of positions.
pub(super) const POSITIONS_MAX: usize = 1 << 15;

/// The positions whose games are collected.
pub(in super::super) struct Chosen {
    pub(super) placements: Placements,
    /// The positions, by number.
    pub(in super::super) packed: Vec<Packed>,
    /// Number of games in the database when they were chosen.
    pub(in super::super) games: u32,
}

/// A position of a sampled game: the highest 64 bits are its key, then 24 the game's number in the
/// sample and 8 the ply, so that sorting groups equal keys, the first game first.
type Sighting = u128;

impl Chosen {
    /// Chooses positions from a sample. The choice depends on the games alone.
    ///
    /// # Errors
    /// `Interrupted` if `ask` breaks.
    pub(in super::super) fn new<V: View>(view: V, ask: Ask<'_>) -> Result<Chosen> {
        let sample = Sample::new(view);
        let common = sample.common(ask)?;
        let of_sample = sample.placements(&common, ask)?;
        let of_sample = of_sample
            .into_iter()
            .map(|(count, position)| (count * sample.distance, position));
        let early = early::positions(view, ask)?;
        // Early positions have been counted exactly, so their counts replace those of the sample.
        let all: HashMap<Packed, (usize, Placement)> = of_sample
            .chain(early)
            .filter(|(_, position)| position.men >= LEAST_MEN)
            .map(|(count, position)| (packed(&position), (count, position)))
            .collect();
        let mut all: Vec<_> = all.into_iter().collect();
        // Most common first; the men break ties.
        all.sort_unstable_by_key(|&(packed, (count, _))| (Reverse(count), packed));
        all.truncate(POSITIONS_MAX);
        let positions: Vec<Placement> = all.into_iter().map(|(_, (_, place))| place).collect();
        let games = view.game_count() as u32;
        Ok(Chosen::new_of(&positions, games))
    }

    /// Creates the choice from positions by number.
    pub(super) fn new_of(positions: &[Placement], games: u32) -> Chosen {
        let wanted = |placement: &Placement| (*placement, Some(placement.turn));
        Chosen {
            placements: Placements::new(positions.iter().map(wanted)),
            packed: positions.iter().map(packed).collect(),
            games,
        }
    }
}

/// The games of the sample.
struct Sample<V> {
    beginnings: Beginnings<V>,
    /// One in this many games is taken.
    distance: usize,
    games: usize,
}

impl<V: View> Sample<V> {
    fn new(view: V) -> Sample<V> {
        let distance = view.game_count().div_ceil(SAMPLE_GAMES).max(1);
        Sample {
            beginnings: Beginnings::new(view, SAMPLE_PLIES),
            distance,
            games: view.game_count().div_ceil(distance),
        }
    }

    /// Returns the least number of sampled games of a position that is taken.
    fn least(&self) -> usize {
        (self.games / TAKEN_SHARE).max(LEAST_GAMES)
    }

    /// Shows the first positions of a game, by its number in the sample, with their plies.
    fn see_game(&self, number: usize, scratch: &mut Scratch, see: impl FnMut(usize, &Placement)) {
        if let Some(record) = self.beginnings.view.records().get(number * self.distance) {
            self.beginnings.see(record, scratch, see);
        }
    }

    fn sightings(&self, ask: Ask<'_>) -> Result<Vec<Sighting>> {
        let tasks = (0..self.games).step_by(TASK_GAMES).map(|start| {
            let end = self.games.min(start + TASK_GAMES);
            ((end, Vec::new()), end - start)
        });
        let work = |(end, seen): &mut (usize, Vec<Sighting>), left: &mut Remaining| {
            let mut scratch = Scratch::default();
            seen.reserve(left.count() * SAMPLE_PLIES);
            for number in *end - left.count()..*end {
                self.see_game(number, &mut scratch, |ply, position| {
                    let key = u128::from(position.key_with_turn());
                    seen.push(key << 32 | (number as u128) << 8 | ply as u128);
                });
                if left.done(1).is_break() {
                    break;
                }
            }
        };
        let mut sightings = Vec::new();
        let deliver = |(_, seen): &mut (usize, Vec<Sighting>), _| {
            sightings.append(seen);
            Ok(())
        };
        run_ordered(tasks, TASKS, work, deliver, &mut |_| ask())?;
        // Most positions occur only once. A key whose low bits are shared by too few others need
        // not be sorted.
        let mut counts = vec![0u8; 1 << SIEVE_BITS];
        for sighting in &sightings {
            let count = &mut counts[in_sieve(*sighting)];
            *count = count.saturating_add(1);
        }
        let least = self.least();
        sightings.retain(|&sighting| usize::from(counts[in_sieve(sighting)]) >= least.min(0xff));
        sightings.par_sort_unstable();
        Ok(sightings)
    }

    /// Returns the positions that many games have: how often they occurred, and where first.
    fn common(&self, ask: Ask<'_>) -> Result<Vec<(usize, Sighting)>> {
        let sightings = self.sightings(ask)?;
        let positions = sightings.chunk_by(|one, other| one >> 32 == other >> 32);
        let common = positions
            .filter(|seen| seen.len() >= self.least())
            .filter_map(|seen| Some((seen.len(), *seen.first()?)));
        Ok(common.collect())
    }

    /// Returns their counts and the positions themselves, by replaying their first games.
    fn placements(
        &self,
        common: &[(usize, Sighting)],
        ask: Ask<'_>,
    ) -> Result<Vec<(usize, Placement)>> {
        let mut scratch = Scratch::default();
        let (mut placements, mut turn) = (Vec::with_capacity(common.len()), TimeSlice::begin());
        for &(count, first) in common {
            let number = (first >> 8 & 0xff_ffff) as usize;
            self.see_game(number, &mut scratch, |ply, position| {
                if ply == ply_of(first) {
                    placements.push((count, *position));
                }
            });
            turn.yield_now(ask)?;
        }
        Ok(placements)
    }
}

/// Number of key bits by which sightings are counted before they are sorted.
const SIEVE_BITS: u32 = 20;

fn in_sieve(sighting: Sighting) -> usize {
    (sighting >> 32) as usize & ((1 << SIEVE_BITS) - 1)
}

fn ply_of(sighting: Sighting) -> usize {
    (sighting & 0xff) as usize
}
