//! An opening book beside the games.

use std::path::Path;

use serde::Serialize;
use tabiya::{Book, BookMove, NextMove, OpenOptions, TreePosition};

/// The opening book of the command line.
#[derive(Debug)]
pub(crate) struct OpenBook {
    /// The name of its file.
    name: String,
    book: Book,
}

/// What a book has in a position.
#[derive(Debug, Serialize)]
pub(crate) struct BookAnswer<'b> {
    name: &'b str,
    format: String,
    /// The heaviest first.
    moves: Vec<Row>,
    /// Entries of the position that cannot be read or played.
    faults: u64,
    /// Why the book cannot be asked; null if it can.
    fault: Option<String>,
}

#[derive(Debug, Serialize)]
struct Row {
    san: String,
    #[serde(flatten)]
    found: BookMove,
}

impl OpenBook {
    pub(crate) fn open(path: &Path) -> tabiya::Result<OpenBook> {
        let name = path.file_name().unwrap_or_default();
        Ok(OpenBook {
            name: name.to_string_lossy().into_owned(),
            book: OpenOptions::new().open_book(path)?,
        })
    }

    /// Returns what the program prints of it.
    pub(crate) fn line(&self) -> String {
        let faults = match self.book.faults().count {
            0 => String::new(),
            count => format!(", {count} entries cannot be read"),
        };
        format!("{}: {}{faults}", self.name, self.book.format())
    }

    pub(crate) fn answer(&self, position: &TreePosition) -> BookAnswer<'_> {
        let asked = position.book_moves(&self.book);
        // A whole error names the place of the file.
        let fault = asked.as_ref().err().map(|error| error.kind().to_string());
        let found = asked.unwrap_or_default();
        let row = |found: BookMove| Row {
            san: position.unplayed(NextMove::from(found.played)).san,
            found,
        };
        BookAnswer {
            name: &self.name,
            format: self.book.format().to_string(),
            faults: found.faults.count,
            moves: found.moves.into_iter().map(row).collect(),
            fault,
        }
    }
}
