//! Start positions: what stands between the words `fffb` and `fffc`.
//!
//! A game of Chess960 begins with the number of its start position, 0 to 959; 1000 means that a
//! position follows. That has a word for the number of the next move, a word whose low byte is 1
//! if Black moves first and whose high byte has the castling rights, a word for the file on which a
//! pawn may be captured en passant (1 a, ... 8 h, 0 none), and a word for each man.

use std::num::NonZeroU32;

use shakmaty::{Bitboard, Color, File, Piece, Rank, Role, Setup, Square};

use super::{
    flaws,
    men::{Homes, STANDARD_HOMES},
};
use crate::damage::Flaw;

/// The number of Chess960 that means another start position.
pub(super) const OTHER_START: u16 = 1000;
/// Words before the men.
pub(super) const HEAD_WORDS: usize = 3;

const FIRST_PIECE: u16 = 0xc02d;
const FIRST_WHITE_PAWN: u16 = 0xc2ad;
const FIRST_BLACK_PAWN: u16 = 0xc2dd;
const END: u16 = 0xc30d;
const PIECES: [Role; 5] = [
    Role::King,
    Role::Queen,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
];
/// The rank below the first on which pawns stand.
const RANKS_OF_PAWNS: u16 = 6;

/// Castling rights by their bits: colour, and whether on the king's side.
pub(super) const RIGHTS: [(Color, bool); 4] = [
    (Color::White, false),
    (Color::White, true),
    (Color::Black, false),
    (Color::Black, true),
];

/// Reads a start section. Also returns where rooks castle from.
pub(super) fn read(words: &[u16], is_chess960: bool) -> Result<(Setup, Homes), Flaw> {
    match (is_chess960, words) {
        (true, [OTHER_START, rest @ ..]) => position(rest, true),
        (true, &[number]) => numbered(number).ok_or(flaws::UNKNOWN_CHESS960),
        (true, _) => Err(flaws::UNKNOWN_START),
        (false, words) => position(words, false),
    }
}

fn position(words: &[u16], is_chess960: bool) -> Result<(Setup, Homes), Flaw> {
    let Some((&[number, rights, en_passant], men)) = words.split_first_chunk::<HEAD_WORDS>() else {
        return Err(flaws::START_CUT);
    };
    let mut setup = Setup::empty();
    for &word in men {
        let (square, piece) = placement(word).ok_or(flaws::UNKNOWN_START)?;
        setup.board.set_piece_at(square, piece);
    }
    setup.turn = Color::from_white(rights & 1 == 0);
    setup.fullmoves = NonZeroU32::new(number.into()).unwrap_or(setup.fullmoves);
    let file = en_passant.checked_sub(1).map(u32::from);
    let passed = setup.turn.fold_wb(Rank::Sixth, Rank::Third);
    let file = file.and_then(|file| File::try_from(file).ok());
    setup.ep_square = file.map(|file| Square::from_coords(file, passed));
    let mut homes = STANDARD_HOMES;
    for (bit, (color, king_side)) in RIGHTS.into_iter().enumerate() {
        let right = castling(&setup, color, king_side, is_chess960);
        if is_chess960 {
            homes[bit] = right;
        }
        if let Some(rook) = right.filter(|_| rights >> (8 + bit) & 1 == 1) {
            setup.castling_rights.add(rook);
        }
    }
    Ok((setup, homes))
}

/// Returns the man that a word places, and where.
fn placement(word: u16) -> Option<(Square, Piece)> {
    let square = |file: u16, rank: u16| Square::try_from(u32::from(rank * 8 + file)).ok();
    match word {
        FIRST_PIECE..FIRST_WHITE_PAWN => {
            let (number, at) = ((word - FIRST_PIECE) / 64, (word - FIRST_PIECE) % 64);
            let piece = Piece {
                color: Color::from_white(usize::from(number) < PIECES.len()),
                role: PIECES[usize::from(number) % PIECES.len()],
            };
            Some((square(at / 8, at % 8)?, piece))
        }
        FIRST_WHITE_PAWN..END => {
            let is_white = word < FIRST_BLACK_PAWN;
            let at = word
                - if is_white {
                    FIRST_WHITE_PAWN
                } else {
                    FIRST_BLACK_PAWN
                };
            let piece = Piece {
                color: Color::from_white(is_white),
                role: Role::Pawn,
            };
            let square = square(at / RANKS_OF_PAWNS, at % RANKS_OF_PAWNS + 1)?;
            Some((square, piece))
        }
        _ => None,
    }
}

/// Returns the word that places a man; `None` for a pawn where none can stand.
pub(super) fn placing(square: Square, piece: Piece) -> Option<u16> {
    let (file, rank) = (square.file() as u16, square.rank() as u16);
    let is_white = piece.color.is_white();
    match PIECES.iter().position(|role| *role == piece.role) {
        Some(number) => {
            let number = number + if is_white { 0 } else { PIECES.len() };
            Some(FIRST_PIECE + 64 * number as u16 + 8 * file + rank)
        }
        None if (1..=RANKS_OF_PAWNS).contains(&rank) => {
            let first = if is_white {
                FIRST_WHITE_PAWN
            } else {
                FIRST_BLACK_PAWN
            };
            Some(first + RANKS_OF_PAWNS * file + rank - 1)
        }
        None => None,
    }
}

