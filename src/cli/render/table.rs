//! Columns for people: framed and fitted on a terminal, plain otherwise.

use std::io::Write as _;

use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Row as Line, Table, TableStyle,
    presets,
};
use tabiya::Match;
use unicode_width::UnicodeWidthStr as _;

use super::{Render, Row};
use crate::cli::{
    databases::Opened,
    output::{Output, one_line},
};

/// The columns and whether they hold numbers, which stand to the right.
const COLUMNS: [(&str, bool); 13] = [
    ("database", false),
    ("number", true),
    ("white", false),
    ("elo", true),
    ("black", false),
    ("elo", true),
    ("result", false),
    ("date", false),
    ("event", false),
    ("site", false),
    ("eco", false),
    ("plies", true),
    ("ply", true),
];

/// Columns that may be cut to fit a terminal; half a number would be a wrong one.
const ELASTIC: [&str; 5] = ["database", "white", "black", "event", "site"];

/// A line above, below the titles and below: what stands beside the names takes their room.
const STYLE: TableStyle = presets::UTF8_HORIZONTAL_ONLY.row_separator(LineStyle::none());

/// Columns that a terminal shows only if it is at least so wide: the others need the room.
const ROOMY: [(&str, u16); 4] = [("site", 130), ("event", 95), ("eco", 80), ("plies", 80)];

/// Rows that are laid out together. More would keep people waiting and fill the memory.
const BATCH_ROWS: usize = 1000;

/// Returns the columns that are shown: the first one tells databases apart.
fn columns(several: bool) -> &'static [(&'static str, bool)] {
    &COLUMNS[usize::from(!several)..]
}

/// Returns the cells of a match.
fn cells(opened: &Opened, hit: Match, several: bool) -> tabiya::Result<Vec<String>> {
    let row = Row::new(opened, hit, several)?;
    let header = &row.header;
    let number = |value: Option<u32>| value.map_or_else(String::new, |value| value.to_string());
    let mut cells: Vec<String> = row.database.map(one_line).into_iter().collect();
    cells.extend([
        row.number.to_string(),
        one_line(&header.white),
        number(row.white_elo().map(u32::from)),
        one_line(&header.black),
        number(row.black_elo().map(u32::from)),
        header.result.to_string(),
        header.date.to_string(),
        one_line(&header.event),
        one_line(&header.site),
        row.eco().unwrap_or_default(),
        row.plies.to_string(),
        ply(&row),
    ]);
    Ok(cells)
}

/// Returns where a match is; in brackets, as PGN has them, when it is in a variation.
fn ply(row: &Row<'_>) -> String {
    match (row.ply, &row.line) {
        (Some(ply), Some(_)) => format!("({ply})"),
        (Some(ply), None) => ply.to_string(),
        (None, _) => String::new(),
    }
}

/// Returns how many columns of a terminal a text takes.
fn width_of(text: &str) -> usize {
    match text.is_ascii() {
        true => text.len(),
        false => text.width(),
    }
}

/// Aligned columns, two spaces apart. Columns grow when a later batch needs it.
pub(super) struct Plain<'o> {
    out: &'o mut Output,
    several: bool,
    rows: Vec<Vec<String>>,
    /// Columns of text by column; empty before the first batch.
    widths: Vec<usize>,
}

impl<'o> Plain<'o> {
    pub(super) fn new(out: &'o mut Output, several: bool) -> Plain<'o> {
        Plain {
            out,
            several,
            rows: Vec::new(),
            widths: Vec::new(),
        }
    }

    fn batch(&mut self) -> anyhow::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        if self.widths.is_empty() {
            let titles = columns(self.several)
                .iter()
                .map(|(title, _)| (*title).to_owned());
            self.rows.insert(0, titles.collect());
            self.widths = vec![0; columns(self.several).len()];
        }
        for row in &self.rows {
            for (width, cell) in self.widths.iter_mut().zip(row) {
                *width = (*width).max(width_of(cell));
            }
        }
        let mut line = String::new();
        for row in self.rows.drain(..) {
            line.clear();
            let columns = columns(self.several).iter().zip(&self.widths);
            for (cell, ((_, is_number), width)) in row.iter().zip(columns) {
                let fill = width - width_of(cell);
                let (left, right) = if *is_number { (fill, 0) } else { (0, fill) };
                line.extend(std::iter::repeat_n(' ', left));
                line.push_str(cell);
                line.extend(std::iter::repeat_n(' ', right + 2));
            }
            writeln!(self.out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

impl Render for Plain<'_> {
    fn game(&mut self, opened: &Opened, hit: Match) -> anyhow::Result<()> {
        self.rows.push(cells(opened, hit, self.several)?);
        if self.rows.len() >= BATCH_ROWS {
            self.batch()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        Ok(self.out.flush()?)
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        self.batch()
    }
}

/// Tables with a frame that fit the terminal; what is too long is cut.
pub(super) struct Framed<'o> {
    out: &'o mut Output,
    several: bool,
    columns: u16,
    table: Option<Table>,
}

impl<'o> Framed<'o> {
    pub(super) fn new(out: &'o mut Output, several: bool, columns: u16) -> Framed<'o> {
        Framed {
            out,
            several,
            columns,
            table: None,
        }
    }

    fn new_table(&self) -> Table {
        let shown = columns(self.several);
        let mut titles = Line::from(shown.iter().map(|(title, _)| *title).collect::<Vec<_>>());
        titles.max_height(1);
        let mut table = Table::new();
        table
            .load_style(STYLE)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(self.columns)
            .set_header(titles);
        for ((title, is_number), column) in shown.iter().zip(table.column_iter_mut()) {
            column.set_padding((0, 1));
            if *is_number {
                column.set_cell_alignment(CellAlignment::Right);
            }
            let least = ROOMY.iter().find(|(roomy, _)| roomy == title);
            if least.is_some_and(|(_, least)| self.columns < *least) {
                column.set_constraint(ColumnConstraint::Hidden);
            } else if !ELASTIC.contains(title) {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        table
    }

    fn batch(&mut self) -> anyhow::Result<()> {
        if let Some(table) = self.table.take() {
            writeln!(self.out, "{table}")?;
        }
        Ok(())
    }
}

impl Render for Framed<'_> {
    fn game(&mut self, opened: &Opened, hit: Match) -> anyhow::Result<()> {
        let mut line = Line::from(cells(opened, hit, self.several)?);
        line.max_height(1);
        let mut table = self.table.take().unwrap_or_else(|| self.new_table());
        table.add_row(line);
        let is_full = table.row_count() >= BATCH_ROWS;
        self.table = Some(table);
        if is_full {
            self.batch()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        Ok(self.out.flush()?)
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        self.batch()
    }
}
