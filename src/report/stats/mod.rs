//! Statistics of games from one pass over their index records.
//!
//! [`mod@count`] adds up by year, code, name and length; here the sums are converted to the public
//! result. Only games whose records do not have their length are decoded.
//!
//! One file because the public types and the sums that become them correspond field by field.

mod count;
pub(super) mod openings;

use std::{
    borrow::Cow,
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

use rayon::prelude::*;
use tabiya_chess::{
    Eco, Flow, GameId, GameResult, NameId, NameKind, Tally,
    follow::Ignore,
    tally::ratio,
    text::{decode, folded},
};
use tabiya_formats::{
    Header as _, Remaining, Scratch, View, error::Result, names::NameList, progress::Progress,
    run_ordered,
};

use self::count::{Counts, PlayerSum, Sum};
use crate::{
    database::{Database, with_view},
    filter::{GameSet, names::is_absent},
    report::names::task_len,
};

/// Games measured per task.
const TASK_GAMES: usize = 1 << 10;
/// Concurrent tasks.
const TASKS: usize = 16;

/// The distribution of the lengths of games, as far as known. A game of more than 65 535 plies
/// counts as one of 65 535.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct Lengths {
    /// Mean number of plies; `None` without games.
    pub mean_plies: Option<f64>,
    /// Median number of plies, the mean of the middle two for an even number of games; `None`
    /// without games.
    pub median_plies: Option<f64>,
    /// Games by tens of full moves, rounded up: the entry for `20` has the games with 20 to 29
    /// moves. Entries without games are left out.
    pub by_ten_moves: BTreeMap<u32, Tally>,
    /// Games of unknown length, because they are damaged or their file is missing. They are not
    /// counted above.
    pub unknown: u32,
}

/// Mean ratings. Each is `None` when no game has such ratings.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MeanRatings {
    /// Of White, over the games where White has one.
    pub white: Option<f64>,
    /// Of Black, over the games where Black has one.
    pub black: Option<f64>,
    /// Of both players, over all ratings in all games.
    pub all: Option<f64>,
}

/// A player and the results of the games that were counted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct PlayerStats {
    /// The player's ID, see [`Database::name_of`]; for several databases, that in the first one
    /// with the player.
    pub id: NameId,
    /// The player's name.
    pub name: String,
    /// The games as White.
    pub as_white: Tally,
    /// The games as Black; results are those of the games, so a win of White is a loss.
    pub as_black: Tally,
    /// Number of games in both, because White and Black have this name.
    pub against_oneself: u32,
}

impl PlayerStats {
    /// Returns the number of games that the player played.
    #[must_use]
    pub fn games(&self) -> u32 {
        self.as_white.games() + self.as_black.games() - self.against_oneself
    }

    /// Returns the player's score, 0.0 to 1.0, in the games with a result; `None` if there are
    /// none.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        let [white, black] = [&self.as_white, &self.as_black];
        let wins = white.count(GameResult::WhiteWins) + black.count(GameResult::BlackWins);
        let draws = white.count(GameResult::Draw) + black.count(GameResult::Draw);
        let finished = u64::from(white.finished()) + u64::from(black.finished());
        ratio(2 * u64::from(wins) + u64::from(draws), 2 * finished)
    }
}

/// An event and its games.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct EventStats {
    /// The event's ID, see [`Database::name_of`]; for several databases, that in the first one with
    /// the event.
    pub id: NameId,
    /// The event's name.
    pub name: String,
    /// The games.
    pub games: Tally,
}

/// Options of [`Database::stats`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "options count nothing by themselves"]
pub struct StatsOptions {
    eco_depth: usize,
    top: usize,
}

impl StatsOptions {
    /// Creates the defaults: openings by letter, ten players and ten events.
    pub fn new() -> StatsOptions {
        StatsOptions::default()
    }

    /// Number of characters of the opening codes by which games are grouped, clamped to 1 to 5.
    pub fn eco_depth(mut self, eco_depth: usize) -> Self {
        self.eco_depth = eco_depth;
        self
    }

    /// Greatest number of players and of events to list.
    pub fn top(mut self, top: usize) -> Self {
        self.top = top;
        self
    }
}

impl Default for StatsOptions {
    fn default() -> StatsOptions {
        StatsOptions {
            eco_depth: 1,
            top: 10,
        }
    }
}

