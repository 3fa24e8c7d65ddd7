//! The games that a report is about, and how they ended for somebody.

use tabiya_chess::Flow;
use tabiya_formats::{error::Result, progress::Progress};

use super::ReportRow;
use crate::{
    database::Database,
    filter::GameSet,
    query::Query,
    search::{Report, Search},
};

pub(super) type Told<'a> = &'a mut dyn FnMut(Progress) -> Flow;

/// Sets of games, by database.
pub(super) type Games = Vec<GameSet>;

/// Some games of databases, the query for them, and their outcomes.
#[derive(Clone)]
pub(super) struct Subject<'d> {
    pub(super) databases: &'d [&'d Database],
    pub(super) query: Query,
    pub(super) games: Games,
    /// Won, drawn and lost.
    pub(super) outcomes: [Games; 3],
    lately: Option<Games>,
}

impl<'d> Subject<'d> {
    /// Finds the games of a query, and those among them with each outcome.
    pub(super) fn find(
        databases: &'d [&'d Database],
        query: Query,
        outcomes: &[Query; 3],
        report: &mut Report,
        progress: Told<'_>,
    ) -> Result<Subject<'d>> {
        let mut subject = Subject {
            databases,
            query: query.clone(),
            games: Vec::new(),
            outcomes: [const { Vec::new() }; 3],
            lately: None,
        };
        for database in databases {
            let (games, found) = search(database, &query, None, progress)?;
            subject.games.push(games);
            report.add(found);
        }
        let [won, drawn, lost] = outcomes;
        subject.outcomes = [
            subject.search(won, progress)?,
            subject.search(drawn, progress)?,
            subject.search(lost, progress)?,
        ];
        Ok(subject)
    }

    /// Tells how many games of each row are among those of a query.
    pub(super) fn tell_lately(&mut self, query: &Query, progress: Told<'_>) -> Result<()> {
        self.lately = Some(self.search(query, progress)?);
        Ok(())
    }

    /// Returns the games that match a query besides.
    pub(super) fn search(&self, query: &Query, progress: Told<'_>) -> Result<Games> {
        let parts = self.databases.iter().zip(&self.games);
        let found = parts.map(|(database, games)| {
            // Damaged games were met when the subject was found, or in no condition on moves.
            let (found, _) = search(database, query, Some(games), progress)?;
            Ok(found)
        });
        found.collect()
    }

    /// Returns the part of the games that a query gives.
    pub(super) fn part(&self, query: Query, games: Games) -> Subject<'d> {
        Subject {
            query,
            games,
            ..self.clone()
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.games.iter().map(GameSet::len).sum()
    }

    /// Returns the row of some of the games, which `query` gives among them.
    pub(super) fn row(&self, label: String, query: &Query, games: &Games) -> ReportRow {
        let both = |other: &Games| -> u64 {
            let pairs = games.iter().zip(other);
            pairs.map(|(games, other)| games.and(other).len()).sum()
        };
        let [won, drawn, lost] = self.outcomes.each_ref().map(both);
        ReportRow {
            label,
            depth: 0,
            query: self.query.clone().and(query.clone()),
            games: games.iter().map(GameSet::len).sum(),
            of: self.count(),
            won,
            drawn,
            lost,
            lately: self.lately.as_ref().map(both),
            fen: None,
            game: None,
        }
    }

    /// Returns the row of the games that match a query besides.
    pub(super) fn asked(
        &self,
        label: String,
        query: &Query,
        progress: Told<'_>,
    ) -> Result<ReportRow> {
        let games = self.search(query, progress)?;
        Ok(self.row(label, query, &games))
    }

    /// Returns the row of all games.
    pub(super) fn all(&self, label: String) -> ReportRow {
        self.row(label, &Query::All, &self.games)
    }
}

fn search(
    database: &Database,
    query: &Query,
    among: Option<&GameSet>,
    progress: Told<'_>,
) -> Result<(GameSet, Report)> {
    let mut games = Vec::new();
    let mut search = Search::new(query);
    if let Some(among) = among {
        search = search.among(among);
    }
    let report = search.for_all_games(database, |game| games.push(game), progress)?;
    Ok((games.into_iter().collect(), report))
}
