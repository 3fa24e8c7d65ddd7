//! Searches take their turn, end in time, and end when nobody waits for them any more.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use tabiya::Flow;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{errors::Fault, options::Limits};

/// Where searches, or what is as good as one, wait for their turn.
#[derive(Debug)]
pub(crate) struct Gate {
    turns: Arc<Semaphore>,
    waiting: AtomicUsize,
    waiting_max: usize,
    running: Arc<AtomicUsize>,
    search_time: Duration,
    /// The threads that search; `None` for work of one thread.
    pool: Option<Arc<ThreadPool>>,
}

/// One search, as those see it who do the work.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    left: Arc<AtomicBool>,
    deadline: Instant,
}

/// Counts something as long as it lives.
struct Counted<C: AsRef<AtomicUsize>>(C);

/// Says that the client has left, unless the answer is there first.
struct Leaving(Arc<AtomicBool>);

impl<C: AsRef<AtomicUsize>> Drop for Counted<C> {
    fn drop(&mut self) {
        self.0.as_ref().fetch_sub(1, Ordering::SeqCst);
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Ask {
    /// Tells whether to go on: for progress callbacks.
    pub(crate) fn flow(&self) -> Flow {
        if self.left.load(Ordering::Relaxed) || Instant::now() >= self.deadline {
            Flow::Break(())
        } else {
            Flow::Continue(())
        }
    }

    /// Returns why to stop, if there is a reason: for loops.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        match self.flow() {
            Flow::Continue(()) => Ok(()),
            Flow::Break(()) => Err(self.reason()),
        }
    }

    fn reason(&self) -> Fault {
        if self.left.load(Ordering::Relaxed) {
            Fault::Left
        } else {
            Fault::Slow
        }
    }
}

impl Gate {
    /// Starts the threads that search.
    pub(crate) fn new(limits: &Limits) -> Result<Gate, ThreadPoolBuildError> {
        let pool = ThreadPoolBuilder::new().num_threads(limits.threads);
        let pool = pool.thread_name(|n| format!("search {n}")).build()?;
        Ok(Gate {
            pool: Some(Arc::new(pool)),
            ..Gate::beside(limits)
        })
    }

    /// Returns a gate for work that needs no search and waits for none.
    pub(crate) fn beside(limits: &Limits) -> Gate {
        let turns = limits.searches.clamp(1, Semaphore::MAX_PERMITS);
        Gate {
            turns: Arc::new(Semaphore::new(turns)),
            waiting: AtomicUsize::new(0),
            waiting_max: limits.queue,
            running: Arc::default(),
            search_time: limits.search_time,
            pool: None,
        }
    }

    /// Returns how many searches run.
    pub(crate) fn running(&self) -> usize {
        self.running.load(Ordering::SeqCst)
    }

    /// Does work, on the threads that search if there are some, when its turn comes. The work is
    /// told to stop when the future is dropped, which happens when the client leaves.
    ///
    /// # Errors
    /// `Busy` when too many wait already; `Slow` and `Left` when the work stopped for these
    /// reasons; the work's own.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Ask) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let turn = self.turn().await?;
        self.with(turn, work).await
    }

    /// The same for work that goes on with what was begun and is bounded by that: it is not turned
    /// away, however many wait.
    ///
    /// # Errors
    /// As [`Gate::run`], without `Busy`.
    pub(crate) async fn go_on<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Ask) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let turn = self.turns.clone().acquire_owned().await;
        self.with(turn.map_err(|_| Fault::Internal)?, work).await
    }

    async fn with<T: Send + 'static>(
        &self,
        turn: OwnedSemaphorePermit,
        work: impl FnOnce(&Ask) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let left = Arc::new(AtomicBool::new(false));
        let ask = Ask {
            left: left.clone(),
            deadline: Instant::now() + self.search_time,
        };
        let _leaving = Leaving(left);
        self.running.fetch_add(1, Ordering::SeqCst);
        let counted = Counted(self.running.clone());
        let pool = self.pool.clone();
        let done = tokio::task::spawn_blocking(move || {
            let _held = (turn, counted);
            let work = || match work(&ask) {
                Err(Fault::Left) => Err(ask.reason()),
                done => done,
            };
            match pool {
                Some(pool) => pool.install(work),
                None => work(),
            }
        });
        done.await.unwrap_or(Err(Fault::Internal))
    }

    async fn turn(&self) -> Result<OwnedSemaphorePermit, Fault> {
        let turns = self.turns.clone();
        if let Ok(turn) = turns.clone().try_acquire_owned() {
            return Ok(turn);
        }
        let before = self.waiting.fetch_add(1, Ordering::SeqCst);
        let _waiting = Counted(Waiting(&self.waiting));
        if before >= self.waiting_max {
            return Err(Fault::Busy);
        }
        turns.acquire_owned().await.map_err(|_| Fault::Internal)
    }
}

/// The number of those that wait.
struct Waiting<'a>(&'a AtomicUsize);

impl AsRef<AtomicUsize> for Waiting<'_> {
    fn as_ref(&self) -> &AtomicUsize {
        self.0
    }
}
