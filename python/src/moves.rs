//! Columns of half-moves: values side by side as bytes of this machine, which Python takes as
//! arrays.

use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBytes, PyDict},
};
use tabiya::{
    Database, Joint, MainLine, Notation, Remarks,
    chess::{Evaluation, Seconds},
};

use crate::{errors, tables::game_ids};

/// A column: numbers of 4 or 8 bytes, or texts with the ends of each after a 0.
enum Column {
    Game(Vec<u8>),
    Ply(Vec<u8>),
    Line(Notation, char, Texts),
    /// Seconds left; not a number where nothing tells of them, as in the next two.
    Clock(Vec<u8>),
    Eval(Vec<u8>),
    Mate(Vec<u8>),
    Comment(Texts),
}

#[derive(Default)]
struct Texts {
    ends: Vec<u8>,
    text: Vec<u8>,
}

impl Texts {
    fn push(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
        self.end();
    }

    fn end(&mut self) {
        let end = i32::try_from(self.text.len()).unwrap_or(i32::MAX);
        self.ends.extend_from_slice(&end.to_ne_bytes());
    }
}

impl Column {
    fn named(name: &str) -> Option<Column> {
        let texts = || {
            let mut texts = Texts::default();
            texts.end();
            texts
        };
        Some(match name {
            "game" => Column::Game(Vec::new()),
            "ply" => Column::Ply(Vec::new()),
            "san" => Column::Line(Notation::San, ' ', texts()),
            "uci" => Column::Line(Notation::Uci, ' ', texts()),
            "fen" => Column::Line(Notation::Fen, ';', texts()),
            "clock" => Column::Clock(Vec::new()),
            "eval" => Column::Eval(Vec::new()),
            "mate" => Column::Mate(Vec::new()),
            "comment" => Column::Comment(texts()),
            _ => return None,
        })
    }

    fn is_of_remarks(&self) -> bool {
        !matches!(self, Column::Game(_) | Column::Ply(_) | Column::Line(..))
    }

    /// Adds the half-moves of a game.
    fn push(&mut self, number: u32, line: &MainLine, remarks: &Remarks) {
        let plies = 1..=line.plies();
        let numbers = |column: &mut Vec<u8>, value: &dyn Fn(u32) -> Option<f64>| {
            let values = plies.clone().map(|ply| value(ply).unwrap_or(f64::NAN));
            values.for_each(|value| column.extend_from_slice(&value.to_ne_bytes()));
        };
        let eval = |ply| remarks.after(ply).0.eval;
        match self {
            Column::Game(column) => {
                plies.for_each(|_| column.extend_from_slice(&number.to_ne_bytes()));
            }
            Column::Ply(column) => {
                plies.for_each(|ply| column.extend_from_slice(&ply.to_ne_bytes()));
            }
            Column::Line(notation, between, texts) => {
                let words = line.text(*notation).split(*between);
                words
                    .take(line.plies() as usize)
                    .for_each(|word| texts.push(word));
            }
            Column::Clock(column) => numbers(column, &|ply| {
                remarks.after(ply).0.clock.map(Seconds::seconds)
            }),
            Column::Eval(column) => numbers(column, &|ply| eval(ply).and_then(Evaluation::pawns)),
            Column::Mate(column) => numbers(column, &|ply| {
                eval(ply).and_then(Evaluation::mate_in).map(f64::from)
            }),
            Column::Comment(texts) => plies.for_each(|ply| texts.push(remarks.after(ply).1)),
        }
    }

    /// Returns the values of numbers, or the ends and the text.
    fn told(self, py: Python<'_>) -> (Bound<'_, PyBytes>, Option<Bound<'_, PyBytes>>) {
        match self {
            Column::Game(values)
            | Column::Ply(values)
            | Column::Clock(values)
            | Column::Eval(values)
            | Column::Mate(values) => (PyBytes::new(py, &values), None),
            Column::Line(_, _, texts) | Column::Comment(texts) => {
                let text = PyBytes::new(py, &texts.text);
                (PyBytes::new(py, &texts.ends), Some(text))
            }
        }
    }
}

/// Returns columns of the half-moves of some games as a dict of what [`Column::told`] gives, and
/// how many of the games are damaged: their half-moves before the damage are there.
pub(crate) fn columns<'py>(
    py: Python<'py>,
    database: &Database,
    names: &[String],
    games: &[u8],
) -> PyResult<(Bound<'py, PyDict>, u64)> {
    let column = |name: &String| {
        let fault = || PyValueError::new_err(format!("there is no column `{name}`"));
        Column::named(name).ok_or_else(fault)
    };
    let mut columns = names.iter().map(column).collect::<PyResult<Vec<_>>>()?;
    let read = py.detach(|| read(database, &mut columns, games));
    let damaged = read.map_err(|error| errors::of_error(py, &error))?;
    let told = PyDict::new(py);
    for (name, column) in names.iter().zip(columns) {
        told.set_item(name, column.told(py))?;
    }
    Ok((told, damaged))
}

fn read(database: &Database, columns: &mut [Column], games: &[u8]) -> tabiya::Result<u64> {
    let notations: Vec<Notation> = columns
        .iter()
        .filter_map(|column| match column {
            Column::Line(notation, ..) => Some(*notation),
            _ => None,
        })
        .collect();
    let mut line = MainLine::new(Joint::Words, &notations);
    let mut remarks = Remarks::default();
    let wants_remarks = columns.iter().any(Column::is_of_remarks);
    let mut damaged = 0;
    for game in game_ids(games) {
        let done = line.read(database, game);
        damaged += u64::from(is_damaged(done)?);
        if wants_remarks {
            // The line has told of the damage.
            let _ = is_damaged(remarks.read(database, game))?;
        }
        let number = database.number(game);
        for column in &mut *columns {
            column.push(number, &line, &remarks);
        }
    }
    Ok(damaged)
}

/// Returns whether a game is damaged. Other errors end the work.
pub(crate) fn is_damaged(done: tabiya::Result<()>) -> tabiya::Result<bool> {
    match done {
        Ok(()) => Ok(false),
        Err(error) if error.is_of_game() => Ok(true),
        Err(error) => Err(error),
    }
}
