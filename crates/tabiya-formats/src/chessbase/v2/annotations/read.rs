//! One annotation: its length, which the type decides, and its content.

use std::fmt;

use super::{kind, quotation::Quotation, training::Training};
use crate::{
    bytes::Cursor,
    chessbase::common::{
        annotation::{self, Command},
        commands::{Quoted, evaluation, separated},
        marks::{Marks, Period, marked_square},
        tell::Note,
        text,
    },
    chessbase::v2::{
        flaws,
        names::{int, text as counted},
    },
    damage::Flaw,
    encoding::Charset,
};

/// Types that only this format has, or of which nobody has told the meaning.
const UNKNOWN_08: u16 = 0x08;
const UNKNOWN_27: u16 = 0x27;
/// The name of the command for bytes without a known meaning.
const RAW: &str = "2cba";

/// An annotation.
#[derive(Debug, Clone, Copy)]
pub(in crate::chessbase::v2) struct Item<'a> {
    kind: u8,
    data: &'a [u8],
    charset: Charset,
}

/// The content of an annotation that `.cbh` has too.
type Content<'a> = annotation::Content<'a, Training<'a>, Quotation<'a>>;

/// The content of an annotation.
#[derive(Debug)]
enum Annotated<'a> {
    Shared(Content<'a>),
    Profile(Profile<'a>),
    Video(&'a [u8]),
}

impl<'a> Item<'a> {
    /// Reads the annotation at the cursor.
    pub(in crate::chessbase::v2) fn read(cursor: &mut Cursor<'a>) -> Result<Item<'a>, Flaw> {
        let cut = flaws::ANNOTATIONS_CUT;
        let kind = cursor.u16_le().ok_or(cut)?;
        let mut inside = Cursor::new(cursor.rest());
        let is_known = skip(kind, &mut inside).ok_or(cut)?;
        let kind = u8::try_from(kind).ok().filter(|_| is_known);
        let kind = kind.ok_or(flaws::ANNOTATION_TYPE)?;
        let data = cursor.take(inside.offset()).ok_or(cut)?;
        Ok(Item {
            kind,
            data,
            charset: Charset::Windows1252,
        })
    }

    /// Sets how texts are read that are not UTF-8.
    pub(super) fn with_charset(self, charset: Charset) -> Item<'a> {
        Item { charset, ..self }
    }

    /// Returns what is wrong with its content: squares that are not on the board, the only numbers
    /// of which it is known which may be, and illegal moves.
    pub(in crate::chessbase::v2) fn fault(&self) -> Option<Flaw> {
        let width = match self.kind {
            kind::SQUARES => 2,
            kind::ARROWS => 3,
            kind::QUOTATION => match self.told() {
                Some(Annotated::Shared(Content::Quotation(quotation)))
                    if !quotation.is_playable() =>
                {
                    return Some(flaws::QUOTATION_ILLEGAL_MOVE);
                }
                _ => return None,
            },
            _ => return None,
        };
        let marks = self.data.get(4..).unwrap_or_default();
        let on_board = |mark: &[u8]| mark[1..].iter().all(|&square| (1..=64).contains(&square));
        let has_form = marks.len().is_multiple_of(width) && marks.chunks(width).all(on_board);
        (!has_form).then_some(flaws::ANNOTATION_FORM)
    }

    /// Returns the type.
    pub(in crate::chessbase::v2) fn kind(&self) -> u8 {
        self.kind
    }

    fn holds_text(&self) -> bool {
        use kind::{LINK, QUOTATION, TEXT_AFTER, TEXT_BEFORE, TRAINING, VIDEO};
        let holding = [TEXT_AFTER, TEXT_BEFORE, LINK, TRAINING, VIDEO, QUOTATION];
        holding.contains(&self.kind)
    }

    fn told(&self) -> Option<Annotated<'a>> {
        let data = self.data;
        let mut cursor = Cursor::new(data);
        Some(match self.kind {
            kind::TRAINING => {
                let training = Training::read(&mut cursor)?;
                Annotated::Shared(Content::Training(training.with_charset(self.charset)))
            }
            kind::QUOTATION => {
                let quotation = Quotation::read(&mut cursor)?;
                Annotated::Shared(Content::Quotation(quotation.with_charset(self.charset)))
            }
            kind::PROFILE => Annotated::Profile(Profile::read(&mut cursor)?),
            kind::VIDEO => {
                cursor.take(4)?;
                Annotated::Video(counted(&mut cursor)?)
            }
            _ => Annotated::Shared(shared(self.kind, &mut cursor)?),
        })
    }
}

/// Reads what `.cbh` has too.
fn shared<'a>(of: u8, cursor: &mut Cursor<'a>) -> Option<Content<'a>> {
    Some(match of {
        kind::TEXT_AFTER | kind::TEXT_BEFORE => {
            cursor.take(2)?;
            Content::Text {
                language: language(cursor.u16_le()?),
                text: counted(cursor)?,
            }
        }
        kind::GLYPHS => Content::Glyphs(cursor.take(3)?),
        kind::SQUARES => Content::Squares(Marks::read(counted(cursor)?, 2)?),
        kind::ARROWS => Content::Arrows(Marks::read(counted(cursor)?, 3)?),
        kind::TIME_SPENT => {
            let &[_, seconds, minutes, hours] = cursor.take(4)?.first_chunk()?;
            Content::TimeSpent(hours, minutes, seconds)
        }
        kind::PAWNS => Content::Pawns(cursor.u8()?),
        kind::CRITICAL => Content::Critical(cursor.u8().filter(|phase| *phase <= 3)?),
        kind::PATH => match *counted(cursor)? {
            [number, square] => Content::Path(number, marked_square(square)?),
            _ => return None,
        },
        kind::WHITE_CLOCK | kind::BLACK_CLOCK => Content::Clock(int(cursor)?),
        kind::LINK => {
            cursor.take(1)?;
            Content::Link {
                address: counted(cursor)?,
                caption: counted(cursor)?,
            }
        }
        kind::EVALUATION => {
            let mut number = || cursor.u16_le().map(|number| number as i16);
            let (value, mate, depth) = (number()?, number()?, number()?);
            Content::Evaluation {
                value,
                mate: matches!(mate, 0 | 1).then_some(mate == 1)?,
                depth,
            }
        }
        kind::MEDALS => {
            let medals = int(cursor)? as u32;
            Content::Medals((medals >> 16 == 0).then_some(medals)?)
        }
        kind::COLOUR => {
            let &[red, green, blue, flags] = cursor.take(4)?.first_chunk()?;
            Content::Colour {
                flags,
                rgb: [red, green, blue],
            }
        }
        kind::TIME_CONTROL => {
            cursor.take(1)?;
            Content::TimeControl([period(cursor)?, period(cursor)?, period(cursor)?])
        }
        kind::VIDEO_TIME => Content::VideoTime(int(cursor)?),
        _ => return None,
    })
}

