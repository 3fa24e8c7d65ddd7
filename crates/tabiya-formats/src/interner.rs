//! Names that are numbered as they come.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use tabiya_chess::NameId;

use super::names::NameList;

/// How names are hashed: faster than by the standard library's way, and by other numbers in each
/// program run, so that no file can be made whose names fall together.
pub(crate) type NameHasher = DefaultHashBuilder;

/// The names of one kind, each once, with their IDs in order of first use.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    names: NameList,
    /// All IDs, by the hashes of their names, whose text stands only in the list.
    ids: HashTable<NameId>,
    hasher: NameHasher,
}

impl Interner {
    /// Returns the ID of a name, which is added if it is new. `None` if there is no room.
    pub(crate) fn intern(&mut self, name: &[u8]) -> Option<NameId> {
        let (names, hasher) = (&mut self.names, &self.hasher);
        let hash = hasher.hash_one(name);
        let is_it = |id: &NameId| names.get(*id) == Some(name);
        if let Some(&id) = self.ids.find(hash, is_it) {
            return Some(id);
        }
        let id = NameId(names.ids() as u32);
        names.push(name)?;
        let hash_of = |id: &NameId| hasher.hash_one(names.get(*id).unwrap_or_default());
        self.ids.insert_unique(hash, id, hash_of);
        Some(id)
    }

    /// Returns the names.
    pub(crate) fn names(&self) -> &NameList {
        &self.names
    }

    /// Returns the names and forgets how to find their IDs.
    pub(crate) fn into_names(self) -> NameList {
        self.names
    }
}
