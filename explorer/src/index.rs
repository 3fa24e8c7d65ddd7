//! The index of a database, built for the page: one at a time, beside the searches.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::available_parallelism,
    time::Instant,
};

use rayon::ThreadPoolBuilder;
use serde::Serialize;
use tabiya::{ErrorKind, Flow, OpenOptions, Progress, SidecarOptions};

use crate::{
    errors::Fault,
    options::PageOptions,
    registry::{Registry, Slot, absent},
};

/// What is built, and what was built last.
#[derive(Debug)]
pub(crate) struct Indexing {
    /// Whether the command line lets the page build.
    is_allowed: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    running: Option<Arc<Running>>,
    last: Option<Last>,
    /// Whether the program is about to end.
    is_over: bool,
}

/// The index that is being built.
#[derive(Debug)]
struct Running {
    db: Arc<str>,
    stop: AtomicBool,
    /// Whether games are played, and not yet the file read.
    is_playing: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
}

/// What became of the one before.
#[derive(Debug, Clone, Serialize)]
struct Last {
    db: Arc<str>,
    seconds: f64,
    /// Whether it was stopped.
    stopped: bool,
    fault: Option<String>,
}

/// All of it, as it is told.
#[derive(Debug, Serialize)]
pub(crate) struct IndexState {
    allowed: bool,
    running: Option<Now>,
    last: Option<Last>,
}

#[derive(Debug, Serialize)]
struct Now {
    db: Arc<str>,
    /// `bytes` while the file is read, then `games`.
    unit: &'static str,
    done: u64,
    total: u64,
}

impl Indexing {
    pub(crate) fn new(options: &PageOptions) -> Indexing {
        Indexing {
            is_allowed: options.index,
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns how far it is.
    pub(crate) fn told(&self) -> IndexState {
        let state = self.state();
        IndexState {
            allowed: self.is_allowed,
            running: state.running.as_ref().map(|running| Now {
                db: running.db.clone(),
                unit: running.unit(),
                done: running.done.load(Ordering::Relaxed),
                total: running.total.load(Ordering::Relaxed),
            }),
            last: state.last.clone(),
        }
    }

    /// Stops what is being built, if anything is; the index before stays.
    pub(crate) fn stop(&self) {
        if let Some(running) = &self.state().running {
            running.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Stops what is being built, and lets nothing be built any more.
    pub(crate) fn end(&self) {
        self.state().is_over = true;
        self.stop();
    }

    /// Takes the place of the one that is built.
    fn begin(&self, db: &Arc<str>) -> Result<Arc<Running>, Fault> {
        let mut state = self.state();
        if let Some(running) = &state.running {
            let what = format!("the index of `{}` is being built", running.db);
            return Err(Fault::Conflict(what));
        }
        if state.is_over {
            return Err(Fault::Conflict("the server is about to end".to_owned()));
        }
        let running = Arc::new(Running {
            db: db.clone(),
            stop: AtomicBool::new(false),
            is_playing: AtomicBool::new(false),
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
        });
        state.running = Some(running.clone());
        Ok(running)
    }

    /// Begins to build the index of an open database.
    ///
    /// # Errors
    /// `Refused` unless the command line allows it; `Absent` without such a database; `Conflict`
    /// when another one is being built.
    pub(crate) fn build(self: &Arc<Self>, registry: &Arc<Registry>, db: &str) -> Result<(), Fault> {
        if !self.is_allowed {
            let what = "the server builds no index: it was started without --index";
            return Err(Fault::Refused(what));
        }
        let slot = registry.named(db).ok_or_else(|| absent(db))?;
        let running = self.begin(slot.name())?;
        let (indexing, registry) = (self.clone(), registry.clone());
        tokio::task::spawn_blocking(move || {
            let started = Instant::now();
            // Whatever happens, the place is free afterwards.
            let built = catch_unwind(AssertUnwindSafe(|| work(&registry, &slot, &running)));
            let fault = match built {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(error.into()),
                Err(_) => Some(Fault::Internal),
            };
            let stopped = running.stop.load(Ordering::Relaxed) && fault == Some(Fault::Left);
            let fault = fault.filter(|_| !stopped);
            let mut state = indexing.state();
            state.running = None;
            state.last = Some(Last {
                db: running.db.clone(),
                seconds: started.elapsed().as_secs_f64(),
                stopped,
                fault: fault.map(|fault| fault.message().to_owned()),
            });
        });
        Ok(())
    }
}

impl Running {
    fn unit(&self) -> &'static str {
        if self.is_playing.load(Ordering::Relaxed) {
            "games"
        } else {
            "bytes"
        }
    }

    fn tell(&self, at: Progress) -> Flow {
        self.done.store(at.done, Ordering::Relaxed);
        let total = at.total.unwrap_or_default();
        self.total.store(total, Ordering::Relaxed);
        if self.stop.load(Ordering::Relaxed) {
            Flow::Break(())
        } else {
            Flow::Continue(())
        }
    }

    fn build(&self, path: &Path, options: &OpenOptions) -> Result<(), tabiya::Error> {
        // As the command does it: an older index is of no use for reading what it was made of.
        let without = options.clone().sidecar(false);
        let opened = without.on_progress(|at| self.tell(at)).open(path);
        self.done.store(0, Ordering::Relaxed);
        let sidecar = SidecarOptions::new();
        let sidecar = sidecar.on_progress(|at| self.tell(at));
        match opened {
            Err(error) if matches!(error.kind(), ErrorKind::LimitExceeded { .. }) => {
                sidecar.refresh_parts(path, options).map(drop)
            }
            opened => {
                self.is_playing.store(true, Ordering::Relaxed);
                sidecar.refresh(&opened?).map(drop)
            }
        }
    }
}

/// Builds, on half of the processors, and lets searches use what was built.
fn work(registry: &Registry, slot: &Slot, running: &Running) -> Result<(), tabiya::Error> {
    let threads = available_parallelism().map_or(1, |all| all.get().div_ceil(2));
    let build = || running.build(slot.path(), registry.options());
    match ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(build)?,
        Err(_) => build()?,
    }
    registry.reopen(slot)
}
