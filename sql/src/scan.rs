//! Reading: tasks that each read some ranges of games.
//!
//! The ranges are rows of a small table in memory, which is the input of a scan. Whoever divides
//! the partitions of a plan among machines divides that table, and thereby the work.

use std::{fmt, ops::Range, sync::Arc};

use datafusion::{
    arrow::{
        array::{AsArray, RecordBatch, RecordBatchOptions, UInt32Array},
        datatypes::{DataType, Field, Schema, SchemaRef, UInt32Type},
    },
    common::{Statistics, config::ConfigOptions, stats::Precision, tree_node::TreeNodeRecursion},
    datasource::memory::MemorySourceConfig,
    error::{DataFusionError, Result},
    execution::{SendableRecordBatchStream, TaskContext},
    physical_expr::{EquivalenceProperties, PhysicalExpr},
    physical_plan::{
        DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
        ReplaceChildrenOptions, StatisticsArgs, common,
        execution_plan::{Boundedness, ChildrenPropertiesMode, EmissionType},
        filter_pushdown::{ChildPushdownResult, FilterPushdownPhase, FilterPushdownPropagation},
        stream::{RecordBatchReceiverStreamBuilder, RecordBatchStreamAdapter},
    },
};
use futures::{StreamExt as _, stream};
use tabiya::{Flow, GameSet, Progress, Query, Search};
use tokio::sync::mpsc::Sender;

use crate::{
    base::Base,
    errors::external,
    needed::{Known, Needed},
    plies::Plies,
    read::{BLOCK_GAMES, Reading, numbered},
    source::{Origin, Source},
    tables::Table,
    wanted::ScanRequest,
};

/// Batches that wait to be taken.
const WAITING: usize = 2;

/// Returns the ranges of games of each task as a table: the number of the source, its first game
/// from 0, and the one after the last. Tasks have whole blocks, and there are about as many tasks
/// as wanted.
fn parts(sources: &[Source], tasks: usize) -> Result<Arc<dyn ExecutionPlan>> {
    let blocks = |source: &Source| source.origin.games().div_ceil(BLOCK_GAMES);
    let all: u32 = sources.iter().map(blocks).sum();
    let tasks = u32::try_from(tasks).unwrap_or(1).max(1);
    let blocks_per_task = all.div_ceil(tasks).max(1);
    // One at least: a plan without partitions is invalid for some operators.
    let mut parts: Vec<Vec<[u32; 3]>> = vec![Vec::new()];
    let mut free_blocks = blocks_per_task;
    for (number, source) in (0..).zip(sources) {
        let games = source.origin.games();
        let mut first = 0;
        while first < games {
            if free_blocks == 0 {
                parts.push(Vec::new());
                free_blocks = blocks_per_task;
            }
            let end = free_blocks
                .saturating_mul(BLOCK_GAMES)
                .saturating_add(first)
                .min(games);
            free_blocks -= (end - first).div_ceil(BLOCK_GAMES);
            if let Some(part) = parts.last_mut() {
                part.push([number, first, end]);
            }
            first = end;
        }
    }
    rows_of(&parts)
}

/// Returns the scan's input: a partition for each task.
fn rows_of(parts: &[Vec<[u32; 3]>]) -> Result<Arc<dyn ExecutionPlan>> {
    let field = |name| Field::new(name, DataType::UInt32, false);
    let schema = Arc::new(Schema::new(["source", "first", "end"].map(field).to_vec()));
    let partitions = parts.iter().map(|rows| {
        let column = |place: usize| -> Arc<UInt32Array> {
            Arc::new(rows.iter().map(|row| row[place]).collect())
        };
        let columns = vec![column(0) as _, column(1) as _, column(2) as _];
        Ok(vec![RecordBatch::try_new(Arc::clone(&schema), columns)?])
    });
    let partitions = partitions.collect::<Result<Vec<_>>>()?;
    Ok(MemorySourceConfig::try_new_exec(&partitions, schema, None)?)
}

/// Reads databases.
#[derive(Debug, Clone)]
pub(crate) struct ChessScan {
    pub(crate) wanted: ScanRequest,
    pub(crate) sources: Arc<[Source]>,
    parts: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
    needed: Needed,
}

