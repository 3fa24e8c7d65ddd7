//! The databases that a scan reads: open already, or named by a plan that came from elsewhere.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use datafusion::error::{DataFusionError, Result};
use tabiya::Query;

use crate::{base::Base, errors::external};

/// The games of one database that a scan reads.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) origin: Origin,
    pub(crate) query: Query,
}

/// Where a database comes from.
#[derive(Debug, Clone)]
pub(crate) enum Origin {
    /// This process has opened it.
    Open(Arc<Base>),
    /// A plan names it; it is opened when it is read.
    Named(Named, Arc<OpenDatabases>),
}

/// A database as a plan names it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Named {
    /// Absolute.
    pub(crate) path: PathBuf,
    /// What the column `db` holds.
    pub(crate) name: String,
    /// The number of games when the plan was made. Another number means that the file has changed.
    pub(crate) games: u32,
    /// The number of the part, if the file is indexed in parts.
    pub(crate) part: Option<u32>,
}

impl Origin {
    /// Returns the database, which is opened if it is not yet.
    pub(crate) fn base(&self) -> Result<Arc<Base>> {
        match self {
            Origin::Open(base) => Ok(Arc::clone(base)),
            Origin::Named(named, open_databases) => open_databases.base(named),
        }
    }

    /// Returns what the column `db` holds.
    pub(crate) fn name(&self) -> &str {
        match self {
            Origin::Open(base) => base.name(),
            Origin::Named(named, _) => &named.name,
        }
    }

    /// Returns the number of games.
    pub(crate) fn games(&self) -> u32 {
        match self {
            Origin::Open(base) => base.database().len(),
            Origin::Named(named, _) => named.games,
        }
    }

    /// Tells of damaged games where nobody asks for their number, as at an executor of a cluster.
    pub(crate) fn warn_of_damage(&self, base: &Base) {
        if let Origin::Named(named, _) = self {
            let games = base.take_damaged();
            if games > 0 {
                log::warn!("{}: {games} damaged games", named.path.display());
            }
        }
    }

    /// Returns how another process can name it.
    pub(crate) fn named(&self) -> Result<Named> {
        match self {
            Origin::Named(named, _) => Ok(named.clone()),
            Origin::Open(base) => Ok(Named {
                path: real(base.path())?,
                name: base.name().to_owned(),
                games: base.database().len(),
                part: base.database().part(),
            }),
        }
    }
}

/// The path and the name of a database, and the number of a part.
type Key = (PathBuf, String, Option<u32>);

/// The place of an open database.
type Slot = Arc<Mutex<Option<Arc<Base>>>>;

/// Databases that plans name: those below some folders. They stay open.
#[derive(Debug, Default)]
pub(crate) struct OpenDatabases {
    folders: Vec<PathBuf>,
    /// Each has a lock of its own, as opening one can take long.
    open: Mutex<HashMap<Key, Slot>>,
}

impl OpenDatabases {
    /// Creates the open databases below folders, whose links are followed.
    pub(crate) fn new(folders: &[PathBuf]) -> Result<OpenDatabases> {
        let real = folders.iter().map(|folder| real(folder));
        Ok(OpenDatabases {
            folders: real.collect::<Result<_>>()?,
            open: Mutex::default(),
        })
    }

    /// Returns a path without links if the file is below one of the folders.
    pub(crate) fn allowed(&self, path: &Path) -> Result<PathBuf> {
        let real = path.canonicalize().map_err(|error| {
            let what = format!("{error}; executors need databases under the paths of the client");
            fault(path, &what)
        })?;
        if self.folders.iter().any(|folder| real.starts_with(folder)) {
            return Ok(real);
        }
        let what = "not below a folder that may be read here; start the executor with its folder";
        Err(fault(path, &what))
    }

