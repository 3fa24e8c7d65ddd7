//! The trees of several databases as one.

use shakmaty::{Color, File, Square};
use tabiya::{GameId, NextMove, Query, TreeRow, TreeSearch, TreeStats};

use super::params::LichessRequest;
use crate::{errors::Fault, limits::Ask, registry::DatabaseRef};

/// What was played in one position.
#[derive(Debug)]
pub(crate) struct Counts {
    /// Most games first.
    pub(crate) rows: Vec<Row>,
    /// Everything together, the games that end in the position too.
    pub(crate) total: Sums,
    /// The games of each database, if some are to be shown.
    pub(crate) games: Vec<Vec<GameId>>,
}

/// The games that go on with one move.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) next: NextMove,
    pub(crate) san: String,
    pub(crate) sums: Sums,
}

/// What is added up over games.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sums {
    pub(crate) games: u64,
    pub(crate) white: u64,
    pub(crate) draws: u64,
    pub(crate) black: u64,
    /// Games in which both sides have a rating.
    rated: u64,
    /// Sums of the ratings over these.
    mover: f64,
    opponent: f64,
}

impl Counts {
    /// Counts the games of some databases, each with its own form of the query.
    ///
    /// # Errors
    /// Those of the trees.
    pub(crate) fn new(
        asked: &LichessRequest,
        among: &[(DatabaseRef, Query)],
        ask: &Ask,
    ) -> Result<Counts, Fault> {
        let position = asked.place.tree();
        let mut counts = Counts {
            rows: Vec::new(),
            total: Sums::default(),
            games: Vec::new(),
        };
        for (held, query) in among {
            let search = TreeSearch::new(&position).query(query);
            let tree = if asked.shows_games() {
                let (tree, games) = search.on_progress(|_| ask.flow()).run_with_games(held)?;
                counts.games.push(games);
                tree
            } else {
                search.on_progress(|_| ask.flow()).run(held)?
            };
            tree.rows().iter().for_each(|row| counts.add(row));
            counts.total.add(tree.total());
        }
        let by_games = |one: &Row, other: &Row| {
            let by_games = other.sums.games.cmp(&one.sums.games);
            by_games.then_with(|| one.san.cmp(&other.san))
        };
        counts.rows.sort_by(by_games);
        Ok(counts)
    }

    /// Returns a move as [`Row::uci`] does; `None` for one that is in no row.
    pub(crate) fn uci(&self, next: NextMove) -> Option<String> {
        let row = self.rows.iter().find(|row| row.next == next);
        row.map(Row::uci)
    }

    fn add(&mut self, row: &TreeRow) {
        if !matches!(row.next, NextMove::Move { .. }) {
            return;
        }
        let place = self.rows.iter().position(|known| known.next == row.next);
        let place = place.unwrap_or_else(|| {
            self.rows.push(Row {
                next: row.next,
                san: row.san.clone(),
                sums: Sums::default(),
            });
            self.rows.len() - 1
        });
        self.rows[place].sums.add(&row.stats);
    }
}

impl Row {
    /// Returns the move as squares. Castling is the king's way to its rook, as the original
    /// writes it.
    pub(crate) fn uci(&self) -> String {
        let rook_file = match (self.san.starts_with("O-O-O"), self.san.starts_with("O-O")) {
            (true, _) => Some(File::A),
            (false, true) => Some(File::H),
            (false, false) => None,
        };
        let next = match (self.next, rook_file) {
            // In Chess960 it is so already.
            (NextMove::Move { from, .. }, Some(file)) if from.file() == File::E => NextMove::Move {
                from,
                to: Square::from_coords(file, from.rank()),
                promotion: None,
            },
            (next, _) => next,
        };
        next.uci().unwrap_or_default()
    }
}

impl Sums {
    fn add(&mut self, stats: &TreeStats) {
        self.games += stats.games();
        self.white += stats.white_wins();
        self.draws += stats.draws();
        self.black += stats.black_wins();
        self.rated += stats.rated_games();
        let sum = |mean: Option<f64>| mean.unwrap_or_default() * stats.rated_games() as f64;
        self.mover += sum(stats.average_rating());
        self.opponent += sum(stats.average_opponent_rating());
    }

    fn mean(&self, sum: f64) -> Option<f64> {
        (self.rated > 0).then(|| sum / self.rated as f64)
    }

    /// Returns the mean rating of both sides; `None` when nobody is rated.
    pub(crate) fn average_rating(&self) -> Option<u16> {
        let mean = self.mean((self.mover + self.opponent) / 2.0)?;
        Some(mean.round() as u16)
    }

    /// Returns the mean rating of the opponents of the side to move, or, if the player is not to
    /// move, of the side to move.
    pub(crate) fn average_opponent_rating(&self, player_moves: bool) -> Option<u16> {
        let mean = self.mean(if player_moves {
            self.opponent
        } else {
            self.mover
        })?;
        Some(mean.round() as u16)
    }

    /// Returns the performance of one side: the opponents' mean rating and what the formula of
    /// Elo gives for the score, at most 800 points.
    pub(crate) fn performance(&self, color: Color, player_moves: bool) -> Option<i32> {
        let opponents = self.average_opponent_rating(player_moves)?;
        let finished = (self.white + self.draws + self.black) as f64;
        let wins = color.fold_wb(self.white, self.black) as f64;
        let score = if finished > 0.0 {
            (wins + self.draws as f64 / 2.0) / finished
        } else {
            0.5
        };
        let points = 400.0 * (score / (1.0 - score)).log10();
        Some(i32::from(opponents) + points.clamp(-800.0, 800.0).round() as i32)
    }
}