impl ChessScan {
    /// Creates a scan of some columns, in about this many tasks.
    pub(crate) fn new(
        wanted: ScanRequest,
        schema: SchemaRef,
        sources: Arc<[Source]>,
        tasks: usize,
    ) -> Result<ChessScan> {
        let parts = match wanted {
            ScanRequest::Rows { .. } => parts(&sources, tasks)?,
            ScanRequest::Answer(_) => rows_of(&[Vec::new()])?,
        };
        Ok(ChessScan::of_parts(wanted, schema, sources, parts))
    }

    /// Creates a scan of the ranges in a table.
    pub(crate) fn of_parts(
        wanted: ScanRequest,
        schema: SchemaRef,
        sources: Arc<[Source]>,
        parts: Arc<dyn ExecutionPlan>,
    ) -> ChessScan {
        let tasks = parts.properties().output_partitioning().partition_count();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(tasks),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        ChessScan {
            wanted,
            sources,
            parts,
            properties: Arc::new(properties),
            needed: Needed::default(),
        }
    }
}

impl ChessScan {
    /// Begins to read some parts, on a thread of its own.
    fn start(self, parts: SendableRecordBatchStream) -> SendableRecordBatchStream {
        let schema = self.schema();
        let mut stream = RecordBatchReceiverStreamBuilder::new(Arc::clone(&schema), WAITING);
        let reader = Reader {
            wanted: self.wanted,
            schema,
            sources: self.sources,
            needed: self.needed,
            batches: stream.tx(),
        };
        stream.spawn(async move {
            let parts = common::collect(parts).await?;
            let work = tokio::task::spawn_blocking(move || reader.read(&parts));
            work.await
                .map_err(|error| DataFusionError::Internal(error.to_string()))?
        });
        stream.build()
    }
}

/// Says what the index decides about each clause of a query, if the database is open.
fn decided(source: &Source) -> String {
    let Origin::Open(base) = &source.origin else {
        return String::new();
    };
    let search = Search::new(&source.query);
    let rows = search.explain_clauses(base.database());
    let rows = rows.iter().flatten().map(|row| {
        let (clause, served_by) = (&row.clause, &row.served_by);
        let (certain, possible) = (row.certain, row.possible);
        let games = if certain == 1 { "game" } else { "games" };
        format!(
            " ({clause}: {served_by}; {certain} {games}, {} open)",
            possible - certain
        )
    });
    rows.collect()
}

impl DisplayAs for ChessScan {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.wanted {
            ScanRequest::Rows { table, .. } => write!(f, "ChessScan: table={}", table.name())?,
            ScanRequest::Answer(question) => write!(f, "ChessScan: {question}")?,
        }
        for source in self.sources.iter() {
            write!(f, ", {}=[{}]", source.origin.name(), source.query)?;
            write!(f, "{}", decided(source))?;
        }
        if let ScanRequest::Rows { limit, plies, .. } = self.wanted {
            if plies != Plies::ALL {
                write!(f, ", plies={plies}")?;
            }
            if let Some(limit) = limit {
                write!(f, ", limit={limit}")?;
            }
        }
        for condition in self.needed.conditions() {
            write!(f, ", needed={condition}")?;
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
        vec![&self.parts]
    }

    /// A part is a row, and dividing them further would only cost time.
    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        for condition in self.needed.conditions() {
            if visit(condition)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        self.replace_children(children, options)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let [parts] = <[_; 1]>::try_from(children)
            .map_err(|_| DataFusionError::Internal("a scan has one input".to_owned()))?;
        let scan = ChessScan::of_parts(
            self.wanted.clone(),
            self.schema(),
            Arc::clone(&self.sources),
            parts,
        );
        let needed = self.needed.clone();
        Ok(Arc::new(ChessScan { needed, ..scan }))
    }

