//! How games go beside the lines of a repertoire: where they leave it and by whose move, what it
//! does not answer, and which of its lines come.

mod moves;
mod page;
mod pass;
mod tell;

use std::borrow::Borrow;

use shakmaty::Color;
use tabiya_chess::{Flow, GameId};
use tabiya_formats::{error::Result, progress::Progress};

pub use self::moves::RepertoireMove;
use super::{
    lines::LineGraph,
    tree::{NextMove, TreeStats},
};
use crate::{
    database::Database, progress::WithProgress, query::Query, repertoire::Repertoire,
    search::Report,
};

/// A comparison of games with somebody's repertoire, with its options.
///
/// A game leaves the repertoire after the last of its positions that the files have, so a game that
/// comes back by another order of moves has not left. Only main lines of games count.
///
/// ```
/// use tabiya::{Database, LeftBy, Repertoire, RepertoireCheck, chess::Color};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let repertoire = Repertoire::of(&[Database::open("fixtures/lines/white.pgn")?])?;
/// let base = [Database::open("fixtures/famous.si4")?];
/// let query = "white:morphy".parse()?;
/// let check = RepertoireCheck::new(&repertoire, Color::White).query(&query).run(&base)?;
/// for place in check.places().iter().filter(|place| place.left == LeftBy::Me) {
///     println!("{} games: {} and not {:?}", place.stats.games(), place.line, place.answers);
/// }
/// for gap in check.gaps() {
///     println!("{} is played in {} games", gap.line, gap.stats.games());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is compared until it is run"]
pub struct RepertoireCheck<'r> {
    repertoire: &'r Repertoire,
    color: Color,
    query: Option<&'r Query>,
    gap_share: f64,
    min_games: Option<u64>,
}

/// What part of the games that have a position must play a reply that counts as a gap, unless that
/// is said.
const GAP_SHARE: f64 = 0.05;

/// How a game leaves a repertoire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LeftBy {
    /// By a move of the side whose repertoire it is, where the files have another.
    Me,
    /// By a move of the other side, where the files have another.
    Opponent,
    /// The files have no move in the position, and the game goes on.
    FileEnds,
    /// The game ends in a position of the files.
    GameEnds,
}

impl LeftBy {
    /// Returns the name: `me`, `opponent`, `file ends` or `game ends`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            LeftBy::Me => "me",
            LeftBy::Opponent => "opponent",
            LeftBy::FileEnds => "file ends",
            LeftBy::GameEnds => "game ends",
        }
    }
}

/// What was found out about games and a repertoire.
#[derive(Debug, Clone)]
pub struct RepertoireReport {
    color: Color,
    graphs: Vec<LineGraph>,
    games: Vec<LeavingGame>,
    places: Vec<LeavingPlace>,
    gaps: Vec<RepertoireGap>,
    lines: Vec<RepertoireLine>,
    unplayed: Vec<RepertoireLine>,
    outside: u64,
    /// Damaged games of the files.
    damaged_lines: u64,
    report: Report,
}

/// A game and where it leaves the repertoire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeavingGame {
    /// The index of its database.
    pub database: usize,
    /// The game.
    pub game: GameId,
    /// The ply with which it leaves, 1 for its first move; `None` if it ends in the files.
    pub ply: Option<u32>,
    /// Its last position that the files have, in the [places](RepertoireReport::places).
    pub place: usize,
    /// The next move of the game.
    pub next: NextMove,
}

/// A position of the repertoire after which games leave it in the same way.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LeavingPlace {
    /// The moves to it as the files have them first, in SAN with numbers; empty for a start
    /// position.
    pub line: String,
    /// The position as FEN.
    pub fen: String,
    /// How the games leave.
    pub left: LeftBy,
    /// The moves that the files have there, in SAN with numbers, in their order.
    pub answers: Vec<String>,
    /// What the games play there, most games first.
    pub played: Vec<PlayedMove>,
    /// The statistics of these games. Ratings are those of the side whose repertoire it is.
    pub stats: TreeStats,
}

/// A move and the number of games that leave with it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlayedMove {
    /// The move.
    pub next: NextMove,
    /// The same in SAN with its number.
    pub san: String,
    /// The number of games.
    pub games: u64,
}

/// A reply of the other side that the repertoire does not answer, though it has other replies there
/// or ends with this one.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RepertoireGap {
    /// The moves of the files, then the reply, in SAN with numbers.
    pub line: String,
    /// The reply.
    pub next: NextMove,
    /// The position after it as FEN.
    pub fen: String,
    /// Whether the files have the reply, as the last move of a line.
    pub is_in_file: bool,
    /// The statistics of the games that play it in the position, by whatever moves they came there.
    pub stats: TreeStats,
    /// The statistics of all games that have the position before it.
    pub total: TreeStats,
}

