//! Options for opening a database.

use std::path::Path;

use tabiya_chess::Flow;
use tabiya_formats::{
    Access, Language, OpenSettings, Opened, Report, TextEncoding,
    book::Book,
    error::{Error, ErrorKind, Result},
    is_set,
    pgn::{PartReader, has_pgn_name},
    progress::Progress,
};

use super::{Database, PgnParts};
use crate::{progress::WithProgress, query::Query, sidecar::Sidecar};

/// What is too long of a file that can only be opened in parts, with what makes it possible.
const NOT_INDEXED: &str = "the unpacked length in bytes of text that is not indexed, which \
     `tabiya index` does if it is packed by zstd in frames,";

/// How a database is opened.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tabiya::OpenOptions;
///
/// let options = OpenOptions::new().in_memory(true).language("de".parse()?);
/// let database = options.open("fixtures/famous.si4")?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "options open nothing by themselves"]
pub struct OpenOptions {
    settings: OpenSettings,
    sidecar: bool,
}

impl Default for OpenOptions {
    fn default() -> OpenOptions {
        OpenOptions {
            settings: OpenSettings::default(),
            sidecar: true,
        }
    }
}

impl OpenOptions {
    /// Creates the defaults: files are mapped, there is no password, comments are read in all
    /// languages, and a sidecar is used if there is one.
    pub fn new() -> OpenOptions {
        OpenOptions::default()
    }

    /// Whether files are read into memory instead of being mapped. Costs O(bytes of the files);
    /// afterwards changes by other programs have no effect.
    pub fn in_memory(mut self, in_memory: bool) -> Self {
        self.settings.access = if in_memory { Access::Read } else { Access::Map };
        self
    }

    /// The password of an encrypted archive (`.cbz`).
    pub fn password(mut self, password: impl Into<String>) -> Self {
        self.settings.password = Some(password.into());
        self
    }

    /// Which language is read from a ChessBase comment in several languages.
    pub fn language(mut self, language: Language) -> Self {
        self.settings.language = language;
        self
    }

    /// The encoding of texts, whatever their bytes suggest. The sidecar of PGN is not used then.
    ///
    /// For PGN, UTF-8, Latin-1 and UTF-16 need not be said, and most others with one byte for each
    /// character are recognised if there are enough letters. For Scid, ChessBase, Simple Chess
    /// Databases and jose it is the encoding of names, tags and comments that are not UTF-8; it is
    /// recognised by all names together, if they are clear. Training data has no texts.
    pub fn encoding(mut self, encoding: TextEncoding) -> Self {
        self.settings.encoding = Some(encoding);
        self
    }

    /// Whether the [sidecar](crate::Sidecar) next to the database is used, if there is one that
    /// belongs to it. Results are the same without it.
    pub fn sidecar(mut self, sidecar: bool) -> Self {
        self.sidecar = sidecar;
        self
    }

    /// Whether the path `-` means PGN on standard input, plain or compressed, instead of a file of
    /// that name. Input is read once, into memory; a second open sees empty input.
    pub fn standard_input(mut self, standard_input: bool) -> Self {
        self.settings.standard_input = standard_input;
        self
    }

    /// Greatest unpacked size in bytes of compressed PGN that is opened whole, and of the parts of
    /// a longer one. For tests.
    #[doc(hidden)]
    pub fn unpacked_bytes_max(mut self, bytes: u64) -> Self {
        self.settings.unpacked_bytes_max = bytes;
        self
    }

    /// Whether everything readable of a damaged database is opened, even where that is slower or
    /// less certain: for [`repair`](crate::repair()).
    ///
    /// The file's name then determines the format, not its first bytes. The number of games follows
    /// from the file's length and not from its header. Names after a damaged one are searched for.
    /// Archive members are unpacked past their damage. In formats whose games follow each other
    /// without an index, the next game after a damaged one is searched for.
    pub fn salvage(mut self, salvage: bool) -> Self {
        self.settings.salvage = salvage;
        self
    }

    /// Reads no more than a query asks for. PGN has no records, so its games are read when it is
    /// opened without a sidecar, and most of the time is spent on moves. These are skipped for a
    /// query about tags, and for one that joins conditions on tags with others by `and`, which is
    /// then asked of the games that are left. What asks for moves later reads them first, those of
    /// one game or of all, so that results are always the same. Other formats are opened as
    /// without a query.
    pub fn for_query(mut self, query: &Query) -> Self {
        self.settings.reads_moves = query.asks_for_moves();
        self
    }

