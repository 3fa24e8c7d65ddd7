//! Comma-separated values with a header line.

use ::csv::{Writer, WriterBuilder};
use tabiya::Match;

use super::{Render, Row};
use crate::cli::{databases::Opened, output::Output};

/// The columns, in the order of the fields in JSON.
const COLUMNS: [&str; 14] = [
    "number", "white", "black", "whiteElo", "blackElo", "event", "site", "round", "date", "result",
    "eco", "plies", "ply", "line",
];

pub(super) struct Csv<'o> {
    writer: Writer<&'o mut Output>,
    several: bool,
    has_header: bool,
}

impl<'o> Csv<'o> {
    pub(super) fn new(out: &'o mut Output, several: bool) -> Csv<'o> {
        Csv {
            writer: WriterBuilder::new().from_writer(out),
            several,
            has_header: false,
        }
    }

    fn header(&mut self) -> anyhow::Result<()> {
        if !std::mem::replace(&mut self.has_header, true) {
            let database = self.several.then_some("database");
            self.writer
                .write_record(database.into_iter().chain(COLUMNS))?;
        }
        Ok(())
    }
}

impl Render for Csv<'_> {
    fn game(&mut self, opened: &Opened, hit: Match) -> anyhow::Result<()> {
        self.header()?;
        let row = Row::new(opened, hit, self.several)?;
        let number = |value: Option<u32>| value.map_or_else(String::new, |value| value.to_string());
        if let Some(database) = row.database {
            self.writer.write_field(database)?;
        }
        let header = &row.header;
        self.writer.write_record([
            row.number.to_string().as_str(),
            &header.white,
            &header.black,
            &number(row.white_elo().map(u32::from)),
            &number(row.black_elo().map(u32::from)),
            &header.event,
            &header.site,
            &header.round,
            &row.date().unwrap_or_default(),
            header.result.as_str(),
            &row.eco().unwrap_or_default(),
            &row.plies.to_string(),
            &number(row.ply),
            row.line.as_deref().unwrap_or_default(),
        ])?;
        Ok(())
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        Ok(self.writer.flush()?)
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        self.header()?;
        self.flush()
    }
}
