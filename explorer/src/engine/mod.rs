//! A UCI engine beside the page: one process, one search at a time.
//!
//! ```text
//! request ─▶ Engine ─▶ search ─▶ Process (stdin, stdout) ─▶ info ─▶ Analysis ─▶ stream
//! ```
//!
//! The newest question is the only one: the one before ends when it comes. What the engine says is
//! a stranger's text. It is read line by line with a bound on each line and on all of them, moves
//! count only if they are legal, and a process that does not do what it is told is killed: the next
//! question starts another one.

mod info;
mod process;
mod search;

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde::Serialize;
use shakmaty::Chess;
use tokio::sync::{oneshot, watch};

pub(crate) use self::info::Analysis;
use self::process::Process;
use crate::options::PageOptions;

/// Lines that may be asked for.
pub(crate) const LINES_MAX: u32 = 5;
/// The longest time to think.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The engine of the command line.
#[derive(Debug)]
pub(crate) struct Engine {
    settings: Option<Arc<Settings>>,
    /// The process, for the search that runs.
    process: Arc<tokio::sync::Mutex<Option<Process>>>,
    latest: Mutex<Latest>,
}

/// What the command line says about it.
#[derive(Debug)]
struct Settings {
    path: PathBuf,
    time: Duration,
    threads: u32,
    hash: u32,
}

#[derive(Debug, Default)]
struct Latest {
    /// Ends the latest search when it is dropped.
    search: Option<oneshot::Sender<()>>,
    /// What the engine calls itself.
    name: Option<String>,
    /// Whether the program is about to end.
    is_over: bool,
}

/// What is told of it.
#[derive(Debug, Serialize)]
pub(crate) struct EngineState {
    /// What it calls itself; null before it was asked for the first time.
    name: Option<String>,
    seconds: f64,
    threads: u32,
    /// Megabytes.
    hash: u32,
}

/// What is asked of it.
#[derive(Debug)]
pub(crate) struct AnalysisRequest {
    pub(crate) position: Chess,
    /// Best lines, from 1.
    pub(crate) lines: u32,
    /// No longer than the command line allows.
    pub(crate) time: Duration,
}

impl Engine {
    pub(crate) fn new(options: &PageOptions) -> Engine {
        let settings = options.engine.as_ref().map(|path| Settings {
            path: path.clone(),
            time: options.engine_time.min(DAY),
            threads: options.engine_threads.max(1),
            hash: options.engine_hash.max(1),
        });
        Engine {
            settings: settings.map(Arc::new),
            process: Arc::default(),
            latest: Mutex::default(),
        }
    }

    fn latest(&self) -> MutexGuard<'_, Latest> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what is known of the engine; `None` without one.
    pub(crate) fn told(&self) -> Option<EngineState> {
        let settings = self.settings.as_ref()?;
        Some(EngineState {
            name: self.latest().name.clone(),
            seconds: settings.time.as_secs_f64(),
            threads: settings.threads,
            hash: settings.hash,
        })
    }

    /// Begins a search, and ends the one before. What is found comes through the channel; who
    /// drops it ends the search. `None` without an engine.
    pub(crate) fn search(
        self: &Arc<Self>,
        mut asked: AnalysisRequest,
    ) -> Option<watch::Receiver<Analysis>> {
        let settings = self.settings.clone()?;
        asked.time = asked.time.min(settings.time);
        asked.lines = asked.lines.clamp(1, LINES_MAX);
        let (tell, told) = watch::channel(Analysis::default());
        let (end, ended) = oneshot::channel();
        let mut latest = self.latest();
        if !latest.is_over {
            // The one before is told by the end of its channel.
            latest.search = Some(end);
        }
        drop(latest);
        let engine = self.clone();
        tokio::spawn(async move {
            let slot = engine.process.clone();
            let name = search::run(&settings, &slot, &asked, &tell, ended).await;
            if name.is_some() {
                engine.latest().name = name;
            }
        });
        Some(told)
    }

    /// Ends the search and lets no other one begin, since the program is about to end.
    pub(crate) fn end(&self) {
        let mut latest = self.latest();
        latest.is_over = true;
        latest.search = None;
    }
}
