//! Chooses the positions to store: those that many games of a sample have.

use rayon::prelude::*;
use tabiya_chess::{
    Flow, Follow, Placed, Start,
    placement::{Placement, Placements},
};
use tabiya_formats::{Ask, Remaining, Scratch, TimeSlice, View, error::Result, run_ordered};

use super::{Packed, packed};

/// Number of games in the sample, taken at even distances.
const SAMPLE_GAMES: usize = 1 << 16;
/// Number of games of one task.
const TASK_GAMES: usize = 1 << 10;
/// Number of concurrent tasks: all.
const TASKS: usize = SAMPLE_GAMES / TASK_GAMES;
/// Number of plies followed.
const SAMPLE_PLIES: usize = 40;
/// A position is taken if one in this many games has it,
const TAKEN_SHARE: usize = 2048;
/// or one in this many within the first plies, where rare move orders lead to structures that many
/// games have, for which visit sets exclude little.
const TAKEN_EARLY_SHARE: usize = 8192;
const EARLY_PLIES: usize = 10;
/// The rows of its tree are stored if one in this many games has it. Rarer positions have so few
/// games that decoding them is fast.
const READY_SHARE: usize = 1024;
/// The least number of sampled games for any of these shares.
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
    pub(super) packed: Vec<Packed>,
    /// The number of positions, from the first, with stored rows.
    pub(in super::super) ready: usize,
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
        let mut common = sample.common(ask)?;
        // Most common first; the key breaks ties.
        common.sort_unstable_by_key(|&(count, first)| (std::cmp::Reverse(count), first));
        common.truncate(POSITIONS_MAX);
        let mut positions = sample.placements(&common, ask)?;
        positions.retain(|(_, position)| position.men >= LEAST_MEN);
        let is_ready = |(count, _): &(usize, Placement)| *count >= sample.least(READY_SHARE);
        let ready = positions.partition_point(is_ready);
        let positions: Vec<Placement> = positions.into_iter().map(|(_, place)| place).collect();
        let games = view.game_count() as u32;
        Ok(Chosen::new_of(&positions, ready, games))
    }

    /// Creates the choice from positions by number, of which the first `ready` have stored rows.
    pub(super) fn new_of(positions: &[Placement], ready: usize, games: u32) -> Chosen {
        let wanted = |placement: &Placement| (*placement, Some(placement.turn));
        Chosen {
            placements: Placements::new(positions.iter().map(wanted)),
            packed: positions.iter().map(packed).collect(),
            ready,
            games,
        }
    }
}

/// The games of the sample.
struct Sample<V> {
    view: V,
    /// One in this many games is taken.
    distance: usize,
    games: usize,
}

impl<V: View> Sample<V> {
    fn new(view: V) -> Sample<V> {
        let distance = view.game_count().div_ceil(SAMPLE_GAMES).max(1);
        Sample {
            view,
            distance,
            games: view.game_count().div_ceil(distance),
        }
    }

    /// Returns the number of sampled games for a share of one in `share`.
    fn least(&self, share: usize) -> usize {
        (self.games / share).max(LEAST_GAMES)
    }

    /// Follows a game for some plies.
    fn follow(&self, number: usize, scratch: &mut Scratch, beginning: &mut Beginning) {
        beginning.positions.clear();
        if let Some(record) = self.view.records().get(number * self.distance) {
            // For a damaged game, the positions before the damage are used.
            let _ = self.view.main_line(record, scratch, beginning);
        }
    }

    fn sightings(&self, ask: Ask<'_>) -> Result<Vec<Sighting>> {
        let tasks = (0..self.games).step_by(TASK_GAMES).map(|start| {
            let end = self.games.min(start + TASK_GAMES);
            ((end, Vec::new()), end - start)
        });
        let work = |(end, seen): &mut (usize, Vec<Sighting>), left: &mut Remaining| {
            let (mut scratch, mut beginning) = (Scratch::default(), Beginning::new());
            seen.reserve(left.count() * SAMPLE_PLIES);
            for number in *end - left.count()..*end {
                self.follow(number, &mut scratch, &mut beginning);
                let positions = (0..).zip(&beginning.positions);
                seen.extend(positions.map(|(ply, position): (u128, _)| {
                    let key = u128::from(position.key_with_turn());
                    key << 32 | (number as u128) << 8 | ply
                }));
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
        let least = self.least(TAKEN_EARLY_SHARE).min(self.least(TAKEN_SHARE));
        sightings.retain(|&sighting| usize::from(counts[in_sieve(sighting)]) >= least.min(0xff));
        sightings.par_sort_unstable();
        Ok(sightings)
    }

    /// Returns the positions that many games have: how often they occurred, and where first.
    fn common(&self, ask: Ask<'_>) -> Result<Vec<(usize, Sighting)>> {
        let (taken, early) = (self.least(TAKEN_SHARE), self.least(TAKEN_EARLY_SHARE));
        let sightings = self.sightings(ask)?;
        let positions = sightings.chunk_by(|one, other| one >> 32 == other >> 32);
        let is_early = |sighting: &&Sighting| ply_of(**sighting) <= EARLY_PLIES;
        let common = positions
            .filter(|seen| {
                seen.len() >= taken
                    || seen.len() >= early && seen.iter().filter(is_early).count() >= early
            })
            .filter_map(|seen| Some((seen.len(), *seen.first()?)));
        Ok(common.collect())
    }

    /// Returns their counts and the positions themselves, by replaying their first games.
    fn placements(
        &self,
        common: &[(usize, Sighting)],
        ask: Ask<'_>,
    ) -> Result<Vec<(usize, Placement)>> {
        let (mut scratch, mut beginning) = (Scratch::default(), Beginning::new());
        let (mut placements, mut turn) = (Vec::with_capacity(common.len()), TimeSlice::begin());
        for &(count, first) in common {
            let number = (first >> 8 & 0xff_ffff) as usize;
            self.follow(number, &mut scratch, &mut beginning);
            let position = beginning.positions.get(ply_of(first));
            placements.extend(position.map(|position| (count, *position)));
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

/// Follows a game and records its first positions.
struct Beginning {
    standard: Placement,
    now: Placement,
    positions: Vec<Placement>,
}

impl Beginning {
    fn new() -> Beginning {
        let standard = Placement::at(Start::Standard);
        Beginning {
            standard,
            now: standard,
            positions: Vec::with_capacity(SAMPLE_PLIES),
        }
    }

    fn keep(&mut self) -> Flow {
        self.positions.push(self.now);
        if self.positions.len() < SAMPLE_PLIES {
            Flow::Continue(())
        } else {
            Flow::Break(())
        }
    }
}

impl Follow for Beginning {
    fn reset(&mut self) {
        self.positions.clear();
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.now = match start {
            Start::Standard => self.standard,
            custom => Placement::at(custom),
        };
        self.keep()
    }

    fn moved(&mut self, from: Placed, to: Placed) {
        self.now.shift(from, to);
    }

    fn remove(&mut self, gone: Placed) {
        self.now.remove(gone);
    }

    fn place(&mut self, new: Placed) {
        self.now.place(new);
    }

    fn ply_done(&mut self) -> Flow {
        self.now.pass();
        self.keep()
    }
}
