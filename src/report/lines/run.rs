//! Makes the graph of lines: of what sidecars store, and of what passes over the games count.

use std::{collections::HashMap, time::Instant};

use tabiya_chess::{Flow, placement::Placement};
use tabiya_formats::{error::Result, progress::Progress};

use super::{
    LineGraph, Lines,
    discover::Discovery,
    graph::{self, Place, place_of},
};
use crate::{
    database::{Database, Needs, with_view},
    filter::GameSet,
    plan::Strategy,
    query::Query,
    report::played::{self, Rows},
    search::{Report, Search},
};

type Told<'a> = &'a mut dyn FnMut(Progress) -> Flow;

/// Makes the graph. See [`Lines::run`].
pub(super) fn graph(
    lines: &Lines<'_>,
    databases: &[&Database],
    progress: Told<'_>,
) -> Result<LineGraph> {
    let started = Instant::now();
    let run = Run { lines, databases };
    let (mut graph, mut report) = match run.of_sidecars()? {
        Some(graph) => {
            let report = Report {
                matched: graph.root().total().games(),
                ..Report::default()
            };
            (graph, report)
        }
        None => run.of_games(progress)?,
    };
    report.games = databases.iter().map(|base| u64::from(base.len())).sum();
    report.decode_time = started.elapsed();
    graph.set_report(report);
    Ok(graph)
}

struct Run<'a> {
    lines: &'a Lines<'a>,
    databases: &'a [&'a Database],
}

impl Run<'_> {
    fn root(&self) -> Placement {
        let setup = self.lines.position.setup();
        Placement::new(&setup.board, setup.turn)
    }

    /// Returns the graph if sidecars store all that it has.
    fn of_sidecars(&self) -> Result<Option<LineGraph>> {
        let Some(rows) = self.stored(&self.root()) else {
            return Ok(None);
        };
        let games = rows.total.results.iter().sum();
        let least = self.lines.least_games(games);
        let (graph, missing) = graph::grow(self.lines, least, |place| self.stored(place))?;
        for database in self.databases {
            database.check_unchanged()?;
        }
        Ok(Some(graph).filter(|_| missing.is_empty()))
    }

    /// Returns the rows that the sidecars of all databases store for a position.
    fn stored(&self, place: &Placement) -> Option<Rows> {
        let Lines {
            query,
            among,
            variations,
            strategy,
            ..
        } = *self.lines;
        let of_all = query.is_none() && among.is_none() && !variations;
        if !of_all || strategy != Strategy::Auto {
            return None;
        }
        let mut all = Rows::default();
        for database in self.databases {
            let sidecar = database.sidecar_handle()?;
            let rows = sidecar.opening_rows(sidecar.opening(place)?)?;
            let rows = rows.into_iter().map(|row| (row.step, row.sums));
            all.merge(&Rows::of_moves(rows.collect()));
        }
        Some(all)
    }

    /// Plays the games, as often as positions are found that were not counted yet.
    fn of_games(&self, progress: Told<'_>) -> Result<(LineGraph, Report)> {
        let mut report = Report::default();
        let among = self.games_of_query(progress, &mut report)?;
        let rooted = self.games_with_root(&among, progress, &mut report)?;
        let games = rooted.iter().map(GameSet::len).sum();
        report.matched = games;
        let least = self.lines.least_games(games);
        let mut discovery = Discovery::new(self.lines, games, least);
        for (database, games) in self.databases.iter().zip(&rooted) {
            database.unchanged(|| {
                with_view!(database.view(Needs::Moves, progress)?, view => {
                    discovery.look_through(view, games, progress)
                })
            })?;
        }
        let mut known: HashMap<Place, Rows> = HashMap::new();
        let mut wanted = discovery.positions();
        wanted.push(self.root());
        wanted.retain(|place| self.stored(place).is_none());
        loop {
            let counted = self.count(&wanted, &among, progress)?;
            // Later passes meet the same damaged games.
            if known.is_empty() {
                report.add(counted.1);
            }
            known.extend(wanted.iter().map(place_of).zip(counted.0));
            let rows = |place: &Placement| {
                let known = known.get(&place_of(place)).cloned();
                known.or_else(|| self.stored(place))
            };
            let (graph, missing) = graph::grow(self.lines, least, rows)?;
            if missing.is_empty() {
                return Ok((graph, report));
            }
            wanted = missing;
        }
    }

    /// Returns by database the games that count; `None` for all.
    fn games_of_query(
        &self,
        progress: Told<'_>,
        report: &mut Report,
    ) -> Result<Vec<Option<GameSet>>> {
        let sets = self.databases.iter().enumerate().map(|(number, database)| {
            let among = self.lines.among.map(|games| &games[number]);
            let Some(query) = self.lines.query else {
                return Ok(among.cloned());
            };
            self.search(database, query, among, progress, report)
                .map(Some)
        });
        sets.collect()
    }

    /// Returns by database the games among these that have the first position.
    fn games_with_root(
        &self,
        among: &[Option<GameSet>],
        progress: Told<'_>,
        report: &mut Report,
    ) -> Result<Vec<GameSet>> {
        let query = self.lines.position.to_query();
        let sets = self.databases.iter().zip(among);
        sets.map(|(database, among)| {
            self.search(database, &query, among.as_ref(), progress, report)
        })
        .collect()
    }

    fn search(
        &self,
        database: &Database,
        query: &Query,
        among: Option<&GameSet>,
        progress: Told<'_>,
        report: &mut Report,
    ) -> Result<GameSet> {
        let mut games = Vec::new();
        let mut search = Search::new(query)
            .strategy(self.lines.strategy)
            .variations(self.lines.variations);
        if let Some(among) = among {
            search = search.among(among);
        }
        let found = search.for_all_games(database, |game| games.push(game), progress)?;
        report.decoded += found.decoded;
        Ok(games.into_iter().collect())
    }

    /// Counts positions in all databases.
    fn count(
        &self,
        wanted: &[Placement],
        among: &[Option<GameSet>],
        progress: Told<'_>,
    ) -> Result<(Vec<Rows>, Report)> {
        let mut rows = vec![Rows::default(); wanted.len()];
        let mut report = Report::default();
        let variations = self.lines.variations;
        for (database, among) in self.databases.iter().zip(among) {
            let counted = database.unchanged(|| {
                with_view!(database.view(Needs::Moves, progress)?, view => {
                    let among = among.as_ref();
                    played::count(variations, (database, view), wanted, among, &mut rows, progress)
                })
            })?;
            report.add(counted);
        }
        Ok((rows, report))
    }
}
