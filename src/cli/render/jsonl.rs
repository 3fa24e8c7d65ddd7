//! JSON, one object per line.

use std::io;

use serde_json::Value;
use tabiya::is_command;

use super::Row;

/// A writer of JSON: characters that are commands to a terminal, which JSON allows in texts, are
/// escaped.
pub(crate) struct Harmless<W>(pub(crate) W);

impl<W: io::Write> io::Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.iter().all(|byte| matches!(byte, b' '..=b'~')) {
            return self.0.write(bytes);
        }
        for chunk in bytes.utf8_chunks() {
            let mut rest = chunk.valid();
            while let Some(at) = rest.find(is_command) {
                let (plain, after) = rest.split_at(at);
                self.0.write_all(plain.as_bytes())?;
                let mut letters = after.chars();
                if let Some(letter) = letters.next() {
                    // All of them have one unit of UTF-16.
                    write!(self.0, "\\u{:04x}", u32::from(letter))?;
                }
                rest = letters.as_str();
            }
            self.0.write_all(rest.as_bytes())?;
            self.0.write_all(chunk.invalid())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Returns a value as JSON, as [`Harmless`] writes it.
pub(crate) fn json_text(value: &Value) -> String {
    let mut text = Vec::new();
    // Writing to a vector cannot fail.
    let _ = serde_json::to_writer(Harmless(&mut text), value);
    String::from_utf8(text).unwrap_or_default()
}

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
        serde_json::to_writer(Harmless(&mut self.out), value)?;
        Ok(())
    }

    /// Writes a text; an empty text and PGN's question mark become `null`.
    fn text(&mut self, name: &str, text: &str) -> io::Result<()> {
        self.name(name)?;
        match text {
            "" | "?" => self.out.write_all(b"null"),
            text => Ok(serde_json::to_writer(Harmless(&mut self.out), text)?),
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
