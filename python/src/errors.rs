//! Errors of the library as exceptions of the package, or as messages.

use std::io;

use pyo3::{exceptions::PyIndexError, prelude::*, types::PyDict};
use tabiya::{Error, ErrorKind, query::Fault};

/// Returns the exception for an error: `tabiya.NotFoundError` for a file that is not there,
/// `IndexError` for a game that is not, `KeyboardInterrupt` if a signal is waiting, else
/// `tabiya.Error`.
pub(crate) fn of_error(py: Python<'_>, error: &Error) -> PyErr {
    if let Err(signal) = py.check_signals() {
        return signal;
    }
    let class = match error.kind() {
        ErrorKind::NoSuchGame { .. } => return PyIndexError::new_err(error.to_string()),
        ErrorKind::Io { .. } if error.path().is_some_and(|path| !path.exists()) => "NotFoundError",
        _ => "Error",
    };
    let kind = format!("{:?}", error.kind());
    let kind: String = kind.chars().take_while(|c| c.is_alphanumeric()).collect();
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref());
    let is_there =
        cause.is_some_and(|cause: &io::Error| cause.kind() == io::ErrorKind::AlreadyExists);
    let advice = if is_there {
        "; replace=True replaces it"
    } else {
        ""
    };
    made(py, class, format!("{error}{advice}"), |fields| {
        fields.set_item("kind", kind)?;
        fields.set_item("path", error.path().map(|path| path.to_path_buf()))?;
        fields.set_item("offset", error.offset())?;
        fields.set_item("game", error.game())
    })
}

/// Returns the exception for a query, a position or moves that cannot be read: the place is marked
/// in its message.
pub(crate) fn of_fault(py: Python<'_>, text: &str, fault: &Fault) -> PyErr {
    let message = format!("{}\n{}", fault.message, fault.caret(text));
    let message = match &fault.suggestion {
        Some(meant) => format!("{message}\ndid you mean `{meant}`?"),
        None => message,
    };
    made(py, "QueryError", message, |fields| {
        fields.set_item("start", fault.start)?;
        fields.set_item("end", fault.end)?;
        fields.set_item("suggestion", fault.suggestion.clone())
    })
}

/// Returns the messages of errors that are told of and not raised.
pub(crate) fn texts(errors: &[Error]) -> Vec<String> {
    errors.iter().map(ToString::to_string).collect()
}

/// Makes an exception of the package with these attributes.
fn made(
    py: Python<'_>,
    name: &str,
    message: String,
    fill: impl FnOnce(&Bound<'_, PyDict>) -> PyResult<()>,
) -> PyErr {
    let make = || {
        let class = py.import("tabiya._errors")?.getattr(name)?;
        let fields = PyDict::new(py);
        fill(&fields)?;
        class.call((message,), Some(&fields))
    };
    make().map_or_else(|error| error, PyErr::from_value)
}
