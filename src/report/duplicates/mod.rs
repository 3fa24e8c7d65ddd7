//! Games that occur more than once in a database.
//!
//! Games are sorted into buckets by players, year and result. In a bucket, home-pawn lists that are
//! not prefixes of each other exclude games without decoding them. The others are decoded, and
//! sorting them by their moves puts a game next to those that continue it.
//!
//! Equal moves are evidence only if there are enough: a short game of two players is often a prefix
//! of their other games. So a short game only repeats equally long ones.

mod dedupe;
mod family;
mod likeness;
mod lines;
mod moves;
mod players;
mod repeat;
mod spelling;

use rayon::prelude::*;
use tabiya_chess::{Flow, GameId, NameId, NameKind};
use tabiya_formats::{
    Ask, Damage, Decoded, Header, NameSlot, View, check_interrupt,
    error::{Error, Result},
    progress::Progress,
};

pub use self::{
    dedupe::Dedupe,
    repeat::{KeptFor, Located, Repeat, Repeats},
};
use self::{
    lines::decode,
    moves::{MoveList, Moves},
};
use crate::{
    database::{Database, Needs, with_view},
    limits::DAMAGED_LISTED_MAX,
    progress::WithProgress,
};

/// Number of candidates whose moves are in memory together, unless one group is larger.
const WAVE_GAMES: usize = 1 << 14;
/// Number of records between two calls of `ask`.
const RECORDS_PER_LOOK: usize = 1 << 18;

/// Least number of plies with which a game may repeat one that continues it.
const BEGINNING_PLIES_MIN: usize = 20;

/// When two players are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SamePlayers {
    /// If their names are equal.
    #[default]
    Exact,
    /// If surname and first initial are equal. Capitals, accents, spaces and punctuation are
    /// ignored; a name without a first name only equals others without one.
    Spelling,
}

/// The result of [`Database::duplicates`].
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tabiya::{Database, SamePlayers};
///
/// let database = Database::open("fixtures/famous.si4")?;
/// let found = database.duplicates(SamePlayers::Spelling)?;
/// for group in &found.groups {
///     println!("{:?} repeat {}", group.games, database.number(group.shortest));
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Duplicates {
    /// The groups, by their lowest game. A game is in at most one.
    pub groups: Vec<DuplicateGroup>,
    /// Games that had to be decoded.
    pub decoded: u64,
    /// Damaged games among those decoded. They are in no group.
    pub damaged: u64,
    /// The first damaged games; at most [`DAMAGED_LISTED_MAX`].
    pub damaged_games: Vec<Error>,
}

/// A game and all games that repeat or continue it.
///
/// Two of the longer ones may differ from each other after the moves of the shortest, so not all of
/// them need be the same game: see [`is_whole`](DuplicateGroup::is_whole).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct DuplicateGroup {
    /// All the games, ascending; at least two.
    pub games: Vec<GameId>,
    /// The game whose moves begin all others; the first of several.
    pub shortest: GameId,
    /// Whether all the games have the same moves to the end.
    #[cfg_attr(feature = "serde", serde(rename = "whole"))]
    pub is_whole: bool,
}

/// The index fields that duplicates have in common: players, year and result.
type Key = (u32, u32, u16, u8);

impl Database {
    /// Finds games with the same players, year, result, start and moves. A game also repeats one
    /// whose moves begin with all of its own, if it has at least 20 plies and both players are
    /// named: neither empty nor `?`. The rest of the header is ignored. Nothing is changed.
    ///
    /// Games whose names do not exist, as in damaged files, are skipped when names are compared by
    /// spelling. Memory is O(games), plus the moves of the games that are equal except for their
    /// moves. Work runs in the caller's current rayon pool.
    ///
    /// # Errors
    /// `Missing` without a games file, or without a names file when comparing by spelling;
    /// `Changed` if another program changes the database. A damaged game is not an error: it is
    /// listed.
    pub fn duplicates(&self, same: SamePlayers) -> Result<Duplicates> {
        self.on_progress(Progress::ignore).duplicates(same)
    }
}

