//! The content of annotations, and its form in PGN: `[%csl Ge4]`.

use std::fmt::{self, Display, Write as _};

use shakmaty::Square;
use tabiya_chess::marks::MEDAL_NAMES;

use super::{
    commands::{Quoted, evaluation, hex, separated},
    marks::{Marks, Period, kind},
    text,
};
use crate::encoding::Charset;

/// The content of an annotation, with the training questions `T` and quotations `Q` of a version.
/// Numbers without a named meaning are as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content<'a, T, Q> {
    /// Text before or after the move.
    Text {
        /// The number of the nation that identifies the language; 0 for none.
        language: u8,
        /// UTF-8, or Windows-1252 unless the database is in another encoding, with symbols of the
        /// ChessBase font.
        text: &'a [u8],
    },
    /// Glyphs: of the move, of the position, before the move; 0 for none.
    Glyphs(&'a [u8]),
    /// Coloured squares.
    Squares(Marks<'a>),
    /// Coloured arrows.
    Arrows(Marks<'a>),
    /// Time spent on the move: hours, minutes, seconds.
    TimeSpent(u8, u8, u8),
    /// A training question.
    Training(T),
    /// The number of a sound, picture or video, as digits.
    Media(&'a str),
    /// Another game.
    Quotation(Q),
    /// A mark on the pawn structure.
    Pawns(u8),
    /// The path of a piece: a number and a square.
    Path(u8, Square),
    /// A clock in hundredths of seconds.
    Clock(i32),
    /// A critical position: 1 opening, 2 middlegame, 3 endgame.
    Critical(u8),
    /// A web link.
    Link {
        /// The address.
        address: &'a [u8],
        /// The text to show for it.
        caption: &'a [u8],
    },
    /// An engine's evaluation.
    Evaluation {
        /// Hundredths of pawns, or moves to mate.
        value: i16,
        /// Whether the value is moves to mate.
        mate: bool,
        /// Depth of the search, 0 if unknown.
        depth: i16,
    },
    /// Medals: one bit for each of [`Medal::ALL`](tabiya_chess::Medal::ALL), from the lowest.
    Medals(u32),
    /// The colour of the line.
    Colour {
        /// 1 for the main line only, 2 for moves only.
        flags: u8,
        /// Red, green, blue.
        rgb: [u8; 3],
    },
    /// A time control of up to three periods.
    TimeControl([Period; 3]),
    /// The time in a video.
    VideoTime(i32),
    /// An engine's profile. For each position of the main line: a kind (0 hundredths of pawns, 1
    /// moves to mate, 255 none), the depth, and the value (big-endian, signed).
    Profile(&'a [[u8; 4]]),
    /// Data of unknown meaning.
    Opaque(&'a [u8]),
}

const CRITICAL: [&str; 3] = ["opening", "middlegame", "endgame"];
const MAIN_LINE_ONLY: u8 = 1;
const MOVES_ONLY: u8 = 2;
/// The kind of a profile position that was not evaluated; 0 is pawns, 1 moves to mate.
const NOT_EVALUATED: u8 = 0xff;

/// An annotation formatted as a command. Texts and glyphs have no such form.
pub(crate) struct Command<'a, T, Q> {
    pub(crate) kind: u8,
    /// `None` if the bytes do not have the form of the type.
    pub(crate) content: Option<Content<'a, T, Q>>,
    pub(crate) data: &'a [u8],
    /// The name of the command for bytes without a known content.
    pub(crate) raw: &'static str,
    pub(crate) charset: Charset,
}

impl<T: Display, Q: Display> fmt::Display for Command<'_, T, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (name(self.kind), &self.content) {
            (Some(name), Some(content)) => {
                write!(f, "[%{name} ")?;
                value(self.kind, content, self.charset, f)?;
            }
            _ => {
                write!(f, "[%{} {:02X} ", self.raw, self.kind)?;
                hex(self.data, f)?;
            }
        }
        f.write_char(']')
    }
}

/// Returns the command name of a type.
pub(crate) fn name(kind: u8) -> Option<&'static str> {
    Some(match kind {
        kind::SQUARES => "csl",
        kind::ARROWS => "cal",
        kind::TIME_SPENT => "emt",
        kind::TRAINING => "training",
        kind::SOUND => "sound",
        kind::PICTURE => "picture",
        kind::VIDEO => "video",
        kind::QUOTATION => "quote",
        kind::PAWNS => "pawns",
        kind::PATH => "path",
        kind::WHITE_CLOCK | kind::BLACK_CLOCK => "clock",
        kind::CRITICAL => "critical",
        kind::CORRESPONDENCE => "correspondence",
        kind::CORRESPONDENCE_HEADER => "correspondence-header",
        kind::LINK => "link",
        kind::EVALUATION => "eval",
        kind::MEDALS => "medal",
        kind::COLOUR => "colour",
        kind::TIME_CONTROL => "timecontrol",
        kind::VIDEO_TIME => "videotime",
        kind::PROFILE => "profile",
        _ => return None,
    })
}

