//! Long work in parallel, turn by turn.
//!
//! A turn is a short time. When it is over, every thread finishes the item that it is at, and
//! the caller's thread hands on what is ready and asks whether to go on. So work ends soon after
//! a `Break`, and tells often how far it is, whatever an item takes.

use std::{
    collections::VecDeque,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use rayon::prelude::*;

use super::publish::{Ask, go_on};
use crate::{chess::Flow, error::Result};

/// How long work goes on before whoever asked for it is asked whether to go on.
const TURN: Duration = Duration::from_millis(100);
/// Of items that take less, only every [`ITEMS_PER_LOOK`]th is followed by a look at the clock.
const SHORT: Duration = Duration::from_millis(1);
const ITEMS_PER_LOOK: u32 = 8;

/// A time to work in. Afterwards somebody is asked whether to go on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn(Instant);

impl Turn {
    pub(crate) fn begin() -> Turn {
        Turn(Instant::now())
    }

    pub(crate) fn is_over(self) -> bool {
        self.0.elapsed() >= TURN
    }

    /// Asks whether to go on if the turn is over, and begins the next.
    ///
    /// # Errors
    /// `Interrupted` when `ask` breaks.
    pub(crate) fn give_way(&mut self, ask: Ask<'_>) -> Result<()> {
        if self.is_over() {
            go_on(ask)?;
            *self = Turn::begin();
        }
        Ok(())
    }
}

/// The items of a task that are left to do, in a turn.
#[derive(Debug)]
pub(crate) struct Left {
    items: usize,
    turn: Turn,
    /// When the clock was last looked at.
    looked: Instant,
    items_per_look: u32,
    unlooked: u32,
}

impl Left {
    fn new(items: usize, turn: Turn) -> Left {
        Left {
            items,
            turn,
            looked: Instant::now(),
            items_per_look: 1,
            unlooked: 0,
        }
    }

    /// Returns how many items are left.
    pub(crate) fn len(&self) -> usize {
        self.items
    }

    /// Notes that some items are done. `Break` when the turn is over.
    #[inline]
    pub(crate) fn pass(&mut self, items: usize) -> Flow {
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
        if self.turn.is_over() {
            Flow::Break(())
        } else {
            Flow::Continue(())
        }
    }
}

/// How many tasks are at work together: at first, and at most. What they have found waits in
/// memory for the tasks before them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) first: usize,
    pub(crate) most: usize,
}

impl From<usize> for Window {
    fn from(tasks: usize) -> Window {
        Window {
            first: tasks,
            most: tasks,
        }
    }
}

/// Returns how many of some items a task takes: at most so many, and fewer when threads would have
/// nothing to do.
pub(crate) fn task_items(items: usize, most: usize) -> usize {
    items.div_ceil(rayon::current_num_threads()).clamp(1, most)
}

/// Works at tasks in the current rayon pool, turn by turn. Each comes with its number of items.
///
/// `work` does some of them until [`Left::pass`] breaks or none is left; it is called again in
/// later turns. After each turn, on the caller's thread, `deliver` gets the tasks that are
/// finished and have only finished ones before them, in order, and then the next one, with the
/// number of its items that are left. Then `ask` is told how many items of all tasks are done.
///
/// # Errors
/// `Interrupted` when `ask` breaks, and what `deliver` returns.
pub(crate) fn in_turns<T: Send>(
    tasks: impl IntoIterator<Item = (T, usize)>,
    window: impl Into<Window>,
    work: impl Fn(&mut T, &mut Left) + Sync,
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
        let turn = Turn::begin();
        let at_work = queue.par_iter_mut().enumerate().with_max_len(1);
        at_work.for_each(|(place, (task, items))| {
            // The first goes on even if this thread had to wait for all of the turn.
            if *items > 0 && (place == 0 || !turn.is_over()) {
                let mut left = Left::new(*items, turn);
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
        go_on(&mut || ask(done.load(Ordering::Relaxed)))?;
    }
}