impl<F: FnMut(Progress) -> Flow> WithProgress<&Database, F> {
    /// Finds games that repeat others. The callback gets the number of games to decode. See
    /// [`Database::duplicates`].
    ///
    /// # Errors
    /// Those of [`Database::duplicates`]; `Interrupted` if the callback breaks.
    pub fn duplicates(self, same: SamePlayers) -> Result<Duplicates> {
        let (database, mut progress) = (self.work, self.progress);
        database.require_games()?;
        let names = database.names(NameKind::Player);
        let players = match same {
            // Without names, players with the same ID are the same.
            SamePlayers::Exact => Players {
                classes: names.map_or_else(|_| Vec::new(), spelling::equal_names),
                counts_unnamed: true,
            },
            SamePlayers::Spelling => Players {
                classes: spelling::classes(names?),
                counts_unnamed: false,
            },
        };
        database.unchanged(|| {
            with_view!(database.view(Needs::Moves, &mut progress)?, view => {
                let total = database.len().into();
                let ask = &mut || progress(Progress::of(0, total));
                let candidates = candidates(view.records(), &players, ask)?;
                find(database, view, &candidates, &mut progress)
            })
        })
    }
}

/// Maps players to classes of the same player.
struct Players {
    /// By ID: a number less than the number of IDs, equal for the same player.
    classes: Vec<u32>,
    /// Whether an ID without a name is a player of its own.
    counts_unnamed: bool,
}

impl Players {
    fn class_of(&self, id: NameId) -> Option<u32> {
        let class = self.classes.get(id.index()).copied();
        class.or_else(|| self.counts_unnamed.then_some(id.0))
    }
}

/// Returns groups of games that may be duplicates: equal in the index.
///
/// # Errors
/// `Interrupted` if `ask` breaks.
fn candidates<R: Header>(
    records: &[R],
    players: &Players,
    ask: Ask<'_>,
) -> Result<Vec<Vec<GameId>>> {
    let mut games = keyed_games(records, players, ask)?;
    games.par_sort_unstable();
    check_interrupt(ask)?;
    let buckets: Vec<&[(Key, GameId)]> = games
        .chunk_by(|(one, _), (other, _)| one == other)
        .filter(|bucket| bucket.len() > 1)
        .collect();
    let split = |bucket: &&[(Key, GameId)]| split_by_home_pawns(records, bucket);
    Ok(buckets.par_iter().flat_map_iter(split).collect())
}

/// Returns the games with known players. Reading the records may require disk access.
fn keyed_games<R: Header>(
    records: &[R],
    players: &Players,
    ask: Ask<'_>,
) -> Result<Vec<(Key, GameId)>> {
    let keyed = |(game, record): (u32, &R)| {
        let year = record.date().year().unwrap_or_default();
        let white = players.class_of(record.name(NameSlot::White))?;
        let black = players.class_of(record.name(NameSlot::Black))?;
        let key = (white, black, year, record.result() as u8);
        record.is_game().then_some((key, GameId(game)))
    };
    let mut games = Vec::with_capacity(records.len());
    let starts = (0u32..).step_by(RECORDS_PER_LOOK);
    for (start, records) in starts.zip(records.chunks(RECORDS_PER_LOOK)) {
        let numbered = (start..start + records.len() as u32)
            .into_par_iter()
            .zip(records);
        games.par_extend(numbered.filter_map(keyed));
        check_interrupt(ask)?;
    }
    Ok(games)
}

