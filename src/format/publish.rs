//! The files of a new database, which appear under their names together or not at all.

use std::{
    ffi::OsString,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use super::temporary_beside;
use crate::error::{Error, Result};

/// What to do when a file of the new database is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overwrite {
    /// Refuse.
    #[default]
    Refuse,
    /// Replace it once the new database is complete.
    Replace,
}

/// Where the files of a database will be.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    stem: PathBuf,
    /// Of all files, the index first.
    suffixes: &'static [&'static str],
    overwrite: Overwrite,
}

impl Target {
    /// Takes the path of any of the files, or their stem. The index has the first suffix.
    ///
    /// # Errors
    /// `Io` if a file is there that must not be replaced.
    pub(crate) fn for_path(
        path: &Path,
        suffixes: &'static [&'static str],
        overwrite: Overwrite,
    ) -> Result<Target> {
        let suffix = path.extension().unwrap_or_default();
        let is_known = suffixes
            .iter()
            .any(|known| suffix.eq_ignore_ascii_case(known));
        let target = Target {
            stem: match is_known {
                true => path.with_extension(""),
                false => path.to_owned(),
            },
            suffixes,
            overwrite,
        };
        target.check()?;
        Ok(target)
    }

    /// Returns the path of a file. The suffix is appended to the stem, since a dot may be part of
    /// the name.
    pub(crate) fn path(&self, suffix: &str) -> PathBuf {
        let mut name = OsString::from(self.stem.as_os_str());
        name.push(".");
        name.push(suffix);
        PathBuf::from(name)
    }

    /// Returns the path of the index.
    pub(crate) fn index(&self) -> PathBuf {
        self.path(self.suffixes.first().copied().unwrap_or_default())
    }

    /// Refuses if a file is there that must not be replaced.
    fn check(&self) -> Result<()> {
        for path in self.suffixes.iter().map(|suffix| self.path(suffix)) {
            if self.overwrite == Overwrite::Refuse && path.symlink_metadata().is_ok() {
                let cause = io::ErrorKind::AlreadyExists.into();
                return Err(Error::io("create", &path, cause));
            }
        }
        Ok(())
    }

    /// Creates a file beside the target that vanishes if nobody publishes it.
    pub(crate) fn temporary(&self) -> Result<NamedTempFile> {
        let index = self.index();
        temporary_beside(&index).map_err(|cause| Error::io("create", &index, cause))
    }

    /// Writes everything to disk and gives the files, which come with their suffixes, their
    /// names. The index must be the last: without it there is no database. An index that is
    /// replaced goes first, so that at no time an index stands beside games that are not its own.
    pub(crate) fn publish(&self, files: Vec<(NamedTempFile, &'static str)>) -> Result<()> {
        for (file, suffix) in &files {
            file.as_file()
                .sync_all()
                .map_err(|cause| Error::io("write", &self.path(suffix), cause))?;
        }
        self.check()?;
        if self.overwrite == Overwrite::Replace {
            remove_if_there(&self.index())?;
        }
        let mut published: Vec<PathBuf> = Vec::new();
        for (file, suffix) in files {
            let path = self.path(suffix);
            if let Err(cause) = self.rename(file, &path) {
                for path in published {
                    // Half a database is none; the first error is the one to tell.
                    let _ = fs::remove_file(path);
                }
                return Err(Error::io("rename", &path, cause));
            }
            published.push(path);
        }
        // Renames reach the disk with their directory. Not every system can open one.
        let _ = File::open(self.directory()).and_then(|directory| directory.sync_all());
        Ok(())
    }

    fn directory(&self) -> &Path {
        match self.stem.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        }
    }

    fn rename(&self, file: NamedTempFile, path: &Path) -> io::Result<()> {
        let renamed = match self.overwrite {
            Overwrite::Refuse => file.persist_noclobber(path),
            Overwrite::Replace => file.persist(path),
        };
        renamed.map(drop).map_err(|error| error.error)
    }
}

fn remove_if_there(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
            Err(Error::io("replace", path, cause))
        }
        _ => Ok(()),
    }
}
