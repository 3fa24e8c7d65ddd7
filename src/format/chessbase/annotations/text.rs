//! Texts: UTF-8 or Windows-1252, with signs of the ChessBase font among them.
//!
//! | sign | bytes in Windows-1252 | in UTF-8 |
//! |---|---|---|
//! | diagram | 04, 9E | U+0004 |
//! | king, queen, knight, bishop, rook, pawn | A2 to A7 | |
//! | king, queen, rook, bishop, knight | | U+E024 to U+E028 |
//!
//! In Windows-1252 9E is also `ž`, which it is beside a letter, and A2 to A7 are `¢£¤¥¦§`, which
//! they are unless a square stands beside them.

use std::borrow::Cow;

use crate::chess::text::{decode_windows_1252, encode_windows_1252, windows_1252_char};

/// What a diagram is in PGN.
const DIAGRAM: &str = "[#]";
const DIAGRAM_BYTE: u8 = 0x04;
const OLD_DIAGRAM_BYTE: u8 = 0x9e;
const FIGURINES: [char; 6] = ['K', 'Q', 'N', 'B', 'R', 'P'];
const FIRST_FIGURINE_BYTE: u8 = 0xa2;
const UNICODE_FIGURINES: [char; 5] = ['K', 'Q', 'R', 'B', 'N'];
const FIRST_UNICODE_FIGURINE: u32 = 0xe024;

/// Returns a text as PGN has it.
pub(super) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let Cow::Borrowed(text) = decode_windows_1252(bytes) else {
        return Cow::Owned(decoded_windows_1252(bytes));
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

/// Tells whether a text has characters that are signs in a file, and read back as what these are
/// in PGN.
pub(in crate::format::chessbase) fn holds_signs(text: &str) -> bool {
    text.contains(|character| {
        character == char::from(DIAGRAM_BYTE) || figurine(character).is_some()
    })
}

fn figurine(character: char) -> Option<char> {
    let index = u32::from(character).checked_sub(FIRST_UNICODE_FIGURINE)?;
    UNICODE_FIGURINES.get(index as usize).copied()
}

fn decoded_windows_1252(bytes: &[u8]) -> String {
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
            _ => told.push(windows_1252_char(byte)),
        }
    }
    told
}

fn is_letter(byte: Option<&u8>) -> bool {
    byte.is_some_and(|&byte| windows_1252_char(byte).is_alphabetic())
}

fn is_square(bytes: &[u8]) -> bool {
    matches!(bytes, [b'a'..=b'h', b'1'..=b'8', ..])
}

/// Tells whether the bytes go on as a move does behind its piece: `f3`, `xf3`, `bd7`, `1xe2`.
fn begins_with_target(bytes: &[u8]) -> bool {
    let capture = |bytes: &[u8]| is_square(bytes.strip_prefix(b"x").unwrap_or(bytes));
    match bytes {
        [b'a'..=b'h' | b'1'..=b'8', rest @ ..] if capture(rest) => true,
        bytes => capture(bytes),
    }
}

/// Tells whether the bytes end as a pawn's move does before what it becomes: `e8`, `e8=`.
fn ends_promotion(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_suffix(b"=").unwrap_or(bytes);
    matches!(bytes, [.., b'a'..=b'h', b'1' | b'8'])
}

/// Encodes a text so that [`decoded`] gives it back: in Windows-1252, which all versions of
/// ChessBase read, if that can be. Only letters are written so: other readers take many of the
/// bytes below them for signs of the ChessBase font.
pub(super) fn encoded(text: &str) -> Vec<u8> {
    let marked = text.replace(DIAGRAM, "\u{4}");
    let narrow = encode_windows_1252(&marked);
    let may_be_sign = |byte: &u8| (0x80..0xc0).contains(byte);
    narrow
        .filter(|bytes| !bytes.iter().any(may_be_sign) && decoded(bytes) == text)
        .unwrap_or_else(|| marked.into_bytes())
}
