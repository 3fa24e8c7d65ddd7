//! The directions of pieces, in the order in which `.cbf` and `.2cbh` number moves.

/// Files to the right, ranks up.
pub(in crate::chessbase) type Direction = (i8, i8);
pub(in crate::chessbase) const KING_STEPS: [Direction; 8] = [
    (-1, -1),
    (-1, 0),
    (-1, 1),
    (0, -1),
    (0, 1),
    (1, -1),
    (1, 0),
    (1, 1),
];
pub(in crate::chessbase) const KNIGHT_STEPS: [Direction; 8] = [
    (-2, -1),
    (-2, 1),
    (2, -1),
    (2, 1),
    (-1, -2),
    (-1, 2),
    (1, -2),
    (1, 2),
];
/// The bishop's directions, then the rook's.
pub(in crate::chessbase) const LINES: [Direction; 8] = [
    (-1, -1),
    (1, -1),
    (1, 1),
    (-1, 1),
    (-1, 0),
    (0, -1),
    (1, 0),
    (0, 1),
];
