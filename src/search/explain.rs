//! A search with its plan explained.

use tabiya_chess::Flow;
use tabiya_formats::{error::Result, progress::Progress};

use super::{Report, Search};
use crate::{
    database::Database,
    plan::explain::{self, ExplainRow},
    progress::WithProgress,
};

/// How a query is answered: what the index proves for each clause, and the cost of the whole
/// search.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Explanation {
    /// One row per clause, in the order of the query.
    pub rows: Vec<ExplainRow>,
    /// Counts and times of the whole search.
    pub report: Report,
}

impl Search<'_> {
    /// Runs the search, counting only, and explains how it was answered.
    ///
    /// # Errors
    /// Those of [`run`](Search::run), and of [`explain_clauses`](Search::explain_clauses).
    pub fn explain(&self, database: &Database) -> Result<Explanation> {
        self.on_progress(Progress::ignore).explain(database)
    }

    /// Returns what the index proves about each clause alone, without decoding any game. One pass
    /// over the index for each clause.
    ///
    /// # Errors
    /// `Missing` if the query needs names and there are none.
    pub fn explain_clauses(&self, database: &Database) -> Result<Vec<ExplainRow>> {
        self.on_progress(Progress::ignore).explain_clauses(database)
    }
}

impl<F: FnMut(Progress) -> Flow> WithProgress<&Search<'_>, F> {
    /// Runs the search, counting only, and explains how it was answered. See [`Search::explain`].
    ///
    /// # Errors
    /// Those of [`Search::explain`]; `Interrupted` if the callback breaks before games are counted.
    pub fn explain(mut self, database: &Database) -> Result<Explanation> {
        let search = self.work;
        let look = &mut self.progress;
        Ok(Explanation {
            rows: search.on_progress(look).explain_clauses(database)?,
            report: search.on_progress(self.progress).count(database)?,
        })
    }

    /// Returns what the index proves about each clause alone. The callback always gets 0 games
    /// done. See [`Search::explain_clauses`].
    ///
    /// # Errors
    /// Those of [`Search::explain_clauses`]; `Interrupted` if the callback breaks.
    pub fn explain_clauses(mut self, database: &Database) -> Result<Vec<ExplainRow>> {
        let search = self.work;
        let how = (search.strategy, search.variations);
        let ask = &mut || (self.progress)(Progress::of(0, database.len().into()));
        explain::rows(&search.query, database, how, ask)
    }
}
