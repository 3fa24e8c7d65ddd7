//! The mirror images of the board.

use shakmaty::{Bitboard, Color, Square};
use tabiya_chess::material::CountRange;

/// A set of men: bit [`Man::index`](tabiya_chess::Man::index).
pub(crate) type Men = u16;

/// A mirror image of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Symmetry {
    /// Colours exchanged and ranks mirrored.
    pub(crate) flip: bool,
    /// Files mirrored.
    pub(crate) mirror: bool,
}

impl Symmetry {
    pub(super) fn squares(self, squares: u64) -> u64 {
        let mut squares = Bitboard(squares);
        if self.flip {
            squares = squares.flip_vertical();
        }
        if self.mirror {
            squares = squares.flip_horizontal();
        }
        squares.into()
    }

    pub(super) fn square(self, square: Square) -> Square {
        let square = if self.flip {
            square.flip_vertical()
        } else {
            square
        };
        if self.mirror {
            square.flip_horizontal()
        } else {
            square
        }
    }

    /// Returns the men of the other colour if colours are exchanged. Bits that are no men stay.
    pub(super) fn men(self, men: Men) -> Men {
        const WHITE: Men = 0x3f;
        const BLACK: Men = WHITE << 6;
        if self.flip {
            (men & BLACK) >> 6 | (men & WHITE) << 6 | men & !(WHITE | BLACK)
        } else {
            men
        }
    }

    /// Returns the image of a colour.
    pub(crate) fn color(self, color: Color) -> Color {
        if self.flip { color.other() } else { color }
    }

    /// Returns the image of count ranges.
    pub(crate) fn counts(self, counts: CountRange) -> CountRange {
        if self.flip { counts.swapped() } else { counts }
    }

    pub(super) fn files(self, mut files: [u8; 8]) -> [u8; 8] {
        if self.mirror {
            files.reverse();
        }
        files
    }
}
