//! The counts and times of a search.

use std::time::Duration;

#[cfg(feature = "serde")]
use tabiya_chess::serial::seconds;
use tabiya_formats::error::Error;

use crate::limits::DAMAGED_LISTED_MAX;

/// Counts and times of one search.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct Report {
    /// Games in the database.
    pub games: u64,
    /// Games that the index does not exclude.
    pub possible: u64,
    /// Games that match according to the index alone.
    pub certain: u64,
    /// Games that were decoded. Less than `possible - certain` if the search stopped early.
    pub decoded: u64,
    /// Games that match and were delivered.
    pub matched: u64,
    /// Damaged games among those decoded of which no half-move can be read. They do not match.
    pub damaged: u64,
    /// Damaged games among those decoded of which what is sound was searched: what is before the
    /// damage counts as the game.
    pub harmed: u64,
    /// The first of these; at most [`DAMAGED_LISTED_MAX`].
    pub harmed_games: Vec<Error>,
    /// The first [damaged](Report::damaged) games, each with its number, offset and fault; at most
    /// [`DAMAGED_LISTED_MAX`].
    pub damaged_games: Vec<Error>,
    /// Time for binding the query: names, stored lines.
    #[cfg_attr(feature = "serde", serde(serialize_with = "seconds"))]
    pub bind_time: Duration,
    /// Time for the pass over the index.
    #[cfg_attr(feature = "serde", serde(serialize_with = "seconds"))]
    pub index_time: Duration,
    /// Time for decoding and delivering games.
    #[cfg_attr(feature = "serde", serde(serialize_with = "seconds"))]
    pub decode_time: Duration,
    /// Whether the search ended before all games were examined: at its limit, or because it was
    /// interrupted.
    pub stopped_early: bool,
}

impl Report {
    /// Adds the damaged games of one part of the search.
    pub(crate) fn add_damaged(&mut self, damaged: Vec<Error>) {
        self.damaged += damaged.len() as u64;
        let room = DAMAGED_LISTED_MAX.saturating_sub(self.damaged_games.len());
        self.damaged_games.extend(damaged.into_iter().take(room));
    }

    /// Adds games of which only a part was searched.
    pub(crate) fn add_harmed(&mut self, harmed: Vec<Error>) {
        self.harmed += harmed.len() as u64;
        let room = DAMAGED_LISTED_MAX.saturating_sub(self.harmed_games.len());
        self.harmed_games.extend(harmed.into_iter().take(room));
    }

    /// Adds the damaged games of another search.
    pub(crate) fn add_damage_of(&mut self, other: Report) {
        self.add(Report {
            damaged: other.damaged,
            harmed: other.harmed,
            damaged_games: other.damaged_games,
            harmed_games: other.harmed_games,
            ..Report::default()
        });
    }

    /// Adds the report of the same search in another database.
    pub fn add(&mut self, other: Report) {
        self.games += other.games;
        self.possible += other.possible;
        self.certain += other.certain;
        self.decoded += other.decoded;
        self.matched += other.matched;
        let unlisted = other.harmed - other.harmed_games.len() as u64;
        self.add_harmed(other.harmed_games);
        self.harmed += unlisted;
        let unlisted = other.damaged - other.damaged_games.len() as u64;
        self.add_damaged(other.damaged_games);
        self.damaged += unlisted;
        self.bind_time += other.bind_time;
        self.index_time += other.index_time;
        self.decode_time += other.decode_time;
        self.stopped_early |= other.stopped_early;
    }

    /// Returns the total time of all steps.
    #[must_use]
    pub fn time(&self) -> Duration {
        self.bind_time + self.index_time + self.decode_time
    }
}
