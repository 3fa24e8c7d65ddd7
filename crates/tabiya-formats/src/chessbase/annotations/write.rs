//! Builds annotation records.

use super::{HEAD_BYTES, ITEM_HEAD_BYTES, MARK, content::MarkColor, content::kind, text};
use crate::error::{Error, ErrorKind, Result};

/// Maximum bytes of text in one item: its 16-bit length includes header, language and a zero.
const TEXT_BYTES_MAX: usize = u16::MAX as usize - ITEM_HEAD_BYTES - 2;
/// Maximum number of marks in one item, counted as arrows of three bytes.
const MARKS_MAX: usize = (u16::MAX as usize - ITEM_HEAD_BYTES) / 3;

/// Collects the annotations of one game and builds a `.cba` record from them.
///
/// In PGN comments after moves, the commands `[%csl]`, `[%cal]`, `[%emt]` and `[%eval]` become
/// items of their own if ChessBase can express them. The rest is a text of no language, with the
/// spaces around each command merged into one. Blue squares, fractions of a second and commands
/// with any other content stay in the text.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    items: Vec<Draft>,
}

#[derive(Debug)]
struct Draft {
    position: i32,
    kind: u8,
    data: Vec<u8>,
}

impl Builder {
    /// Creates a builder without annotations.
    #[must_use]
    pub(crate) fn new() -> Builder {
        Builder::default()
    }

    /// Removes all annotations but keeps the memory, for the next game.
    pub(crate) fn clear(&mut self) {
        self.items.clear();
    }

    /// Whether there are no annotations.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Adds a glyph to the move of this 0-based index in stored order.
    pub(crate) fn glyph(&mut self, position: i32, glyph: u8) {
        let slot = glyph_slot(glyph);
        let has_room = |item: &&mut Draft| {
            item.kind == kind::GLYPHS && item.data.get(slot).is_none_or(|glyph| *glyph == 0)
        };
        let latest = self.items.iter_mut().rev().take(LATEST_ITEMS);
        let mut here = latest.take_while(|item| item.position == position);
        let item = match here.find(has_room) {
            Some(item) => item,
            None => self.item(position, kind::GLYPHS),
        };
        if item.data.len() <= slot {
            item.data.resize(slot + 1, 0);
        }
        item.data[slot] = glyph;
    }

    /// Adds a comment before the move of this 0-based index in stored order. Commands in it stay
    /// text.
    pub(crate) fn comment_before(&mut self, position: i32, comment: &str) {
        self.text(position, kind::TEXT_BEFORE, comment);
    }

    /// Adds a comment after the move of this 0-based index in stored order, or at the start of the
    /// game ([`GAME`](super::GAME)).
    pub(crate) fn comment_after(&mut self, position: i32, comment: &str) {
        let mut rest = comment;
        let mut text = String::new();
        while let Some((before, (kind, data), after)) = next_command(rest, command) {
            self.item(position, kind).data = data;
            append(&mut text, before);
            rest = after;
        }
        if text.is_empty() && rest.len() == comment.len() {
            return self.text(position, kind::TEXT_AFTER, comment);
        }
        append(&mut text, rest);
        self.text(position, kind::TEXT_AFTER, &text);
    }

    /// Adds a text, split into several items if it is too long for one.
    fn text(&mut self, position: i32, kind: u8, mut text: &str) {
        while !text.is_empty() {
            // No character takes more bytes in a file than in a string.
            let end = text.floor_char_boundary(TEXT_BYTES_MAX);
            let (head, rest) = text.split_at(end);
            let item = self.item(position, kind);
            item.data.extend([0, 0]);
            item.data.extend(text::encoded(head));
            text = rest;
        }
    }

    fn item(&mut self, position: i32, kind: u8) -> &mut Draft {
        let item = Draft {
            position,
            kind,
            data: Vec::new(),
        };
        self.items.push_mut(item)
    }

    /// Builds the record for the game of this 1-based number.
    ///
    /// # Errors
    /// `Unsupported` if positions, items, bytes or the game's number exceed the limits of the
    /// format.
    pub(crate) fn finish(&mut self, game_number: u32) -> Result<Vec<u8>> {
        let too_many = |what| Error::new(ErrorKind::Unsupported { what });
        self.items.sort_by_key(|item| item.position);
        let last = self.items.last().map_or(0, |item| item.position);
        if last >= 1 << 23 || self.items.len() >= (1 << 24) - 1 || game_number >= 1 << 24 {
            return Err(too_many("a ChessBase game with so many annotations"));
        }
        let bytes: usize = self
            .items
            .iter()
            .map(|item| ITEM_HEAD_BYTES + item.data.len())
            .sum();
        let size = u32::try_from(HEAD_BYTES + bytes)
            .map_err(|_| too_many("a ChessBase game with 4 GiB of annotations"))?;
        let mut record = Vec::with_capacity(HEAD_BYTES + bytes);
        record.extend(u24(game_number));
        record.extend(MARK);
        record.extend(u24(self.items.len() as u32 + 1));
        record.extend(size.to_be_bytes());
        for item in &self.items {
            let length = (ITEM_HEAD_BYTES + item.data.len()) as u16;
            record.extend(u24(item.position as u32));
            record.push(item.kind);
            record.extend(length.to_be_bytes());
            record.extend(&item.data);
        }
        Ok(record)
    }
}

