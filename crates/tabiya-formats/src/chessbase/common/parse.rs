//! Annotations from PGN: glyphs, and the commands in comments.

use super::marks::MarkColor;

/// Maximum number of marks in one annotation, counted as arrows of three bytes: its 16-bit length
/// includes the six bytes of its head.
const MARKS_MAX: usize = (u16::MAX as usize - 6) / 3;

/// Number of latest items searched for room for a glyph, to bound the cost.
const LATEST_ITEMS: usize = 64;

/// Returns the slot of a glyph, in both formats of ChessBase: 0 for glyphs of the move, 1 for those
/// of the position, 2 for those that precede the move. As databases of ChessBase 2 have them, where
/// 32 is seen in either of the first two; 23, which is 22 for Black, has been seen in none.
fn glyph_slot(glyph: u8) -> usize {
    match glyph {
        0..=9 | 22 | 23 | 32 => 0,
        140..=145 => 2,
        _ => 1,
    }
}

/// Where the glyphs of one move go: into slots of as few items as keep them in order, as they are
/// read by items and slots. Glyphs that are read go to the same places again: the first of each
/// item finds its slot taken in the item before.
#[derive(Debug, Default)]
pub(crate) struct GlyphPlaces {
    /// By item: which slots are taken.
    items: Vec<[bool; 3]>,
}

impl GlyphPlaces {
    /// Returns the number of the item for the next glyph, from 0, and its slot. Items are numbered
    /// without gaps.
    pub(crate) fn next(&mut self, glyph: u8) -> (usize, usize) {
        let slot = glyph_slot(glyph);
        let mut number = self.items.len();
        let mut before = self.items.iter().rev().take(LATEST_ITEMS);
        // It goes into the latest item, or before that as long as it would be the first there.
        while let Some(item) = before.next().filter(|item| !item[slot]) {
            number -= 1;
            if item[..slot].contains(&true) {
                break;
            }
        }
        if number == self.items.len() {
            self.items.push([false; 3]);
        }
        self.items[number][slot] = true;
        (number, slot)
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
