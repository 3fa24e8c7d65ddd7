//! Tables of some databases: of their games, and of answers about all of them together.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::{
    arrow::datatypes::SchemaRef,
    catalog::{Session, TableProvider},
    datasource::TableType,
    error::{DataFusionError, Result},
    logical_expr::{Expr, TableProviderFilterPushDown},
    physical_plan::ExecutionPlan,
};
use tabiya::Query;

use crate::{
    answers::Question,
    base::Base,
    errors::external,
    plies::Plies,
    pushdown::{Games, Pushdown, TEXT_BYTES_MAX},
    scan::ChessScan,
    source::{Origin, Source},
    tables::Table,
    wanted::ScanRequest,
};

/// One table over databases: the games of a query, their moves or their tags.
#[derive(Debug)]
pub struct ChessTable {
    table: Table,
    schema: SchemaRef,
    bases: Vec<Arc<Base>>,
    query: Query,
    pushdown: bool,
}

impl ChessTable {
    /// Creates a table over all games of databases.
    #[must_use]
    pub fn new(table: Table, bases: Vec<Arc<Base>>) -> ChessTable {
        ChessTable {
            table,
            schema: table.schema(),
            bases,
            query: Query::All,
            pushdown: true,
        }
    }

    /// Restricts the table to the games that match. The ply of the match is in `match_ply`.
    #[must_use]
    pub fn query(mut self, query: Query) -> ChessTable {
        self.query = query;
        self
    }

    /// Sets whether conditions of SQL become part of the query, which is the default. The rows are
    /// the same without.
    #[must_use]
    pub fn pushdown(mut self, pushdown: bool) -> ChessTable {
        self.pushdown = pushdown;
        self
    }

    /// Returns the plies of moves for which conditions can hold.
    fn plies(&self, filters: &[Expr]) -> Plies {
        if self.table == Table::Moves && self.pushdown {
            Plies::of(filters)
        } else {
            Plies::ALL
        }
    }

    /// Returns what to read of a database; `None` if no game of it counts.
    fn source(&self, base: &Arc<Base>, filters: &[Expr]) -> Result<Option<Source>> {
        let pushdown = Pushdown {
            table: self.table,
            db: Some(base.name()),
            has_place: self.query.asks_for_positions(),
        };
        let filter = match pushdown.games(filters) {
            Games::None => return Ok(None),
            games => {
                let text = games.text();
                text.parse()
                    .map_err(|fault| DataFusionError::Internal(format!("{text}: {fault}")))?
            }
        };
        let query = match (self.query.clone(), filter) {
            (Query::All, query) | (query, Query::All) => query,
            (query, filter) => Query::And(vec![query, filter]),
        };
        Ok(Some(Source {
            origin: Origin::Open(Arc::clone(base)),
            query,
        }))
    }
}

#[async_trait]
impl TableProvider for ChessTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let schema = match projection {
            Some(columns) => Arc::new(self.schema.project(columns)?),
            None => Arc::clone(&self.schema),
        };
        let plies = self.plies(filters);
        let mut sources = Vec::new();
        for base in &self.bases {
            base.database().check_unchanged().map_err(external)?;
            if plies.is_empty() {
                continue;
            }
            sources.extend(self.source(base, filters)?);
        }
        tell_advice(&sources);
        let tasks = state.config().target_partitions();
        let wanted = ScanRequest::Rows {
            table: self.table,
            limit,
            has_place: self.query.asks_for_positions(),
            plies,
        };
        let scan = ChessScan::new(wanted, schema, sources.into(), tasks)?;
        Ok(Arc::new(scan))
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let pushdown = Pushdown {
            table: self.table,
            db: None,
            has_place: self.query.asks_for_positions(),
        };
        // All conditions together must stay within the limits of a query too.
        let mut bytes = 0;
        let answer = filters.iter().map(|filter| {
            let asked = pushdown.asked(filter, true).filter(|asked| {
                let text = asked.games.text();
                let fits = bytes + text.len() <= TEXT_BYTES_MAX && text.parse::<Query>().is_ok();
                bytes += if fits { text.len() } else { 0 };
                fits && self.pushdown
            });
            match asked.map(|asked| asked.is_exact) {
                Some(true) => TableProviderFilterPushDown::Exact,
                Some(false) => TableProviderFilterPushDown::Inexact,
                None if self.plies(std::slice::from_ref(*filter)) != Plies::ALL => {
                    TableProviderFilterPushDown::Inexact
                }
                None => TableProviderFilterPushDown::Unsupported,
            }
        });
        Ok(answer.collect())
    }
}

/// Logs what was probably meant by words of a query; that of each source has the same.
fn tell_advice(sources: &[Source]) {
    let advice = sources.first().map(|source| source.query.advice());
    for advice in advice.unwrap_or_default() {
        log::warn!("{advice}");
    }
}

/// A question about databases as a table.
#[derive(Debug)]
pub(crate) struct AnswerTable {
    pub(crate) question: Question,
    pub(crate) sources: Arc<[Source]>,
}

#[async_trait]
impl TableProvider for AnswerTable {
    fn schema(&self) -> SchemaRef {
        self.question.schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mut schema = self.schema();
        if let Some(columns) = projection {
            schema = Arc::new(schema.project(columns)?);
        }
        tell_advice(&self.sources);
        let wanted = ScanRequest::Answer(self.question.clone());
        Ok(Arc::new(ChessScan::new(
            wanted,
            schema,
            Arc::clone(&self.sources),
            1,
        )?))
    }
}