/// Returns where the rook stands with which a king may castle: in Chess960 the outermost on its
/// side.
pub(super) fn castling(
    setup: &Setup,
    color: Color,
    king_side: bool,
    is_chess960: bool,
) -> Option<Square> {
    let board = &setup.board;
    let back_rank = Bitboard::from_rank(color.backrank());
    let king = (board.kings() & board.by_color(color) & back_rank).first()?;
    let rooks = board.rooks() & board.by_color(color) & back_rank;
    let mut beside = rooks.into_iter().filter(|&rook| (king < rook) == king_side);
    if is_chess960 {
        return if king_side {
            beside.next_back()
        } else {
            beside.next()
        };
    }
    let corner = if king_side { File::H } else { File::A };
    let may = king.file() == File::E;
    beside.find(|rook| may && rook.file() == corner)
}

/// Returns a start position of Chess960 by its number.
fn numbered(number: u16) -> Option<(Setup, Homes)> {
    let pieces = first_rank(number)?;
    let mut setup = Setup::initial();
    setup.castling_rights = Bitboard::EMPTY;
    let mut rooks = Vec::new();
    for color in Color::ALL {
        for (file, role) in File::ALL.into_iter().zip(pieces) {
            let square = Square::from_coords(file, color.backrank());
            setup.board.set_piece_at(square, Piece { color, role });
            if role == Role::Rook {
                setup.castling_rights.add(square);
                rooks.push(square);
            }
        }
    }
    // By colour and file, which is the order of the rights.
    rooks.sort_by_key(|rook| (rook.rank(), rook.file()));
    let home = |index: usize| rooks.get(index).copied();
    Some((setup, [home(0), home(1), home(2), home(3)]))
}

/// Returns the pieces of a start position of Chess960 from the a-file on.
fn first_rank(number: u16) -> Option<[Role; 8]> {
    /// The places of two knights among five.
    const KNIGHTS: [(usize, usize); 10] = [
        (0, 1),
        (0, 2),
        (0, 3),
        (0, 4),
        (1, 2),
        (1, 3),
        (1, 4),
        (2, 3),
        (2, 4),
        (3, 4),
    ];
    let number = usize::from(number);
    if number >= 960 {
        return None;
    }
    let mut rank = [None; 8];
    rank[number % 4 * 2 + 1] = Some(Role::Bishop);
    rank[number / 4 % 4 * 2] = Some(Role::Bishop);
    let free = |rank: &[Option<Role>; 8], nth: usize| {
        let mut free = (0..8).filter(|&file| rank[file].is_none());
        free.nth(nth)
    };
    rank[free(&rank, number / 16 % 6)?] = Some(Role::Queen);
    let (first, second) = *KNIGHTS.get(number / 96)?;
    let knights = (free(&rank, first)?, free(&rank, second)?);
    rank[knights.0] = Some(Role::Knight);
    rank[knights.1] = Some(Role::Knight);
    for role in [Role::Rook, Role::King, Role::Rook] {
        rank[free(&rank, 0)?] = Some(role);
    }
    Some(rank.map(|role| role.unwrap_or(Role::Pawn)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(number: u16) -> String {
        let rank = first_rank(number).unwrap();
        rank.map(|role| role.upper_char()).iter().collect()
    }

    #[test]
    fn start_positions_are_numbered_as_everywhere() {
        assert_eq!(letters(0), "BBQNNRKR");
        assert_eq!(letters(518), "RNBQKBNR");
        assert_eq!(letters(959), "RKRNNQBB");
        assert_eq!(first_rank(960), None);
        let mut all: Vec<String> = (0..960).map(letters).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 960);
        let (setup, homes) = numbered(518).unwrap();
        assert_eq!((setup, homes), (Setup::initial(), STANDARD_HOMES));
    }

    #[test]
    fn men_stand_where_their_words_say() {
        let is = |word, square, letter| {
            let (at, piece) = placement(word).unwrap();
            assert_eq!((at, piece.char()), (square, letter), "{word:04x}");
            assert_eq!(placing(at, piece), Some(word));
        };
        is(0xc02d, Square::A1, 'K');
        is(0xc02d + 63, Square::H8, 'K');
        is(0xc02d + 4 * 64 + 1, Square::A2, 'R');
        is(0xc16d, Square::A1, 'k');
        is(0xc2ad, Square::A2, 'P');
        is(0xc2dd + 6, Square::B2, 'p');
        is(0xc30c, Square::H7, 'p');
        assert_eq!(placement(0xc02c), None);
        assert_eq!(placement(0xc30d), None);
    }
}
