//! Which games repeat others, in one database or several, and which of them are kept.
//!
//! # The rule
//!
//! Two games are the same if all of this holds:
//!
//! * **Players.** Both players of both games are named, and the names [fit](crate::report::person):
//!   the surname is the same, the first names are compatible.
//! * **Moves.** They start from the same position, and their moves are equal, or those of the one
//!   begin those of the other and are at least [`BEGINNING_PLIES_MIN`] plies.
//! * **Date.** The parts that are known of both are equal.
//! * **Result.** They are equal, or one is unknown (`*`).
//!
//! Event, site, round and ratings do not count: these differ most between sources. Games marked as
//! deleted and texts take no part.
//!
//! If only moves count, the games have at least [`MOVES_ONLY_PLIES_MIN`] plies and equal moves.
//!
//! # How they are found
//!
//! The first plies of each game that takes part give a number, so that only games with the same
//! one are compared. Of those, only games that share surnames are decoded whole. Of databases that
//! are only looked up, games are decoded only if they share surnames with a game that is asked
//! about, and date and result fit.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicU64, Ordering},
};

use rayon::prelude::*;
use tabiya_chess::{Flow, Follow, GameId};
use tabiya_formats::{Ask, View, check_interrupt, error::Result, progress::Progress};

use super::{
    BEGINNING_PLIES_MIN, RECORDS_PER_LOOK,
    family::{self, Judge, Line},
    first_wave,
    likeness::{Entry, Score},
    lines::decode,
    moves::{Beginning, MoveList, Moves},
    players::{Players, Surnames},
    repeat::{Located, Repeat, Repeats},
};
use crate::{
    database::{Database, Needs, with_view},
    limits::DAMAGED_LISTED_MAX,
    progress::WithProgress,
};

/// Least number of plies of games that are the same by their moves only.
pub(super) const MOVES_ONLY_PLIES_MIN: usize = 40;

/// A search for games that are there more than once.
///
/// Two games are the same if the names of their players fit (capitals, accents, order, initials
/// and titles do not count, umlauts may be written `ue`), one's moves are the other's or at least
/// 20 plies that begin them, and what is known of dates and results is equal. Both players must be
/// named. Games marked as deleted take no part.
///
/// Of games that are the same the better one is kept: the longer; of equally long ones the one with
/// more comments, variations and marks of moves; then the one with more of date, event, site, round
/// and result; then the one with more ratings; then the first.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tabiya::{Database, Dedupe};
///
/// let base = Database::open("fixtures/famous.si4")?;
/// let more = Database::open("fixtures/famous.pgn")?;
/// let found = Dedupe::new().run(&[&base, &more])?;
/// // In four of the 91 games a player has no name.
/// assert_eq!(found.repeats.len(), 87);
///
/// // Which games of the one does the other have?
/// let found = Dedupe::new().against(&[&base]).run(&[&more])?;
/// assert_eq!(found.games(0).len(), 87);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "nothing is searched until it is run"]
pub struct Dedupe<'d> {
    known: Vec<&'d Database>,
    moves_only: bool,
    keeps_first: bool,
}

