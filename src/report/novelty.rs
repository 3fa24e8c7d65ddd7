//! Where games leave what was known before.
//!
//! All positions of some hundred games are looked up in one pass over each base. For every position
//! the base's games are counted by date, between the dates of the games that ask: so the answer for
//! each of them is a sum, and the pass does not depend on how many ask for the same position.

use std::{
    borrow::Borrow,
    collections::HashMap,
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
};

use tabiya_chess::{
    Flow, GameId, Start,
    placement::{EachPlacement, Placement},
};
use tabiya_formats::{
    Header, Remaining, Scratch, View,
    error::{Error, Result},
    progress::Progress,
    run_ordered,
};

use super::positions::{Lookout, PositionIndex};
use crate::{
    database::{Database, Needs, with_view},
    progress::WithProgress,
    query::Query,
    search::{Report, Search},
};

/// Number of games whose positions are looked up in one pass: some million positions.
const TOGETHER: usize = 1 << 14;
/// Number of games of a base in one task.
const TASK_GAMES: usize = 1 << 13;
/// Number of concurrent tasks.
const TASKS: usize = 8;

/// A search for the first position of each game that no earlier game of a base had.
///
/// A position is the men on their squares and the side to move. Earlier are games whose date is
/// smaller, with unknown parts as 0; those of the same date are not. Main lines count, of the bases
/// also variations if that is [set](Novelties::variations).
///
/// ```
/// use tabiya::{Database, Novelties};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let games = Database::open("fixtures/famous.si4")?;
/// let base = [Database::open("fixtures/famous.si4")?];
/// let (novelties, _) = Novelties::new().run(&games, &base)?;
/// for novelty in novelties {
///     println!("game {} at ply {}", games.number(novelty.game), novelty.ply);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "a search does nothing until it is run"]
pub struct Novelties<'q> {
    query: Option<&'q Query>,
    variations: bool,
}

/// Where a game leaves what was known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Novelty {
    /// The game.
    pub game: GameId,
    /// The ply of its first position that no earlier game had; 0 if that is its start position.
    pub ply: u32,
    /// How many earlier games had the position before it.
    pub before: u32,
    /// The latest of these, by date, then by base and number: the index of its base, and the game.
    pub latest: Option<(usize, GameId)>,
}

impl<'q> Novelties<'q> {
    /// Creates a search for all games.
    pub fn new() -> Novelties<'q> {
        Novelties::default()
    }

    /// Restricts the games to those that match a query.
    pub fn query(mut self, query: &'q Query) -> Self {
        self.query = Some(query);
        self
    }

    /// Sets whether what variations of the bases have is known too, as in files of opening lines;
    /// the query searches variations then.
    pub fn variations(mut self, variations: bool) -> Self {
        self.variations = variations;
        self
    }

    /// Returns where games leave the bases, in the order of the games, with a report of the games
    /// played. Games without a date, games before which the bases have none, and games that never
    /// leave them are not among them. Plays every game of the bases once for 16 384 games.
    ///
    /// # Errors
    /// Those of a search; `LimitExceeded` for more than 4 096 bases. Damaged games count as far as
    /// they can be read.
    pub fn run(
        &self,
        games: &Database,
        bases: &[impl Borrow<Database>],
    ) -> Result<(Vec<Novelty>, Report)> {
        self.on_progress(Progress::ignore).run(games, bases)
    }

    /// Returns the same with a callback for its progress.
    pub fn on_progress<F: FnMut(Progress) -> Flow>(&self, progress: F) -> WithProgress<&Self, F> {
        WithProgress::new(self, progress)
    }
}

impl<F: FnMut(Progress) -> Flow> WithProgress<&Novelties<'_>, F> {
    /// Returns where games leave the bases. See [`Novelties::run`].
    ///
    /// # Errors
    /// Those of [`Novelties::run`]; `Interrupted` if the callback breaks.
    pub fn run(
        self,
        games: &Database,
        bases: &[impl Borrow<Database>],
    ) -> Result<(Vec<Novelty>, Report)> {
        let mut progress = self.progress;
        if bases.len() > BASES_MAX {
            return Err(Error::limit("the number of bases", BASES_MAX as u64));
        }
        let mut ids = Vec::new();
        let Novelties { query, variations } = *self.work;
        let mut report = Search::new(query.unwrap_or(&Query::All))
            .variations(variations)
            .for_all_games(games, |game| ids.push(game), &mut |at| progress(at))?;
        ids.sort_unstable();
        let mut found = Vec::new();
        for ids in ids.chunks(TOGETHER) {
            let asked = games.unchanged(|| {
                let opened = games.view(Needs::Moves, &mut progress)?;
                with_view!(opened, view => AskedPositions::of_games(games, view, ids, &mut report))
            })?;
            let seen = SeenPositions::new(&asked, variations);
            for (number, base) in bases.iter().map(Borrow::borrow).enumerate() {
                base.unchanged(|| {
                    with_view!(base.view(Needs::Moves, &mut progress)?, view => {
                        seen.look_through(base, view, number, &mut progress, &mut report)
                    })
                })?;
            }
            found.extend(seen.novelties());
        }
        Ok((found, report))
    }
}

