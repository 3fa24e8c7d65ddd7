//! One open database.

use std::path::PathBuf;

use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBytes, PyDict, PyList},
};
use tabiya::{
    Database, Diagram, GameId, GameSet, Joint, LineEnd, LineMove, MainLine, Notation, OpenOptions,
    Positions, Progress, Query, Search, SidecarOptions, StatsOptions, Tally, TreePosition, TreeRow,
    TreeSearch, TreeStats, WantedPosition,
    chess::{GameResult, NameKind},
    format::{GameText, NameSlot, Rating},
};

use crate::{errors, moves, planes, tables, work::run};

/// An open database. Games are numbered from 0 here.
#[pyclass(frozen, module = "tabiya._native")]
pub(crate) struct Base {
    pub(crate) database: Database,
}

/// Reads a query; the empty text means all games.
pub(crate) fn query_of(py: Python<'_>, text: &str) -> PyResult<Query> {
    let query = text.parse();
    query.map_err(|fault| errors::of_fault(py, text, &fault))
}

impl Base {
    fn told<T>(&self, py: Python<'_>, done: tabiya::Result<T>) -> PyResult<T> {
        done.map_err(|error| errors::of_error(py, &error))
    }

    /// Returns the games of a query; all for the empty text.
    pub(crate) fn games(
        &self,
        py: Python<'_>,
        text: &str,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<GameSet> {
        let query = query_of(py, text)?;
        if query == Query::All {
            return Ok(GameSet::all(self.database.len()));
        }
        run(py, tell, |progress| {
            let mut games = Vec::new();
            let sink = |hit: tabiya::Match| {
                games.push(hit.game);
                tabiya::Flow::Continue(())
            };
            let search = Search::new(&query).plies(false);
            search.for_each(&self.database, sink, progress)?;
            Ok(games.into_iter().collect())
        })
    }
}

#[pymethods]
impl Base {
    #[staticmethod]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        sidecar: bool,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<Base> {
        let options = OpenOptions::new().sidecar(sidecar);
        let database = run(py, tell, |progress| options.open(&path, progress))?;
        Ok(Base { database })
    }

    fn __len__(&self) -> usize {
        self.database.len() as usize
    }

    fn name(&self) -> String {
        self.database.name()
    }

    fn path(&self) -> PathBuf {
        self.database.path().to_owned()
    }

    fn notes(&self) -> Vec<String> {
        self.database
            .notes()
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    fn has_sidecar(&self) -> bool {
        self.database.sidecar().is_some()
    }

    /// Returns the PGN tags of a game; those that are unknown are left out.
    fn header<'py>(&self, py: Python<'py>, game: u32) -> PyResult<Bound<'py, PyDict>> {
        let header = self.told(py, self.database.header(GameId(game)))?;
        let tags = PyDict::new(py);
        for (tag, value) in [
            (NameSlot::Event, &header.event),
            (NameSlot::Site, &header.site),
            (NameSlot::Round, &header.round),
            (NameSlot::White, &header.white),
            (NameSlot::Black, &header.black),
        ] {
            let value = if value.is_empty() { "?" } else { value };
            tags.set_item(tag.as_str(), value)?;
        }
        tags.set_item("Date", header.date.to_string())?;
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

