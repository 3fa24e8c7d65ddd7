//! Runs a query: first the index, then the games that it leaves open, in order and in parallel.

mod explain;
mod hints;
mod matches;
mod report;
mod run;

use std::{
    borrow::Cow,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use rayon::prelude::*;
use tabiya_chess::{Flow, GameId, MoveId, Share, place::MatchPlace};
use tabiya_formats::{
    Ask,
    error::{Error, ErrorKind, Result},
    progress::Progress,
};

pub use self::{explain::Explanation, hints::Hint, matches::MatchIter, report::Report};
use crate::{
    database::{Database, Needs, with_view},
    filter::{Bounds, GameSet},
    line::LineEnd,
    plan::{Plan, Strategy},
    progress::WithProgress,
    query::Query,
};

/// A query with the options to run it.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let database = tabiya::Database::open("fixtures/famous.si4")?;
/// let query: tabiya::Query = "white:morphy result:1-0".parse()?;
/// let found = tabiya::Search::new(&query).run(&database)?;
/// for hit in found.iter() {
///     println!("{} {}", database.number(hit.game), database.header(hit.game)?.black);
/// }
/// # Ok(())
/// # }
/// ```
///
/// Work runs in the caller's current rayon pool. The order of the results does not depend on the
/// number of threads.
#[derive(Debug, Clone)]
#[must_use = "a search does nothing until it is run"]
pub struct Search<'q> {
    query: Cow<'q, Query>,
    strategy: Strategy,
    variations: bool,
    plies: bool,
    limit: u64,
    among: Option<Cow<'q, GameSet>>,
}

/// One game that matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Match {
    /// The game.
    pub game: GameId,
    /// The ply at which the condition on positions is complete, 0 being the start position of the
    /// game. `None` if the query has no such condition, if it only asks for the absence of
    /// something, or if [plies](Search::plies) are off.
    pub ply: Option<u32>,
    /// The move with which it is complete, if that is in a variation; `None` if it is complete in
    /// the main line.
    pub variation: Option<MoveId>,
    /// The similarity of the position at that ply, rounded, in a list of similar games.
    pub similarity: Option<Share>,
}

impl Match {
    /// Returns the match of a game, with its place if there is one.
    fn new(game: GameId, spot: Option<MatchPlace>) -> Match {
        Match {
            game,
            ply: spot.map(|spot| spot.ply),
            variation: spot.and_then(|spot| spot.variation),
            similarity: None,
        }
    }

    /// Returns where the line that satisfies the query ends, for [`Database::line`]; `None` without
    /// a ply.
    #[must_use]
    pub fn place(&self) -> Option<LineEnd<'static>> {
        let in_main_line = self.ply.map(LineEnd::Ply);
        self.variation.map(LineEnd::Move).or(in_main_line)
    }
}

/// Converts to a match without a place.
impl From<GameId> for Match {
    fn from(game: GameId) -> Match {
        Match::new(game, None)
    }
}

/// All games that match, ascending, with the report.
#[derive(Debug, Clone)]
pub struct Matches {
    hits: Vec<Match>,
    report: Report,
}

impl Matches {
    /// Returns the hits as a slice.
    #[must_use]
    pub fn as_slice(&self) -> &[Match] {
        &self.hits
    }

    /// Iterates over the hits in game order.
    pub fn iter(&self) -> std::slice::Iter<'_, Match> {
        self.hits.iter()
    }

    /// Returns the number of games that match.
    #[must_use]
    pub fn len(&self) -> usize {
        self.hits.len()
    }

    /// Returns whether no game matches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hits.is_empty()
    }

    /// Returns the games as a set, for [`Database::stats`] and set algebra. O(hits).
    #[must_use]
    pub fn games(&self) -> GameSet {
        self.hits.iter().map(|hit| hit.game).collect()
    }

    /// Returns what the search cost.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Splits into matches and report.
    #[must_use]
    pub fn into_parts(self) -> (Vec<Match>, Report) {
        (self.hits, self.report)
    }
}

impl<'a> IntoIterator for &'a Matches {
    type Item = &'a Match;
    type IntoIter = std::slice::Iter<'a, Match>;

    fn into_iter(self) -> Self::IntoIter {
        self.hits.iter()
    }
}

