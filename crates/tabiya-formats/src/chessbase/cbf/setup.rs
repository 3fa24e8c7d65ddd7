//! Start positions: two squares in each of 32 bytes, a1 first, b1 next, each first in the upper 4
//! bits; then the number of moves before the game.
//!
//! 0 is an empty square, 1 to 6 are king, queen, knight, bishop, rook and pawn, 8 more for Black.
//! Who is to move, rights to castle and the file for en passant are in the head.

use std::num::NonZeroU32;

use shakmaty::{Bitboard, CastlingSide, Color, File, Piece, Rank, Role, Setup, Square};

use super::{
    flaws,
    header::{Head, SETUP_BYTES},
};
use crate::{Decoded, damage_at};

const BOARD_BYTES: usize = 32;
const BLACK: u8 = 8;
const ROLES: [Role; 6] = [
    Role::King,
    Role::Queen,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Pawn,
];

/// Reads a start position at an offset in the bytes of a game. Rights to castle without king and
/// rook in their places are ignored, and a file for en passant without a pawn to capture.
pub(super) fn read(game: &[u8], at: usize, head: &Head) -> Decoded<Setup> {
    let bytes: Option<&[u8; SETUP_BYTES]> = game.get(at..).and_then(<[u8]>::first_chunk);
    let bytes = bytes.ok_or_else(|| damage_at(flaws::START_CUT, at.min(game.len())))?;
    let mut setup = Setup::empty();
    for (square, index) in Square::ALL.into_iter().zip(0..) {
        let pair = bytes[index / 2];
        let man = if index % 2 == 0 { pair >> 4 } else { pair & 15 };
        if man == 0 {
            continue;
        }
        let color = Color::from_white(man < BLACK);
        let role = ROLES.get(usize::from((man % BLACK).wrapping_sub(1)));
        let unknown = || damage_at(flaws::START_UNKNOWN_MAN, at + index / 2);
        let role = *role.ok_or_else(unknown)?;
        setup.board.set_piece_at(square, Piece { color, role });
    }
    setup.turn = Color::from_white(!head.black_moves_first());
    setup.castling_rights = castling_rights(&setup, head);
    setup.ep_square = head
        .en_passant_file()
        .and_then(|file| en_passant(&setup, file));
    let played = u32::from(bytes[BOARD_BYTES]);
    setup.fullmoves = NonZeroU32::MIN.saturating_add(played);
    Ok(setup)
}

fn castling_rights(setup: &Setup, head: &Head) -> Bitboard {
    let mut rights = Bitboard::EMPTY;
    for color in Color::ALL {
        for side in CastlingSide::ALL {
            let rank = color.backrank();
            let corner = if side.is_king_side() {
                File::H
            } else {
                File::A
            };
            let [king, rook] = [File::E, corner].map(|file| Square::from_coords(file, rank));
            let is = |square, role| setup.board.piece_at(square) == Some(Piece { color, role });
            if head.may_castle(color, side) && is(king, Role::King) && is(rook, Role::Rook) {
                rights.add(rook);
            }
        }
    }
    rights
}

/// Returns the square behind the pawn that has just gone two squares.
fn en_passant(setup: &Setup, file: File) -> Option<Square> {
    let pusher = setup.turn.other();
    let square = |rank: Rank| Square::from_coords(file, rank);
    let [from, passed, to] = match pusher {
        Color::White => [Rank::Second, Rank::Third, Rank::Fourth],
        Color::Black => [Rank::Seventh, Rank::Sixth, Rank::Fifth],
    }
    .map(square);
    let pawn = Piece {
        color: pusher,
        role: Role::Pawn,
    };
    let at = |square| setup.board.piece_at(square);
    let is_possible = at(to) == Some(pawn) && at(passed).is_none() && at(from).is_none();
    is_possible.then_some(passed)
}