/// Returns the low 24 bits in big-endian order.
fn u24(number: u32) -> [u8; 3] {
    let [_, high, middle, low] = number.to_be_bytes();
    [high, middle, low]
}

/// Number of latest items searched for room for a glyph, to bound the cost.
pub(crate) const LATEST_ITEMS: usize = 8;

/// Returns the slot of a glyph, in both formats of ChessBase: 0 for glyphs of the move, 1 for those
/// of the position, 2 for those that precede the move. As databases of ChessBase 2 have them, where
/// 32 is seen in either of the first two; 23, which is 22 for Black, has been seen in none.
pub(crate) fn glyph_slot(glyph: u8) -> usize {
    match glyph {
        0..=9 | 22 | 23 | 32 => 0,
        140..=145 => 2,
        _ => 1,
    }
}

/// Appends trimmed text, separated from existing text by one space.
pub(crate) fn append(text: &mut String, more: &str) {
    let more = more.trim();
    if !text.is_empty() && !more.is_empty() {
        text.push(' ');
    }
    text.push_str(more);
}

/// Finds the first command of which `item` makes one, and the text before and after it. Looks at
/// each closing bracket once, so that many brackets take linear time.
pub(crate) fn next_command<T>(
    comment: &str,
    item: impl Fn(&str) -> Option<T>,
) -> Option<(&str, T, &str)> {
    let mut from = 0;
    while let Some(length) = comment[from..].find(']') {
        let close = from + length;
        let open = comment[from..close].rfind("[%").map(|at| from + at);
        if let Some(open) = open
            && let Some(item) = item(&comment[open + 2..close])
        {
            return Some((&comment[..open], item, &comment[close + 1..]));
        }
        from = close + 1;
    }
    None
}

/// Returns the type and the data of the item for a command.
fn command(inside: &str) -> Option<(u8, Vec<u8>)> {
    let (name, value) = inside.split_once(' ')?;
    Some(match name {
        "csl" => (kind::SQUARES, marks(value, 1)?),
        "cal" => (kind::ARROWS, marks(value, 2)?),
        "emt" => {
            let [hours, minutes, seconds] = time_spent(value)?;
            (kind::TIME_SPENT, vec![hours, minutes, seconds, 0])
        }
        "eval" => (kind::EVALUATION, evaluation(value)?),
        _ => return None,
    })
}

/// Parses `Ge4,Ra1` or `Yg1f3`: a colour and `squares` squares each.
pub(crate) fn marks(value: &str, squares: usize) -> Option<Vec<u8>> {
    let mut data = Vec::new();
    for mark in value.split(',') {
        let mark = mark.trim().as_bytes();
        let (&letter, named) = mark.split_first()?;
        let colors = MarkColor::ALL.iter();
        let (color, ..) = *colors
            .clone()
            .find(|(_, _, known)| *known == char::from(letter))?;
        data.push(color);
        let (pairs, rest) = named.as_chunks::<2>();
        if pairs.len() != squares || !rest.is_empty() {
            return None;
        }
        for square in pairs {
            data.push(marked_square(*square)?);
        }
    }
    (data.len() <= MARKS_MAX * 3).then_some(data)
}

/// Returns the number of a square in marks: 1 (a1), 2 (a2), ... 64 (h8).
pub(crate) fn marked_square([file, rank]: [u8; 2]) -> Option<u8> {
    let is_square = matches!((file, rank), (b'a'..=b'h', b'1'..=b'8'));
    is_square.then(|| (file - b'a') * 8 + rank - b'1' + 1)
}

/// Parses `H:MM:SS`.
pub(crate) fn time_spent(value: &str) -> Option<[u8; 3]> {
    let mut parts = value.trim().split(':').map(number::<u8>);
    let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
    let is_time = parts.next().is_none() && minutes < 60 && seconds < 60;
    is_time.then_some([hours, minutes, seconds])
}

/// Parses `-0.35`, `0.35,22`, `#3` or `#-3,22`: hundredths of pawns or moves to mate, depth.
pub(crate) fn evaluation(value: &str) -> Option<Vec<u8>> {
    let (value, depth) = value.trim().split_once(',').unwrap_or((value.trim(), ""));
    let depth = match depth {
        "" => 0,
        depth => number::<u8>(depth)?.into(),
    };
    let moves = value.strip_prefix('#');
    let (negative, size) = match moves.unwrap_or(value).split_at_checked(1) {
        Some(("-", size)) => (true, size),
        Some(("+", size)) => (false, size),
        _ => (false, moves.unwrap_or(value)),
    };
    let size = match moves {
        Some(_) => number::<i16>(size)?,
        None => hundredths(size)?,
    };
    let value = if negative { -size } else { size };
    let mate = i16::from(moves.is_some());
    let numbers: [i16; 3] = [value, mate, depth];
    Some(numbers.map(i16::to_le_bytes).concat())
}

/// Parses `0.35`, `0.3` or `1` as hundredths.
fn hundredths(value: &str) -> Option<i16> {
    let (whole, part) = value.split_once('.').unwrap_or((value, "0"));
    let part = match part.len() {
        1 => number::<i16>(part)? * 10,
        2 => number(part)?,
        _ => return None,
    };
    number::<i16>(whole)?.checked_mul(100)?.checked_add(part)
}

/// Parses a number that consists of digits only.
pub(crate) fn number<T: std::str::FromStr>(digits: &str) -> Option<T> {
    let all_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| all_digits)
}