fn value<T: Display, Q: Display>(
    kind: u8,
    content: &Content<'_, T, Q>,
    charset: Charset,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    match content {
        Content::Squares(marks) | Content::Arrows(marks) => marks.fmt(f),
        Content::TimeSpent(h, m, s) => write!(f, "{h}:{m:02}:{s:02}"),
        Content::Training(training) => training.fmt(f),
        Content::Media(number) => f.write_str(number),
        Content::Quotation(quotation) => quotation.fmt(f),
        Content::Pawns(number) => number.fmt(f),
        Content::Path(number, square) => write!(f, "{square} {number}"),
        Content::Clock(time) => clock(kind, *time, f),
        Content::Critical(phase) => {
            let phase = usize::from(*phase).checked_sub(1);
            f.write_str(
                phase
                    .and_then(|phase| CRITICAL.get(phase))
                    .unwrap_or(&"none"),
            )
        }
        Content::Link { address, caption } => {
            let [address, caption] = [address, caption].map(|text| text::decoded(text, charset));
            write!(f, "{} {}", Quoted(&address), Quoted(&caption))
        }
        Content::Evaluation { value, mate, depth } => {
            evaluation(*value, *mate, f)?;
            if *depth == 0 {
                Ok(())
            } else {
                write!(f, ",{depth}")
            }
        }
        Content::Medals(bits) => {
            let given = (0..)
                .zip(MEDAL_NAMES)
                .filter(|(bit, _)| bits >> bit & 1 == 1);
            separated(given.map(|(_, name)| name), ',', f)
        }
        Content::Colour { flags, rgb } => colour(*flags, *rgb, f),
        Content::TimeControl(periods) => {
            let periods = periods.iter().filter(|period| period.moves > 0);
            separated(periods, ':', f)
        }
        Content::VideoTime(time) => time.fmt(f),
        Content::Profile(positions) => separated(positions.iter().map(Evaluated), ' ', f),
        Content::Opaque(data) => hex(data, f),
        Content::Text { .. } | Content::Glyphs(_) => Ok(()),
    }
}

fn clock(kind: u8, time: i32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(match kind {
        kind::WHITE_CLOCK => "white ",
        _ => "black ",
    })?;
    if time < 0 {
        f.write_char('-')?;
    }
    let hundredths = time.unsigned_abs();
    let seconds = hundredths / 100;
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    write!(
        f,
        "{hours}:{minutes:02}:{:02}.{:02}",
        seconds % 60,
        hundredths % 100
    )
}

fn colour(flags: u8, rgb: [u8; 3], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_char('#')?;
    hex(&rgb, f)?;
    for (flag, name) in [(MAIN_LINE_ONLY, " main-line"), (MOVES_ONLY, " moves")] {
        if flags & flag != 0 {
            f.write_str(name)?;
        }
    }
    Ok(())
}

/// One position of a profile.
struct Evaluated<'a>(&'a [u8; 4]);

impl fmt::Display for Evaluated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &[kind, depth, high, low] = self.0;
        if kind == NOT_EVALUATED {
            return f.write_char('-');
        }
        evaluation(i16::from_be_bytes([high, low]), kind == 1, f)?;
        write!(f, "/{depth}")
    }
}