/// Statistics of some games.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tabiya::{Database, GameSet, StatsOptions};
///
/// let database = Database::open("fixtures/famous.si4")?;
/// let stats = database.stats(&GameSet::all(database.len()), &StatsOptions::new().top(3))?;
/// for player in &stats.players {
///     println!("{} {} games", player.name, player.games());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct Stats {
    /// All the games.
    pub total: Tally,
    /// Games by year, without those of unknown year.
    pub years: BTreeMap<u16, Tally>,
    /// Games in which both players are rated, by mean rating in hundreds: the entry for `2400` is
    /// 2400 to 2499.
    pub ratings: BTreeMap<u16, Tally>,
    /// Games by opening code, truncated to the wanted number of characters, without games that have
    /// no code. Shorter codes are kept as they are.
    pub openings: BTreeMap<String, Tally>,
    /// The lengths of the games.
    pub lengths: Lengths,
    /// The mean ratings.
    pub mean_ratings: MeanRatings,
    /// The players with most games, ties in alphabetical order. Names that are empty or `?` are
    /// left out; empty if the names cannot be read.
    pub players: Vec<PlayerStats>,
    /// The events with most games, under the same rules.
    pub events: Vec<EventStats>,
}

impl Database {
    /// Returns statistics of some games: those of a query from
    /// [`Matches::games`](crate::Matches::games), or all from [`GameSet::all`]. Games that the
    /// database does not have are skipped. See [`Stats::of`].
    ///
    /// # Errors
    /// Those of [`Stats::of`].
    pub fn stats(&self, games: &GameSet, options: &StatsOptions) -> Result<Stats> {
        Stats::of(&[(self, games)], options, |_| Flow::Continue(()))
    }
}

impl Stats {
    /// Returns statistics of some games of several databases together. Players and events with
    /// equal names are the same.
    ///
    /// One pass over the records of the games, in the caller's current rayon pool, with 52 bytes of
    /// memory for each name and thread. Games whose record does not have the length are decoded:
    /// most of ChessBase, all of `.dci` in its first layout, and of Scid those with 1 KiB or more.
    /// `progress` counts these. A damaged or missing names file leaves players and events out.
    ///
    /// # Errors
    /// `Interrupted` if `progress` breaks; `Changed` if another program changes a database.
    pub fn of(
        parts: &[(&Database, &GameSet)],
        options: &StatsOptions,
        mut progress: impl FnMut(Progress) -> Flow,
    ) -> Result<Stats> {
        let mut sums = Sums::default();
        for (database, games) in parts {
            database.unchanged(|| sums.add(database, games, &mut progress))?;
        }
        Ok(sums.finish(options))
    }
}

/// Statistics of databases that are not open at the same time, such as the
/// [parts](crate::OpenOptions::parts) of a file.
#[derive(Debug, Default)]
pub struct StatsSum(Sums<'static>);

impl StatsSum {
    /// Adds games of a database. Copies the names that have games; otherwise as [`Stats::of`].
    ///
    /// # Errors
    /// Those of [`Stats::of`], after which the sum is empty.
    pub fn add(
        &mut self,
        database: &Database,
        games: &GameSet,
        mut progress: impl FnMut(Progress) -> Flow,
    ) -> Result<()> {
        let mut sums: Sums<'_> = std::mem::take(&mut self.0);
        database.unchanged(|| sums.add(database, games, &mut progress))?;
        self.0 = sums.into_owned();
        Ok(())
    }

    /// Returns the statistics. The IDs of names mean nothing.
    #[must_use]
    pub fn finish(self, options: &StatsOptions) -> Stats {
        self.0.finish(options)
    }
}

/// Sums over several databases.
#[derive(Debug, Default)]
struct Sums<'d> {
    /// Without the lists by name.
    counts: Counts,
    players: Vec<Named<'d, PlayerSum>>,
    events: Vec<Named<'d, Tally>>,
}

/// A name and its sum.
#[derive(Debug)]
struct Named<'d, T> {
    id: NameId,
    name: Cow<'d, str>,
    sum: T,
}

