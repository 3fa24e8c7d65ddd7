//! The opening tree: the moves played in a position, with their counts and results.
//!
//! For every game the move after the first occurrence of the position in the main line counts, at
//! any ply; with variations all moves that its lines play in the position. Castling and en-passant
//! rights are not part of the position, as in the query language's `fen`.

mod book;
mod next;
mod position;
mod row;
mod run;
#[cfg(feature = "serde")]
mod serial;
#[cfg(test)]
mod tests;

use std::time::Duration;

#[cfg(feature = "serde")]
use tabiya_chess::serial::seconds;
use tabiya_chess::{Flow, GameId};
use tabiya_formats::{
    error::{Error, Result},
    progress::Progress,
};

pub(super) use self::next::{Writer, decoded, legal};
pub use self::{
    position::TreePosition,
    row::{NextMove, TreeRow, TreeStats},
};
use crate::{
    database::{Database, Needs, with_view},
    filter::GameSet,
    limits::DAMAGED_LISTED_MAX,
    plan::Strategy,
    progress::WithProgress,
    query::Query,
};

/// A tree search with its options.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tabiya::{Database, TreePosition, TreeSearch};
///
/// let database = Database::open("fixtures/famous.si4")?;
/// let position = TreePosition::from_moves("1.e4 e5")?;
/// let tree = TreeSearch::new(&position).run(&database)?;
/// for row in tree.rows() {
///     println!("{} {} games", row.san, row.stats.games());
/// }
/// # Ok(())
/// # }
/// ```
///
/// Work runs in the caller's current rayon pool. The tree does not depend on the number of threads.
#[derive(Debug, Clone)]
#[must_use = "a tree is not made until it is run"]
pub struct TreeSearch<'q> {
    position: &'q TreePosition,
    query: Option<&'q Query>,
    among: Option<&'q GameSet>,
    variations: bool,
    strategy: Strategy,
    order: TreeOrder,
}

/// The order of a tree's rows. Equal rows are sorted by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum TreeOrder {
    /// Most games first.
    #[default]
    Games,
    /// Best score for the side to move first; rows without results last.
    Score,
    /// Highest average rating of the side to move first; rows without ratings last.
    Rating,
    /// By the text of the move.
    Name,
}

/// The moves that were played in one position.
///
/// Serialized (feature `serde`), it has `total` and `rows`, whose means have one decimal:
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tabiya::{Database, TreePosition, TreeSearch};
///
/// let database = Database::open("fixtures/famous.si4")?;
/// let tree = TreeSearch::new(&TreePosition::default()).run(&database)?;
/// # #[cfg(feature = "serde")] {
/// let json = serde_json::to_value(&tree)?;
/// assert_eq!(json["rows"][0]["uci"], "e2e4");
/// assert_eq!(json["rows"][0]["games"], 47);
/// # }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Tree {
    total: TreeStats,
    rows: Vec<TreeRow>,
    #[cfg_attr(feature = "serde", serde(skip))]
    report: TreeReport,
    #[cfg_attr(feature = "serde", serde(skip))]
    order: TreeOrder,
}

/// Counts and time of a tree search.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct TreeReport {
    /// Games in the database.
    pub games: u64,
    /// Games that were decoded; a game that was decoded for the query and again for its next move
    /// counts twice.
    pub decoded: u64,
    /// Games in the tree.
    pub matched: u64,
    /// Damaged games among those decoded of which no half-move can be read. They are not in the
    /// tree.
    pub damaged: u64,
    /// Damaged games among those decoded of which what is sound was searched: what is before the
    /// damage counts as the game. They may count twice, as those [decoded](TreeReport::decoded) do.
    pub harmed: u64,
    /// The first damaged games; at most [`DAMAGED_LISTED_MAX`].
    pub damaged_games: Vec<Error>,
    /// Total time.
    #[cfg_attr(feature = "serde", serde(serialize_with = "seconds"))]
    pub time: Duration,
}

impl TreeReport {
    fn add(&mut self, other: TreeReport) {
        self.games += other.games;
        self.decoded += other.decoded;
        self.matched += other.matched;
        self.harmed += other.harmed;
        self.time += other.time;
        let unlisted = other.damaged - other.damaged_games.len() as u64;
        self.add_damaged(other.damaged_games);
        self.damaged += unlisted;
    }

    fn add_damaged(&mut self, damaged: Vec<Error>) {
        self.damaged += damaged.len() as u64;
        let room = DAMAGED_LISTED_MAX.saturating_sub(self.damaged_games.len());
        self.damaged_games.extend(damaged.into_iter().take(room));
    }
}

impl Tree {
    /// Returns a row for each move, and one for the games that end in the position, if any.
    #[must_use]
    pub fn rows(&self) -> &[TreeRow] {
        &self.rows
    }

    /// Returns the statistics of all games: the sums of the rows, but for a tree [with
    /// variations](TreeSearch::variations), in which a game may have several moves.
    #[must_use]
    pub fn total(&self) -> &TreeStats {
        &self.total
    }

