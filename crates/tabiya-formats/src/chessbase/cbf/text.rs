//! Names and annotations: one byte for each character, in a code page of DOS.
//!
//! In names A2 to A7 are also the pieces of the ChessBase font, in comments B1 to B6: king, queen,
//! knight, bishop, rook, pawn. They are read as those before a square, after a promotion, and next
//! to no letter; else as letters.
//!
//! An annotation consists of up to three signs and a comment, and ends with FF, which may come
//! after any of them:
//!
//! | byte | meaning |
//! |---|---|
//! | 1 | the move: 0 none, 1 to 9, see [`MOVE_NAGS`] |
//! | 1 | the position: 0 none, 1 to 15, see [`POSITION_NAGS`] |
//! | 1 | the variation: 0 none, 1 to 7, see [`LINE_NAGS`] |
//! | | the comment; FE is the end of a line |

use std::borrow::Cow;

use crate::{bytes::Cursor, encoding::Charset};

const PIECES: [char; 6] = ['K', 'Q', 'N', 'B', 'R', 'P'];
const FIRST_PIECE_IN_NAMES: u8 = 0xa2;
const FIRST_PIECE_IN_COMMENTS: u8 = 0xb1;
const LINE_END: u8 = 0xfe;
const END: u8 = 0xff;

/// NAGs of a move; 7 is a mate, which the move tells itself.
const MOVE_NAGS: [u8; 9] = [1, 2, 5, 6, 3, 4, 0, 140, 142];
/// NAGs of a position. From 11 on: counterplay, initiative, attack, time, the only move. For which
/// side is not told; ChessBase has White's number for both.
const POSITION_NAGS: [u8; 15] = [18, 16, 14, 10, 13, 15, 17, 19, 44, 45, 132, 36, 40, 138, 8];
/// NAGs before a variation or a comment; 7 is a break.
const LINE_NAGS: [u8; 7] = [145, 142, 140, 144, 142, 143, 0];

/// The annotation of a move.
#[derive(Debug, Default)]
pub(super) struct Annotation<'a> {
    /// NAGs; 0 for none.
    pub(super) nags: [u8; 3],
    comment: &'a [u8],
    /// Whether its end is there.
    pub(super) is_whole: bool,
}

impl<'a> Annotation<'a> {
    /// Reads the next annotation; `None` if there is none.
    pub(super) fn next(cursor: &mut Cursor<'a>) -> Option<Annotation<'a>> {
        let rest = cursor.rest();
        let end = memchr::memchr(END, rest);
        let bytes = cursor.take(end.unwrap_or(rest.len()))?;
        if end.is_some() {
            cursor.u8();
        } else if bytes.is_empty() {
            return None;
        }
        let sign = |at: usize, nags: &[u8]| {
            let index = bytes.get(at)?.checked_sub(1)?;
            nags.get(usize::from(index)).copied()
        };
        let nags = [
            sign(0, &MOVE_NAGS),
            sign(1, &POSITION_NAGS),
            sign(2, &LINE_NAGS),
        ];
        Some(Annotation {
            nags: nags.map(Option::unwrap_or_default),
            comment: bytes.get(nags.len()..).unwrap_or_default(),
            is_whole: end.is_some(),
        })
    }

    /// Returns the comment; empty for none.
    pub(super) fn comment(&self, charset: Charset) -> String {
        let blank = |byte: &u8| match *byte {
            0 | LINE_END => b' ',
            byte => byte,
        };
        let bytes: Vec<u8> = self.comment.iter().map(blank).collect();
        let comment = decoded(&bytes, charset, FIRST_PIECE_IN_COMMENTS);
        comment.trim().to_owned()
    }
}

/// Decodes a name.
pub(super) fn name(bytes: &[u8], charset: Charset) -> Cow<'_, str> {
    decoded(bytes, charset, FIRST_PIECE_IN_NAMES)
}

fn decoded(bytes: &[u8], charset: Charset, first_piece: u8) -> Cow<'_, str> {
    let is_bytewise = charset.encoding().is_none_or(|known| known.is_bytewise());
    if !is_bytewise || std::str::from_utf8(bytes).is_ok() {
        return charset.decode(bytes);
    }
    let piece = |byte: u8| {
        let index = byte.checked_sub(first_piece)?;
        PIECES.get(usize::from(index)).copied()
    };
    let is_letter = |byte: Option<&u8>| {
        byte.is_some_and(|&byte| piece(byte).is_none() && charset.letter(byte).is_alphabetic())
    };
    let mut told = String::with_capacity(bytes.len() + bytes.len() / 4);
    for (at, &byte) in bytes.iter().enumerate() {
        let (before, after) = (&bytes[..at], &bytes[at + 1..]);
        let is_alone = || !is_letter(before.last()) && !is_letter(after.first());
        let is_move = || begins_with_target(after) || ends_promotion(before);
        let found = piece(byte).filter(|_| is_move() || is_alone());
        told.push(found.unwrap_or_else(|| charset.letter(byte)));
    }
    Cow::Owned(told)
}

