//! The folder of a live database, found from any folder that a user may give.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::tables::TableFiles;
use crate::{
    Access, File,
    error::{Error, ErrorKind, Result},
};

/// Where the tables are, relative to the folders that a user may give.
const BELOW: [&str; 4] = ["", "jose", "mysql/jose", "database/mysql/jose"];

/// The folder of a database.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    access: Access,
}

impl Folder {
    /// Finds the folder that holds the tables.
    ///
    /// # Errors
    /// `UnknownFormat` if there is none, `Unsupported` for tables of engines other than MyISAM.
    pub(super) fn find(path: &Path, access: Access) -> Result<Folder> {
        let folders = BELOW.iter().map(|below| Folder {
            path: path.join(below),
            access,
        });
        for folder in folders {
            if folder.file("game", "myd").is_some() {
                return Ok(folder);
            }
            let other = |suffix| folder.file("game", suffix).is_some();
            if other("ibd") || other("arz") {
                let what = "a jose database of another MySQL engine than MyISAM \
                            (an export from jose as .jose is read)";
                return Err(Error::unsupported(what).at_path(&folder.path));
            }
        }
        Err(Error::new(ErrorKind::UnknownFormat).at_path(path))
    }

    /// Opens the files of a table.
    pub(super) fn table(&self, name: &str) -> Result<TableFiles> {
        let open = |suffix: &str| {
            let path = self.file(name, suffix).ok_or_else(|| {
                let file = format!("{name}.{suffix}");
                let what = "a jose database";
                Error::new(ErrorKind::Missing { what, file }).at_path(&self.path)
            })?;
            File::open(&path, self.access)
        };
        Ok(TableFiles {
            frm: open("frm")?,
            myi: open("myi")?,
            myd: open("myd")?,
        })
    }

    /// Whether a server may be writing: jose keeps a lock file near its databases.
    pub(super) fn is_locked(&self) -> bool {
        let mut above = self.path.ancestors().take(3);
        above.any(|folder| folder.join("db.lock").exists())
    }

    /// Finds a file by name, ignoring case.
    fn file(&self, name: &str, suffix: &str) -> Option<PathBuf> {
        let wanted = format!("{name}.{suffix}");
        let mut entries = fs::read_dir(&self.path).ok()?.flatten();
        let is_it = |found: &fs::DirEntry| {
            let found = found.file_name();
            found.to_string_lossy().eq_ignore_ascii_case(&wanted)
        };
        entries.find(is_it).map(|entry| entry.path())
    }
}