impl<'q> Search<'q> {
    /// Creates a search of main lines, without limit.
    pub fn new(query: &'q Query) -> Search<'q> {
        Search {
            query: Cow::Borrowed(query),
            strategy: Strategy::Auto,
            variations: false,
            plies: true,
            limit: u64::MAX,
            among: None,
        }
    }

    /// Sets how games are found. Both strategies give the same games.
    pub fn strategy(mut self, strategy: Strategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// Sets whether conditions on positions search variations too.
    pub fn variations(mut self, variations: bool) -> Self {
        self.variations = variations;
        self
    }

    /// Sets whether matches have their ply, which is the default. Without it, some games need not
    /// be decoded.
    pub fn plies(mut self, plies: bool) -> Self {
        self.plies = plies;
        self
    }

    /// Stops after this many matches, the first in game order.
    pub fn limit(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// Searches only these games, such as those that another search has found.
    pub fn among(mut self, games: &'q GameSet) -> Self {
        self.among = Some(Cow::Borrowed(games));
        self
    }

    /// Returns the search with a query of its own.
    pub(crate) fn into_owned(self) -> Search<'static> {
        Search {
            query: Cow::Owned(self.query.into_owned()),
            among: self.among.map(|games| Cow::Owned(games.into_owned())),
            ..self
        }
    }

    /// Returns what the index alone proves. O(records).
    ///
    /// # Errors
    /// `Missing` if the query needs names and there are none; `Changed` if another program changes
    /// the database.
    pub fn bounds(&self, database: &Database) -> Result<Bounds> {
        database.unchanged(|| {
            let go_on = &mut || Flow::Continue(());
            let plan = self.plan(database, go_on)?;
            let opened = database.view(Needs::of(&self.query), &mut |_| go_on())?;
            let among = self.among.as_deref();
            with_view!(opened, view => plan.bounds(view, (among, false), go_on))
        })
    }

    /// Returns all matches. [`for_each`](Search::for_each) delivers them one by one and can be
    /// stopped.
    ///
    /// # Errors
    /// `Missing` if names or games are needed but missing; `Changed` if another program changes the
    /// database; `LimitExceeded` for a query of more than
    /// [`QUERY_CONDITIONS_MAX`](crate::limits::QUERY_CONDITIONS_MAX) conditions. A damaged game is
    /// not an error: it is listed in the report.
    pub fn run(&self, database: &Database) -> Result<Matches> {
        self.on_progress(Progress::ignore).run(database)
    }

    /// Returns an iterator over the matches, which finds them as they are asked for.
    ///
    /// The index is read at once; games are decoded some hundred at a time at first, later more.
    /// Only the matches of these are in memory. Slower than [`for_each`](Search::for_each), which
    /// decodes games while others are delivered.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tabiya::{Database, Query, Search};
    ///
    /// let database = Database::open("fixtures/famous.si4")?;
    /// let query: Query = "at(mate)".parse()?;
    /// for found in Search::new(&query).matches(&database)?.take(3) {
    ///     println!("{}", database.number(found?.game));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`run`](Search::run). The iterator returns `Changed` as its last item if another
    /// program changes the database.
    pub fn matches<'s>(&'s self, database: &'s Database) -> Result<MatchIter<'s>> {
        self.on_progress(Progress::ignore).matches(database)
    }

    /// Returns the number of games that match. Cheaper than [`run`](Search::run): games that match
    /// by the index alone are not listed one by one.
    ///
    /// # Errors
    /// Those of [`run`](Search::run).
    pub fn count(&self, database: &Database) -> Result<Report> {
        self.on_progress(Progress::ignore).count(database)
    }

    /// Returns the same for several databases, in their order, which are searched at the same time.
    /// A [limit](Search::limit) is one for each.
    ///
    /// # Errors
    /// Those of [`run`](Search::run), the first.
    pub fn count_each(&self, databases: &[&Database]) -> Result<Vec<Report>> {
        self.on_progress(Progress::ignore).count_each(databases)
    }

    /// Calls `sink` with every match in game order. If it breaks, the search ends early, which the
    /// report says.
    ///
    /// # Errors
    /// Those of [`run`](Search::run).
    pub fn for_each(&self, database: &Database, sink: impl FnMut(Match) -> Flow) -> Result<Report> {
        self.on_progress(Progress::ignore).for_each(database, sink)
    }

    /// Returns the same with a callback for its progress.
    pub fn on_progress<F: FnMut(Progress) -> Flow>(&self, progress: F) -> WithProgress<&Self, F> {
        WithProgress::new(self, progress)
    }

    /// Calls `take` with every game that matches, in order. If `progress` breaks, the games taken
    /// so far are incomplete and must be discarded.
    ///
    /// # Errors
    /// Those of [`run`](Search::run); `Interrupted` if `progress` breaks.
    pub(crate) fn for_all_games(
        &self,
        database: &Database,
        mut take: impl FnMut(GameId),
        progress: &mut dyn FnMut(Progress) -> Flow,
    ) -> Result<Report> {
        let games = Search {
            plies: false,
            ..self.clone()
        };
        let sink = &mut |hit: Match| {
            take(hit.game);
            Flow::Continue(())
        };
        let report = games.execute(database, Some(sink), progress)?;
        if report.stopped_early {
            Err(Error::new(ErrorKind::Interrupted))
        } else {
            Ok(report)
        }
    }

    pub(crate) fn query(&self) -> &Query {
        &self.query
    }

    pub(crate) fn plan(&self, database: &Database, ask: Ask<'_>) -> Result<Plan> {
        Plan::new(&self.query, database, self.strategy, self.variations, ask)
    }

    fn run_of<'r>(
        &'r self,
        database: &'r Database,
        plan: &'r Plan,
        bind_time: Duration,
    ) -> run::Run<'r> {
        run::Run {
            database,
            plan,
            wants_plies: self.plies && plan.has_positions(),
            limit: self.limit,
            among: self.among.as_deref(),
            bind_time,
        }
    }

