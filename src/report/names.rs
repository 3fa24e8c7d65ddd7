//! The names of a database with figures from the index: games, years, ratings.

use std::cmp::Reverse;

use memchr::memmem;
use rayon::prelude::*;
use shakmaty::Color;
use tabiya_chess::{
    Elo, Flow, NameId, NameKind,
    text::{Needle, decode, folded, pieces},
};
use tabiya_formats::{
    Header, NameSlot, View,
    error::Result,
    names::{Folded, NameList},
};

use crate::{
    database::{Database, with_view},
    filter::names::{containing, is_absent},
};

/// A name and the figures of its games.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct NameRow {
    /// Its ID within its kind, see [`Database::name_of`].
    pub id: NameId,
    /// The name.
    pub name: String,
    /// Games with this name, each counted once; at least one.
    pub games: u32,
    /// Games as White; 0 for names that are not players.
    #[cfg_attr(feature = "serde", serde(rename = "white"))]
    pub as_white: u32,
    /// Games as Black; 0 for names that are not players.
    #[cfg_attr(feature = "serde", serde(rename = "black"))]
    pub as_black: u32,
    /// The first and the last year of its games; `None` if no game has a year.
    pub years: Option<(u16, u16)>,
    /// The highest rating; `None` without one and for names that are not players.
    #[cfg_attr(feature = "serde", serde(rename = "peakElo"))]
    pub peak: Option<Elo>,
}

/// Greatest number of counting tasks: each has a counter for every name.
const TASKS_MAX: usize = 8;
/// Least number of games for a task of its own.
const TASK_GAMES_MIN: usize = 1 << 16;

/// Returns the number of records for each of a few tasks.
pub(crate) fn task_len(records: usize) -> usize {
    let tasks = rayon::current_num_threads().clamp(1, TASKS_MAX);
    records.div_ceil(tasks).max(TASK_GAMES_MIN)
}

/// The counts of one name.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    games: u32,
    as_white: u32,
    as_black: u32,
    /// 0 until a year is known.
    first_year: u16,
    last_year: u16,
    /// 0 until a rating is known.
    peak: u16,
}

impl Count {
    fn add(&mut self, year: u16) {
        self.games += 1;
        self.widen(year, year);
    }

    fn widen(&mut self, first: u16, last: u16) {
        if first != 0 && (self.first_year == 0 || first < self.first_year) {
            self.first_year = first;
        }
        self.last_year = self.last_year.max(last);
    }

    fn merge(&mut self, other: &Count) {
        self.games += other.games;
        self.as_white += other.as_white;
        self.as_black += other.as_black;
        self.widen(other.first_year, other.last_year);
        self.peak = self.peak.max(other.peak);
    }
}

/// The names of one kind that stand for an unknown one. Their games count for the first of them.
struct Blank(Vec<NameId>);

impl Blank {
    fn of(names: &NameList) -> Blank {
        let ids = (0..names.ids()).map(|id| NameId(id as u32));
        Blank(
            ids.filter(|&id| names.get(id).is_some_and(is_absent))
                .collect(),
        )
    }

    /// Returns the ID that games with this name count for.
    fn counted(&self, id: NameId) -> NameId {
        match &self.0[..] {
            [first, others @ ..] if others.contains(&id) => *first,
            _ => id,
        }
    }
}

/// Counts the games of each name. IDs out of range, as in damaged files, are ignored.
fn count<R: Header>(records: &[R], kind: NameKind, names: usize, blank: &Blank) -> Vec<Count> {
    let mut counts = vec![Count::default(); names];
    for record in records.iter().filter(|record| record.is_game()) {
        let year = record.date().year().unwrap_or_default();
        let name = |slot| blank.counted(record.name(slot));
        match kind {
            NameKind::Player => {
                let players = [NameSlot::White, NameSlot::Black].map(name);
                count_players(record, players, year, &mut counts);
            }
            NameKind::Event => add(name(NameSlot::Event), year, &mut counts),
            NameKind::Site => add(name(NameSlot::Site), year, &mut counts),
            NameKind::Round => add(name(NameSlot::Round), year, &mut counts),
        }
    }
    counts
}

fn add(id: NameId, year: u16, counts: &mut [Count]) {
    if let Some(count) = counts.get_mut(id.index()) {
        count.add(year);
    }
}

fn count_players<R: Header>(
    record: &R,
    [white, black]: [NameId; 2],
    year: u16,
    counts: &mut [Count],
) {
    if let Some(count) = counts.get_mut(white.index()) {
        count.add(year);
        count.as_white += 1;
        count.peak = count.peak.max(record.rating_value(Color::White));
    }
    if let Some(count) = counts.get_mut(black.index()) {
        if white != black {
            count.add(year);
        }
        count.as_black += 1;
        count.peak = count.peak.max(record.rating_value(Color::Black));
    }
}

