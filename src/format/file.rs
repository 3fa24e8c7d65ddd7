//! One file of a database: its bytes, where it lies, and whether it is still what it was.

use std::{
    fs::Metadata,
    path::{Path, PathBuf},
    time::SystemTime,
};

use crate::{
    error::{Error, ErrorKind, Result},
    source::Source,
};

/// One file: its bytes and the path that messages give.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) bytes: Source,
    /// When it was last changed, as it was opened; `None` for what is no file of its own.
    pub(crate) modified: Option<SystemTime>,
    /// What it was like when it was mapped; `None` for bytes that nobody else can change.
    mapped: Option<State>,
}

/// How files come into memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Access {
    /// Mapped.
    #[default]
    Map,
    /// Read whole.
    Read,
}

impl File {
    pub(crate) fn open(path: &Path, access: Access) -> Result<File> {
        // Before the bytes, so that what changes in between counts as changed later.
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
            mapped: before.map(State::of).filter(|_| access == Access::Map),
        })
    }

    /// Takes bytes under the name that messages give them.
    pub(crate) fn in_memory(path: PathBuf, bytes: Vec<u8>) -> File {
        File {
            path,
            bytes: Source::from_vec(bytes),
            modified: None,
            mapped: None,
        }
    }

    /// Checks that a mapped file is still the one that was mapped, and as it was then. One call
    /// of the operating system.
    ///
    /// # Errors
    /// `Changed`.
    pub(crate) fn check_unchanged(&self) -> Result<()> {
        let Some(then) = &self.mapped else {
            return Ok(());
        };
        let now = self.path.metadata().ok();
        match now.map_or(Some("it is gone"), |now| then.change(&State::of(&now))) {
            Some(how) => Err(Error::new(ErrorKind::Changed { how }).at_path(&self.path)),
            None => Ok(()),
        }
    }
}

/// What tells that a file was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct State {
    bytes: u64,
    modified: Option<SystemTime>,
    /// Device and number of the file there; `None` where the system has none.
    identity: Option<(u64, u64)>,
}

impl State {
    fn of(data: &Metadata) -> State {
        State {
            bytes: data.len(),
            modified: data.modified().ok(),
            identity: identity(data),
        }
    }

    /// Returns how a file has changed, if it has.
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

#[cfg(unix)]
fn identity(data: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((data.dev(), data.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Option<(u64, u64)> {
    None
}
