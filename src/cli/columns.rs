//! Plain text tables: aligned columns, two spaces apart.

use std::io::Write;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::output::{Output, one_line};

/// The least width to which a column of texts is cut to fit a terminal.
const TEXT_COLUMNS_MIN: usize = 12;

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
    pub(crate) fn print(self, out: &mut Output) -> anyhow::Result<()> {
        let terminal = out.terminal_columns();
        self.write(out, terminal)
    }

    /// Writes titles and rows as they fit a terminal of this width, if there is one.
    pub(crate) fn write(self, out: &mut impl Write, terminal: Option<u16>) -> anyhow::Result<()> {
        let tell = |take: &mut Take<'_>| self.rows.iter().try_for_each(|row| take(row));
        write_told(self.titles, out, terminal, tell)
    }
}

/// Takes rows one at a time.
pub(crate) type Take<'t> = dyn FnMut(&[String]) -> anyhow::Result<()> + 't;

/// Prints titles and rows that may be too many to store; nothing if there are no rows. `tell` must
/// produce all rows twice: the first pass computes the widths.
pub(crate) fn print_told(
    titles: &'static [&'static str],
    out: &mut Output,
    tell: impl Fn(&mut Take<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let terminal = out.terminal_columns();
    write_told(titles, out, terminal, tell)
}

/// Writes titles and rows as [`print_told`] prints them, as they fit a terminal of this width, if
/// there is one.
pub(crate) fn write_told(
    titles: &'static [&'static str],
    out: &mut impl Write,
    terminal: Option<u16>,
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
    if let Some(terminal) = terminal {
        fit(&mut widths, titles, terminal.into());
    }
    let mut line = String::new();
    let mut print = |row: &[String]| {
        line.clear();
        for ((cell, width), title) in row.iter().zip(&widths).zip(titles) {
            let cell = cut(one_line(cell), *width);
            push_cell(&mut line, &cell, *width, title.starts_with('#'));
        }
        Ok(writeln!(out, "{}", line.trim_end())?)
    };
    print(&shown)?;
    tell(&mut print)
}

/// Fits columns to a terminal: texts are cut, the longest first; then columns on the right are left
/// out, since a number that is cut is another one.
fn fit(widths: &mut Vec<usize>, titles: &[&str], terminal: usize) {
    loop {
        let total = widths.iter().map(|width| width + 2).sum::<usize>();
        let excess = total.saturating_sub(2 + terminal);
        if excess == 0 {
            return;
        }
        let texts = (0..widths.len()).filter(|&place| !titles[place].starts_with('#'));
        let longest = texts.max_by_key(|&place| widths[place]);
        match longest {
            Some(place) if widths[place] > TEXT_COLUMNS_MIN => {
                widths[place] = (widths[place].saturating_sub(excess)).max(TEXT_COLUMNS_MIN);
            }
            _ if widths.len() > 1 => {
                widths.pop();
            }
            _ => return,
        }
    }
}

/// Cuts a text to a width; three dots take the place of the rest.
fn cut(text: String, width: usize) -> String {
    if width_of(&text) <= width {
        return text;
    }
    let mut room = width.saturating_sub(1);
    let fits = |letter: &char| {
        let wide = letter.width().unwrap_or(0);
        let has_room = wide <= room;
        room = room.saturating_sub(wide);
        has_room
    };
    let mut cut: String = text.chars().take_while(fits).collect();
    cut.push('…');
    cut
}

/// Appends a cell filled to the width of its column, a number on its left, and two spaces.
pub(crate) fn push_cell(line: &mut String, cell: &str, width: usize, is_number: bool) {
    let fill = width.saturating_sub(width_of(cell));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn written(terminal: Option<u16>) -> String {
        let mut columns = Columns::new(&["move", "#games", "#score", "#year", "eco", "opening"]);
        for (name, opening) in [("e4", "King's Pawn Game"), ("Nf3", "棋棋棋棋棋棋棋棋棋棋")]
        {
            let cells = [name, "1179620", "54.3%", "1998", "A00", opening];
            columns.row(cells.map(str::to_owned));
        }
        let mut text = Vec::new();
        columns.write(&mut text, terminal).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn tables_are_no_wider_than_the_terminal() {
        let widest = |text: &str| text.lines().map(width_of).max();
        assert_eq!(widest(&written(None)), Some(53));
        for terminal in [53, 52, 50, 40, 33, 25, 20, 13] {
            let text = written(Some(terminal));
            assert!(widest(&text) <= Some(terminal.into()), "{terminal}\n{text}");
            assert!(text.contains("1179620"), "{text}");
        }
        assert!(written(Some(50)).contains('…'));
        assert!(!written(Some(25)).contains("opening"));
    }
}
