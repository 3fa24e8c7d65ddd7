//! The native part of the Python package `tabiya`: one open database, in plain values. What users
//! see is made of it in `python/tabiya`.

#![allow(
    clippy::host_endian_bytes,
    reason = "arrays of NumPy have the byte order of the machine"
)]

mod base;
mod errors;
mod figures;
mod hints;
mod lines;
mod moves;
mod planes;
mod repertoire;
mod reports;
mod request;
mod sums;
mod tables;
mod work;
mod write;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<base::Base>()?;
    module.add_class::<reports::LineSum>()?;
    module.add_class::<reports::Written>()?;
    module.add_class::<repertoire::Compared>()?;
    module.add_class::<sums::TreeSum>()?;
    module.add_class::<sums::StatsSum>()?;
    module.add_function(wrap_pyfunction!(base::databases_named, module)?)?;
    module.add_function(wrap_pyfunction!(base::left_out, module)?)?;
    module.add_function(wrap_pyfunction!(base::index, module)?)?;
    module.add_function(wrap_pyfunction!(hints::advice, module)?)?;
    module.add_function(wrap_pyfunction!(tables::folded, module)?)?;
    module.add_function(wrap_pyfunction!(tables::sort_fields, module)?)?;
    module.add_function(wrap_pyfunction!(write::convert, module)?)?;
    module.add_function(wrap_pyfunction!(write::write, module)?)?;
    module.add_function(wrap_pyfunction!(write::edit, module)?)?;
    module.add_function(wrap_pyfunction!(write::purge, module)?)?;
    module.add_function(wrap_pyfunction!(write::undo, module)?)?;
    module.add_function(wrap_pyfunction!(write::repair, module)?)
}
