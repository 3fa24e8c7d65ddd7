//! Reading a table: one task for each range of games.

use std::{fmt, ops::Range, sync::Arc};

use datafusion::{
    arrow::{
        array::{RecordBatch, RecordBatchOptions},
        datatypes::SchemaRef,
    },
    common::tree_node::TreeNodeRecursion,
    error::{DataFusionError, Result},
    execution::{SendableRecordBatchStream, TaskContext},
    physical_expr::{EquivalenceProperties, PhysicalExpr},
    physical_plan::{
        DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
        ReplaceChildrenOptions,
        execution_plan::{Boundedness, EmissionType},
        stream::RecordBatchReceiverStreamBuilder,
    },
};
use tabiya::{Flow, Query, Search};
use tokio::sync::mpsc::Sender;

use crate::{
    base::Base,
    read::{BLOCK_GAMES, Reading, numbered},
    tables::Table,
};

/// Batches that wait to be taken.
const WAITING: usize = 2;

/// The games of one database that a scan reads.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) base: Arc<Base>,
    pub(crate) query: Query,
}

/// A part of a scan.
#[derive(Debug, Clone)]
struct Part {
    source: Source,
    games: Range<u32>,
}

/// Divides databases into tasks: each a run of whole blocks, and about as many as wanted.
fn parts(sources: &[Source], wanted: usize) -> Vec<Part> {
    let blocks = |source: &Source| source.base.database().len().div_ceil(BLOCK_GAMES);
    let all: u32 = sources.iter().map(blocks).sum();
    let per_part = all
        .div_ceil(u32::try_from(wanted).unwrap_or(1).max(1))
        .max(1);
    let mut parts = Vec::new();
    for source in sources {
        let length = source.base.database().len();
        let step = per_part.saturating_mul(BLOCK_GAMES);
        let mut start = 0;
        while start < length {
            let end = start.saturating_add(step).min(length);
            parts.push(Part {
                source: source.clone(),
                games: start..end,
            });
            start = end;
        }
    }
    parts
}

/// Scans a table.
#[derive(Debug)]
pub(crate) struct ChessScan {
    table: Table,
    schema: SchemaRef,
    sources: Vec<Source>,
    parts: Vec<Part>,
    limit: Option<usize>,
    properties: Arc<PlanProperties>,
}

impl ChessScan {
    /// Creates a scan of some columns, in about this many tasks.
    pub(crate) fn new(
        table: Table,
        schema: SchemaRef,
        sources: Vec<Source>,
        limit: Option<usize>,
        tasks: usize,
    ) -> ChessScan {
        let parts = parts(&sources, tasks);
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(parts.len()),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        ChessScan {
            table,
            schema,
            sources,
            parts,
            limit,
            properties: Arc::new(properties),
        }
    }
}

impl DisplayAs for ChessScan {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChessScan: table={}", self.table.name())?;
        for source in &self.sources {
            write!(f, ", {}=[{}]", source.base.name(), source.query)?;
        }
        if let Some(limit) = self.limit {
            write!(f, ", limit={limit}")?;
        }
        Ok(())
    }
}

impl ExecutionPlan for ChessScan {
    fn name(&self) -> &'static str {
        "ChessScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn replace_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(&self, partition: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let part =
            self.parts.get(partition).cloned().ok_or_else(|| {
                DataFusionError::Internal(format!("there is no part {partition}"))
            })?;
        let mut stream = RecordBatchReceiverStreamBuilder::new(Arc::clone(&self.schema), WAITING);
        let reader = Reader {
            table: self.table,
            schema: Arc::clone(&self.schema),
            limit: self.limit.map_or(u64::MAX, |limit| limit as u64),
            batches: stream.tx(),
        };
        stream.spawn_blocking(move || reader.read(&part));
        Ok(stream.build())
    }
}

/// Reads one part, on a thread of its own.
struct Reader {
    table: Table,
    schema: SchemaRef,
    limit: u64,
    batches: Sender<Result<RecordBatch>>,
}

impl Reader {
    fn read(&self, part: &Part) -> Result<()> {
        let base = &part.source.base;
        let query = part.query();
        if self.table == Table::Games && self.schema.fields().is_empty() {
            let search = Search::new(&query).limit(self.limit);
            let counted = search.count(base.database(), |_| self.go_on());
            let report = counted.map_err(external)?;
            base.note_damaged(report.damaged);
            return self.send(self.rows(report.matched)?).map(drop);
        }
        let reading = Reading {
            base,
            table: self.table,
            schema: Arc::clone(&self.schema),
            limit: self.limit,
        };
        let give = |batch| self.send(batch);
        reading.read(&query, give, || self.go_on()).map(drop)
    }

    /// Returns a batch without columns.
    fn rows(&self, count: u64) -> Result<RecordBatch> {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        let schema = Arc::clone(&self.schema);
        Ok(RecordBatch::try_new_with_options(
            schema,
            Vec::new(),
            &options,
        )?)
    }

    /// Breaks if nobody waits for rows any more.
    fn go_on(&self) -> Flow {
        if self.batches.is_closed() {
            Flow::Break(())
        } else {
            Flow::Continue(())
        }
    }

    fn send(&self, batch: RecordBatch) -> Result<Flow> {
        // Nobody waits if the rest of the rows is not wanted.
        let _ = self.batches.blocking_send(Ok(batch));
        Ok(self.go_on())
    }
}

impl Part {
    /// Returns the query for the games of this part.
    fn query(&self) -> Query {
        if self.games == (0..self.source.base.database().len()) {
            return self.source.query.clone();
        }
        let range = numbered(self.games.clone());
        match &self.source.query {
            Query::All => range,
            query => Query::And(vec![range, query.clone()]),
        }
    }
}

/// Wraps an error of tabiya, which has path, offset and game.
pub(crate) fn external(error: tabiya::Error) -> DataFusionError {
    let error: Box<dyn std::error::Error + Send + Sync> = Box::new(error);
    DataFusionError::External(error)
}
