//! The games of a `.cbg` file: the header, and the bytes of the moves.
//!
//! | offset | bytes | meaning |
//! |---|---|---|
//! | 0 | 1 | bits 0 to 5 [mode](super::tables), bit 6 a start position follows, bit 7 a text |
//! | 1 | 3 | length in bytes, big-endian, including these four |
//! | 4 | 28 | the start position, see [`setup`] |
//! | 32 | 8 | in Chess960, castling squares of kings and rooks, see [`setup`] |
//! | | | moves |

use super::{
    codes::{self, TRANSLATIONS, Translation},
    flaws,
    setup::{self, Homes, STANDARD_HOMES, by_rank},
    tables::{Encoding, MODES, Width},
};
use crate::{Decoded, damage::Flaw, damage_at};

/// Size of the header of a game, in bytes.
pub(super) const HEAD_BYTES: usize = 4;

/// Bit of the first byte: a start position follows.
const HAS_SETUP: u8 = 1 << 6;
/// The mode of illegal positions; the encoding of its moves is unknown.
const ILLEGAL_POSITION_MODE: u8 = 63;
const CHESS960_MODES: [u8; 2] = [10, 11];

/// The parts of one game.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts<'a> {
    /// The encoding of the moves, 0 to 11.
    pub(super) mode: u8,
    /// The start position, including the Chess960 bytes.
    pub(super) setup: Option<&'a [u8]>,
    pub(super) moves: &'a [u8],
    /// Offset of the moves from the start of the game.
    pub(super) moves_at: usize,
}

impl<'a> Parts<'a> {
    /// Splits the game at the start of these bytes into its parts.
    #[inline]
    pub(super) fn new(bytes: &'a [u8]) -> Decoded<Parts<'a>> {
        let body = body(bytes)?;
        let flags = bytes[0];
        let mode = flags & 63;
        if usize::from(mode) >= MODES.len() {
            return Err(damage_at(unread(mode), 0));
        }
        let setup_bytes = match (flags & HAS_SETUP, CHESS960_MODES.contains(&mode)) {
            (0, _) => 0,
            (_, false) => setup::BYTES,
            (_, true) => setup::BYTES + setup::CHESS960_BYTES,
        };
        let Some((setup, moves)) = body.split_at_checked(setup_bytes) else {
            return Err(damage_at(flaws::START_CUT, HEAD_BYTES));
        };
        Ok(Parts {
            mode,
            setup: (setup_bytes > 0).then_some(setup),
            moves,
            moves_at: HEAD_BYTES + setup_bytes,
        })
    }

    pub(super) fn encoding(&self) -> &'static Encoding {
        &MODES[usize::from(self.mode) % MODES.len()]
    }

    pub(super) fn is_chess960(&self) -> bool {
        CHESS960_MODES.contains(&self.mode)
    }

    /// Returns the value of the PGN tag `Variant`; `None` for ordinary chess.
    pub(super) fn variant(&self) -> Option<&'static str> {
        match self.mode {
            8 | 9 => Some("Antichess"),
            _ if self.is_chess960() => Some("Chess960"),
            _ => None,
        }
    }

    /// Returns the moves in compact form. Simple moves are rewritten into `room`, so that later
    /// code handles only one way to encode a tree.
    #[inline]
    pub(super) fn stream<'s>(&self, room: &'s mut Vec<u8>) -> Stream<'s>
    where
        'a: 's,
    {
        let (mode, bytes) = match self.encoding().width {
            Width::Compact => (usize::from(self.mode), self.moves),
            Width::Simple => {
                rewrite(self.moves, self.encoding(), room);
                (COMMON_MODE, room.as_slice())
            }
        };
        Stream {
            bytes,
            encoding: &MODES[mode % MODES.len()],
            translation: &TRANSLATIONS[mode % MODES.len()],
            homes: STANDARD_HOMES,
        }
    }
}

