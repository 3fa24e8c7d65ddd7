//! Work without the interpreter's lock: long work, told of and stopped by Ctrl-C; and short reads.

use std::{process, sync::OnceLock};

use pyo3::{exceptions::PyRuntimeError, prelude::*};
use tabiya::{Database, Flow, Progress};

use crate::errors::of_error;

/// The process that did the first work: threads of the library do not survive a fork, and work of
/// its child would wait for them forever.
static PROCESS: OnceLock<u32> = OnceLock::new();

fn check_process() -> PyResult<()> {
    if *PROCESS.get_or_init(process::id) == process::id() {
        return Ok(());
    }
    Err(PyRuntimeError::new_err(
        "this process is a fork of one that has used tabiya, and its threads are not here; start \
         processes by multiprocessing.get_context(\"spawn\")",
    ))
}

/// Runs work of the library without the lock. Its progress goes to `tell`, a callable with the
/// work done and all of it (or `None`), if there is one; an exception there, or a signal, stops it.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    tell: Option<Py<PyAny>>,
    work: impl FnOnce(&mut dyn FnMut(Progress) -> Flow) -> tabiya::Result<T> + Send,
) -> PyResult<T> {
    check_process()?;
    let mut raised = None;
    let done = py.detach(|| {
        let mut progress = |at: Progress| {
            let told = Python::attach(|py| {
                py.check_signals()?;
                match &tell {
                    Some(tell) => tell.call1(py, (at.done, at.total)).map(drop),
                    None => Ok(()),
                }
            });
            match told {
                Ok(()) => Flow::Continue(()),
                Err(error) => {
                    raised.get_or_insert(error);
                    Flow::Break(())
                }
            }
        };
        work(&mut progress)
    });
    match (raised, done) {
        (Some(error), _) => Err(error),
        (None, done) => done.map_err(|error| of_error(py, &error)),
    }
}

/// Reads something of files that are still those that were opened, without the lock.
pub(crate) fn read<T: Send>(
    py: Python<'_>,
    database: &Database,
    work: impl FnOnce(&Database) -> tabiya::Result<T> + Send,
) -> PyResult<T> {
    let done = py.detach(|| {
        database.check_unchanged()?;
        let done = work(database);
        database.check_unchanged()?;
        done
    });
    done.map_err(|error| of_error(py, &error))
}
