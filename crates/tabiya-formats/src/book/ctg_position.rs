//! How books of ChessBase write a position, and its hash.
//!
//! The board is that of the side to move: with Black to move, ranks and colours are swapped. If no
//! side may castle and the king of the side to move is on the files a to d, the files are swapped
//! too. Then the squares follow file by file, a1, a2 to h8, the highest bit of a byte first:
//!
//! | bits | |
//! |---|---|
//! | 0 | empty |
//! | 11c | pawn; c is 0 for the side to move, 1 for the other |
//! | 1001c | knight |
//! | 1010c | bishop |
//! | 1011c | rook |
//! | 10001c | queen |
//! | 10000c | king |
//!
//! Last are three bits for the en-passant file, if there is one, and four for castling, if anybody
//! may: short and long of the other side, short and long of the side to move. They end with a byte:
//! zeros are put before them, and at least one where there are none of them. The first byte has
//! the length of all in its low five bits, 0x20 with an en-passant file, 0x40 with castling.
//!
//! The file is that of a capture. Readers differ in whether it must be legal; the position is
//! looked for with both if these differ.
//!
//! Sources: the unofficial specification by Steinar H. Gunderson (2007, in the public domain); the
//! readers of Daydreamer, DroidFish, Polyfish and jja, which agree in all else.

use shakmaty::{
    Bitboard, CastlingSide, Chess, Color, EnPassantMode, File, Position as _, Rank, Role, Square,
};

/// The greatest length that five bits tell.
const BYTES_MAX: usize = 31;

/// How the board of a position lies in the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    swaps_ranks: bool,
    swaps_files: bool,
}

impl Frame {
    pub(super) fn of(position: &Chess) -> Frame {
        let turn = position.turn();
        let king = position.board().king_of(turn);
        let is_left = king.is_some_and(|king| king.file() < File::E);
        Frame {
            swaps_ranks: turn == Color::Black,
            swaps_files: is_left && position.castles().castling_rights().is_empty(),
        }
    }

    /// Returns where a square of the book is on the board, and the other way round.
    pub(super) fn square(self, square: Square) -> Square {
        let mut square = square;
        if self.swaps_ranks {
            square = square.flip_vertical();
        }
        if self.swaps_files {
            square = square.flip_horizontal();
        }
        square
    }
}

/// Returns the squares in the order of the book.
pub(super) fn squares() -> impl Iterator<Item = Square> {
    let on_file = |file| Rank::ALL.map(|rank| Square::from_coords(file, rank));
    File::ALL.into_iter().flat_map(on_file)
}

/// Bits, the highest of a byte first.
struct Bits {
    bytes: Vec<u8>,
    length: usize,
}

impl Bits {
    fn push(&mut self, bits: u8, count: usize) {
        for at in (0..count).rev() {
            if self.length.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= (bits >> at & 1) << (7 - self.length % 8);
            }
            self.length += 1;
        }
    }
}

/// Returns a position as a book has it; `None` if it is too long, with more pieces than a game has.
pub(super) fn written(position: &Chess, frame: Frame, mode: EnPassantMode) -> Option<Vec<u8>> {
    let mut bits = Bits {
        bytes: vec![0],
        length: 8,
    };
    let turn = position.turn();
    for square in squares() {
        let Some(piece) = position.board().piece_at(frame.square(square)) else {
            bits.push(0, 1);
            continue;
        };
        let (code, count) = match piece.role {
            Role::Pawn => (0b110, 3),
            Role::Knight => (0b10010, 5),
            Role::Bishop => (0b10100, 5),
            Role::Rook => (0b10110, 5),
            Role::Queen => (0b10_0010, 6),
            Role::King => (0b10_0000, 6),
        };
        bits.push(code | u8::from(piece.color != turn), count);
    }
    let file = position
        .ep_square(mode)
        .map(|square| frame.square(square).file());
    let castles = position.castles();
    let castling = !castles.castling_rights().is_empty();
    let count = if file.is_some() { 3 } else { 0 } + if castling { 4 } else { 0 };
    if count == 0 {
        bits.push(0, 1);
    }
    while !(bits.length + count).is_multiple_of(8) {
        bits.push(0, 1);
    }
    if let Some(file) = file {
        bits.push(file as u8, 3);
    }
    if castling {
        for color in [turn.other(), turn] {
            for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
                bits.push(u8::from(castles.has(color, side)), 1);
            }
        }
    }
    let mut bytes = bits.bytes;
    let length = u8::try_from(bytes.len()).ok()?;
    let first = bytes.first_mut()?;
    *first = length | u8::from(file.is_some()) << 5 | u8::from(castling) << 6;
    (bytes.len() <= BYTES_MAX).then_some(bytes)
}

/// Returns the man of the side to move that has so many of its kind before it.
pub(super) fn man(position: &Chess, frame: Frame, role: Role, number: usize) -> Option<Square> {
    let men: Bitboard = position.our(role);
    let is_one = |square: &Square| men.contains(frame.square(*square));
    squares().filter(is_one).nth(number)
}

/// Returns the hash of a position as the book has it.
pub(super) fn hash(bytes: &[u8]) -> u32 {
    let (mut hash, mut at) = (0_u32, 0_u32);
    for &byte in bytes {
        for half in [byte & 0x0f, byte >> 4] {
            at += u32::from(0x0f - half) * 4 + 1;
            hash = hash.wrapping_add(HASHES[at as usize % HASHES.len()]);
        }
    }
    hash
}

const HASHES: [u32; 64] = [
    0x3100_d2bf,
    0x3118_e3de,
    0x34ab_1372,
    0x2807_a847,
    0x1633_f566,
    0x2143_b359,
    0x26d5_6488,
    0x3b9e_6f59,
    0x3775_5656,
    0x3089_ca7b,
    0x18e9_2d85,
    0x0cd0_e9d8,
    0x1a9e_3b54,
    0x3eaa_902f,
    0x0d9b_faae,
    0x2f32_b45b,
    0x31ed_6102,
    0x3d3c_8398,
    0x1466_60e3,
    0x0f8d_4b76,
    0x02c7_7a5f,
    0x146c_8799,
    0x1c47_f51f,
    0x249f_8f36,
    0x2477_2043,
    0x1fbc_1e4d,
    0x1e86_b3fa,
    0x37df_36a6,
    0x16ed_30e4,
    0x02c3_148e,
    0x216e_5929,
    0x0636_b34e,
    0x317f_9f56,
    0x15f0_9d70,
    0x1310_26fb,
    0x38c7_84b1,
    0x29ac_3305,
    0x2b48_5dc5,
    0x3c04_9ddc,
    0x35a9_fbcd,
    0x31d5_373b,
    0x2b24_6799,
    0x0a29_23d3,
    0x08a9_6e9d,
    0x3003_1a9f,
    0x08f5_25b5,
    0x3361_1c06,
    0x2409_db98,
    0x0ca4_feb2,
    0x1000_b71e,
    0x3056_6e32,
    0x3944_7d31,
    0x194e_3752,
    0x0823_3a95,
    0x0f38_fe36,
    0x29c7_cd57,
    0x0f7b_3a39,
    0x328e_8a16,
    0x1e7d_1388,
    0x0fba_78f5,
    0x274c_7e7c,
    0x1e8b_e65c,
    0x2fa0_b0bb,
    0x1eb6_c371,
];