    fn opening(&self, py: Python<'_>, game: u32) -> PyResult<Option<&'static str>> {
        self.told(py, self.database.opening(GameId(game)))
    }

    fn plies(&self, py: Python<'_>, game: u32) -> PyResult<u32> {
        self.told(py, self.database.plies(GameId(game)))
    }

    /// Returns a game as PGN, with everything that is stored.
    fn pgn(&self, py: Python<'_>, game: u32) -> PyResult<String> {
        let written = || {
            let mut text = GameText::new(&self.database.header(GameId(game))?);
            self.database.visit(GameId(game), &mut text)?;
            text.finish()
        };
        self.told(py, written())
    }

    /// Returns the start position as FEN (`None` for the standard one) and the main line as UCI
    /// moves, SAN moves and FENs.
    fn line(&self, py: Python<'_>, game: u32) -> PyResult<Line> {
        let notations = [Notation::Uci, Notation::San, Notation::Fen];
        let mut line = MainLine::new(Joint::Words, &notations);
        self.told(py, line.read(&self.database, GameId(game)))?;
        let words = |notation, between| {
            let texts = line.text(notation).split(between);
            let texts = texts.filter(|text| !text.is_empty());
            texts.map(str::to_owned).collect()
        };
        let [uci, san] = [Notation::Uci, Notation::San].map(|notation| words(notation, ' '));
        Ok((line.start_fen(), uci, san, words(Notation::Fen, ';')))
    }

    /// Returns a position of the main line as SVG; `None` if the game is shorter.
    fn svg(&self, py: Python<'_>, game: u32, ply: u32) -> PyResult<Option<String>> {
        let line = self.told(py, self.database.line(GameId(game), LineEnd::Ply(ply)))?;
        Ok(line.map(|line| {
            let last = line.moves.last().and_then(LineMove::squares);
            Diagram::new(&line.end).last_move(last).svg()
        }))
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
                tabiya::Flow::Continue(())
            };
            let search = Search::new(&query).variations(variations);
            let search = search.limit(limit.unwrap_or(u64::MAX));
            search.for_each(&self.database, sink, progress)
        })?;
        let told = PyDict::new(py);
        told.set_item("decoded", report.decoded)?;
        told.set_item("damaged", report.damaged)?;
        let faults = report.damaged_games.iter().map(ToString::to_string);
        told.set_item(
            "damaged_games",
            PyList::new(py, faults.collect::<Vec<_>>())?,
        )?;
        told.set_item("seconds", report.time().as_secs_f64())?;
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
            Ok(search.count(&self.database, progress)?.matched)
        })
    }

    /// Returns one row for each next move of a position, most frequent first.
    fn tree<'py>(
        &self,
        py: Python<'py>,
        fen: Option<&str>,
        moves: Option<&str>,
        text: &str,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let position = match (fen, moves) {
            (Some(fen), _) => TreePosition::from_fen(fen),
            (None, moves) => TreePosition::from_moves(moves.unwrap_or_default()),
        };
        let invalid = |fault| PyValueError::new_err(format!("{fault}"));
        let position = position.map_err(invalid)?;
        let query = query_of(py, text)?;
        let search = TreeSearch::new(&position).query(&query);
        let tree = run(py, tell, |progress| search.run(&self.database, progress))?;
        tree.rows().iter().map(|row| tree_row(py, row)).collect()
    }

    /// Returns figures of the games of a query.
    fn stats<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        top: usize,
        eco_depth: usize,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let games = self.games(py, text, tell)?;
        let options = StatsOptions::new().top(top).eco_depth(eco_depth);
        let stats = py.detach(|| self.database.stats(&games, &options));
        let told = tally(py, &stats.total)?;
        let years = PyDict::new(py);
        for (year, figures) in &stats.years {
            years.set_item(year, tally(py, figures)?)?;
        }
        told.set_item("years", years)?;
        let ratings = PyDict::new(py);
        for (rating, figures) in &stats.ratings {
            ratings.set_item(rating, tally(py, figures)?)?;
        }
        told.set_item("ratings", ratings)?;
        let openings = PyDict::new(py);
        for (code, figures) in &stats.openings {
            openings.set_item(code, tally(py, figures)?)?;
        }
        told.set_item("openings", openings)?;
        let players = stats.players.iter();
        let players: Vec<_> = players.map(|one| (one.name.clone(), one.games())).collect();
        told.set_item("players", players)?;
        Ok(told)
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
                return Err(pyo3::exceptions::PyValueError::new_err(message));
            }
        };
        let rows = py.detach(|| self.database.find_names(kind, text));
        let rows = self.told(py, rows)?;
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

    /// Makes or renews the sidecar.
    fn index(&self, py: Python<'_>, columns: bool, tell: Option<Py<PyAny>>) -> PyResult<()> {
        let options = SidecarOptions::new().columns(columns);
        run(py, tell, |progress| options.build(&self.database, progress)).map(drop)
    }

    /// Decodes and checks everything.
    fn verify<'py>(
        &self,
        py: Python<'py>,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let done = run(py, tell, |progress| self.database.verify(progress))?;
        let told = PyDict::new(py);
        told.set_item("games", done.games)?;
        told.set_item("plies", done.main_line_moves)?;
        told.set_item("damaged", done.damaged)?;
        let texts = |errors: &[tabiya::Error]| -> Vec<String> {
            errors.iter().map(ToString::to_string).collect()
        };
        told.set_item("damaged_games", texts(&done.damaged_games))?;
        told.set_item("notes", texts(&done.notes))?;
        Ok(told)
    }

    /// Returns a row for each clause of a query: how it is answered, and what the index proves.
    fn explain<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let query = query_of(py, text)?;
        let rows =
            py.detach(|| Search::new(&query).explain_clauses(&self.database, Progress::ignore));
        let rows = self.told(py, rows)?;
        let told = rows.into_iter().map(|row| {
            let told = PyDict::new(py);
            told.set_item("clause", row.clause)?;
            told.set_item("served_by", row.served_by)?;
            told.set_item("possible", row.possible)?;
            told.set_item("certain", row.certain)?;
            Ok(told)
        });
        told.collect()
    }

    /// Returns a column of some games (unsigned numbers of 32 bits from 0), see `tables`.
    fn column<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        games: &[u8],
    ) -> PyResult<Bound<'py, PyDict>> {
        tables::column(py, &self.database, name, games)
    }

    /// Returns the number of games with each of some positions, in one pass.
    fn positions(
        &self,
        py: Python<'_>,
        fens: Vec<String>,
        text: &str,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<Vec<u32>> {
        let query = query_of(py, text)?;
        let invalid = |fen: &str, fault: &dyn std::fmt::Display| {
            PyValueError::new_err(format!("`{fen}`: {fault}"))
        };
        let wanted = fens.iter().map(|fen| {
            let position = fen.parse().map_err(|fault| invalid(fen, &fault))?;
            Ok(WantedPosition::new(position))
        });
        let mut positions = Positions::new(wanted.collect::<PyResult<Vec<_>>>()?);
        if query != Query::All {
            positions = positions.query(query);
        }
        let counts = run(py, tell, |progress| positions.run(&self.database, progress))?;
        Ok(counts.rows().iter().map(|row| row.tally.games()).collect())
    }

    /// Returns columns of the half-moves of some games, see `moves`.
    fn moves<'py>(
        &self,
        py: Python<'py>,
        names: Vec<String>,
        games: &[u8],
    ) -> PyResult<(Bound<'py, PyDict>, u64)> {
        moves::columns(py, &self.database, &names, games)
    }

    /// Returns the positions of some games, see `planes`.
    fn planes<'py>(&self, py: Python<'py>, games: &[u8]) -> PyResult<planes::Told<'py>> {
        planes::planes(py, &self.database, games)
    }
}

