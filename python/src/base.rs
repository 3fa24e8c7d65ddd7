//! One open database.

use std::{path::PathBuf, time::UNIX_EPOCH};

use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBytes, PyDict, PyList},
};
use tabiya::{
    Database, Diagram, ErrorKind, GameId, LineEnd, LineMove, ListStyle, MainLine, Notation,
    OpenOptions, Positions, Query, Search, SidecarOptions, WantedPosition,
    chess::{Flow, NameKind, Start},
    format::{GameText, NameSlot, Rating, Visitor},
};

use crate::{
    errors::{self, texts},
    figures, hints, lines, moves, planes,
    request::{Opening, query_of},
    tables,
    work::{read, run},
};

/// An open database. Games are numbered from 0 here.
#[pyclass(frozen, weakref, module = "tabiya._native")]
pub(crate) struct Base {
    pub(crate) database: Database,
    options: OpenOptions,
    /// What the options are made of.
    opening: Py<PyAny>,
}

/// A file with its size in bytes, and when it was changed, in nanoseconds since 1970.
type FileState = (PathBuf, u64, Option<u128>);

#[pymethods]
impl Base {
    /// Opens a database, or all parts of a long file.
    #[staticmethod]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        opening: Py<PyAny>,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Base>> {
        let options = opening.extract::<Opening>(py)?.options()?;
        let parts = run(py, tell, |progress| {
            options.on_progress(progress).open_each(&path)
        })?;
        let parts = parts.into_iter().map(|database| Base {
            database,
            options: options.clone(),
            opening: opening.clone_ref(py),
        });
        Ok(parts.collect())
    }

    /// Returns whether this is a whole database or the first part of a file.
    fn is_first(&self) -> bool {
        self.database.part().is_none_or(|number| number == 1)
    }

    /// Returns how many games of its file are in the parts before this one.
    fn before(&self) -> u32 {
        self.database.number(GameId(0)) - 1
    }

    fn __len__(&self) -> usize {
        self.database.len() as usize
    }

    fn name(&self) -> String {
        self.database.name()
    }

    fn notes(&self) -> Vec<String> {
        texts(self.database.notes())
    }

    /// Returns the PGN tags that headers have; those that are unknown and not in PGN's roster are
    /// left out.
    fn header<'py>(&self, py: Python<'py>, game: u32) -> PyResult<Bound<'py, PyDict>> {
        let header = read(py, &self.database, |database| database.header(GameId(game)))?;
        let tags = PyDict::new(py);
        let known = |value| if str::is_empty(value) { "?" } else { value };
        tags.set_item(NameSlot::Event.as_str(), known(&header.event))?;
        tags.set_item(NameSlot::Site.as_str(), known(&header.site))?;
        tags.set_item("Date", header.date.to_string())?;
        tags.set_item(NameSlot::Round.as_str(), known(&header.round))?;
        tags.set_item(NameSlot::White.as_str(), known(&header.white))?;
        tags.set_item(NameSlot::Black.as_str(), known(&header.black))?;
        tags.set_item("Result", header.result.as_str())?;
        let elo = |side: &str, rating: Option<Rating>| match rating {
            Some(rating) => {
                let name = format!("{side}{}", rating.kind.tag_suffix());
                tags.set_item(name, rating.value.to_string())
            }
            None => Ok(()),
        };
        elo("White", header.white_rating)?;
        elo("Black", header.black_rating)?;
        if let Some(eco) = header.eco {
            tags.set_item("ECO", eco.to_string())?;
        }
        if !header.event_date.is_unknown() {
            tags.set_item("EventDate", header.event_date.to_string())?;
        }
        Ok(tags)
    }

    /// Returns all PGN tags of a game; of a damaged one those that can be read.
    fn tags<'py>(&self, py: Python<'py>, game: u32) -> PyResult<Bound<'py, PyDict>> {
        let told = self.header(py, game)?;
        let more = read(py, &self.database, |database| {
            let mut tags = Tags::default();
            // What headers have is there without the games file.
            let _ = database.visit(GameId(game), &mut tags);
            Ok(tags)
        })?;
        for (name, value) in more.tags {
            told.set_item(name, value)?;
        }
        if let Some(fen) = more.start {
            told.set_item("FEN", fen)?;
        }
        Ok(told)
    }

    fn opening(&self, py: Python<'_>, game: u32) -> PyResult<Option<&'static str>> {
        read(py, &self.database, |database| {
            database.opening(GameId(game))
        })
    }

    fn plies(&self, py: Python<'_>, game: u32) -> PyResult<u32> {
        read(py, &self.database, |database| database.plies(GameId(game)))
    }

    /// Returns what is sound of a game as PGN, and its damage.
    fn pgn(&self, py: Python<'_>, game: u32) -> PyResult<(String, Option<String>)> {
        read(py, &self.database, |database| {
            let mut text = GameText::new(&database.header(GameId(game))?);
            let damage = database.visit_sound(GameId(game), &mut text)?;
            let damage = damage.map(|damage| damage.cause.to_string());
            Ok((text.finish()?, damage))
        })
    }

    /// Returns the start position as FEN (`None` for the standard one), what is sound of the main
    /// line as moves or positions, and its damage.
    fn line(
        &self,
        py: Python<'_>,
        game: u32,
        notation: &str,
    ) -> PyResult<(Option<String>, Vec<String>, Option<String>)> {
        let (notation, between) = match notation {
            "uci" => (Notation::Uci, ' '),
            "san" => (Notation::San, ' '),
            _ => (Notation::Fen, ';'),
        };
        read(py, &self.database, |database| {
            let mut line = MainLine::new(ListStyle::Words, &[notation]);
            let damage = match line.read(database, GameId(game)) {
                Err(error) if error.is_of_game() && line.plies() > 0 => Some(error.to_string()),
                done => {
                    done?;
                    None
                }
            };
            let texts = line.text(notation).split(between);
            let texts = texts.filter(|text| !text.is_empty()).map(str::to_owned);
            Ok((line.start_fen(), texts.collect(), damage))
        })
    }

    /// Returns a position of the main line as SVG; `None` if the game is shorter.
    fn svg(&self, py: Python<'_>, game: u32, ply: u32) -> PyResult<Option<String>> {
        read(py, &self.database, |database| {
            let line = database.line(GameId(game), LineEnd::Ply(ply))?;
            Ok(line.map(|line| {
                let last = line.moves.last().and_then(LineMove::squares);
                Diagram::new(&line.end).last_move(last).svg()
            }))
        })
    }

    /// Returns the games that match, as unsigned numbers of 32 bits from 0, the plies of their
    /// matches as signed ones, -1 where there is none, and the report.
    fn search<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        variations: bool,
        limit: Option<u64>,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyDict>)> {
        let query = query_of(py, text)?;
        let (mut games, mut plies) = (Vec::new(), Vec::new());
        let report = run(py, tell, |progress| {
            let sink = |hit: tabiya::Match| {
                games.extend_from_slice(&hit.game.0.to_ne_bytes());
                let ply = hit
                    .ply
                    .map_or(-1, |ply| i32::try_from(ply).unwrap_or(i32::MAX));
                plies.extend_from_slice(&ply.to_ne_bytes());
                Flow::Continue(())
            };
            let search = Search::new(&query).variations(variations);
            let search = search.limit(limit.unwrap_or(u64::MAX));
            search.on_progress(progress).for_each(&self.database, sink)
        })?;
        let told = PyDict::new(py);
        told.set_item("harmed", report.harmed)?;
        told.set_item("damaged", report.damaged)?;
        told.set_item("damaged_games", texts(&report.damaged_games))?;
        Ok((PyBytes::new(py, &games), PyBytes::new(py, &plies), told))
    }

    /// Returns the number of games that match.
    fn count(
        &self,
        py: Python<'_>,
        text: &str,
        variations: bool,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<u64> {
        let query = query_of(py, text)?;
        let search = Search::new(&query).variations(variations);
        run(py, tell, |progress| {
            Ok(search.on_progress(progress).count(&self.database)?.matched)
        })
    }

    /// Returns names that contain a text, with the figures of their games.
    fn names<'py>(
        &self,
        py: Python<'py>,
        kind: &str,
        text: &str,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let kind = match kind {
            "player" => NameKind::Player,
            "event" => NameKind::Event,
            "site" => NameKind::Site,
            "round" => NameKind::Round,
            other => {
                let message = format!("`{other}` is none of player, event, site, round");
                return Err(PyValueError::new_err(message));
            }
        };
        let rows = run(py, None, |_| {
            self.database.check_unchanged()?;
            self.database.find_names(kind, text)
        })?;
        let told = rows.into_iter().map(|row| {
            let told = PyDict::new(py);
            told.set_item("name", row.name)?;
            told.set_item("games", row.games)?;
            told.set_item("as_white", row.as_white)?;
            told.set_item("as_black", row.as_black)?;
            told.set_item("first_year", row.years.map(|(first, _)| first))?;
            told.set_item("last_year", row.years.map(|(_, last)| last))?;
            told.set_item("peak", row.peak.map(|elo| elo.get()))?;
            Ok(told)
        });
        told.collect()
    }

    /// Makes or renews the sidecar; those of all parts at the first of them.
    fn index(&self, py: Python<'_>, columns: bool, tell: Option<Py<PyAny>>) -> PyResult<()> {
        let options = SidecarOptions::new().columns(columns);
        run(py, tell, |progress| {
            let work = options.on_progress(progress);
            match self.database.part() {
                None => work.build(&self.database).map(drop),
                Some(1) => {
                    let path = self.database.path();
                    work.refresh_parts(path, &self.options).map(drop)
                }
                Some(_) => Ok(()),
            }
        })
    }

    /// Decodes and checks everything.
    fn verify<'py>(
        &self,
        py: Python<'py>,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let done = run(py, tell, |progress| {
            self.database.on_progress(progress).verify()
        })?;
        let told = PyDict::new(py);
        told.set_item("games", done.games)?;
        told.set_item("plies", done.main_line_moves)?;
        told.set_item("damaged", done.damaged)?;
        told.set_item("damaged_games", texts(&done.damaged_games))?;
        told.set_item("notes", texts(&done.notes))?;
        Ok(told)
    }

    /// Returns a row for each clause of a query: how it is answered, and what the index proves.
    fn explain<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyList>> {
        let query = query_of(py, text)?;
        let rows = run(py, None, |progress| {
            Search::new(&query)
                .on_progress(progress)
                .explain_clauses(&self.database)
        })?;
        let told = PyList::empty(py);
        for row in rows {
            let fields = PyDict::new(py);
            fields.set_item("clause", row.clause)?;
            fields.set_item("served_by", row.served_by)?;
            fields.set_item("possible", row.possible)?;
            fields.set_item("certain", row.certain)?;
            told.append(fields)?;
        }
        Ok(told)
    }

    /// Returns the conditions of a query that no name satisfies, see `hints`.
    fn hints<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Vec<Bound<'py, PyDict>>> {
        hints::hints(py, &self.database, text)
    }

    /// Returns a column of some games (unsigned numbers of 32 bits from 0), see `tables`.
    fn column<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        games: &[u8],
    ) -> PyResult<(Bound<'py, PyBytes>, Option<Vec<String>>)> {
        tables::column(py, &self.database, name, games)
    }

    /// Returns the results of the games with each of some positions, in one pass.
    fn positions<'py>(
        &self,
        py: Python<'py>,
        fens: Vec<String>,
        text: &str,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let query = query_of(py, text)?;
        let wanted = fens.iter().map(|fen| {
            let position = fen.parse();
            let position = position.map_err(|fault| errors::of_fault(py, fen, &fault))?;
            Ok(WantedPosition::new(position))
        });
        let mut positions = Positions::new(wanted.collect::<PyResult<Vec<_>>>()?);
        if query != Query::All {
            positions = positions.query(&query);
        }
        let counts = run(py, tell, |progress| {
            positions.on_progress(progress).run(&self.database)
        })?;
        let rows = counts.rows().iter();
        rows.map(|row| figures::tally(py, &row.tally)).collect()
    }

    /// Returns columns of the half-moves of some games, see `moves`.
    fn moves<'py>(
        &self,
        py: Python<'py>,
        names: Vec<String>,
        games: &[u8],
    ) -> PyResult<moves::MoveColumns<'py>> {
        moves::columns(py, &self.database, &names, games)
    }

    /// Returns the positions of some games, see `planes`.
    fn planes<'py>(
        &self,
        py: Python<'py>,
        names: Vec<String>,
        games: &[u8],
    ) -> PyResult<planes::PlaneColumns<'py>> {
        planes::planes(py, &self.database, &names, games)
    }

    /// Returns the moves of all lines of a game, see `lines`.
    fn lines(&self, py: Python<'_>, game: u32) -> PyResult<lines::ToldLines> {
        lines::all(py, &self.database, game)
    }

    /// Returns positions of games, see `lines`.
    fn fens(&self, py: Python<'_>, games: &[u8], plies: &[u8]) -> PyResult<Vec<Option<String>>> {
        lines::fens(py, &self.database, games, plies)
    }

    /// Returns how the database is opened again, elsewhere too: its path, how, which part, and the
    /// state of its files.
    fn origin(&self, py: Python<'_>) -> (PathBuf, Py<PyAny>, Option<u32>, Vec<FileState>) {
        let files = self.database.files().into_iter();
        let files = files.map(|(path, bytes)| {
            let changed = path.metadata().and_then(|data| data.modified()).ok();
            let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            (path, bytes, changed.map(|time| time.as_nanos()))
        });
        let opening = self.opening.clone_ref(py);
        let path = self.database.path().to_owned();
        (path, opening, self.database.part(), files.collect())
    }
}

