//! Long work in parallel, in turns.
//!
//! A turn is a short time span. When it is over, every thread finishes its current item; then the
//! caller's thread delivers finished results and asks whether to go on. So work stops soon after a
//! `Break` and reports its progress often, however long an item takes.

use std::{
    collections::VecDeque,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use rayon::prelude::*;
use tabiya_chess::{Flow, follow::break_if};

use super::publish::{Ask, check_interrupt};
use crate::error::Result;

/// How long work goes on before the callback is asked whether to go on.
const TURN: Duration = Duration::from_millis(100);
/// For items that take less, the clock is read only every [`ITEMS_PER_LOOK`] items.
const SHORT: Duration = Duration::from_millis(1);
const ITEMS_PER_LOOK: u32 = 8;

/// A time span to work in. Afterwards the callback is asked whether to go on.
#[derive(Debug, Clone, Copy)]
pub struct TimeSlice(Instant);

impl TimeSlice {
    /// Begins a turn now.
    pub fn begin() -> TimeSlice {
        TimeSlice(Instant::now())
    }

    /// Returns whether its time is over.
    pub fn is_over(self) -> bool {
        self.0.elapsed() >= TURN
    }

    /// If the turn is over, asks whether to go on and begins the next turn.
    ///
    /// # Errors
    /// `Interrupted` when `ask` breaks.
    pub fn yield_now(&mut self, ask: Ask<'_>) -> Result<()> {
        if self.is_over() {
            check_interrupt(ask)?;
            *self = TimeSlice::begin();
        }
        Ok(())
    }
}

/// The remaining items of a task, in a turn.
#[derive(Debug)]
pub struct Remaining {
    items: usize,
    turn: TimeSlice,
    /// When the clock was last read.
    looked: Instant,
    items_per_look: u32,
    unlooked: u32,
}

impl Remaining {
    fn new(items: usize, turn: TimeSlice) -> Remaining {
        Remaining {
            items,
            turn,
            looked: Instant::now(),
            items_per_look: 1,
            unlooked: 0,
        }
    }

    /// Returns the number of remaining items.
    pub fn count(&self) -> usize {
        self.items
    }

    /// Records that some items are done. `Break` when the turn is over.
    #[inline]
    pub fn done(&mut self, items: usize) -> Flow {
        self.items = self.items.saturating_sub(items);
        self.unlooked += 1;
        if self.unlooked < self.items_per_look {
            return Flow::Continue(());
        }
        self.look()
    }

    fn look(&mut self) -> Flow {
        let now = Instant::now();
        self.items_per_look = if now.duration_since(self.looked) < SHORT {
            ITEMS_PER_LOOK
        } else {
            1
        };
        (self.looked, self.unlooked) = (now, 0);
        break_if(self.turn.is_over())
    }
}

/// Number of tasks in progress at once: initially, and at most. Their results wait in memory for
/// the tasks before them.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// Tasks of the first window.
    pub first: usize,
    /// Most tasks of a window.
    pub most: usize,
}

impl From<usize> for Window {
    fn from(tasks: usize) -> Window {
        Window {
            first: tasks,
            most: tasks,
        }
    }
}

/// Returns the number of items per task: at most `most`, and fewer when threads would otherwise be
/// idle.
pub fn task_items(items: usize, most: usize) -> usize {
    items.div_ceil(rayon::current_num_threads()).clamp(1, most)
}

/// Works on tasks in the current rayon pool, in turns. Each task comes with its number of items.
///
/// `work` does some items until [`Remaining::done`] breaks or none is left; it is called again in
/// later turns. After each turn, on the caller's thread, `deliver` gets in order each finished task
/// before which all are finished, and then the next task, with the number of its remaining items.
/// Then `ask` is called with the number of items done in all tasks.
///
/// # Errors
/// `Interrupted` when `ask` breaks, and what `deliver` returns.
pub fn run_ordered<T: Send>(
    tasks: impl IntoIterator<Item = (T, usize)>,
    window: impl Into<Window>,
    work: impl Fn(&mut T, &mut Remaining) + Sync,
    mut deliver: impl FnMut(&mut T, usize) -> Result<()>,
    ask: &mut dyn FnMut(u64) -> Flow,
) -> Result<()> {
    let mut tasks = tasks.into_iter();
    let Window { mut first, most } = window.into();
    let mut queue: VecDeque<(T, usize)> = VecDeque::new();
    let done = AtomicU64::new(0);
    loop {
        let room = first.max(1).saturating_sub(queue.len());
        queue.extend(tasks.by_ref().take(room));
        if queue.is_empty() {
            return Ok(());
        }
        let turn = TimeSlice::begin();
        let at_work = queue.par_iter_mut().enumerate().with_max_len(1);
        at_work.for_each(|(place, (task, items))| {
            // The first goes on even if this thread had to wait for the whole turn.
            if *items > 0 && (place == 0 || !turn.is_over()) {
                let mut left = Remaining::new(*items, turn);
                work(task, &mut left);
                done.fetch_add((*items - left.items) as u64, Ordering::Relaxed);
                *items = left.items;
            }
        });
        if !turn.is_over() {
            first = first.saturating_mul(2).min(most);
        }
        while let Some((mut task, _)) = queue.pop_front_if(|(_, items)| *items == 0) {
            deliver(&mut task, 0)?;
        }
        if let Some((task, items)) = queue.front_mut() {
            deliver(task, *items)?;
        }
        check_interrupt(&mut || ask(done.load(Ordering::Relaxed)))?;
    }
}
