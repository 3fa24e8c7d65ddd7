//! The languages of texts.

use std::{fmt, str::FromStr};

/// The number of the nation that stands for a language, its ISO code, its name, and the short
/// name of the nation.
const LANGUAGES: [(u8, &str, &str, &str); 8] = [
    (42, "en", "English", "ENG"),
    (53, "de", "German", "GER"),
    (49, "fr", "French", "FRA"),
    (43, "es", "Spanish", "ESP"),
    (70, "it", "Italian", "ITA"),
    (103, "nl", "Dutch", "NED"),
    (117, "pt", "Portuguese", "POR"),
    (116, "pl", "Polish", "POL"),
];

/// The number of texts that are of no language in particular.
pub(super) const ANY: u8 = 0;

/// Which of the languages of a comment to tell: all, or one where there is a choice.
///
/// Texts of no language are told in any case. Where a place has neither those nor the preferred
/// language, all its texts are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Language(u8);

impl Language {
    /// Tells texts of all languages, in stored order.
    pub const ALL: Language = Language(ANY);

    /// Tells whether a text of a language (a number in the file) is one to tell if any is.
    pub(super) fn prefers(self, language: u8) -> bool {
        language == ANY || language == self.0
    }

    pub(super) fn is_all(self) -> bool {
        self == Language::ALL
    }
}

impl fmt::Display for Language {
    /// Writes the ISO code, or `all`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = LANGUAGES.iter().find(|known| known.0 == self.0);
        f.write_str(known.map_or("all", |known| known.1))
    }
}

/// The text names no language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseLanguageError;

impl fmt::Display for ParseLanguageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a language of annotations: all")?;
        LANGUAGES
            .iter()
            .try_for_each(|(_, code, name, _)| write!(f, ", {code} ({name})"))
    }
}

impl std::error::Error for ParseLanguageError {}

impl FromStr for Language {
    type Err = ParseLanguageError;

    /// Reads `all`, an ISO code (`en`), a language's English name or its nation's short name
    /// (`ENG`), in capitals or not.
    fn from_str(text: &str) -> Result<Language, ParseLanguageError> {
        if text.eq_ignore_ascii_case("all") {
            return Ok(Language::ALL);
        }
        let is_named = |&&(_, code, name, nation): &&(u8, &str, &str, &str)| {
            let names = [code, name, nation];
            names.iter().any(|name| name.eq_ignore_ascii_case(text))
        };
        let found = LANGUAGES.iter().find(is_named);
        found
            .map(|found| Language(found.0))
            .ok_or(ParseLanguageError)
    }
}
