//! Training questions.
//!
//! | bytes | meaning |
//! |---|---|
//! | 6 | the third is the variant |
//! | 4 | seconds to answer |
//! | 2 | points to win |
//! | | four lists: the question and three replies |
//! | 1 | number of answers |
//! | | answers |
//!
//! An answer of variant 1 is from and to (0 a1, 1 a2, ... 63 h8), 2 unknown, and a list; one of
//! variant 2 is points (1) and two lists.
//!
//! A list is the number of its parts (2), and for each its kind (2: 0 text, 7 arrows, 8 squares),
//! its length (4) and its bytes.

use std::fmt::{self, Display as _, Write as _};

use crate::{
    bytes::Cursor,
    chessbase::common::{
        commands::{Quoted, from_to, hex},
        marks::Marks,
        text,
    },
    chessbase::v2::names::{int, text as counted},
    encoding::Charset,
};

const LISTS: usize = 4;
const TEXT: u16 = 0;
const ARROWS: u16 = 7;
const SQUARES: u16 = 8;

/// A training question.
#[derive(Debug)]
pub(super) struct Training<'a> {
    seconds: i32,
    points: u16,
    parts: Vec<Part<'a>>,
    charset: Charset,
}

/// A part of a question.
#[derive(Debug)]
enum Part<'a> {
    /// Kind and bytes.
    Told(u16, &'a [u8]),
    Move(u8, u8),
    Points(u8),
}

impl<'a> Training<'a> {
    /// Reads a question; `None` if it is cut short or of an unknown variant.
    pub(super) fn read(cursor: &mut Cursor<'a>) -> Option<Training<'a>> {
        let &[_, _, variant, ..] = cursor.take(6)?.first_chunk::<6>()?;
        let mut training = Training {
            seconds: int(cursor)?,
            points: cursor.u16_le()?,
            parts: Vec::new(),
            charset: Charset::Windows1252,
        };
        for _ in 0..LISTS {
            training.list(cursor)?;
        }
        for _ in 0..cursor.u8()? {
            match variant {
                1 => {
                    let &[from, to, _, _] = cursor.take(4)?.first_chunk()?;
                    training.parts.push(Part::Move(from, to));
                    training.list(cursor)?;
                }
                2 => {
                    training.parts.push(Part::Points(cursor.u8()?));
                    training.list(cursor)?;
                    training.list(cursor)?;
                }
                _ => return None,
            }
        }
        Some(training)
    }

    /// Sets how texts are read that are not UTF-8.
    pub(super) fn with_charset(self, charset: Charset) -> Training<'a> {
        Training { charset, ..self }
    }

    fn list(&mut self, cursor: &mut Cursor<'a>) -> Option<()> {
        for _ in 0..cursor.u16_le()? {
            let kind = cursor.u16_le()?;
            self.parts.push(Part::Told(kind, counted(cursor)?));
        }
        Some(())
    }
}

impl fmt::Display for Training<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}s {}p", self.seconds, self.points)?;
        self.parts.iter().try_for_each(|part| {
            f.write_char(' ')?;
            part.write(self.charset, f)
        })
    }
}

impl Part<'_> {
    fn write(&self, charset: Charset, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let marks = |name: &str, width, bytes, f: &mut fmt::Formatter<'_>| {
            write!(f, "{name} ")?;
            match Marks::read(bytes, width) {
                Some(marks) => marks.fmt(f),
                None => hex(bytes, f),
            }
        };
        match *self {
            Part::Told(TEXT, bytes) => Quoted(&text::decoded(bytes, charset)).fmt(f),
            Part::Told(ARROWS, bytes) => marks("cal", 3, bytes, f),
            Part::Told(SQUARES, bytes) => marks("csl", 2, bytes, f),
            Part::Told(kind, bytes) => {
                write!(f, "{kind} ")?;
                hex(bytes, f)
            }
            Part::Move(from, to) => from_to(from, to, f),
            Part::Points(points) => write!(f, "{points}p"),
        }
    }
}