    /// Takes what becomes known while the query runs; where it comes from, it is tested again.
    fn handle_child_pushdown_result(
        &self,
        phase: FilterPushdownPhase,
        pushed: ChildPushdownResult,
        _: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn ExecutionPlan>>> {
        let needed = Needed::of(pushed.parent_filters.iter().map(|pushed| &pushed.filter));
        let result = FilterPushdownPropagation::all_unsupported(pushed);
        // The first rows are others if some are left out before they are counted.
        let is_all = matches!(self.wanted, ScanRequest::Rows { limit: None, .. });
        if !is_all || phase != FilterPushdownPhase::Post || needed.conditions().is_empty() {
            return Ok(result);
        }
        let scan: Arc<dyn ExecutionPlan> = Arc::new(ChessScan {
            needed,
            ..self.clone()
        });
        Ok(result.with_updated_node(scan))
    }

    fn statistics_from_inputs(
        &self,
        _: &[Arc<Statistics>],
        asked: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let tasks = self.properties.output_partitioning().partition_count();
        let share = asked.partition().map_or(1, |_| tasks.max(1));
        let mut statistics = Statistics::new_unknown(&self.schema());
        statistics.num_rows = Precision::Inexact(self.wanted.rows(&self.sources) / share);
        Ok(Arc::new(statistics))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let parts = self.parts.execute(partition, context)?;
        let scan = self.clone();
        // A join asks for rows when its other side is known, and what is needed with it.
        let stream = stream::once(async move { scan.start(parts) }).flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            self.schema(),
            stream,
        )))
    }
}

/// Reads the parts of a task, on a thread of its own.
struct Reader {
    wanted: ScanRequest,
    schema: SchemaRef,
    sources: Arc<[Source]>,
    needed: Needed,
    batches: Sender<Result<RecordBatch>>,
}

impl Reader {
    fn read(&self, parts: &[RecordBatch]) -> Result<()> {
        match &self.wanted {
            ScanRequest::Rows { .. } => self.read_parts(parts),
            ScanRequest::Answer(question) => {
                let rows = question.answer(&self.sources, &mut |_| self.go_on())?;
                let columns = self.schema.fields().iter();
                let places = columns.map(|field| rows.schema().index_of(field.name()));
                let places = places.collect::<Result<Vec<_>, _>>()?;
                self.send(rows.project(&places)?).map(drop)
            }
        }
    }

    fn read_parts(&self, parts: &[RecordBatch]) -> Result<()> {
        for part in parts {
            let column = |place: usize| part.column(place).as_primitive::<UInt32Type>().values();
            for ((&number, &first), &end) in column(0).iter().zip(column(1)).zip(column(2)) {
                let source = self.sources.get(number as usize).ok_or_else(|| {
                    DataFusionError::Internal(format!("there is no source {number}"))
                })?;
                let base = source.origin.base()?;
                let known = self.needed.known(&base, &(first..end))?;
                if known.games.as_ref().is_some_and(GameSet::is_empty) {
                    continue;
                }
                let query = restricted(&source.query, &base, &(first..end))?;
                self.read_part(&base, &query, &known)?;
                source.origin.warn_of_damage(&base);
            }
        }
        Ok(())
    }

    fn read_part(&self, base: &Base, query: &Query, known: &Known) -> Result<()> {
        let &ScanRequest::Rows {
            table,
            limit,
            has_place,
            plies,
        } = &self.wanted
        else {
            return Ok(());
        };
        let limit = limit.map_or(u64::MAX, |rows| rows as u64);
        if table == Table::Games && self.schema.fields().is_empty() {
            let mut search = Search::new(query).limit(limit);
            if let Some(among) = &known.games {
                search = search.among(among);
            }
            let mut decoded = 0;
            let progress = |at: Progress| {
                base.note_decoded(at.done - decoded);
                decoded = at.done;
                self.go_on()
            };
            let counted = search.on_progress(progress).count(base.database());
            let report = counted.map_err(external)?;
            base.note_damaged(report.damaged);
            return self.send(self.rows(report.matched)?).map(drop);
        }
        let reading = Reading {
            base,
            table,
            schema: Arc::clone(&self.schema),
            among: known.games.as_ref(),
            limit,
            has_place,
            plies,
            game_plies: known.plies.as_ref(),
        };
        let give = |batch| self.send(batch);
        reading.read(query, give, || self.go_on()).map(drop)
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

/// Returns the query for a range of games.
fn restricted(query: &Query, base: &Base, games: &Range<u32>) -> Result<Query> {
    if *games == (0..base.database().len()) {
        return Ok(query.clone());
    }
    let range = numbered(base, games)?;
    Ok(match query {
        Query::All => range,
        query => Query::And(vec![range, query.clone()]),
    })
}
