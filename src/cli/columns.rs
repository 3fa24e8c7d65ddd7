//! Columns for people that need no fitting: aligned, two spaces apart.

use std::io::Write as _;

use unicode_width::UnicodeWidthStr as _;

use super::output::{Output, one_line};

/// Rows of text below titles, kept until they are printed. A title that begins with `#` is
/// printed without it, and its column stands to the right, as numbers do.
#[derive(Debug)]
pub(crate) struct Columns {
    titles: &'static [&'static str],
    rows: Vec<Vec<String>>,
}

impl Columns {
    pub(crate) fn new(titles: &'static [&'static str]) -> Columns {
        Columns {
            titles,
            rows: Vec::new(),
        }
    }

    /// Adds a row. Control characters in it become spaces.
    pub(crate) fn row(&mut self, cells: impl AsRef<[String]>) {
        let cells = cells.as_ref().iter().map(|cell| one_line(cell));
        self.rows.push(cells.collect());
    }

    /// Tells whether there is no row.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Prints titles and rows; nothing when there is no row.
    pub(crate) fn print(self, out: &mut Output) -> anyhow::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let titles = self
            .titles
            .iter()
            .map(|title| title.trim_start_matches('#'));
        let titles: Vec<String> = titles.map(str::to_owned).collect();
        let mut widths = vec![0; titles.len()];
        for row in self.rows.iter().chain([&titles]) {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width());
            }
        }
        let mut line = String::new();
        for row in std::iter::once(&titles).chain(&self.rows) {
            line.clear();
            for ((cell, width), title) in row.iter().zip(&widths).zip(self.titles) {
                let fill = width - cell.width();
                let is_number = title.starts_with('#');
                let (left, right) = if is_number { (fill, 0) } else { (0, fill) };
                line.extend(std::iter::repeat_n(' ', left));
                line.push_str(cell);
                line.extend(std::iter::repeat_n(' ', right + 2));
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Returns a number as text; empty when it is absent.
pub(crate) fn or_empty<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}
