//! UCI engines beside the page: one process, one search at a time.
//!
//! ```text
//! request ─▶ Engines ─▶ search ─▶ Process (stdin, stdout) ─▶ info ─▶ Analysis ─▶ stream
//! ```
//!
//! The newest question is the only one: the one before ends when it comes. What the engine says is
//! a stranger's text. It is read line by line with a bound on each line and on all of them, moves
//! count only if they are legal, and a process that does not do what it is told is killed: the next
//! question starts another one. Who asks another engine than the one that runs ends this one first.

mod info;
mod process;
mod search;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use shakmaty::Chess;
use tokio::sync::{oneshot, watch};

pub(crate) use self::info::Analysis;
use self::process::Process;
use crate::options::PageOptions;

/// Lines that may be asked for.
pub(crate) const LINES_MAX: u32 = 5;
/// The longest time to think.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The process of the engine that runs, with the place of the engine.
type Slot = tokio::sync::Mutex<Option<(usize, Process)>>;

/// The engines of the command line.
#[derive(Debug)]
pub(crate) struct Engines {
    engines: Vec<Arc<Settings>>,
    /// The process, for the search that runs.
    process: Arc<Slot>,
    latest: Mutex<Latest>,
}

/// What the command line says about one of them.
#[derive(Debug)]
struct Settings {
    path: PathBuf,
    time: Duration,
    /// How long an analysis without end takes at most; zero when there is none.
    endless: Duration,
    threads: u32,
    hash: u32,
}

#[derive(Debug, Default)]
struct Latest {
    /// Ends the latest search when it is dropped.
    search: Option<oneshot::Sender<()>>,
    /// What engines call themselves, by their places.
    names: BTreeMap<usize, String>,
    /// Whether the program is about to end.
    is_over: bool,
}

/// What is told of an engine.
#[derive(Debug, Serialize)]
pub(crate) struct EngineState {
    /// What it calls itself; null before it was asked for the first time.
    name: Option<String>,
    seconds: f64,
    threads: u32,
    /// Megabytes.
    hash: u32,
}

/// By what an engine is chosen.
#[derive(Debug, Serialize)]
pub(crate) struct EngineChoice {
    /// Its number on the command line, from 1.
    number: usize,
    name: Option<String>,
    /// The name of its file, without folders.
    file: String,
}

/// Which engine is asked.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum EngineWanted {
    /// From 1.
    Number(usize),
    /// What it calls itself, or the name of its file.
    Name(String),
}

/// What is asked of an engine.
#[derive(Debug)]
pub(crate) struct AnalysisRequest {
    /// The place of the engine.
    pub(crate) engine: usize,
    pub(crate) position: Chess,
    /// Best lines, from 1.
    pub(crate) lines: u32,
    /// No longer than the command line allows.
    pub(crate) time: Duration,
    /// Whether the engine thinks until it is told to stop.
    pub(crate) is_endless: bool,
}

impl Settings {
    fn file(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }
}

impl Engines {
    pub(crate) fn new(options: &PageOptions) -> Engines {
        let settings = options.engines.iter().map(|path| Settings {
            path: path.clone(),
            time: options.engine_time.min(DAY),
            endless: options.engine_endless.min(DAY),
            threads: options.engine_threads.max(1),
            hash: options.engine_hash.max(1),
        });
        Engines {
            engines: settings.map(Arc::new).collect(),
            process: Arc::default(),
            latest: Mutex::default(),
        }
    }

    fn latest(&self) -> MutexGuard<'_, Latest> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what is known of the first engine; `None` without any.
    pub(crate) fn told(&self) -> Option<EngineState> {
        let settings = self.engines.first()?;
        Some(EngineState {
            name: self.latest().names.get(&0).cloned(),
            seconds: settings.time.as_secs_f64(),
            threads: settings.threads,
            hash: settings.hash,
        })
    }

    /// Returns all of them.
    pub(crate) fn choices(&self) -> Vec<EngineChoice> {
        let latest = self.latest();
        let all = self.engines.iter().enumerate();
        all.map(|(place, settings)| EngineChoice {
            number: place + 1,
            name: latest.names.get(&place).cloned(),
            file: settings.file(),
        })
        .collect()
    }

    /// Tells whether they may think without end; `None` without any.
    pub(crate) fn are_endless(&self) -> Option<bool> {
        let settings = self.engines.first()?;
        Some(!settings.endless.is_zero())
    }

    /// Returns the place of the engine that is meant: the first one when none is named.
    pub(crate) fn place(&self, wanted: Option<&EngineWanted>) -> Option<usize> {
        let place = match wanted {
            None => Some(0),
            Some(EngineWanted::Number(number)) => number.checked_sub(1),
            Some(EngineWanted::Name(name)) => {
                let choices = self.choices();
                let is = |choice: &EngineChoice| choice.name.as_ref() == Some(name);
                let named = choices.iter().position(is);
                named.or_else(|| choices.iter().position(|choice| choice.file == *name))
            }
        };
        place.filter(|&place| place < self.engines.len())
    }

    /// Begins a search, and ends the one before. What is found comes through the channel; who
    /// drops it ends the search. `None` without such an engine.
    pub(crate) fn search(
        self: &Arc<Self>,
        mut asked: AnalysisRequest,
    ) -> Option<watch::Receiver<Analysis>> {
        let settings = self.engines.get(asked.engine)?.clone();
        asked.is_endless &= !settings.endless.is_zero();
        asked.time = if asked.is_endless {
            settings.endless
        } else {
            asked.time.min(settings.time)
        };
        asked.lines = asked.lines.clamp(1, LINES_MAX);
        let (tell, told) = watch::channel(Analysis::default());
        let (end, ended) = oneshot::channel();
        let mut latest = self.latest();
        if !latest.is_over {
            // The one before is told by the end of its channel.
            latest.search = Some(end);
        }
        drop(latest);
        let engines = self.clone();
        tokio::spawn(async move {
            let slot = engines.process.clone();
            let name = search::run(&settings, &slot, &asked, &tell, ended).await;
            if let Some(name) = name {
                engines.latest().names.insert(asked.engine, name);
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