    fn base(&self, named: &Named) -> Result<Arc<Base>> {
        let path = self.allowed(&named.path)?;
        let key = (path.clone(), named.name.clone(), named.part);
        let slot = Arc::clone(locked(&self.open).entry(key).or_default());
        let mut slot = locked(&slot);
        let known = slot.take().filter(|base| base.is_current());
        let base = match known {
            Some(base) => base,
            None => Arc::new(self.opened(&path, named.part)?.named(named.name.clone())),
        };
        *slot = Some(Arc::clone(&base));
        if base.database().len() == named.games {
            return Ok(base);
        }
        let (found, planned) = (base.database().len(), named.games);
        let message = format!(
            "{found} games here, {planned} when the query was planned; give client and executors \
             the same file, and ask again"
        );
        Err(fault(&named.path, &message))
    }

    fn opened(&self, path: &Path, part: Option<u32>) -> Result<Base> {
        let mut parts = Base::parts(path).map_err(external)?.into_iter();
        let base = parts.find(|base| base.database().part() == part);
        let base = base.ok_or_else(|| {
            let what = "not indexed here in the parts that it had when the query was planned";
            fault(path, &what)
        })?;
        for file in base.files() {
            self.allowed(&file)?;
        }
        Ok(base)
    }
}

/// Refuses a query that reads files, which may be others than those of an executor's folders.
pub(crate) fn reads_no_files(query: &Query) -> Result<()> {
    if query.names_files() {
        let message =
            format!("{query}: on a cluster, a query names no files; ask without --cluster");
        return Err(DataFusionError::Plan(message));
    }
    Ok(())
}

/// Returns a path without links.
fn real(path: &Path) -> Result<PathBuf> {
    path.canonicalize().map_err(|error| fault(path, &error))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn fault(path: &Path, what: &dyn std::fmt::Display) -> DataFusionError {
    DataFusionError::Execution(format!("{}: {what}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn copy_to(folder: &Path) -> PathBuf {
        for suffix in ["si4", "sg4", "sn4"] {
            let from = format!("../fixtures/famous.{suffix}");
            fs::copy(from, folder.join(format!("a.{suffix}"))).unwrap();
        }
        folder.join("a.si4")
    }

    #[test]
    fn only_files_below_the_folders_are_opened_and_links_do_not_lead_out() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let open_databases = OpenDatabases::new(&[folder.path().to_owned()]).unwrap();
        assert!(open_databases.allowed(&copy_to(folder.path())).is_ok());
        let outside = copy_to(other.path());
        let around = folder.path().join("..").join(other.path()).join("a.si4");
        for path in [&outside, &around] {
            let error = open_databases.allowed(path).unwrap_err().to_string();
            assert!(error.contains("not below a folder"), "{error}");
        }
        #[cfg(unix)]
        {
            let link = folder.path().join("link.si4");
            std::os::unix::fs::symlink(&outside, &link).unwrap();
            assert!(open_databases.allowed(&link).is_err());
            // The index is inside, the games are not.
            let games = folder.path().join("a.sg4");
            fs::remove_file(&games).unwrap();
            std::os::unix::fs::symlink(other.path().join("a.sg4"), &games).unwrap();
            let error = open_databases
                .opened(&folder.path().join("a.si4"), None)
                .unwrap_err();
            assert!(error.to_string().contains("a.sg4"), "{error}");
        }
        let missing = folder.path().join("no.si4");
        let error = open_databases.allowed(&missing).unwrap_err();
        assert!(error.to_string().contains("no.si4"), "{error}");
        let message = format!(
            "{}: No such file or directory (os error 2); executors need databases under the paths \
             of the client",
            missing.display()
        );
        assert_eq!(error.message(), message);
    }

    #[test]
    fn a_database_with_another_number_of_games_than_planned_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = copy_to(folder.path());
        let open_databases = OpenDatabases::new(&[folder.path().to_owned()]).unwrap();
        let games = Base::open(&path).unwrap().database().len();
        let named = |games| Named {
            path: path.clone(),
            name: "a".to_owned(),
            games,
            part: None,
        };
        assert!(open_databases.base(&named(games)).is_ok());
        let error = open_databases
            .base(&named(games + 1))
            .unwrap_err()
            .to_string();
        assert!(error.contains("a.si4") && error.contains("when the query was planned"));
    }
}
