//! Tables of MySQL's engine MyISAM, as far as jose's databases need them.
//!
//! A table is three files: `.frm` names the columns, `.MYI` says how rows are laid out, `.MYD`
//! holds the rows. Rows all have one length, or are packed into blocks: see `rows`.

mod columns;
mod rows;
mod salvage;

use std::path::Path;

use self::columns::{Layout, read_layout, read_names};
pub(super) use self::rows::Row;
use crate::{
    error::{Error, Result},
    format::File,
};

/// The three files of a table.
#[derive(Debug)]
pub(super) struct TableFiles {
    pub(super) frm: File,
    pub(super) myi: File,
    pub(super) myd: File,
}

/// An open table.
#[derive(Debug)]
pub(super) struct Table {
    rows: File,
    layout: Layout,
    /// In the order of the columns; the layout's first column is left out where it holds flags
    /// only.
    names: Vec<String>,
}

impl Table {
    /// Reads how the rows are laid out. O(number of columns).
    ///
    /// # Errors
    /// `Corrupt` or `Truncated` for files that are no such table, `Unsupported` for compressed
    /// tables.
    pub(super) fn open(files: TableFiles) -> Result<Table> {
        let layout =
            read_layout(&files.myi.bytes).map_err(|error| error.at_path(&files.myi.path))?;
        let names = read_names(&files.frm.bytes).map_err(|error| error.at_path(&files.frm.path))?;
        let flags_only = usize::from(layout.columns.len() > names.len());
        if names.len() + flags_only != layout.columns.len() {
            let error = Error::corrupt("the files of the table disagree about its columns");
            return Err(error.at_path(&files.frm.path));
        }
        Ok(Table {
            rows: files.myd,
            layout,
            names,
        })
    }

    /// Returns the number of a column, to be asked for in rows.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        let index = self
            .names
            .iter()
            .position(|known| known.eq_ignore_ascii_case(name))?;
        Some(index + self.layout.columns.len() - self.names.len())
    }

    /// Returns the file of the rows.
    pub(super) fn file(&self) -> &File {
        &self.rows
    }

    /// Returns the path of the rows.
    pub(super) fn path(&self) -> &Path {
        &self.rows.path
    }
}
