//! Tables that are named by a call: `games('a.si4', query => 'eco:B90')`.

use std::{fmt, sync::Arc};

use datafusion::{
    arrow::{
        array::{ArrayRef, Float64Array, RecordBatch, StringViewArray, UInt64Array},
        datatypes::{DataType, Field, Schema, SchemaRef},
    },
    catalog::{TableProvider, streaming::StreamingTable},
    common::DFSchema,
    datasource::provider_as_source,
    error::{DataFusionError, Result},
    execution::{SendableRecordBatchStream, TaskContext},
    logical_expr::{
        Expr, LogicalPlanBuilder,
        planner::{PlannedRelation, RelationPlanner, RelationPlannerContext, RelationPlanning},
    },
    physical_plan::{stream::RecordBatchReceiverStreamBuilder, streaming::PartitionStream},
    scalar::ScalarValue,
    sql::sqlparser::ast::{FunctionArg, FunctionArgExpr, FunctionArgOperator, TableFactor},
};
use tabiya::{Flow, Positions, Progress, Query, TreePosition, TreeSearch, chess::GameResult};
use tokio::sync::mpsc::Sender;

use crate::{provider::ChessTable, scan::external, session::Bases, tables::Table};

/// The functions, as DataFusion plans them.
#[derive(Debug)]
pub(crate) struct Functions {
    pub(crate) bases: Arc<Bases>,
}

/// The arguments of a call.
#[derive(Debug, Default)]
struct Arguments {
    texts: Vec<String>,
    named: Vec<(String, String)>,
}

impl Arguments {
    /// Takes a named argument.
    fn take(&mut self, name: &str) -> Option<String> {
        let place = self.named.iter().position(|(given, _)| given == name)?;
        Some(self.named.swap_remove(place).1)
    }

    fn query(&mut self) -> Result<Query> {
        let text = self.take("query").unwrap_or_default();
        text.parse()
            .map_err(|fault| plan_error(format!("query => '{text}': {fault}")))
    }

    /// Checks that all named arguments were taken.
    fn finish(self, function: &str) -> Result<Vec<String>> {
        match self.named.first() {
            Some((name, _)) => Err(plan_error(format!(
                "{function}: no argument is named {name}"
            ))),
            None => Ok(self.texts),
        }
    }
}

fn plan_error(message: String) -> DataFusionError {
    DataFusionError::Plan(message)
}

impl Functions {
    fn table(
        &self,
        function: &str,
        mut arguments: Arguments,
    ) -> Result<Option<Arc<dyn TableProvider>>> {
        let table = match function {
            "tabiya" | "games" => Table::Games,
            "moves" => Table::Moves,
            "tags" => Table::Tags,
            "tree" => return self.tree(arguments).map(Some),
            "positions" => return self.positions(arguments).map(Some),
            _ => return Ok(None),
        };
        let query = arguments.query()?;
        let bases = self.bases.named(&arguments.finish(function)?)?;
        let table = ChessTable::new(table, bases)
            .query(query)
            .pushdown(self.bases.pushdown);
        Ok(Some(Arc::new(table)))
    }

    /// `tree('a.si4', moves => 'e4 e5', query => ...)` or with `fen`: one row a next move.
    fn tree(&self, mut arguments: Arguments) -> Result<Arc<dyn TableProvider>> {
        let query = arguments.query()?;
        let position = match (arguments.take("fen"), arguments.take("moves")) {
            (Some(_), Some(_)) => {
                return Err(plan_error("tree: either fen or moves".to_owned()));
            }
            (Some(fen), None) => TreePosition::from_fen(&fen),
            (None, moves) => TreePosition::from_moves(&moves.unwrap_or_default()),
        };
        let position = position.map_err(|fault| plan_error(format!("tree: {fault}")))?;
        let bases = self.bases.named(&arguments.finish("tree")?)?;
        told(tree_schema(), move |progress| {
            let mut all: Option<tabiya::Tree> = None;
            for base in &bases {
                let search = TreeSearch::new(&position).query(&query);
                let tree = search.run(base.database(), &mut *progress)?;
                match &mut all {
                    Some(all) => all.add(tree),
                    None => all = Some(tree),
                }
            }
            Ok(all.as_ref().map_or_else(Vec::new, tree_columns))
        })
    }