/// Splits a bucket into groups, so that no game repeats one of another group.
///
/// If one game's moves begin another's, its home-pawn list is a prefix of the other's: the list
/// grows with the moves and depends on nothing else. Lists are sorted lexicographically, so those
/// that begin with a list follow it directly. A game with a custom start position has no list and
/// may repeat any; so do all games of formats without lists.
fn split_by_home_pawns<R: Header>(records: &[R], bucket: &[(Key, GameId)]) -> Vec<Vec<GameId>> {
    let record = |game: GameId| &records[game.index()];
    let games = bucket.iter().map(|&(_, game)| game);
    let has_no_list = |record: &R| !R::EVIDENCE.home_pawns || record.is_custom_start();
    if games.clone().any(|game| has_no_list(record(game))) {
        return vec![games.collect()];
    }
    let mut lists: Vec<(u64, u8, GameId)> = games
        .map(|game| {
            let list = record(game).home_pawns();
            (list.packed() & mask(list.count()), list.count(), game)
        })
        .collect();
    lists.sort_unstable();
    let begins = |one: &(u64, u8, GameId), other: &(u64, u8, GameId)| {
        one.1 <= other.1 && other.0 & mask(one.1) == one.0
    };
    let groups = prefix_groups(&lists, begins);
    let ids = |group: &[(u64, u8, GameId)]| group.iter().map(|&(.., game)| game).collect();
    groups.map(ids).collect()
}

/// Returns the mask of the first entries of a home-pawn list.
const fn mask(count: u8) -> u64 {
    match count {
        0 => 0,
        count => u64::MAX << (64 - 4 * if count < 16 { count as u32 } else { 16 }),
    }
}

/// Splits sorted items into runs of at least two whose first item begins all others.
fn prefix_groups<'i, T>(
    mut sorted: &'i [T],
    begins: impl Fn(&T, &T) -> bool + 'i,
) -> impl Iterator<Item = &'i [T]> {
    std::iter::from_fn(move || {
        while let Some(first) = sorted.first() {
            let others = sorted[1..].iter().take_while(|other| begins(first, other));
            let (group, rest) = sorted.split_at(1 + others.count());
            sorted = rest;
            if group.len() > 1 {
                return Some(group);
            }
        }
        None
    })
}

/// The result for one group of candidates.
#[derive(Default)]
struct Found {
    groups: Vec<DuplicateGroup>,
    damaged: Vec<(GameId, Damage)>,
}

/// Splits off the first groups, of at least [`WAVE_GAMES`] candidates if there are as many.
fn first_wave<T>(groups: &[Vec<T>]) -> (&[Vec<T>], &[Vec<T>]) {
    let mut games = 0;
    let wave = groups.iter().take_while(|group| {
        let is_wanted = games < WAVE_GAMES;
        games += group.len();
        is_wanted
    });
    groups.split_at(wave.count())
}

fn find<V: View>(
    database: &Database,
    view: V,
    candidates: &[Vec<GameId>],
    progress: &mut dyn FnMut(Progress) -> Flow,
) -> Result<Duplicates> {
    let total = candidates.iter().map(|games| games.len() as u64).sum();
    let mut duplicates = Duplicates::default();
    let mut rest = candidates;
    while !rest.is_empty() {
        let (wave, later) = first_wave(rest);
        rest = later;
        let done = duplicates.decoded;
        let ask = &mut |more| {
            let done = done + more;
            progress(Progress::of(done, total))
        };
        let named = |games: &[GameId]| players_are_named(database, view, games);
        for found in compare(view, wave, named, ask)? {
            duplicates.groups.extend(found.groups);
            duplicates.damaged += found.damaged.len() as u64;
            let room = DAMAGED_LISTED_MAX.saturating_sub(duplicates.damaged_games.len());
            let errors = found
                .damaged
                .into_iter()
                .take(room)
                .map(|(game, damage)| database.damaged(game, view.record(game), damage));
            duplicates.damaged_games.extend(errors);
        }
        duplicates.decoded += wave.iter().map(|games| games.len() as u64).sum::<u64>();
    }
    duplicates
        .groups
        .sort_unstable_by_key(|group| group.games.first().copied());
    Ok(duplicates)
}

