//! Moves, clocks and evaluations as aix stores them.
//!
//! `movedata` are the moves from the usual start, in one of three codings that its last byte names.
//! `clocks_white` and `clocks_black` are seconds after each move of a side; `evals` are centipawns
//! for White after each move, and mates as far from the ends of 16 bits. Source: the pages and the
//! program of aix, whose own crate decodes the moves.

use std::fmt::Write as _;

use aix_chess_compression::{Decode as _, Decoder, EncodedGame};
use datafusion::arrow::{
    array::{
        Array as _, ArrayRef, AsArray as _, BinaryArray, Int64Array, ListArray, RecordBatch,
        StringArray,
    },
    compute::cast,
    datatypes::{DataType, Field, Int64Type},
    error::ArrowError,
};
use shakmaty::{Chess, san::SanPlus};

use super::{MOVEDATA, texts};

/// Mates in so many moves at most are told apart from centipawns.
const MATE_MOVES_MAX: i64 = 512;

/// What stands where moves cannot be read, so that the game counts as damaged.
const UNREADABLE: &str = "unreadable ";

/// The moves of some games.
pub(super) struct Aix {
    moves: BinaryArray,
    plies: Option<Int64Array>,
    clocks: [Option<ListArray>; 2],
    evals: Option<ListArray>,
    results: Option<StringArray>,
}

impl Aix {
    pub(super) fn of(batch: &RecordBatch) -> Result<Aix, ArrowError> {
        let column = |name: &str| batch.column_by_name(name);
        let moves = column(MOVEDATA).ok_or_else(|| no_column(MOVEDATA))?;
        let plies = column("ply_count").map(|plies| cast(plies, &DataType::Int64));
        let numbers = |name: &str| column(name).map(numbers).transpose();
        Ok(Aix {
            moves: cast(moves, &DataType::Binary)?.as_binary().clone(),
            plies: plies.transpose()?.map(|plies| plies.as_primitive().clone()),
            clocks: [numbers("clocks_white")?, numbers("clocks_black")?],
            evals: numbers("evals")?,
            results: column("result").map(|results| texts(results)).transpose()?,
        })
    }

    pub(super) fn tell(&self, row: usize, pgn: &mut String) {
        let clocks = [&self.clocks[0], &self.clocks[1]].map(|list| values(list.as_ref(), row));
        let evals = values(self.evals.as_ref(), row);
        let told = if self.moves.is_null(row) {
            Some(0)
        } else {
            tell_moves(self.moves.value(row), pgn, |ply, pgn| {
                tell_remark(number(&evals, ply), number(&clocks[ply % 2], ply / 2), pgn);
            })
        };
        let plies = self.plies.as_ref().filter(|plies| plies.is_valid(row));
        let is_whole = |told| plies.is_none_or(|plies| plies.value(row) == told);
        if !told.is_some_and(is_whole) {
            pgn.push_str(UNREADABLE);
        }
        let result = self
            .results
            .as_ref()
            .filter(|results| results.is_valid(row));
        pgn.push_str(result.map_or("*", |results| results.value(row)));
    }
}

fn no_column(name: &str) -> ArrowError {
    ArrowError::SchemaError(format!("there is no column {name}"))
}

/// Returns a column of lists as lists of one type.
fn numbers(column: &ArrayRef) -> Result<ListArray, ArrowError> {
    let item = Field::new_list_field(DataType::Int64, true);
    Ok(cast(column, &DataType::List(item.into()))?
        .as_list()
        .clone())
}

/// Returns the list of a row.
fn values(lists: Option<&ListArray>, row: usize) -> Option<ArrayRef> {
    let lists = lists.filter(|lists| lists.is_valid(row));
    lists.map(|lists| lists.value(row))
}

fn number(values: &Option<ArrayRef>, index: usize) -> Option<i64> {
    let values = values.as_ref()?.as_primitive::<Int64Type>();
    let is_there = index < values.len() && values.is_valid(index);
    is_there.then(|| values.value(index))
}

/// Appends moves, and behind each what is known of it. Returns how many, if all could be read.
fn tell_moves(bytes: &[u8], pgn: &mut String, remark: impl Fn(usize, &mut String)) -> Option<i64> {
    let game = EncodedGame::from_bytes(bytes).ok()?;
    let mut decoder = Decoder::new(&game);
    let mut position = Chess::default();
    let mut ply = 0;
    while let Some(next) = decoder.next_move() {
        let san = SanPlus::from_move_and_play_unchecked(&mut position, next.ok()?);
        let _ = write!(pgn, "{san} ");
        remark(ply, pgn);
        ply += 1;
    }
    i64::try_from(ply).ok()
}

fn tell_remark(eval: Option<i64>, clock: Option<i64>, pgn: &mut String) {
    if eval.is_none() && clock.is_none() {
        return;
    }
    pgn.push('{');
    if let Some(eval) = eval {
        let _ = match mate(eval) {
            Some(moves) => write!(pgn, "[%eval #{moves}]"),
            None => write!(pgn, "[%eval {:.2}]", eval as f64 / 100.0),
        };
    }
    if let Some(seconds) = clock {
        if eval.is_some() {
            pgn.push(' ');
        }
        let (hours, rest) = (seconds / 3600, seconds % 3600);
        let _ = write!(pgn, "[%clk {hours}:{:02}:{:02}]", rest / 60, rest % 60);
    }
    pgn.push_str("} ");
}

/// Returns the moves to a mate that an evaluation stands for.
fn mate(eval: i64) -> Option<i64> {
    let white = i64::from(i16::MAX) + 1 - eval;
    let black = i64::from(i16::MIN) - 1 - eval;
    let is_mate = |moves: i64| (1..=MATE_MOVES_MAX).contains(&moves.abs());
    [white, black].into_iter().find(|&moves| is_mate(moves))
}
