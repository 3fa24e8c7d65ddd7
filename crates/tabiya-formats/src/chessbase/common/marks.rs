//! The types of annotations, and values that those of both versions hold.

use shakmaty::Square;

/// The types of annotations.
pub(crate) mod kind {
    /// A text after the move.
    pub(crate) const TEXT_AFTER: u8 = 0x02;
    /// Up to three glyphs.
    pub(crate) const GLYPHS: u8 = 0x03;
    /// Coloured squares.
    pub(crate) const SQUARES: u8 = 0x04;
    /// Coloured arrows.
    pub(crate) const ARROWS: u8 = 0x05;
    /// Time spent on the move.
    pub(crate) const TIME_SPENT: u8 = 0x07;
    /// A training question.
    pub(crate) const TRAINING: u8 = 0x09;
    /// A sound.
    pub(crate) const SOUND: u8 = 0x10;
    /// A picture.
    pub(crate) const PICTURE: u8 = 0x11;
    /// Another game, quoted.
    pub(crate) const QUOTATION: u8 = 0x13;
    /// A mark on the pawn structure.
    pub(crate) const PAWNS: u8 = 0x14;
    /// The path of a piece.
    pub(crate) const PATH: u8 = 0x15;
    /// White's clock.
    pub(crate) const WHITE_CLOCK: u8 = 0x16;
    /// Black's clock.
    pub(crate) const BLACK_CLOCK: u8 = 0x17;
    /// A critical position.
    pub(crate) const CRITICAL: u8 = 0x18;
    /// Data of a correspondence move.
    pub(crate) const CORRESPONDENCE: u8 = 0x19;
    /// A web link.
    pub(crate) const LINK: u8 = 0x1c;
    /// A video.
    pub(crate) const VIDEO: u8 = 0x20;
    /// An engine's evaluation.
    pub(crate) const EVALUATION: u8 = 0x21;
    /// Medals.
    pub(crate) const MEDALS: u8 = 0x22;
    /// The colour of the line.
    pub(crate) const COLOUR: u8 = 0x23;
    /// The time control.
    pub(crate) const TIME_CONTROL: u8 = 0x24;
    /// The time in a video.
    pub(crate) const VIDEO_TIME: u8 = 0x25;
    /// An engine's evaluations of all positions of the main line.
    pub(crate) const PROFILE: u8 = 0x26;
    /// Data of a correspondence game.
    pub(crate) const CORRESPONDENCE_HEADER: u8 = 0x61;
    /// A text before the move.
    pub(crate) const TEXT_BEFORE: u8 = 0x82;
}

/// The colour of a square or arrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkColor {
    /// 2 in the file.
    Green,
    /// 3 in the file.
    Yellow,
    /// 4 in the file.
    Red,
}

impl MarkColor {
    pub(in crate::chessbase) const ALL: [(u8, MarkColor, char); 3] = [
        (2, MarkColor::Green, 'G'),
        (3, MarkColor::Yellow, 'Y'),
        (4, MarkColor::Red, 'R'),
    ];
}

/// A coloured square, or an arrow if `to` is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The colour.
    pub color: MarkColor,
    /// The square, or the start of the arrow.
    pub from: Square,
    /// The end of the arrow.
    pub to: Option<Square>,
}

/// Coloured squares or arrows, as bytes: the colour and one or two squares for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marks<'a> {
    bytes: &'a [u8],
    width: usize,
}

impl<'a> Marks<'a> {
    /// Returns `None` if any mark is invalid.
    pub(crate) fn read(bytes: &'a [u8], width: usize) -> Option<Marks<'a>> {
        let mut marks = bytes.chunks(width);
        marks
            .all(|mark| mark.len() == width && mark_of(mark).is_some())
            .then_some(Marks { bytes, width })
    }

    /// Returns the marks in stored order.
    pub fn iter(&self) -> impl Iterator<Item = Mark> + use<'a> {
        self.bytes.chunks(self.width).filter_map(mark_of)
    }
}

fn mark_of(bytes: &[u8]) -> Option<Mark> {
    let (&color, squares) = bytes.split_first()?;
    let (_, color, _) = *MarkColor::ALL.iter().find(|(code, ..)| *code == color)?;
    let to = squares.get(1).copied();
    Some(Mark {
        color,
        from: marked_square(*squares.first()?)?,
        to: match to {
            Some(to) => Some(marked_square(to)?),
            None => None,
        },
    })
}

/// Decodes a square number of a mark: 1 (a1), 2 (a2), ... 64 (h8).
pub(crate) fn marked_square(number: u8) -> Option<Square> {
    square(number.checked_sub(1)?)
}

/// Decodes a square number: 0 (a1), 1 (a2), ... 63 (h8).
pub(crate) fn square(number: u8) -> Option<Square> {
    let index = u32::from(number);
    Square::try_from(index % 8 * 8 + index / 8)
        .ok()
        .filter(|_| number < 64)
}

/// One period of a time control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// Time in hundredths of seconds.
    pub time: u32,
    /// Increment per move in hundredths of seconds.
    pub increment: u32,
    /// Number of moves: 1000 for all that are left, 0 if there is no such period.
    pub moves: u16,
}
