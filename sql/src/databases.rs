//! Where functions find a game by the columns `db` and `game`.

use std::sync::Arc;

use datafusion::error::{DataFusionError, Result};

use crate::{base::Base, bases::Bases, source::Origin};

/// Databases that are found by the name in the column `db`.
#[derive(Debug)]
pub(crate) enum Databases {
    /// Those that the session has opened by now.
    Session(Arc<Bases>),
    /// Those that a plan names.
    Listed(Arc<[Origin]>),
}

impl PartialEq for Databases {
    fn eq(&self, other: &Databases) -> bool {
        match (self, other) {
            (Databases::Session(one), Databases::Session(other)) => Arc::ptr_eq(one, other),
            (Databases::Listed(one), Databases::Listed(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Eq for Databases {}

impl Databases {
    /// Returns the databases.
    pub(crate) fn origins(&self) -> Vec<Origin> {
        match self {
            Databases::Session(bases) => bases.all().into_iter().map(Origin::Open).collect(),
            Databases::Listed(origins) => origins.to_vec(),
        }
    }

    /// Returns the database of this name that has the game with a number; a long file is several.
    pub(crate) fn base(&self, db: &str, number: u32) -> Result<Option<Arc<Base>>> {
        let origins = self.origins();
        let mut named = origins.iter().filter(|origin| origin.name() == db);
        let absent = || DataFusionError::Plan(format!("{db}: no open database has this name"));
        let mut origin = Some(named.next().ok_or_else(absent)?);
        while let Some(one) = origin {
            let base = one.base()?;
            if base.database().game(number).is_ok() {
                return Ok(Some(base));
            }
            origin = named.next();
        }
        Ok(None)
    }
}
