//! Matches one by one, found as they are asked for.

use std::{
    collections::VecDeque,
    fmt,
    time::{Duration, Instant},
};

use tabiya_chess::Flow;
use tabiya_formats::{error::Result, progress::Progress};

use super::{Match, Report, Search, run::Run};
use crate::{
    database::{Database, Needs, with_view},
    filter::{Bounds, GameSet},
    plan::Plan,
};

/// Games that are searched at once: few at first, so that the first match comes soon.
const GAMES_FIRST: u32 = 512;
const GAMES_MOST: u32 = 1 << 16;

/// The matches of a search in game order: [`Search::matches`].
#[must_use = "games are searched as matches are asked for"]
pub struct MatchIter<'s> {
    search: &'s Search<'s>,
    database: &'s Database,
    plan: Plan,
    bounds: Bounds,
    /// Games that may match and have not been searched.
    left: GameSet,
    games_next: u32,
    found: VecDeque<Match>,
    report: Report,
    progress: Box<dyn FnMut(Progress) -> Flow + 's>,
}

impl fmt::Debug for MatchIter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MatchIter")
            .field("search", &self.search)
            .field("report", &self.report)
            .finish_non_exhaustive()
    }
}

impl<'s> MatchIter<'s> {
    pub(super) fn new(
        search: &'s Search<'s>,
        database: &'s Database,
        mut progress: Box<dyn FnMut(Progress) -> Flow + 's>,
    ) -> Result<MatchIter<'s>> {
        database.unchanged(|| {
            let started = Instant::now();
            let begun = Progress::of(0, database.len().into());
            let plan = search.plan(database, &mut || progress(begun))?;
            let run = search.run_of(database, &plan, started.elapsed());
            let opened = database.view(Needs::of(search.query()), &mut progress)?;
            let (bounds, report) = with_view!(opened, view => run.bounds(view, &mut progress))?;
            Ok(MatchIter {
                search,
                database,
                left: bounds.possible.clone(),
                plan,
                bounds,
                games_next: GAMES_FIRST,
                found: VecDeque::new(),
                report,
                progress,
            })
        })
    }

    /// Returns what the search has cost so far, and which games could not be read.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Searches the next games.
    fn search_next(&mut self) -> Result<()> {
        let possible = self.bounds.possible.len();
        let searched = Progress::of(possible - self.left.len(), possible);
        if (self.progress)(searched).is_break() {
            self.report.stopped_early = true;
            return Ok(());
        }
        let bounds = self.bounds.among(&self.left.take_first(self.games_next));
        self.games_next = (self.games_next * 2).min(GAMES_MOST);
        let (search, database) = (self.search, self.database);
        let (found, report) = (&mut self.found, &mut self.report);
        // Counted over all games, not over those searched now.
        let progress = &mut |_: Progress| (self.progress)(searched);
        let run: Run<'_> = search.run_of(database, &self.plan, Duration::ZERO);
        database.unchanged(|| {
            let started = Instant::now();
            let opened = database.view(Needs::of(search.query()), progress)?;
            let sink = &mut |hit| {
                found.push_back(hit);
                Flow::Continue(())
            };
            with_view!(opened, view => {
                run.deliver(view, &bounds, sink, progress, report);
            });
            report.decode_time += started.elapsed();
            Ok(())
        })
    }
}

impl Iterator for MatchIter<'_> {
    type Item = Result<Match>;

    fn next(&mut self) -> Option<Result<Match>> {
        while self.found.is_empty() && !self.left.is_empty() && !self.report.stopped_early {
            if self.report.matched >= self.search.limit {
                self.report.stopped_early = true;
                return None;
            }
            if let Err(error) = self.search_next() {
                self.left = GameSet::default();
                return Some(Err(error));
            }
        }
        self.found.pop_front().map(Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{plan::Strategy, query::Query};

    #[test]
    fn matches_one_by_one_are_those_of_a_whole_search() {
        for name in ["famous.si4", "famous.cbh", "famous.pgn"] {
            let database = Database::open(format!("fixtures/{name}")).unwrap();
            for query in [
                "white:morphy",
                "at(mate)",
                "eco:C00..C99 at(Q=0 q=0)",
                "-check",
                "plies>500",
            ] {
                let query: Query = query.parse().unwrap();
                for strategy in [Strategy::Auto, Strategy::FullDecode] {
                    for limit in [0, 1, 7, u64::MAX] {
                        let search = Search::new(&query).strategy(strategy).limit(limit);
                        let whole = search.run(&database).unwrap();
                        let mut one_by_one = search.matches(&database).unwrap();
                        one_by_one.games_next = 3;
                        let found: Vec<Match> = one_by_one.by_ref().map(Result::unwrap).collect();
                        assert_eq!(found, whole.as_slice(), "{name}: {query}");
                        let report = one_by_one.report();
                        assert_eq!(report.matched, whole.report().matched);
                        assert_eq!(report.possible, whole.report().possible);
                        assert!(one_by_one.next().is_none());
                    }
                }
            }
        }
    }

    #[test]
    fn matches_that_nobody_asks_for_are_not_searched() {
        let database = Database::open("fixtures/famous.si4").unwrap();
        let query: Query = "check".parse().unwrap();
        let search = Search::new(&query).strategy(Strategy::FullDecode);
        let mut matches = search.matches(&database).unwrap();
        assert_eq!(matches.report().decoded, 0);
        matches.games_next = 5;
        assert!(matches.next().is_some());
        assert!(matches.report().decoded < database.len().into());

        let one = search.clone().limit(1);
        let mut one_match = one.matches(&database).unwrap();
        one_match.games_next = 5;
        assert_eq!(one_match.by_ref().count(), 1);
        let report = one_match.report();
        assert!(report.decoded <= 10 && report.stopped_early, "{report:?}");

        let mut stopped = search
            .on_progress(|_| Flow::Break(()))
            .matches(&database)
            .unwrap();
        assert!(stopped.next().is_none() && stopped.report().stopped_early);
    }
}
