//! Names by their IDs in jose's tables.

use super::tables::{Row, Table};
use crate::{
    OpenSettings,
    encoding::{Charset, Evidence},
    error::{Error, Result},
};

/// The tables of names that games refer to.
#[derive(Debug)]
pub(super) struct Names {
    pub(super) players: NameTable,
    pub(super) events: NameTable,
    pub(super) sites: NameTable,
    /// How texts are read.
    pub(super) charset: Charset,
}

impl Names {
    /// Reads the tables with these names, in an encoding that somebody said or that is guessed of
    /// them all. When salvaging, an unreadable table holds no names, and its error is added to
    /// `notes`.
    ///
    /// # Errors
    /// Errors of opening or reading a table, unless salvaging.
    pub(super) fn read(
        names: [&str; 3],
        mut open: impl FnMut(&str) -> Result<Table>,
        options: &OpenSettings,
        notes: &mut Vec<Error>,
    ) -> Result<Names> {
        let salvage = options.salvage;
        let mut read = |name| match open(name).and_then(|table| rows(&table, salvage)) {
            Err(error) if salvage => {
                notes.push(error);
                Ok(Rows::new())
            }
            read => read,
        };
        let [players, events, sites] = names;
        let tables = [read(players)?, read(events)?, read(sites)?];
        let guess = || {
            let mut evidence = Evidence::default();
            let names = tables.iter().flatten();
            names.for_each(|(_, name)| evidence.add(name));
            evidence.guess()
        };
        let charset = Charset::Latin1.or(options.encoding.or_else(guess));
        let [players, events, sites] = tables.map(|rows| NameTable::new(rows, charset));
        Ok(Names {
            players,
            events,
            sites,
            charset,
        })
    }
}

/// One table of names.
#[derive(Debug, Default)]
pub(super) struct NameTable(Vec<(u32, Box<str>)>);

/// IDs and names as stored.
type Rows = Vec<(u32, Box<[u8]>)>;

/// Reads a table. Damaged rows are skipped: their IDs have no name.
fn rows(table: &Table, salvage: bool) -> Result<Rows> {
    let (id, name) = (table.required("Id")?, table.required("Name")?);
    let (offsets, _) = if salvage {
        table.salvaged_offsets()
    } else {
        table.row_offsets()
    };
    let rows = offsets.into_iter().filter_map(|at| table.row(at).ok());
    let pair = |row: Row<'_>| (row.number(id), row.value(name).unwrap_or_default().into());
    Ok(rows.map(pair).collect())
}

impl NameTable {
    fn new(rows: Rows, charset: Charset) -> NameTable {
        let rows = rows.into_iter();
        let names = rows.map(|(id, name)| (id, charset.decode(&name).into()));
        let mut names: Vec<(u32, Box<str>)> = names.collect();
        names.sort_by_key(|name| name.0);
        NameTable(names)
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
