//! The content flags and magnitudes in a game's record.

use super::moves::Plies;
use crate::chessbase::v1::{annotations::kind, record::content};

/// Maximum half-moves in variations for magnitudes 0, 1, 2; it is 3 above.
const VARIATION_PLIES: [u32; 3] = [50, 300, 1000];
/// Minimum bytes of text that set the magnitude bit.
const MUCH_TEXT: usize = 201;

/// Bytes before a game's annotations.
const CONTAINER_HEAD_BYTES: usize = 14;
/// Bytes of an annotation's header: position, type, length.
const HEAD_BYTES: usize = 6;
/// Bytes before the text of a comment.
const TEXT_HEAD_BYTES: usize = 2;

/// Annotation kind, its content bit, the minimum count that sets its magnitude bit, and that bit.
const COUNTED: [(u8, u32, u32, u16); 5] = [
    (kind::GLYPHS, content::SYMBOLS, 10, 1 << 3),
    (kind::SQUARES, 1 << 4, 10, 1 << 4),
    (kind::ARROWS, 1 << 5, 6, 1 << 5),
    (kind::TIME_SPENT, 1 << 7, 10, 1 << 7),
    (kind::TRAINING, 1 << 9, 6, 1 << 9),
];

/// Annotation kind without a magnitude, and its content bit.
const PRESENT: [(u8, u32); 16] = [
    (kind::TEXT_AFTER, content::COMMENTS),
    (kind::TEXT_BEFORE, content::COMMENTS),
    (0x08, 1 << 8),
    (kind::SOUND, 1 << 16),
    (kind::PICTURE, 1 << 17),
    (kind::VIDEO, 1 << 18),
    (kind::QUOTATION, 1 << 19),
    (kind::PAWNS, 1 << 20),
    (kind::PATH, 1 << 21),
    (kind::WHITE_CLOCK, 1 << 22),
    (kind::BLACK_CLOCK, 1 << 23),
    (kind::CRITICAL, 1 << 24),
    (kind::CORRESPONDENCE, 1 << 25),
    (kind::CORRESPONDENCE_HEADER, 1 << 25),
    (0x1a, 1 << 26),
    (kind::LINK, 1 << 28),
];

/// All content bits of annotations.
pub(crate) const ANNOTATIONS: u32 = {
    let (mut bits, mut index) = (0, 0);
    while index < PRESENT.len() {
        bits |= PRESENT[index].1;
        index += 1;
    }
    index = 0;
    while index < COUNTED.len() {
        bits |= COUNTED[index].1;
        index += 1;
    }
    bits
};

/// Returns the content bit of an annotation kind, 0 if it has none.
pub(crate) fn bit_of(kind: u8) -> u32 {
    let counted = COUNTED.iter().map(|&(kind, bit, ..)| (kind, bit));
    let mut bits = counted.chain(PRESENT);
    bits.find(|known| known.0 == kind)
        .map_or(0, |known| known.1)
}

/// The content flags and magnitudes of a game.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Content {
    pub(super) bits: u32,
    pub(super) magnitudes: u16,
}

impl Content {
    /// Derives the content from start position, move counts and encoded annotations.
    pub(super) fn new(
        custom_start: bool,
        chess960: bool,
        plies: Plies,
        annotations: &[u8],
    ) -> Content {
        let mut found = count(annotations).content();
        found.bits |= of_moves(custom_start, chess960, plies.variations > 0);
        let exceeded = |&most: &u32| plies.variations > most;
        found.magnitudes |= VARIATION_PLIES.into_iter().filter(exceeded).count() as u16;
        found
    }
}

/// Returns the bits of the start position and the variations.
pub(crate) fn of_moves(custom_start: bool, chess960: bool, variations: bool) -> u32 {
    let bit = |is_so: bool, bit: u32| if is_so { bit } else { 0 };
    bit(custom_start, content::CUSTOM_START)
        | bit(chess960, content::UNORTHODOX)
        | bit(variations, content::VARIATIONS)
}

/// What the annotations of a game add up to.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) bits: u32,
    counts: [u32; COUNTED.len()],
    text_bytes: usize,
}

impl Tally {
    /// Adds an annotation, with the bytes of text if it is one.
    pub(crate) fn add(&mut self, kind: u8, text_bytes: usize) {
        self.text_bytes += text_bytes;
        for (count, counted) in self.counts.iter_mut().zip(COUNTED) {
            *count += u32::from(counted.0 == kind);
        }
        self.bits |= bit_of(kind);
    }

    /// Returns which annotations are many.
    pub(crate) fn magnitudes(&self) -> u16 {
        let many = self.counts.into_iter().zip(COUNTED);
        let many = many.filter(|&(count, (_, _, many, _))| count >= many);
        let magnitudes = many.fold(0, |sum, (_, (.., magnitude))| sum | magnitude);
        magnitudes | u16::from(self.text_bytes >= MUCH_TEXT) << 2
    }

    fn content(&self) -> Content {
        Content {
            bits: self.bits,
            magnitudes: self.magnitudes(),
        }
    }
}

/// Adds up the annotations of a record.
fn count(annotations: &[u8]) -> Tally {
    let mut items = annotations.get(CONTAINER_HEAD_BYTES..).unwrap_or_default();
    let mut tally = Tally::default();
    while let Some(&[_, _, _, kind, high, low]) = items.first_chunk() {
        let length = usize::from(u16::from_be_bytes([high, low])).max(HEAD_BYTES);
        let is_text = matches!(kind, kind::TEXT_AFTER | kind::TEXT_BEFORE);
        let text_bytes = length.saturating_sub(HEAD_BYTES + TEXT_HEAD_BYTES);
        tally.add(kind, if is_text { text_bytes } else { 0 });
        items = items.get(length..).unwrap_or_default();
    }
    tally
}