impl Database {
    /// Returns the names of one kind that contain a text, with the rules of `:` in the query
    /// language: capitals are ignored, letters without accents match any, a text with `*` for any
    /// letters is compared as a whole, and `Magnus Carlsen` matches `Carlsen, Magnus`. The empty
    /// text matches every name.
    ///
    /// The most frequent name comes first; equally frequent names are in alphabetical order. Names
    /// without games are left out, and those that stand for an unknown name are one, `?`. One pass
    /// over the index in the caller's current rayon pool, with
    /// 20 bytes of memory for each name and thread; no game is decoded.
    ///
    /// # Errors
    /// Those of [`name_count`](Database::name_count).
    pub fn find_names(&self, kind: NameKind, text: &str) -> Result<Vec<NameRow>> {
        let names = self.names(kind)?;
        let pieces = pieces(text, "*");
        let needle = match (&pieces[..], kind) {
            ([part], NameKind::Player) => Needle::of_person(part),
            ([part], _) => Needle::new(part),
            (pieces, _) => Needle::of_pieces(pieces),
        };
        let go_on = &mut || Flow::Continue(());
        let found = containing(self.folded_names(kind)?, &needle, || Ok(names), go_on)?;
        let counts = self.name_counts(kind, names);
        let mut rows: Vec<(Vec<u8>, NameRow)> = (0..)
            .map(NameId)
            .zip(&counts)
            .filter(|(id, count)| count.games > 0 && (text.is_empty() || found.contains(*id)))
            .map(|(id, count)| {
                let bytes = names.get(id).unwrap_or_default();
                (folded(bytes), row(id, bytes, count))
            })
            .collect();
        rows.par_sort_unstable_by(|(one_folded, one), (other_folded, other)| {
            let by_games = other.games.cmp(&one.games);
            by_games
                .then_with(|| one_folded.cmp(other_folded))
                .then_with(|| (&one.name, one.id).cmp(&(&other.name, other.id)))
        });
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }

    /// Returns the `limit` most frequent names of one kind that continue what somebody has begun to
    /// type: each word of the text begins a word of the name, in any order. Capitals
    /// and accents are ignored. The empty text begins every name.
    ///
    /// Names without games are left out; the order is that of [`find_names`](Self::find_names). One
    /// pass over the folded names and one over the index in the caller's current rayon pool, with
    /// 20 bytes of memory for each name and thread; no game is decoded.
    ///
    /// # Errors
    /// Those of [`name_count`](Database::name_count).
    pub fn complete_names(&self, kind: NameKind, text: &str, limit: usize) -> Result<Vec<NameRow>> {
        let names = self.names(kind)?;
        let folded = self.folded_names(kind)?;
        let mut ids = begun(folded, names.ids(), text);
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let counts = self.name_counts(kind, names);
        let games = |id: NameId| counts.get(id.index()).map_or(0, |count| count.games);
        ids.retain(|&id| games(id) > 0);
        let order = |id: &NameId| (Reverse(games(*id)), folded.get(id.index()), *id);
        if limit < ids.len() {
            ids.select_nth_unstable_by(limit, |one, other| order(one).cmp(&order(other)));
            ids.truncate(limit);
        }
        ids.sort_unstable_by(|one, other| order(one).cmp(&order(other)));
        let rows = ids
            .into_iter()
            .filter_map(|id| Some(row(id, names.get(id)?, counts.get(id.index())?)));
        Ok(rows.collect())
    }

    /// Returns the name with most games among `ids`, the first if several are equal; `None` if none
    /// has games. One pass over the index.
    ///
    /// # Errors
    /// Those of [`name_count`](Database::name_count).
    pub(crate) fn most_frequent(&self, kind: NameKind, ids: &[NameId]) -> Result<Option<NameId>> {
        let counts = match ids {
            [] => Vec::new(),
            _ => self.name_counts(kind, self.names(kind)?),
        };
        let games = |id: &NameId| counts.get(id.index()).map_or(0, |count| count.games);
        let most = ids.iter().rev().max_by_key(|id| games(id));
        Ok(most.copied().filter(|id| games(id) > 0))
    }

    /// Counts the games of all names of one kind, in the current rayon pool.
    fn name_counts(&self, kind: NameKind, names: &NameList) -> Vec<Count> {
        let blank = Blank::of(names);
        let counts = with_view!(self.tags(), view => view
        .records()
        .par_chunks(task_len(view.game_count()))
        .map(|records| count(records, kind, names.ids(), &blank))
        .reduce_with(|mut sums, more| {
            sums.iter_mut().zip(&more).for_each(|(sum, more)| sum.merge(more));
            sums
        }));
        counts.unwrap_or_default()
    }
}

/// Returns the names of which some word begins with each word of a text.
fn begun(folded: &Folded, count: usize, text: &str) -> Vec<NameId> {
    let text = tabiya_chess::text::folded(text.as_bytes());
    let mut words: Vec<&[u8]> = words(&text).collect();
    // The longest word is in the fewest names.
    words.sort_unstable_by_key(|word| Reverse(word.len()));
    let all = |count: usize| (0..count as u32).map(NameId).collect();
    let Some((longest, others)) = words.split_first() else {
        return all(count);
    };
    let has = |name: &[u8], word: &[u8]| self::words(name).any(|one| one.starts_with(word));
    let mut ids: Vec<NameId> = Vec::new();
    for at in memmem::find_iter(&folded.text, longest) {
        let before = folded.starts.partition_point(|&start| start <= at);
        let Some(id) = before.checked_sub(1).filter(|&id| id < count) else {
            continue;
        };
        if ids.last().is_some_and(|last| last.index() == id) {
            continue;
        }
        let name = folded.get(id);
        if has(name, longest) && others.iter().all(|word| has(name, word)) {
            ids.push(NameId(id as u32));
        }
    }
    ids
}

/// Splits a folded text into words: what stands between spaces, commas, points and the like.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    text.split(move |byte| !is_part(byte))
        .filter(|word| !word.is_empty())
}

fn row(id: NameId, name: &[u8], count: &Count) -> NameRow {
    let name = if is_absent(name) { b"?" } else { name };
    NameRow {
        id,
        name: decode(name).into_owned(),
        games: count.games,
        as_white: count.as_white,
        as_black: count.as_black,
        years: (count.first_year != 0).then_some((count.first_year, count.last_year)),
        peak: Elo::new(count.peak),
    }
}