/// Makes or renews the sidecar of a file, or those of its parts.
#[pyfunction]
pub(crate) fn index(
    py: Python<'_>,
    path: PathBuf,
    columns: bool,
    opening: Opening,
    tell: Option<Py<PyAny>>,
) -> PyResult<()> {
    let opening = opening.options()?;
    let options = SidecarOptions::new().columns(columns);
    run(py, tell, |progress| {
        let without = opening.clone().sidecar(false);
        match without.on_progress(&mut *progress).open(&path) {
            Err(error) if matches!(error.kind(), ErrorKind::LimitExceeded { .. }) => options
                .on_progress(progress)
                .refresh_parts(&path, &opening)
                .map(drop),
            opened => options.on_progress(progress).refresh(&opened?).map(drop),
        }
    })
}

/// Returns the databases that a path names.
#[pyfunction]
pub(crate) fn databases_named(py: Python<'_>, path: PathBuf) -> PyResult<Vec<PathBuf>> {
    tabiya::databases_named(&path).map_err(|error| errors::of_error(py, &error))
}

/// Returns which databases that a path names are left out, and why.
#[pyfunction]
pub(crate) fn left_out(py: Python<'_>, path: PathBuf) -> PyResult<Vec<String>> {
    tabiya::format::left_out(&path).map_err(|error| errors::of_error(py, &error))
}

/// The tags of a game that its header does not hold, or not all of.
#[derive(Default)]
struct Tags {
    tags: Vec<(String, String)>,
    start: Option<String>,
}

impl Visitor for Tags {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        self.tags.push((name.to_owned(), value.to_owned()));
        Flow::Continue(())
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        if let Start::Custom(setup) = start {
            self.start = Some(Diagram::new(setup).fen());
        }
        Flow::Break(())
    }

    fn play(&mut self, _: Option<tabiya::shakmaty::Move>) -> Flow {
        Flow::Break(())
    }
}
