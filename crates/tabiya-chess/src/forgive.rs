//! Unreachable positions, as in studies and old files.

use shakmaty::{CastlingMode, Chess, PositionError, PositionErrorKinds, Setup};

/// Sets up a position that need not be reachable: accepts too much material and impossible checks,
/// and drops castling and en-passant rights that the board contradicts.
///
/// # Errors
/// If a requirement of the rules of chess is violated: one king per side, no pawn on a back rank,
/// and the king of the side that has just moved not in check.
pub fn forgiving_position(setup: Setup, mode: CastlingMode) -> Result<Chess, PositionErrorKinds> {
    setup
        .position::<Chess>(mode)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .map_err(|error| error.kinds())
}
