//! Figures of games as dicts.

use pyo3::{prelude::*, types::PyDict};
use tabiya::{Tally, TreeRow, TreeStats, chess::GameResult};

/// Returns a dict of figures by their keys.
pub(crate) fn tallies<'a, 'py, K: IntoPyObject<'py>>(
    py: Python<'py>,
    rows: impl IntoIterator<Item = (K, &'a Tally)>,
) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    for (key, figures) in rows {
        told.set_item(key, tally(py, figures)?)?;
    }
    Ok(told)
}

/// Returns how many games there are, and how many of each result.
pub(crate) fn tally<'py>(py: Python<'py>, tally: &Tally) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("games", tally.games())?;
    told.set_item("white", tally.count(GameResult::WhiteWins))?;
    told.set_item("draws", tally.count(GameResult::Draw))?;
    told.set_item("black", tally.count(GameResult::BlackWins))?;
    Ok(told)
}

/// Adds how many games there are, and how many of each result.
pub(crate) fn add_results(told: &Bound<'_, PyDict>, stats: &TreeStats) -> PyResult<()> {
    told.set_item("games", stats.games())?;
    told.set_item("white", stats.white_wins())?;
    told.set_item("draws", stats.draws())?;
    told.set_item("black", stats.black_wins())
}

/// Returns a next move and the figures of its games.
pub(crate) fn tree_row<'py>(py: Python<'py>, row: &TreeRow) -> PyResult<Bound<'py, PyDict>> {
    let stats = &row.stats;
    let told = PyDict::new(py);
    told.set_item("move", &row.san)?;
    told.set_item("uci", row.next.uci())?;
    add_results(&told, stats)?;
    told.set_item("average_rating", stats.average_rating())?;
    told.set_item("performance", stats.performance())?;
    told.set_item("average_year", stats.average_year())?;
    told.set_item("eco", stats.eco().map(|eco| eco.to_string()))?;
    told.set_item("opening", row.opening)?;
    Ok(told)
}
