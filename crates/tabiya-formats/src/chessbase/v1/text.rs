//! The texts of a `.cbg` file: titles and bodies in up to eight languages.
//!
//! The first four bytes are as in games, see [`stream`](super::stream). The rest is little-endian:
//!
//! | bytes | meaning |
//! |---|---|
//! | 2 | version, 1 to 3 |
//! | 2 | titles |
//! | | for each: language (2), length (2), text |
//! | 1 | unknown |
//! | 2 | bodies |
//! | | for each: language (2), length, text, and more that depends on the version |
//!
//! Version 1 has two-byte lengths, versions 2 and 3 four-byte ones. A body of versions 1 and 2 is
//! plain text, followed by a length and that many bytes of layout. In version 3 it is HTML,
//! followed by four zero bytes. Languages: 0 English, 1 German, 2 French, 3 Spanish, 4 Italian, 5
//! Dutch, 6 Portuguese, 7 none.

use std::borrow::Cow;

use super::{
    flaws,
    stream::{HEAD_BYTES, body},
};
use crate::{
    Decoded, bytes::Cursor, chessbase::common::markup::without_markup, damage_at, encoding::Charset,
};

/// Bit of the first byte.
const IS_TEXT: u8 = 1 << 7;

/// The parts of a text.
#[derive(Debug, Default)]
pub(super) struct Text<'a> {
    /// Titles, one per language.
    pub(super) titles: Vec<&'a [u8]>,
    /// Bodies, one per language.
    pub(super) bodies: Vec<&'a [u8]>,
    is_html: bool,
    /// Whether the first byte marks it as a text.
    pub(super) is_marked: bool,
    /// Number of bytes after the last part.
    pub(super) surplus: usize,
}

impl<'a> Text<'a> {
    /// Parses the text at the start of these bytes. O(number of parts).
    pub(super) fn new(bytes: &'a [u8]) -> Decoded<Text<'a>> {
        let body = body(bytes)?;
        let mut cursor = Cursor::new(body);
        let mut text = Text {
            is_marked: bytes[0] & IS_TEXT != 0,
            ..Text::default()
        };
        match text.read(&mut cursor) {
            Some(()) => Ok(text),
            None => Err(damage_at(flaws::TEXT_CUT, HEAD_BYTES + cursor.offset())),
        }
    }

    fn read(&mut self, cursor: &mut Cursor<'a>) -> Option<()> {
        let version = number(cursor, 2)?;
        self.is_html = version >= 3;
        for _ in 0..number(cursor, 2)? {
            number(cursor, 2)?;
            self.titles.push(counted(cursor, 2)?);
        }
        number(cursor, 1)?;
        let width = if version == 1 { 2 } else { 4 };
        for _ in 0..number(cursor, 2)? {
            number(cursor, 2)?;
            self.bodies.push(counted(cursor, width)?);
            if self.is_html {
                number(cursor, 4)?
            } else {
                counted(cursor, width)?.len()
            };
        }
        self.surplus = cursor.left();
        Some(())
    }

    /// Returns the nonblank titles and bodies as plain text.
    pub(super) fn told(&self, charset: Charset) -> impl Iterator<Item = Cow<'a, str>> {
        let titles = self.titles.iter();
        let titles = titles.map(move |title| charset.decode(title));
        let bodies = self.bodies.iter().map(move |body| {
            let body = charset.decode(body);
            if self.is_html {
                Cow::Owned(without_markup(&body))
            } else {
                body
            }
        });
        titles.chain(bodies).filter(|text| !text.trim().is_empty())
    }
}

/// Reads a little-endian number of one to four bytes.
fn number(cursor: &mut Cursor<'_>, width: usize) -> Option<usize> {
    let bytes = cursor.take(width)?.iter().rev();
    Some(bytes.fold(0, |number, &byte| number << 8 | usize::from(byte)))
}

/// Reads bytes preceded by their length.
fn counted<'a>(cursor: &mut Cursor<'a>, width: usize) -> Option<&'a [u8]> {
    let length = number(cursor, width)?;
    cursor.take(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text of a version with one title and these bodies.
    fn text(version: u16, bodies: &[&[u8]]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let numbers = [version, 1, 7, 5];
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(b"Title\0");
        bytes.extend((bodies.len() as u16).to_le_bytes());
        for body in bodies {
            bytes.extend([1, 0]);
            let width = if version == 1 { 2 } else { 4 };
            bytes.extend(&(body.len() as u32).to_le_bytes()[..width]);
            bytes.extend(*body);
            if version < 3 {
                bytes.extend(&2_u32.to_le_bytes()[..width]);
                bytes.extend([9, 9]);
            } else {
                bytes.extend([0; 4]);
            }
        }
        let length = (bytes.len() + 4) as u32 | 0x80 << 24;
        [length.to_be_bytes().to_vec(), bytes].concat()
    }

    fn told(bytes: &[u8]) -> Vec<String> {
        let text = Text::new(bytes).unwrap();
        assert_eq!(text.surplus, 0);
        text.told(Charset::Windows1252)
            .map(Cow::into_owned)
            .collect()
    }

    #[test]
    fn each_version_has_its_titles_and_bodies() {
        let bodies: [&[u8]; 3] = [b"One", b" ", b"Caf\xe9 <b>"];
        assert_eq!(told(&text(1, &bodies)), ["Title", "One", "Café <b>"]);
        assert_eq!(told(&text(2, &bodies)), ["Title", "One", "Café <b>"]);
        assert_eq!(told(&text(3, &bodies)), ["Title", "One", "Café"]);
    }

    #[test]
    fn a_text_that_is_cut_short_says_where() {
        let bytes = text(1, &[b"One"]);
        for length in 0..bytes.len() {
            let fault = Text::new(&bytes[..length]).unwrap_err();
            assert!(fault.at as usize <= length);
        }
    }
}
