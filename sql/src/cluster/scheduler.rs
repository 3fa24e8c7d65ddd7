//! The process that divides plans into tasks.
//!
//! Ballista 55 can repair a query whose executor is lost by running some of its tasks again, and
//! then rows can be doubled. So nothing is repaired here: the queries that the executor had tasks
//! of end, and clients run them once more from the beginning.

use std::{
    collections::HashSet,
    io,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, SystemTime},
};

use ballista_core::{
    config::TaskSchedulingPolicy,
    serde::protobuf::{ExecutorHeartbeat, job_status::Status},
};
use ballista_scheduler::{
    cluster::BallistaCluster,
    config::SchedulerConfig,
    scheduler_process::{create_scheduler, start_grpc_service},
    scheduler_server::SchedulerServer,
};
use datafusion::error::Result;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use tokio::{net::TcpStream, time::timeout};

use super::{codec::PlanCodec, error};

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

/// Longer than any executor lives: Ballista is not to find out that one is lost.
const NEVER_SECONDS: u64 = 1 << 32;

/// Runs a scheduler until it fails.
///
/// # Errors
/// If the address is taken.
pub async fn run_scheduler(options: &Scheduler) -> Result<()> {
    let config = SchedulerConfig {
        bind_host: options.listen.ip().to_string(),
        bind_port: options.listen.port(),
        external_host: options.listen.ip().to_string(),
        // Executors ask, so none of them listens for plans.
        scheduling_policy: TaskSchedulingPolicy::PullStaged,
        executor_timeout_seconds: NEVER_SECONDS,
        no_executors_grace_period_seconds: NEVER_SECONDS,
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
    let watch = Watch {
        cluster,
        server: server.clone(),
        lost_after: options.lost_after.max(Duration::from_secs(6)),
        refused: HashSet::new(),
    };
    let watching = tokio::spawn(watch.run());
    let served = start_grpc_service(options.listen, server).await;
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
}

impl Watch {
    async fn run(mut self) {
        loop {
            tokio::time::sleep(LOOK).await;
            let executors = self.cluster.cluster_state().executor_heartbeats();
            for (id, last_sign) in executors {
                if self.is_lost(&id, &last_sign).await
                    && let Err(error) = self.end_queries(&id, &last_sign).await
                {
                    log::warn!("executor {id}: {error}");
                }
            }
        }
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

    /// Ends the queries that a lost executor may have had tasks of: those that began before it was
    /// last given any.
    async fn end_queries(
        &mut self,
        id: &str,
        last_sign: &ExecutorHeartbeat,
    ) -> ballista_core::error::Result<()> {
        log::warn!("executor {id} is lost; clients run its queries again");
        self.refused.remove(id);
        self.cluster.cluster_state().remove_executor(id).await?;
        // The sign is written down in whole seconds before tasks are given.
        let last_tasks = last_sign.timestamp + 2;
        let jobs = self.cluster.job_state();
        for job in jobs.get_all_jobs().await? {
            let status = jobs.get_job_status(&job).await?;
            let is_concerned = match status.and_then(|status| status.status) {
                Some(Status::Running(running)) => running.started_at / 1000 <= last_tasks,
                _ => false,
            };
            if is_concerned {
                self.server.cancel_job(job).await?;
            }
        }
        Ok(())
    }
}