/// Returns whether both players of the candidates, the same in all, have names.
fn players_are_named<V: View>(database: &Database, view: V, games: &[GameId]) -> bool {
    let (Ok(names), Some(game)) = (database.names(NameKind::Player), games.first()) else {
        return true;
    };
    let record = view.record(*game);
    let is_named = |slot| !matches!(names.get(record.name(slot)), Some(b"" | b"?"));
    [NameSlot::White, NameSlot::Black].into_iter().all(is_named)
}

/// A game and its moves, with the damage if it cannot be decoded.
type Read = (GameId, (MoveList, Decoded<u32>));

/// Decodes groups of candidates, and finds the games with the same moves in each.
/// `takes_beginnings` returns for a group whether a game may repeat one that continues it.
fn compare<V: View>(
    view: V,
    groups: &[Vec<GameId>],
    takes_beginnings: impl Fn(&[GameId]) -> bool + Sync,
    ask: &mut dyn FnMut(u64) -> Flow,
) -> Result<Vec<Found>> {
    let lines = decode(view, &groups.concat(), Moves::default, Moves::finish, ask)?;
    let mut lines = lines.into_iter();
    let groups: Vec<(&[GameId], Vec<Read>)> = groups
        .iter()
        .map(|games| {
            // The games first: they end without taking a line of the next group.
            let read = games.iter().copied().zip(lines.by_ref());
            (&games[..], read.collect())
        })
        .collect();
    let found = groups
        .into_par_iter()
        .map(|(games, read)| grouped(read, takes_beginnings(games)));
    Ok(found.collect())
}

/// Groups decoded games whose moves begin alike.
fn grouped(games: Vec<Read>, takes_beginnings: bool) -> Found {
    let mut found = Found::default();
    let mut lines = Vec::with_capacity(games.len());
    for (game, (line, decoded)) in games {
        match decoded {
            Ok(_) => lines.push((line, game)),
            Err(damage) => found.damaged.push((game, damage)),
        }
    }
    lines.sort_unstable();
    let repeats = |(one, _): &(MoveList, GameId), (other, _): &(MoveList, GameId)| {
        let may_go_on = takes_beginnings && one.is_as_long_as(BEGINNING_PLIES_MIN);
        one == other || may_go_on && one.begins(other)
    };
    for group in prefix_groups(&lines, repeats) {
        let mut games: Vec<GameId> = group.iter().map(|&(_, game)| game).collect();
        let shortest = games[0];
        games.sort_unstable();
        found.groups.push(DuplicateGroup {
            games,
            shortest,
            is_whole: group.iter().all(|(line, _)| *line == group[0].0),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_where_its_first_item_does_not_begin_the_next() {
        let words = ["a", "b", "ba", "bab", "bb", "c", "cc", "d"];
        let begins = |one: &&str, other: &&str| other.starts_with(one);
        let groups: Vec<_> = prefix_groups(&words, begins)
            .map(<[&str]>::to_vec)
            .collect();
        assert_eq!(groups, [vec!["b", "ba", "bab", "bb"], vec!["c", "cc"]]);
    }

    #[test]
    fn masks_cover_the_entries() {
        assert_eq!(mask(0), 0);
        assert_eq!(mask(1), 0xf << 60);
        assert_eq!(mask(15), !0xf);
        assert_eq!((mask(16), mask(17)), (u64::MAX, u64::MAX));
    }

    #[test]
    fn duplicates_end_soon_whatever_a_game_costs() {
        let database = Database::open("fixtures/famous.si4").unwrap();
        let candidates = [database.games().collect()];
        crate::slow::ends_soon(0, |games, ask| {
            let progress = &mut |_| ask();
            let found = with_view!(database.tags(), view => {
                find(&database, games.of(view), &candidates, progress)
            });
            assert!(found.is_ok_and(|found| found.decoded == 91) || ask().is_break());
        });
    }
}
