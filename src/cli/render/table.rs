//! Tables for people: fitted with a frame on a terminal, plain otherwise.

use std::{io::Write as _, sync::Arc};

use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Row as Line, Table, TableStyle,
    Width, presets,
};
use tabiya::Match;

use super::{Render, Row, opening};
use crate::cli::{
    columns::{push_cell, width_of},
    databases::Opened,
    output::{Output, one_line},
};

/// The columns and whether they hold numbers, which are right-aligned.
const COLUMNS: [(&str, bool); 14] = [
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
    ("opening", false),
];

/// Columns that may be cut to fit a terminal; a cut number would be wrong.
const ELASTIC: [&str; 6] = ["database", "white", "black", "event", "site", "opening"];

/// Horizontal lines above, below the titles and below; vertical ones would take space from names.
const STYLE: TableStyle = presets::UTF8_HORIZONTAL_ONLY.row_separator(LineStyle::none());

/// The columns by importance: the last ones are left out if they do not fit, but never the first
/// three.
const NEEDED: [&str; 13] = [
    "number", "white", "black", "result", "database", "ply", "date", "elo", "eco", "event",
    "plies", "site", "opening",
];
const ALWAYS_SHOWN: [&str; 3] = ["number", "white", "black"];

/// Longer names are cut rather than leaving another column out.
const NAME_COLUMNS: usize = 30;
/// The least width to which an event, a site or a database is cut.
const TEXT_COLUMNS_MIN: usize = 16;

/// Number of rows formatted together. With more, people would wait and memory would fill.
const BATCH_ROWS: usize = 1000;

/// The optional columns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// Whether the first column is the database.
    pub(super) several: bool,
    /// Whether there is a column for the ply of the match.
    pub(super) has_places: bool,
    /// Whether the last column is the opening.
    pub(super) has_openings: bool,
}

impl Shape {
    fn columns(self) -> Vec<(&'static str, bool)> {
        let is_there = |title| match title {
            "database" => self.several,
            "ply" => self.has_places,
            "opening" => self.has_openings,
            _ => true,
        };
        let columns = COLUMNS.into_iter();
        columns.filter(|(title, _)| is_there(title)).collect()
    }
}

/// Returns the cells of a match.
fn cells(opened: &Opened, hit: Match, shape: Shape) -> tabiya::Result<Vec<String>> {
    let row = Row::new(opened, hit, shape.several)?;
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
    ]);
    cells.extend(shape.has_places.then(|| ply(&row)));
    let opening = || opening(&opened.database, hit.game).unwrap_or_default();
    cells.extend(shape.has_openings.then(|| opening().to_owned()));
    Ok(cells)
}

/// Returns the ply of a match, in brackets if it is in a variation.
fn ply(row: &Row<'_>) -> String {
    match (row.ply, &row.line) {
        (Some(ply), Some(_)) => format!("({ply})"),
        (Some(ply), None) => ply.to_string(),
        (None, _) => String::new(),
    }
}

/// Widens columns to the width of their cells.
fn widen(widths: &mut [usize], rows: &[Vec<String>]) {
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(width_of(cell));
        }
    }
}

/// A table of matches, written in batches.
pub(super) struct Matches<'o> {
    out: &'o mut Output,
    shape: Shape,
    rows: Vec<Vec<String>>,
    /// Width of the terminal in columns; `None` if there is none.
    terminal: Option<u16>,
    /// Without a terminal: width by column; empty before the first batch.
    widths: Vec<usize>,
}