    /// Returns whether no game reaches the position.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a tree of the same position over another database: rows of the same move are merged.
    /// The order of the rows is kept.
    pub fn add(&mut self, other: Tree) {
        for row in other.rows {
            match self.rows.iter_mut().find(|known| known.next == row.next) {
                Some(known) => known.stats.merge(&row.stats),
                None => self.rows.push(row),
            }
        }
        self.total.merge(&other.total);
        self.report.add(other.report);
        run::sort(&mut self.rows, self.order, self.total.turn());
    }

    /// Returns the counts and time of the search.
    #[must_use]
    pub fn report(&self) -> &TreeReport {
        &self.report
    }
}

impl<'q> TreeSearch<'q> {
    /// Creates a search over all games, sorted by number of games.
    pub fn new(position: &'q TreePosition) -> TreeSearch<'q> {
        TreeSearch {
            position,
            query: None,
            among: None,
            variations: false,
            strategy: Strategy::Auto,
            order: TreeOrder::Games,
        }
    }

    /// Restricts the tree to games that match a query.
    pub fn query(mut self, query: &'q Query) -> Self {
        self.query = Some(query).filter(|query| **query != Query::All);
        self
    }

    /// Restricts the tree to these games, such as those that a search has found: several trees of
    /// one query then search for it once.
    pub fn among(mut self, games: &'q GameSet) -> Self {
        self.among = Some(games);
        self
    }

    /// Sets whether variations count too, for the position and for the query. A game then counts
    /// once for each move that one of its lines plays in the position, and once in the
    /// [total](Tree::total); opening codes are not counted.
    pub fn variations(mut self, variations: bool) -> Self {
        self.variations = variations;
        self
    }

    /// Returns the query for the games of the tree, so that a database can be
    /// [opened for it](crate::OpenOptions::for_query).
    #[must_use]
    pub fn to_query(&self) -> Query {
        let query = self.query.cloned().unwrap_or(Query::All);
        Query::all_of([query, self.position.to_query()])
    }

    /// Sets how games are found. Both strategies give the same tree.
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// Sets the order of the rows.
    pub fn order(mut self, order: TreeOrder) -> Self {
        self.order = order;
        self
    }

    /// Returns the tree. Makes one pass over the index; games whose next move does not follow from
    /// their stored line are decoded up to it.
    ///
    /// # Errors
    /// `Missing` if names or games are needed but missing; `Changed` if another program changes the
    /// database. A damaged game is not an error: it is listed in the report.
    pub fn run(&self, database: &Database) -> Result<Tree> {
        self.on_progress(Progress::ignore).run(database)
    }

    /// Like [`run`](TreeSearch::run), and returns the games of the tree
    /// too, ascending, which is cheaper than searching for them. 4 bytes each.
    ///
    /// # Errors
    /// Those of [`run`](TreeSearch::run).
    pub fn run_with_games(&self, database: &Database) -> Result<(Tree, Vec<GameId>)> {
        self.on_progress(Progress::ignore).run_with_games(database)
    }

    /// Returns the same with a callback for its progress.
    pub fn on_progress<F: FnMut(Progress) -> Flow>(&self, progress: F) -> WithProgress<&Self, F> {
        WithProgress::new(self, progress)
    }

    /// Returns the next move of each game after its first occurrence of the position; `None` for a
    /// game without the position, or damaged before it. The query is ignored. O(moves up to the
    /// position).
    ///
    /// # Errors
    /// `Missing` without a games file; `Changed` if another program changes the database.
    pub fn next_moves(
        &self,
        database: &Database,
        games: &[GameId],
    ) -> Result<Vec<Option<NextMove>>> {
        database.unchanged(
            || with_view!(database.tags(), view => run::next_moves(self, database, view, games)),
        )
    }

    fn execute(
        &self,
        database: &Database,
        lists_games: bool,
        progress: &mut dyn FnMut(Progress) -> Flow,
    ) -> Result<(Tree, Vec<GameId>)> {
        let asked = self.to_query();
        database.unchanged(|| {
            with_view!(database.view(Needs::of(&asked), progress)?, view => {
                run::tree(self, database, view, lists_games, progress)
            })
        })
    }
}

impl<F: FnMut(Progress) -> Flow> WithProgress<&TreeSearch<'_>, F> {
    /// Returns the tree. See [`TreeSearch::run`].
    ///
    /// # Errors
    /// Those of [`TreeSearch::run`]; `Interrupted` if the callback breaks.
    pub fn run(mut self, database: &Database) -> Result<Tree> {
        let (tree, _) = self.work.execute(database, false, &mut self.progress)?;
        Ok(tree)
    }

    /// Returns the tree and its games. See [`TreeSearch::run_with_games`].
    ///
    /// # Errors
    /// Those of [`TreeSearch::run`]; `Interrupted` if the callback breaks.
    pub fn run_with_games(mut self, database: &Database) -> Result<(Tree, Vec<GameId>)> {
        self.work.execute(database, true, &mut self.progress)
    }
}
