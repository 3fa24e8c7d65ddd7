//! The content flags and magnitudes in a game's record.

use super::moves::Plies;
use crate::chessbase::common::{
    content::{Tally, of_moves},
    marks::kind,
};

/// Maximum half-moves in variations for magnitudes 0, 1, 2; it is 3 above.
const VARIATION_PLIES: [u32; 3] = [50, 300, 1000];
/// Bytes before a game's annotations.
const CONTAINER_HEAD_BYTES: usize = 14;
/// Bytes of an annotation's header: position, type, length.
const HEAD_BYTES: usize = 6;
/// Bytes before the text of a comment.
const TEXT_HEAD_BYTES: usize = 2;

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
        let tally = count(annotations);
        let mut found = Content {
            bits: tally.bits,
            magnitudes: tally.magnitudes(),
        };
        found.bits |= of_moves(custom_start, chess960, plies.variations > 0);
        let exceeded = |&most: &u32| plies.variations > most;
        found.magnitudes |= VARIATION_PLIES.into_iter().filter(exceeded).count() as u16;
        found
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
