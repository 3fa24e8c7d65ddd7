//! The steps that change a folder. Each calls [`attempt`] first, where tests can make it fail.

use std::{
    fs::{File, OpenOptions},
    io,
    path::Path,
};

use tempfile::TempPath;

/// Called before every step that may fail: creating, writing, syncing, renaming, removing.
#[cfg(not(feature = "faults"))]
#[inline(always)]
pub(super) fn attempt() -> io::Result<()> {
    Ok(())
}

#[cfg(feature = "faults")]
pub(super) use super::faults::attempt;

/// Fails if a file is there and may not be written.
pub(super) fn check_writable(path: &Path) -> io::Result<()> {
    attempt()?;
    match OpenOptions::new().write(true).open(path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(cause),
        _ => Ok(()),
    }
}

/// Renames a file, replacing any existing file.
pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    attempt()?;
    std::fs::rename(from, to)
}

/// Renames a file to a name that must not exist yet.
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    attempt()?;
    let path = TempPath::try_from_path(from)?;
    path.persist_noclobber(to).map_err(|mut error| {
        error.path.disable_cleanup(true);
        error.error
    })
}

/// Removes a file, if it exists.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    attempt()?;
    match std::fs::remove_file(path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(cause),
        _ => Ok(()),
    }
}

/// Syncs a folder, so that the names in it survive a power cut. Not every system can open or sync a
/// folder.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    attempt()?;
    let Ok(opened) = File::open(folder) else {
        return Ok(());
    };
    match opened.sync_all() {
        Err(cause) if is_beyond_the_system(&cause) => Ok(()),
        synced => synced,
    }
}

fn is_beyond_the_system(cause: &io::Error) -> bool {
    matches!(
        cause.kind(),
        io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied
    )
}
