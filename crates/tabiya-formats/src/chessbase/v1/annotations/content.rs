//! Decodes the content of items.

use tabiya_chess::Medal;

use super::{Item, Quotation, Training};
use crate::{
    bytes::Cursor,
    chessbase::{
        common::{
            annotation,
            marks::{Marks, Period, kind, marked_square},
        },
        v1::flaws,
    },
    damage::Flaw,
};

/// The content of an item.
pub type Content<'a> = annotation::Content<'a, Training<'a>, Quotation<'a>>;

impl<'a> Item<'a> {
    /// Decodes the item; `None` if its bytes do not have the form of its type.
    #[must_use]
    pub fn content(&self) -> Option<Content<'a>> {
        let data = self.data;
        let mut cursor = Cursor::new(data);
        Some(match self.kind {
            kind::TEXT_AFTER | kind::TEXT_BEFORE => {
                let (&[_, language], text) = data.split_first_chunk()?;
                Content::Text { language, text }
            }
            kind::GLYPHS => Content::Glyphs(data),
            kind::SQUARES => Content::Squares(Marks::read(data, 2)?),
            kind::ARROWS => Content::Arrows(Marks::read(data, 3)?),
            kind::TIME_SPENT => match *data {
                [hours, minutes, seconds, ..] => Content::TimeSpent(hours, minutes, seconds),
                _ => return None,
            },
            kind::TRAINING => Content::Training(Training::read(data, self.charset)?),
            kind::SOUND | kind::PICTURE | kind::VIDEO => Content::Media(media(data)?),
            kind::QUOTATION => Content::Quotation(Quotation::read(data, self.charset)?),
            kind::PAWNS => Content::Pawns(cursor.u8()?),
            kind::PATH => Content::Path(cursor.u8()?, marked_square(cursor.u8()?)?),
            kind::WHITE_CLOCK | kind::BLACK_CLOCK => Content::Clock(i32_be(&mut cursor)?),
            kind::CRITICAL => Content::Critical(cursor.u8().filter(|phase| *phase <= 3)?),
            kind::LINK => link(&mut cursor)?,
            kind::EVALUATION => evaluation(&mut cursor)?,
            kind::MEDALS => Content::Medals(medals(&mut cursor)?),
            kind::COLOUR => match *data {
                [flags, blue, green, red, ..] => Content::Colour {
                    flags,
                    rgb: [red, green, blue],
                },
                _ => return None,
            },
            kind::TIME_CONTROL => Content::TimeControl(time_control(&mut cursor)?),
            kind::VIDEO_TIME => Content::VideoTime(i32_be(&mut cursor)?),
            kind::PROFILE => Content::Profile(profile(&mut cursor)?),
            _ => Content::Opaque(data),
        })
    }

    pub(super) fn fault(&self) -> Option<Flaw> {
        match self.content() {
            None => Some(flaws::ANNOTATION_FORM),
            Some(Content::Quotation(quotation)) => quotation.fault(),
            Some(_) => None,
        }
    }
}

fn i32_be(cursor: &mut Cursor<'_>) -> Option<i32> {
    cursor.uint_be(4).map(|number| number as i32)
}

/// Reads digits up to a zero byte or the end.
fn media(data: &[u8]) -> Option<&str> {
    let digits = data.split(|&byte| byte == 0).next()?;
    let digits = std::str::from_utf8(digits).ok()?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(digits)
}

/// Reads the address and the caption of a link, each preceded by a length byte. The two bytes
/// before them are their total length.
fn link<'a>(cursor: &mut Cursor<'a>) -> Option<Content<'a>> {
    cursor.u16_le()?;
    let mut text = || {
        let length = cursor.u8()?;
        cursor.take(length.into())
    };
    Some(Content::Link {
        address: text()?,
        caption: text()?,
    })
}

fn evaluation(cursor: &mut Cursor<'_>) -> Option<Content<'static>> {
    let mut number = || cursor.u16_le().map(|number| number as i16);
    let (value, mate, depth) = (number()?, number()?, number()?);
    matches!(mate, 0 | 1).then_some(Content::Evaluation {
        value,
        mate: mate == 1,
        depth,
    })
}

fn medals(cursor: &mut Cursor<'_>) -> Option<u32> {
    let bits = cursor.uint_be(4)?;
    (bits >> Medal::ALL.len() == 0).then_some(bits)
}

fn time_control(cursor: &mut Cursor<'_>) -> Option<[Period; 3]> {
    let mut period = || {
        let period = Period {
            time: cursor.uint_be(4)?,
            increment: cursor.uint_be(4)?,
            moves: cursor.u16_be()?,
        };
        // The kind of period, which follows from the other values.
        cursor.u8()?;
        Some(period)
    };
    Some([period()?, period()?, period()?])
}

fn profile<'a>(cursor: &mut Cursor<'a>) -> Option<&'a [[u8; 4]]> {
    let count = cursor.u16_be()?;
    let (positions, _) = cursor.rest().as_chunks();
    positions.get(..count.into())
}
