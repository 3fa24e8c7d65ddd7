//! Files that get their names when they are complete.
//!
//! They are called `.tabiya-XXXXXX.tmp`, with six letters or digits, and lie where they will stay.
//! While the process lives that writes one, it holds a lock on it (`flock` on Unix). So a file
//! of such a name that can be locked has nobody any more, and whoever writes in the same folder
//! next removes it, unless a [record](super::commit) names it. Where the file system knows no
//! locks, nothing is removed.

use std::{
    collections::HashSet,
    ffi::OsString,
    fs::{self, DirEntry, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use tempfile::{Builder, NamedTempFile};

use super::{commit, disk};

const PREFIX: &str = ".tabiya-";
const SUFFIX: &str = ".tmp";
const RANDOM_LETTERS: usize = 6;
/// A new file can be taken for an abandoned one before it is locked; then there is another.
const ATTEMPTS_MAX: usize = 16;
/// Bytes after which what was written goes to disk, so that the end is not one long wait.
const UNSYNCED_BYTES_MAX: u64 = 16 << 20;

/// A file that vanishes if nobody gives it a name, locked as long as it is open.
#[derive(Debug)]
pub(crate) struct Temporary {
    file: NamedTempFile,
    unsynced_bytes: u64,
}

impl Temporary {
    /// Creates a file in a folder.
    pub(super) fn create_in(folder: &Path) -> io::Result<Temporary> {
        let mut builder = Builder::new();
        builder
            .prefix(PREFIX)
            .suffix(SUFFIX)
            .rand_bytes(RANDOM_LETTERS);
        #[cfg(unix)]
        {
            // As any new file: the user's mask decides who may read it.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        for _ in 0..ATTEMPTS_MAX {
            disk::attempt()?;
            let file = builder.tempfile_in(folder)?;
            // One without a lock serves as well; if its process is killed, it stays.
            let is_wanted = matches!(file.as_file().try_lock(), Err(fs::TryLockError::WouldBlock));
            if !is_wanted && file.path().exists() {
                return Ok(Temporary {
                    file,
                    unsynced_bytes: 0,
                });
            }
        }
        Err(io::Error::other("new files are taken away at once"))
    }

    /// Returns where it is.
    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Returns its length in bytes.
    pub(super) fn length(&self) -> io::Result<u64> {
        Ok(self.file.as_file().metadata()?.len())
    }

    /// Writes everything to disk.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        disk::attempt()?;
        self.unsynced_bytes = 0;
        self.file.as_file().sync_all()
    }

    /// From now on it stays where it is until somebody moves it.
    pub(super) fn keep(&mut self) {
        self.file.disable_cleanup(true);
    }

    /// Gives it a name; without `replace`, one that no file has.
    pub(super) fn persist(self, path: &Path, replace: bool) -> io::Result<File> {
        disk::attempt()?;
        let named = if replace {
            self.file.persist(path)
        } else {
            self.file.persist_noclobber(path)
        };
        named.map_err(|error| error.error)
    }
}

impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        disk::attempt()?;
        let written = self.file.as_file().write(bytes)?;
        self.unsynced_bytes += written as u64;
        if self.unsynced_bytes >= UNSYNCED_BYTES_MAX {
            self.sync()?;
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_file().flush()
    }
}

impl Read for Temporary {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.file.as_file().read(bytes)
    }
}

impl Seek for Temporary {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.as_file().seek(to)
    }
}

/// Tells whether a file of this name is one of ours.
pub(super) fn is_temporary_name(name: &str) -> bool {
    let random = name
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(SUFFIX));
    random.is_some_and(|random| {
        random.len() == RANDOM_LETTERS && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Removes what killed processes have left in a folder. That this fails is nothing to fail for.
pub(super) fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let entries = entries.filter_map(Result::ok);
    let abandoned: Vec<(PathBuf, File)> = entries.filter_map(|entry| abandoned(&entry)).collect();
    if abandoned.is_empty() {
        return;
    }
    // What a process records it records while it lives, so before its files could be locked.
    let Some(recorded) = commit::recorded_in(folder) else {
        return;
    };
    for (path, _locked) in abandoned {
        if path
            .file_name()
            .is_some_and(|name| !recorded.contains(name))
        {
            let _ = disk::remove(&path);
        }
    }
}

/// Returns a temporary file that nobody writes any more, locked.
fn abandoned(entry: &DirEntry) -> Option<(PathBuf, File)> {
    let is_ours = is_temporary_name(entry.file_name().to_str()?);
    if !is_ours || !entry.file_type().ok()?.is_file() {
        return None;
    }
    let file = File::open(entry.path()).ok()?;
    file.try_lock().ok()?;
    Some((entry.path(), file))
}

/// Names of files.
pub(super) type Names = HashSet<OsString>;
