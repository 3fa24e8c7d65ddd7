//! Printing of matches, one file per format.

mod aside;
mod cells;
mod column;
mod ids;
mod jsonl;
mod pgn;
mod records;
mod row;
mod rows;
mod table;
mod values;

use std::sync::Arc;

pub(crate) use self::{
    aside::Aside,
    column::{Column, ColumnArgs},
    jsonl::{Object, json_text},
    records::Records,
    row::{Row, opening},
};
use self::{cells::Syntax, rows::Rows};
use super::{databases::Opened, output::Output};
use clap::ValueEnum;
use tabiya::Match;

/// How matches are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchFormat {
    /// Columns for people
    Table,
    /// One game number a line
    Ids,
    /// Comma-separated values with a header line
    Csv,
    /// One JSON object a line
    Jsonl,
    /// The games themselves
    Pgn,
}

/// Prints matches one by one.
pub(crate) trait Render {
    /// Prints a match, or keeps it for later.
    fn game(&mut self, opened: &Arc<Opened>, hit: Match) -> anyhow::Result<()>;

    /// Writes everything that can be written now.
    fn flush(&mut self) -> anyhow::Result<()>;

    /// Prints the rest.
    fn finish(&mut self) -> anyhow::Result<()> {
        Ok(())
    }
}

/// Returns the renderer of a format. With several databases it prints the database of each game.
/// `has_places`: whether the query asks where in the game it matched. `columns` are those of csv
/// and jsonl.
pub(crate) fn renderer<'o>(
    format: SearchFormat,
    several: bool,
    has_places: bool,
    columns: Vec<Column>,
    out: &'o mut Output,
) -> Box<dyn Render + 'o> {
    match format {
        SearchFormat::Ids => Box::new(ids::Ids::new(out, several)),
        SearchFormat::Jsonl => Box::new(Rows::new(Syntax::Json, columns, several, out)),
        SearchFormat::Csv => Box::new(Rows::new(Syntax::Csv, columns, several, out)),
        SearchFormat::Pgn => Box::new(pgn::Pgn::new(out)),
        SearchFormat::Table => {
            let shape = table::Shape {
                several,
                has_places,
                has_openings: out.terminal_columns().is_some(),
            };
            Box::new(table::Matches::new(out, shape))
        }
    }
}

/// Returns whether a format prints names.
pub(crate) fn prints_names(format: SearchFormat) -> bool {
    format != SearchFormat::Ids
}

/// Returns whether a format prints where in the game the query matched.
pub(crate) fn prints_plies(format: SearchFormat) -> bool {
    !matches!(format, SearchFormat::Ids | SearchFormat::Pgn)
}