/// A line of the repertoire.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RepertoireLine {
    /// Its moves in SAN with numbers.
    pub line: String,
    /// How many lines of the files begin so.
    pub lines: u64,
    /// The statistics of the games that play its last move in its last position but one, by
    /// whatever moves they came there.
    pub stats: TreeStats,
}

impl<'r> RepertoireCheck<'r> {
    /// Creates a comparison of all games with the repertoire of one side.
    pub fn new(repertoire: &'r Repertoire, color: Color) -> RepertoireCheck<'r> {
        RepertoireCheck {
            repertoire,
            color,
            query: None,
            gap_share: GAP_SHARE,
            min_games: None,
        }
    }

    /// Restricts the games to those that match a query.
    pub fn query(mut self, query: &'r Query) -> Self {
        self.query = Some(query).filter(|query| **query != Query::All);
        self
    }

    /// Sets what part, from 0 to 1, of the games that have a position must play a reply that counts
    /// as a gap: a twentieth unless it is set.
    pub fn gap_share(mut self, share: f64) -> Self {
        self.gap_share = share;
        self
    }

    /// Sets how many games must play such a reply: 2 unless it is set.
    pub fn min_games(mut self, games: u64) -> Self {
        self.min_games = Some(games);
        self
    }

    /// Compares the games of all these databases together. Plays each game twice.
    ///
    /// # Errors
    /// Those of a search; `LimitExceeded` for a repertoire of more than
    /// [`LINE_POSITIONS_MAX`](crate::limits::LINE_POSITIONS_MAX) positions. A damaged game is no
    /// error: it is listed in the report, and what is sound of it counts.
    pub fn run(&self, databases: &[impl Borrow<Database>]) -> Result<RepertoireReport> {
        self.on_progress(Progress::ignore).run(databases)
    }

    /// Returns the same with a callback for its progress.
    pub fn on_progress<F: FnMut(Progress) -> Flow>(&self, progress: F) -> WithProgress<&Self, F> {
        WithProgress::new(self, progress)
    }
}

impl<F: FnMut(Progress) -> Flow> WithProgress<&RepertoireCheck<'_>, F> {
    /// Compares the games. See [`RepertoireCheck::run`].
    ///
    /// # Errors
    /// Those of [`RepertoireCheck::run`]; `Interrupted` if the callback breaks.
    pub fn run(self, databases: &[impl Borrow<Database>]) -> Result<RepertoireReport> {
        let mut progress = self.progress;
        let databases: Vec<&Database> = databases.iter().map(Borrow::borrow).collect();
        let passed = pass::over_games(self.work, &databases, &mut progress)?;
        tell::report(self.work, passed)
    }
}

impl RepertoireReport {
    /// Returns whose repertoire it is.
    #[must_use]
    pub fn color(&self) -> Color {
        self.color
    }

    /// Returns the games that have a position of the repertoire, by database and number.
    #[must_use]
    pub fn games(&self) -> &[LeavingGame] {
        &self.games
    }

    /// Returns the places where they leave it, those with most games first.
    #[must_use]
    pub fn places(&self) -> &[LeavingPlace] {
        &self.places
    }

    /// Returns how many games leave in this way.
    #[must_use]
    pub fn count(&self, left: LeftBy) -> u64 {
        let places = self.places.iter().filter(|place| place.left == left);
        places.map(|place| place.stats.games()).sum()
    }

    /// Returns how many games have no position of the repertoire.
    #[must_use]
    pub fn outside(&self) -> u64 {
        self.outside
    }

    /// Returns the replies that the repertoire does not answer, those with most games first.
    #[must_use]
    pub fn gaps(&self) -> &[RepertoireGap] {
        &self.gaps
    }

    /// Returns the lines of the repertoire that games play to their end, by whatever moves, those
    /// with most games first.
    #[must_use]
    pub fn lines(&self) -> &[RepertoireLine] {
        &self.lines
    }

    /// Returns the moves of the repertoire that no game plays in positions that games have, each
    /// with the line to it, in the order of the files.
    #[must_use]
    pub fn unplayed(&self) -> &[RepertoireLine] {
        &self.unplayed
    }

    /// Returns the lines of the repertoire with the gaps behind its own moves, as a game in PGN for
    /// each start position. A comment after each move has its number of games and its score from
    /// the view of the side whose repertoire it is; those of gaps begin with `gap:`. Comments and
    /// marks of the files are left out, and what follows null moves.
    #[must_use]
    pub fn to_pgn(&self) -> String {
        let games: Vec<String> = self.graphs.iter().map(LineGraph::to_pgn).collect();
        games.join("\n")
    }

    /// Returns the counts and times. [`matched`](Report::matched) is how many games were compared.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }
}