/// A rank of a game: its date in bits 44 and up, its base from bit 32 on, its index below.
type Rank = u64;

const DATE_SHIFT: u32 = 44;
const BASE_SHIFT: u32 = 32;
const BASES_MAX: usize = 1 << (DATE_SHIFT - BASE_SHIFT);

/// The games that ask, and their positions, each once.
struct AskedPositions {
    games: Vec<Asking>,
    positions: Vec<Placement>,
}

/// A game that asks.
struct Asking {
    game: GameId,
    /// Packed, so that later dates are greater.
    date: u32,
    /// The numbers of its positions, by ply.
    path: Vec<u32>,
}

impl AskedPositions {
    fn of_games<V: View>(
        database: &Database,
        view: V,
        ids: &[GameId],
        report: &mut Report,
    ) -> Result<AskedPositions> {
        if !ids.is_empty() {
            database.require_games()?;
        }
        let mut asked = AskedPositions {
            games: Vec::new(),
            positions: Vec::new(),
        };
        let mut numbers: HashMap<u64, Vec<u32>> = HashMap::new();
        let standard = Placement::at(Start::Standard);
        let (mut places, mut scratch) = (Vec::new(), Scratch::default());
        let mut damaged = Vec::new();
        let _ = view.for_each_touched(ids, |game, record| {
            let date = record.date();
            if date.is_unknown() {
                return Flow::Continue(());
            }
            places.clear();
            let mut course = EachPlacement::new(standard, |place| {
                places.push(*place);
                Flow::Continue(())
            });
            if let Err(damage) = view.main_line(record, &mut scratch, &mut course) {
                damaged.push(database.damaged(game, record, damage));
            }
            let path = places.iter().map(|place| {
                let alike = numbers.entry(place.key_with_turn()).or_default();
                let is_same = |&&number: &&u32| {
                    let other = &asked.positions[number as usize];
                    (other.squares, other.turn) == (place.squares, place.turn)
                };
                if let Some(&known) = alike.iter().find(is_same) {
                    return known;
                }
                let number = asked.positions.len() as u32;
                alike.push(number);
                asked.positions.push(*place);
                number
            });
            let path = path.collect();
            asked.games.push(Asking {
                game,
                date: date.packed(),
                path,
            });
            Flow::Continue(())
        });
        report.add_damaged(damaged);
        Ok(asked)
    }
}

/// What the bases had, by position and by the dates of the games that ask.
struct SeenPositions<'a> {
    asked: &'a AskedPositions,
    wanted: PositionIndex,
    /// By position: where its dates begin, and a last entry for the end of all.
    starts: Vec<usize>,
    /// The dates of the games that ask, ascending for each position.
    dates: Vec<u32>,
    /// For each of these dates: the games with the position that are earlier than it but not than
    /// the one before it.
    counts: Vec<AtomicU32>,
    /// The greatest rank of these games, plus one; 0 if there are none.
    latest: Vec<AtomicU64>,
    /// The earliest date of any game of the bases.
    first_date: AtomicU32,
    variations: bool,
}

