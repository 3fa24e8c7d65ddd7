//! New files get their final names only when all of them are complete. No existing file is lost,
//! whatever fails and whenever the process is killed.

pub mod before;
pub mod change;
pub mod commit;
mod disk;
#[cfg(feature = "faults")]
pub mod faults;
mod record;
mod temporary;

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use tabiya_chess::Flow;

pub use self::temporary::Temporary;
use self::{
    commit::Commit,
    record::{is_change, record_path},
};
use super::{
    scid4::write::Edition,
    suffix::{self, has_suffix, with_suffix},
};
use crate::error::{Error, Result};

/// The suffixes of all writable databases of several files, the index first; also of files that are
/// not written but belong to a replaced database.
pub const FAMILIES: [&[&str]; 5] = [
    Edition::Si5.suffixes(),
    Edition::Si4.suffixes(),
    suffix::CHESSBASE,
    suffix::CHESSBASE2,
    suffix::SCDB,
];

/// Called now and then in long work; `Break` cancels it.
pub type Ask<'a> = &'a mut dyn FnMut() -> Flow;

/// What to do if the database to be written exists already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Overwrite {
    /// Fail.
    #[default]
    Refuse,
    /// Replace it once the new database is complete.
    Replace,
    /// Append the games to it; it must exist. All are in it afterwards, or none.
    Append,
    /// Replace it once the new database is complete, so that it can be had again; it must exist.
    Rewrite,
}

/// Destination of the files of a database.
#[derive(Debug, Clone)]
pub struct Target {
    stem: PathBuf,
    /// Of all files that a database can have, the index first; an empty suffix for a database of a
    /// single file.
    suffixes: &'static [&'static str],
    overwrite: Overwrite,
}

impl Target {
    /// Creates a target from the path of any of the files, or their stem. The index has the first
    /// suffix. Finishes or removes what killed processes have left there.
    ///
    /// # Errors
    /// `Io` if an existing file must not be replaced; `Unfinished` or `Corrupt` if the work of a
    /// killed process cannot be finished.
    pub fn for_path(
        path: &Path,
        suffixes: &'static [&'static str],
        overwrite: Overwrite,
    ) -> Result<Target> {
        if *suffixes == [""] {
            return Target::for_file(path, overwrite);
        }
        let stem = stem_of(path, &[suffixes]);
        recover(&stem)?;
        Target::new(stem, suffixes, overwrite)
    }

    /// Creates a target for a database of a single file.
    ///
    /// # Errors
    /// `Io` if an existing file must not be replaced.
    pub fn for_file(path: &Path, overwrite: Overwrite) -> Result<Target> {
        Target::new(path.to_owned(), &[""], overwrite)
    }

    fn new(
        stem: PathBuf,
        suffixes: &'static [&'static str],
        overwrite: Overwrite,
    ) -> Result<Target> {
        let target = Target {
            stem,
            suffixes,
            overwrite,
        };
        target.check()?;
        temporary::sweep(folder_of(&target.stem), commit::recorded_in);
        Ok(target)
    }

    /// Returns the path of a file.
    pub(crate) fn path(&self, suffix: &str) -> PathBuf {
        with_suffix(&self.stem, suffix)
    }

    /// Returns the path of the index.
    pub fn index(&self) -> PathBuf {
        self.path(self.suffixes.first().copied().unwrap_or_default())
    }

    /// Fails if the name is none for a file, or something exists that must not or cannot be
    /// replaced.
    fn check(&self) -> Result<()> {
        if cfg!(windows) && is_device(&self.stem) {
            let cause = "Windows keeps this name for a device; choose another name";
            let cause = io::Error::new(io::ErrorKind::InvalidInput, cause);
            return Err(Error::io("create", &self.index(), cause));
        }
        for path in self.suffixes.iter().map(|suffix| self.path(suffix)) {
            let Ok(found) = path.symlink_metadata() else {
                continue;
            };
            if self.overwrite != Overwrite::Replace {
                let cause = io::ErrorKind::AlreadyExists.into();
                return Err(Error::io("create", &path, cause));
            }
            if found.is_dir() {
                let cause = io::ErrorKind::IsADirectory.into();
                return Err(Error::io("replace", &path, cause));
            }
        }
        Ok(())
    }

    /// Creates a file next to the target that is removed if it is not published.
    pub fn temporary(&self) -> Result<Temporary> {
        let created = Temporary::create_in(folder_of(&self.stem));
        created.map_err(|cause| Error::io("create", &self.index(), cause))
    }

    /// Writes everything to disk and renames the files, given with their suffixes: all of them, or
    /// none if there is an error. Removes existing files with the other suffixes. The index must be
    /// the last. At no time is an index next to games
    /// that are not its own.
    ///
    /// # Errors
    /// `Io`; `Interrupted` after a `Break` from `ask`, which is called only before the renames.
    pub fn publish(&self, mut files: Vec<(Temporary, &'static str)>, ask: Ask<'_>) -> Result<()> {
        for (file, suffix) in &mut files {
            file.sync()
                .map_err(|cause| Error::io("write", &self.path(suffix), cause))?;
            check_interrupt(ask)?;
        }
        match self.suffixes {
            [_] => files
                .into_iter()
                .try_for_each(|(file, suffix)| self.rename(file, &self.path(suffix))),
            family => Commit::new(&self.stem, family, &files)
                .map_err(|cause| Error::io("read", &self.index(), cause))?
                .publish(files, || self.check()),
        }
    }

    /// Renames the only file.
    fn rename(&self, file: Temporary, path: &Path) -> Result<()> {
        self.check()?;
        file.persist(path, self.overwrite == Overwrite::Replace)
            .map_err(|cause| Error::io("rename", path, cause))?;
        // The file has its name; a power cut could still undo the rename, restoring the old file.
        let _ = disk::sync_folder(folder_of(path));
        Ok(())
    }
}

