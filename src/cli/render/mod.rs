//! How matches are printed, one file a format.

mod csv;
mod ids;
mod jsonl;
mod pgn;
mod row;
mod table;

pub(crate) use self::{jsonl::Object, row::Row};
use super::{args::SearchFormat, databases::Opened, output::Output};
use tabiya::Match;

/// Prints matches one by one.
pub(crate) trait Render {
    /// Prints a match, or keeps it for later.
    fn game(&mut self, opened: &Opened, hit: Match) -> anyhow::Result<()>;

    /// Writes out what can be written out by now.
    fn flush(&mut self) -> anyhow::Result<()>;

    /// Prints what was kept.
    fn finish(&mut self) -> anyhow::Result<()>;
}

/// Returns what prints a format. With several databases it tells whose a game is.
pub(crate) fn renderer<'o>(
    format: SearchFormat,
    several: bool,
    out: &'o mut Output,
) -> Box<dyn Render + 'o> {
    match format {
        SearchFormat::Ids => Box::new(ids::Ids::new(out, several)),
        SearchFormat::Jsonl => Box::new(jsonl::Jsonl::new(out, several)),
        SearchFormat::Csv => Box::new(csv::Csv::new(out, several)),
        SearchFormat::Pgn => Box::new(pgn::Pgn::new(out)),
        SearchFormat::Table => match out.terminal_columns() {
            Some(columns) => Box::new(table::Framed::new(out, several, columns)),
            None => Box::new(table::Plain::new(out, several)),
        },
    }
}

/// Tells whether a format prints names.
pub(crate) fn prints_names(format: SearchFormat) -> bool {
    format != SearchFormat::Ids
}

/// Tells whether a format prints where in the game the query matched.
pub(crate) fn prints_plies(format: SearchFormat) -> bool {
    !matches!(format, SearchFormat::Ids | SearchFormat::Pgn)
}
