//! Three files that appear under their names together or not at all.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use super::Overwrite;
use crate::{
    error::{Error, ErrorKind, Result},
    format::temporary_beside,
};

/// Where the three files of a database will be.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) index: PathBuf,
    pub(super) games: PathBuf,
    pub(super) names: PathBuf,
    overwrite: Overwrite,
}

impl Target {
    /// Takes the path of any of the three files, or their stem.
    pub(super) fn new(path: &Path, overwrite: Overwrite) -> Result<Target> {
        let suffix = path.extension().unwrap_or_default().to_string_lossy();
        let stem = match suffix.to_ascii_lowercase().as_str() {
            "si4" | "sg4" | "sn4" => path.with_extension(""),
            "si3" | "sg3" | "sn3" | "si5" | "sg5" | "sn5" => {
                let what = "writing this version of Scid's format";
                return Err(Error::new(ErrorKind::Unsupported { what }).at_path(path));
            }
            _ => path.to_owned(),
        };
        // The suffix is appended to a stem, since a dot may be part of the name.
        let with = |suffix: &str| {
            let mut name = OsString::from(stem.as_os_str());
            name.push(suffix);
            PathBuf::from(name)
        };
        let target = Target {
            index: with(".si4"),
            games: with(".sg4"),
            names: with(".sn4"),
            overwrite,
        };
        target.check()?;
        Ok(target)
    }

    /// Refuses if a file is there that must not be replaced.
    fn check(&self) -> Result<()> {
        for path in [&self.index, &self.games, &self.names] {
            if self.overwrite == Overwrite::Refuse && path.symlink_metadata().is_ok() {
                let cause = io::ErrorKind::AlreadyExists.into();
                return Err(Error::io("create", path, cause));
            }
        }
        Ok(())
    }

    fn directory(&self) -> &Path {
        match self.index.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        }
    }

    /// Creates a file beside the target that vanishes if nobody publishes it.
    pub(super) fn temporary(&self) -> Result<NamedTempFile> {
        temporary_beside(&self.index).map_err(|cause| Error::io("create", &self.index, cause))
    }

    /// Writes everything to disk and gives the files their names, the index last: without it
    /// there is no database. An index that is replaced goes first, so that at no time an index
    /// stands beside games that are not its own.
    pub(super) fn publish(
        &self,
        index: NamedTempFile,
        games: NamedTempFile,
        names: &[u8],
    ) -> Result<()> {
        let mut names_file = self.temporary()?;
        names_file
            .write_all(names)
            .map_err(|cause| Error::io("write", &self.names, cause))?;
        for (file, path) in [
            (&index, &self.index),
            (&games, &self.games),
            (&names_file, &self.names),
        ] {
            file.as_file()
                .sync_all()
                .map_err(|cause| Error::io("write", path, cause))?;
        }
        self.check()?;
        if self.overwrite == Overwrite::Replace {
            remove_if_there(&self.index)?;
        }
        let mut published: Vec<&Path> = Vec::new();
        for (file, path) in [
            (games, &self.games),
            (names_file, &self.names),
            (index, &self.index),
        ] {
            if let Err(cause) = self.rename(file, path) {
                for path in published {
                    // Half a database is none; the first error is the one to tell.
                    let _ = fs::remove_file(path);
                }
                return Err(Error::io("rename", path, cause));
            }
            published.push(path);
        }
        // Renames reach the disk with their directory. Not every system can open one.
        let _ = File::open(self.directory()).and_then(|directory| directory.sync_all());
        Ok(())
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
