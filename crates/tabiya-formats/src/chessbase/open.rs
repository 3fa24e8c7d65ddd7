//! Opening a set of files, or the archive that holds one.

use std::{cell::RefCell, path::Path};

use super::{ChessBase, Companion, archive::Archive, flaws};
use crate::{
    File, OpenSettings, Report,
    error::{Error, ErrorKind, Result},
    suffix::companion_path,
};

/// Opens the database whose index has this path. The second result is what is odd about the files.
pub(crate) fn open(path: &Path, options: &OpenSettings) -> Result<(ChessBase, Vec<Error>)> {
    let companion = |companion: Companion| {
        File::open(&companion_path(path, companion.suffix()), options.access).ok()
    };
    open_set(File::open(path, options.access)?, options, companion)
}

/// Opens the database in an archive. Its files are unpacked into memory.
///
/// # Errors
/// Those of unpacking the index; `Interrupted` after a `Break` from the callback.
pub(crate) fn open_archive(
    path: &Path,
    options: &OpenSettings,
    report: Report<'_>,
) -> Result<(ChessBase, Vec<Error>)> {
    let file = File::open(path, options.access)?;
    from_archive(&file, options, report).map_err(|error| error.at_path(path))
}

fn open_set(
    index: File,
    options: &OpenSettings,
    companion: impl FnMut(Companion) -> Option<File>,
) -> Result<(ChessBase, Vec<Error>)> {
    let (mut chessbase, notes) = ChessBase::open(index, companion, options.salvage)?;
    chessbase.set_reading(options);
    Ok((chessbase, notes))
}

fn from_archive(
    file: &File,
    options: &OpenSettings,
    report: Report<'_>,
) -> Result<(ChessBase, Vec<Error>)> {
    let password = options.password.as_deref();
    let archive = if options.salvage {
        Archive::salvage(&file.bytes, password)?
    } else {
        Archive::open(&file.bytes, password)?
    };
    let members = archive.set_of_files();
    let (damage, report) = (RefCell::new(Vec::new()), RefCell::new(report));
    let unpack = |member: usize| -> Result<File> {
        let path = file.path.join(archive.members()[member].name());
        let bytes = if options.salvage {
            let (bytes, fault) = archive.unpack_salvaged(member, *report.borrow_mut());
            damage
                .borrow_mut()
                .extend(fault.map(|fault| fault.at_path(&path)));
            bytes
        } else {
            archive.unpack(member, *report.borrow_mut())?
        };
        Ok(File::in_memory(path, bytes))
    };
    let Some((_, index)) = members.first() else {
        return Err(Error::corrupt(flaws::NO_DATABASE_IN_ARCHIVE));
    };
    let mut faults = Vec::new();
    let companion = |companion: Companion| {
        let (_, member) = members
            .iter()
            .find(|(suffix, _)| suffix == companion.suffix())?;
        unpack(*member).map_err(|fault| faults.push(fault)).ok()
    };
    let (chessbase, mut notes) = open_set(unpack(*index)?, options, companion)?;
    notes.extend(faults);
    notes.extend(damage.into_inner());
    let is_interrupted = |note: &Error| matches!(note.kind(), ErrorKind::Interrupted);
    if let Some(interrupted) = notes.iter().position(is_interrupted) {
        return Err(notes.swap_remove(interrupted));
    }
    Ok((chessbase, notes))
}