impl<'a> SeenPositions<'a> {
    fn new(asked: &'a AskedPositions, variations: bool) -> SeenPositions<'a> {
        let mut by_position: Vec<(u32, u32)> = Vec::new();
        for asking in &asked.games {
            let positions = asking.path.iter();
            by_position.extend(positions.map(|&position| (position, asking.date)));
        }
        by_position.sort_unstable();
        by_position.dedup();
        let positions = 0..=asked.positions.len() as u32;
        let start = |position| by_position.partition_point(|&(other, _)| other < position);
        let placements = asked.positions.iter();
        SeenPositions {
            asked,
            wanted: PositionIndex::of_placements(
                placements.map(|place| (*place, Some(place.turn))),
            ),
            starts: positions.map(start).collect(),
            counts: by_position.iter().map(|_| AtomicU32::new(0)).collect(),
            latest: by_position.iter().map(|_| AtomicU64::new(0)).collect(),
            dates: by_position.into_iter().map(|(_, date)| date).collect(),
            first_date: AtomicU32::new(u32::MAX),
            variations,
        }
    }

    /// Plays all games of a base.
    fn look_through<V: View>(
        &self,
        base: &Database,
        view: V,
        number: usize,
        progress: &mut dyn FnMut(Progress) -> Flow,
        report: &mut Report,
    ) -> Result<()> {
        base.require_games()?;
        let total = view.game_count();
        let tasks = (0..total).step_by(TASK_GAMES).map(|start| {
            let end = total.min(start + TASK_GAMES);
            let task = Task {
                seen: self,
                lookout: Lookout::new(&self.wanted),
                scratch: Scratch::default(),
                end,
                damaged: Vec::new(),
            };
            (task, end - start)
        });
        let work = |task: &mut Task<'_>, left: &mut Remaining| task.work(base, view, number, left);
        let deliver = |task: &mut Task<'_>, left| {
            if left == 0 {
                report.add_damaged(std::mem::take(&mut task.damaged));
            }
            Ok(())
        };
        let ask = &mut |done| progress(Progress::of(done, total as u64));
        run_ordered(tasks, TASKS, work, deliver, ask)?;
        report.decoded += total as u64;
        Ok(())
    }

    /// Counts a game of a base for a position that it had.
    fn count(&self, position: usize, date: u32, rank: Rank) {
        let (start, end) = (self.starts[position], self.starts[position + 1]);
        let later = self.dates[start..end].partition_point(|&asking| asking <= date);
        if start + later < end {
            self.counts[start + later].fetch_add(1, Ordering::Relaxed);
            self.latest[start + later].fetch_max(rank + 1, Ordering::Relaxed);
        }
    }

    /// Returns how many games earlier than a date had a position, and the latest of them.
    fn before(&self, position: u32, date: u32) -> (u32, Option<Rank>) {
        let start = self.starts[position as usize];
        let end = self.starts[position as usize + 1];
        let until = start + self.dates[start..end].partition_point(|&asking| asking <= date);
        let counts = self.counts[start..until].iter();
        let count = counts.map(|count| count.load(Ordering::Relaxed)).sum();
        let latest = self.latest[start..until].iter();
        let latest = latest.map(|rank| rank.load(Ordering::Relaxed)).max();
        (count, latest.and_then(|rank| rank.checked_sub(1)))
    }

    fn novelties(&self) -> impl Iterator<Item = Novelty> {
        let first_date = self.first_date.load(Ordering::Relaxed);
        let games = self.asked.games.iter();
        games
            .filter(move |asking| first_date < asking.date)
            .filter_map(|asking| self.novelty(asking))
    }

    fn novelty(&self, asking: &Asking) -> Option<Novelty> {
        let is_new = |&position: &u32| self.before(position, asking.date).0 == 0;
        let ply = asking.path.iter().position(is_new)?;
        let (before, latest) = match ply.checked_sub(1) {
            Some(ply) => self.before(asking.path[ply], asking.date),
            None => (0, None),
        };
        let game_of = |rank: Rank| {
            let base = (rank >> BASE_SHIFT) as usize % BASES_MAX;
            (base, GameId(rank as u32))
        };
        Some(Novelty {
            game: asking.game,
            ply: ply as u32,
            before,
            latest: latest.map(game_of),
        })
    }
}

/// A range of the games of a base.
struct Task<'a> {
    seen: &'a SeenPositions<'a>,
    lookout: Lookout<'a>,
    scratch: Scratch,
    /// The index after its last game.
    end: usize,
    damaged: Vec<Error>,
}

impl Task<'_> {
    /// Plays the remaining games.
    fn work<V: View>(&mut self, base: &Database, view: V, number: usize, left: &mut Remaining) {
        let games = (self.end - left.count()..self.end).map(|game| GameId(game as u32));
        let games: Vec<GameId> = games.collect();
        let _ = view.for_each_touched(&games, |game, record| {
            if !record.is_game() {
                return left.done(1);
            }
            let date = record.date().packed();
            self.seen.first_date.fetch_min(date, Ordering::Relaxed);
            self.lookout.begin(0);
            let (scratch, lookout) = (&mut self.scratch, &mut self.lookout);
            let played = if self.seen.variations {
                lookout.look_in_all_lines();
                view.tree(record, scratch, lookout)
            } else {
                view.main_line(record, scratch, lookout).map(|_| ())
            };
            if let Err(damage) = played {
                self.damaged.push(base.damaged(game, record, damage));
            }
            let rank =
                u64::from(date) << DATE_SHIFT | (number as u64) << BASE_SHIFT | u64::from(game.0);
            for &position in self.lookout.found() {
                self.seen.count(position, date, rank);
            }
            left.done(1)
        });
    }
}
