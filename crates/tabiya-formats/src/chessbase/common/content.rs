//! The content flags and magnitudes in the records of games.

use super::marks::kind;

/// The game has a custom start position.
pub(crate) const CUSTOM_START: u32 = 1 << 0;
/// The game has variations.
pub(crate) const VARIATIONS: u32 = 1 << 1;
/// The game has comments.
pub(crate) const COMMENTS: u32 = 1 << 2;
/// The game has glyphs such as `!`.
pub(crate) const SYMBOLS: u32 = 1 << 3;
/// The game is a Chess960 game.
pub(crate) const UNORTHODOX: u32 = 1 << 27;

/// Minimum bytes of text that set the magnitude bit.
const MUCH_TEXT: usize = 201;

/// Annotation kind, its content bit, the minimum count that sets its magnitude bit, and that bit.
const COUNTED: [(u8, u32, u32, u16); 5] = [
    (kind::GLYPHS, SYMBOLS, 10, 1 << 3),
    (kind::SQUARES, 1 << 4, 10, 1 << 4),
    (kind::ARROWS, 1 << 5, 6, 1 << 5),
    (kind::TIME_SPENT, 1 << 7, 10, 1 << 7),
    (kind::TRAINING, 1 << 9, 6, 1 << 9),
];

/// Annotation kind without a magnitude, and its content bit.
const PRESENT: [(u8, u32); 16] = [
    (kind::TEXT_AFTER, COMMENTS),
    (kind::TEXT_BEFORE, COMMENTS),
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

/// Returns the bits of the start position and the variations.
pub(crate) fn of_moves(custom_start: bool, chess960: bool, variations: bool) -> u32 {
    let bit = |is_so: bool, bit: u32| if is_so { bit } else { 0 };
    bit(custom_start, CUSTOM_START) | bit(chess960, UNORTHODOX) | bit(variations, VARIATIONS)
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
}