fn is_square(bytes: &[u8]) -> bool {
    matches!(bytes, [b'a'..=b'h', b'1'..=b'8', ..])
}

/// Whether the bytes begin as a move behind its piece: `f3`, `xf3`, `bd7`, `1xe2`.
fn begins_with_target(bytes: &[u8]) -> bool {
    let is_target = |bytes: &[u8]| is_square(bytes.strip_prefix(b"x").unwrap_or(bytes));
    let behind_first = bytes.split_first().map_or(&[][..], |(_, rest)| rest);
    let has_origin = matches!(bytes, [b'a'..=b'h' | b'1'..=b'8', ..]);
    is_target(bytes) || has_origin && is_target(behind_first)
}

/// Whether the bytes end as a promotion before its piece: `e8`, `e8=`.
fn ends_promotion(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_suffix(b"=").unwrap_or(bytes);
    matches!(bytes, [.., b'a'..=b'h', b'1' | b'8'])
}

/// Takes the round out of a source: numbers in brackets, as in `Linares (5)`, `Hastings (m/3.2)`.
/// Returns both; the round is empty if there is none.
pub(super) fn event_and_round(source: &str) -> (String, String) {
    /// The most digits of a round: more are a year.
    const DIGITS_MAX: usize = 3;
    for (open, _) in source.match_indices('(') {
        let Some((inside, behind)) = source[open + 1..].split_once(')') else {
            break;
        };
        let numbers = inside.strip_prefix("m/").unwrap_or(inside);
        let parts = || numbers.split(['.', '/', '\\']);
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let is_round = parts().all(|part| part.len() <= DIGITS_MAX && is_number(part));
        let round: Vec<&str> = parts().filter(|part| !part.is_empty()).take(2).collect();
        if is_round && !round.is_empty() {
            let event = [source[..open].trim_end(), behind.trim_start()];
            return (event.join(" ").trim().to_owned(), round.join("."));
        }
    }
    (source.to_owned(), String::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dos() -> Charset {
        Charset::default().or("ibm850".parse().ok())
    }

    #[test]
    fn pieces_are_told_from_letters_by_what_is_beside_them() {
        let names = [
            (&b"G\xa2mez,P"[..], "Gómez,P"),
            (b"Ca\xa4\xa2n,A", "Cañón,A"),
            (b"\xa2+\xa7\xa7 - \xa2", "K+PP - K"),
            (b"M\x81ller,K", "Müller,K"),
        ];
        for (bytes, told) in names {
            assert_eq!(name(bytes, dos()), told);
        }
        let comment = b"\xb3f3 and \xb5ad1, e8\xb2, \xb4\xb4, \xb5vila";
        let told = decoded(comment, dos(), FIRST_PIECE_IN_COMMENTS);
        assert_eq!(told, "Nf3 and Rad1, e8Q, BB, Ávila");
    }

    #[test]
    fn annotations_end_after_any_of_their_parts() {
        let bytes = b"\x01\xff\x00\x04\xff\x07\x00\x01\xff\x05\x0c\x02good\xfemove\xff\xff\x02";
        let mut cursor = Cursor::new(bytes);
        let mut told = Vec::new();
        while let Some(next) = Annotation::next(&mut cursor) {
            told.push((next.nags, next.comment(dos()), next.is_whole));
        }
        let none = String::new;
        let expected = [
            ([1, 0, 0], none(), true),
            ([0, 10, 0], none(), true),
            ([0, 0, 145], none(), true),
            ([3, 36, 142], "good move".to_owned(), true),
            ([0, 0, 0], none(), true),
            ([2, 0, 0], none(), false),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn rounds_in_brackets_are_taken_out_of_events() {
        for (source, event, round) in [
            ("Linares (5)", "Linares", "5"),
            ("Hastings (m/3.2) ENG", "Hastings ENG", "3.2"),
            ("Bundesliga (11/4) [Hort]", "Bundesliga [Hort]", "11.4"),
            ("(open) Bern (7)", "(open) Bern", "7"),
            ("London (1851)", "London (1851)", ""),
            ("Riga ()", "Riga ()", ""),
            ("Riga (3", "Riga (3", ""),
        ] {
            let told = event_and_round(source);
            assert_eq!(told, (event.to_owned(), round.to_owned()));
        }
    }
}
