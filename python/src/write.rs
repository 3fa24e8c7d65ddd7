//! New databases, and changes of those that exist.

use std::path::PathBuf;

use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyDict, PyList},
};
use tabiya::{
    Conversion, ConvertOptions, Edit, EditFault, RepairOptions, Search,
    chess::NameKind,
    format::{Layout, Lost, MontyLayout, Overwrite, ScdbLayout},
};

use crate::{
    base::Base,
    errors::texts,
    request::{Opening, query_of},
    tables::game_ids,
    work::run,
};

/// What of games is written, and how.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    replace: bool,
    /// Whether games are added to a database that exists.
    append: bool,
    comments: bool,
    variations: bool,
    limit: Option<u64>,
    strict: bool,
    layout: Option<String>,
    opening: Opening,
}

impl Options {
    fn chosen(self) -> PyResult<ConvertOptions> {
        let chosen = ConvertOptions::new()
            .overwrite(overwrite(self.replace))
            .comments(self.comments)
            .variations(self.variations)
            .strict(self.strict)
            .opening(self.opening.options()?)
            .limit(self.limit.unwrap_or(u64::MAX));
        Ok(match &self.layout {
            Some(name) => chosen.layout(layout(name)?),
            None => chosen,
        })
    }
}

/// Converts databases into one of the format that the target's suffix names.
#[pyfunction]
pub(crate) fn convert<'py>(
    py: Python<'py>,
    sources: Vec<PathBuf>,
    target: PathBuf,
    query: &str,
    options: Options,
    tell: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let query = query_of(py, query)?;
    let appends = options.append;
    let mut chosen = options.chosen()?;
    // Without a query PGN needs not be opened as a database.
    if query != tabiya::Query::All {
        chosen = chosen.search(Search::new(&query));
    }
    let done = run(py, tell, |progress| {
        if appends {
            tabiya::add(&sources, &target, chosen, progress)
        } else {
            tabiya::convert(&sources, &target, chosen, progress)
        }
    })?;
    converted(py, &done)
}

/// Writes games of open databases, unsigned numbers of 32 bits from 0 for each part, in their
/// order.
#[pyfunction]
pub(crate) fn write<'py>(
    py: Python<'py>,
    parts: Vec<(Bound<'py, Base>, Vec<u8>)>,
    target: PathBuf,
    options: Options,
    tell: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let chosen = options.chosen()?;
    let mut games = Vec::new();
    for (base, numbers) in &parts {
        let database = &base.get().database;
        games.extend(game_ids(numbers).map(|game| (database, game)));
    }
    let done = run(py, tell, |progress| {
        tabiya::convert_games(&games, &target, chosen, progress)
    })?;
    converted(py, &done)
}

/// Returns what became of games that were written.
fn converted<'py>(py: Python<'py>, done: &Conversion) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("games", done.games)?;
    told.set_item("unmatched", done.unmatched)?;
    told.set_item("skipped", done.skipped)?;
    told.set_item("skipped_games", texts(&done.skipped_games))?;
    told.set_item("losses", losses(py, &done.losses)?)?;
    Ok(told)
}

/// What changes of games.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Change {
    set: Vec<(String, String)>,
    flags: Vec<(String, bool)>,
    rename: Vec<(String, String, String)>,
}

impl Change {
    fn edit(&self) -> PyResult<Edit> {
        let wrong = |fault: EditFault| PyValueError::new_err(fault.to_string());
        let mut edit = Edit::new();
        for (name, value) in &self.set {
            edit = edit.set(name, value).map_err(wrong)?;
        }
        for (name, is_set) in &self.flags {
            edit = edit.flag(name, *is_set).map_err(wrong)?;
        }
        for (kind, from, to) in &self.rename {
            let kinds = NameKind::ALL.into_iter();
            let kind = kinds
                .zip(["player", "event", "site", "round"])
                .find(|(_, word)| word == kind);
            let (kind, _) = kind.ok_or_else(|| {
                PyValueError::new_err("a rename begins with player, event, site or round")
            })?;
            edit = edit.rename(kind, from, to);
        }
        Ok(edit)
    }
}

/// Changes games of a database; returns how many.
#[pyfunction]
pub(crate) fn edit(
    py: Python<'_>,
    base: PathBuf,
    query: &str,
    change: Change,
    tell: Option<Py<PyAny>>,
) -> PyResult<u64> {
    let query = query_of(py, query)?;
    let search = (query != tabiya::Query::All).then(|| Search::new(&query));
    let edit = change.edit()?;
    let done = run(py, tell, |progress| {
        edit.run(&base, search.as_ref(), progress)
    })?;
    Ok(done.games)
}

/// Leaves games out of a database; returns how many.
#[pyfunction]
pub(crate) fn purge(
    py: Python<'_>,
    base: PathBuf,
    query: &str,
    tell: Option<Py<PyAny>>,
) -> PyResult<u64> {
    let query = query_of(py, query)?;
    let search = Search::new(&query);
    let done = run(py, tell, |progress| tabiya::purge(&base, &search, progress))?;
    Ok(done.games)
}

/// Takes the last change of a database back; returns whether there was one.
#[pyfunction]
pub(crate) fn undo(py: Python<'_>, base: PathBuf, tell: Option<Py<PyAny>>) -> PyResult<bool> {
    run(py, tell, |progress| tabiya::undo(&base, progress))
}

/// Writes what can be read of a damaged database into a new one.
#[pyfunction]
pub(crate) fn repair<'py>(
    py: Python<'py>,
    source: PathBuf,
    target: PathBuf,
    replace: bool,
    opening: Opening,
    tell: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = RepairOptions::new()
        .overwrite(overwrite(replace))
        .opening(opening.options()?);
    let done = run(py, tell, |progress| {
        let keep = |_: &tabiya::RepairedGame| tabiya::Flow::Continue(());
        tabiya::repair(&source, &target, options, keep, progress)
    })?;
    let told = PyDict::new(py);
    told.set_item("games", done.games)?;
    told.set_item("sound", done.sound)?;
    told.set_item("harmed", done.harmed)?;
    told.set_item("lost", done.lost)?;
    told.set_item("texts", done.texts)?;
    told.set_item("notes", texts(&done.notes))?;
    told.set_item("losses", losses(py, &done.losses)?)?;
    Ok(told)
}

/// Returns what a new database lacks, a dict for each kind.
fn losses<'py>(py: Python<'py>, losses: &[Lost]) -> PyResult<Bound<'py, PyList>> {
    let told = PyList::empty(py);
    for lost in losses {
        let row = PyDict::new(py);
        row.set_item("what", lost.what)?;
        row.set_item("count", lost.count)?;
        row.set_item("first_game", lost.first_game)?;
        told.append(row)?;
    }
    Ok(told)
}

fn layout(name: &str) -> PyResult<Layout> {
    Ok(match name {
        "1.0" => ScdbLayout::Reference.into(),
        "1.1" => ScdbLayout::Described.into(),
        "policy" => MontyLayout::Policy.into(),
        "value" => MontyLayout::Value.into(),
        "old-value" => MontyLayout::OldValue.into(),
        _ => {
            return Err(PyValueError::new_err(format!(
                "`{name}` is no layout; there are 1.0 and 1.1 of .dci, and policy, value and \
                 old-value of .binpack"
            )));
        }
    })
}

fn overwrite(replace: bool) -> Overwrite {
    if replace {
        Overwrite::Replace
    } else {
        Overwrite::Refuse
    }
}
