//! The games with the most similar positions.
//!
//! Games are compared only where their material allows a similarity that is worth having: at first
//! any, and when as many games are known as are wanted, that of the last of them. With a sidecar
//! those whose positions can be the most similar are played first, in rounds, and those that cannot
//! come near are not played. Without one every game is.

mod best;
mod ceilings;

use std::{
    sync::{Mutex, PoisonError},
    time::Instant,
};

use shakmaty::{Bitboard, Board, Color};

use self::{
    best::{Best, needed},
    ceilings::Ceilings,
};
use crate::{
    chess::{Flow, GameId, Share},
    database::{Database, with_view},
    error::{Error, Result},
    format::{Left, Scratch, View, in_turns},
    pattern::{
        Symmetry,
        similar::{Likeness, Nearest},
    },
    progress::Progress,
    query::{At, FenTest, PositionTest, Query, Sequence},
    search::{Match, Report, Search},
};

/// Least and greatest number of games of one task.
const TASK_GAMES: [usize; 2] = [1 << 10, 1 << 13];
/// Number of concurrent tasks.
const TASKS: usize = 8;
/// Number of games of the first round, if the sidecar tells which; and more if many are wanted.
const ROUND_GAMES: usize = 1 << 13;
/// How many times as many games the next round has.
const ROUND_GROWS: usize = 8;

/// A search for the games with the positions that are most similar to another in their main lines.
///
/// The similarity, from 0 to 1, is that of the word `similar` of the query language. It does not
/// depend on whose turn it is.
///
/// ```
/// use tabiya::{Database, Progress, Similar};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let database = Database::open("fixtures/famous.si4")?;
/// let similar = Similar::from_fen("r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b")?;
/// let (games, _) = similar.limit(5).run(&database, Progress::ignore)?;
/// for game in games {
///     println!("game {} at ply {}: {:.2}", game.game.number(), game.ply, game.similarity);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "a search does nothing until it is run"]
pub struct Similar {
    board: Board,
    flip: bool,
    mirror: bool,
    query: Query,
    variations: bool,
    limit: u64,
}

/// A game and its most similar position.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
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

impl Similar {
    /// Creates a search for games with positions similar to this one.
    pub fn new(board: Board) -> Similar {
        Similar {
            board,
            flip: false,
            mirror: false,
            query: Query::All,
            variations: false,
            limit: u64::MAX,
        }
    }

    /// Creates a search from a FEN, or from its placement alone.
    ///
    /// # Errors
    /// If the text is no FEN.
    pub fn from_fen(fen: &str) -> std::result::Result<Similar, crate::query::Fault> {
        let fen: crate::query::FenTest = fen.parse()?;
        Ok(Similar::new(fen.board))
    }

    /// Creates the search of the only `similar` in a query, among the games that match the query;
    /// `None` if there is none in it, or more than one.
    #[must_use]
    pub fn of_query(query: &Query) -> Option<Similar> {
        let mut found = Vec::new();
        collect(query, &mut found);
        let [similar] = &mut found[..] else {
            return None;
        };
        similar.query = query.clone();
        Some(similar.clone())
    }

