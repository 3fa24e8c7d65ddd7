//! The languages of texts.

use std::{fmt, str::FromStr};

/// For each language: the number of the nation that identifies it, its ISO code, its name, and the
/// nation's short name.
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

/// The language number of texts of no particular language.
const ANY: u8 = 0;

/// Which languages of a comment to report: all, or one if there is a choice.
///
/// Texts of no language are always reported. If a place has neither those nor the preferred
/// language, all its texts are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Language(u8);

impl Language {
    /// Reports texts of all languages, in stored order.
    pub const ALL: Language = Language(ANY);

    /// Whether texts of a language (a number in the file) are preferred.
    pub(crate) fn prefers(self, language: u8) -> bool {
        language == ANY || language == self.0
    }

    pub(crate) fn is_all(self) -> bool {
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

/// The error of parsing a text that names no language.
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

    /// Parses `all`, an ISO code (`en`), a language's English name or its nation's short name
    /// (`ENG`), ignoring case.
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
