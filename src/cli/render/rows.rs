//! Matches as csv and jsonl: formatted by all threads, printed in order.

use std::{
    io::Write as _,
    slice,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use rayon::prelude::*;
use tabiya::Match;

use super::{
    Render,
    cells::{Cells, Syntax},
    column::Column,
    values::{Field, Values},
};
use crate::cli::{
    databases::Opened,
    interrupt,
    output::{self, Output},
};

/// Number of games formatted together, and by one task. Small enough to react to Ctrl-C at once.
const BATCH_GAMES: usize = 4096;
const TASK_GAMES: usize = 64;
/// Limit in bytes for rows waiting to be printed. Games after it are formatted one by one.
const BATCH_BYTES_MAX: usize = 64 << 20;
/// Buffer capacity in bytes that a task keeps.
const TASK_BYTES_KEPT: usize = 1 << 20;

/// Prints rows in batches.
pub(super) struct Rows<'o> {
    out: &'o mut Output,
    syntax: Syntax,
    fields: Vec<Field>,
    has_header: bool,
    batch: Vec<(Arc<Opened>, Match)>,
    tasks: Vec<Task>,
}

/// Some rows of a batch.
#[derive(Default)]
struct Task {
    rows: Vec<u8>,
    /// Number of games in these rows.
    done: usize,
    /// Faults of single games.
    faults: Vec<tabiya::Error>,
    /// The error that ends the work.
    failure: Option<tabiya::Error>,
}

impl<'o> Rows<'o> {
    /// With several databases, the first column is the database of each game.
    pub(super) fn new(
        syntax: Syntax,
        columns: Vec<Column>,
        several: bool,
        out: &'o mut Output,
    ) -> Rows<'o> {
        let database = several.then_some(Column::Database);
        Rows {
            out,
            syntax,
            fields: database
                .into_iter()
                .chain(columns)
                .map(Field::new)
                .collect(),
            has_header: syntax == Syntax::Json,
            batch: Vec::new(),
            tasks: Vec::new(),
        }
    }

    fn header(&mut self) -> anyhow::Result<()> {
        if std::mem::replace(&mut self.has_header, true) {
            return Ok(());
        }
        let mut line = Vec::new();
        let mut cells = Cells::new(self.syntax, &mut line);
        for field in &self.fields {
            cells.name("");
            cells.text(&field.column.name());
        }
        cells.end();
        Ok(self.out.write_all(&line)?)
    }

    /// Prints the games of the batch. On an interrupt, some at its end are left out.
    fn print(&mut self) -> anyhow::Result<()> {
        self.header()?;
        let (syntax, fields, batch) = (self.syntax, &self.fields, &self.batch);
        let tasks = batch.len().div_ceil(TASK_GAMES);
        self.tasks.resize_with(tasks, Task::default);
        let bytes = AtomicUsize::new(0);
        let values = || Values::new(syntax, fields);
        self.tasks
            .par_iter_mut()
            .zip(batch.par_chunks(TASK_GAMES))
            .for_each_init(values, |values, (task, games)| {
                task.fill(values, games, &bytes);
            });
        for (task, games) in self.tasks.iter_mut().zip(batch.chunks(TASK_GAMES)) {
            let left = games.get(task.done..).unwrap_or_default();
            if interrupt::requested() {
                break;
            }
            task.print(self.out)?;
            let mut values = Values::new(syntax, fields);
            for game in left {
                task.fill(&mut values, slice::from_ref(game), &AtomicUsize::new(0));
                if interrupt::requested() {
                    break;
                }
                task.print(self.out)?;
            }
        }
        self.batch.clear();
        Ok(())
    }
}

impl Task {
    /// Formats rows until all are done, the limit is reached, or there is an interrupt.
    fn fill(
        &mut self,
        values: &mut Values<'_>,
        games: &[(Arc<Opened>, Match)],
        bytes: &AtomicUsize,
    ) {
        self.done = 0;
        for &(ref opened, hit) in games {
            let is_full = bytes.load(Ordering::Relaxed) > BATCH_BYTES_MAX;
            if is_full || interrupt::requested() {
                return;
            }
            let start = self.rows.len();
            if let Err(error) = values.row(opened, hit, &mut self.rows, &mut self.faults) {
                self.rows.truncate(start);
                self.failure = Some(error);
                return;
            }
            bytes.fetch_add(self.rows.len() - start, Ordering::Relaxed);
            self.done += 1;
        }
    }

    fn print(&mut self, out: &mut Output) -> anyhow::Result<()> {
        out.write_all(&self.rows)?;
        self.rows.clear();
        self.rows.shrink_to(TASK_BYTES_KEPT);
        for fault in self.faults.drain(..) {
            output::warn(&fault.to_string());
        }
        match self.failure.take() {
            Some(failure) => Err(failure.into()),
            None => Ok(()),
        }
    }
}

impl Render for Rows<'_> {
    fn game(&mut self, opened: &Arc<Opened>, hit: Match) -> anyhow::Result<()> {
        self.batch.push((Arc::clone(opened), hit));
        match self.batch.len() {
            BATCH_GAMES => self.print(),
            _ => Ok(()),
        }
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        self.print()?;
        Ok(self.out.flush()?)
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        self.print()
    }
}
