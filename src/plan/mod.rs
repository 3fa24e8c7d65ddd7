//! A query bound to a database: which clauses the index answers, which need decoding.

mod bind;
mod compile;
pub(crate) mod decide;
pub(crate) mod explain;
mod flags;
mod numbered;

pub(crate) use bind::names_of;

use std::sync::Arc;

use crate::{
    chess::text::Needle,
    database::Database,
    error::Result,
    filter::{
        self, Bounds, Node,
        tests::{CountSlot, Range},
    },
    format::{Ask, View},
    pattern::{KingPlaces, automaton::Automaton, path::PiecePath, weights::Weights},
    query::{Query, TextField},
    sidecar::Sidecar,
};

/// How games are found. Both give the same games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Strategy {
    /// The index decides what it can; only the other games are decoded.
    #[default]
    Auto,
    /// Every game is decoded for every condition that decoding can answer. The reference that
    /// everything else is compared with.
    FullDecode,
}

/// A query bound to a database.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The whole query, as the index sees it.
    pub(crate) node: Node,
    /// What the numbers in [`Node::Test`] stand for.
    pub(crate) clauses: Vec<Clause>,
    /// Variations are searched too.
    pub(crate) variations: bool,
    /// Whether the index may answer for positions.
    pub(crate) strategy: Strategy,
    /// A sidecar with columns, if they may answer.
    pub(crate) columns: Option<Arc<Sidecar>>,
    /// The only clause that the index may leave open, if there is just one, and whether the
    /// query asks for its contrary. What the index does not decide is then up to this clause
    /// alone.
    pub(crate) sole_open: Option<(usize, bool)>,
}

/// One clause: what to print for it and what to do about it when the index cannot tell.
#[derive(Debug)]
pub(crate) struct Clause {
    /// The clause as text.
    pub(crate) text: String,
    /// What serves it, in words.
    pub(crate) served_by: &'static str,
    pub(crate) decode: Decode,
}

/// What decoding must find out about a game.
#[derive(Debug)]
pub(crate) enum Decode {
    /// Nothing: the index always tells. A test that may leave games open needs something else.
    Nothing,
    /// The number of half-moves.
    Plies(Range),
    /// The number of full moves.
    Moves(Range),
    /// The number of comments, variations or NAGs.
    Count(CountSlot, Range),
    /// Promotions of the main line and its start, as flag bits.
    Flags(u32),
    /// Whether the game is one of Chess960: by its start position or by its tag.
    Chess960,
    /// A tag that the index does not hold.
    Tag(TextField, TagTest),
    /// Some comment passes.
    Comment(TagTest),
    /// One piece's path, and where it leads the kings.
    Path(Box<PiecePath>, Option<KingPlaces>),
    /// Positions.
    Position(Box<Positions>),
}

/// What positions must be like.
#[derive(Debug)]
pub(crate) struct Positions {
    pub(crate) automaton: Automaton,
    /// Sums for each alternative of the automaton, where they can replace it.
    pub(crate) weights: Option<Vec<Weights>>,
    /// Where the kings must come to: what can be told of a game before it is played. `None` if
    /// the pattern does not say, or if nothing but playing counts.
    pub(crate) kings: Option<KingPlaces>,
}

/// How a tag's value or a comment is tested.
#[derive(Debug)]
pub(crate) enum TagTest {
    Has(Needle),
    Equals(String),
    Present,
}

impl TagTest {
    pub(crate) fn passes(&self, value: &str) -> bool {
        match self {
            TagTest::Has(needle) => needle.is_in(value),
            TagTest::Equals(text) => value == text,
            TagTest::Present => true,
        }
    }

    /// Returns whether a game without the tag passes. Its value counts as an empty text.
    pub(crate) fn passes_absent(&self) -> bool {
        match self {
            TagTest::Present => false,
            other => other.passes(""),
        }
    }
}

impl Plan {
    /// Binds a query to a database. O(names) for conditions on names, else O(size of the query).
    ///
    /// # Errors
    /// `Missing` when the query asks for names and there are none; `Unsupported` for what this
    /// version cannot answer; `LimitExceeded` for more than `QUERY_CONDITIONS_MAX` conditions;
    /// `Interrupted` when `ask`, which is called if this takes long, breaks.
    pub(crate) fn new(
        query: &Query,
        database: &Database,
        strategy: Strategy,
        variations: bool,
        ask: Ask<'_>,
    ) -> Result<Plan> {
        bind::plan(query, database, strategy, variations, ask)
    }

    /// Returns what is known of all games without decoding any. With `wants_plies`, a game is
    /// called certain only if the ply at which it matches is known too.
    ///
    /// # Errors
    /// `Interrupted` when `ask`, which is called if this takes long, breaks.
    pub(crate) fn bounds<V: View>(
        &self,
        view: V,
        wants_plies: bool,
        ask: Ask<'_>,
    ) -> Result<Bounds> {
        filter::bounds(&self.node, view, self.columns.as_deref(), wants_plies, ask)
    }

    /// Returns whether every game is decoded: by strategy, unless the query asks nothing that
    /// decoding could answer.
    pub(crate) fn decodes_every_game(&self) -> bool {
        let mut clauses = self.clauses.iter();
        self.strategy == Strategy::FullDecode
            && clauses.any(|clause| !matches!(clause.decode, Decode::Nothing))
    }

    /// Returns whether matches have a ply: whether the query asks about positions.
    pub(crate) fn has_positions(&self) -> bool {
        let mut clauses = self.clauses.iter();
        clauses.any(|clause| matches!(clause.decode, Decode::Position(_) | Decode::Path(..)))
    }
}
