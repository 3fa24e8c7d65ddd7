//! Lines, and reports that people read: of all databases together.

use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBytes, PyDict},
};
use tabiya::{
    Database, LineGraph, Lines, OpeningReport, PlayerReport, Report, ReportMap, ReportRow,
    WrittenReport, chess::Color,
};

use crate::{
    base::Base,
    errors::texts,
    figures::tree_row,
    request::{position_of, query_of},
    work::run,
};

/// The lines that games play from a position.
#[pyclass(frozen, module = "tabiya._native")]
pub(crate) struct LineSum(LineGraph);

/// Which moves lines have.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Kept {
    depth: u32,
    min_games: Option<u64>,
    min_share: f64,
    only: Option<String>,
    variations: bool,
}

pub(crate) fn opened<'a>(bases: &'a [Bound<'_, Base>]) -> Vec<&'a Database> {
    bases.iter().map(|base| &base.get().database).collect()
}

/// Returns what could not be read.
pub(crate) fn damage<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("games", report.matched)?;
    told.set_item("damaged", report.damaged)?;
    told.set_item("damaged_games", texts(&report.damaged_games))?;
    Ok(told)
}

pub(crate) fn side(name: &str) -> PyResult<Color> {
    match name {
        "white" => Ok(Color::White),
        "black" => Ok(Color::Black),
        _ => Err(PyValueError::new_err("a side is \"white\" or \"black\"")),
    }
}

#[pymethods]
impl LineSum {
    #[new]
    fn new(
        py: Python<'_>,
        bases: Vec<Bound<'_, Base>>,
        position: (Option<String>, Option<String>),
        text: &str,
        kept: Kept,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<LineSum> {
        let position = position_of(py, position.0.as_deref(), position.1.as_deref())?;
        let query = query_of(py, text)?;
        let mut lines = Lines::new(&position)
            .query(&query)
            .variations(kept.variations)
            .depth(kept.depth)
            .min_share(kept.min_share);
        if let Some(games) = kept.min_games {
            lines = lines.min_games(games);
        }
        if let Some(name) = kept.only {
            lines = lines.only(side(&name)?);
        }
        let opened = opened(&bases);
        run(py, tell, |progress| {
            lines.on_progress(progress).run(&opened)
        })
        .map(LineSum)
    }

    /// Returns a row for each move, in the order of a text that has each position once.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let graph = &self.0;
        let rows = graph.in_order().into_iter().map(|place| {
            let node = &graph.nodes()[place.node];
            let row = &node.moves()[place.number].row;
            let told = PyDict::new(py);
            told.set_item("line", graph.line_with(place.node, place.number))?;
            told.set_item("ply", place.depth)?;
            told.update(tree_row(py, row)?.as_mapping())?;
            // Codes are not counted along lines.
            told.del_item("eco")?;
            told.set_item("of", node.total().games())?;
            told.set_item("same_as", graph.same_as(place.node, place.number))?;
            Ok(told)
        });
        rows.collect()
    }

    fn damage<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        damage(py, self.0.report())
    }

    fn pgn(&self, games: bool) -> String {
        if games {
            self.0.to_pgn_lines()
        } else {
            self.0.to_pgn()
        }
    }

    fn dot(&self) -> String {
        self.0.to_dot()
    }

    fn book<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_polyglot())
    }
}

/// A report about a player or an opening.
#[pyclass(frozen, module = "tabiya._native")]
pub(crate) struct Written(WrittenReport);

#[pymethods]
impl Written {
    #[new]
    fn new(
        py: Python<'_>,
        bases: Vec<Bound<'_, Base>>,
        about: (Option<String>, Option<String>),
        position: (Option<String>, Option<String>),
        text: &str,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<Written> {
        let (player, opening) = about;
        let query = query_of(py, text)?;
        let opened = opened(&bases);
        let subjects = [&player, &opening, &position.0, &position.1];
        if subjects.into_iter().flatten().count() != 1 {
            let message = "a report is about one of `player`, `opening`, `fen` and `moves`";
            return Err(PyValueError::new_err(message));
        }
        if let Some(name) = &player {
            let report = PlayerReport::new(name).query(&query);
            let report = run(py, tell, |progress| {
                report.on_progress(progress).run(&opened)
            });
            return report.map(Written);
        }
        let position = position_of(py, position.0.as_deref(), position.1.as_deref())?;
        let report = match &opening {
            Some(name) => OpeningReport::named(name),
            None => OpeningReport::of_position(&position),
        };
        let report = report.query(&query);
        run(py, tell, |progress| {
            report.on_progress(progress).run(&opened)
        })
        .map(Written)
    }

    fn title(&self) -> &str {
        self.0.title()
    }

    fn damage<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        damage(py, self.0.report())
    }

    fn html(&self) -> String {
        self.0.to_html()
    }

    fn markdown(&self) -> String {
        self.0.to_markdown()
    }

    /// Returns the tables.
    fn sections<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let sections = self.0.sections().iter().map(|section| {
            let told = PyDict::new(py);
            told.set_item("title", &section.title)?;
            told.set_item("note", &section.note)?;
            let maps: PyResult<Vec<_>> = section.maps.iter().map(|map| squares(py, map)).collect();
            told.set_item("maps", maps?)?;
            let rows: PyResult<Vec<_>> = section.rows.iter().map(|row| figures(py, row)).collect();
            told.set_item("rows", rows?)?;
            Ok(told)
        });
        sections.collect()
    }
}

fn figures<'py>(py: Python<'py>, row: &ReportRow) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("label", &row.label)?;
    told.set_item("depth", row.depth)?;
    told.set_item("query", row.query.to_string())?;
    told.set_item("games", row.games)?;
    told.set_item("of", row.of)?;
    told.set_item("won", row.won)?;
    told.set_item("drawn", row.drawn)?;
    told.set_item("lost", row.lost)?;
    told.set_item("lately", row.lately)?;
    told.set_item("fen", row.fen.as_deref())?;
    Ok(told)
}

fn squares<'py>(py: Python<'py>, map: &ReportMap) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("man", map.man.char())?;
    told.set_item("of", map.of)?;
    told.set_item("squares", map.games.to_vec())?;
    Ok(told)
}
