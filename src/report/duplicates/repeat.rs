//! What is found of games that are there more than once.

use tabiya_chess::GameId;
use tabiya_formats::error::Error;

use crate::{database::Database, filter::GameSet};

/// A game of one of several databases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct Located {
    /// The place of the database: those that are searched from 0, then those that are only
    /// [looked up](crate::Dedupe::against).
    pub database: usize,
    /// The game.
    pub game: GameId,
}

/// Why a game is kept and not another one that is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub enum KeptFor {
    /// It is in a database that is only looked up.
    Known,
    /// Its main line is longer.
    Longer,
    /// It has more comments, variations and marks of moves.
    Annotated,
    /// It has more of date, event, site, round and result.
    MoreTags,
    /// It has more ratings.
    Rated,
    /// It comes first.
    First,
}

impl KeptFor {
    /// Returns the reason in words.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            KeptFor::Known => "known",
            KeptFor::Longer => "longer",
            KeptFor::Annotated => "annotated",
            KeptFor::MoreTags => "more tags",
            KeptFor::Rated => "rated",
            KeptFor::First => "first",
        }
    }
}

/// A game that is the same as one that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct Repeat {
    /// The worse game.
    pub game: Located,
    /// The better one.
    pub kept: Located,
    /// Why it is kept.
    pub reason: KeptFor,
}

/// The result of [`Dedupe::run`](crate::Dedupe::run).
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Repeats {
    /// Each game that repeats one that is kept, in order.
    pub repeats: Vec<Repeat>,
    /// Games of which a player is not named, in the databases that were searched. They were
    /// compared with none, unless only moves count.
    pub unnamed: u64,
    /// Games that had to be decoded whole.
    pub decoded: u64,
    /// Damaged games among those that were looked at. They repeat nothing.
    pub damaged: u64,
    /// The first damaged games; at most
    /// [`DAMAGED_LISTED_MAX`](crate::limits::DAMAGED_LISTED_MAX).
    pub damaged_games: Vec<Error>,
}

impl Repeats {
    /// Returns the games of one database that repeat others.
    #[must_use]
    pub fn games(&self, database: usize) -> GameSet {
        let repeats = self.repeats.iter().map(|repeat| repeat.game);
        let of_database = repeats.filter(|at| at.database == database);
        of_database.map(|at| at.game).collect()
    }

    /// Returns the games of the databases that were searched, without those that repeat others.
    #[must_use]
    pub fn kept<'d>(&self, searched: &[&'d Database]) -> Vec<(&'d Database, GameId)> {
        let of_each = searched.iter().enumerate().flat_map(|(place, &database)| {
            let worse = self.games(place);
            let kept = database.games().filter(move |&game| !worse.contains(game));
            kept.map(move |game| (database, game))
        });
        of_each.collect()
    }
}
