//! Reports that people read: tables of games, each row with the query that gives its games.
//!
//! A row is nothing but a query and what it finds, so whatever a report says can be asked again.

mod avoided;
mod games;
mod lists;
mod markdown;
mod opening;
pub(in crate::report) mod page;
mod plans;
mod player;
mod scores;
mod subject;
mod tree;
mod whose;

use shakmaty::Color;
use tabiya_chess::GameId;

use self::subject::{Subject, Told};
pub use self::{opening::OpeningReport, plans::ReportMap, player::PlayerReport, whose::MainPlayer};
use crate::{query::Query, search::Report};

/// A report: tables, each row of which has the query that gives its games.
#[derive(Debug, Clone)]
pub struct WrittenReport {
    title: String,
    /// What the databases are called.
    databases: Vec<String>,
    /// Where queries are asked, if that is a page.
    address: Option<String>,
    sections: Vec<ReportSection>,
    /// What is added to the query of a row for the games that were won, drawn and lost.
    outcomes: [Query; 3],
    /// What these are called.
    outcome_names: [&'static str; 3],
    /// What is added to it for the latest games.
    lately: Option<Query>,
    report: Report,
}

/// A table of a report.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ReportSection {
    /// Its title.
    pub title: String,
    /// What its rows are and how they were chosen; empty if the title says it.
    pub note: String,
    /// Boards that show where men go; empty but in the plans of an opening.
    pub maps: Vec<ReportMap>,
    /// Its rows.
    pub rows: Vec<ReportRow>,
}

/// Some games of a report.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ReportRow {
    /// What the games have in common.
    pub label: String,
    /// How far the row is indented, as moves of a tree are.
    pub depth: u32,
    /// The query for the games, in the databases of the report.
    pub query: Query,
    /// The number of games.
    pub games: u64,
    /// The number of games of which they are a part.
    pub of: u64,
    /// The number of games that the report's player won; White, in a report about an opening.
    pub won: u64,
    /// The number of draws.
    pub drawn: u64,
    /// The number of games that he lost.
    pub lost: u64,
    /// How many of the games are of the latest three years, where that is told.
    pub lately: Option<u64>,
    /// The position that the row is about, as FEN.
    pub fen: Option<String>,
    /// If the row is one game: the index of its database, and the game.
    pub game: Option<(usize, GameId)>,
}

/// How the note of a table begins that needs a file that is missing.
const NOT_TOLD: &str = "Not told: ";

impl ReportSection {
    /// Returns whether it has games, or says why not.
    fn tells(&self) -> bool {
        !self.rows.is_empty() || self.note.starts_with(NOT_TOLD)
    }

    fn new(title: &str, note: &str, rows: Vec<ReportRow>) -> ReportSection {
        ReportSection {
            title: title.to_owned(),
            note: note.to_owned(),
            maps: Vec::new(),
            rows,
        }
    }
}

impl WrittenReport {
    fn new(
        title: &str,
        outcome_names: [&'static str; 3],
        all: &Subject<'_>,
        mut sections: Vec<ReportSection>,
        told: Told<'_>,
    ) -> WrittenReport {
        sections.retain(ReportSection::tells);
        let databases = all.databases.iter();
        let paths = databases.map(|database| database.path().display().to_string());
        WrittenReport {
            title: title.to_owned(),
            databases: paths.collect(),
            address: None,
            sections,
            outcomes: all.outcome_queries.clone(),
            outcome_names,
            lately: all.lately_query.clone(),
            report: told.report(all.count()),
        }
    }

    /// Returns the title.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the paths of the databases, or what they are called.
    #[must_use]
    pub fn databases(&self) -> &[String] {
        &self.databases
    }

    /// Says what the databases are called, in place of their paths.
    #[must_use]
    pub fn call_databases(mut self, names: Vec<String>) -> WrittenReport {
        self.databases = names;
        self
    }

    /// Lets the queries of a page lead to an address, after which the query is written
    /// percent-encoded.
    #[must_use]
    pub fn ask_at(mut self, address: &str) -> WrittenReport {
        self.address = Some(address.to_owned());
        self
    }

    /// Returns the tables; those without games are left out. One for which a file is missing has no
    /// rows, and its note says so.
    #[must_use]
    pub fn sections(&self) -> &[ReportSection] {
        &self.sections
    }

    /// Returns the counts and times of all searches. [`matched`](Report::matched) is the number of
    /// games that the report is about.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Returns what the games won, drawn and lost are called.
    #[must_use]
    pub fn outcome_names(&self) -> [&'static str; 3] {
        self.outcome_names
    }

    /// Returns the queries for the games of a row that were won, drawn and lost.
    #[must_use]
    pub fn outcome_queries(&self, row: &ReportRow) -> [Query; 3] {
        let outcomes = self.outcomes.clone();
        outcomes.map(|outcome| row.query.clone().and(outcome))
    }

    /// Returns the query for the latest games of a row.
    #[must_use]
    pub fn lately_query(&self, row: &ReportRow) -> Option<Query> {
        Some(row.query.clone().and(self.lately.clone()?))
    }

    /// Returns the command that lists the games of a query.
    fn command(&self, query: &Query) -> String {
        let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
        let databases = self.databases.iter().map(|path| quoted(path));
        let databases: Vec<String> = databases.collect();
        let query = quoted(&query.to_string());
        format!("tabiya search {} {query}", databases.join(" "))
    }
}

impl ReportRow {
    /// Returns the share of these games in those of which they are a part, in thousandths, rounded
    /// half up.
    #[must_use]
    pub fn share_permille(&self) -> u64 {
        let doubled = 2000 * self.games + self.of;
        doubled.checked_div(2 * self.of).unwrap_or_default()
    }

    /// Returns the number of games with a result.
    fn decided(&self) -> u64 {
        self.won + self.drawn + self.lost
    }

    /// Returns the score in thousandths, rounded half up; `None` without results.
    #[must_use]
    pub fn score_permille(&self) -> Option<u64> {
        let decided = self.decided();
        let doubled = 1000 * (2 * self.won + self.drawn);
        (doubled + decided).checked_div(2 * decided)
    }
}

/// Says that games could not be read, or only in part.
pub(in crate::report) fn damage(report: &Report) -> Vec<String> {
    let told = [
        (report.damaged, "left out"),
        (report.harmed, "searched as far as they can be read"),
    ];
    let told = told.into_iter().filter(|(games, _)| *games > 0);
    told.map(|(games, how)| format!("Damaged games {how}: {games}; `tabiya verify` lists them."))
        .collect()
}

pub(in crate::report) fn side_name(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}

/// Returns thousandths as a percentage with one decimal.
pub(in crate::report) fn percent(permille: u64) -> String {
    format!("{}.{}%", permille / 10, permille % 10)
}
