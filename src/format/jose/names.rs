//! Names by their IDs in jose's tables.

use super::tables::Table;
use crate::{
    chess::text::decode,
    error::{Error, Result},
};

/// The tables of names that games refer to.
#[derive(Debug)]
pub(super) struct Names {
    pub(super) players: NameTable,
    pub(super) events: NameTable,
    pub(super) sites: NameTable,
}

impl Names {
    /// Reads the tables with these names. When salvaging, an unreadable table holds no names, and
    /// its error is added to `notes`.
    ///
    /// # Errors
    /// Errors of opening or reading a table, unless salvaging.
    pub(super) fn read(
        names: [&str; 3],
        mut open: impl FnMut(&str) -> Result<Table>,
        salvage: bool,
        notes: &mut Vec<Error>,
    ) -> Result<Names> {
        let mut read = |name| match open(name).and_then(|table| NameTable::read(&table, salvage)) {
            Err(error) if salvage => {
                notes.push(error);
                Ok(NameTable::default())
            }
            read => read,
        };
        let [players, events, sites] = names;
        Ok(Names {
            players: read(players)?,
            events: read(events)?,
            sites: read(sites)?,
        })
    }
}

/// One table of names.
#[derive(Debug, Default)]
pub(super) struct NameTable(Vec<(u32, Box<str>)>);

impl NameTable {
    /// Reads a table. Damaged rows are skipped: their IDs have no name.
    pub(super) fn read(table: &Table, salvage: bool) -> Result<NameTable> {
        let (id, name) = (table.required("Id")?, table.required("Name")?);
        let (offsets, _) = if salvage {
            table.salvaged_offsets()
        } else {
            table.row_offsets()
        };
        let rows = offsets.into_iter().filter_map(|at| table.row(at).ok());
        let text = |bytes: &[u8]| decode(bytes).into();
        let pair = rows.map(|row| {
            (
                row.number(id),
                row.value(name).map_or_else(Box::default, text),
            )
        });
        let mut names: Vec<(u32, Box<str>)> = pair.collect();
        names.sort_by_key(|name| name.0);
        Ok(NameTable(names))
    }

    /// Whether an ID refers to a missing name.
    pub(super) fn lacks(&self, id: u32) -> bool {
        id != 0 && self.0.binary_search_by_key(&id, |name| name.0).is_err()
    }

    /// Returns a name; `?` for ID 0 and missing names.
    pub(super) fn get(&self, id: u32) -> String {
        let found = self.0.binary_search_by_key(&id, |name| name.0);
        let name = found
            .ok()
            .filter(|_| id != 0)
            .map(|index| &*self.0[index].1);
        name.unwrap_or("?").to_owned()
    }
}
