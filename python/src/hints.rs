//! What was probably meant by queries.

use pyo3::{prelude::*, types::PyDict};
use tabiya::{Database, Search};

use crate::{request::query_of, work::run};

/// Returns what was meant by words that a query looks for in names.
#[pyfunction]
pub(crate) fn advice<'py>(py: Python<'py>, text: &str) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let advice = query_of(py, text)?.advice().into_iter();
    let told = advice.map(|one| hint(py, one.to_string(), one.words, Some(one.instead)));
    told.collect()
}

/// Returns the conditions of a query that no name in a database satisfies.
pub(crate) fn hints<'py>(
    py: Python<'py>,
    database: &Database,
    text: &str,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let query = query_of(py, text)?;
    let hints = run(py, None, |progress| {
        database.check_unchanged()?;
        Search::new(&query).on_progress(progress).hints(database)
    })?;
    let told = hints
        .into_iter()
        .map(|one| hint(py, one.to_string(), one.clause, one.instead));
    told.collect()
}

fn hint(
    py: Python<'_>,
    text: String,
    condition: String,
    instead: Option<String>,
) -> PyResult<Bound<'_, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("condition", condition)?;
    told.set_item("instead", instead)?;
    told.set_item("text", text)?;
    Ok(told)
}
