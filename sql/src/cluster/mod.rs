//! The same SQL on many machines, by Apache Ballista.
//!
//! ```text
//!  client: SQL ─▶ physical plan ─▶ scheduler ─▶ tasks ─▶ executors ─▶ rows
//! ```
//!
//! | step | module |
//! |---|---|
//! | a plan goes to the scheduler, rows come back | `client` |
//! | whether there is a scheduler with an executor | `ready` |
//! | scans and `matches` as bytes in a plan | `codec` |
//! | the process that divides plans into tasks | `scheduler` |
//! | which tasks run again when an executor is lost | `repair` |
//! | the processes that run tasks | `executor` |
//! | errors that come back as they were | `failure` |
//!
//! A plan names databases by path, so client and executors must see them under the same paths; the
//! scheduler reads none. An executor asks the scheduler for tasks, and takes them from nobody else.

mod client;
mod codec;
mod executor;
mod failure;
mod ready;
mod repair;
mod scheduler;

pub(crate) use client::ClusterPlanner;
pub use executor::{Executor, run_executor};
pub use scheduler::{Scheduler, run_scheduler};

use ballista_core::error::BallistaError;
use datafusion::error::DataFusionError;

fn error(error: BallistaError) -> DataFusionError {
    error.into_datafusion()
}