/// Skips the data of an annotation. `None` if they are cut short, `Some(false)` if the type is
/// unknown.
fn skip(of: u16, cursor: &mut Cursor<'_>) -> Option<bool> {
    if matches!(of, UNKNOWN_08 | UNKNOWN_27) {
        cursor.take(if of == UNKNOWN_08 { 4 } else { 2 })?;
        return Some(true);
    }
    match of as u8 {
        _ if of > 0xff => return Some(false),
        kind::TEXT_AFTER | kind::TEXT_BEFORE | kind::VIDEO => {
            cursor.take(4)?;
            counted(cursor)?;
        }
        kind::GLYPHS => _ = cursor.take(3)?,
        kind::SQUARES | kind::ARROWS | kind::PATH => _ = counted(cursor)?,
        kind::TIME_SPENT
        | kind::WHITE_CLOCK
        | kind::BLACK_CLOCK
        | kind::MEDALS
        | kind::COLOUR
        | kind::VIDEO_TIME => _ = cursor.take(4)?,
        kind::PAWNS | kind::CRITICAL => _ = cursor.u8()?,
        kind::LINK => {
            cursor.take(1)?;
            counted(cursor)?;
            counted(cursor)?;
        }
        kind::EVALUATION => _ = cursor.take(6)?,
        kind::TIME_CONTROL => _ = cursor.take(TIME_CONTROL_BYTES)?,
        kind::PROFILE => _ = Profile::skip(cursor)?,
        kind::TRAINING => _ = Training::read(cursor)?,
        kind::QUOTATION => _ = Quotation::read(cursor)?,
        _ => return Some(false),
    }
    Some(true)
}

