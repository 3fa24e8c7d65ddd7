//! Games compared with lines of somebody's own.

use pyo3::{exceptions::PyValueError, prelude::*, types::PyDict};
use tabiya::{
    LeavingPlace, Repertoire, RepertoireCheck, RepertoireLine, RepertoireReport, TreeStats,
};

use crate::{
    base::Base,
    figures::add_results,
    reports::{damage, opened, side},
    request::query_of,
    work::run,
};

/// What was found out.
#[pyclass(frozen, module = "tabiya._native")]
pub(crate) struct Compared {
    report: RepertoireReport,
    /// Damaged games of the lines, which count as far as they are sound.
    damaged_lines: u64,
}

#[pymethods]
impl Compared {
    #[new]
    fn new(
        py: Python<'_>,
        bases: Vec<Bound<'_, Base>>,
        lines: Vec<Bound<'_, Base>>,
        color: &str,
        text: &str,
        gaps: (f64, u64),
        tell: Option<Py<PyAny>>,
    ) -> PyResult<Compared> {
        let (query, color) = (query_of(py, text)?, side(color)?);
        let (games, files) = (opened(&bases), opened(&lines));
        let repertoire = run(py, None, |progress| Repertoire::read(&files, progress))?;
        if repertoire.positions() == 0 {
            let message = "there is no game with lines in the repertoire";
            return Err(PyValueError::new_err(message));
        }
        let check = RepertoireCheck::new(&repertoire, color)
            .query(&query)
            .gap_share(gaps.0)
            .min_games(gaps.1);
        let report = run(py, tell, |progress| check.on_progress(progress).run(&games))?;
        Ok(Compared {
            report,
            damaged_lines: repertoire.damaged(),
        })
    }

    fn damage<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let told = damage(py, self.report.report())?;
        told.set_item("damaged_lines", self.damaged_lines)?;
        Ok(told)
    }

    /// Returns how many games have no position of the lines.
    fn outside(&self) -> u64 {
        self.report.outside()
    }

    /// Returns a row for each game: its database and its index there, who leaves and how.
    fn games<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let rows = self.report.games().iter().map(|game| {
            let place = &self.report.places()[game.place];
            let told = PyDict::new(py);
            told.set_item("db", game.database)?;
            told.set_item("index", game.game.index())?;
            told.set_item("ply", game.ply)?;
            let played = place.played.iter().find(|played| played.next == game.next);
            told.set_item("played", played.map(|played| played.san.as_str()))?;
            add_place(&told, place)?;
            Ok(told)
        });
        rows.collect()
    }

    fn places<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let rows = self.report.places().iter().map(|place| {
            let told = figures(py, &place.stats)?;
            let played = place.played.iter();
            let played: Vec<(&str, u64)> = played.map(|move_| (&*move_.san, move_.games)).collect();
            told.set_item("played", played)?;
            add_place(&told, place)?;
            Ok(told)
        });
        rows.collect()
    }

    fn gaps<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let rows = self.report.gaps().iter().map(|gap| {
            let told = figures(py, &gap.stats)?;
            told.set_item("of", gap.total.games())?;
            told.set_item("in_file", gap.is_in_file)?;
            told.set_item("line", &gap.line)?;
            told.set_item("fen", &gap.fen)?;
            Ok(told)
        });
        rows.collect()
    }

    fn lines<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        lines(py, self.report.lines())
    }

    fn unplayed<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        lines(py, self.report.unplayed())
    }

    fn pgn(&self) -> String {
        self.report.to_pgn()
    }

    fn html(&self, games: &str, files: &str) -> String {
        let about = self.report.about(games, files);
        let title = format!("Games and the lines of {files}");
        self.report.to_html(&title, &about, None)
    }
}

fn lines<'py>(py: Python<'py>, lines: &[RepertoireLine]) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let rows = lines.iter().map(|line| {
        let told = figures(py, &line.stats)?;
        told.set_item("lines", line.lines)?;
        told.set_item("line", &line.line)?;
        Ok(told)
    });
    rows.collect()
}

fn figures<'py>(py: Python<'py>, stats: &TreeStats) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    add_results(&told, stats)?;
    Ok(told)
}

/// Adds where games leave, how, and what the lines have there.
fn add_place(told: &Bound<'_, PyDict>, place: &LeavingPlace) -> PyResult<()> {
    told.set_item("left", place.left.name())?;
    told.set_item("answers", &place.answers)?;
    told.set_item("line", &place.line)?;
    told.set_item("fen", &place.fen)
}
