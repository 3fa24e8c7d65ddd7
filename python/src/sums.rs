//! Figures of games, summed over several databases.

use std::sync::{Mutex, PoisonError};

use pyo3::{prelude::*, types::PyDict};
use tabiya::{GameSet, Search, StatsOptions, Tree, TreePosition, TreeSearch};

use crate::{
    base::Base,
    figures::{tallies, tally, tree_row},
    request::{position_of, query_of},
    work::run,
};

/// The tree of one position, to which databases are added.
#[pyclass(frozen, module = "tabiya._native")]
pub(crate) struct TreeSum {
    position: TreePosition,
    tree: Mutex<Option<Tree>>,
}

#[pymethods]
impl TreeSum {
    #[new]
    fn new(py: Python<'_>, fen: Option<&str>, moves: Option<&str>) -> PyResult<TreeSum> {
        let position = position_of(py, fen, moves)?;
        Ok(TreeSum {
            position,
            tree: Mutex::new(None),
        })
    }

    /// Adds the games of a query.
    fn add(
        &self,
        py: Python<'_>,
        base: &Bound<'_, Base>,
        text: &str,
        variations: bool,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let query = query_of(py, text)?;
        let database = &base.get().database;
        let search = TreeSearch::new(&self.position)
            .query(&query)
            .variations(variations);
        let more = run(py, tell, |progress| {
            search.on_progress(progress).run(database)
        })?;
        let mut tree = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *tree {
            Some(tree) => tree.add(more),
            None => *tree = Some(more),
        }
        Ok(())
    }

    /// Returns one row for each next move, most frequent first.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let tree = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
        let rows = tree.as_ref().map(Tree::rows).unwrap_or_default();
        rows.iter().map(|row| tree_row(py, row)).collect()
    }
}

/// Statistics, to which databases are added.
#[pyclass(frozen, module = "tabiya._native")]
pub(crate) struct StatsSum(Mutex<tabiya::StatsSum>);

#[pymethods]
impl StatsSum {
    #[new]
    fn new() -> StatsSum {
        StatsSum(Mutex::default())
    }

    /// Adds the games of a query.
    fn add(
        &self,
        py: Python<'_>,
        base: &Bound<'_, Base>,
        text: &str,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let query = query_of(py, text)?;
        let database = &base.get().database;
        run(py, tell, |progress| {
            let mut games = Vec::new();
            let sink = |hit: tabiya::Match| {
                games.push(hit.game);
                tabiya::Flow::Continue(())
            };
            let search = Search::new(&query).plies(false);
            let report = search
                .on_progress(&mut *progress)
                .for_each(database, sink)?;
            if report.stopped_early {
                return Err(tabiya::Error::interrupted());
            }
            let games: GameSet = games.into_iter().collect();
            let mut sum = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            sum.add(database, &games, progress)
        })
    }

    /// Returns the figures, after which the sum is empty.
    fn finish<'py>(
        &self,
        py: Python<'py>,
        top: usize,
        eco_depth: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let options = StatsOptions::new().top(top).eco_depth(eco_depth);
        let mut sum = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let stats = std::mem::take(&mut *sum).finish(&options);
        let told = tally(py, &stats.total)?;
        told.set_item("years", tallies(py, &stats.years)?)?;
        told.set_item("ratings", tallies(py, &stats.ratings)?)?;
        told.set_item("openings", tallies(py, &stats.openings)?)?;
        let players = stats.players.iter();
        let players: Vec<_> = players.map(|one| (&one.name, one.games())).collect();
        told.set_item("players", players)?;
        let events = stats.events.iter();
        let events: Vec<_> = events.map(|one| (&one.name, one.games.games())).collect();
        told.set_item("events", events)?;
        told.set_item("mean_plies", stats.lengths.mean_plies)?;
        told.set_item("median_plies", stats.lengths.median_plies)?;
        told.set_item("mean_rating", stats.mean_ratings.all)?;
        Ok(told)
    }
}
