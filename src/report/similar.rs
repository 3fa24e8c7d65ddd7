//! The games with the most similar positions.
//!
//! A position is scored only if its material allows more than the worst result kept so far. With a
//! sidecar the games that can be the most similar are played first, in rounds; games that cannot
//! reach the worst result, by the squares of their men, the pawns at home or their material, are
//! not played. Without one every game is played.

mod best;
mod ceilings;
mod run;

use std::{sync::Mutex, time::Instant};

use shakmaty::{Bitboard, Board, Color};
use tabiya_chess::{Flow, GameId, Share};
use tabiya_formats::{View, error::Result, progress::Progress};

use self::{best::Best, ceilings::Ceilings, run::Run};
use crate::{
    database::{Database, Needs, with_view},
    pattern::{Symmetry, similar::Likeness},
    progress::WithProgress,
    query::{At, FenTest, PositionTest, Query, Sequence},
    search::{Match, Report, Search},
};

/// A search for the games with the positions that are most similar to another in their main lines.
///
/// The similarity, from 0 to 1, is that of the word `similar` of the query language. It does not
/// depend on whose turn it is.
///
/// ```
/// use tabiya::{Database, Similar};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let database = Database::open("fixtures/famous.si4")?;
/// let similar = Similar::from_fen("r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b")?;
/// let (games, _) = similar.limit(5).run(&database)?;
/// for game in games {
///     let number = database.number(game.game);
///     println!("game {number} at ply {}: {:.2}", game.ply, game.similarity);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "a search does nothing until it is run"]
pub struct Similar<'q> {
    board: Board,
    flip: bool,
    mirror: bool,
    query: Option<&'q Query>,
    variations: bool,
    limit: u64,
}

/// A game and its most similar position.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SimilarGame {
    /// The game.
    pub game: GameId,
    /// The similarity of its most similar position, 0 to 1.
    pub similarity: f64,
    /// The first ply of the main line with that similarity, 0 being the start position.
    pub ply: u32,
}

impl From<SimilarGame> for Match {
    fn from(similar: SimilarGame) -> Match {
        let millionths = (similar.similarity * 1e6).round() as u32;
        Match {
            ply: Some(similar.ply),
            similarity: Share::from_millionths(millionths),
            ..Match::from(similar.game)
        }
    }
}

impl<'q> Similar<'q> {
    /// Creates a search for games with positions similar to this one.
    pub fn new(board: Board) -> Similar<'q> {
        Similar {
            board,
            flip: false,
            mirror: false,
            query: None,
            variations: false,
            limit: u64::MAX,
        }
    }

    /// Creates a search from a FEN, or from its placement alone.
    ///
    /// # Errors
    /// If the text is no FEN.
    pub fn from_fen(fen: &str) -> std::result::Result<Similar<'q>, crate::query::Fault> {
        let fen: crate::query::FenTest = fen.parse()?;
        Ok(Similar::new(fen.board))
    }

    /// Creates the search of the only `similar` in a query, among the games that match the query;
    /// `None` if there is none in it, or more than one.
    #[must_use]
    pub fn of_query(query: &'q Query) -> Option<Similar<'q>> {
        let mut found = Vec::new();
        collect(query, &mut found);
        let [similar] = &mut found[..] else {
            return None;
        };
        similar.query = Some(query);
        Some(similar.clone())
    }

    /// Restricts the games to those that match a query.
    pub fn query(mut self, query: &'q Query) -> Self {
        self.query = Some(query).filter(|query| **query != Query::All);
        self
    }

    /// Sets whether the query searches variations too.
    pub fn variations(mut self, variations: bool) -> Self {
        self.variations = variations;
        self
    }

    /// Sets the greatest number of games; by default there is none.
    pub fn limit(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// Returns the games, the most similar first, equal ones by their numbers, with a report.
    /// Plays the games that match the query; with a sidecar only those of them whose men have been
    /// on enough squares of the position with material that is near enough, and only as far as that
    /// lasts.
    ///
    /// # Errors
    /// Those of a search. A damaged game is not an error: it is listed in the report, and compared
    /// as far as it can be read. Damage in what is not played is not noticed.
    pub fn run(&self, database: &Database) -> Result<(Vec<SimilarGame>, Report)> {
        self.on_progress(Progress::ignore).run(database)
    }

    /// Returns the same with a callback for its progress.
    pub fn on_progress<F: FnMut(Progress) -> Flow>(&self, progress: F) -> WithProgress<&Self, F> {
        WithProgress::new(self, progress)
    }

    /// Returns the first games with the very position, which the sidecar knows at once; `None` if
    /// fewer than `limit` of these games have it. Only they have the similarity 1.
    ///
    /// A damaged game is compared as far as it can be read, but is found by no search: with one
    /// among them, the answer is `None` too.
    fn same(
        &self,
        database: &Database,
        games: &[GameId],
        limit: usize,
        progress: &mut dyn FnMut(Progress) -> Flow,
    ) -> Result<Option<Vec<GameId>>> {
        let of_turn = |turn| {
            let fen = FenTest {
                board: self.board.clone(),
                turn: Some(turn),
                castling: Bitboard::EMPTY,
                en_passant: None,
            };
            let at = At {
                flip: self.flip,
                mirror: self.mirror,
                ..At::from(PositionTest::Fen(Box::new(fen)))
            };
            Query::Position(Sequence::from(at))
        };
        let query = Query::Or(Color::ALL.map(of_turn).into());
        let mut same = Vec::new();
        let take = |game| {
            if same.len() < limit && games.binary_search(&game).is_ok() {
                same.push(game);
            }
        };
        let found = Search::new(&query).for_all_games(database, take, progress)?;
        Ok((same.len() == limit && found.damaged == 0).then_some(same))
    }

    fn images(&self) -> Vec<Likeness> {
        let likeness = Likeness::new(&self.board, Share::ONE);
        let mut images: Vec<Likeness> = Vec::new();
        for (flip, mirror) in [(false, false), (true, false), (false, true), (true, true)] {
            let image = likeness.image(Symmetry { flip, mirror });
            if (self.flip || !flip) && (self.mirror || !mirror) && !images.contains(&image) {
                images.push(image);
            }
        }
        images
    }
}

impl<F: FnMut(Progress) -> Flow> WithProgress<&Similar<'_>, F> {
    /// Returns the games, the most similar first. See [`Similar::run`].
    ///
    /// # Errors
    /// Those of [`Similar::run`]; `Interrupted` if the callback breaks.
    pub fn run(self, database: &Database) -> Result<(Vec<SimilarGame>, Report)> {
        let (similar, mut progress) = (self.work, self.progress);
        database.unchanged(|| {
            let opened = database.view(Needs::Moves, &mut progress)?;
            with_view!(opened, view => ranked(similar, database, view, &mut progress))
        })
    }
}

