//! Sending plans to a scheduler.

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use ballista_core::{execution_plans::execute_physical_plan, extension::SessionConfigExt as _};
use datafusion::{
    arrow::array::RecordBatch,
    catalog::Session,
    common::{
        JoinType,
        tree_node::{TreeNode as _, TreeNodeRecursion},
    },
    datasource::sink::DataSinkExec,
    error::{DataFusionError, Result},
    execution::{SendableRecordBatchStream, TaskContext, context::QueryPlanner},
    logical_expr::LogicalPlan,
    physical_expr::{EquivalenceProperties, PhysicalExpr},
    physical_plan::{
        DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties as _, Partitioning,
        PlanProperties, ReplaceChildrenOptions,
        analyze::AnalyzeExec,
        displayable,
        execution_plan::{Boundedness, EmissionType},
        joins::NestedLoopJoinExec,
        replace_children_if_necessary,
        stream::RecordBatchStreamAdapter,
    },
    physical_planner::{DefaultPhysicalPlanner, PhysicalPlanner as _},
};
use datafusion_proto::protobuf::PhysicalPlanNode;
use futures::{StreamExt as _, TryStreamExt as _, stream};

use super::{
    codec::PlanCodec,
    failure::unmarked,
    ready::{has_executor, wait_for_executor},
};
use crate::scan::ChessScan;

/// Rows are held back until all have come, up to this size, so that a query whose executor is lost
/// with its rows can be run once more.
const HELD_BYTES: usize = 64 << 20;

/// How often a query is run if executors are lost.
const RUNS: usize = 5;

/// Plans as usual, and sends what reads chess databases to a cluster.
pub(crate) struct ClusterPlanner {
    planner: DefaultPhysicalPlanner,
    cluster: Arc<Cluster>,
}

#[derive(Debug)]
struct Cluster {
    /// `host:port` of the scheduler.
    address: String,
    /// How long it may be without executors.
    wait: Duration,
    codec: PlanCodec,
}

impl ClusterPlanner {
    /// Creates a planner for the scheduler at `host:port`, which may be without executors for a
    /// time.
    pub(crate) fn new(address: &str, wait: Duration) -> ClusterPlanner {
        let cluster = Cluster {
            address: address.to_owned(),
            wait,
            codec: PlanCodec::default(),
        };
        ClusterPlanner {
            planner: DefaultPhysicalPlanner::default(),
            cluster: Arc::new(cluster),
        }
    }

    fn on_cluster(&self, plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        Arc::new(ClusterQuery::new(plan, Arc::clone(&self.cluster)))
    }
}

impl fmt::Debug for ClusterPlanner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClusterPlanner")
            .field("cluster", &self.cluster)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl QueryPlanner for ClusterPlanner {
    async fn create_physical_plan(
        &self,
        logical: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let plan = self.planner.create_physical_plan(logical, session).await?;
        if !plan.exists(|node| Ok(node.is::<ChessScan>()))? {
            return Ok(plan);
        }
        if plan.exists(needs_one_process)? {
            log::warn!("a join of unequal values runs in this process, not on the cluster");
            return Ok(plan);
        }
        if plan.is::<DataSinkExec>() || plan.is::<AnalyzeExec>() {
            // `copy` writes files here, and not where an executor happens to run.
            let inputs = plan.children().into_iter().cloned();
            let inputs = inputs.map(|input| self.on_cluster(input)).collect();
            return replace_children_if_necessary(plan, inputs);
        }
        Ok(self.on_cluster(plan))
    }
}

/// Returns whether a node is a join that tells which rows of its first input have a partner, and is
/// divided into tasks. Tasks of a cluster know nothing of each other, so each would tell of all
/// rows. Ballista takes care of joins of equal values only.
fn needs_one_process(node: &Arc<dyn ExecutionPlan>) -> Result<bool> {
    use JoinType::{Full, Left, LeftAnti, LeftMark, LeftSemi};
    let Some(join) = node.downcast_ref::<NestedLoopJoinExec>() else {
        return Ok(false);
    };
    let tasks = join.right().output_partitioning().partition_count();
    let tells = matches!(
        join.join_type(),
        Left | LeftSemi | LeftAnti | LeftMark | Full
    );
    Ok(tells && tasks > 1)
}