/// Returns the bytes after the header of a game or text, as far as present.
pub(super) fn body(bytes: &[u8]) -> Decoded<&[u8]> {
    let [_, high, middle, low, ..] = *bytes else {
        return Err(damage_at(flaws::BEYOND_FILE, 0));
    };
    let length = u32::from_be_bytes([0, high, middle, low]) as usize;
    let end = length.min(bytes.len());
    bytes
        .get(HEAD_BYTES..end)
        .ok_or(damage_at(flaws::SHORTER_THAN_HEAD, 1))
}

/// Returns why games of this mode are not read.
fn unread(mode: u8) -> Flaw {
    match mode {
        ILLEGAL_POSITION_MODE => flaws::ILLEGAL_START,
        _ => flaws::OTHER_VARIANT,
    }
}

/// The moves of one game in compact form.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stream<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) encoding: &'static Encoding,
    pub(super) translation: &'static Translation,
    pub(super) homes: Homes,
}

impl Stream<'_> {
    /// Reads the word whose first byte is at `at`, after `moves` moves (modulo 256).
    pub(super) fn word(&self, at: usize, moves: u8) -> Option<Word> {
        Word::read(self.encoding, self.bytes.get(at..)?, moves)
    }
}

/// A move as 16 bits: from in bits 0 to 5, to in bits 6 to 11, both counted a1, a2, ... h8;
/// promotion in bits 12 and 13: queen, rook, bishop, knight. Simple moves also use the two highest
/// bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word(u16);

impl Word {
    /// Set in a simple move after which the line ends.
    const LINE_ENDS: u16 = 1 << 14;
    /// Set in a simple move that has an alternative.
    const BRANCHES: u16 = 1 << 15;
    /// From, to and promotion.
    const MOVE: u16 = Word::LINE_ENDS - 1;

    /// Reads a word from the start of these bytes, after `moves` moves (modulo 256).
    pub(super) fn read(encoding: &Encoding, bytes: &[u8], moves: u8) -> Option<Word> {
        let bytes: [u8; 2] = *bytes.first_chunk()?;
        let codes = bytes.map(|byte| encoding.code(byte, moves));
        Some(Word(u16::from_be_bytes(codes)))
    }

    /// Returns the from square, 0 (a1), 1 (b1), ... 63 (h8).
    pub(super) fn from(self) -> u8 {
        by_rank(self.0 & 63)
    }

    /// Returns the to square, 0 (a1), 1 (b1), ... 63 (h8).
    pub(super) fn to(self) -> u8 {
        by_rank(self.0 >> 6 & 63)
    }

    /// Returns the kind of man that a pawn promotes to, in the order of [`Man`](tabiya_chess::Man).
    pub(super) fn promotion(self) -> u8 {
        (self.0 >> 12 & 3) as u8 + 1
    }
}

/// The mode into which simple moves are rewritten.
const COMMON_MODE: usize = 0;

/// Rewrites simple moves as equivalent compact codes. The simple form of an empty game has no code
/// for its end.
fn rewrite(simple: &[u8], encoding: &Encoding, compact: &mut Vec<u8>) {
    let common = &MODES[COMMON_MODE];
    compact.clear();
    if simple.is_empty() {
        compact.push(common.byte(codes::LINE_END, 0));
    }
    let (pairs, _) = simple.as_chunks::<2>();
    let mut moves = 0_u8;
    for pair in pairs {
        let word = u16::from_be_bytes(pair.map(|byte| encoding.code(byte, moves)));
        if word & Word::BRANCHES != 0 {
            compact.push(common.byte(codes::BRANCH, moves));
        }
        match word & Word::MOVE {
            0 => compact.push(common.byte(codes::NULL, moves)),
            mut told => {
                if encoding.reversed {
                    told = told & 3 << 12 | (told & 63) << 6 | told >> 6 & 63;
                }
                let [high, low] = told.to_be_bytes();
                compact.extend([codes::WORD, high, low].map(|code| common.byte(code, moves)));
            }
        }
        moves = moves.wrapping_add(1);
        if word & Word::LINE_ENDS != 0 {
            compact.push(common.byte(codes::LINE_END, moves));
        }
    }
}
