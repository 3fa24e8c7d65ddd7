//! The record of work on a database that a killed process may leave unfinished: who holds the lock
//! on it is the only one who writes the database.

use std::{
    fs::{self, File},
    io::{self, Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use super::{before, folder_of, recover, temporary::Temporary};
#[cfg(windows)]
use crate::file::identity_of;
use crate::{
    error::{Error, ErrorKind, Result},
    source::open_regular,
    suffix::with_suffix,
};

pub(super) const RECORD_SUFFIX: &str = "tabiya-commit";
/// How long to wait for another process to end its work.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(5);

pub(super) fn record_path(stem: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(stem.file_name().unwrap_or_default());
    with_suffix(&folder_of(stem).join(name), RECORD_SUFFIX)
}

pub(super) fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Writes a record and returns it, locked. Waits for other processes. `database` is the path that
/// people know.
pub(super) fn place(stem: &Path, database: &Path, text: &[u8]) -> Result<File> {
    let path = record_path(stem);
    let failed = |cause| Error::io("create", &path, cause);
    loop {
        let record = Temporary::create_in(folder_of(stem));
        let mut record =
            record.map_err(|cause| Error::io("create files beside it", database, cause))?;
        record.write_all(text).map_err(failed)?;
        record.sync().map_err(failed)?;
        match record.persist(&path, false) {
            Ok(locked) => return Ok(locked),
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
                recover(stem)?;
            }
            Err(cause) => return Err(failed(cause)),
        }
    }
}

/// Returns the error with which readers report a record, if there is one.
pub(super) fn unfinished(stem: &Path) -> Option<Error> {
    let path = record_path(stem);
    let why = "if no process is doing that, writing the database again finishes it, or \
               `tabiya repair` with its path alone";
    // A change that has only begun concerns nobody who reads.
    let has_only_begun = || open_regular(&path).is_ok_and(|record| is_change(&record));
    (is_there(&path) && !has_only_begun())
        .then(|| Error::new(ErrorKind::Unfinished { why }).at_path(&path))
}

/// Whether a record is that of a change.
pub(super) fn is_change(record: &File) -> bool {
    let mut record = record;
    let mut begin = [0; before::HEADER.len()];
    let found = record.read_exact(&mut begin).is_ok() && begin == before::HEADER.as_bytes();
    found || record.rewind().is_err()
}

/// Opens a record and locks it; `None` if there is none. Waits for a locked record, which is in use
/// and soon gone.
pub(super) fn locked(path: &Path) -> Result<Option<File>> {
    let unfinished = |why| Error::new(ErrorKind::Unfinished { why }).at_path(path);
    let asked = Instant::now();
    loop {
        match path.symlink_metadata() {
            Err(cause) if is_absence(&cause) => return Ok(None),
            Err(cause) => return Err(Error::io("read", path, cause)),
            Ok(found) if !found.is_file() => return Err(unfinished("it is no ordinary file")),
            Ok(_) => {}
        }
        match File::open(path) {
            Err(cause) if is_absence(&cause) => return Ok(None),
            Err(cause) => {
                let error = Error::io("open", path, cause);
                return Err(unfinished("it cannot be read").with_cause_of(&error));
            }
            Ok(file) => match file.try_lock() {
                Ok(()) if is_at(&file, path) => return Ok(Some(file)),
                Ok(()) | Err(fs::TryLockError::WouldBlock) => {}
                Err(fs::TryLockError::Error(_)) => {
                    return Err(unfinished("files cannot be locked here"));
                }
            },
        }
        if asked.elapsed() > PATIENCE {
            return Err(unfinished("another process is doing it"));
        }
        thread::sleep(PAUSE);
    }
}

/// Whether an error means that the file does not exist.
fn is_absence(cause: &io::Error) -> bool {
    matches!(
        cause.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename
    )
}

/// Whether an open file is still the one with this name. Another process may have removed it
/// between opening and locking.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), path.symlink_metadata()) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

#[cfg(windows)]
fn is_at(file: &File, path: &Path) -> bool {
    let named = winapi_util::Handle::from_path_any(path).ok();
    identity_of(file).is_some_and(|open| named.and_then(identity_of) == Some(open))
}

#[cfg(not(any(unix, windows)))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}
