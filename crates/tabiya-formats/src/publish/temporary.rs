//! Files that get their final names when they are complete.
//!
//! They are called `.tabiya-XXXXXX.tmp`, with six letters or digits, and are in the final folder.
//! The process that writes one holds a lock on it (`flock` on Unix). So a file with such a name
//! that can be locked is abandoned, and the next process that writes in the folder removes it,
//! unless a [record](super::commit) names it. Where the file system has no locks, nothing is
//! removed.

use std::{
    collections::HashSet,
    ffi::OsString,
    fs::{self, DirEntry, File},
    io::{self, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use tempfile::{Builder, NamedTempFile};

use super::{disk, folder_of};

const PREFIX: &str = ".tabiya-";
const SUFFIX: &str = ".tmp";
const RANDOM_LETTERS: usize = 6;
/// A new file can be mistaken for an abandoned one before it is locked; then another is created.
const ATTEMPTS_MAX: usize = 16;
/// Bytes after which written data is synced, so that the final sync is not one long wait.
const UNSYNCED_BYTES_MAX: u64 = 16 << 20;

/// A file that is removed if it is not renamed, locked while it is open.
#[derive(Debug)]
pub struct Temporary {
    file: NamedTempFile,
    unsynced_bytes: u64,
}

/// Returns what went wrong without the name of the file: nobody has asked for that one.
fn without_path(error: io::Error) -> io::Error {
    let text = error.to_string();
    let what = text
        .rsplit_once(" at path ")
        .map_or(&*text, |(what, _)| what);
    io::Error::new(error.kind(), what)
}

impl Temporary {
    /// Creates a file in a folder.
    pub fn create_in(folder: &Path) -> io::Result<Temporary> {
        let mut builder = Builder::new();
        builder
            .prefix(PREFIX)
            .suffix(SUFFIX)
            .rand_bytes(RANDOM_LETTERS);
        #[cfg(unix)]
        {
            // As for any new file, the user's mask decides who may read it.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        for _ in 0..ATTEMPTS_MAX {
            disk::attempt()?;
            let file = builder.tempfile_in(folder).map_err(without_path)?;
            // A file without a lock works as well, but stays if its process is killed.
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

    /// Returns the path.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Returns the file.
    pub(super) fn file(&self) -> &File {
        self.file.as_file()
    }

    /// Returns the length in bytes.
    pub(super) fn length(&self) -> io::Result<u64> {
        Ok(self.file.as_file().metadata()?.len())
    }

    /// Writes everything to disk.
    pub(super) fn sync(&mut self) -> io::Result<()> {
        disk::attempt()?;
        self.unsynced_bytes = 0;
        self.file.as_file().sync_all()
    }

    /// Disables removal: the file stays until it is moved.
    pub fn keep(&mut self) {
        self.file.disable_cleanup(true);
    }

    /// Writes the whole content to a file.
    pub(super) fn copy_to(&mut self, to: &mut File) -> io::Result<()> {
        disk::attempt()?;
        self.file.as_file_mut().seek(SeekFrom::Start(0))?;
        io::copy(self.file.as_file_mut(), to).map(drop)
    }

    /// Renames the file; without `replace`, the name must not exist yet.
    pub(super) fn persist(self, path: &Path, replace: bool) -> io::Result<File> {
        disk::attempt()?;
        if !replace {
            return Ok(self.file.persist_noclobber(path)?);
        }
        match self.file.persist(path) {
            Err(refused) if refused.error.kind() == io::ErrorKind::PermissionDenied => {
                let aside = abandon(path)?;
                refused.file.persist(path).map_err(|error| {
                    let _ = disk::rename(&aside, path);
                    error.error
                })
            }
            named => Ok(named?),
        }
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

impl Seek for Temporary {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.as_file().seek(to)
    }
}

/// Whether a name is that of a temporary file.
pub(super) fn is_temporary_name(name: &str) -> bool {
    let random = name
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(SUFFIX));
    random.is_some_and(|random| {
        random.len() == RANDOM_LETTERS && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// Moves a file out of the way that may be mapped: Windows lets it be renamed, but neither replaced
/// nor removed. It gets a name by which [`sweep`] removes it later, and which is returned.
pub(super) fn abandon(path: &Path) -> io::Result<PathBuf> {
    let aside = Temporary::create_in(folder_of(path))?.path().to_owned();
    disk::rename_new(path, &aside)?;
    Ok(aside)
}

/// Renames a file, replacing any existing file, also one that is open or mapped, which is
/// [swept](sweep) later.
pub(super) fn replace(from: &Path, to: &Path) -> io::Result<()> {
    match disk::rename(from, to) {
        Err(cause) if cause.kind() == io::ErrorKind::PermissionDenied => {
            let Ok(aside) = abandon(to) else {
                return Err(cause);
            };
            if let Err(cause) = disk::rename_new(from, to) {
                let _ = disk::rename(&aside, to);
                return Err(cause);
            }
            Ok(())
        }
        renamed => renamed,
    }
}

/// Removes the temporary files of killed processes in a folder. Ignores errors.
pub(super) fn sweep(folder: &Path, recorded_in: impl FnOnce(&Path) -> Option<Names>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let entries = entries.filter_map(Result::ok);
    let abandoned: Vec<(PathBuf, File)> = entries.filter_map(|entry| abandoned(&entry)).collect();
    if abandoned.is_empty() {
        return;
    }
    // A process writes its record while it holds the locks, so before its files could be locked.
    let Some(recorded) = recorded_in(folder) else {
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

/// Returns a temporary file that is no longer being written, locked.
fn abandoned(entry: &DirEntry) -> Option<(PathBuf, File)> {
    let is_ours = is_temporary_name(entry.file_name().to_str()?);
    if !is_ours || !entry.file_type().ok()?.is_file() {
        return None;
    }
    let file = File::open(entry.path()).ok()?;
    file.try_lock().ok()?;
    Some((entry.path(), file))
}

/// File names.
pub(super) type Names = HashSet<OsString>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_open_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|name| folder.path().join(name));
        fs::write(&old, "old").unwrap();
        fs::write(&new, "new").unwrap();
        let open = File::open(&old).unwrap();
        let mapped = crate::Source::map(&old).unwrap();
        replace(&new, &old).unwrap();
        assert_eq!(fs::read(&old).unwrap(), b"new");
        assert_eq!(&*mapped, b"old");
        assert!(!new.exists());
        drop((open, mapped));
        sweep(folder.path(), |_| Some(Names::new()));
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_was_out_of_the_way_is_swept_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.si4");
        fs::write(&path, "old").unwrap();
        let aside = abandon(&path).unwrap();
        assert!(!path.exists());
        assert_eq!(fs::read(&aside).unwrap(), b"old");
        sweep(folder.path(), |_| Some(Names::new()));
        assert!(!aside.exists());
    }
}
