//! Training questions.
//!
//! Unlike the rest of an annotation, they are little-endian:
//!
//! | bytes | meaning |
//! |---|---|
//! | 3 | 1, 0, 1 |
//! | 2 | bytes from here on |
//! | 4 | seconds to answer |
//! | 2 | points to win |
//! | | four groups of texts: the question and three hints |
//! | 1 | number of answers |
//! | | answers: from, to (0 a1, 1 a2, ... 63 h8), 1 unknown, points, a group of texts |
//!
//! A group of texts is their number (2), and for each a language (2), a length (2) and the bytes.

use std::fmt::{self, Write as _};

use crate::{
    bytes::Cursor,
    chessbase::common::{
        commands::{Quoted, from_to},
        text,
    },
    encoding::Charset,
};

const HEAD: [u8; 3] = [1, 0, 1];
const HELPS: usize = 3;

/// A training question: a move to find, with texts and points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Training<'a> {
    /// Number of seconds to answer.
    pub seconds: u32,
    /// Number of points to win.
    pub points: u16,
    /// The bytes from the question on.
    rest: &'a [u8],
    charset: Charset,
}

impl<'a> Training<'a> {
    /// Reads a question and checks that it is complete.
    pub(super) fn read(data: &'a [u8], charset: Charset) -> Option<Training<'a>> {
        let mut cursor = Cursor::new(data);
        if cursor.take(HEAD.len())? != HEAD {
            return None;
        }
        let length = usize::from(cursor.u16_le()?);
        let mut cursor = Cursor::new(cursor.take(length.checked_sub(2)?)?);
        let training = Training {
            seconds: u32::from(cursor.u16_le()?) | u32::from(cursor.u16_le()?) << 16,
            points: cursor.u16_le()?,
            rest: cursor.rest(),
            charset,
        };
        training.parts()?;
        Some(training)
    }

    /// Returns all parts in stored order; `None` if the bytes end too early.
    fn parts(&self) -> Option<Vec<Part<'a>>> {
        let (mut cursor, mut parts) = (Cursor::new(self.rest), Vec::new());
        for _ in 0..=HELPS {
            texts(&mut cursor, &mut parts)?;
        }
        for _ in 0..cursor.u8().unwrap_or(0) {
            let &[from, to, _, points] = cursor.take(4)?.first_chunk()?;
            parts.push(Part::Answer { from, to, points });
            texts(&mut cursor, &mut parts)?;
        }
        Some(parts)
    }
}

/// A part of a question.
enum Part<'a> {
    Text(&'a [u8]),
    Answer { from: u8, to: u8, points: u8 },
}

/// Appends the texts of a group; `None` if the bytes end too early.
fn texts<'a>(cursor: &mut Cursor<'a>, parts: &mut Vec<Part<'a>>) -> Option<()> {
    for _ in 0..cursor.u16_le()? {
        let _language = cursor.u16_le()?;
        let length = cursor.u16_le()?;
        parts.push(Part::Text(cursor.take(length.into())?));
    }
    Some(())
}

impl fmt::Display for Training<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}s {}p", self.seconds, self.points)?;
        let parts = self.parts().unwrap_or_default();
        parts.into_iter().try_for_each(|part| match part {
            Part::Text(text) => write!(f, " {}", Quoted(&text::decoded(text, self.charset))),
            Part::Answer { from, to, points } => {
                f.write_char(' ')?;
                from_to(from, to, f)?;
                write!(f, " {points}p")
            }
        })
    }
}
