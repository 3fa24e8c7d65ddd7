//! Statistics of some games from one pass over their index records.
//!
//! [`count`] adds up by year, code, name and length; here the sums become rows that people
//! read. No game is decoded.

mod count;

use std::{cmp::Reverse, collections::BTreeMap};

use rayon::prelude::*;

use self::count::Counts;
use crate::{
    chess::{
        Eco, GameId, GameResult, NameId, NameKind, Tally,
        tally::ratio,
        text::{decode, fold_into},
    },
    database::{Database, with_view},
    filter::GameSet,
    format::{View, names::NameList},
    names::task_len,
};

/// How the lengths of games are distributed.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Lengths {
    /// Mean number of half-moves; `None` without games.
    pub mean_plies: Option<f64>,
    /// Median number of half-moves, the mean of the middle two when their number is even;
    /// `None` without games.
    pub median_plies: Option<f64>,
    /// Games by tens of moves (begun ones count): the entry of `20` is the games with 20 to 29
    /// moves. Entries without games are left out.
    pub by_ten_moves: BTreeMap<u32, Tally>,
}

/// Mean ratings. Each is `None` when no game has such ratings.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct MeanRatings {
    /// Of White where White has one.
    pub white: Option<f64>,
    /// Of Black where Black has one.
    pub black: Option<f64>,
    /// Of all players that have one, game by game.
    pub all: Option<f64>,
}

/// A player and the results of the games that were counted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlayerStats {
    /// The player's number, see [`Database::name_of`].
    pub id: NameId,
    /// The player's name.
    pub name: String,
    /// The games as White.
    pub as_white: Tally,
    /// The games as Black; results are those of the games: a win of White is a loss.
    pub as_black: Tally,
}

impl PlayerStats {
    /// Returns how many games the player played.
    #[must_use]
    pub fn games(&self) -> u32 {
        self.as_white.games() + self.as_black.games()
    }

    /// Returns the player's score, 0.0 to 1.0, in the games that were decided or drawn; `None`
    /// when there is none.
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
pub struct EventStats {
    /// The event's number, see [`Database::name_of`].
    pub id: NameId,
    /// The event's name.
    pub name: String,
    /// The games.
    pub games: Tally,
}

/// What [`Database::stats`] is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatsOptions {
    /// Characters of the opening codes that games are grouped by, 1 to 5; what lies outside
    /// counts as the nearest.
    pub eco_depth: usize,
    /// Players and events that are listed at most.
    pub top: usize,
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
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Stats {
    /// All the games.
    pub total: Tally,
    /// Games by year; those without a year are in none.
    pub years: BTreeMap<u16, Tally>,
    /// Games in which both players are rated, by hundreds of their mean rating: the entry of
    /// `2400` is 2400 up to, not including, 2500.
    pub ratings: BTreeMap<u16, Tally>,
    /// Games by opening code, cut to the wanted number of characters; those without a code are
    /// in none. A code that is shorter stands for itself.
    pub openings: BTreeMap<String, Tally>,
    /// Their lengths, as the index holds them: half-moves modulo 1024.
    pub lengths: Lengths,
    /// Their mean ratings.
    pub mean_ratings: MeanRatings,
    /// The players with most games, ties by alphabet. Without those whose name is empty or
    /// `?`; empty when the names cannot be read.
    pub players: Vec<PlayerStats>,
    /// The events with most games, under the same rules.
    pub events: Vec<EventStats>,
}

impl Database {
    /// Returns statistics of some games; [`Matches::games`](crate::Matches::games) gives those
    /// of a query and [`GameSet::all`] all of them. Games that the database does not have are
    /// passed over.
    ///
    /// One pass over the records of the games, in the caller's current rayon pool, and 48 bytes
    /// for each name and thread; no game is decoded. A damaged or missing names file leaves
    /// players and events out.
    #[must_use]
    pub fn stats(&self, games: &GameSet, options: &StatsOptions) -> Stats {
        let len = |kind| self.names(kind).map_or(0, NameList::len);
        let names = (len(NameKind::Player), len(NameKind::Event));
        let games: Vec<GameId> = games.iter().collect();
        let counts = with_view!(self, view => games
            .par_chunks(task_len(games.len()))
            .map(|games| {
                let mut counts = Counts::new(names);
                let records = games.iter().filter_map(|game| view.records().get(game.index()));
                records.for_each(|record| counts.add(record));
                counts
            })
            .reduce_with(Counts::merge));
        let counts = counts.unwrap_or_else(|| Counts::new((0, 0)));
        Stats {
            total: counts.total,
            years: filled(&counts.years, |year| year as u16),
            ratings: filled(&counts.ratings, |class| class as u16 * 100),
            openings: openings(&counts.openings, options.eco_depth),
            lengths: lengths(&counts.plies),
            mean_ratings: counts.mean_ratings(),
            players: self.top_players(&counts.players, options.top),
            events: self.top_events(&counts.events, options.top),
        }
    }

    fn top_players(&self, counts: &[[Tally; 2]], top: usize) -> Vec<PlayerStats> {
        let games = |[white, black]: &[Tally; 2]| white.games() + black.games();
        let rows = self.top(NameKind::Player, counts, games, top);
        let player = |(id, name, [as_white, as_black]): (_, _, [Tally; 2])| PlayerStats {
            id,
            name,
            as_white,
            as_black,
        };
        rows.into_iter().map(player).collect()
    }

    fn top_events(&self, counts: &[Tally], top: usize) -> Vec<EventStats> {
        let rows = self.top(NameKind::Event, counts, Tally::games, top);
        rows.into_iter()
            .map(|(id, name, games)| EventStats { id, name, games })
            .collect()
    }

    /// Returns the names with most games.
    fn top<T: Copy>(
        &self,
        kind: NameKind,
        counts: &[T],
        games: impl Fn(&T) -> u32,
        top: usize,
    ) -> Vec<(NameId, String, T)> {
        let Ok(names) = self.names(kind) else {
            return Vec::new();
        };
        let name = |id| names.get(id).unwrap_or_default();
        let mut rows: Vec<(NameId, T)> = (0..)
            .map(NameId)
            .zip(counts.iter().copied())
            .filter(|(id, count)| games(count) > 0 && !matches!(name(*id), b"" | b"?"))
            .collect();
        rows.sort_unstable_by_key(|(_, count)| Reverse(games(count)));
        if let Some((_, last)) = top.checked_sub(1).and_then(|last| rows.get(last)) {
            let least = games(last);
            rows.retain(|(_, count)| games(count) >= least);
        }
        rows.sort_by_cached_key(|(id, count)| {
            let mut folded = Vec::new();
            fold_into(name(*id), &mut folded);
            (Reverse(games(count)), folded, name(*id), *id)
        });
        rows.truncate(top);
        rows.into_iter()
            .map(|(id, count)| (id, decode(name(id)).into_owned(), count))
            .collect()
    }
}

/// Returns the places of a list that hold games.
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

/// Describes the lengths of games from how many have each number of half-moves.
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
    // The game at a place when the games stand by length.
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