const TIME_CONTROL_BYTES: usize = 1 + 3 * 11 + 4;

fn period(cursor: &mut Cursor<'_>) -> Option<Period> {
    let period = Period {
        time: int(cursor)? as u32,
        increment: int(cursor)? as u32,
        moves: cursor.u16_le()?,
    };
    // The kind of period, which follows from the other values.
    cursor.u8()?;
    Some(period)
}

/// Returns the number of the nation that `.cbh` has for a language: for any language 0, for one
/// that it does not know 255.
fn language(number: u16) -> u8 {
    match number {
        0 => 42,
        1 => 53,
        2 => 49,
        3 => 43,
        4 => 70,
        5 => 103,
        6 => 117,
        7 => 0,
        12 => 116,
        18 => 55,
        _ => u8::MAX,
    }
}

/// An engine's evaluations of all positions of the main line. Each is a value (2 bytes), the depth,
/// and what it is: 0 hundredths of pawns, 1 half-moves to mate, 255 none.
#[derive(Debug, Clone, Copy)]
struct Profile<'a>(&'a [[u8; 4]]);

const PAWNS: u8 = 0;
const MATE: u8 = 1;
const NOT_EVALUATED: u8 = 0xff;

impl<'a> Profile<'a> {
    fn skip(cursor: &mut Cursor<'a>) -> Option<&'a [[u8; 4]]> {
        cursor.take(5)?;
        let count = cursor.u16_le()?;
        let (positions, _) = cursor.take(usize::from(count) * 4)?.as_chunks();
        Some(positions)
    }

    fn read(cursor: &mut Cursor<'a>) -> Option<Profile<'a>> {
        let positions = Profile::skip(cursor)?;
        let is_known = |&[.., what]: &[u8; 4]| matches!(what, PAWNS | MATE | NOT_EVALUATED);
        positions.iter().all(is_known).then_some(Profile(positions))
    }
}

impl fmt::Display for Profile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        separated(self.0.iter().map(Evaluated), ' ', f)
    }
}

/// One position of a profile.
struct Evaluated<'a>(&'a [u8; 4]);

impl fmt::Display for Evaluated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &[low, high, depth, what] = self.0;
        let value = i16::from_le_bytes([low, high]);
        match what {
            NOT_EVALUATED => return f.write_str("-"),
            // Half-moves: the first and the second end in the first move.
            MATE => evaluation(value / 2 + value % 2, true, f)?,
            _ => evaluation(value, false, f)?,
        }
        write!(f, "/{depth}")
    }
}

impl Note for Item<'_> {
    fn kind(&self) -> u8 {
        self.kind
    }

    fn glyphs(&self) -> &[u8] {
        self.data
    }

    fn text(&self) -> Option<(u8, &[u8])> {
        match self.told() {
            Some(Annotated::Shared(Content::Text { language, text })) => Some((language, text)),
            _ => None,
        }
    }

    /// Texts in an encoding that only this database has are not passed on as they are.
    fn original(&self) -> Option<&[u8]> {
        let is_usual = self.charset.encoding().is_none();
        let is_clear = is_usual || !self.holds_text() || std::str::from_utf8(self.data).is_ok();
        (is_clear && self.fault().is_none()).then_some(self.data)
    }

    fn charset(&self) -> Charset {
        self.charset
    }

    fn command(&self) -> String {
        let name = annotation::name(self.kind).unwrap_or(RAW);
        let of = |content| Command {
            kind: self.kind,
            content,
            data: self.data,
            raw: RAW,
            charset: self.charset,
        };
        match self.told() {
            Some(Annotated::Profile(profile)) => format!("[%{name} {profile}]"),
            Some(Annotated::Video(file)) => {
                format!("[%{name} {}]", Quoted(&text::decoded(file, self.charset)))
            }
            Some(Annotated::Shared(content)) => of(Some(content)).to_string(),
            None => of(None).to_string(),
        }
    }
}