impl<'o> Matches<'o> {
    pub(super) fn new(out: &'o mut Output, shape: Shape) -> Matches<'o> {
        Matches {
            shape,
            rows: Vec::new(),
            terminal: out.terminal_columns(),
            widths: Vec::new(),
            out,
        }
    }

    /// Writes the rows with aligned columns, two spaces apart. Columns grow if a later batch needs
    /// it.
    fn write_plain(&mut self) -> anyhow::Result<()> {
        if self.widths.is_empty() {
            let columns = self.shape.columns().into_iter();
            let titles = columns.map(|(title, _)| title.to_owned());
            self.rows.insert(0, titles.collect());
            self.widths = vec![0; self.shape.columns().len()];
        }
        widen(&mut self.widths, &self.rows);
        let mut line = String::new();
        let columns = self.shape.columns();
        for row in self.rows.drain(..) {
            line.clear();
            let columns = columns.iter().zip(&self.widths);
            for (cell, ((_, is_number), width)) in row.iter().zip(columns) {
                push_cell(&mut line, cell, *width, *is_number);
            }
            writeln!(self.out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    /// Returns the rows as a table with a frame that fits the terminal: columns that do not fit are
    /// left out, and long texts are cut.
    fn framed(&mut self, terminal: u16) -> Table {
        let columns = self.shape.columns();
        let mut widths: Vec<usize> = columns.iter().map(|(title, _)| title.len()).collect();
        widen(&mut widths, &self.rows);
        let one_line = |cells: Vec<String>| {
            let mut line = Line::from(cells);
            line.max_height(1);
            line
        };
        let titles = columns.iter().map(|(title, _)| (*title).to_owned());
        let mut table = Table::new();
        table
            .load_style(STYLE)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(terminal)
            .set_header(one_line(titles.collect()))
            .add_rows(self.rows.drain(..).map(one_line));
        let fitted = fitted(&columns, &widths, terminal.into());
        let fitted = fitted.into_iter().zip(&columns);
        for ((constraint, (_, is_number)), column) in fitted.zip(table.column_iter_mut()) {
            column.set_padding((0, 1));
            if *is_number {
                column.set_cell_alignment(CellAlignment::Right);
            }
            column.set_constraint(constraint.unwrap_or(ColumnConstraint::Hidden));
        }
        table
    }
}

impl Render for Matches<'_> {
    fn game(&mut self, opened: &Arc<Opened>, hit: Match) -> anyhow::Result<()> {
        self.rows.push(cells(opened, hit, self.shape)?);
        if self.rows.len() >= BATCH_ROWS {
            self.finish()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        Ok(self.out.flush()?)
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        match self.terminal {
            _ if self.rows.is_empty() => Ok(()),
            None => self.write_plain(),
            Some(terminal) => {
                let table = self.framed(terminal);
                Ok(writeln!(self.out, "{table}")?)
            }
        }
    }
}

/// Returns how each column is fitted to a terminal: `None` leaves it out.
///
/// Columns are taken in order of importance, those with the same title together, each followed by
/// two spaces, the last by one. Names keep their width, up to [`NAME_COLUMNS`], if it fits.
fn fitted(
    columns: &[(&str, bool)],
    widths: &[usize],
    terminal: usize,
) -> Vec<Option<ColumnConstraint>> {
    let least = |place: usize| match columns[place].0 {
        "white" | "black" => widths[place].min(NAME_COLUMNS),
        title if ELASTIC.contains(&title) => widths[place].min(TEXT_COLUMNS_MIN),
        _ => widths[place],
    };
    let mut room = terminal + 1;
    let mut is_shown = vec![false; columns.len()];
    let mut has_room_for_names = true;
    for title in NEEDED {
        let places = (0..columns.len()).filter(|&place| columns[place].0 == title);
        let taken: usize = places.clone().map(|place| least(place) + 2).sum();
        let has_room = taken <= room;
        if has_room || ALWAYS_SHOWN.contains(&title) {
            places.for_each(|place| is_shown[place] = true);
            has_room_for_names &= has_room;
            room = room.saturating_sub(taken);
        }
    }
    let constraint = |place: usize| match columns[place].0 {
        "white" | "black" if has_room_for_names && widths[place] <= NAME_COLUMNS => {
            ColumnConstraint::ContentWidth
        }
        title if ELASTIC.contains(&title) => ColumnConstraint::LowerBoundary(Width::Fixed(1)),
        _ => ColumnConstraint::ContentWidth,
    };
    let places = is_shown.into_iter().enumerate();
    places
        .map(|(place, is_shown)| is_shown.then(|| constraint(place)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the titles of the shown columns, those that may be cut in brackets.
    fn shown(shape: Shape, terminal: usize, name: usize) -> String {
        let columns = shape.columns();
        let width = |title: &str| match title {
            "white" | "black" => name,
            "event" | "site" | "opening" => 25,
            "date" => 10,
            "result" => 7,
            "number" => 6,
            title => title.len().max(4),
        };
        let widths: Vec<usize> = columns.iter().map(|(title, _)| width(title)).collect();
        let fitted = fitted(&columns, &widths, terminal)
            .into_iter()
            .zip(&columns);
        let titles = fitted.filter_map(|(constraint, (title, _))| match constraint? {
            ColumnConstraint::ContentWidth => Some((*title).to_owned()),
            _ => Some(format!("({title})")),
        });
        titles.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn columns_are_dropped_before_names_are_cut() {
        let shape = Shape {
            several: false,
            has_places: false,
            has_openings: true,
        };
        assert_eq!(
            shown(shape, 140, 18),
            "number white elo black elo result date (event) (site) eco plies"
        );
        assert_eq!(
            shown(shape, 160, 18),
            "number white elo black elo result date (event) (site) eco plies (opening)"
        );
        assert_eq!(
            shown(shape, 80, 18),
            "number white elo black elo result date"
        );
        assert_eq!(shown(shape, 79, 18), "number white black result date eco");
        assert_eq!(shown(shape, 80, 22), "number white black result date");
        assert_eq!(shown(shape, 50, 18), "number white black");
        assert_eq!(shown(shape, 30, 18), "number (white) (black)");
        // A single name of 400 letters does not displace everything else.
        assert_eq!(shown(shape, 80, 400), "number (white) (black) result");
        let places = Shape {
            several: true,
            has_places: true,
            has_openings: false,
        };
        assert_eq!(
            shown(places, 86, 18),
            "(database) number white black result date ply"
        );
    }
}
