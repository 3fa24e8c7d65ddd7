//! The process that divides plans into tasks.
//!
//! Ballista 55 can repair a query whose executor is lost by running some of its tasks again, and
//! then rows can be doubled. So it is not to find out that one is lost: that is done here, and
//! [`repair`](super::repair) says which queries can be repaired. The others end, and their clients
//! run them once more from the beginning.

use std::{
    collections::{HashMap, HashSet},
    io,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use ballista_core::{config::TaskSchedulingPolicy, serde::protobuf::ExecutorHeartbeat};
use ballista_scheduler::{
    cluster::BallistaCluster,
    config::SchedulerConfig,
    scheduler_process::{create_scheduler, start_grpc_service_with_listener},
    scheduler_server::SchedulerServer,
};
use datafusion::error::Result;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use tokio::{net::TcpStream, time::timeout};

use super::{
    codec::PlanCodec,
    error,
    ready::listener,
    repair::{Loss, repair},
};

/// How a scheduler runs.
#[derive(Debug, Clone)]
pub struct Scheduler {
    /// Where clients and executors find it.
    pub listen: SocketAddr,
    /// After this time without a sign of it, an executor is lost. Not less than 6 seconds, because
    /// an executor whose processors are all busy gives a sign every 5 seconds.
    pub lost_after: Duration,
}

/// Time between two looks at the executors.
const LOOK: Duration = Duration::from_millis(500);

/// How long tasks are looked for that a lost executor may still have got.
const REMEMBERED: Duration = Duration::from_secs(60);

/// Longer than any executor lives: Ballista is not to find out that one is lost.
const NEVER_SECONDS: u64 = 1 << 32;

/// Runs a scheduler until it fails.
///
/// # Errors
/// If the address is taken.
pub async fn run_scheduler(options: &Scheduler) -> Result<()> {
    let listener = listener(options.listen).await?;
    let config = SchedulerConfig {
        bind_host: options.listen.ip().to_string(),
        bind_port: options.listen.port(),
        external_host: options.listen.ip().to_string(),
        // Executors ask, so none of them listens for plans.
        scheduling_policy: TaskSchedulingPolicy::PullStaged,
        executor_timeout_seconds: NEVER_SECONDS,
        no_executors_grace_period_seconds: NEVER_SECONDS,
        // Clients ask whether there is an executor.
        min_ready_executors: 1,
        // Ballista repeats a stage whose input cannot be fetched, and doubles rows then.
        stage_max_failures: 1,
        task_max_failures: 1,
        override_physical_codec: Some(Arc::new(PlanCodec::default())),
        ..SchedulerConfig::default()
    };
    let cluster = BallistaCluster::new_from_config(&config)
        .await
        .map_err(error)?;
    let created = create_scheduler(cluster.clone(), Arc::new(config)).await;
    let server: SchedulerServer<LogicalPlanNode, PhysicalPlanNode> = created.map_err(error)?;
    let watch = Watch::new(cluster, server.clone(), options.lost_after);
    let watching = tokio::spawn(watch.run());
    let served = start_grpc_service_with_listener(listener, server).await;
    watching.abort();
    served.map_err(error)
}

/// Looks for executors that are lost.
struct Watch {
    cluster: BallistaCluster,
    server: SchedulerServer<LogicalPlanNode, PhysicalPlanNode>,
    lost_after: Duration,
    /// Those that refused a connection at the last look. One that starts may do so once.
    refused: HashSet<String>,
    /// Those that were lost, and when. Tasks may be given to one that is just being removed.
    lost: HashMap<String, Instant>,
}

impl Watch {
    fn new(
        cluster: BallistaCluster,
        server: SchedulerServer<LogicalPlanNode, PhysicalPlanNode>,
        lost_after: Duration,
    ) -> Watch {
        Watch {
            cluster,
            server,
            lost_after: lost_after.max(Duration::from_secs(6)),
            refused: HashSet::new(),
            lost: HashMap::new(),
        }
    }

    async fn run(mut self) {
        loop {
            tokio::time::sleep(LOOK).await;
            if let Err(error) = self.look().await {
                log::warn!("looking for lost executors: {error}");
            }
        }
    }

    async fn look(&mut self) -> ballista_core::error::Result<()> {
        let state = self.cluster.cluster_state();
        let mut lost_now = Vec::new();
        for (id, last_sign) in state.executor_heartbeats() {
            if self.is_lost(&id, &last_sign).await {
                let name = self.name(&id).await;
                log::warn!("executor {name} is lost");
                self.refused.remove(&id);
                state.remove_executor(&id).await?;
                self.lost.insert(id.clone(), Instant::now());
                lost_now.push(id);
            }
        }
        let present = state.executor_heartbeats();
        if present.is_empty() {
            // Who asked is told that there is no executor, and what to do.
            return self.end_queries().await;
        }
        // Also if it is back by now: what it told meanwhile may have been ignored.
        for id in &lost_now {
            self.repair_queries(id).await?;
        }
        self.lost
            .retain(|id, since| since.elapsed() < REMEMBERED && !present.contains_key(id));
        for id in self.lost.keys().filter(|id| !lost_now.contains(id)) {
            self.repair_queries(id).await?;
        }
        Ok(())
    }

    /// Returns the address of an executor, if it is known.
    async fn name(&self, id: &str) -> String {
        let executor = self.cluster.cluster_state().get_executor_metadata(id).await;
        executor.map_or_else(
            |_| id.to_owned(),
            |executor| format!("{}:{}", executor.host, executor.port),
        )
    }

    async fn is_lost(&mut self, id: &str, last_sign: &ExecutorHeartbeat) -> bool {
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        if now > Duration::from_secs(last_sign.timestamp) + self.lost_after {
            return true;
        }
        let Ok(executor) = self.cluster.cluster_state().get_executor_metadata(id).await else {
            return false;
        };
        let connecting = TcpStream::connect((executor.host, executor.port));
        let refuses = match timeout(LOOK, connecting).await {
            Ok(Err(error)) => error.kind() == io::ErrorKind::ConnectionRefused,
            _ => false,
        };
        if refuses {
            return !self.refused.insert(id.to_owned());
        }
        self.refused.remove(id);
        false
    }

    /// Gives the tasks of a lost executor to others, or ends the queries that had them.
    async fn repair_queries(&self, id: &str) -> ballista_core::error::Result<()> {
        let jobs = self.server.state.task_manager.get_running_job_cache();
        for (job, info) in jobs.iter() {
            let repaired = repair(&mut *info.execution_graph.write().await, id);
            let loss = repaired.unwrap_or_else(|error| {
                log::warn!("query {job}: {error}");
                Loss::All
            });
            match loss {
                Loss::Nothing => {}
                Loss::Tasks { again, kept } => {
                    log::warn!("query {job}: {again} lost tasks run again, {kept} are kept");
                }
                Loss::All => {
                    log::warn!("query {job}: its client runs it again from the beginning");
                    self.server.cancel_job(job.clone()).await?;
                }
            }
        }
        Ok(())
    }

    /// Ends all queries.
    async fn end_queries(&self) -> ballista_core::error::Result<()> {
        let jobs = self.server.state.task_manager.get_running_job_cache();
        for job in jobs.keys() {
            log::warn!("query {job}: there is no executor any more");
            self.server.cancel_job(job.clone()).await?;
        }
        Ok(())
    }
}
