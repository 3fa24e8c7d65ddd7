//! Items as PGN commands: `[%csl Ge4]`.

use std::fmt::{self, Display, Write as _};

use tabiya_chess::marks::MEDAL_NAMES;

use super::{Item, content::Content};
use crate::{
    chessbase::common::{
        commands::{Quoted, evaluation, hex, separated},
        marks::kind,
        text,
    },
    encoding::Charset,
};

const CRITICAL: [&str; 3] = ["opening", "middlegame", "endgame"];
const MAIN_LINE_ONLY: u8 = 1;
const MOVES_ONLY: u8 = 2;
/// The kind of a profile position that was not evaluated; 0 is pawns, 1 moves to mate.
const NOT_EVALUATED: u8 = 0xff;

/// An item formatted as a command. Texts and glyphs have no such form.
pub(crate) struct Command<'a> {
    pub(crate) kind: u8,
    /// `None` if the bytes do not have the form of the type.
    pub(crate) content: Option<Content<'a>>,
    pub(crate) data: &'a [u8],
    /// The name of the command for bytes without a known content.
    pub(crate) raw: &'static str,
    pub(crate) charset: Charset,
}

impl<'a> Command<'a> {
    /// Returns the command of an item of a `.cba` file.
    pub(super) fn of(item: Item<'a>) -> Command<'a> {
        Command {
            kind: item.kind,
            content: item.content(),
            data: item.data,
            raw: "cba",
            charset: item.charset,
        }
    }
}

impl fmt::Display for Command<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (name(self.kind), self.content) {
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

/// Returns the command name of an item type.
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

fn value(
    kind: u8,
    content: Content<'_>,
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
        Content::Clock(time) => clock(kind, time, f),
        Content::Critical(phase) => {
            let phase = usize::from(phase).checked_sub(1);
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
            evaluation(value, mate, f)?;
            if depth == 0 {
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
        Content::Colour { flags, rgb } => colour(flags, rgb, f),
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
