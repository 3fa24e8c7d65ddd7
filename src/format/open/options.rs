//! Options for opening a database.

use std::path::Path;

use crate::{
    format::{Access, File, Language, StoredIndex, TextEncoding},
    limits::PGN_UNPACKED_BYTES_MAX,
};

/// Finds the index of a file, and the length in bytes that the file had when it was made.
type FindIndex = fn(&File, Access) -> Option<(StoredIndex, usize)>;

/// How a database is opened.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tabiya::{OpenOptions, Progress};
///
/// let options = OpenOptions::new().in_memory(true).language("de".parse()?);
/// let database = options.open("fixtures/famous.si4", Progress::ignore)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "options open nothing by themselves"]
pub struct OpenOptions {
    pub(crate) access: Access,
    pub(crate) password: Option<String>,
    pub(crate) language: Language,
    pub(crate) encoding: Option<TextEncoding>,
    pub(crate) sidecar: bool,
    pub(crate) salvage: bool,
    /// Whether moves are read where a file has no records.
    pub(crate) reads_moves: bool,
    /// Finds the index of a file that was made before.
    pub(crate) find_index: Option<FindIndex>,
    pub(crate) unpacked_bytes_max: u64,
    standard_input: bool,
}

impl Default for OpenOptions {
    fn default() -> OpenOptions {
        OpenOptions {
            access: Access::default(),
            password: None,
            language: Language::default(),
            encoding: None,
            sidecar: true,
            salvage: false,
            reads_moves: true,
            find_index: None,
            unpacked_bytes_max: PGN_UNPACKED_BYTES_MAX,
            standard_input: false,
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
        self.access = if in_memory { Access::Read } else { Access::Map };
        self
    }

    /// The password of an encrypted archive (`.cbz`).
    pub fn password(mut self, password: impl Into<String>) -> Self {
        self.password = Some(password.into());
        self
    }

    /// Which language is read from a ChessBase comment in several languages.
    pub fn language(mut self, language: Language) -> Self {
        self.language = language;
        self
    }

    /// The encoding of texts, whatever their bytes suggest. The sidecar of PGN is not used then.
    ///
    /// For PGN, UTF-8, Latin-1 and UTF-16 need not be said, and most others with one byte for each
    /// character are recognised if there are enough letters. For Scid, ChessBase, Simple Chess
    /// Databases and jose it is the encoding of names, tags and comments that are not UTF-8; it is
    /// recognised by all names together, if they are clear. Training data has no texts.
    pub fn encoding(mut self, encoding: TextEncoding) -> Self {
        self.encoding = Some(encoding);
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
        self.standard_input = standard_input;
        self
    }

    /// Greatest unpacked size in bytes of compressed PGN that is opened whole, and of the parts of
    /// a longer one. For tests.
    #[doc(hidden)]
    pub fn unpacked_bytes_max(mut self, bytes: u64) -> Self {
        self.unpacked_bytes_max = bytes;
        self
    }

    /// Returns the index of a file if it was made before, and the length in bytes that the file
    /// had.
    pub(crate) fn index_of(&self, file: &File) -> Option<(StoredIndex, usize)> {
        self.find_index.and_then(|find| find(file, self.access))
    }

    /// Whether a path means standard input.
    pub(crate) fn is_standard_input(&self, path: &Path) -> bool {
        self.standard_input && path == Path::new("-")
    }

    /// Whether everything readable of a damaged database is opened, even where that is slower or
    /// less certain: for [`repair`](crate::repair()).
    ///
    /// The file's name then determines the format, not its first bytes. The number of games follows
    /// from the file's length and not from its header. Names after a damaged one are searched for.
    /// Archive members are unpacked past their damage. In formats whose games follow each other
    /// without an index, the next game after a damaged one is searched for.
    pub fn salvage(mut self, salvage: bool) -> Self {
        self.salvage = salvage;
        self
    }
}
