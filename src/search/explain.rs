//! A search with its plan explained.

use tabiya_chess::Flow;
use tabiya_formats::{error::Result, progress::Progress};

use super::{Report, Search};
use crate::{
    database::Database,
    plan::explain::{self, ExplainRow},
};

/// How a query is answered: what the index proves for each clause, and the cost of the whole
/// search.
#[derive(Debug, Clone)]
#[non_exhaustive]
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
        Ok(Explanation {
            rows: self.explain_clauses(database, Progress::ignore)?,
            report: self.count(database, Progress::ignore)?,
        })
    }

    /// Returns what the index proves about each clause alone, without decoding any game. One pass
    /// over the index for each clause; `progress` is called at intervals, always with 0 games done.
    ///
    /// # Errors
    /// `Missing` if the query needs names and there are none; `Interrupted` if `progress` breaks.
    pub fn explain_clauses(
        &self,
        database: &Database,
        mut progress: impl FnMut(Progress) -> Flow,
    ) -> Result<Vec<ExplainRow>> {
        let how = (self.strategy, self.variations);
        let ask = &mut || progress(Progress::of(0, database.len().into()));
        explain::rows(&self.query, database, how, ask)
    }
}
