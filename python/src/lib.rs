//! The native part of the Python package `tabiya`: one open database, in plain values. What users
//! see is made of it in `python/tabiya`.

mod base;
mod errors;
mod moves;
mod planes;
mod tables;
mod work;

use std::path::PathBuf;

use pyo3::{prelude::*, types::PyDict};
use tabiya::{ConvertOptions, RepairOptions, Search, format::Overwrite};

/// Converts databases into one of the format that the target's suffix names.
#[pyfunction]
#[pyo3(signature = (sources, target, query, replace, comments, variations, tell))]
#[allow(clippy::too_many_arguments)]
fn convert<'py>(
    py: Python<'py>,
    sources: Vec<PathBuf>,
    target: PathBuf,
    query: &str,
    replace: bool,
    comments: bool,
    variations: bool,
    tell: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let query = base::query_of(py, query)?;
    let done = work::run(py, tell, |progress| {
        let options = ConvertOptions::new()
            .overwrite(overwrite(replace))
            .comments(comments)
            .variations(variations)
            .search(Search::new(&query));
        tabiya::convert(&sources, &target, options, progress)
    })?;
    let told = PyDict::new(py);
    told.set_item("games", done.games)?;
    told.set_item("skipped", done.skipped)?;
    Ok(told)
}

/// Writes what can be read of a damaged database into a new one.
#[pyfunction]
fn repair<'py>(
    py: Python<'py>,
    source: PathBuf,
    target: PathBuf,
    replace: bool,
    tell: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let done = work::run(py, tell, |progress| {
        let options = RepairOptions::new().overwrite(overwrite(replace));
        let keep = |_: &tabiya::RepairedGame| tabiya::Flow::Continue(());
        tabiya::repair(&source, &target, options, keep, progress)
    })?;
    let told = PyDict::new(py);
    told.set_item("sound", done.sound)?;
    told.set_item("harmed", done.harmed)?;
    told.set_item("lost", done.lost)?;
    Ok(told)
}

fn overwrite(replace: bool) -> Overwrite {
    if replace {
        Overwrite::Replace
    } else {
        Overwrite::Refuse
    }
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<base::Base>()?;
    module.add_function(wrap_pyfunction!(convert, module)?)?;
    module.add_function(wrap_pyfunction!(repair, module)?)
}