impl<'d> Dedupe<'d> {
    /// Creates a search by the rule.
    pub fn new() -> Dedupe<'d> {
        Dedupe::default()
    }

    /// Looks for the games in these databases too, of which none is listed and all are kept.
    pub fn against(mut self, databases: &[&'d Database]) -> Self {
        self.known = databases.to_vec();
        self
    }

    /// Whether only start and moves count: all moves, at least 40 plies.
    pub fn moves_only(mut self, moves_only: bool) -> Self {
        self.moves_only = moves_only;
        self
    }

    /// Whether the first game is kept, not the better one. That saves reading annotations.
    pub fn keep_first(mut self, keep_first: bool) -> Self {
        self.keeps_first = keep_first;
        self
    }

    /// Returns the same with a callback for its progress.
    pub fn on_progress<F: FnMut(Progress) -> Flow>(&self, progress: F) -> WithProgress<&Self, F> {
        WithProgress::new(self, progress)
    }

    /// Finds the games of some databases that repeat one that is kept. Nothing is changed.
    ///
    /// Memory is O(games): 16 bytes for each that takes part, names, and the moves of games that
    /// are compared. Work runs in the caller's current rayon pool.
    ///
    /// # Errors
    /// `Missing` without a games file, or without names if they count; `Changed` if another program
    /// changes a database. A damaged game is not an error: it is listed.
    pub fn run(&self, databases: &[&'d Database]) -> Result<Repeats> {
        self.on_progress(Progress::ignore).run(databases)
    }
}

impl<'d, F: FnMut(Progress) -> Flow> WithProgress<&Dedupe<'d>, F> {
    /// Finds the games that repeat one that is kept. See [`Dedupe::run`].
    ///
    /// # Errors
    /// Those of [`Dedupe::run`]; `Interrupted` if the callback breaks.
    pub fn run(self, databases: &[&'d Database]) -> Result<Repeats> {
        let (options, mut progress) = (self.work, self.progress);
        let all: Vec<&Database> = databases.iter().chain(&options.known).copied().collect();
        for database in &all {
            database.require_games()?;
            database.check_unchanged()?;
            let _ = database.view(Needs::Moves, &mut progress)?;
        }
        let found = Finder::new(options, &all, databases.len())
            .and_then(|mut finder| finder.find(&mut progress));
        all.iter()
            .try_for_each(|database| database.check_unchanged())?;
        found
    }
}

/// A game with the number of its beginning.
type Numbered = (u64, Located32);

/// A [`Located`] of half its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Located32 {
    database: u32,
    game: GameId,
}

impl From<Located32> for Located {
    fn from(at: Located32) -> Located {
        Located {
            database: at.database as usize,
            game: at.game,
        }
    }
}

/// By the surnames of the players, what is known of games that are asked about.
type Wanted = HashMap<(u32, u32), Vec<Entry>>;

struct Finder<'f> {
    options: &'f Dedupe<'f>,
    databases: &'f [&'f Database],
    /// Number of databases that are searched; the others are only looked up.
    searched: usize,
    /// By database; empty if only moves count.
    players: Vec<Players>,
    found: Repeats,
}

