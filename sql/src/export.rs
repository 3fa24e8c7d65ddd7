//! Tables as Parquet files, for programs that read those.
//!
//! A file for each block of 65 536 games, sorted by `db` and `game`; row groups of at most a
//! million rows with statistics, and bloom filters for the players.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use datafusion::{
    arrow::{
        array::RecordBatch,
        datatypes::{Schema, SchemaRef},
    },
    error::{DataFusionError, Result},
    parquet::{
        arrow::ArrowWriter, basic::Compression, file::properties::WriterProperties,
        schema::types::ColumnPath,
    },
};
use tabiya::Flow;

use crate::{
    base::Base,
    plies::Plies,
    read::{BLOCK_GAMES, Reading, numbered},
    tables::Table,
};

/// Rows of a row group at most.
const GROUP_ROWS: usize = 1 << 20;

/// What an export has written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exported {
    /// Parquet files.
    pub files: usize,
    /// Rows of all tables.
    pub rows: u64,
}

/// One file to write.
struct Piece<'b> {
    base: &'b Base,
    table: Table,
    first: u32,
    path: PathBuf,
}

/// Writes tables of databases to a new folder, which has a folder for each table. The folder gets
/// its name when all is complete. `go_on` is asked at intervals.
///
/// The positions of `moves` (`fen`) are left out unless `fens` is set: they are most of the size.
///
/// # Errors
/// If the folder exists already, or files cannot be read or written.
pub fn export(
    bases: &[Arc<Base>],
    tables: &[Table],
    fens: bool,
    folder: &Path,
    threads: usize,
    go_on: &(dyn Fn() -> Flow + Sync),
) -> Result<Exported> {
    if folder.exists() {
        let message = format!("{}: exists already; choose a new folder", folder.display());
        return Err(DataFusionError::Execution(message));
    }
    let mut name = folder.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let partial = folder.with_file_name(name);
    fs::create_dir(&partial).map_err(|error| {
        let hint = match error.kind() {
            io::ErrorKind::AlreadyExists => "; an export that did not end has left it, remove it",
            _ => "",
        };
        DataFusionError::Execution(format!("{}: {error}{hint}", partial.display()))
    })?;
    let mut pieces = Vec::new();
    for table in tables {
        fs::create_dir(partial.join(table.name()))?;
        for (number, base) in bases.iter().enumerate() {
            for first in (0..base.database().len()).step_by(BLOCK_GAMES as usize) {
                let file = format!("{number:03}-{:05}.parquet", first / BLOCK_GAMES);
                let path = partial.join(table.name()).join(file);
                pieces.push(Piece {
                    base,
                    table: *table,
                    first,
                    path,
                });
            }
        }
    }
    let written = write_all(&pieces, fens, threads, go_on);
    let rows = match written {
        Ok(rows) => rows,
        Err(error) => {
            // What is incomplete is of no use.
            let _ = fs::remove_dir_all(&partial);
            return Err(error);
        }
    };
    fs::rename(&partial, folder)?;
    Ok(Exported {
        files: pieces.len(),
        rows,
    })
}

/// Writes all files, each on one thread.
fn write_all(
    pieces: &[Piece<'_>],
    fens: bool,
    threads: usize,
    go_on: &(dyn Fn() -> Flow + Sync),
) -> Result<u64> {
    let (next, rows) = (AtomicUsize::new(0), AtomicU64::new(0));
    let work = || -> Result<()> {
        while let Some(piece) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
            let written = piece.write(fens, go_on);
            if written.is_err() {
                // The others need not begin another file.
                next.store(pieces.len(), Ordering::Relaxed);
            }
            rows.fetch_add(written?, Ordering::Relaxed);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| match thread.join() {
                Ok(done) => done,
                Err(_) => Err(DataFusionError::Internal(
                    "a thread of the export ended".to_owned(),
                )),
            })
    })?;
    Ok(rows.into_inner())
}

impl Piece<'_> {
    fn write(&self, fens: bool, go_on: &(dyn Fn() -> Flow + Sync)) -> Result<u64> {
        let schema = schema(self.table, fens);
        let file = File::create_new(&self.path)?;
        let properties = properties(self.table);
        let mut writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties))?;
        let last = self.first.saturating_add(BLOCK_GAMES);
        let reading = Reading {
            base: self.base,
            table: self.table,
            schema,
            among: None,
            limit: u64::MAX,
            has_place: false,
            plies: Plies::ALL,
            game_plies: None,
        };
        let mut written = 0;
        let give = |batch: RecordBatch| {
            written += batch.num_rows() as u64;
            writer.write(&batch)?;
            Ok(go_on())
        };
        let report = reading.read(&numbered(self.base, &(self.first..last))?, give, go_on)?;
        if report.stopped_early {
            return Err(DataFusionError::Execution("interrupted".to_owned()));
        }
        writer.into_inner()?.sync_all()?;
        Ok(written)
    }
}

/// Returns the columns of a file.
fn schema(table: Table, fens: bool) -> SchemaRef {
    let schema = table.schema();
    // Which games match is no property of a game.
    let left_out = |name: &str| name.starts_with("match_") || (name == "fen" && !fens);
    let fields = schema
        .fields()
        .iter()
        .filter(|field| !left_out(field.name()));
    Arc::new(Schema::new(fields.cloned().collect::<Vec<_>>()))
}

fn properties(table: Table) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(GROUP_ROWS));
    if table == Table::Games {
        for player in ["white", "black"] {
            properties = properties.set_column_bloom_filter_enabled(ColumnPath::from(player), true);
        }
    }
    properties.build()
}
