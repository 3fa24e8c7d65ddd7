//! Parquet files that others have published, read as databases.
//!
//! A row is a game. Two layouts are known: that of Lichess, whose columns are PGN tags and
//! `movetext`, and that of aix, whose `movedata` are moves as bits. Neither can be searched where
//! it is, so each row is told as PGN in a file of its own, which is removed with the [`Unpacked`];
//! from there it is read as any other game. That file has a line of JSON for each row, so that a
//! game has the number of its row whatever its text holds.

mod aix;
mod tags;
#[cfg(test)]
mod tests;

use std::{
    fs::File,
    io::{self, BufWriter, Write as _},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    time::SystemTime,
};

use datafusion::{
    arrow::{
        array::{Array, RecordBatch, StringArray},
        compute::cast,
        datatypes::{DataType, Schema},
        error::ArrowError,
    },
    parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder,
};
use tabiya::{Error, Flow, Result};
use tempfile::TempDir;

use aix::Aix;
use tags::Tags;

/// The column of the moves as PGN has them.
const MOVETEXT: &str = "movetext";

/// The column of the moves as aix has them.
const MOVEDATA: &str = "movedata";

/// Greatest expansion of a file, above [`FREE_BYTES`]. Ten bytes of Parquet can stand for any
/// number of equal rows.
const EXPANSION_MAX: u64 = 200;

/// Bytes of games that any file may have.
const FREE_BYTES: u64 = 64 << 20;

/// The games of a Parquet file as a database that tabiya reads. Removed when this is dropped.
#[derive(Debug)]
pub struct Unpacked {
    source: PathBuf,
    state: (u64, Option<SystemTime>),
    path: PathBuf,
    // Dropped last.
    _folder: TempDir,
}

/// Whether a path ends in `.parquet`; case is ignored. Does not access files.
#[must_use]
pub fn has_parquet_name(path: &Path) -> bool {
    let suffix = path.extension();
    suffix.is_some_and(|suffix| suffix.eq_ignore_ascii_case("parquet"))
}

impl Unpacked {
    /// Tells all rows of a file as games. O(file); needs as much room on the disk as their PGN.
    /// `go_on` is asked at intervals.
    ///
    /// A row whose moves cannot be read is a damaged game with the moves before the fault.
    ///
    /// # Errors
    /// `Io` if the file cannot be read, is no Parquet or has neither `movetext` nor `movedata`, and
    /// if the games cannot be written or take more than 200 times the bytes of the file (above 64
    /// MiB); `Interrupted` if `go_on` breaks.
    pub fn new(source: &Path, go_on: &dyn Fn() -> Flow) -> Result<Unpacked> {
        let failed = |cause: io::Error| Error::io("read", source, cause);
        let file = File::open(source).map_err(failed)?;
        let state = state(&file).map_err(failed)?;
        let folder = tempfile::tempdir().map_err(failed)?;
        let mut name = source.file_stem().unwrap_or_default().to_owned();
        name.push(".ndjson");
        let path = folder.path().join(name);
        // Readers of Parquet have ended by panics at damaged files.
        let told = catch_unwind(AssertUnwindSafe(|| tell_all(file, source, &path, go_on)));
        let told = told.unwrap_or_else(|_| Err(invalid("the file is damaged")));
        match told.map_err(failed)? {
            Flow::Continue(()) => Ok(Unpacked {
                source: source.to_owned(),
                state,
                path,
                _folder: folder,
            }),
            Flow::Break(()) => Err(Error::interrupted()),
        }
    }

    /// Returns the path of the Parquet file.
    pub(crate) fn source(&self) -> &Path {
        &self.source
    }

    /// Returns the path of the database.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether nobody has changed the Parquet file since.
    pub(crate) fn is_current(&self) -> bool {
        let now = File::open(&self.source).and_then(|file| state(&file));
        now.is_ok_and(|now| now == self.state)
    }
}

fn state(file: &File) -> io::Result<(u64, Option<SystemTime>)> {
    let metadata = file.metadata()?;
    Ok((metadata.len(), metadata.modified().ok()))
}

fn invalid(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, cause)
}

/// Writes the games of a file, each as an object with its PGN.
fn tell_all(file: File, source: &Path, path: &Path, go_on: &dyn Fn() -> Flow) -> io::Result<Flow> {
    let bytes_max = FREE_BYTES + file.metadata()?.len().saturating_mul(EXPANSION_MAX);
    let rows = ParquetRecordBatchReaderBuilder::try_new(file).map_err(invalid)?;
    check(rows.schema(), source)?;
    let mut lines = BufWriter::new(File::create_new(path)?);
    let (mut pgn, mut bytes) = (String::new(), 0);
    for batch in rows.build().map_err(invalid)? {
        let batch = batch.map_err(invalid)?;
        let tags = Tags::of(&batch).map_err(invalid)?;
        let moves = Moves::of(&batch).map_err(invalid)?;
        for row in 0..batch.num_rows() {
            pgn.clear();
            tags.tell(row, &mut pgn);
            pgn.push('\n');
            moves.tell(row, &mut pgn);
            serde_json::to_writer(&mut lines, &serde_json::json!({ "pgn": pgn }))?;
            lines.write_all(b"\n")?;
            bytes += pgn.len() as u64;
            if bytes > bytes_max {
                return Err(invalid("its games take more room than any real ones would"));
            }
        }
        if go_on().is_break() {
            return Ok(Flow::Break(()));
        }
    }
    lines.flush()?;
    Ok(Flow::Continue(()))
}

/// Checks that rows are games, and warns of columns that are not told.
fn check(schema: &Schema, path: &Path) -> io::Result<()> {
    let has = |name| schema.column_with_name(name).is_some();
    if !has(MOVETEXT) && !has(MOVEDATA) {
        return Err(invalid(
            "its rows are no games: there is neither a column movetext, with moves as in PGN, nor \
             movedata, with moves as aix has them",
        ));
    }
    for column in schema.fields() {
        if !tags::NO_TAGS.contains(&column.name().as_str()) && !tags::is_tag(column) {
            let path = path.display();
            log::warn!(
                "{path}: the column {} is no tag and is left out",
                column.name()
            );
        }
    }
    Ok(())
}

/// The moves of some games.
enum Moves {
    Text(StringArray),
    Aix(Box<Aix>),
}

impl Moves {
    fn of(batch: &RecordBatch) -> Result<Moves, ArrowError> {
        let Some(column) = batch.column_by_name(MOVETEXT) else {
            return Ok(Moves::Aix(Box::new(Aix::of(batch)?)));
        };
        Ok(Moves::Text(texts(column)?))
    }

    fn tell(&self, row: usize, pgn: &mut String) {
        match self {
            Moves::Text(texts) if texts.is_null(row) => {}
            Moves::Text(texts) => pgn.push_str(texts.value(row)),
            Moves::Aix(aix) => aix.tell(row, pgn),
        }
    }
}

/// Returns a column as text.
fn texts(column: &dyn Array) -> Result<StringArray, ArrowError> {
    Ok(StringArray::from(cast(column, &DataType::Utf8)?.to_data()))
}
