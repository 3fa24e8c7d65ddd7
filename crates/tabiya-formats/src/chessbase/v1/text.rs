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
use crate::{Decoded, bytes::Cursor, damage_at, encoding::Charset};

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

/// Elements that start a new line.
const BREAKING: [&str; 12] = [
    "br", "p", "div", "tr", "li", "table", "h1", "h2", "h3", "h4", "h5", "h6",
];
/// Elements whose content is not shown.
const HIDDEN: [&str; 4] = ["head", "script", "style", "title"];

/// Removes HTML tags, decodes character references, and collapses each run of white space into one
/// space or one line break.
pub(crate) fn without_markup(html: &str) -> String {
    let mut plain = Plain::default();
    let mut rest = html;
    while let Some(at) = rest.find(['<', '&']) {
        let (text, special) = rest.split_at(at);
        plain.text(text);
        rest = if special.starts_with('<') {
            past_tag(special, &mut plain)
        } else {
            past_reference(special, &mut plain)
        };
    }
    plain.text(rest);
    plain.text
}

/// Builds text with collapsed white space.
#[derive(Default)]
struct Plain {
    text: String,
    /// White space to insert before the next letter, if any.
    pending: Option<char>,
}

impl Plain {
    fn text(&mut self, text: &str) {
        text.chars().for_each(|letter| self.letter(letter));
    }

    fn letter(&mut self, letter: char) {
        if letter.is_whitespace() {
            self.pending.get_or_insert(' ');
            return;
        }
        let between = self.pending.take().filter(|_| !self.text.is_empty());
        self.text.extend(between);
        self.text.push(letter);
    }
}

/// Skips a tag, and the content of a hidden element.
fn past_tag<'h>(html: &'h str, plain: &mut Plain) -> &'h str {
    let (tag, rest) = html.split_once('>').unwrap_or((html, ""));
    let closes = tag.starts_with("</");
    let name = tag.trim_start_matches(['<', '/']);
    let name = name.split(|letter: char| !letter.is_alphanumeric()).next();
    let name = name.unwrap_or_default().to_ascii_lowercase();
    if BREAKING.contains(&name.as_str()) {
        plain.pending = Some('\n');
    }
    if HIDDEN.contains(&name.as_str()) && !closes {
        past_element(rest, &name)
    } else {
        rest
    }
}

/// Returns what follows the content of an element; empty if it has no end.
fn past_element<'h>(html: &'h str, name: &str) -> &'h str {
    let ends = html.match_indices("</").find(|(at, _)| {
        let found = html.as_bytes().get(at + 2..at + 2 + name.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
    });
    ends.map_or("", |(at, _)| &html[at..])
}

/// Decodes a character reference. An ampersand that starts none is text.
fn past_reference<'h>(html: &'h str, plain: &mut Plain) -> &'h str {
    const LENGTH_MAX: usize = 10;
    const NAMED: [(&str, char); 6] = [
        ("amp", '&'),
        ("lt", '<'),
        ("gt", '>'),
        ("quot", '"'),
        ("apos", '\''),
        ("nbsp", ' '),
    ];
    let end = html.bytes().take(LENGTH_MAX).position(|byte| byte == b';');
    let read = end.and_then(|end| {
        let name = &html[1..end];
        let named = NAMED.iter().find(|(known, _)| *known == name);
        let numbered = || {
            let number = name.strip_prefix('#')?;
            let hexadecimal = number.strip_prefix(['x', 'X']);
            let number = match hexadecimal {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(number.ok()?)
        };
        let letter = named.map(|&(_, letter)| letter).or_else(numbered)?;
        Some((letter, &html[end + 1..]))
    });
    let (letter, rest) = read.unwrap_or(('&', &html[1..]));
    plain.letter(letter);
    rest
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

    #[test]
    fn html_becomes_lines_of_text() {
        let html = "<HTML><Head><title>x</title></HEAD><body bgcolor=\"#fff\"><p>Some &amp; \n \
                    <b>bold</b></p><p>&lt;A&#x42;&#67;&gt;&nbsp;AT&T; <br/>end</body>";
        assert_eq!(without_markup(html), "Some & bold\n<ABC> AT&T;\nend");
        assert_eq!(without_markup("a<script>b</b>"), "a");
        assert_eq!(without_markup("a<unclosed"), "a");
        assert_eq!(without_markup("&é&;&#1114112;"), "&é&;&#1114112;");
    }
}
