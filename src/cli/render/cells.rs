//! Formats one line of csv or jsonl in memory, cell by cell.

use std::io::Write as _;

use super::jsonl::Harmless;

/// The syntax of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    /// Comma-separated values: RFC 4180, except for line ends.
    Csv,
    /// A JSON object on each line.
    Json,
}

/// A line being written. Missing values are empty in csv and `null` in JSON.
pub(super) struct Cells<'b> {
    syntax: Syntax,
    out: &'b mut Vec<u8>,
    start: usize,
    is_first: bool,
}

impl<'b> Cells<'b> {
    pub(super) fn new(syntax: Syntax, out: &'b mut Vec<u8>) -> Cells<'b> {
        let start = out.len();
        Cells {
            syntax,
            out,
            start,
            is_first: true,
        }
    }

    /// Begins a cell. `name` is its name including quotation marks and a colon.
    pub(super) fn name(&mut self, name: &str) {
        match (self.syntax, std::mem::take(&mut self.is_first)) {
            (Syntax::Json, true) => self.out.push(b'{'),
            (Syntax::Csv, true) => return,
            (_, false) => self.out.push(b','),
        }
        if self.syntax == Syntax::Json {
            self.out.extend_from_slice(name.as_bytes());
        }
    }

    pub(super) fn absent(&mut self) {
        if self.syntax == Syntax::Json {
            self.out.extend_from_slice(b"null");
        }
    }

    /// Writes a text; an empty text and PGN's question mark are missing values.
    pub(super) fn text(&mut self, text: &str) {
        match (text, self.syntax) {
            ("" | "?", _) => self.absent(),
            (_, Syntax::Csv) => self.quoted_if_needed(text.as_bytes()),
            // Writing to a vector cannot fail.
            (_, Syntax::Json) => drop(serde_json::to_writer(Harmless(&mut *self.out), text)),
        }
    }

    /// Writes a value that needs no escaping: a date, a code, a FEN.
    pub(super) fn plain(&mut self, text: std::fmt::Arguments<'_>) {
        let quote: &[u8] = if self.syntax == Syntax::Json {
            b"\""
        } else {
            b""
        };
        self.out.extend_from_slice(quote);
        let _ = self.out.write_fmt(text);
        self.out.extend_from_slice(quote);
    }

    pub(super) fn number(&mut self, number: Option<u32>) {
        let Some(mut rest) = number else {
            return self.absent();
        };
        let mut digits = [0; 10];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.out.extend_from_slice(&digits[at..]);
    }

    /// Writes a number that may have a sign or a decimal part.
    pub(super) fn decimal(&mut self, number: f64) {
        let _ = write!(self.out, "{number}");
    }

    /// Writes a JSON array; in csv a text list.
    pub(super) fn list(&mut self, list: &[u8]) {
        match self.syntax {
            Syntax::Json => self.out.extend_from_slice(list),
            Syntax::Csv => self.quoted_if_needed(list),
        }
    }

    fn quoted_if_needed(&mut self, text: &[u8]) {
        let must_be_quoted = |byte: &u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
        if !text.iter().any(must_be_quoted) {
            return self.out.extend_from_slice(text);
        }
        self.out.push(b'"');
        for (number, part) in text.split(|&byte| byte == b'"').enumerate() {
            if number > 0 {
                self.out.extend_from_slice(b"\"\"");
            }
            self.out.extend_from_slice(part);
        }
        self.out.push(b'"');
    }

    /// Ends the line.
    pub(super) fn end(self) {
        match self.syntax {
            Syntax::Json => self.out.push(b'}'),
            // Readers skip empty lines.
            Syntax::Csv if self.out.len() == self.start => self.out.extend_from_slice(b"\"\""),
            Syntax::Csv => {}
        }
        self.out.push(b'\n');
    }
}
