//! A long PGN file as several databases.

use tabiya_chess::Flow;
use tabiya_formats::{
    Opened, Report,
    error::{Error, ErrorKind, Result},
    pgn::{BytesRead, PartReader, PgnFile},
    progress::Progress,
};

use super::{Database, OpenOptions};
use crate::{
    progress::WithProgress,
    sidecar::{self, Sidecar},
};

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
    /// The number of the next part whose sidecar may be used; `None` behind those.
    next: Option<u32>,
}

impl PgnParts {
    /// Creates the parts that a reader returns. `finds_index` says whether sidecars may be used.
    pub(super) fn new(reader: PartReader, options: OpenOptions, finds_index: bool) -> PgnParts {
        PgnParts {
            reader,
            options,
            next: finds_index.then_some(1),
        }
    }

    /// Returns the next part; `None` at the end. A game that is too long to be read is left out,
    /// and a [note](Database::notes) of a part without games in its place. So is a sidecar that
    /// cannot be used, of the first part that was to have one.
    ///
    /// # Errors
    /// `Io` if the compressed bytes are damaged or cut short, after all games before that.
    pub fn next_part(&mut self) -> Result<Option<Database>> {
        self.on_progress(Progress::ignore).next_part()
    }

    /// Returns the next part if it and all before it have an index in their sidecars; `None` behind
    /// those, where [`next_part`](PgnParts::next_part) goes on. O(1): reads no text.
    ///
    /// # Errors
    /// `Io` if the file cannot be opened.
    fn next_indexed(&mut self) -> Result<Option<Database>> {
        let part = self.reader.next_stored()?;
        Ok(part.map(|part| self.database(part, Vec::new())))
    }

    /// Returns all parts; `None` unless each has an index that can be used. Called first.
    ///
    /// # Errors
    /// `Io` if the file cannot be opened; `Interrupted` if `progress` breaks.
    pub(super) fn indexed(mut self, progress: Report<'_>) -> Result<Option<Vec<Database>>> {
        let mut parts = Vec::new();
        while let Some(part) = self.next_indexed()? {
            if part.sidecar.is_none() {
                return Ok(None);
            }
            parts.push(part);
        }
        if parts.is_empty() {
            return Ok(None);
        }
        match self.reader.next(progress) {
            Ok(None) => Ok(Some(parts)),
            Err(error) if *error.kind() == ErrorKind::Interrupted => Err(error),
            // What is wrong is told to whoever reads the parts one after the other.
            Ok(Some(_)) | Err(_) => Ok(None),
        }
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

    fn database(&mut self, part: PgnFile, notes: Vec<Error>) -> Database {
        let has_index = part.has_stored_index();
        let mut database = Database::new((Opened::Pgn(Box::new(part)), notes));
        let settings = self.options.settings();
        database.said = settings.encoding;
        let next = self.next.take();
        if has_index {
            self.next = next.map(|number| number + 1);
            match Sidecar::open(database.store(), settings.access) {
                Ok(sidecar) => database.sidecar = sidecar,
                Err(note) => database.notes.push(note),
            }
        } else if let Some(number) = next {
            let note = sidecar::note_of_other_part(database.path(), number);
            database.notes.extend(note);
        }
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
