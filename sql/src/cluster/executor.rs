//! The processes that run tasks.

use std::{
    any::Any,
    fmt,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use ballista_core::{
    JobId,
    config::TaskSchedulingPolicy,
    serde::protobuf::{
        RuntimeStatsReport, ShuffleWritePartition, TaskColumnStats, WindowStateReport,
    },
};
use ballista_executor::{
    execution_engine::{DefaultExecutionEngine, ExecutionEngine, QueryStageExecutor},
    executor_process::{ExecutorProcessConfig, start_executor_process},
};
use datafusion::{
    common::tree_node::{TreeNode as _, TreeNodeRecursion},
    datasource::{physical_plan::FileScanConfig, sink::DataSinkExec, source::DataSourceExec},
    error::{DataFusionError, Result},
    execution::TaskContext,
    physical_plan::{ExecutionPlan, metrics::MetricsSet},
    prelude::SessionConfig,
};

use super::{
    codec::PlanCodec,
    error,
    failure::{marked, marking},
    ready::{listener, wait_for_scheduler},
};
use crate::source::OpenDatabases;

/// How an executor runs.
#[derive(Debug, Clone)]
pub struct Executor {
    /// `host:port` of the scheduler, the only one it takes tasks from.
    pub scheduler: String,
    /// Where other executors and clients fetch rows.
    pub listen: SocketAddr,
    /// Only files below these folders are read.
    pub folders: Vec<PathBuf>,
    /// How many tasks run at the same time.
    pub tasks: usize,
}

/// Runs an executor until it is asked to end, by Ctrl-C or the signal TERM. It waits for its
/// scheduler. Not to be called by a task of tokio.
///
/// # Errors
/// If a folder does not exist, or the address is taken.
pub fn run_executor(options: &Executor) -> Result<()> {
    let work = tempfile::tempdir()?;
    let runtime = tokio::runtime::Runtime::new()?;
    let ran = runtime.block_on(run(options, work.path()));
    // Nobody is told any more of tasks that fail because the folder is gone.
    runtime.shutdown_timeout(Duration::from_millis(200));
    ran
}

async fn run(options: &Executor, work: &Path) -> Result<()> {
    let open_databases = Arc::new(OpenDatabases::new(&options.folders)?);
    let (host, port) = options
        .scheduler
        .rsplit_once(':')
        .and_then(|(host, port)| Some((host.to_owned(), port.parse().ok()?)))
        .ok_or_else(|| {
            let message = format!("{}: write host:port of the scheduler", options.scheduler);
            DataFusionError::Configuration(message)
        })?;
    let listen = options.listen.to_string();
    let place = format!("executor {listen}");
    let bind_host = listen.rsplit_once(':').map_or("", |(host, _)| host);
    let config = ExecutorProcessConfig {
        bind_host: bind_host.to_owned(),
        port: options.listen.port(),
        // Nothing listens for plans; who tries to send any is refused at once here.
        grpc_port: options.listen.port(),
        scheduler_host: host,
        scheduler_port: port,
        scheduler_connect_timeout_seconds: 30,
        vcores: options.tasks,
        task_scheduling_policy: TaskSchedulingPolicy::PullStaged,
        work_dir: Some(work.display().to_string()),
        override_physical_codec: Some(Arc::new(PlanCodec::new(
            Arc::clone(&open_databases),
            place.clone(),
        ))),
        override_execution_engine: Some(Arc::new(Guarded {
            engine: DefaultExecutionEngine::new(),
            open_databases,
            place,
        })),
        ..ExecutorProcessConfig::default()
    };
    // Ballista says nothing of an address that is taken, and of an absent scheduler all the time.
    drop(listener(options.listen).await?);
    let work = async {
        wait_for_scheduler(&options.scheduler).await;
        start_executor_process(Arc::new(config)).await
    };
    tokio::select! {
        // Without a farewell, which would make the scheduler repair queries; see there.
        biased;
        () = asked_to_end() => Ok(()),
        ran = work => ran.map_err(error),
    }
}

/// Waits for Ctrl-C or the signal TERM.
async fn asked_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

/// Refuses plans that read other files than those of the open databases, or write any.
struct Guarded {
    engine: DefaultExecutionEngine,
    open_databases: Arc<OpenDatabases>,
    /// This process, as errors name it.
    place: String,
}

impl Guarded {
    fn check(&self, node: &Arc<dyn ExecutionPlan>) -> Result<TreeNodeRecursion> {
        if node.is::<DataSinkExec>() {
            let message = "an executor writes no files".to_owned();
            return Err(DataFusionError::Execution(message));
        }
        let source = node.downcast_ref::<DataSourceExec>();
        let source = source.map(|scan| scan.data_source().as_ref() as &dyn Any);
        let files = source.and_then(|source| source.downcast_ref::<FileScanConfig>());
        for file in files.into_iter().flat_map(paths) {
            self.open_databases.allowed(&file)?;
        }
        Ok(TreeNodeRecursion::Continue)
    }
}

/// Returns the files of a scan. Those of other stores than the file system get paths that do not
/// exist.
fn paths(config: &FileScanConfig) -> Vec<PathBuf> {
    let groups = config.file_groups.iter();
    let files = groups.flat_map(|group| group.iter());
    let store = config.object_store_url.as_str();
    let root = store.strip_prefix("file://").unwrap_or(store);
    files
        .map(|file| PathBuf::from(format!("{root}{}", file.object_meta.location)))
        .collect()
}

impl ExecutionEngine for Guarded {
    fn create_query_stage_exec(
        &self,
        job: JobId,
        stage: usize,
        task: usize,
        partitions: Vec<usize>,
        plan: Arc<dyn ExecutionPlan>,
        folder: &str,
        config: &SessionConfig,
    ) -> Result<Arc<dyn QueryStageExecutor>> {
        let checked = plan.apply(|node| self.check(node));
        let stage = checked.and_then(|_| {
            self.engine
                .create_query_stage_exec(job, stage, task, partitions, plan, folder, config)
        });
        // Ballista 55 forgets which run of a stage an error belongs to that it gets from here, and
        // may wait forever then. It gets that error from the task.
        Ok(Arc::new(Stage {
            stage: stage.map_err(|error| marked(error, Some(&self.place)).to_string()),
            place: self.place.clone(),
        }))
    }
}

/// A task, or why it is refused. Its errors are marked.
#[derive(Debug)]
struct Stage {
    stage: std::result::Result<Arc<dyn QueryStageExecutor>, String>,
    place: String,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.stage {
            Ok(stage) => stage.fmt(f),
            Err(refusal) => refusal.fmt(f),
        }
    }
}

