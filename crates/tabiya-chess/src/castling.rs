//! Target squares of king and rook in castling.

use shakmaty::{CastlingSide, Move, Square};

/// Returns the squares of king and rook after castling: on the files c and d, or g and f, whatever
/// their start squares, so also in Chess960.
pub fn castled(king: Square, rook: Square) -> (Square, Square) {
    let side = CastlingSide::from_king_side(king < rook);
    (
        Square::from_coords(side.king_to_file(), king.rank()),
        Square::from_coords(side.rook_to_file(), rook.rank()),
    )
}

/// Returns the source and target square of the man (castling: of the king); `None` if a man is put
/// on the board.
pub fn way(played: Move) -> Option<(Square, Square)> {
    match played {
        Move::Castle { king, rook } => Some((king, castled(king, rook).0)),
        played => Some((played.from()?, played.to())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kings_and_rooks_castle_to_the_same_files_from_wherever() {
        assert_eq!(castled(Square::E1, Square::H1), (Square::G1, Square::F1));
        assert_eq!(castled(Square::E8, Square::A8), (Square::C8, Square::D8));
        assert_eq!(castled(Square::B1, Square::C1), (Square::G1, Square::F1));
        assert_eq!(castled(Square::G8, Square::F8), (Square::C8, Square::D8));
    }
}
