//! Plain text tables: aligned columns, two spaces apart.

use std::io::Write;

use unicode_width::UnicodeWidthStr as _;

use super::output::one_line;

/// Titles and rows, kept until they are printed. A title that begins with `#` is printed without
/// it, and its column is right-aligned, as for numbers.
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

    /// Adds a row. Control characters in it are printed as spaces.
    pub(crate) fn row(&mut self, cells: impl AsRef<[String]>) {
        self.rows.push(cells.as_ref().to_vec());
    }

    /// Returns whether there are no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Prints titles and rows; nothing if there are no rows.
    pub(crate) fn print(self, out: &mut impl Write) -> anyhow::Result<()> {
        let tell = |take: &mut Take<'_>| self.rows.iter().try_for_each(|row| take(row));
        print_told(self.titles, out, tell)
    }
}

/// Takes rows one at a time.
pub(crate) type Take<'t> = dyn FnMut(&[String]) -> anyhow::Result<()> + 't;

/// Prints titles and rows that may be too many to store; nothing if there are no rows. `tell` must
/// produce all rows twice: the first pass computes the widths.
pub(crate) fn print_told(
    titles: &'static [&'static str],
    out: &mut impl Write,
    tell: impl Fn(&mut Take<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let shown = titles.iter().map(|title| title.trim_start_matches('#'));
    let shown: Vec<String> = shown.map(str::to_owned).collect();
    let mut widths: Vec<usize> = shown.iter().map(|title| width_of(title)).collect();
    let mut is_empty = true;
    tell(&mut |row| {
        is_empty = false;
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(width_of(&one_line(cell)));
        }
        Ok(())
    })?;
    if is_empty {
        return Ok(());
    }
    let mut line = String::new();
    let mut print = |row: &[String]| {
        line.clear();
        for ((cell, width), title) in row.iter().zip(&widths).zip(titles) {
            push_cell(&mut line, &one_line(cell), *width, title.starts_with('#'));
        }
        Ok(writeln!(out, "{}", line.trim_end())?)
    };
    print(&shown)?;
    tell(&mut print)
}

/// Appends a cell filled to the width of its column, a number on its left, and two spaces.
pub(crate) fn push_cell(line: &mut String, cell: &str, width: usize, is_number: bool) {
    let fill = width - width_of(cell);
    let (left, right) = if is_number { (fill, 0) } else { (0, fill) };
    line.extend(std::iter::repeat_n(' ', left));
    line.push_str(cell);
    line.extend(std::iter::repeat_n(' ', right + 2));
}

/// Returns the width of a text in terminal columns.
pub(crate) fn width_of(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.width()
    }
}

/// Returns a number as text; empty if it is missing.
pub(crate) fn or_empty<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}
