//! Columns of half-moves: values side by side as bytes of this machine, which Python takes as
//! arrays.

use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBytes, PyDict},
};
use tabiya::{
    Database, ListStyle, MainLine, Notation, Remarks,
    chess::{Evaluation, Seconds},
};

use crate::{
    tables::{game_ids, of_sound},
    work,
};

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

    fn bytes(&self) -> usize {
        match self {
            Column::Game(values)
            | Column::Ply(values)
            | Column::Clock(values)
            | Column::Eval(values)
            | Column::Mate(values) => values.len(),
            Column::Line(_, _, texts) | Column::Comment(texts) => {
                texts.ends.len() + texts.text.len()
            }
        }
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
                let mut words = line.text(*notation).split(*between);
                // All columns have as many rows, whatever the text is.
                plies.for_each(|_| texts.push(words.next().unwrap_or_default()));
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

/// Bytes of columns after which no other game is read, so that long games and comments do not fill
/// the memory. One more game adds less than [`MAIN_LINE_BYTES_MAX`] for each column.
///
/// [`MAIN_LINE_BYTES_MAX`]: tabiya::limits::MAIN_LINE_BYTES_MAX
pub(crate) const BYTES_MAX: usize = 32 << 20;

/// A dict of what [`Column::told`] gives; how many of the games were read; and how many of these
/// are damaged: their half-moves before the damage are there.
pub(crate) type MoveColumns<'py> = (Bound<'py, PyDict>, usize, u64);

/// Returns columns of the half-moves of some games, or of the first of them.
pub(crate) fn columns<'py>(
    py: Python<'py>,
    database: &Database,
    names: &[String],
    games: &[u8],
) -> PyResult<MoveColumns<'py>> {
    let column = |name: &String| {
        let fault = || PyValueError::new_err(format!("there is no column `{name}`"));
        Column::named(name).ok_or_else(fault)
    };
    let mut columns = names.iter().map(column).collect::<PyResult<Vec<_>>>()?;
    let (done, damaged) = work::read(py, database, |database| read(database, &mut columns, games))?;
    let told = PyDict::new(py);
    for (name, column) in names.iter().zip(columns) {
        told.set_item(name, column.told(py))?;
    }
    Ok((told, done, damaged))
}

fn read(database: &Database, columns: &mut [Column], games: &[u8]) -> tabiya::Result<(usize, u64)> {
    let notations: Vec<Notation> = columns
        .iter()
        .filter_map(|column| match column {
            Column::Line(notation, ..) => Some(*notation),
            _ => None,
        })
        .collect();
    let mut line = MainLine::new(ListStyle::Words, &notations);
    let mut remarks = Remarks::default();
    let wants_remarks = columns.iter().any(Column::is_of_remarks);
    let wants_comments = columns
        .iter()
        .any(|column| matches!(column, Column::Comment(_)));
    let (mut done, mut damaged) = (0, 0);
    for game in game_ids(games) {
        let read = line.read(database, game);
        damaged += u64::from(is_damaged(read)?);
        if wants_remarks {
            let read = if wants_comments {
                remarks.read(database, game)
            } else {
                remarks.read_numbers(database, game)
            };
            // The line has told of the damage.
            let _ = is_damaged(read)?;
        }
        let number = database.number(game);
        for column in &mut *columns {
            column.push(number, &line, &remarks);
        }
        done += 1;
        if columns.iter().map(Column::bytes).sum::<usize>() > BYTES_MAX {
            break;
        }
    }
    Ok((done, damaged))
}

/// Returns whether a game is damaged. Other errors end the work.
pub(crate) fn is_damaged(done: tabiya::Result<()>) -> tabiya::Result<bool> {
    of_sound(done).map(|sound| sound.is_none())
}