    /// Restricts the games to those that match a query.
    pub fn query(mut self, query: Query) -> Self {
        self.query = query;
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
    /// on enough squares of the position.
    ///
    /// # Errors
    /// Those of a search; `Interrupted` if `progress` breaks. A damaged game is not an error: it is
    /// listed in the report, and compared as far as it can be read.
    pub fn run(
        &self,
        database: &Database,
        mut progress: impl FnMut(Progress) -> Flow,
    ) -> Result<(Vec<SimilarGame>, Report)> {
        database
            .unchanged(|| with_view!(database, view => ranked(self, database, view, &mut progress)))
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

/// Collects every `similar` of a query.
fn collect(query: &Query, found: &mut Vec<Similar>) {
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

fn collect_of(at: &At, found: &mut Vec<Similar>) {
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
    similar: &Similar,
    database: &Database,
    view: V,
    progress: &mut dyn FnMut(Progress) -> Flow,
) -> Result<(Vec<SimilarGame>, Report)> {
    let mut report = Report::default();
    let mut games = games_of(similar, database, progress, &mut report)?;
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
    let ceilings = sidecar
        .filter(|_| same.is_none())
        .map(|sidecar| Ceilings::new(sidecar, &images, database.len()));
    games = same.unwrap_or(games);
    let run = Run {
        database,
        view,
        images: &images,
        ceilings: ceilings.as_ref(),
        limit: similar.limit,
        last: &Mutex::new(None),
    };
    let total = games.len() as u64;
    let mut round = ROUND_GAMES.max(best.limit);
    let mut done = 0;
    while !games.is_empty() {
        let rest = ceilings
            .as_ref()
            .map(|ceilings| ceilings.without_highest(&mut games, round));
        let ask = &mut |played| progress(Progress::of(done + played, total));
        run.play(&games, &mut best, &mut report, ask)?;
        games = rest.unwrap_or_default();
        let last = best.last();
        games.retain(|&game| run.allows(game, needed(game, last)));
        done = total - games.len() as u64;
        round = round.saturating_mul(ROUND_GROWS);
    }
    report.decode_time += started.elapsed();
    Ok((best.into_sorted(), report))
}

/// Returns the games that match the query.
fn games_of(
    similar: &Similar,
    database: &Database,
    progress: &mut dyn FnMut(Progress) -> Flow,
    report: &mut Report,
) -> Result<Vec<GameId>> {
    let mut games = Vec::new();
    *report = Search::new(&similar.query)
        .variations(similar.variations)
        .for_all_games(database, |game| games.push(game), progress)?;
    games.sort_unstable();
    Ok(games)
}

/// The inputs of a run, which do not change.
#[derive(Clone, Copy)]
struct Run<'a, V> {
    database: &'a Database,
    view: V,
    images: &'a [Likeness],
    limit: u64,
    ceilings: Option<&'a Ceilings>,
    /// The last game of a full list.
    last: &'a Mutex<Option<SimilarGame>>,
}

/// Some games, and the best of those that were played.
struct Task<'a, V> {
    run: Run<'a, V>,
    games: &'a [GameId],
    best: Best,
    /// Number of games that were played.
    played: u64,
    nearest: Nearest<'a>,
    scratch: Scratch,
    damaged: Vec<Error>,
}

impl<'a, V: View> Run<'a, V> {
    /// Plays games and keeps the best.
    fn play(
        &self,
        games: &'a [GameId],
        best: &mut Best,
        report: &mut Report,
        ask: &mut dyn FnMut(u64) -> Flow,
    ) -> Result<()> {
        let [least, most] = TASK_GAMES;
        let task_games = (games.len() / TASKS).clamp(least, most);
        let tasks = games.chunks(task_games).filter(|_| self.limit > 0);
        let tasks = tasks.map(|games| (self.task(games), games.len()));
        let deliver = |task: &mut Task<'_, V>, left| {
            if left == 0 {
                task.best.drain().for_each(|game| best.add(game));
                *self.last.lock().unwrap_or_else(PoisonError::into_inner) = best.last();
                report.decoded += task.played;
                report.add_damaged(std::mem::take(&mut task.damaged));
            }
            Ok(())
        };
        in_turns(tasks, TASKS, Task::work, deliver, ask)
    }

    /// Whether a game may have a position of at least this similarity.
    fn allows(&self, game: GameId, least: f64) -> bool {
        self.ceilings
            .is_none_or(|ceilings| ceilings.allows(game, least))
    }

    fn task(&self, games: &'a [GameId]) -> Task<'a, V> {
        Task {
            run: *self,
            games,
            best: Best::new(self.limit),
            played: 0,
            nearest: Nearest::new(self.images),
            scratch: Scratch::default(),
            damaged: Vec::new(),
        }
    }
}

impl<V: View> Task<'_, V> {
    /// Plays the remaining games.
    fn work(&mut self, left: &mut Left) {
        let games = &self.games[self.games.len() - left.len()..];
        let run = self.run;
        let last = *run.last.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = run.view.for_each_touched(games, |game, record| {
            let least = needed(game, last).max(needed(game, self.best.last()));
            self.nearest.least = least;
            if !run.allows(game, least) {
                return left.pass(1);
            }
            self.played += 1;
            let played = run
                .view
                .main_line(record, &mut self.scratch, &mut self.nearest);
            if let Err(damage) = played {
                self.damaged
                    .push(run.database.damaged(game, record, damage));
            }
            if let Some((similarity, ply)) = self.nearest.best() {
                self.best.add(SimilarGame {
                    game,
                    similarity,
                    ply,
                });
            }
            left.pass(1)
        });
    }
}
