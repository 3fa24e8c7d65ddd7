//! Drawing a position with letters.

use std::fmt::Write as _;

use shakmaty::{Board, File, Rank, Square};

/// Draws a board from White's side, nine lines.
pub(crate) fn draw(board: &Board) -> String {
    let mut text = String::new();
    for rank in Rank::ALL.into_iter().rev() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{rank} ");
        for file in File::ALL {
            let piece = board.piece_at(Square::from_coords(file, rank));
            let _ = write!(text, " {}", piece.map_or('.', |piece| piece.char()));
        }
        text.push('\n');
    }
    text.push_str("   a b c d e f g h\n");
    text
}