/// Returns names that are not borrowed.
fn owned<T>(names: Vec<Named<'_, T>>) -> Vec<Named<'static, T>> {
    let names = names.into_iter().map(|Named { id, name, sum }| {
        let name = Cow::Owned(name.into_owned());
        Named { id, name, sum }
    });
    names.collect()
}

impl<'d> Sums<'d> {
    fn into_owned(self) -> Sums<'static> {
        Sums {
            counts: self.counts,
            players: owned(self.players),
            events: owned(self.events),
        }
    }

    /// Adds games of a database.
    fn add(
        &mut self,
        database: &'d Database,
        games: &GameSet,
        progress: &mut dyn FnMut(Progress) -> Flow,
    ) -> Result<()> {
        let mut counts = count(database, games);
        measure(database, &mut counts, progress)?;
        let players = std::mem::take(&mut counts.players);
        let events = std::mem::take(&mut counts.events);
        join(
            &mut self.players,
            named(database, NameKind::Player, players),
        );
        join(&mut self.events, named(database, NameKind::Event, events));
        self.counts = std::mem::take(&mut self.counts).merge(counts);
        Ok(())
    }

    fn finish(self, options: &StatsOptions) -> Stats {
        let counts = self.counts;
        let player = |Named { id, name, sum }: Named<'_, PlayerSum>| PlayerStats {
            id,
            name: name.into_owned(),
            as_white: sum.as_white,
            as_black: sum.as_black,
            against_oneself: sum.against_oneself,
        };
        let event = |Named { id, name, sum }: Named<'_, Tally>| EventStats {
            id,
            name: name.into_owned(),
            games: sum,
        };
        let players = top(self.players, options.top).into_iter();
        let events = top(self.events, options.top).into_iter();
        Stats {
            total: counts.total,
            years: filled(&counts.years, |year| year as u16),
            ratings: filled(&counts.ratings, |class| class as u16 * 100),
            openings: openings(&counts.openings, options.eco_depth),
            lengths: Lengths {
                unknown: counts.of_unknown_length,
                ..lengths(&counts.plies)
            },
            mean_ratings: counts.mean_ratings(),
            players: players.map(player).collect(),
            events: events.map(event).collect(),
        }
    }
}

/// Sums over the records of some games.
fn count(database: &Database, games: &GameSet) -> Counts {
    let len = |kind| database.names(kind).map_or(0, NameList::ids);
    let names = (len(NameKind::Player), len(NameKind::Event));
    let games: Vec<GameId> = games.iter().collect();
    let counts = with_view!(database.tags(), view => games
        .par_chunks(task_len(games.len()))
        .map(|games| {
            let mut counts = Counts::new(names);
            for &game in games {
                if game.index() < view.game_count() {
                    counts.add(game, view.record(game));
                }
            }
            counts
        })
        .reduce_with(Counts::merge));
    counts.unwrap_or_else(|| Counts::new((0, 0)))
}

/// Adds the lengths that require decoding.
///
/// # Errors
/// `Interrupted` if `progress` breaks.
fn measure(
    database: &Database,
    counts: &mut Counts,
    progress: &mut dyn FnMut(Progress) -> Flow,
) -> Result<()> {
    let games = std::mem::take(&mut counts.unmeasured);
    if database.require_games().is_err() {
        counts.of_unknown_length += games.len() as u32;
        return Ok(());
    }
    let total = games.len() as u64;
    let tasks = games.chunks(TASK_GAMES);
    let tasks = tasks.map(|games| ((games, Counts::default()), games.len()));
    let deliver = |(_, measured): &mut (_, Counts), left| {
        if left == 0 {
            *counts = std::mem::take(counts).merge(std::mem::take(measured));
        }
        Ok(())
    };
    let ask = &mut |done| progress(Progress::of(done, total));
    with_view!(database.tags(), view => {
        let work = |(games, counts): &mut (&[GameId], Counts), left: &mut Remaining| {
            let mut scratch = Scratch::default();
            let done = games.len() - left.count();
            let _ = view.for_each_touched(&games[done..], |_, record| {
                match view.main_line(record, &mut scratch, &mut Ignore) {
                    Ok(plies) => counts.add_length(plies, record.result()),
                    Err(_) => counts.of_unknown_length += 1,
                }
                left.done(1)
            });
        };
        run_ordered(tasks, TASKS, work, deliver, ask)
    })
}

/// Returns the names of a kind that have games, except those for an unknown name.
fn named<T: Sum>(database: &Database, kind: NameKind, sums: Vec<T>) -> Vec<Named<'_, T>> {
    let Ok(names) = database.names(kind) else {
        return Vec::new();
    };
    let with_games = (0..)
        .map(NameId)
        .zip(sums)
        .filter(|(_, sum)| sum.games() > 0);
    let named = with_games.filter_map(|(id, sum)| {
        let name = names.get(id).filter(|name| !is_absent(name))?;
        let name = decode(name);
        Some(Named { id, name, sum })
    });
    named.collect()
}

