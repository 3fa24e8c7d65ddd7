//! Where castling takes the king and the rook.

use shakmaty::{CastlingSide, Move, Square};

/// Returns where the king and the rook stand after castling: on the files c and d, or g and f,
/// wherever they come from, so in Chess960 too.
pub(crate) fn castled(king: Square, rook: Square) -> (Square, Square) {
    let side = CastlingSide::from_king_side(king < rook);
    (
        Square::from_coords(side.king_to_file(), king.rank()),
        Square::from_coords(side.rook_to_file(), rook.rank()),
    )
}

/// Returns where the man (castling: the king) comes from and goes to; `None` for a man that is
/// put on the board.
pub(crate) fn way(played: Move) -> Option<(Square, Square)> {
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
