//! The encoding of the texts of a database: said, guessed or marked.

use tabiya_formats::{TextEncoding, error::Error};

use super::Database;

impl Database {
    /// Returns the encoding of the texts, if it was [said](crate::OpenOptions::encoding) or is
    /// neither UTF-8 nor Latin-1 nor what the format prescribes. The first call may read the names.
    #[must_use]
    pub fn encoding(&self) -> Option<TextEncoding> {
        self.store().encoding()
    }

    /// Returns whether the [encoding](Database::encoding) is guessed from the bytes of the text, or
    /// of all names, and neither said nor marked.
    #[must_use]
    pub fn encoding_is_guessed(&self) -> bool {
        let is_guess = |encoding: TextEncoding| encoding.holds_ascii() && !self.encoding_is_said();
        self.encoding().is_some_and(is_guess)
    }

    /// Whether somebody said the encoding.
    pub(crate) fn encoding_is_said(&self) -> bool {
        self.said.is_some()
    }

    /// Notes an encoding that was said and cannot be that of the texts.
    pub(super) fn encoding_note(&self) -> Option<Error> {
        let said = self.said?;
        let what = match self.kind() {
            kind if kind.is_text() => return None,
            kind if kind.has_engine_data() => "an encoding of training data, which has no texts,",
            _ if !said.holds_ascii() => "UTF-16 outside of PGN",
            _ => return None,
        };
        Some(Error::unsupported(what).at_path(self.path()))
    }
}