/// Writes a file that is no database: beside its place, to disk, then renamed.
///
/// # Errors
/// `Io` if it cannot be written, or exists and must not be replaced.
pub fn write_file(path: impl AsRef<Path>, bytes: &[u8], overwrite: Overwrite) -> Result<()> {
    let target = Target::for_file(path.as_ref(), overwrite)?;
    let mut file = target.temporary()?;
    let written = file.write_all(bytes);
    written.map_err(|cause| Error::io("write", &target.index(), cause))?;
    target.publish(vec![(file, "")], &mut || Flow::Continue(()))
}

/// Finishes a replacement of the database at a path, if a killed process has left one unfinished:
/// afterwards the new database is in place, or the old one if no file had been renamed. Takes a
/// change back that was not finished. Returns whether there was something to do.
///
/// The path may be that of any of the database's files, or the stem that they share.
///
/// # Errors
/// `Unfinished` if that is impossible, with the reason; `Corrupt` for a damaged record. Nothing is
/// changed then.
pub fn finish_replacement(path: impl AsRef<Path>) -> Result<bool> {
    recover(&stem_of(path.as_ref(), &FAMILIES))
}

/// Finishes or takes back what a killed process has left, and returns whether there was anything.
/// There rarely is, which costs one look at the folder.
///
/// # Errors
/// `Unfinished` if that is impossible; `Corrupt` if the file is not a record.
fn recover(stem: &Path) -> Result<bool> {
    let path = record_path(stem);
    let Some(record) = record::locked(&path)? else {
        return Ok(false);
    };
    if is_change(&record) {
        change::recover(stem)?;
    } else {
        commit::finish(stem, &path, &record)?;
    }
    Ok(true)
}

/// Waits for a change of the database at a path that another process makes.
///
/// # Errors
/// `Unfinished` if it was killed.
pub(super) fn wait_for_change(path: &Path) -> Result<()> {
    change::wait(&stem_of(path, &FAMILIES))
}

/// Returns the error for a database with an unfinished replacement. Only checks whether the record
/// exists: readers neither lock nor change anything.
pub(super) fn unfinished(path: &Path) -> Option<Error> {
    record::unfinished(&stem_of(path, &FAMILIES))
}

/// Returns `Interrupted` if `ask` breaks.
pub fn check_interrupt(ask: Ask<'_>) -> Result<()> {
    match ask() {
        Flow::Continue(()) => Ok(()),
        Flow::Break(()) => Err(Error::interrupted()),
    }
}

/// Whether Windows takes the name of a file for that of a device, whatever its suffix.
///
/// Source: Microsoft, "Naming Files, Paths, and Namespaces".
fn is_device(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let stem = stem.to_ascii_uppercase();
    let is_number = |rest: &str| rest.chars().count() == 1 && "123456789¹²³".contains(rest);
    match stem.split_at_checked(3) {
        Some(("CON" | "PRN" | "AUX" | "NUL", "")) => true,
        Some(("COM" | "LPT", rest)) => is_number(rest),
        _ => false,
    }
}

/// Returns the stem that the files of a database share, given the path of one; the path itself if
/// its suffix is not one of theirs.
fn stem_of(path: &Path, families: &[&[&str]]) -> PathBuf {
    if families.iter().any(|family| has_suffix(path, family)) {
        path.with_extension("")
    } else {
        path.to_owned()
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_devices_are_known_with_every_suffix() {
        for name in [
            "con",
            "CON.pgn",
            "nul.si4",
            "games/aux .pgn.gz",
            "com1.cbh",
            "LPT²",
        ] {
            assert!(is_device(Path::new(name)), "{name}");
        }
        for name in [
            "con1.pgn", "cons.pgn", "com.pgn", "com0.pgn", "com10", "a.con", "",
        ] {
            assert!(!is_device(Path::new(name)), "{name}");
        }
    }
}
