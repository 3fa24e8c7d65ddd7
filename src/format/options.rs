//! What a user may choose when a database is opened.

use std::path::Path;

use super::{Access, chessbase::annotations::Language};

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
    pub(crate) access: Access,
    pub(crate) password: Option<String>,
    pub(crate) language: Language,
    pub(crate) sidecar: bool,
    pub(crate) salvage: bool,
    standard_input: bool,
}

impl Default for OpenOptions {
    fn default() -> OpenOptions {
        OpenOptions {
            access: Access::default(),
            password: None,
            language: Language::default(),
            sidecar: true,
            salvage: false,
            standard_input: false,
        }
    }
}

impl OpenOptions {
    /// Maps files, knows no password, tells comments in all their languages, and uses a sidecar
    /// where there is one.
    pub fn new() -> OpenOptions {
        OpenOptions::default()
    }

    /// Whether files are read into memory instead of being mapped. Costs O(bytes of the files)
    /// and excludes that another program changes them meanwhile.
    pub fn in_memory(mut self, in_memory: bool) -> Self {
        self.access = if in_memory { Access::Read } else { Access::Map };
        self
    }

    /// The password of an archive in cipher (`.cbz`).
    pub fn password(mut self, password: impl Into<String>) -> Self {
        self.password = Some(password.into());
        self
    }

    /// Which language is told where a ChessBase comment has several.
    pub fn language(mut self, language: Language) -> Self {
        self.language = language;
        self
    }

    /// Whether the [sidecar](crate::Sidecar) beside the database is used, if there is one that
    /// belongs to it. Answers are the same without.
    pub fn sidecar(mut self, sidecar: bool) -> Self {
        self.sidecar = sidecar;
        self
    }

    /// Whether the path `-` means PGN on standard input, plain or packed, instead of a file of
    /// that name. It is read once, into memory; what is opened again is empty.
    pub fn standard_input(mut self, standard_input: bool) -> Self {
        self.standard_input = standard_input;
        self
    }

    /// Tells whether a path means standard input.
    pub(crate) fn is_standard_input(&self, path: &Path) -> bool {
        self.standard_input && path == Path::new("-")
    }

    /// Whether a damaged database is opened with all that is there, even where that costs more or
    /// is less sure: for [`repair`](crate::repair()).
    ///
    /// Then the file's name decides the format, not its first bytes; the number of games follows
    /// from the file's length and not from its header; names behind a damaged one are looked
    /// for; what an archive holds is unpacked past its damage; formats whose games follow each
    /// other without an index are searched for the next game behind a damaged one.
    pub fn salvage(mut self, salvage: bool) -> Self {
        self.salvage = salvage;
        self
    }
}
