//! The databases that SQL can name.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use datafusion::error::Result;
use tabiya::Database;

use crate::{
    base::Base,
    errors::{external, plan_error},
};

/// The databases of a session: those it began with, and those that were named in SQL since.
#[derive(Debug)]
pub(crate) struct Bases {
    first: Vec<Arc<Base>>,
    open: Mutex<BTreeMap<PathBuf, Arc<Base>>>,
    /// Whether conditions of SQL become part of queries.
    pub(crate) pushdown: bool,
}

impl Bases {
    /// Creates the databases that a session begins with.
    pub(crate) fn new(first: Vec<Arc<Base>>, pushdown: bool) -> Bases {
        Bases {
            first,
            open: Mutex::default(),
            pushdown,
        }
    }

    /// Returns databases by path, where `*` and `?` may stand for others; those that the session
    /// began with if there is no path.
    pub(crate) fn named(&self, paths: &[String]) -> Result<Vec<Arc<Base>>> {
        if paths.is_empty() {
            return Ok(self.first.clone());
        }
        let mut bases = Vec::new();
        for path in paths {
            if Path::new(path).exists() {
                bases.push(self.open(Path::new(path))?);
                continue;
            }
            let fault = |fault: &dyn std::fmt::Display| plan_error(path, fault);
            let found = glob::glob(path).map_err(|error| fault(&error))?;
            let mut found = found
                .collect::<Result<Vec<_>, _>>()
                .map_err(|error| fault(&error))?;
            found.sort_unstable();
            if found.is_empty() {
                return Err(fault(&"there is no such database"));
            }
            for path in &found {
                bases.push(self.open(path)?);
            }
        }
        Ok(bases)
    }

    fn open(&self, path: &Path) -> Result<Arc<Base>> {
        let key = path.canonicalize()?;
        let known = |base: &&Arc<Base>| {
            base.database()
                .path()
                .canonicalize()
                .is_ok_and(|path| path == key)
        };
        if let Some(base) = self.first.iter().find(known) {
            return Ok(Arc::clone(base));
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // What another program has changed is opened again.
        if let Some(base) = open.remove(&key).filter(|base| base.is_current()) {
            open.insert(key, Arc::clone(&base));
            return Ok(base);
        }
        let mut base = Base::new(Database::open(path).map_err(external)?);
        let mut others = self.first.iter().chain(open.values());
        if others.any(|other| other.name() == base.name()) {
            base = base.named(path.display().to_string());
        }
        let base = Arc::new(base);
        open.insert(key, Arc::clone(&base));
        Ok(base)
    }

    /// Returns all of them.
    pub(crate) fn all(&self) -> Vec<Arc<Base>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        self.first.iter().chain(open.values()).cloned().collect()
    }
}
