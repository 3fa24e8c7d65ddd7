//! Opening a set of files.

use std::path::Path;

use super::{ChessBase, Companion};
use crate::{
    File, OpenSettings,
    error::{Error, Result},
    suffix::companion_path,
};

/// Opens the database whose index has this path. The second result is what is odd about the files.
pub(crate) fn open(path: &Path, options: &OpenSettings) -> Result<(ChessBase, Vec<Error>)> {
    let companion = |companion: Companion| {
        File::open(&companion_path(path, companion.suffix()), options.access).ok()
    };
    open_set(File::open(path, options.access)?, options, companion)
}

/// Opens a set of files, however they are had.
pub(crate) fn open_set(
    index: File,
    options: &OpenSettings,
    companion: impl FnMut(Companion) -> Option<File>,
) -> Result<(ChessBase, Vec<Error>)> {
    let (mut chessbase, notes) = ChessBase::open(index, companion, options.salvage)?;
    chessbase.set_reading(options);
    Ok((chessbase, notes))
}
