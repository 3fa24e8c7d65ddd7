//! What the bytes of texts stand for: an encoding that somebody said, or that is guessed for all
//! names of a database together.

mod dos;
mod guess;

use std::{borrow::Cow, fmt, str::FromStr};

use encoding_rs::{Encoding, UTF_8};
use tabiya_chess::{
    ParseError,
    text::{decode, decode_windows_1252, windows_1252_char},
};

use self::dos::Page;
pub(crate) use self::guess::Evidence;
pub(super) use self::guess::detected;

/// The encoding of a text, by a name of the Encoding Standard, such as `windows-1251`, `iso-8859-2`
/// or `koi8-r`, or as `ibm437` (`cp437`) or `ibm850`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextEncoding(Table);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Table {
    Standard(&'static Encoding),
    Dos(&'static Page),
}

impl FromStr for TextEncoding {
    type Err = ParseError;

    /// Parses a name, ignoring case.
    fn from_str(name: &str) -> Result<TextEncoding, ParseError> {
        let standard = Encoding::for_label_no_replacement(name.as_bytes()).map(Table::Standard);
        let table = standard.or_else(|| Page::of_name(name).map(Table::Dos));
        table.map(TextEncoding).ok_or(NO_ENCODING)
    }
}

/// The name in lower case.
impl fmt::Display for TextEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Table::Standard(encoding) => f.write_str(&encoding.name().to_ascii_lowercase()),
            Table::Dos(page) => f.write_str(page.name),
        }
    }
}

/// The error for text that is not the name of an encoding.
const NO_ENCODING: ParseError = ParseError(
    "no encoding of this name; there are utf-8, windows-1250 to 1258, iso-8859-2, koi8-r, ibm437, \
     ibm850, ibm866",
);

impl TextEncoding {
    /// Whether it is UTF-8.
    pub(crate) fn is_utf8(self) -> bool {
        self.0 == Table::Standard(UTF_8)
    }

    /// Whether ASCII is written as one byte for each character.
    #[doc(hidden)]
    pub fn holds_ascii(self) -> bool {
        match self.0 {
            Table::Standard(encoding) => encoding.is_ascii_compatible(),
            Table::Dos(_) => true,
        }
    }

    /// Whether every character is one byte.
    pub(super) fn is_bytewise(self) -> bool {
        self.standard().is_none_or(Encoding::is_single_byte)
    }

    /// Returns the encoding of the Encoding Standard; `None` for others.
    pub(super) fn standard(self) -> Option<&'static Encoding> {
        match self.0 {
            Table::Standard(encoding) => Some(encoding),
            Table::Dos(_) => None,
        }
    }

    /// Decodes a whole text. Copies nothing if it is ASCII.
    pub(super) fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self.0 {
            Table::Standard(encoding) => encoding.decode_without_bom_handling(bytes).0,
            Table::Dos(page) => match std::str::from_utf8(bytes) {
                Ok(text) if text.is_ascii() => Cow::Borrowed(text),
                _ => bytes.iter().map(|&byte| page.letter(byte)).collect(),
            },
        }
    }

    /// Returns the character of a byte that is one by itself.
    fn letter(self, byte: u8) -> char {
        let letter = self.decode(&[byte]).chars().next();
        letter.unwrap_or(char::REPLACEMENT_CHARACTER)
    }
}

impl From<&'static Encoding> for TextEncoding {
    fn from(encoding: &'static Encoding) -> TextEncoding {
        TextEncoding(Table::Standard(encoding))
    }
}

/// How the texts of a database are read. A text that is UTF-8 as a whole is read as that in each:
/// programs of today add such texts to old databases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Charset {
    /// What is not UTF-8 is Latin-1, even inside one word.
    #[default]
    Latin1,
    Windows1252,
    In(TextEncoding),
}

impl Charset {
    /// Returns the charset for what somebody said or what was guessed; itself, which is the usual
    /// one of the format, for UTF-8 and for nothing.
    pub(crate) fn or(self, known: Option<TextEncoding>) -> Charset {
        let known = known.filter(|known| known.holds_ascii() && !known.is_utf8());
        known.map_or(self, Charset::In)
    }

    /// Returns the encoding, unless it is the usual one of the format.
    pub(crate) fn encoding(self) -> Option<TextEncoding> {
        match self {
            Charset::In(encoding) => Some(encoding),
            Charset::Latin1 | Charset::Windows1252 => None,
        }
    }

    /// Returns the character of a byte that is one by itself.
    pub(super) fn letter(self, byte: u8) -> char {
        match self {
            Charset::Latin1 => char::from(byte),
            Charset::Windows1252 => windows_1252_char(byte),
            Charset::In(encoding) => encoding.letter(byte),
        }
    }

    /// Decodes a text. Copies nothing if it is UTF-8.
    #[inline]
    pub(crate) fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Charset::Latin1 => decode(bytes),
            Charset::Windows1252 => decode_windows_1252(bytes),
            Charset::In(encoding) => match std::str::from_utf8(bytes) {
                Ok(text) => Cow::Borrowed(text),
                Err(_) => encoding.decode(bytes),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoding(name: &str) -> TextEncoding {
        name.parse().expect("an encoding of this name")
    }

    #[test]
    fn code_pages_of_dos_have_their_letters() {
        for name in ["cp437", "IBM437", "437"] {
            let found = encoding(name);
            assert_eq!(found.to_string(), "ibm437");
            assert_eq!(found.decode(b"M\x81ller \xe1 \x9b\xff"), "Müller ß ¢\u{a0}");
        }
        let found = encoding("850");
        assert_eq!(found.to_string(), "ibm850");
        assert_eq!(found.decode(b"S\x9brensen \xc6\xd5"), "Sørensen ãı");
        assert!("cp".parse::<TextEncoding>().is_err());
        assert!("replacement".parse::<TextEncoding>().is_err());
    }

    #[test]
    fn text_in_utf8_stays_in_a_database_of_another_encoding() {
        let charset = Charset::Latin1.or(Some(encoding("windows-1251")));
        assert_eq!(charset.decode(b"\xc8\xe2\xe0\xed"), "Иван");
        assert_eq!(charset.decode("Иван, Žižek".as_bytes()), "Иван, Žižek");
        let usual = Charset::Windows1252;
        assert_eq!(usual.or(Some(encoding("utf-8"))), usual);
        assert_eq!(usual.or(Some(encoding("utf-16le"))), usual);
    }
}
