//! Options for opening a database.

use std::path::Path;

use tabiya_chess::Flow;
use tabiya_formats::{
    Access, FormatKind, Language, OpenSettings, Opened, Report, TextEncoding,
    error::{Error, Result},
    pgn::{PartReader, has_pgn_name},
    progress::Progress,
};

use super::{Database, PgnParts};
use crate::{progress::WithProgress, query::Query, sidecar::Sidecar};

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

    /// Returns the same with a callback for its progress.
    pub fn on_progress<F: FnMut(Progress) -> Flow>(&self, progress: F) -> WithProgress<&Self, F> {
        WithProgress::new(self, progress)
    }

    fn execute(&self, path: &Path, progress: Report<'_>) -> Result<Database> {
        let settings = self.with_index();
        let finds_index = settings.find_index.is_some();
        let opened = Opened::open(path, &settings, progress);
        let mut database = opened.map(Database::new)?;
        database.said = settings.encoding;
        database.notes.extend(database.encoding_note());
        if finds_index || self.sidecar && database.kind() != FormatKind::Pgn {
            match Sidecar::open(database.store(), settings.access) {
                Ok(sidecar) => database.sidecar = sidecar,
                Err(note) => database.notes.push(note),
            }
        }
        Ok(database)
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
}
