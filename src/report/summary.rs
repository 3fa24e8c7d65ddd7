//! A summary of a database, from one pass over its index.

use rayon::prelude::*;
use shakmaty::Color;
use tabiya_chess::{Content, Elo, Flow, PartialDate};
use tabiya_formats::{
    Header, View,
    error::{Error, Result},
    header::{Extent, flag},
    progress::Progress,
};

use crate::{
    database::{Database, Needs, with_view},
    progress::WithProgress,
};

/// Counts and ranges over all games of a database. Names are not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct Summary {
    /// Games, including those marked as deleted.
    pub games: u64,
    /// ChessBase texts among the records. They are not included in other counts.
    pub texts: u64,
    /// Games marked as deleted.
    pub deleted: u64,
    /// Games with a custom start position; `None` if the index does not store this.
    pub custom_starts: Option<u64>,
    /// Games with at least one comment; `None` if the index does not store this for every game.
    pub with_comments: Option<u64>,
    /// Games with at least one variation; `None` as for comments.
    pub with_variations: Option<u64>,
    /// Games with at least one NAG; `None` as for comments.
    pub with_nags: Option<u64>,
    /// Games by result, in the order of [`GameResult`](tabiya_chess::GameResult): unknown,
    /// White wins, Black wins, draw.
    pub results: [u64; 4],
    /// Games whose date is at least partly known.
    pub dated: u64,
    /// The first and the last date among those with a known year.
    pub dates: Option<(PartialDate, PartialDate)>,
    /// Games in which both sides have a rating.
    pub rated: u64,
    /// Games in which exactly one side has a rating.
    pub half_rated: u64,
    /// The lowest and the highest rating.
    pub ratings: Option<(Elo, Elo)>,
}

/// Number of games of one task.
const TASK_GAMES: usize = 1 << 16;

impl Summary {
    /// Returns the summary of no games, with all counts known.
    #[must_use]
    pub fn nothing() -> Summary {
        Summary {
            custom_starts: Some(0),
            with_comments: Some(0),
            with_variations: Some(0),
            with_nags: Some(0),
            ..Summary::default()
        }
    }

    fn of<R: Header>(records: &[R]) -> Summary {
        let mut summary = Summary::nothing();
        for record in records {
            summary.add(record);
        }
        summary
    }

    fn add<R: Header>(&mut self, record: &R) {
        if !record.is_game() {
            self.texts += 1;
            return;
        }
        let flags = record.flags();
        let holds = |content: Content, count: Extent| {
            if R::EVIDENCE.contents != 0 {
                Some(record.contents() & content.bit() != 0)
            } else {
                has_any(count)
            }
        };
        let is_custom = R::EVIDENCE.starts.then_some(record.is_custom_start());
        self.games += 1;
        self.deleted += u64::from(flags & flag::DELETED != 0);
        count_if(&mut self.custom_starts, is_custom);
        count_if(
            &mut self.with_comments,
            holds(Content::Comments, record.comment_count()),
        );
        count_if(
            &mut self.with_variations,
            holds(Content::Variations, record.variation_count()),
        );
        count_if(
            &mut self.with_nags,
            holds(Content::Nags, record.nag_count()),
        );
        self.results[record.result() as usize] += 1;
        let date = record.date();
        self.dated += u64::from(!date.is_unknown());
        if date.year().is_some() {
            self.dates = widened(self.dates, Some((date, date)));
        }
        let ratings = [Color::White, Color::Black].map(|color| record.rating(color));
        match ratings.iter().flatten().count() {
            2 => self.rated += 1,
            1 => self.half_rated += 1,
            _ => {}
        }
        for rating in ratings.into_iter().flatten() {
            self.ratings = widened(self.ratings, Some((rating, rating)));
        }
    }

    /// Returns the summary of the games of both.
    #[must_use]
    pub fn merge(self, other: Summary) -> Summary {
        let mut results = self.results;
        for (sum, more) in results.iter_mut().zip(other.results) {
            *sum += more;
        }
        Summary {
            games: self.games + other.games,
            texts: self.texts + other.texts,
            deleted: self.deleted + other.deleted,
            custom_starts: sum(self.custom_starts, other.custom_starts),
            with_comments: sum(self.with_comments, other.with_comments),
            with_variations: sum(self.with_variations, other.with_variations),
            with_nags: sum(self.with_nags, other.with_nags),
            results,
            dated: self.dated + other.dated,
            dates: widened(self.dates, other.dates),
            rated: self.rated + other.rated,
            half_rated: self.half_rated + other.half_rated,
            ratings: widened(self.ratings, other.ratings),
        }
    }
}

/// Returns whether a count is greater than 0; `None` if unknown.
fn has_any(count: Extent) -> Option<bool> {
    match count {
        Extent { at_least: 1.., .. } => Some(true),
        Extent { at_most: 0, .. } => Some(false),
        _ => None,
    }
}

/// Adds 1 to a count if something holds; the count becomes `None` if that is unknown.
fn count_if(count: &mut Option<u64>, holds: Option<bool>) {
    *count = sum(*count, holds.map(u64::from));
}

fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    Some(one? + other?)
}

/// Returns the range that covers both ranges.
fn widened<T: Ord + Copy>(one: Option<(T, T)>, other: Option<(T, T)>) -> Option<(T, T)> {
    match (one, other) {
        (Some((low, high)), Some((lower, higher))) => Some((low.min(lower), high.max(higher))),
        (one, other) => one.or(other),
    }
}

impl<F: FnMut(Progress) -> Flow> WithProgress<&Database, F> {
    /// Returns a summary of the database. The callback gets bytes, if PGN of which only tags were
    /// read must be read. See [`Database::summary`].
    ///
    /// # Errors
    /// Those of [`Database::summary`]; `Interrupted` if the callback breaks.
    pub fn summary(mut self) -> Result<Summary> {
        let opened = self.work.view(Needs::Moves, &mut self.progress)?;
        Ok(with_view!(opened, view => view
            .records()
            .par_chunks(TASK_GAMES)
            .map(Summary::of)
            .reduce(Summary::nothing, Summary::merge)))
    }
}

impl Database {
    /// Returns a summary of the database. One pass over the index, in the caller's current rayon
    /// pool.
    ///
    /// # Errors
    /// Those of opening, if PGN of which only tags were read must be read.
    pub fn summary(&self) -> Result<Summary> {
        self.on_progress(Progress::ignore).summary()
    }

    /// Returns why some names cannot be read, if so: the names file is damaged or missing. The
    /// first call reads the names file.
    #[must_use]
    pub fn names_damage(&self) -> Option<Error> {
        self.store().names_faults().0
    }
}
