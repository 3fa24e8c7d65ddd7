//! Games of a database as batches of rows, for scans and exports.

use std::ops::Range;

use datafusion::{
    arrow::{array::RecordBatch, datatypes::SchemaRef},
    error::{DataFusionError, Result},
};
use tabiya::{Flow, GameSet, Progress, Query, Report, Search};

use crate::{
    base::Base,
    errors::external,
    plies::{GamePlies, Plies},
    tables::{BATCH_ROWS, Rows, Table},
};

/// Games of a block: a container of a bitmap.
pub(crate) const BLOCK_GAMES: u32 = 1 << 16;

/// Returns the query for a range of games of a database, which are counted from 0.
///
/// # Errors
/// If there is no such range.
pub(crate) fn numbered(base: &Base, games: &Range<u32>) -> Result<Query> {
    let before = u64::from(base.games_before());
    let (first, last) = (
        before + u64::from(games.start) + 1,
        before + u64::from(games.end),
    );
    let range = format!("number:{first}..{last}");
    range
        .parse()
        .map_err(|fault| DataFusionError::Plan(format!("{range}: {fault}")))
}

/// What to read of a database.
pub(crate) struct Reading<'b> {
    pub(crate) base: &'b Base,
    pub(crate) table: Table,
    /// The columns of the table that are wanted.
    pub(crate) schema: SchemaRef,
    /// The games that count; all without it.
    pub(crate) among: Option<&'b GameSet>,
    /// Rows after which nothing more is wanted.
    pub(crate) limit: u64,
    /// Whether the place where the query holds is of interest.
    pub(crate) has_place: bool,
    /// Which plies of the moves.
    pub(crate) plies: Plies,
    /// Which of them in each game; all without it.
    pub(crate) game_plies: Option<&'b GamePlies>,
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
        let has = |name| self.schema.field_with_name(name).is_ok();
        let wants_plies = self.has_place && (has("match_ply") || has("match_fen"));
        let mut search = Search::new(query).plies(wants_plies);
        if let Some(among) = self.among {
            search = search.among(among);
        }
        if self.table == Table::Games {
            // One row each. A game may have no moves or tags.
            search = search.limit(self.limit);
        }
        let database = self.base.database();
        let mut rows = Rows::new(self.base, self.table, self.schema);
        rows.restrict(self.plies);
        let (mut given, mut failed) = (0, None);
        let sink = |hit: tabiya::Match| {
            let mut take = || {
                if let Some(plies) = self.game_plies {
                    rows.restrict(plies.of(hit.game).and(self.plies));
                }
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
        let mut decoded = 0;
        let progress = |at: Progress| {
            self.base.note_decoded(at.done - decoded);
            decoded = at.done;
            go_on()
        };
        let report = search
            .on_progress(progress)
            .for_each(database, sink)
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
