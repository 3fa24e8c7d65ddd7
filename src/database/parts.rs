//! A long PGN file as several databases.

use tabiya_chess::Flow;
use tabiya_formats::{
    Opened, Report,
    error::{Error, Result},
    pgn::{BytesRead, PartReader, PgnFile},
    progress::Progress,
};

use super::{Database, OpenOptions};
use crate::{progress::WithProgress, sidecar::Sidecar};

/// A compressed PGN file of any length, as databases of the games that follow each other. Each has
/// some 64 MB of text, of which three are in memory at a time; those with a
/// [sidecar](crate::SidecarOptions::refresh_parts) have about a million games each, and their text
/// stays packed.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tabiya::{OpenOptions, Query, Search};
///
/// let query: Query = "white:morphy result:1-0".parse()?;
/// let mut parts = OpenOptions::new().parts("fixtures/famous.pgn")?;
/// while let Some(part) = parts.next_part()? {
///     for hit in &Search::new(&query).run(&part)? {
///         println!("{} {}", part.number(hit.game), part.header(hit.game)?.black);
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct PgnParts {
    reader: PartReader,
    options: OpenOptions,
}

impl PgnParts {
    pub(super) fn new(reader: PartReader, options: OpenOptions) -> PgnParts {
        PgnParts { reader, options }
    }

    /// Returns the next part; `None` at the end. A game that is too long to be read is left out,
    /// and a [note](Database::notes) of the part before it.
    ///
    /// # Errors
    /// `Io` if the compressed bytes are damaged or cut short, after all games before that.
    pub fn next_part(&mut self) -> Result<Option<Database>> {
        self.on_progress(Progress::ignore).next_part()
    }

    /// Returns the same with a callback for its progress.
    pub fn on_progress<F>(&mut self, progress: F) -> WithProgress<&mut Self, F>
    where
        F: FnMut(Progress) -> Flow,
    {
        WithProgress::new(self, progress)
    }

    /// Returns how many bytes of the file have been read.
    pub(crate) fn bytes_read(&self) -> BytesRead {
        self.reader.bytes_read()
    }

    /// Returns the next part as a database whose sidecar is used, or is to be built.
    ///
    /// # Errors
    /// Those of [`PartReader::next_to_index`].
    pub(crate) fn next_to_index(&mut self, progress: Report<'_>) -> Result<Option<Database>> {
        let part = self.reader.next_to_index(progress)?;
        Ok(part.map(|part| self.database(part, Vec::new())))
    }

    fn database(&self, part: PgnFile, mut notes: Vec<Error>) -> Database {
        let has_index = part.has_stored_index();
        let opened = Opened::Pgn(Box::new(part));
        let mut sidecar = None;
        if has_index {
            match Sidecar::open(opened.store(), self.options.settings().access) {
                Ok(found) => sidecar = found,
                Err(note) => notes.push(note),
            }
        }
        let mut database = Database::new((opened, notes));
        database.sidecar = sidecar;
        database
    }
}

impl<F: FnMut(Progress) -> Flow> WithProgress<&mut PgnParts, F> {
    /// Returns the next part. See [`PgnParts::next_part`].
    ///
    /// # Errors
    /// Those of [`PgnParts::next_part`]; `Interrupted` if the callback breaks.
    pub fn next_part(mut self) -> Result<Option<Database>> {
        let part = self.work.reader.next(&mut self.progress)?;
        Ok(part.map(|(part, notes)| self.work.database(part, notes)))
    }
}
