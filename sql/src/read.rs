//! Games of a database as batches of rows, for scans and exports.

use std::ops::Range;

use datafusion::{
    arrow::{array::RecordBatch, datatypes::SchemaRef},
    error::Result,
};
use tabiya::{Flow, Query, Report, Search};

use crate::{
    base::Base,
    scan::external,
    tables::{BATCH_ROWS, Rows, Table},
};

/// Games of a block: a container of a bitmap.
pub(crate) const BLOCK_GAMES: u32 = 1 << 16;

/// Returns the query for a range of games, which are counted from 0.
pub(crate) fn numbered(games: Range<u32>) -> Query {
    let range = format!("number:{}..{}", games.start + 1, games.end);
    range.parse().unwrap_or(Query::All)
}

/// What to read of a database.
pub(crate) struct Reading<'b> {
    pub(crate) base: &'b Base,
    pub(crate) table: Table,
    /// The columns of the table that are wanted.
    pub(crate) schema: SchemaRef,
    /// Rows after which nothing more is wanted.
    pub(crate) limit: u64,
}

impl Reading<'_> {
    /// Gives the rows of the games that match, batch by batch and in order. `go_on` is asked at
    /// intervals.
    pub(crate) fn read(
        self,
        query: &Query,
        mut give: impl FnMut(RecordBatch) -> Result<Flow>,
        mut go_on: impl FnMut() -> Flow,
    ) -> Result<Report> {
        let wants_plies = self.schema.field_with_name("match_ply").is_ok();
        let mut search = Search::new(query).plies(wants_plies);
        if self.table == Table::Games {
            // One row each. A game may have no moves or tags.
            search = search.limit(self.limit);
        }
        let database = self.base.database();
        let mut rows = Rows::new(self.base, self.table, self.schema);
        let (mut given, mut failed) = (0, None);
        let sink = |hit| {
            let mut take = || {
                rows.push(hit).map_err(external)?;
                if rows.len() < BATCH_ROWS {
                    return Ok(Flow::Continue(()));
                }
                given += rows.len() as u64;
                self.base.note_rows(rows.len());
                let flow = give(rows.finish()?)?;
                let is_enough = given >= self.limit;
                Ok(if is_enough { Flow::Break(()) } else { flow })
            };
            take().unwrap_or_else(|error| {
                failed = Some(error);
                Flow::Break(())
            })
        };
        let report = search
            .for_each(database, sink, |_| go_on())
            .map_err(external)?;
        self.base.note_damaged(report.damaged);
        if let Some(error) = failed {
            return Err(error);
        }
        if !rows.is_empty() {
            self.base.note_rows(rows.len());
            let _ = give(rows.finish()?)?;
        }
        Ok(report)
    }
}
