//! The databases that SQL can name.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use datafusion::error::Result;
use tabiya::{databases_named, format::left_out};

use crate::{
    base::Base,
    errors::{external, plan_error},
};

/// The databases of a session: those it began with, and those that were named in SQL since.
#[derive(Debug)]
pub(crate) struct Bases {
    first: Vec<Arc<Base>>,
    /// By path; a long file is several.
    open: Mutex<BTreeMap<PathBuf, Vec<Arc<Base>>>>,
    /// What lists name and is not here, told once.
    left_out: Mutex<BTreeSet<String>>,
    /// Whether conditions of SQL become part of queries.
    pub(crate) pushdown: bool,
}

impl Bases {
    /// Creates the databases that a session begins with.
    pub(crate) fn new(first: Vec<Arc<Base>>, pushdown: bool) -> Bases {
        Bases {
            first,
            open: Mutex::default(),
            left_out: Mutex::default(),
            pushdown,
        }
    }

    /// Returns databases by path, where `*` and `?` may stand for others and a list for those that
    /// it names; those that the session began with if there is no path.
    pub(crate) fn named(&self, paths: &[String]) -> Result<Vec<Arc<Base>>> {
        if paths.is_empty() {
            return Ok(self.first.clone());
        }
        let mut bases = Vec::new();
        for path in paths {
            if Path::new(path).exists() {
                self.add(Path::new(path), &mut bases)?;
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
                self.add(path, &mut bases)?;
            }
        }
        Ok(bases)
    }

    /// Adds the databases that a path names.
    fn add(&self, path: &Path, bases: &mut Vec<Arc<Base>>) -> Result<()> {
        for entry in left_out(path).map_err(external)? {
            let mut told = self.left_out.lock().unwrap_or_else(PoisonError::into_inner);
            if told.insert(entry.clone()) {
                log::warn!("{entry}");
            }
        }
        for path in databases_named(path).map_err(external)? {
            bases.append(&mut self.open(&path)?);
        }
        Ok(())
    }

    /// Opens a database, or the parts of a long file.
    fn open(&self, path: &Path) -> Result<Vec<Arc<Base>>> {
        // What is no file is told by opening it.
        let key = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let is_known = |base: &&Arc<Base>| {
            let path = base.path().canonicalize();
            path.is_ok_and(|path| path == key)
        };
        let known: Vec<Arc<Base>> = self.first.iter().filter(is_known).cloned().collect();
        if !known.is_empty() {
            return Ok(known);
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // What another program has changed is opened again.
        let current = |bases: &Vec<Arc<Base>>| bases.iter().all(|base| base.is_current());
        if let Some(bases) = open.remove(&key).filter(current) {
            open.insert(key, bases.clone());
            return Ok(bases);
        }
        let mut others = self.first.iter().chain(open.values().flatten());
        let bases = Base::open_each(path, |name| others.any(|other| other.name() == name));
        let bases = bases.map_err(external)?;
        open.insert(key, bases.clone());
        Ok(bases)
    }

    /// Returns all of them.
    pub(crate) fn all(&self) -> Vec<Arc<Base>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let open = open.values().flatten();
        self.first.iter().chain(open).cloned().collect()
    }
}