/// Adds the names of another database.
fn join<'d, T: Sum>(all: &mut Vec<Named<'d, T>>, more: Vec<Named<'d, T>>) {
    if all.is_empty() {
        *all = more;
        return;
    }
    let places = all.iter().map(|known| known.name.clone()).zip(0..);
    let mut places: HashMap<Cow<'d, str>, usize> = places.collect();
    for named in more {
        match places.get(&named.name) {
            Some(&place) => all[place].sum.merge(&named.sum),
            None => {
                places.insert(named.name.clone(), all.len());
                all.push(named);
            }
        }
    }
}

/// Returns the names with most games, ties in alphabetical order.
fn top<T: Sum>(mut rows: Vec<Named<'_, T>>, top: usize) -> Vec<Named<'_, T>> {
    rows.sort_unstable_by_key(|row| Reverse(row.sum.games()));
    if let Some(last) = top.checked_sub(1).and_then(|last| rows.get(last)) {
        let least = last.sum.games();
        rows.retain(|row| row.sum.games() >= least);
    }
    rows.sort_by_cached_key(|row| {
        let folded = folded(row.name.as_bytes());
        (Reverse(row.sum.games()), folded, row.name.clone(), row.id)
    });
    rows.truncate(top);
    rows
}

/// Returns the elements of a list that have games.
fn filled<K: Ord>(tallies: &[Tally], key: impl Fn(usize) -> K) -> BTreeMap<K, Tally> {
    let filled = tallies
        .iter()
        .enumerate()
        .filter(|(_, tally)| tally.games() > 0);
    filled.map(|(place, tally)| (key(place), *tally)).collect()
}

/// Groups games by the first characters of their opening codes.
fn openings(codes: &[Tally], depth: usize) -> BTreeMap<String, Tally> {
    let mut openings: BTreeMap<String, Tally> = BTreeMap::new();
    for (code, tally) in (0..).zip(codes).filter(|(_, tally)| tally.games() > 0) {
        if let Some(eco) = Eco::from_code(code) {
            let mut text = eco.to_string();
            text.truncate(depth.clamp(1, 5));
            openings.entry(text).or_default().merge(tally);
        }
    }
    openings
}

/// Computes the statistics of lengths from the games by number of plies.
fn lengths(plies: &[Tally]) -> Lengths {
    let mut lengths = Lengths::default();
    let (mut games, mut sum) = (0, 0);
    for (plies, tally) in (0u32..).zip(plies).filter(|(_, tally)| tally.games() > 0) {
        games += u64::from(tally.games());
        sum += u64::from(tally.games()) * u64::from(plies);
        let moves = plies.div_ceil(2);
        let ten = lengths.by_ten_moves.entry(moves - moves % 10).or_default();
        ten.merge(tally);
    }
    // The length of the game at an index when games are sorted by length.
    let at = |place: u64| {
        let mut seen = 0;
        let passed = plies.iter().take_while(|tally| {
            seen += u64::from(tally.games());
            seen <= place
        });
        passed.count() as f64
    };
    lengths.mean_plies = ratio(sum, games);
    lengths.median_plies = (games > 0).then(|| f64::midpoint(at((games - 1) / 2), at(games / 2)));
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(games: [u32; 4]) -> Tally {
        Tally(games)
    }

    #[test]
    fn codes_are_cut_to_any_depth() {
        let mut codes = vec![Tally::default(); 200];
        codes[1] = tally([1, 0, 0, 0]); // A00
        codes[3] = tally([1, 0, 0, 0]); // A00a1
        codes[132] = tally([1, 0, 0, 0]); // A01
        let at = |depth| {
            let openings = openings(&codes, depth);
            openings.into_keys().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(at(0), "A");
        assert_eq!(at(2), "A0");
        assert_eq!(at(3), "A00 A01");
        assert_eq!(at(4), "A00 A00a A01");
        assert_eq!(at(9), "A00 A00a1 A01");
    }

    #[test]
    fn the_median_lies_in_the_middle() {
        let of = |plies: &[u32]| {
            let games = plies.iter().map(|&games| tally([games, 0, 0, 0]));
            lengths(&games.collect::<Vec<_>>()).median_plies
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[1]), Some(0.0));
        assert_eq!(of(&[1, 0, 1]), Some(1.0));
        assert_eq!(of(&[1, 1, 3]), Some(2.0));
    }
}
