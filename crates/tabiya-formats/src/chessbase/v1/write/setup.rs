//! Encodes custom start positions.

use shakmaty::{CastlingSide, Color, File, Piece, Role, Setup, Square};

use super::{GameLosses, Loss, men::by_files};
use crate::chessbase::{
    common::{ROLES, write::setup::start_number},
    v1::setup::RIGHTS,
};

/// Appends the 28 bytes of a start position.
pub(super) fn append_setup(setup: &Setup, bytes: &mut Vec<u8>, losses: &mut GameLosses) {
    let ep_file = setup.ep_square.map_or(0, |square| square.file() as u8 + 1);
    let number = setup.fullmoves.get();
    if number > 255 {
        losses.add(Loss::MoveNumbersWrapped);
    }
    if setup.halfmoves > 0 {
        losses.add(Loss::HalfmoveClocksDropped);
    }
    bytes.extend_from_slice(&[
        1,
        ep_file | setup.turn.fold_wb(0, 16),
        castling_bits(setup, losses),
        number as u8,
    ]);
    append_board(setup, bytes);
}

/// Appends one bit for an empty square or five for a man, in the order a1, a2, ... h8.
fn append_board(setup: &Setup, bytes: &mut Vec<u8>) {
    let end = bytes.len() + 24;
    let (mut bits, mut count) = (0_u32, 0);
    for file in File::ALL {
        for square in Square::ALL
            .into_iter()
            .filter(|square| square.file() == file)
        {
            let (new, width) = match setup.board.piece_at(square) {
                None => (0, 1),
                Some(piece) => {
                    let color = piece.color.fold_wb(0, 8);
                    (16 | color | number_of(piece.role), 5)
                }
            };
            bits = bits << width | new;
            count += width;
            while count >= 8 {
                count -= 8;
                bytes.push((bits >> count) as u8);
            }
        }
    }
    bytes.push((bits << (8 - count)) as u8);
    bytes.resize(end, 0);
}

fn number_of(role: Role) -> u32 {
    let at = ROLES.iter().position(|&known| known == role);
    at.map_or(0, |at| at as u32 + 1)
}

/// Returns the castling rights, one bit for each of [`RIGHTS`].
fn castling_bits(setup: &Setup, losses: &mut GameLosses) -> u8 {
    let mut bits = 0;
    for rook in setup.castling_rights {
        let king = setup.board.piece_at(rook).and_then(|piece| {
            let king = setup.board.king_of(piece.color)?;
            let at_home = [king, rook].map(Square::rank) == [piece.color.backrank(); 2];
            (at_home && piece.role == Role::Rook).then_some((piece.color, king))
        });
        match king {
            None => losses.add(Loss::CastlingRightsDropped),
            Some((color, king)) => {
                let right = (color, king < rook);
                let at = RIGHTS.iter().position(|&known| known == right);
                bits |= at.map_or(0, |at| 1 << at);
            }
        }
    }
    bits
}

/// Appends the eight bytes that follow the start position of a Chess960 game: the kings, White's
/// first, then each side's rooks that castle on the king's and the queen's side, then the number of
/// the start position, 0 if it is none of the 960.
pub(super) fn append_chess960(setup: &Setup, bytes: &mut Vec<u8>) {
    for color in Color::ALL {
        bytes.push(setup.board.king_of(color).map_or(0, by_files));
    }
    for color in Color::ALL {
        for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
            bytes.push(castling_rook(setup, color, side).map_or(0, by_files));
        }
    }
    let number = start_number(setup).unwrap_or(0);
    bytes.extend_from_slice(&number.to_be_bytes());
}

/// Returns the rook with a castling right on a side, or else the first rook on that side of the
/// king on the back rank.
fn castling_rook(setup: &Setup, color: Color, side: CastlingSide) -> Option<Square> {
    let king = setup.board.king_of(color)?;
    let is_on_side =
        |rook: &Square| rook.rank() == color.backrank() && (king < *rook) == side.is_king_side();
    let rooks = setup.board.by_piece(Piece {
        color,
        role: Role::Rook,
    });
    let entitled = rooks & setup.castling_rights;
    let mut entitled = entitled.into_iter().filter(is_on_side);
    entitled
        .next()
        .or_else(|| rooks.into_iter().find(is_on_side))
}
