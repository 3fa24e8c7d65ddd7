//! Counts many positions in one pass over a database.
//!
//! Searching for each position on its own would decode a game once for every position that the
//! index leaves open. Here a game is decoded once, and each of its positions is looked up among all
//! wanted ones. The games of a position are those that its `fen:` query finds.

mod asked;
mod epd;
mod lookout;
mod run;

use tabiya_chess::{Flow, Tally};
use tabiya_formats::{error::Result, progress::Progress};

pub(super) use self::lookout::{Lookout, PositionIndex};
use crate::{
    database::{Database, Needs, with_view},
    filter::GameSet,
    plan::Strategy,
    progress::WithProgress,
    query::{Fault, FenTest, Query},
    search::Report,
};

/// A position to count. As in the query language's `fen`, castling and en-passant rights are not
/// part of it, and without a side to move both sides match.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WantedPosition {
    /// The men and the side to move.
    pub fen: FenTest,
    /// The label in results; `None` to use the FEN.
    pub label: Option<String>,
}

impl WantedPosition {
    /// Creates a position without a label.
    #[must_use]
    pub const fn new(fen: FenTest) -> WantedPosition {
        WantedPosition { fen, label: None }
    }
}

/// Positions to count in one pass, with the options.
///
/// ```
/// use tabiya::{Database, Positions};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let database = Database::open("fixtures/famous.si4")?;
/// let positions = Positions::from_epd(
///     "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - id \"Open Game\";
///      rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - id \"Sicilian\";",
/// )?;
/// let counts = positions.run(&database)?;
/// for (position, count) in positions.wanted().iter().zip(counts.rows()) {
///     let name = position.label.as_deref().unwrap_or_default();
///     println!("{name}: {} games", count.tally.games());
/// }
/// # Ok(())
/// # }
/// ```
///
/// Work runs in the caller's current rayon pool. The counts do not depend on the number of threads.
#[derive(Debug, Clone, Default)]
#[must_use = "positions are not counted until it is run"]
pub struct Positions<'q> {
    wanted: Vec<WantedPosition>,
    query: Option<&'q Query>,
    among: Option<&'q GameSet>,
    variations: bool,
    strategy: Strategy,
    keeps_games: bool,
}

/// The games of one position.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PositionCount {
    /// The games by result.
    pub tally: Tally,
    /// The games themselves; empty unless [wanted](Positions::keep_games).
    pub games: GameSet,
}

/// The games of many positions.
#[derive(Debug, Clone, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PositionCounts {
    rows: Vec<PositionCount>,
    report: Report,
}

impl PositionCounts {
    /// Returns the counts, one per position, in the order of the positions.
    #[must_use]
    pub fn rows(&self) -> &[PositionCount] {
        &self.rows
    }

    /// Adds the counts of the same positions in another database. The games themselves are not
    /// kept, since their IDs belong to one database.
    pub fn add(&mut self, other: PositionCounts) {
        self.rows
            .resize_with(other.rows.len(), PositionCount::default);
        for (row, more) in self.rows.iter_mut().zip(&other.rows) {
            row.tally.merge(&more.tally);
            row.games = GameSet::default();
        }
        self.report.add(other.report);
    }

    /// Returns whether no game has any of the positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.report.matched == 0
    }

    /// Returns the counts and times. A game matches if it has at least one of the positions; it is
    /// certain if none of its positions is undecided.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }
}

impl<'q> Positions<'q> {
    /// Creates a search for positions in all main lines.
    pub fn new(wanted: Vec<WantedPosition>) -> Positions<'q> {
        Positions {
            wanted,
            ..Positions::default()
        }
    }

    /// Parses positions, one per line: a FEN, or its first four fields and EPD operations. The
    /// operation `id "..."` sets a label. Empty lines and lines that begin with `#` are skipped.
    ///
    /// # Errors
    /// At the first line that is none of these, with its place in the text.
    pub fn from_epd(text: &str) -> std::result::Result<Positions<'q>, Fault> {
        epd::read(text).map(Positions::new)
    }

    /// Returns the positions.
    #[must_use]
    pub fn wanted(&self) -> &[WantedPosition] {
        &self.wanted
    }

    /// Restricts the counts to games that match a query.
    pub fn query(mut self, query: &'q Query) -> Self {
        self.query = Some(query).filter(|query| **query != Query::All);
        self
    }

    /// Restricts the counts to these games, such as those that a search has found: they need not be
    /// searched for again.
    pub fn among(mut self, games: &'q GameSet) -> Self {
        self.among = Some(games);
        self
    }

    /// Sets whether variations count too, for the positions and for the query.
    pub fn variations(mut self, variations: bool) -> Self {
        self.variations = variations;
        self
    }

    /// Sets how games are found. Both strategies give the same counts.
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// Sets whether the games of each position are kept, and not only counted.
    pub fn keep_games(mut self, keep: bool) -> Self {
        self.keeps_games = keep;
        self
    }

    /// Returns the same with a callback for its progress.
    pub fn on_progress<F: FnMut(Progress) -> Flow>(&self, progress: F) -> WithProgress<&Self, F> {
        WithProgress::new(self, progress)
    }

    /// Counts in one pass over the index and the games that it leaves open.
    ///
    /// # Errors
    /// `Missing` if names or games are needed but missing; `Changed` if another program changes the
    /// database. A damaged game is not an error: it is listed in the report, and counts for the
    /// positions before the damage.
    pub fn run(&self, database: &Database) -> Result<PositionCounts> {
        self.on_progress(Progress::ignore).run(database)
    }
}

impl<F: FnMut(Progress) -> Flow> WithProgress<&Positions<'_>, F> {
    /// Counts the games of the positions. See [`Positions::run`].
    ///
    /// # Errors
    /// Those of [`Positions::run`]; `Interrupted` if the callback breaks.
    pub fn run(self, database: &Database) -> Result<PositionCounts> {
        let (positions, mut progress) = (self.work, self.progress);
        database.unchanged(|| {
            let opened = database.view(Needs::Moves, &mut progress)?;
            with_view!(opened, view => run::counts(positions, database, view, &mut progress))
        })
    }
}
