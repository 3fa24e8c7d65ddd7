//! A query bound to a database: which clauses the index answers, which need decoding.

mod bind;
mod compile;
pub(crate) mod decide;
pub(crate) mod explain;
mod flags;
mod games;
mod lines;
mod names;
mod numbered;
mod ranges;
mod remarks;
mod repertoire;
mod shift;
mod terms;

pub(crate) use bind::names_of;
use repertoire::Beside;
use tabiya_chess::{Speed, opening_names::OpeningNumbers, requirements::KingPlaces, text::Needle};
use tabiya_formats::{Ask, View, error::Result};

use std::sync::Arc;

use regex::Regex;

use crate::{
    database::Database,
    filter::{
        self, Bounds, GameSet, Node,
        index_test::{CountSlot, Range},
    },
    pattern::{automaton::Automaton, path::PiecePath, sum_weights::SumWeights},
    query::{Compare, Decimal, Moves, QualityField, Query, TagNumber, TextField},
    sidecar::Sidecar,
};

/// How games are found. Both strategies give the same games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Strategy {
    /// The index decides what it can; only the remaining games are decoded.
    #[default]
    Auto,
    /// Every game is decoded for every condition that decoding can answer. The reference for all
    /// comparisons.
    FullDecode,
}

/// A query bound to a database.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The whole query, as the index evaluates it.
    pub(crate) node: Node,
    /// The clauses, by the numbers in [`Node::Test`].
    pub(crate) clauses: Vec<Clause>,
    /// Whether variations are searched too.
    pub(crate) variations: bool,
    /// Whether the index may decide positions.
    pub(crate) strategy: Strategy,
    /// The sidecar, if it may be used.
    pub(crate) sidecar: Option<Arc<Sidecar>>,
    /// The only clause that the index may leave open, if there is exactly one, and whether the
    /// query negates it. What the index leaves open is then decided by this clause alone.
    pub(crate) sole_open: Option<(usize, bool)>,
}

/// One clause: its text, and how to decide it if the index cannot.
#[derive(Debug)]
pub(crate) struct Clause {
    /// The clause as text.
    pub(crate) text: String,
    /// What answers it, in words.
    pub(crate) served_by: &'static str,
    pub(crate) decode: Decode,
}

/// What must be decoded to decide a clause.
#[derive(Debug)]
pub(crate) enum Decode {
    /// Nothing: the index always decides. A test that may leave games open needs another variant.
    Nothing,
    /// The number of plies.
    Plies(Range),
    /// The number of full moves.
    Moves(Range),
    /// The number of comments, variations or NAGs.
    Count(CountSlot, Range),
    /// Promotions of the main line and its start, as flag bits.
    Flags(u32),
    /// Whether the game is one of Chess960: by its start position or by its tag.
    Chess960,
    /// A tag that the index does not store.
    Tag(TextField, TagTest),
    /// The name of the opening.
    Opening(OpeningNumbers),
    /// How the game goes beside a file's lines.
    Beside(Box<Beside>),
    /// Whether some comment passes.
    Comment(TagTest),
    /// The path of one piece, and the squares where it requires the kings.
    Path(Box<PiecePath>, Option<KingPlaces>),
    /// A condition on positions.
    Position(Box<Positions>),
    /// The moves with which the main line begins.
    Line(Box<Moves>),
    /// How well a side played.
    Quality(QualityField, Compare<Decimal>),
    TagNumber(TagNumber, Range),
}

/// A condition on positions.
#[derive(Debug)]
pub(crate) struct Positions {
    pub(crate) automaton: Automaton,
    /// Sums for each alternative of the automaton, if they can replace it.
    pub(crate) weights: Option<Vec<SumWeights>>,
    /// The squares where the kings must be, to exclude games before playing them. `None` if the
    /// pattern does not restrict them, or if every game is to be decoded.
    pub(crate) kings: Option<KingPlaces>,
    /// Whether a match has a place.
    pub(crate) has_place: bool,
}

/// How a tag's value or a comment is tested.
#[derive(Debug)]
pub(crate) enum TagTest {
    Has(Needle),
    Equals(String),
    Present,
    /// The value is a time control of this speed, or of none.
    Speed(Option<Speed>),
    /// Nothing but spaces.
    Blank,
    /// The regular expression is found.
    Matches(Box<Regex>),
    /// Nothing passes.
    Nothing,
}

impl TagTest {
    pub(crate) fn passes(&self, value: &str) -> bool {
        match self {
            TagTest::Has(needle) => needle.is_in(value),
            TagTest::Equals(text) => value == text,
            TagTest::Present => true,
            TagTest::Speed(speed) => !value.trim().is_empty() && Speed::of_tag(value) == *speed,
            TagTest::Blank => value.trim().is_empty(),
            TagTest::Matches(regex) => !value.is_empty() && regex.is_match(value),
            TagTest::Nothing => false,
        }
    }

    /// Returns whether a game without the tag passes. A missing tag counts as an empty text.
    pub(crate) fn passes_absent(&self) -> bool {
        match self {
            TagTest::Present | TagTest::Speed(_) | TagTest::Matches(_) | TagTest::Nothing => false,
            other => other.passes(""),
        }
    }
}

impl Plan {
    /// Binds a query to a database. O(names) for conditions on names, otherwise O(size of the
    /// query).
    ///
    /// # Errors
    /// `Missing` if the query needs names and there are none; `Unsupported` for what this version
    /// cannot answer; `LimitExceeded` for more than `QUERY_CONDITIONS_MAX` conditions;
    /// `Interrupted` if `ask`, which is called at intervals, breaks.
    pub(crate) fn new(
        query: &Query,
        database: &Database,
        strategy: Strategy,
        variations: bool,
        ask: Ask<'_>,
    ) -> Result<Plan> {
        bind::plan(query, database, strategy, variations, ask)
    }

    /// Returns the bounds of all games, or among some, without decoding any. With `wants_plies`, a
    /// game is called certain only if the ply of its match is known too.
    ///
    /// # Errors
    /// `Interrupted` if `ask`, which is called at intervals, breaks.
    pub(crate) fn bounds<V: View>(
        &self,
        view: V,
        (among, wants_plies): (Option<&GameSet>, bool),
        ask: Ask<'_>,
    ) -> Result<Bounds> {
        let sidecar = self.sidecar.as_deref();
        filter::bounds(&self.node, view, sidecar, (among, wants_plies), ask)
    }

    /// Returns whether every game is decoded, as [`Strategy::FullDecode`] requires unless no clause
    /// can be decided by decoding.
    pub(crate) fn decodes_every_game(&self) -> bool {
        let mut clauses = self.clauses.iter();
        self.strategy == Strategy::FullDecode
            && clauses.any(|clause| !matches!(clause.decode, Decode::Nothing))
    }

    /// Returns whether the query asks about positions, so that matches have a ply.
    pub(crate) fn has_positions(&self) -> bool {
        let mut clauses = self.clauses.iter();
        clauses.any(|clause| {
            matches!(
                clause.decode,
                Decode::Position(_) | Decode::Path(..) | Decode::Line(_)
            )
        })
    }
}
