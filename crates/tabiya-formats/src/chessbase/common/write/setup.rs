//! Start positions of Chess960.

use shakmaty::{Board, File, Role, Setup, Square};

/// Whether a castling right is impossible in ordinary chess but possible in Chess960.
pub(crate) fn is_chess960(setup: &Setup) -> bool {
    setup.castling_rights.into_iter().any(|rook| {
        let Some(piece) = setup.board.piece_at(rook) else {
            return false;
        };
        let home = piece.color.backrank();
        let king = setup.board.king_of(piece.color);
        let could_castle = piece.role == Role::Rook
            && rook.rank() == home
            && king.is_some_and(|king| king.rank() == home);
        let is_usual = matches!(rook.file(), File::A | File::H)
            && king == Some(Square::from_coords(File::E, home));
        could_castle && !is_usual
    })
}

/// Returns the number of a Chess960 start position, 0 to 959; `None` for other positions.
pub(crate) fn start_number(setup: &Setup) -> Option<u16> {
    let is_start = |&number: &u16| Board::chess960(number.into()) == setup.board;
    (0..960).filter(|_| setup.turn.is_white()).find(is_start)
}
