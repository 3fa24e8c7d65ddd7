//! One file of a database: its bytes, its path, and whether it has changed since it was opened.

use std::{
    fs::Metadata,
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use crate::{
    Stamp,
    error::{Error, ErrorKind, Result},
    source::{Source, open_regular},
    suffix::companion_path,
};

/// One file: its bytes and the path used in messages.
#[derive(Debug)]
pub struct File {
    /// Where it is.
    pub path: PathBuf,
    /// What it holds.
    pub bytes: Source,
    /// Modification time when it was opened; `None` for bytes that are not a file of their own.
    pub modified: Option<SystemTime>,
    /// Time of the last change of content or metadata (ctime) when it was opened: seconds and
    /// nanoseconds. No program can set it. `None` where the system has none.
    pub changed: Option<(i64, i64)>,
    /// State of the file when it was mapped; `None` for bytes that nobody else can change.
    mapped: Option<State>,
}

/// How files are brought into memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// Mapped.
    #[default]
    Map,
    /// Read whole.
    Read,
}

/// Returns the error for an unavailable companion: why the system refuses it, or that it is
/// missing. Tries to open it once more, since databases in memory have companions too.
pub(crate) fn without(index: &Path, suffix: &str, what: &'static str) -> Error {
    if let Some(refused) = refused(index, suffix) {
        return refused;
    }
    let file = index.with_extension(suffix);
    let file = file.file_name().unwrap_or_default();
    let file = file.to_string_lossy().into_owned();
    Error::new(ErrorKind::Missing { what, file }).at_path(index)
}

/// Returns why a companion cannot be opened although it exists.
pub(crate) fn refused(index: &Path, suffix: &str) -> Option<Error> {
    use io::ErrorKind::{NotADirectory, NotFound};
    let path = companion_path(index, suffix);
    let cause = open_regular(&path).err()?;
    let is_absent = matches!(cause.kind(), NotFound | NotADirectory);
    (!is_absent).then(|| Error::io("open", &path, cause))
}

impl File {
    /// Opens a file.
    pub fn open(path: &Path, access: Access) -> Result<File> {
        // Taken before the bytes, so that a change in between is detected later.
        let before = path.metadata().ok();
        let bytes = match access {
            Access::Map => Source::map(path)?,
            Access::Read => Source::read(path)?,
        };
        let before = before.as_ref();
        Ok(File {
            path: path.to_owned(),
            bytes,
            modified: before.and_then(|data| data.modified().ok()),
            changed: before.and_then(changed),
            mapped: before
                .filter(|_| access == Access::Map)
                .map(|data| State::of(path, data)),
        })
    }

    /// Wraps bytes under the path used in messages.
    pub fn in_memory(path: PathBuf, bytes: Vec<u8>) -> File {
        File {
            path,
            bytes: Source::from_vec(bytes),
            modified: None,
            changed: None,
            mapped: None,
        }
    }

    /// Returns what the file was like when it was opened; `None` for bytes that are not a file of
    /// their own.
    pub fn stamp(&self) -> Option<Stamp> {
        Some(Stamp {
            bytes: self.bytes.len() as u64,
            modified: since_1970(self.modified?),
            changed: self.changed,
        })
    }

    /// Checks that a mapped file is still the same file and unchanged since it was mapped. One
    /// system call.
    ///
    /// # Errors
    /// `Changed`.
    pub fn check_unchanged(&self) -> Result<()> {
        let Some(then) = &self.mapped else {
            return Ok(());
        };
        let now = self.path.metadata().ok();
        let now = now.map(|data| State::of(&self.path, &data));
        match now.map_or(Some("it is gone"), |now| then.change(&now)) {
            Some(how) => Err(Error::new(ErrorKind::Changed { how }).at_path(&self.path)),
            None => Ok(()),
        }
    }
}

/// The properties by which a change of a file is detected.
#[derive(Debug, Clone, PartialEq, Eq)]
struct State {
    bytes: u64,
    modified: Option<SystemTime>,
    /// Device and number of the file; `None` where the system has none.
    identity: Option<(u64, u64)>,
}

impl State {
    fn of(path: &Path, data: &Metadata) -> State {
        State {
            bytes: data.len(),
            modified: data.modified().ok(),
            identity: identity(path, data),
        }
    }

    /// Describes how a file has changed, if it has.
    fn change(&self, now: &State) -> Option<&'static str> {
        if self.identity != now.identity {
            return Some("it was replaced by another file");
        }
        match now.bytes.cmp(&self.bytes) {
            std::cmp::Ordering::Less => Some("it has become shorter"),
            std::cmp::Ordering::Greater => Some("it has grown"),
            std::cmp::Ordering::Equal if self.modified != now.modified => Some("it was written to"),
            std::cmp::Ordering::Equal => None,
        }
    }
}

/// Returns what tells a file from all others: the device, and its number there.
#[cfg(unix)]
fn identity(_: &Path, data: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((data.dev(), data.ino()))
}

#[cfg(windows)]
fn identity(path: &Path, _: &Metadata) -> Option<(u64, u64)> {
    identity_of(winapi_util::Handle::from_path_any(path).ok()?)
}

#[cfg(windows)]
pub(crate) fn identity_of(file: impl winapi_util::AsHandleRef) -> Option<(u64, u64)> {
    let found = winapi_util::file::information(file).ok()?;
    Some((found.volume_serial_number(), found.file_index()))
}

#[cfg(not(any(unix, windows)))]
fn identity(_: &Path, _: &Metadata) -> Option<(u64, u64)> {
    None
}

/// Returns a time as seconds since 1970, which may be negative, and nanoseconds.
pub(crate) fn since_1970(time: SystemTime) -> (i64, u32) {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => (since.as_secs() as i64, since.subsec_nanos()),
        Err(before) => {
            let before = before.duration();
            (-(before.as_secs() as i64), before.subsec_nanos())
        }
    }
}

/// Returns the time of seconds since 1970 and nanoseconds.
pub(crate) fn time_of((seconds, nanoseconds): (i64, u32)) -> Option<SystemTime> {
    let apart = Duration::new(seconds.unsigned_abs(), nanoseconds);
    if seconds < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(apart)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(apart)
    }
}

/// Returns the time of the last change that only the system sets, in seconds and nanoseconds.
#[cfg(unix)]
pub(crate) fn changed(data: &Metadata) -> Option<(i64, i64)> {
    use std::os::unix::fs::MetadataExt;
    Some((data.ctime(), data.ctime_nsec()))
}

#[cfg(not(unix))]
pub(crate) fn changed(_: &Metadata) -> Option<(i64, i64)> {
    None
}
