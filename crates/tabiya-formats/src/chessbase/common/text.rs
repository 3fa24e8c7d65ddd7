//! Texts: UTF-8 or Windows-1252, or the encoding of the database, including symbols of the
//! ChessBase font.
//!
//! | symbol | bytes in Windows-1252 | in UTF-8 |
//! |---|---|---|
//! | diagram | 04, 9E | U+0004 |
//! | king, queen, knight, bishop, rook, pawn | A2 to A7 | |
//! | king, queen, rook, bishop, knight | | U+E024 to U+E028 |
//!
//! In Windows-1252, 9E is also `ž`, and is read as that next to a letter. A2 to A7 are also
//! `¢£¤¥¦§`, and are read as those unless next to a square. In other encodings they are other
//! letters by the same rules.

use std::borrow::Cow;

use tabiya_chess::text::encode_windows_1252;

use crate::encoding::Charset;

/// A diagram in PGN.
const DIAGRAM: &str = "[#]";
const DIAGRAM_BYTE: u8 = 0x04;
const OLD_DIAGRAM_BYTE: u8 = 0x9e;
const FIGURINES: [char; 6] = ['K', 'Q', 'N', 'B', 'R', 'P'];
const FIRST_FIGURINE_BYTE: u8 = 0xa2;
const UNICODE_FIGURINES: [char; 5] = ['K', 'Q', 'R', 'B', 'N'];
const FIRST_UNICODE_FIGURINE: u32 = 0xe024;

/// Converts a text to its form in PGN.
pub(crate) fn decoded(bytes: &[u8], charset: Charset) -> Cow<'_, str> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return match charset.encoding() {
            Some(encoding) if !encoding.is_bytewise() => charset.decode(bytes),
            _ => Cow::Owned(decoded_bytes(bytes, charset)),
        };
    };
    if !holds_signs(text) {
        return Cow::Borrowed(text);
    }
    let mut told = String::with_capacity(text.len() + DIAGRAM.len());
    for character in text.chars() {
        match figurine(character) {
            Some(letter) => told.push(letter),
            None if character == char::from(DIAGRAM_BYTE) => told.push_str(DIAGRAM),
            None => told.push(character),
        }
    }
    Cow::Owned(told)
}

/// Whether a text has characters that stand for symbols in a file, so that they would read back as
/// the PGN form of those.
pub(crate) fn holds_signs(text: &str) -> bool {
    text.contains(|character| {
        character == char::from(DIAGRAM_BYTE) || figurine(character).is_some()
    })
}

fn figurine(character: char) -> Option<char> {
    let index = u32::from(character).checked_sub(FIRST_UNICODE_FIGURINE)?;
    UNICODE_FIGURINES.get(index as usize).copied()
}

/// Decodes a text of one byte for each character.
fn decoded_bytes(bytes: &[u8], charset: Charset) -> String {
    let is_letter =
        |byte: Option<&u8>| byte.is_some_and(|&byte| charset.letter(byte).is_alphabetic());
    let mut told = String::with_capacity(bytes.len() + bytes.len() / 4);
    for (at, &byte) in bytes.iter().enumerate() {
        let (before, after) = (&bytes[..at], &bytes[at + 1..]);
        let figurine = byte.checked_sub(FIRST_FIGURINE_BYTE);
        let figurine = figurine.and_then(|index| FIGURINES.get(usize::from(index)));
        match (byte, figurine) {
            (DIAGRAM_BYTE, _) => told.push_str(DIAGRAM),
            (OLD_DIAGRAM_BYTE, _) if !is_letter(before.last()) && !is_letter(after.first()) => {
                told.push_str(DIAGRAM);
            }
            (_, Some(&letter)) if begins_with_target(after) || ends_promotion(before) => {
                told.push(letter);
            }
            _ => told.push(charset.letter(byte)),
        }
    }
    told
}

fn is_square(bytes: &[u8]) -> bool {
    matches!(bytes, [b'a'..=b'h', b'1'..=b'8', ..])
}

/// Whether the bytes start like a move after its piece letter: `f3`, `xf3`, `bd7`, `1xe2`.
fn begins_with_target(bytes: &[u8]) -> bool {
    let capture = |bytes: &[u8]| is_square(bytes.strip_prefix(b"x").unwrap_or(bytes));
    match bytes {
        [b'a'..=b'h' | b'1'..=b'8', rest @ ..] if capture(rest) => true,
        bytes => capture(bytes),
    }
}

/// Whether the bytes end like a promotion before its piece letter: `e8`, `e8=`.
fn ends_promotion(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_suffix(b"=").unwrap_or(bytes);
    matches!(bytes, [.., b'a'..=b'h', b'1' | b'8'])
}

/// Encodes a text so that [`decoded`] restores it: in Windows-1252, which all versions of ChessBase
/// read, if possible, and else in UTF-8. Windows-1252 is not used for texts with bytes 80 to BF:
/// other readers take many of those for symbols of the ChessBase font.
pub(crate) fn encoded(text: &str) -> Vec<u8> {
    let marked = text.replace(DIAGRAM, "\u{4}");
    let narrow = encode_windows_1252(&marked);
    let may_be_sign = |byte: &u8| (0x80..0xc0).contains(byte);
    narrow
        .filter(|bytes| {
            !bytes.iter().any(may_be_sign) && decoded(bytes, Charset::Windows1252) == text
        })
        .unwrap_or_else(|| marked.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_another_encoding_have_the_same_symbols() {
        let charset = Charset::Windows1252.or("windows-1251".parse().ok());
        let text = b"\xcb\xf3\xf7\xf8\xe5 \xa3f3 \xb8 \x9e \x04";
        assert_eq!(decoded(text, charset), "Лучше Qf3 ё [#] [#]");
        let shifted = Charset::Windows1252.or("shift_jis".parse().ok());
        assert_eq!(decoded(b"\x8f\x9f\x82\xbf", shifted), "勝ち");
    }
}
