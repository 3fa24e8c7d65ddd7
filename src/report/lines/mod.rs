//! Lines: the moves that games play from a position, move after move, as a graph.
//!
//! The moves counted at each position are those of its [tree](super::tree): transpositions are
//! joined, and a game counts wherever it has a position, at whatever ply and by whatever moves.

mod book;
mod discover;
mod dot;
mod graph;
mod pgn;
mod run;
use std::borrow::Borrow;

use shakmaty::Color;
use tabiya_chess::Flow;
use tabiya_formats::{error::Result, progress::Progress};

pub use self::graph::{GraphMove, GraphNode, LineGraph, MovePlace};
pub(super) use self::graph::{grow, place_of};
use super::tree::TreePosition;
use crate::{
    database::Database, filter::GameSet, limits::LINE_DEPTH_MAX, plan::Strategy,
    progress::WithProgress, query::Query,
};

/// A search for the lines that games play from a position, with its options.
///
/// ```
/// use tabiya::{Database, Lines, TreePosition};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let base = [Database::open("fixtures/famous.si4")?];
/// let position = TreePosition::from_moves("1.e4 e5")?;
/// let lines = Lines::new(&position).depth(2).min_games(5).run(&base)?;
/// for played in lines.root().moves() {
///     println!("{} {} games", played.row.san, played.row.stats.games());
///     for reply in played.node.map(|node| lines.nodes()[node].moves()).unwrap_or_default() {
///         println!("    {} {} games", reply.row.san, reply.row.stats.games());
///     }
/// }
/// # Ok(())
/// # }
/// ```
///
/// Work runs in the caller's current rayon pool. The graph does not depend on the number of
/// threads.
#[derive(Debug, Clone)]
#[must_use = "lines are not found until it is run"]
pub struct Lines<'q> {
    position: &'q TreePosition,
    query: Option<&'q Query>,
    /// The only games that count, by database.
    among: Option<&'q [GameSet]>,
    variations: bool,
    strategy: Strategy,
    depth: u32,
    min_games: Option<u64>,
    min_share: f64,
    only: Option<Color>,
    /// Of lines of files: whose they are. Their moves stay in the order in which they are given;
    /// otherwise most games come first.
    owner: Option<Color>,
}

/// How deep lines go unless that is said, in half-moves.
const DEPTH: u32 = 8;

/// How deep those of files go at most: longer than any game, and little enough to write variations
/// in variations.
const OWN_DEPTH_MAX: u32 = 1200;

impl<'q> Lines<'q> {
    /// Creates a search over all games, for lines of 8 half-moves.
    pub fn new(position: &'q TreePosition) -> Lines<'q> {
        Lines {
            position,
            query: None,
            among: None,
            variations: false,
            strategy: Strategy::Auto,
            depth: DEPTH,
            min_games: None,
            min_share: 0.0,
            only: None,
            owner: None,
        }
    }

    /// Creates the lines of files, which have what is given, in its order.
    pub(super) fn of_repertoire(position: &'q TreePosition, owner: Color) -> Lines<'q> {
        Lines {
            depth: OWN_DEPTH_MAX,
            owner: Some(owner),
            ..Lines::new(position)
        }
    }

    /// Restricts the lines to games that match a query.
    pub fn query(mut self, query: &'q Query) -> Self {
        self.query = Some(query).filter(|query| **query != Query::All);
        self
    }

    /// Restricts the lines to these games, by database, such as those that a search has found: they
    /// need not be searched for again. All, if there are none.
    pub(super) fn among(mut self, games: Option<&'q [GameSet]>) -> Self {
        self.among = games;
        self
    }

    /// Sets whether variations count too, for the lines and for the query. A game then counts once
    /// for each move that one of its lines plays in a position.
    pub fn variations(mut self, variations: bool) -> Self {
        self.variations = variations;
        self
    }

    /// Sets how games are found. Both strategies give the same lines.
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// Sets how many half-moves lines have at most;
    /// [`LINE_DEPTH_MAX`] is the most.
    pub fn depth(mut self, plies: u32) -> Self {
        self.depth = plies.min(LINE_DEPTH_MAX);
        self
    }

    /// Leaves out moves that fewer games play. Unless it is set, that is one in a hundred of the
    /// games that have the position, and at least 2.
    pub fn min_games(mut self, games: u64) -> Self {
        self.min_games = Some(games);
        self
    }

    /// Leaves out moves that a smaller part, from 0 to 1, of the games play that have the position
    /// before the move.
    pub fn min_share(mut self, share: f64) -> Self {
        self.min_share = share;
        self
    }

    /// Lets lines end with a move of this side: replies of the other side to which no move of it is
    /// left are left out.
    pub fn only(mut self, side: Color) -> Self {
        self.only = Some(side);
        self
    }

    /// Returns the query for games that have the first position, so that databases can be
    /// [opened for it](crate::OpenOptions::for_query).
    #[must_use]
    pub fn to_query(&self) -> Query {
        let query = self.query.cloned().unwrap_or(Query::All);
        Query::all_of([query, self.position.to_query()])
    }

    /// Returns the least number of games of a move, when this many have the first position.
    fn least_games(&self, total: u64) -> u64 {
        let least = self.min_games;
        least.unwrap_or_else(|| total.div_ceil(100).max(2)).max(1)
    }

    /// Returns the lines of all these databases together. A sidecar answers for positions that many
    /// games have; for the others the games are played, those of the query if there is one: once
    /// for the first position and what follows it, and once for all positions that this leaves.
    ///
    /// # Errors
    /// `Missing` if names or games are needed but missing; `Changed` if another program changes a
    /// database; `LimitExceeded` for more than
    /// [`LINE_POSITIONS_MAX`](crate::limits::LINE_POSITIONS_MAX) positions. A damaged game is not
    /// an error: it is listed in the report, and what is sound of it counts.
    pub fn run(&self, databases: &[impl Borrow<Database>]) -> Result<LineGraph> {
        self.on_progress(Progress::ignore).run(databases)
    }

    /// Returns the same with a callback for its progress.
    pub fn on_progress<F: FnMut(Progress) -> Flow>(&self, progress: F) -> WithProgress<&Self, F> {
        WithProgress::new(self, progress)
    }
}

impl<F: FnMut(Progress) -> Flow> WithProgress<&Lines<'_>, F> {
    /// Returns the lines. See [`Lines::run`].
    ///
    /// # Errors
    /// Those of [`Lines::run`]; `Interrupted` if the callback breaks.
    pub fn run(self, databases: &[impl Borrow<Database>]) -> Result<LineGraph> {
        let mut progress = self.progress;
        let databases: Vec<&Database> = databases.iter().map(Borrow::borrow).collect();
        run::graph(self.work, &databases, &mut progress)
    }
}