impl<'f> Finder<'f> {
    fn new(
        options: &'f Dedupe<'_>,
        databases: &'f [&'f Database],
        searched: usize,
    ) -> Result<Finder<'f>> {
        let mut surnames = Surnames::default();
        let names = databases.iter().enumerate();
        let players = names
            .filter(|_| !options.moves_only)
            .map(|(place, database)| surnames.players(database, place < searched));
        Ok(Finder {
            options,
            databases,
            searched,
            players: players.collect::<Result<_>>()?,
            found: Repeats::default(),
        })
    }

    fn find(&mut self, progress: &mut dyn FnMut(Progress) -> Flow) -> Result<Repeats> {
        let games = self.number(progress)?;
        let seen = games.len() as u64;
        let buckets: Vec<&[Numbered]> = games
            .chunk_by(|(one, _), (other, _)| one == other)
            .filter(|bucket| bucket.len() > 1)
            .collect();
        let candidates: Vec<Vec<Located>> = buckets
            .into_par_iter()
            .filter_map(|bucket| self.sharing_surnames(bucket))
            .collect();
        let total = seen
            + candidates
                .iter()
                .map(|games| games.len() as u64)
                .sum::<u64>();
        let mut rest = &candidates[..];
        while !rest.is_empty() {
            let (wave, later) = first_wave(rest);
            rest = later;
            let done = seen + self.found.decoded;
            self.compare(wave, &mut |more| progress(Progress::of(done + more, total)))?;
        }
        let mut found = std::mem::take(&mut self.found);
        found.repeats.sort_unstable_by_key(|repeat| repeat.game);
        Ok(found)
    }

    /// Returns the games that take part, sorted by the number of their beginning.
    fn number(&mut self, progress: &mut dyn FnMut(Progress) -> Flow) -> Result<Vec<Numbered>> {
        let mut wanted = Wanted::new();
        let mut parts: Vec<(u32, Vec<GameId>)> = Vec::new();
        for place in 0..self.databases.len() {
            let ask = &mut || progress(Progress::of(0, 1));
            let (games, unnamed) = self.taking_part(place, &wanted, ask)?;
            self.found.unnamed += unnamed;
            if place < self.searched && self.searched < self.databases.len() {
                self.want(place, &games, &mut wanted);
            }
            parts.push((place as u32, games));
        }
        let total = parts.iter().map(|(_, games)| games.len() as u64).sum();
        let mut numbered = Vec::with_capacity(parts.iter().map(|(_, games)| games.len()).sum());
        let plies = if self.options.moves_only {
            MOVES_ONLY_PLIES_MIN
        } else {
            BEGINNING_PLIES_MIN
        };
        let mut done = 0;
        for (database, games) in parts {
            let before = done;
            let ask = &mut |more| progress(Progress::of(before + more, total));
            let read = self.decode(
                database as usize,
                &games,
                || Beginning::new(plies),
                Beginning::finish,
                ask,
            )?;
            done += games.len() as u64;
            for (game, beginning) in games.into_iter().zip(read) {
                match beginning {
                    Some((number, length)) if !self.options.moves_only || length == plies => {
                        numbered.push((number, Located32 { database, game }));
                    }
                    _ => {}
                }
            }
        }
        numbered.par_sort_unstable();
        Ok(numbered)
    }

    /// Returns the games of a database that take part. Those of one that is only looked up share
    /// surnames with a game that is wanted, and date and result may be the same. Also returns how
    /// many games of one that is searched do not because a player is not named.
    ///
    /// # Errors
    /// `Interrupted` if `ask` breaks.
    fn taking_part(
        &self,
        place: usize,
        wanted: &Wanted,
        ask: Ask<'_>,
    ) -> Result<(Vec<GameId>, u64)> {
        let is_searched = place < self.searched;
        let unnamed = AtomicU64::new(0);
        let takes_part = |entry: Entry| {
            let Some(players) = self.players.get(place) else {
                return true;
            };
            let mut fits = players
                .surnames(entry.players)
                .map(|pair| wanted.get(&pair));
            if is_searched {
                let are_named = entry.players.iter().all(|&player| players.is_named(player));
                unnamed.fetch_add((!are_named).into(), Ordering::Relaxed);
                are_named
            } else {
                fits.any(|games| {
                    games.is_some_and(|games| games.iter().any(|one| one.may_be(&entry)))
                })
            }
        };
        with_view!(self.databases[place].tags(), view => {
            let mut games = Vec::new();
            let starts = (0u32..).step_by(RECORDS_PER_LOOK);
            for (start, records) in starts.zip(view.records().chunks(RECORDS_PER_LOOK)) {
                let numbered = (start..start + records.len() as u32).into_par_iter().zip(records);
                games.par_extend(numbered.filter_map(|(game, record)| {
                    let entry = Entry::new(record);
                    (entry.counts && takes_part(entry)).then_some(GameId(game))
                }));
                check_interrupt(ask)?;
            }
            Ok((games, unnamed.into_inner()))
        })
    }

    /// Records the games of a database that are looked for in others.
    fn want(&self, place: usize, games: &[GameId], wanted: &mut Wanted) {
        let Some(players) = self.players.get(place) else {
            return;
        };
        for &game in games {
            let entry = Entry::of(self.databases[place], game);
            for pair in players.surnames(entry.players) {
                wanted.entry(pair).or_default().push(entry);
            }
        }
    }

    /// Returns the games of a bucket that share surnames with another one, if a game that is
    /// searched for is among them.
    fn sharing_surnames(&self, bucket: &[Numbered]) -> Option<Vec<Located>> {
        let all = bucket.iter().map(|&(_, at)| Located::from(at));
        let has_searched = |games: &[Located]| games.iter().any(|at| at.database < self.searched);
        let mut games: Vec<Located> = all.collect();
        if games.len() > 1 && has_searched(&games) && !self.players.is_empty() {
            let mut counts: HashMap<(u32, u32), u32> = HashMap::new();
            let pairs = |at: &Located| {
                let entry = Entry::of(self.databases[at.database], at.game);
                let mut pairs: Vec<_> = self.players[at.database].surnames(entry.players).collect();
                pairs.sort_unstable();
                pairs.dedup();
                pairs
            };
            for pair in games.iter().flat_map(pairs) {
                *counts.entry(pair).or_default() += 1;
            }
            games.retain(|at| pairs(at).iter().any(|pair| counts[pair] > 1));
        }
        (games.len() > 1 && has_searched(&games)).then_some(games)
    }

    /// Decodes games of a database and returns what `finish` makes of each; `None` if it is
    /// damaged, which is recorded.
    ///
    /// # Errors
    /// `Interrupted` if `ask` breaks.
    fn decode<W: Follow, T: Send>(
        &mut self,
        place: usize,
        games: &[GameId],
        follower: impl Fn() -> W + Sync,
        finish: impl Fn(W) -> T + Sync,
        ask: &mut dyn FnMut(u64) -> Flow,
    ) -> Result<Vec<Option<T>>> {
        let database = self.databases[place];
        with_view!(database.tags(), view => {
            let read = decode(view, games, follower, finish, ask)?;
            let sound = games.iter().zip(read).map(|(&game, (made, decoded))| match decoded {
                Ok(_) => Some(made),
                Err(damage) => {
                    self.found.damaged += 1;
                    if self.found.damaged_games.len() < DAMAGED_LISTED_MAX {
                        let damaged = database.damaged(game, view.record(game), damage);
                        self.found.damaged_games.push(damaged);
                    }
                    None
                }
            });
            Ok(sound.collect())
        })
    }

    /// Compares the games of each group, and records which repeat others.
    ///
    /// # Errors
    /// `Interrupted` if `ask` breaks.
    fn compare(&mut self, groups: &[Vec<Located>], ask: &mut dyn FnMut(u64) -> Flow) -> Result<()> {
        let all = groups.iter().flatten();
        let mut lines: Vec<Option<MoveList>> = all.clone().map(|_| None).collect();
        let mut done = 0;
        for place in 0..self.databases.len() {
            let of_database = all
                .clone()
                .enumerate()
                .filter(|(_, at)| at.database == place);
            let (places, games): (Vec<usize>, Vec<GameId>) =
                of_database.map(|(index, at)| (index, at.game)).unzip();
            let ask = &mut |more| ask(done + more);
            let read = self.decode(place, &games, Moves::default, Moves::finish, ask)?;
            for (index, line) in places.into_iter().zip(read) {
                lines[index] = line;
            }
            done += games.len() as u64;
        }
        self.found.decoded += done;
        let mut lines = lines.into_iter();
        let families: Vec<Vec<Line>> = groups
            .iter()
            .map(|games| {
                // The games first: they end without taking a line of the next group.
                let read = games.iter().zip(lines.by_ref());
                read.filter_map(|(&at, line)| Some((line?, at))).collect()
            })
            .collect();
        let plies_min = if self.options.moves_only {
            // No beginning is enough.
            u32::MAX as usize
        } else {
            BEGINNING_PLIES_MIN
        };
        let this = &*self;
        let repeats = families.into_par_iter().flat_map_iter(|mut lines| {
            lines.sort_unstable();
            family::repeats(&lines, plies_min, this)
        });
        let repeats: Vec<Repeat> = repeats.collect();
        self.found.repeats.extend(repeats);
        Ok(())
    }
}

impl Judge for Finder<'_> {
    fn are_same(&self, one: Located, other: Located) -> bool {
        let entry = |at: Located| Entry::of(self.databases[at.database], at.game);
        if self.players.is_empty() {
            return true;
        }
        let (first, second) = (entry(one), entry(other));
        let (players, others) = (&self.players[one.database], &self.players[other.database]);
        let mut pairs = first.players.into_iter().zip(second.players);
        first.may_be(&second) && pairs.all(|(id, other)| players.are_same(id, others, other))
    }

    fn score(&self, game: Located, plies: usize) -> Score {
        if self.options.keeps_first {
            Score::default()
        } else {
            Score::of(self.databases[game.database], game.game, plies)
        }
    }

    fn is_known(&self, game: Located) -> bool {
        game.database >= self.searched
    }
}
