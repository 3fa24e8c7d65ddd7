//! What each move byte means for each man on each square, computed at compile time.
//!
//! A move byte is a piece number (high four bits) and a code (low four bits). What a code
//! means depends only on the man and its square, so one table lookup replaces all of the
//! format's move rules and rejects codes that lead off the board.

use shakmaty::Square;
use tabiya_chess::Placed;

/// Values below 64 are the target square of an ordinary move or capture. The others need
/// special handling. This one means no move.
pub(super) const INVALID: u8 = 64;
/// A null move.
pub(super) const NULL: u8 = 65;
/// A NAG follows in the next byte.
pub(super) const NAG: u8 = 66;
/// A comment belongs here.
pub(super) const COMMENT: u8 = 67;
/// A variation starts.
pub(super) const VARIATION: u8 = 68;
/// The variation ends.
pub(super) const VARIATION_END: u8 = 69;
/// The game ends.
pub(super) const GAME_END: u8 = 70;
/// Castling towards the a-file.
pub(super) const CASTLE_A: u8 = 71;
/// Castling towards the h-file.
pub(super) const CASTLE_H: u8 = 72;
/// A queen's diagonal move, whose target is in the next byte.
pub(super) const QUEEN_DIAGONAL: u8 = 73;
/// A pawn reaches the last rank.
pub(super) const PROMOTION: u8 = 74;
/// A pawn moves diagonally to its sixth rank: en passant if the square is empty.
pub(super) const PERHAPS_EN_PASSANT: u8 = 75;

/// Indexed by [`Placed::index`] << 4 | code. Rows of men that do not exist are [`INVALID`].
static TABLE: [u8; Placed::TABLE * 16] = table();

/// Returns what a code means for a man on its square.
///
/// The bounds check is free because the processor predicts it. A mask would add latency, and
/// the whole decoder waits for the target.
#[inline(always)]
pub(super) fn target(mover: Placed, code: u8) -> u8 {
    let entry = usize::from(mover.number()) << 4 | usize::from(code);
    TABLE.get(entry).copied().unwrap_or(INVALID)
}

/// No code.
pub(super) const NO_CODE: u8 = 16;

/// The code that moves a man to a square, by [`Placed::index`] << 6 | square, or [`NO_CODE`]: for
/// ordinary moves and captures.
static CODES: [u8; Placed::TABLE * 64] = codes();

const fn codes() -> [u8; Placed::TABLE * 64] {
    let mut codes = [NO_CODE; Placed::TABLE * 64];
    let mut entry = TABLE.len();
    while entry > 0 {
        entry -= 1;
        let to = TABLE[entry];
        if to < 64 {
            codes[(entry >> 4) << 6 | to as usize] = (entry & 15) as u8;
        }
    }
    codes
}

/// Returns the code that moves a man to a square by an ordinary move; [`NO_CODE`] without one.
#[inline(always)]
pub(super) fn code(mover: Placed, to: Square) -> u8 {
    CODES[mover.index() << 6 | to as usize]
}

/// Square offsets of White's pawn moves, by code modulo 3; negated for Black.
pub(super) const PAWN_STEPS: [i8; 3] = [7, 8, 9];

const KING_STEPS: [i8; 8] = [-9, -8, -7, -1, 1, 7, 8, 9];
const KNIGHT_STEPS: [i8; 8] = [-17, -15, -10, -6, 6, 10, 15, 17];

const fn table() -> [u8; Placed::TABLE * 16] {
    let mut table = [INVALID; Placed::TABLE * 16];
    let mut index = 0;
    while index < 12 * 64 * 16 {
        let (man, from, code) = (index >> 10, (index >> 4 & 63) as i8, (index & 15) as i8);
        table[index] = match man % 6 {
            0 => king(from, code),
            1 => queen(from, code),
            2 => rook(from, code),
            3 => bishop(from, code),
            4 => knight(from, code),
            _ => pawn(from, code, man < 6),
        };
        index += 1;
    }
    table
}