/// Start, UCI, SAN, FENs.
type Line = (Option<String>, Vec<String>, Vec<String>, Vec<String>);

fn tally<'py>(py: Python<'py>, tally: &Tally) -> PyResult<Bound<'py, PyDict>> {
    let told = PyDict::new(py);
    told.set_item("games", tally.games())?;
    told.set_item("white", tally.count(GameResult::WhiteWins))?;
    told.set_item("draws", tally.count(GameResult::Draw))?;
    told.set_item("black", tally.count(GameResult::BlackWins))?;
    Ok(told)
}

fn tree_row<'py>(py: Python<'py>, row: &TreeRow) -> PyResult<Bound<'py, PyDict>> {
    let stats: &TreeStats = &row.stats;
    let told = PyDict::new(py);
    told.set_item("move", &row.san)?;
    told.set_item("uci", row.next.uci())?;
    told.set_item("games", stats.games())?;
    told.set_item("white", stats.white_wins())?;
    told.set_item("draws", stats.draws())?;
    told.set_item("black", stats.black_wins())?;
    told.set_item("average_rating", stats.average_rating())?;
    told.set_item("performance", stats.performance())?;
    told.set_item("average_year", stats.average_year())?;
    told.set_item("eco", stats.eco().map(|eco| eco.to_string()))?;
    told.set_item("opening", row.opening)?;
    Ok(told)
}