    /// `positions('FEN', ..., db => 'a.si4')`: one row a position.
    fn positions(&self, mut arguments: Arguments) -> Result<Arc<dyn TableProvider>> {
        let query = arguments.query()?;
        let paths: Vec<String> = arguments.take("db").into_iter().collect();
        let bases = self.bases.named(&paths)?;
        let fens = arguments.finish("positions")?;
        let wanted = fens.iter().map(|fen| {
            let fen = fen
                .parse()
                .map_err(|fault| plan_error(format!("`{fen}`: {fault}")))?;
            Ok(tabiya::WantedPosition::new(fen))
        });
        let wanted = wanted.collect::<Result<Vec<_>>>()?;
        told(positions_schema(), move |progress| {
            let mut columns: [Vec<u64>; 4] = Default::default();
            let mut all = tabiya::Positions::new(wanted.clone());
            if query != Query::All {
                all = all.query(query.clone());
            }
            let mut sum = vec![[0_u64; 4]; fens.len()];
            for base in &bases {
                let counts = Positions::run(&all, base.database(), &mut *progress)?;
                for (sum, row) in sum.iter_mut().zip(counts.rows()) {
                    let of = |result| u64::from(row.tally.count(result));
                    sum[0] += u64::from(row.tally.games());
                    sum[1] += of(GameResult::WhiteWins);
                    sum[2] += of(GameResult::Draw);
                    sum[3] += of(GameResult::BlackWins);
                }
            }
            for row in &sum {
                columns
                    .iter_mut()
                    .zip(row)
                    .for_each(|(column, value)| column.push(*value));
            }
            let mut arrays: Vec<ArrayRef> =
                vec![Arc::new(StringViewArray::from_iter_values(&fens))];
            arrays.extend(columns.map(|column| Arc::new(UInt64Array::from(column)) as ArrayRef));
            Ok(arrays)
        })
    }
}

