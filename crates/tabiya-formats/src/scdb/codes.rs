//! The bytes of one game: its length, its start, its tokens.
//!
//! A game consists of the number of its other bytes, a byte that is 1 if a start position follows
//! and 0 otherwise, that position as a length and a FEN, and tokens up to the end:
//!
//! | first byte | meaning |
//! |---|---|
//! | 00–7F | a move, two bytes: bits 14 to 12 promotion, 11 to 6 from, 5 to 0 to |
//! | 80, 84 | a variation begins, an alternative to the last move; 80 only in the description |
//! | 85 | the variation ends |
//! | 86 | a comment: length and text |
//! | 87 | NAGs: length and that many numbers |
//! | 88 | a null move |
//!
//! A length is one byte below 128, or a byte 81 to 84 and as many bytes as its low half says.
//! The reference program uses the long form from 127 on and reads only that form there.

use super::flaws;
use crate::{Decoded, bytes::Cursor, damage_at};

pub(super) const BEGIN: u8 = 0x84;
pub(super) const END: u8 = 0x85;
pub(super) const COMMENT: u8 = 0x86;
pub(super) const NAGS: u8 = 0x87;
pub(super) const NULL: u8 = 0x88;
/// The value of [`BEGIN`] in the published description.
const DESCRIBED_BEGIN: u8 = 0x80;

/// One token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Promotion, from and to.
    Move(u16),
    Null,
    Begin,
    End,
    Comment(&'a [u8]),
    Nags(&'a [u8]),
}

/// The bytes of one game, with its FEN and the offset of its tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes<'a> {
    /// All bytes, including the length.
    all: &'a [u8],
    pub(super) fen: Option<&'a [u8]>,
    tokens_at: usize,
}

impl<'a> Bytes<'a> {
    /// Reads the game that begins at the start of `rest`.
    #[inline]
    pub(super) fn new(rest: &'a [u8]) -> Decoded<Bytes<'a>> {
        let mut cursor = Cursor::new(rest);
        let length = length(&mut cursor).ok_or(damage_at(flaws::NO_LENGTH, 0))?;
        let beyond = damage_at(flaws::BEYOND_FILE, 0);
        let end = cursor.offset() + length as usize;
        let all = rest.get(..end).ok_or(beyond)?;
        let mut cursor = Cursor::new(all);
        let _ = self::length(&mut cursor);
        let at = cursor.offset();
        let fen = match cursor.u8() {
            Some(0) => None,
            Some(1) => {
                let length = self::length(&mut cursor);
                let fen = length.and_then(|length| cursor.take(length as usize));
                Some(fen.ok_or(damage_at(flaws::START_CUT, at))?)
            }
            Some(_) => return Err(damage_at(flaws::UNKNOWN_START, at)),
            None => return Err(damage_at(flaws::GAME_CUT, at)),
        };
        Ok(Bytes {
            all,
            fen,
            tokens_at: cursor.offset(),
        })
    }

    /// Returns the number of bytes of the game, including its length.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns all bytes of the game, including its length.
    pub(super) fn all(&self) -> &'a [u8] {
        self.all
    }

    /// Returns the offset of the tokens.
    pub(super) fn tokens_at(&self) -> usize {
        self.tokens_at
    }

    pub(super) fn tokens(&self) -> Tokens<'a> {
        let mut cursor = Cursor::new(self.all);
        cursor.take(self.tokens_at);
        Tokens { cursor }
    }
}

/// Reads tokens one after the other.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    cursor: Cursor<'a>,
}

impl<'a> Tokens<'a> {
    /// Returns the offset of the next token from the start of the game.
    #[inline]
    pub(super) fn offset(&self) -> usize {
        self.cursor.offset()
    }

    /// Whether the next token is a move or a null move.
    #[inline]
    pub(super) fn is_at_move(&self) -> bool {
        self.cursor
            .rest()
            .first()
            .is_some_and(|&first| first < 0x80 || first == NULL)
    }

    /// Returns the next token; `None` at the end of the game.
    #[inline]
    pub(super) fn next(&mut self) -> Decoded<Option<Token<'a>>> {
        let at = self.offset();
        let Some(first) = self.cursor.u8() else {
            return Ok(None);
        };
        if first < 0x80 {
            let second = self.cursor.u8().ok_or(damage_at(flaws::GAME_CUT, at))?;
            return Ok(Some(Token::Move(u16::from(first) << 8 | u16::from(second))));
        }
        Ok(Some(match first {
            BEGIN | DESCRIBED_BEGIN => Token::Begin,
            END => Token::End,
            COMMENT => Token::Comment(self.text(at)?),
            NAGS => Token::Nags(self.text(at)?),
            NULL => Token::Null,
            _ => return Err(damage_at(flaws::UNKNOWN_TOKEN, at)),
        }))
    }

    fn text(&mut self, at: usize) -> Decoded<&'a [u8]> {
        let length = length(&mut self.cursor);
        let text = length.and_then(|length| self.cursor.take(length as usize));
        text.ok_or(damage_at(flaws::GAME_CUT, at))
    }
}

/// Reads a length.
fn length(cursor: &mut Cursor<'_>) -> Option<u32> {
    match cursor.u8()? {
        short @ 0..=0x7f => Some(short.into()),
        long @ 0x81..=0x84 => cursor.uint_be(usize::from(long & 15)),
        _ => None,
    }
}

/// Appends a length in the form that the reference program reads.
pub(super) fn append_length(to: &mut Vec<u8>, length: u32) {
    let width = match length {
        0..127 => {
            to.push(length as u8);
            return;
        }
        127..255 => 1,
        255..65_535 => 2,
        65_535..16_777_215 => 3,
        _ => 4,
    };
    to.push(0x80 | width as u8);
    to.extend_from_slice(&length.to_be_bytes()[4 - width..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_switch_form_one_early_and_read_in_both() {
        let cases: [(u32, &[u8]); 8] = [
            (126, &[126]),
            (127, &[0x81, 127]),
            (254, &[0x81, 254]),
            (255, &[0x82, 0, 255]),
            (65_534, &[0x82, 0xff, 0xfe]),
            (65_535, &[0x83, 0, 0xff, 0xff]),
            (16_777_214, &[0x83, 0xff, 0xff, 0xfe]),
            (16_777_215, &[0x84, 0, 0xff, 0xff, 0xff]),
        ];
        for (number, bytes) in cases {
            let mut written = Vec::new();
            append_length(&mut written, number);
            assert_eq!(written, bytes);
            assert_eq!(length(&mut Cursor::new(bytes)), Some(number));
        }
        assert_eq!(length(&mut Cursor::new(&[127])), Some(127));
        for none in [&[0x80, 0][..], &[0x85, 0, 0, 0, 0, 0], &[0x82, 0], &[]] {
            assert_eq!(length(&mut Cursor::new(none)), None);
        }
    }
}
