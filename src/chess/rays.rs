//! What rooks and bishops reach on an empty board.

use shakmaty::{Bitboard, Square, attacks};

/// Lists what a man reaches from each square of an empty board.
macro_rules! on_an_empty_board {
    ($reach:path) => {{
        let mut all = [Bitboard::EMPTY; 64];
        let mut square = 0;
        while square < 64 {
            all[square] = $reach(Square::new(square as u32), Bitboard::EMPTY);
            square += 1;
        }
        all
    }};
}

/// Ranks and files through a square.
pub(crate) static STRAIGHT: [Bitboard; 64] = on_an_empty_board!(attacks::rook_attacks);
/// Diagonals through a square.
pub(crate) static DIAGONAL: [Bitboard; 64] = on_an_empty_board!(attacks::bishop_attacks);