    /// Opens a database. O(1) unless it is read into memory or unpacked from an archive, or its
    /// format has no records (PGN, jose, Monty).
    ///
    /// The path may be any of the database's files, the stem that they share, or a ChessBase
    /// archive (`.cbv`, `.cbz`).
    ///
    /// # Errors
    /// Those of [`Database::open`]; for archives also `WrongPassword`, and `LimitExceeded` for
    /// those that would unpack to far more than their size.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Database> {
        self.on_progress(Progress::ignore).open(path)
    }

    /// Opens a database, or all parts of compressed PGN that is too long to be opened whole and has
    /// an [index in parts](crate::SidecarOptions::refresh_parts). The parts are databases of games
    /// that follow each other, with one [name](Database::name); [`Database::number`] counts the
    /// games of all of them. Costs what [`open`](OpenOptions::open) does; O(1) for each part.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tabiya::{OpenOptions, Query, Search};
    ///
    /// let query: Query = "player:morphy".parse()?;
    /// for part in OpenOptions::new().open_each("fixtures/famous.pgn")? {
    ///     for hit in &Search::new(&query).run(&part)? {
    ///         println!("{} {}", part.number(hit.game), part.header(hit.game)?.black);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`open`](OpenOptions::open); so `LimitExceeded` for what is too long, if a part has
    /// no index or one that cannot be used. [`parts`](OpenOptions::parts) reads it all the same.
    pub fn open_each(&self, path: impl AsRef<Path>) -> Result<Vec<Database>> {
        self.on_progress(Progress::ignore).open_each(path)
    }

    /// Opens an opening book (`.bin`, `.abk`, `.ctg`) by its suffix; of the options counts whether
    /// it is [read into memory](OpenOptions::in_memory). O(1), but for Arena's (`.abk`): all its
    /// entries are played once, and 12 bytes are kept for each.
    ///
    /// # Errors
    /// `Io` and `Missing` for files that cannot be had; `Corrupt` and `Truncated` if the file is no
    /// such book; `Unsupported` for another suffix.
    pub fn open_book(&self, path: impl AsRef<Path>) -> Result<Book> {
        self.on_progress(Progress::ignore).open_book(path)
    }

    /// Returns the same with a callback for its progress.
    pub fn on_progress<F: FnMut(Progress) -> Flow>(&self, progress: F) -> WithProgress<&Self, F> {
        WithProgress::new(self, progress)
    }

    fn execute(&self, path: &Path, progress: Report<'_>) -> Result<Database> {
        if is_set(path) {
            let what = "opening a list of databases as one database";
            return Err(Error::unsupported(what).at_path(path));
        }
        let settings = self.with_index();
        let finds_index = settings.find_index.is_some();
        let opened = Opened::open(path, &settings, progress);
        let mut database = opened.map(Database::new)?;
        database.said = settings.encoding;
        database.notes.extend(database.encoding_note());
        if finds_index || self.sidecar && !database.kind().is_text() {
            match Sidecar::open(database.store(), settings.access) {
                Ok(sidecar) => database.sidecar = sidecar,
                Err(note) => database.notes.push(note),
            }
        }
        Ok(database)
    }

    fn execute_each(&self, path: &Path, progress: Report<'_>) -> Result<Vec<Database>> {
        let too_long = match self.execute(path, progress) {
            Err(error) if error.is_limit() && has_pgn_name(path) => error,
            opened => return opened.map(|database| vec![database]),
        };
        match self.parts(path)?.indexed(progress)? {
            Some(parts) => Ok(parts),
            None => Err(self.advised(too_long)),
        }
    }

    /// Adds what to do to the error about text that is too long.
    fn advised(&self, error: Error) -> Error {
        let bytes_max = self.settings.unpacked_bytes_max;
        match (error.kind(), error.path()) {
            (ErrorKind::LimitExceeded { limit, .. }, Some(path)) if *limit == bytes_max => {
                Error::limit(NOT_INDEXED, bytes_max).at_path(path)
            }
            _ => error,
        }
    }

    /// Begins to read a PGN file in parts. Another thread decompresses it.
    ///
    /// # Errors
    /// `Unsupported` if the file's name is not that of PGN; `Io` if it cannot
    /// be opened; for zip archives also `Corrupt`.
    pub fn parts(&self, path: impl AsRef<Path>) -> Result<PgnParts> {
        let path = path.as_ref();
        if !has_pgn_name(path) {
            let what = "reading other files than PGN in parts";
            return Err(Error::unsupported(what).at_path(path));
        }
        let settings = self.with_index();
        let reader = PartReader::open(path, &settings)?;
        let finds_index = settings.find_index.is_some();
        Ok(PgnParts::new(reader, self.clone(), finds_index))
    }

    /// Returns the settings, with which an index is found if it may be used.
    fn with_index(&self) -> OpenSettings {
        // An index holds names as they are read without anything being said.
        let finds_index = self.sidecar && self.settings.encoding.is_none();
        OpenSettings {
            find_index: finds_index.then_some(Sidecar::index_of as _),
            ..self.settings.clone()
        }
    }

    /// Returns what formats are opened with.
    pub(crate) fn settings(&self) -> &OpenSettings {
        &self.settings
    }
}

impl<F: FnMut(Progress) -> Flow> WithProgress<&OpenOptions, F> {
    /// Opens a database. The callback is called while a file is read completely. See
    /// [`OpenOptions::open`].
    ///
    /// # Errors
    /// Those of [`OpenOptions::open`]; `Interrupted` if the callback breaks.
    pub fn open(mut self, path: impl AsRef<Path>) -> Result<Database> {
        self.work.execute(path.as_ref(), &mut self.progress)
    }

    /// Opens a database, or all its parts. See [`OpenOptions::open_each`].
    ///
    /// # Errors
    /// Those of [`OpenOptions::open_each`]; `Interrupted` if the callback breaks.
    pub fn open_each(mut self, path: impl AsRef<Path>) -> Result<Vec<Database>> {
        self.work.execute_each(path.as_ref(), &mut self.progress)
    }

    /// Opens an opening book. See [`OpenOptions::open_book`].
    ///
    /// # Errors
    /// Those of [`OpenOptions::open_book`]; `Interrupted` if the callback breaks.
    pub fn open_book(mut self, path: impl AsRef<Path>) -> Result<Book> {
        let access = self.work.settings.access;
        Book::open(path.as_ref(), access, &mut self.progress)
    }
}
