//! Tables of MySQL's engine MyISAM, as far as jose's databases need them.
//!
//! A table is three files: `.frm` holds the column names, `.MYI` the layout of the rows, `.MYD` the
//! rows. Rows either have a fixed length, or are packed into blocks: see `rows`.

mod columns;
mod rows;
mod salvage;

use std::path::Path;

use self::columns::{Layout, read_described, read_layout};
pub(super) use self::rows::Row;
use crate::{
    File,
    error::{Error, Result},
    jose::flaws,
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
    /// In the order of the columns; the layout's first column is left out if it holds only flags.
    names: Vec<String>,
}

impl Table {
    /// Reads the layout of the rows. O(number of columns).
    ///
    /// `.frm` and `.MYI` both say which values may be NULL. When salvaging a table where they
    /// disagree, `.MYI` is used if its bits are consistent, otherwise `.frm`.
    ///
    /// # Errors
    /// `Corrupt` or `Truncated` if the files are not such a table, `Unsupported` for compressed
    /// tables.
    pub(super) fn open(files: TableFiles, salvage: bool) -> Result<Table> {
        let (frm, myi) = (&files.frm, &files.myi);
        let mut layout = read_layout(&myi.bytes).map_err(|error| error.at_path(&myi.path))?;
        let described = read_described(&frm.bytes).map_err(|error| error.at_path(&frm.path))?;
        let disagree = |what| Err(Error::corrupt(what).at_path(&frm.path));
        let flags_only = layout.columns.len().checked_sub(described.len());
        let Some(flags_only @ 0..=1) = flags_only else {
            return disagree(flaws::COLUMNS_DIFFER);
        };
        let has_bit = layout.columns[flags_only..]
            .iter()
            .map(|column| column.null_bit != 0);
        let nullable: Vec<bool> = described.iter().map(|column| column.is_nullable).collect();
        let is_sound = layout.has_null_bits_in_turn();
        if !is_sound || !nullable.iter().copied().eq(has_bit) {
            if !salvage {
                return disagree(flaws::NULLS_DIFFER);
            }
            if !is_sound {
                layout.set_null_bits(&nullable);
            }
        }
        Ok(Table {
            rows: files.myd,
            layout,
            names: described.into_iter().map(|column| column.name).collect(),
        })
    }

    /// Returns the number of a column, for use with rows.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        let index = self
            .names
            .iter()
            .position(|known| known.eq_ignore_ascii_case(name))?;
        Some(index + self.layout.columns.len() - self.names.len())
    }

    /// Returns the number of a column that the table must have.
    pub(super) fn required(&self, name: &str) -> Result<usize> {
        let missing = || Error::corrupt(flaws::COLUMN_MISSING).at_path(self.path());
        self.column(name).ok_or_else(missing)
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
