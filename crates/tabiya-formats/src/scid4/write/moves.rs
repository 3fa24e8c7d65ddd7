//! Encodes moves.
//!
//! Uses the decoding [`codes`] in reverse.

use shakmaty::{Move, Role, Square};
use tabiya_chess::Placed;

use crate::scid4::{
    codes::{self, NO_CODE, PAWN_STEPS},
    men::{Pieces, Side},
};

/// The bytes of one move: two for a queen's diagonal move, otherwise one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::scid4) struct MoveBytes {
    bytes: [u8; 2],
    is_long: bool,
}

impl MoveBytes {
    fn short(number: u8, code: u8) -> MoveBytes {
        MoveBytes {
            bytes: [number << 4 | code, 0],
            is_long: false,
        }
    }

    pub(in crate::scid4) fn as_slice(&self) -> &[u8] {
        &self.bytes[..1 + usize::from(self.is_long)]
    }
}

/// Why a move cannot be encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::scid4) enum Refusal {
    /// Castling from squares other than those of standard chess or of the start position.
    Chess960,
    /// No man can move like that.
    Impossible,
}

/// Codes of the king's moves other than single steps.
const NULL: u8 = 0;
const CASTLE_A: u8 = 9;
const CASTLE_H: u8 = 10;
const DOUBLE_STEP: u8 = 15;
/// Added to the target square in the second byte of a queen's diagonal move.
const DIAGONAL: u8 = 64;

/// Returns the bytes of a move of the side to move; `None` is a null move.
///
/// Does not detect every illegal move, but what [`Pieces::step`] accepts is always the given
/// move.
pub(in crate::scid4) fn encode(
    pieces: &Pieces,
    side: Side,
    played: Option<Move>,
) -> Result<MoveBytes, Refusal> {
    match played {
        None => Ok(MoveBytes::short(0, NULL)),
        Some(Move::Castle { king, rook }) => {
            let kingside = pieces.castling_side(side, king, rook);
            let kingside = kingside.ok_or(Refusal::Chess960)?;
            match pieces.number_at(side, king) {
                Some(0) => Ok(MoveBytes::short(
                    0,
                    [CASTLE_A, CASTLE_H][usize::from(kingside)],
                )),
                _ => Err(Refusal::Impossible),
            }
        }
        Some(Move::EnPassant { from, to }) => ordinary(pieces, side, Role::Pawn, from, to, None),
        Some(Move::Normal {
            role,
            from,
            to,
            promotion,
            ..
        }) => ordinary(pieces, side, role, from, to, promotion),
        Some(Move::Put { .. }) => Err(Refusal::Impossible),
    }
}

fn ordinary(
    pieces: &Pieces,
    side: Side,
    role: Role,
    from: Square,
    to: Square,
    promotion: Option<Role>,
) -> Result<MoveBytes, Refusal> {
    let number = pieces.number_at(side, from).ok_or(Refusal::Impossible)?;
    let placed = pieces.placed(side, number);
    if placed.man().role() != role {
        return Err(Refusal::Impossible);
    }
    let code = codes::code(placed, to);
    if code != NO_CODE && promotion.is_none() {
        return Ok(MoveBytes::short(number, code));
    }
    let code = match role {
        Role::Pawn => pawn(placed, to, promotion),
        Role::Queen
            if promotion.is_none() && from.rank() != to.rank() && from.file() != to.file() =>
        {
            return Ok(MoveBytes {
                bytes: [number << 4 | from.file() as u8, DIAGONAL + to as u8],
                is_long: true,
            });
        }
        _ => None,
    };
    code.map(|code| MoveBytes::short(number, code))
        .ok_or(Refusal::Impossible)
}

/// Returns the code of a pawn's move: its direction plus its promotion.
fn pawn(placed: Placed, to: Square, promotion: Option<Role>) -> Option<u8> {
    let step = to as i8 - placed.square() as i8;
    let step = if placed.man().color().is_white() {
        step
    } else {
        -step
    };
    let becomes = match promotion {
        None if step == 16 => return Some(DOUBLE_STEP),
        None => 0,
        Some(Role::Queen) => 3,
        Some(Role::Rook) => 6,
        Some(Role::Bishop) => 9,
        Some(Role::Knight) => 12,
        Some(_) => return None,
    };
    let direction = PAWN_STEPS.iter().position(|&known| known == step)?;
    Some(becomes + direction as u8)
}