    fn execute(
        &self,
        database: &Database,
        sink: Option<run::Sink<'_>>,
        progress: &mut dyn FnMut(Progress) -> Flow,
    ) -> Result<Report> {
        let total = database.len().into();
        let done = database.unchanged(|| {
            let started = std::time::Instant::now();
            let begun = Progress::of(0, total);
            let plan = self.plan(database, &mut || progress(begun))?;
            let run = self.run_of(database, &plan, started.elapsed());
            let opened = database.view(Needs::of(&self.query), progress)?;
            with_view!(opened, view => run.execute(view, sink, progress))
        });
        match done {
            // Interrupted before the first match.
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted) => Ok(Report {
                games: total,
                stopped_early: true,
                ..Report::default()
            }),
            done => done,
        }
    }
}

impl<'s, F: FnMut(Progress) -> Flow> WithProgress<&'s Search<'s>, F> {
    /// Returns all matches, or those found until the callback breaks. See [`Search::run`].
    ///
    /// # Errors
    /// Those of [`Search::run`].
    pub fn run(self, database: &Database) -> Result<Matches> {
        let mut hits = Vec::new();
        let sink = |hit| {
            hits.push(hit);
            Flow::Continue(())
        };
        let report = self.for_each(database, sink)?;
        Ok(Matches { hits, report })
    }

    /// Returns an iterator over the matches, which end when the callback breaks; the report says
    /// so. See [`Search::matches`].
    ///
    /// # Errors
    /// Those of [`Search::matches`]; `Interrupted` if the callback breaks before games are decoded.
    pub fn matches(self, database: &'s Database) -> Result<MatchIter<'s>>
    where
        F: 's,
    {
        MatchIter::new(self.work, database, Box::new(self.progress))
    }

    /// Returns the number of games that match. See [`Search::count`].
    ///
    /// # Errors
    /// Those of [`Search::run`].
    pub fn count(mut self, database: &Database) -> Result<Report> {
        let counting = Search {
            plies: false,
            ..self.work.clone()
        };
        counting.execute(database, None, &mut self.progress)
    }

    /// Returns the numbers of games that match. The callback is told the games of all databases.
    /// See [`Search::count_each`].
    ///
    /// # Errors
    /// Those of [`Search::count_each`]; `Interrupted` if the callback breaks before the games of
    /// one are decoded.
    pub fn count_each(self, databases: &[&Database]) -> Result<Vec<Report>>
    where
        F: Send,
    {
        let total = databases
            .iter()
            .map(|database| u64::from(database.len()))
            .sum();
        let told = Mutex::new((self.progress, vec![0; databases.len()]));
        let search = self.work;
        let count = |(number, database): (usize, &&Database)| {
            let progress = |at: Progress| {
                let (progress, done) = &mut *told.lock().unwrap_or_else(PoisonError::into_inner);
                done[number] = at.done.min(database.len().into());
                progress(Progress::of(done.iter().sum(), total))
            };
            search.on_progress(progress).count(database)
        };
        databases.par_iter().enumerate().map(count).collect()
    }

    /// Calls `sink` with every match in game order. See [`Search::for_each`].
    ///
    /// # Errors
    /// Those of [`Search::run`].
    pub fn for_each(
        mut self,
        database: &Database,
        mut sink: impl FnMut(Match) -> Flow,
    ) -> Result<Report> {
        let sink: run::Sink<'_> = &mut sink;
        self.work.execute(database, Some(sink), &mut self.progress)
    }
}