#[async_trait]
impl QueryStageExecutor for Stage {
    async fn execute_query_stage(
        &self,
        task: usize,
        context: Arc<TaskContext>,
    ) -> Result<Vec<ShuffleWritePartition>> {
        match &self.stage {
            Ok(stage) => {
                let written = stage.execute_query_stage(task, context).await;
                marking(written, Some(&self.place))
            }
            Err(refusal) => Err(DataFusionError::Execution(refusal.clone())),
        }
    }

    fn collect_plan_metrics(&self) -> Vec<MetricsSet> {
        let stage = self.stage.as_ref();
        stage.map_or_else(|_| Vec::new(), |stage| stage.collect_plan_metrics())
    }

    fn collect_runtime_stats_reports(&self) -> Vec<RuntimeStatsReport> {
        let stage = self.stage.as_ref();
        stage.map_or_else(
            |_| Vec::new(),
            |stage| stage.collect_runtime_stats_reports(),
        )
    }

    fn collect_window_state_reports(&self) -> Result<Vec<WindowStateReport>> {
        let stage = self.stage.as_ref();
        stage.map_or_else(
            |_| Ok(Vec::new()),
            |stage| stage.collect_window_state_reports(),
        )
    }

    fn collect_column_stats(&self) -> Vec<TaskColumnStats> {
        let stage = self.stage.as_ref();
        stage.map_or_else(|_| Vec::new(), |stage| stage.collect_column_stats())
    }
}
