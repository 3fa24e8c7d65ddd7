//! What a scan gives, as plans carry it to other processes.

use datafusion::arrow::datatypes::SchemaRef;
use serde::{Deserialize, Serialize};
use tabiya::Query;

use crate::{answers::Question, plies::Plies, source::Source, tables::Table};

/// Rows of a usual answer about all databases together.
const ANSWER_ROWS: usize = 20;

/// What a scan gives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum ScanRequest {
    /// Rows of a table, each task no more than the limit.
    Rows {
        table: Table,
        limit: Option<usize>,
        /// Whether `match_ply` is where the query holds, and not null.
        has_place: bool,
        /// Which plies of the moves.
        plies: Plies,
    },
    /// The answer about all databases together, by a single task.
    Answer(Question),
}

impl ScanRequest {
    /// Returns all columns.
    pub(crate) fn schema(&self) -> SchemaRef {
        match self {
            ScanRequest::Rows { table, .. } => table.schema(),
            ScanRequest::Answer(question) => question.schema(),
        }
    }

    /// Returns about how many rows there will be, so that a join keeps its smaller side in memory.
    pub(crate) fn rows(&self, sources: &[Source]) -> usize {
        let &ScanRequest::Rows {
            table,
            limit,
            plies,
            ..
        } = self
        else {
            return ANSWER_ROWS;
        };
        let mut rows_per_game = table.rows_per_game();
        if table == Table::Moves {
            rows_per_game = plies.of_game(rows_per_game);
        }
        let rows = sources.iter().map(|source| {
            // As DataFusion reckons of any condition. Asking the index would take longer.
            let share = if source.query == Query::All { 1 } else { 5 };
            source.origin.games() as usize * rows_per_game / share
        });
        rows.sum::<usize>().min(limit.unwrap_or(usize::MAX))
    }
}
