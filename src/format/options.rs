//! What a user may choose when a database is opened.

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
#[derive(Debug, Clone, Default)]
#[must_use = "options open nothing by themselves"]
pub struct OpenOptions {
    pub(crate) access: Access,
    pub(crate) password: Option<String>,
    pub(crate) language: Language,
}

impl OpenOptions {
    /// Maps files, knows no password, and tells comments in all their languages.
    pub fn new() -> OpenOptions {
        OpenOptions::default()
    }

    /// Whether files are read into memory instead of being mapped. Costs O(bytes of the files)
    /// and excludes that another program changes them meanwhile.
    pub fn in_memory(mut self, in_memory: bool) -> Self {
        self.access = match in_memory {
            true => Access::Read,
            false => Access::Map,
        };
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
}
