//! Which positions are worth their place: those that many games of a sample have.

use rayon::prelude::*;

use super::{Packed, packed};
use crate::{
    chess::{
        Flow, Follow, Placed, Start,
        placement::{Placement, Placements},
    },
    error::Result,
    format::{Ask, Left, Scratch, Turn, View, in_turns},
};

/// Games that are looked at, at even distances.
const SAMPLE_GAMES: usize = 1 << 16;
/// Games of one task.
const TASK_GAMES: usize = 1 << 10;
/// Tasks at work together: all.
const TASKS: usize = SAMPLE_GAMES / TASK_GAMES;
/// How far they are followed.
const SAMPLE_PLIES: usize = 40;
/// A position is taken if one of so many games has it,
const TAKEN_SHARE: usize = 2048;
/// or one of so many within the first plies, where rare orders of moves lead into structures
/// that many games have, of which visit sets exclude little.
const TAKEN_EARLY_SHARE: usize = 8192;
const EARLY_PLIES: usize = 10;
/// The rows of its tree are kept ready if one of so many has it. Of rarer ones the games are so
/// few that they are soon decoded.
const READY_SHARE: usize = 1024;
/// With fewer games than this nothing is worth it.
const LEAST_GAMES: usize = 8;
/// Positions with fewer men are not taken: there are not many, and without them the rest of a
/// game need not be compared.
pub(super) const LEAST_MEN: u32 = 26;
/// Positions at most.
pub(super) const POSITIONS_MAX: usize = 1 << 15;

/// The positions whose games are collected.
pub(in super::super) struct Chosen {
    pub(super) placements: Placements,
    /// The positions by number.
    pub(super) packed: Vec<Packed>,
    /// Those of the first so many have the rows of their trees ready.
    pub(in super::super) ready: usize,
    /// How many games there were when they were chosen.
    pub(in super::super) games: u32,
}

/// A position of a sampled game: the highest 64 bits are its key, then 24 the game's number in
/// the sample and 8 the ply, so that all with the same key come together, the first game's first.
type Sighting = u128;

impl Chosen {
    /// Chooses from a sample. The choice depends on the games alone.
    ///
    /// # Errors
    /// `Interrupted` when `ask` breaks.
    pub(in super::super) fn new<V: View>(view: V, ask: Ask<'_>) -> Result<Chosen> {
        let sample = Sample::new(view);
        let mut common = sample.common(ask)?;
        // The commonest first; the key decides between equals.
        common.sort_unstable_by_key(|&(count, first)| (std::cmp::Reverse(count), first));
        common.truncate(POSITIONS_MAX);
        let mut positions = sample.placements(&common, ask)?;
        positions.retain(|(_, position)| position.men >= LEAST_MEN);
        let is_ready = |(count, _): &(usize, Placement)| *count >= sample.least(READY_SHARE);
        let ready = positions.partition_point(is_ready);
        let positions: Vec<Placement> = positions.into_iter().map(|(_, place)| place).collect();
        let games = view.records().len() as u32;
        Ok(Chosen::new_of(&positions, ready, games))
    }

    /// Takes positions by number, of which the first `ready` have the rows of their trees ready.
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

/// The games that are looked at.
struct Sample<V> {
    view: V,
    /// One of so many games is taken.
    distance: usize,
    games: usize,
}

impl<V: View> Sample<V> {
    fn new(view: V) -> Sample<V> {
        let distance = view.records().len().div_ceil(SAMPLE_GAMES).max(1);
        Sample {
            view,
            distance,
            games: view.records().len().div_ceil(distance),
        }
    }

    /// Returns how many games of the sample are one of so many.
    fn least(&self, share: usize) -> usize {
        (self.games / share).max(LEAST_GAMES)
    }

    /// Follows a game for some plies.
    fn follow(&self, number: usize, scratch: &mut Scratch, beginning: &mut Beginning) {
        beginning.positions.clear();
        if let Some(record) = self.view.records().get(number * self.distance) {
            // Of a damaged game what comes before the damage will do.
            let _ = self.view.main_line(record, scratch, beginning);
        }
    }

    fn sightings(&self, ask: Ask<'_>) -> Result<Vec<Sighting>> {
        let tasks = (0..self.games).step_by(TASK_GAMES).map(|start| {
            let end = self.games.min(start + TASK_GAMES);
            ((end, Vec::new()), end - start)
        });
        let work = |(end, seen): &mut (usize, Vec<Sighting>), left: &mut Left| {
            let (mut scratch, mut beginning) = (Scratch::default(), Beginning::new());
            seen.reserve(left.len() * SAMPLE_PLIES);
            for number in *end - left.len()..*end {
                self.follow(number, &mut scratch, &mut beginning);
                let positions = (0..).zip(&beginning.positions);
                seen.extend(positions.map(|(ply, position): (u128, _)| {
                    let key = u128::from(position.key_with_turn());
                    key << 32 | (number as u128) << 8 | ply
                }));
                if left.pass(1).is_break() {
                    break;
                }
            }
        };
        let mut sightings = Vec::new();
        let deliver = |(_, seen): &mut (usize, Vec<Sighting>), _| {
            sightings.append(seen);
            Ok(())
        };
        in_turns(tasks, TASKS, work, deliver, &mut |_| ask())?;
        // Most positions come but once. What shares some bits of its key with too few others
        // need not be sorted.
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

    /// Returns the positions that many games have: how often they came, and where first.
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

    /// Returns how often they came, and the positions themselves, by playing their first games
    /// again.
    fn placements(
        &self,
        common: &[(usize, Sighting)],
        ask: Ask<'_>,
    ) -> Result<Vec<(usize, Placement)>> {
        let (mut scratch, mut beginning) = (Scratch::default(), Beginning::new());
        let (mut placements, mut turn) = (Vec::with_capacity(common.len()), Turn::begin());
        for &(count, first) in common {
            let number = (first >> 8 & 0xff_ffff) as usize;
            self.follow(number, &mut scratch, &mut beginning);
            let position = beginning.positions.get(ply_of(first));
            placements.extend(position.map(|position| (count, *position)));
            turn.give_way(ask)?;
        }
        Ok(placements)
    }
}

/// Bits of keys by which sightings are counted before they are sorted.
const SIEVE_BITS: u32 = 20;

fn in_sieve(sighting: Sighting) -> usize {
    (sighting >> 32) as usize & ((1 << SIEVE_BITS) - 1)
}

fn ply_of(sighting: Sighting) -> usize {
    (sighting & 0xff) as usize
}

/// Follows a game for its first positions.
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
    fn forget(&mut self) {
        self.positions.clear();
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.now = match start {
            Start::Standard => self.standard,
            custom => Placement::at(custom),
        };
        self.keep()
    }

    fn shift(&mut self, from: Placed, to: Placed) {
        self.now.shift(from, to);
    }

    fn remove(&mut self, gone: Placed) {
        self.now.remove(gone);
    }

    fn place(&mut self, new: Placed) {
        self.now.place(new);
    }

    fn look(&mut self) -> Flow {
        self.now.pass();
        self.keep()
    }
}