impl RelationPlanner for Functions {
    fn plan_relation(
        &self,
        relation: TableFactor,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<RelationPlanning> {
        let (name, given, alias) = match &relation {
            TableFactor::Table {
                name,
                args: Some(args),
                alias,
                ..
            } => (name, &args.args, alias),
            TableFactor::Function {
                name, args, alias, ..
            } => (name, args, alias),
            _ => return Ok(RelationPlanning::Original(Box::new(relation))),
        };
        let function = name.to_string().to_lowercase();
        let is_ours = ["tabiya", "games", "moves", "tags", "tree", "positions"];
        if !is_ours.contains(&function.as_str()) {
            return Ok(RelationPlanning::Original(Box::new(relation)));
        }
        let arguments = read(&function, given, context)?;
        let Some(table) = self.table(&function, arguments)? else {
            return Ok(RelationPlanning::Original(Box::new(relation)));
        };
        let scan = LogicalPlanBuilder::scan(function, provider_as_source(table), None)?;
        let planned = PlannedRelation::new(scan.build()?, alias.clone());
        Ok(RelationPlanning::Planned(Box::new(planned)))
    }
}

/// Reads arguments, which must be texts.
fn read(
    function: &str,
    given: &[FunctionArg],
    context: &mut dyn RelationPlannerContext,
) -> Result<Arguments> {
    let mut arguments = Arguments::default();
    for given in given {
        let (name, value) = match given {
            FunctionArg::Unnamed(value) => (None, value),
            FunctionArg::Named {
                name,
                arg,
                operator: FunctionArgOperator::RightArrow,
            } => (Some(context.normalize_ident(name.clone())), arg),
            _ => return Err(plan_error(format!("{function}: write name => 'value'"))),
        };
        let FunctionArgExpr::Expr(value) = value else {
            return Err(plan_error(format!(
                "{function}: the argument {value} is no text"
            )));
        };
        let value = match context.sql_to_expr(value.clone(), &DFSchema::empty())? {
            Expr::Literal(ScalarValue::Utf8(Some(text)) | ScalarValue::Utf8View(Some(text)), _) => {
                text
            }
            other => {
                return Err(plan_error(format!(
                    "{function}: the argument {other} is no text"
                )));
            }
        };
        match name {
            Some(name) => arguments.named.push((name, value)),
            None => arguments.texts.push(value),
        }
    }
    Ok(arguments)
}

fn tree_schema() -> SchemaRef {
    let count = |name: &str| Field::new(name, DataType::UInt64, false);
    let mean = |name: &str| Field::new(name, DataType::Float64, true);
    let text = |name: &str| Field::new(name, DataType::Utf8View, true);
    Arc::new(Schema::new(vec![
        text("san"),
        text("uci"),
        count("games"),
        count("white"),
        count("draws"),
        count("black"),
        mean("average_elo"),
        mean("performance"),
        mean("average_year"),
        text("eco"),
        text("opening"),
    ]))
}

fn tree_columns(tree: &tabiya::Tree) -> Vec<ArrayRef> {
    use tabiya::{TreeRow, TreeStats};
    let rows = tree.rows();
    let texts = |of: &dyn Fn(&TreeRow) -> Option<String>| -> ArrayRef {
        Arc::new(rows.iter().map(of).collect::<StringViewArray>())
    };
    let counts = |of: fn(&TreeStats) -> u64| -> ArrayRef {
        Arc::new(
            rows.iter()
                .map(|row| of(&row.stats))
                .collect::<UInt64Array>(),
        )
    };
    let means = |of: fn(&TreeStats) -> Option<f64>| -> ArrayRef {
        Arc::new(
            rows.iter()
                .map(|row| of(&row.stats))
                .collect::<Float64Array>(),
        )
    };
    vec![
        texts(&|row| Some(row.san.clone())),
        texts(&|row| row.next.uci()),
        counts(TreeStats::games),
        counts(TreeStats::white_wins),
        counts(TreeStats::draws),
        counts(TreeStats::black_wins),
        means(TreeStats::average_rating),
        means(TreeStats::performance),
        means(TreeStats::average_year),
        texts(&|row| row.stats.eco().map(|eco| eco.to_string())),
        texts(&|row| row.opening.map(str::to_owned)),
    ]
}

fn positions_schema() -> SchemaRef {
    let count = |name: &str| Field::new(name, DataType::UInt64, false);
    Arc::new(Schema::new(vec![
        Field::new("fen", DataType::Utf8View, false),
        count("games"),
        count("white"),
        count("draws"),
        count("black"),
    ]))
}

/// What computes the columns of a small table.
trait Work: Fn(&mut dyn FnMut(Progress) -> Flow) -> tabiya::Result<Vec<ArrayRef>> {}
impl<T: Fn(&mut dyn FnMut(Progress) -> Flow) -> tabiya::Result<Vec<ArrayRef>>> Work for T {}

/// A small table that is computed when it is read.
struct Told {
    schema: SchemaRef,
    work: Arc<dyn Work + Send + Sync>,
}

impl fmt::Debug for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Told")
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}

fn told(
    schema: SchemaRef,
    work: impl Fn(&mut dyn FnMut(Progress) -> Flow) -> tabiya::Result<Vec<ArrayRef>>
    + Send
    + Sync
    + 'static,
) -> Result<Arc<dyn TableProvider>> {
    let told = Told {
        schema: Arc::clone(&schema),
        work: Arc::new(work),
    };
    Ok(Arc::new(StreamingTable::try_new(
        schema,
        vec![Arc::new(told)],
    )?))
}

impl PartitionStream for Told {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let mut stream = RecordBatchReceiverStreamBuilder::new(Arc::clone(&self.schema), 1);
        let (schema, work, rows) = (
            Arc::clone(&self.schema),
            Arc::clone(&self.work),
            stream.tx(),
        );
        stream.spawn_blocking(move || {
            let mut progress = |_| break_if_closed(&rows);
            let columns = work(&mut progress).map_err(external)?;
            if !columns.is_empty() {
                let _ = rows.blocking_send(Ok(RecordBatch::try_new(schema, columns)?));
            }
            Ok(())
        });
        stream.build()
    }
}

fn break_if_closed(rows: &Sender<Result<RecordBatch>>) -> Flow {
    if rows.is_closed() {
        Flow::Break(())
    } else {
        Flow::Continue(())
    }
}
