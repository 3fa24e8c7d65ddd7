//! Long work: without the interpreter's lock, told of, and stopped by Ctrl-C.

use pyo3::prelude::*;
use tabiya::{Flow, Progress};

use crate::errors::of_error;

/// Runs work of the library without the lock. Its progress goes to `tell`, a callable with the
/// work done and all of it (or `None`), if there is one; an exception there, or a signal, stops it.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    tell: Option<Py<PyAny>>,
    work: impl FnOnce(&mut dyn FnMut(Progress) -> Flow) -> tabiya::Result<T> + Send,
) -> PyResult<T> {
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
