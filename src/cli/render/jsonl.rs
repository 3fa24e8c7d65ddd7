//! JSON, one object per line.

use std::io;

use serde_json::Value;

use super::Row;

/// An object that is written field by field, so that the fields keep their order.
pub(crate) struct Object<W> {
    out: W,
    is_first: bool,
}

impl<W: io::Write> Object<W> {
    pub(crate) fn begin(mut out: W) -> io::Result<Object<W>> {
        out.write_all(b"{")?;
        Ok(Object {
            out,
            is_first: true,
        })
    }

    pub(crate) fn field(&mut self, name: &str, value: &Value) -> io::Result<()> {
        self.name(name)?;
        serde_json::to_writer(&mut self.out, value)?;
        Ok(())
    }

    /// Writes a text; an empty text and PGN's question mark become `null`.
    fn text(&mut self, name: &str, text: &str) -> io::Result<()> {
        self.name(name)?;
        match text {
            "" | "?" => self.out.write_all(b"null"),
            text => Ok(serde_json::to_writer(&mut self.out, text)?),
        }
    }

    fn name(&mut self, name: &str) -> io::Result<()> {
        if !std::mem::take(&mut self.is_first) {
            self.out.write_all(b",")?;
        }
        write!(self.out, "\"{name}\":")
    }

    /// Writes the values of a match except its moves.
    pub(crate) fn row(&mut self, row: &Row<'_>) -> io::Result<()> {
        if let Some(database) = row.database {
            self.text("database", database)?;
        }
        let header = &row.header;
        self.field("number", &row.number.into())?;
        self.text("white", &header.white)?;
        self.text("black", &header.black)?;
        self.field("whiteElo", &row.white_elo().into())?;
        self.field("blackElo", &row.black_elo().into())?;
        self.text("event", &header.event)?;
        self.text("site", &header.site)?;
        self.text("round", &header.round)?;
        self.text("date", &row.date().unwrap_or_default())?;
        self.text("result", header.result.as_str())?;
        self.text("eco", &row.eco().unwrap_or_default())?;
        self.field("plies", &row.plies.into())
    }

    /// Closes the object and ends the line.
    pub(crate) fn end(mut self) -> io::Result<()> {
        self.out.write_all(b"}\n")
    }
}
