//! The opening tree: which moves were played in a position, how often, and with what success.
//!
//! For every game the move after the first occurrence of the position in the main line counts,
//! wherever in the game that is. Castling and en-passant rights are no part of the position, as
//! in the query language's `fen`.

mod next;
mod position;
mod row;
mod run;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub use self::{
    position::{PositionFault, TreePosition},
    row::{NextMove, TreeRow, TreeStats},
};
use crate::{
    chess::{Flow, GameId},
    database::{Database, with_view},
    error::{Error, Result},
    limits::DAMAGED_LISTED_MAX,
    plan::Strategy,
    query::Query,
    search::Progress,
};

/// A tree to be made, with its options.
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
/// Work runs in the caller's current rayon pool; the tree never depends on the number of
/// threads.
#[derive(Debug, Clone)]
#[must_use = "a tree is not made until it is run"]
pub struct TreeSearch<'q> {
    position: &'q TreePosition,
    query: Option<&'q Query>,
    variations: bool,
    strategy: Strategy,
    order: TreeOrder,
}

/// How the rows of a tree are sorted. Rows that are equal come by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TreeOrder {
    /// Most games first.
    #[default]
    Games,
    /// Best score for the side to move first; without results last.
    Score,
    /// Highest average rating of the side to move first; without ratings last.
    Rating,
    /// By the text of the move.
    Name,
}

/// The moves that were played in one position.
#[derive(Debug, Clone)]
pub struct Tree {
    rows: Vec<TreeRow>,
    total: TreeStats,
    report: TreeReport,
    order: TreeOrder,
}

/// Counts and time of making one tree.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct TreeReport {
    /// Games in the database.
    pub games: u64,
    /// Games that were decoded; one that was decoded for the query and again for its next move
    /// counts twice.
    pub decoded: u64,
    /// Games in the tree.
    pub matched: u64,
    /// Damaged games that were met. They are not in the tree.
    pub damaged: u64,
    /// The first of them; at most [`DAMAGED_LISTED_MAX`].
    pub damaged_games: Vec<Error>,
    /// Time of everything.
    pub time: Duration,
}

impl TreeReport {
    fn add(&mut self, other: TreeReport) {
        self.games += other.games;
        self.decoded += other.decoded;
        self.matched += other.matched;
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

    /// Returns the sums of all rows.
    #[must_use]
    pub fn total(&self) -> &TreeStats {
        &self.total
    }

    /// Returns whether no game reaches the position.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a tree of the same position over another database: rows of one move become one. The
    /// order of the rows stays.
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

    /// Returns what making the tree cost.
    #[must_use]
    pub fn report(&self) -> &TreeReport {
        &self.report
    }
}

impl<'q> TreeSearch<'q> {
    /// Prepares a tree over all games, sorted by games.
    pub fn new(position: &'q TreePosition) -> TreeSearch<'q> {
        TreeSearch {
            position,
            query: None,
            variations: false,
            strategy: Strategy::Auto,
            order: TreeOrder::Games,
        }
    }

    /// Takes only the games that match a query.
    pub fn query(mut self, query: &'q Query) -> Self {
        self.query = Some(query).filter(|query| **query != Query::All);
        self
    }

    /// Whether the query's conditions on positions look in variations too. The tree itself is
    /// always one of main lines.
    pub fn variations(mut self, variations: bool) -> Self {
        self.variations = variations;
        self
    }

    /// Chooses how games are found. Both ways give the same tree.
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// Chooses the order of the rows.
    pub fn order(mut self, order: TreeOrder) -> Self {
        self.order = order;
        self
    }

    /// Makes the tree: one pass over the index; games whose stored line does not tell the move
    /// are decoded up to it.
    ///
    /// # Errors
    /// `Missing` when names or games are needed and not there; `Changed` when another program
    /// changes the database. A damaged game is no error: it
    /// is listed in the report.
    pub fn run(&self, database: &Database) -> Result<Tree> {
        self.run_with_progress(database, |_| Flow::Continue(()))
    }

    /// As [`run`](TreeSearch::run), and calls `progress` now and then.
    ///
    /// # Errors
    /// As [`run`](TreeSearch::run); `Interrupted` when `progress` breaks.
    pub fn run_with_progress(
        &self,
        database: &Database,
        mut progress: impl FnMut(Progress) -> Flow,
    ) -> Result<Tree> {
        let (tree, _) = self.execute(database, false, &mut progress)?;
        Ok(tree)
    }

    /// As [`run_with_progress`](TreeSearch::run_with_progress), and returns the games of the
    /// tree too, ascending, which is less work than to search for them. 4 bytes for each.
    ///
    /// # Errors
    /// As [`run_with_progress`](TreeSearch::run_with_progress).
    pub fn run_with_games(
        &self,
        database: &Database,
        mut progress: impl FnMut(Progress) -> Flow,
    ) -> Result<(Tree, Vec<GameId>)> {
        self.execute(database, true, &mut progress)
    }

    /// Returns how each of some games goes on after it first has the position; `None` for one
    /// that does not have it, and for one that is damaged before it does. The query is not asked.
    /// O(moves up to there).
    ///
    /// # Errors
    /// `Missing` without a games file; `Changed` when another program changes the database.
    pub fn next_moves(
        &self,
        database: &Database,
        games: &[GameId],
    ) -> Result<Vec<Option<NextMove>>> {
        database.unchanged(
            || with_view!(database, view => run::next_moves(self, database, view, games)),
        )
    }

    fn execute(
        &self,
        database: &Database,
        lists_games: bool,
        progress: &mut dyn FnMut(Progress) -> Flow,
    ) -> Result<(Tree, Vec<GameId>)> {
        database.unchanged(
            || with_view!(database, view => run::tree(self, database, view, lists_games, progress)),
        )
    }
}