/// Returns the square `step` away if it is on the board and at most `width` files away, otherwise
/// [`INVALID`].
const fn step(from: i8, step: i8, width: i8) -> u8 {
    let to = from as i16 + step as i16;
    if to < 0 || to > 63 {
        return INVALID;
    }
    let files = (to as i8 & 7) - (from & 7);
    if files > width || -files > width {
        return INVALID;
    }
    to as u8
}

const fn king(from: i8, code: i8) -> u8 {
    match code {
        0 => NULL,
        1..=8 => step(from, KING_STEPS[code as usize - 1], 1),
        9 => CASTLE_A,
        10 => CASTLE_H,
        11 => NAG,
        12 => COMMENT,
        13 => VARIATION,
        14 => VARIATION_END,
        _ => GAME_END,
    }
}

const fn queen(from: i8, code: i8) -> u8 {
    if code == from & 7 {
        QUEEN_DIAGONAL
    } else {
        rook(from, code)
    }
}

const fn rook(from: i8, code: i8) -> u8 {
    let to = if code < 8 {
        from & !7 | code
    } else {
        (code - 8) << 3 | from & 7
    };
    if to == from { INVALID } else { to as u8 }
}

const fn bishop(from: i8, code: i8) -> u8 {
    let files = (code & 7) - (from & 7);
    let ranks = if code < 8 { files } else { -files };
    let rank = (from >> 3) + ranks;
    if files == 0 || rank < 0 || rank > 7 {
        return INVALID;
    }
    (rank << 3 | code & 7) as u8
}

const fn knight(from: i8, code: i8) -> u8 {
    match code {
        1..=8 => step(from, KNIGHT_STEPS[code as usize - 1], 2),
        _ => INVALID,
    }
}

const fn pawn(from: i8, code: i8, white: bool) -> u8 {
    let sign = if white { 1 } else { -1 };
    let rank = if white { from >> 3 } else { 7 - (from >> 3) };
    if code == 15 {
        return if rank == 1 {
            step(from, 16 * sign, 0)
        } else {
            INVALID
        };
    }
    let to = step(from, PAWN_STEPS[code as usize % 3] * sign, 1);
    let promotes = code >= 3;
    // No playable position has pawns on their first or last rank.
    if to == INVALID || rank == 0 || rank == 7 || promotes != (rank == 6) {
        INVALID
    } else if promotes {
        PROMOTION
    } else if rank == 4 && code != 1 {
        PERHAPS_EN_PASSANT
    } else {
        to
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Square;

    use super::*;
    use tabiya_chess::Man;

    fn to(letter: char, from: Square, code: usize) -> u8 {
        let placed = Placed::new(Man::from_char(letter).unwrap(), from);
        TABLE[placed.index() << 4 | code]
    }

    #[test]
    fn codes_lead_where_the_format_says() {
        assert_eq!(to('R', Square::A1, 7), Square::H1 as u8);
        assert_eq!(to('r', Square::A1, 15), Square::A8 as u8);
        assert_eq!(to('R', Square::A1, 0), INVALID);
        assert_eq!(to('Q', Square::D1, 3), QUEEN_DIAGONAL);
        assert_eq!(to('Q', Square::D1, 15), Square::D8 as u8);
        assert_eq!(to('B', Square::C1, 7), Square::H6 as u8);
        assert_eq!(to('B', Square::C1, 8), Square::A3 as u8);
        assert_eq!(to('B', Square::C1, 15), INVALID);
        assert_eq!(to('N', Square::G1, 7), Square::F3 as u8);
        assert_eq!(to('N', Square::H1, 8), INVALID);
        assert_eq!(to('K', Square::A1, 4), INVALID);
        assert_eq!(to('P', Square::E2, 15), Square::E4 as u8);
        assert_eq!(to('p', Square::E7, 15), Square::E5 as u8);
        assert_eq!(to('p', Square::E7, 0), Square::F6 as u8);
        assert_eq!(to('P', Square::E5, 0), PERHAPS_EN_PASSANT);
        assert_eq!(to('P', Square::E7, 4), PROMOTION);
        assert_eq!(to('P', Square::E7, 1), INVALID);
        assert_eq!(to('P', Square::E4, 15), INVALID);
        assert_eq!(to('P', Square::H2, 2), INVALID);
    }
}
