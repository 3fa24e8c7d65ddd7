//! The games that a report is about, and how they ended for somebody.

use tabiya_chess::Flow;
use tabiya_formats::{error::Result, progress::Progress};

use super::ReportRow;
use crate::{
    database::Database,
    filter::GameSet,
    query::{HeaderClause, Query, TextField, TextTest},
    search::{Report, Search},
};

/// What goes along with the searches of a report.
pub(super) struct Told<'a> {
    pub(super) progress: &'a mut dyn FnMut(Progress) -> Flow,
    /// Of the search for the games.
    found: Report,
    /// Of all searches among the games, the damage of the one that met most of it: each reads the
    /// same games.
    damage: Report,
}

impl<'a> Told<'a> {
    pub(super) fn new(progress: &'a mut dyn FnMut(Progress) -> Flow) -> Told<'a> {
        Told {
            progress,
            found: Report::default(),
            damage: Report::default(),
        }
    }

    fn meet(&mut self, damage: Report) {
        let count = |report: &Report| report.damaged + report.harmed;
        if count(&damage) > count(&self.damage) {
            self.damage = damage;
        }
    }

    /// Returns the report about the games. The search for them has met all damage if it read moves
    /// at all.
    pub(super) fn report(self, games: u64) -> Report {
        let mut report = self.found;
        if report.damaged + report.harmed == 0 {
            report.add_damage_of(self.damage);
        }
        report.matched = games;
        report
    }
}

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
    pub(super) lately: Option<Games>,
    /// The queries that give the outcomes and the latest games.
    pub(super) outcome_queries: [Query; 3],
    pub(super) lately_query: Option<Query>,
}

/// Returns the query for games in which a field is exactly this name.
pub(super) fn named(field: TextField, name: &str) -> Query {
    let test = TextTest::Equals(name.to_owned());
    Query::Header(HeaderClause::Text(field, test))
}

/// Parses a query that a report is made of.
pub(super) fn parsed(query: &str) -> Query {
    // Tests run all of them.
    query.parse().unwrap_or(!Query::All)
}

impl<'d> Subject<'d> {
    /// Finds the games of a query, and those among them with each outcome.
    pub(super) fn find(
        databases: &'d [&'d Database],
        query: Query,
        outcomes: [Query; 3],
        told: &mut Told<'_>,
    ) -> Result<Subject<'d>> {
        let mut subject = Subject {
            databases,
            query: query.clone(),
            games: Vec::new(),
            outcomes: [const { Vec::new() }; 3],
            lately: None,
            outcome_queries: outcomes.clone(),
            lately_query: None,
        };
        for database in databases {
            let (games, found) = search(database, &query, None, told)?;
            subject.games.push(games);
            told.found.add(found);
        }
        let [won, drawn, lost] = &outcomes;
        subject.outcomes = [
            subject.search(won, told)?,
            subject.search(drawn, told)?,
            subject.search(lost, told)?,
        ];
        Ok(subject)
    }

    /// Tells how many games of each row are among those of a query.
    pub(super) fn tell_lately(&mut self, query: Query, told: &mut Told<'_>) -> Result<()> {
        self.lately = Some(self.search(&query, told)?);
        self.lately_query = Some(query);
        Ok(())
    }

    /// Returns the games that match a query besides.
    pub(super) fn search(&self, query: &Query, told: &mut Told<'_>) -> Result<Games> {
        let (mut all, mut damage) = (Games::new(), Report::default());
        for (database, games) in self.databases.iter().zip(&self.games) {
            let (found, report) = search(database, query, Some(games), told)?;
            all.push(found);
            damage.add_damage_of(report);
        }
        told.meet(damage);
        Ok(all)
    }

    /// Returns the part of the games that a query gives.
    pub(super) fn part(&self, query: Query, games: Games) -> Subject<'d> {
        Subject {
            query,
            games,
            ..self.clone()
        }
    }

    /// Returns the games by database; `None` if they are all, of which sidecars know more.
    pub(super) fn among(&self) -> Option<&[GameSet]> {
        Some(&*self.games).filter(|_| self.query != Query::All)
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
        told: &mut Told<'_>,
    ) -> Result<ReportRow> {
        let games = self.search(query, told)?;
        Ok(self.row(label, query, &games))
    }

    /// Returns the row of all games.
    pub(super) fn all(&self, label: String) -> ReportRow {
        self.row(label, &Query::All, &self.games)
    }
}

/// Returns all games that match a query.
pub(super) fn all(databases: &[&Database], query: &Query, told: &mut Told<'_>) -> Result<Games> {
    let databases = databases.iter();
    let found = databases.map(|database| Ok(search(database, query, None, told)?.0));
    found.collect()
}

fn search(
    database: &Database,
    query: &Query,
    among: Option<&GameSet>,
    told: &mut Told<'_>,
) -> Result<(GameSet, Report)> {
    let mut games = Vec::new();
    let mut search = Search::new(query);
    if let Some(among) = among {
        search = search.among(among);
    }
    let report = search.for_all_games(database, |game| games.push(game), told.progress)?;
    Ok((games.into_iter().collect(), report))
}