/// A plan that a cluster runs.
#[derive(Debug)]
struct ClusterQuery {
    plan: Arc<dyn ExecutionPlan>,
    cluster: Arc<Cluster>,
    properties: Arc<PlanProperties>,
}

impl ClusterQuery {
    fn new(plan: Arc<dyn ExecutionPlan>, cluster: Arc<Cluster>) -> ClusterQuery {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(plan.schema()),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        ClusterQuery {
            plan,
            cluster,
            properties: Arc::new(properties),
        }
    }
}

impl DisplayAs for ClusterQuery {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClusterQuery: scheduler={}", self.cluster.address)?;
        // Which this node has instead of children, so that `explain` shows it.
        let plan = displayable(self.plan.as_ref()).indent(false).to_string();
        plan.lines().try_for_each(|line| write!(f, "\n    {line}"))
    }
}

impl ExecutionPlan for ClusterQuery {
    fn name(&self) -> &'static str {
        "ClusterQuery"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    /// None that runs here.
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

    fn execute(&self, _: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let (plan, cluster) = (Arc::clone(&self.plan), Arc::clone(&self.cluster));
        let rows = stream::once(async move { rows(&cluster, plan, &context).await });
        // Those that come after the ones that were held back.
        let rows = rows.try_flatten().map_err(told);
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), rows)))
    }
}

/// Runs a plan, again if an executor is lost before the first row was given.
async fn rows(
    cluster: &Cluster,
    plan: Arc<dyn ExecutionPlan>,
    context: &TaskContext,
) -> Result<stream::BoxStream<'static, Result<RecordBatch>>> {
    let mut runs = 0;
    loop {
        wait_for_executor(&cluster.address, cluster.wait).await?;
        let lost = match submit(cluster, Arc::clone(&plan), context).await {
            Ok(batches) => match hold(batches).await {
                Ok(batches) => return Ok(batches),
                Err(lost) => lost,
            },
            Err(error) if is_loss(&error) => error,
            Err(error) => {
                // If the scheduler is gone, that is what to tell.
                has_executor(&cluster.address).await?;
                return Err(error);
            }
        };
        runs += 1;
        if runs == RUNS {
            return Err(DataFusionError::Execution(format!(
                "executors were lost in each of {RUNS} runs of the query; see what ends them, and \
                 ask again ({lost})"
            )));
        }
        log::warn!("an executor was lost, so the query runs again from the beginning");
    }
}

/// Returns an error as it was where it happened.
fn told(error: DataFusionError) -> DataFusionError {
    unmarked(&error.to_string()).map_or(error, DataFusionError::Execution)
}

/// Returns whether a query ended because an executor is gone: the scheduler ended it, or another
/// executor could not fetch rows, or was just fetching some.
fn is_loss(error: &DataFusionError) -> bool {
    let text = error.to_string();
    [
        "failed: Cancelled",
        "has failed 1 times, most recent failure reason",
        "IpcError",
    ]
    .iter()
    .any(|part| text.contains(part))
}

/// Waits for all batches, or for as many as are held back.
async fn hold(
    mut batches: SendableRecordBatchStream,
) -> Result<stream::BoxStream<'static, Result<RecordBatch>>> {
    let (mut held, mut bytes) = (Vec::new(), 0);
    while bytes <= HELD_BYTES {
        let Some(batch) = batches.next().await else {
            break;
        };
        let batch = batch?;
        bytes += batch.get_array_memory_size();
        held.push(Ok(batch));
    }
    Ok(stream::iter(held).chain(batches).boxed())
}

/// Sends a plan and waits until the cluster has all rows.
async fn submit(
    cluster: &Cluster,
    plan: Arc<dyn ExecutionPlan>,
    context: &TaskContext,
) -> Result<SendableRecordBatchStream> {
    let config = context.session_config().clone();
    let url = format!("http://{}", cluster.address);
    execute_physical_plan::<PhysicalPlanNode>(
        url,
        &config.ballista_config(),
        plan,
        &cluster.codec,
        context.session_id(),
        config,
    )
    .await
}
