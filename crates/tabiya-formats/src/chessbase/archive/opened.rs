//! Opening the database in an archive.

use std::{cell::RefCell, path::Path};

use super::{Archive, flaws};
use crate::{
    File, OpenSettings, Report,
    chessbase::v1::{ChessBase, Companion, open_set},
    error::{Error, ErrorKind, Result},
};

/// Opens the database in an archive. Its files are unpacked into memory.
///
/// # Errors
/// Those of unpacking the index; `Interrupted` after a `Break` from the callback.
pub(crate) fn open(
    path: &Path,
    options: &OpenSettings,
    report: Report<'_>,
) -> Result<(ChessBase, Vec<Error>)> {
    let file = File::open(path, options.access)?;
    from_archive(&file, options, report).map_err(|error| error.at_path(path))
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
