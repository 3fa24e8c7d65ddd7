//! A search with its plan told.

use super::{Report, Search};
use crate::{
    chess::Flow,
    database::Database,
    error::Result,
    plan::explain::{self, ExplainRow},
};

/// How a query is answered: what the index proves clause by clause, and what the whole search
/// took.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Explanation {
    /// One row a clause, in the order of the query.
    pub rows: Vec<ExplainRow>,
    /// Counts and times of the whole search.
    pub report: Report,
}

impl Search<'_> {
    /// Runs the search, counting only, and tells how it was answered.
    ///
    /// # Errors
    /// As [`run`](Search::run).
    pub fn explain(&self, database: &Database) -> Result<Explanation> {
        Ok(Explanation {
            rows: self.explain_clauses(database, || Flow::Continue(()))?,
            report: self.count(database)?,
        })
    }

    /// Returns what the index proves about each clause alone, without decoding any game. One
    /// pass over the index for each clause; `ask` is called now and then whether to go on.
    ///
    /// # Errors
    /// `Missing` when the query asks for names and there are none; `Interrupted` when `ask`
    /// breaks.
    pub fn explain_clauses(
        &self,
        database: &Database,
        mut ask: impl FnMut() -> Flow,
    ) -> Result<Vec<ExplainRow>> {
        let how = (self.strategy, self.variations);
        explain::rows(self.query, database, how, &mut ask)
    }
}