/// Collects every `similar` of a query.
fn collect(query: &Query, found: &mut Vec<Similar<'_>>) {
    match query {
        Query::And(queries) | Query::Or(queries) => {
            queries.iter().for_each(|query| collect(query, found));
        }
        Query::Not(query) => collect(query, found),
        Query::Position(sequence) => {
            let rest = sequence.rest.iter().map(|(_, at)| at);
            [&sequence.first]
                .into_iter()
                .chain(rest)
                .for_each(|at| collect_of(at, found));
        }
        _ => {}
    }
}

fn collect_of(at: &At, found: &mut Vec<Similar<'_>>) {
    for condition in &at.conditions {
        if let PositionTest::Similar(board, _) = &condition.test {
            found.push(Similar {
                flip: at.flip,
                mirror: at.mirror,
                ..Similar::new((**board).clone())
            });
        }
    }
}

fn ranked<V: View>(
    similar: &Similar<'_>,
    database: &Database,
    view: V,
    progress: &mut dyn FnMut(Progress) -> Flow,
) -> Result<(Vec<SimilarGame>, Report)> {
    let mut report = Report::default();
    let games = games_of(similar, database, progress, &mut report)?;
    let started = Instant::now();
    if !games.is_empty() && similar.limit > 0 {
        database.require_games()?;
    }
    let images = similar.images();
    let mut best = Best::new(similar.limit);
    // Before as many games are known as are wanted, none can be left out.
    let leaves_out = best.limit > 0 && best.limit < games.len();
    let sidecar = database.sidecar().filter(|_| leaves_out);
    let same = match sidecar {
        Some(_) => similar.same(database, &games, best.limit, progress)?,
        None => None,
    };
    let run = Run {
        database,
        view,
        images: &images,
        ceilings: None,
        stretches: None,
        limit: similar.limit,
        last: &Mutex::new(None),
    };
    match (sidecar, same) {
        (Some(sidecar), None) => {
            let ceilings = Ceilings::new(sidecar, &images, &games, database.len());
            run.play_in_rounds(&ceilings, games.len(), &mut best, &mut report, progress)?;
        }
        (_, same) => {
            let games = same.unwrap_or(games);
            let total = games.len() as u64;
            let ask = &mut |played| progress(Progress::of(played, total));
            run.play(&games, &mut best, &mut report, ask)?;
        }
    }
    report.decode_time += started.elapsed();
    Ok((best.into_sorted(), report))
}

/// Returns the games that match the query.
fn games_of(
    similar: &Similar<'_>,
    database: &Database,
    progress: &mut dyn FnMut(Progress) -> Flow,
    report: &mut Report,
) -> Result<Vec<GameId>> {
    let Some(query) = similar.query else {
        let all = database.len().into();
        (report.games, report.possible) = (all, all);
        (report.certain, report.matched) = (all, all);
        return Ok(database.games().collect());
    };
    let mut games = Vec::new();
    *report = Search::new(query)
        .variations(similar.variations)
        .for_all_games(database, |game| games.push(game), progress)?;
    games.sort_unstable();
    Ok(games)
}
