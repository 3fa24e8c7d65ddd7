//! Squares that men attack on an empty board.

use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::{Man, Placed};

/// Lists the squares that a man attacks from each square of an empty board.
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
pub static STRAIGHT: [Bitboard; 64] = on_an_empty_board!(attacks::rook_attacks);
/// Diagonals through a square.
pub static DIAGONAL: [Bitboard; 64] = on_an_empty_board!(attacks::bishop_attacks);

/// The squares between two squares. Looking them up takes less than cutting a line to size, mostly
/// so if the first square is often the same, such as a king's.
static BETWEEN: [[Bitboard; 64]; 64] = {
    let mut all = [[Bitboard::EMPTY; 64]; 64];
    let mut pair = 0;
    while pair < 64 * 64 {
        let (a, b) = (pair / 64, pair % 64);
        all[a][b] = attacks::between(Square::new(a as u32), Square::new(b as u32));
        pair += 1;
    }
    all
};

/// Returns the squares between two squares, none if they are on no common line.
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a as usize][b as usize]
}

/// The squares that a man attacks from each square, by [`Man::index`]; padded so that no index is
/// out of bounds.
static ATTACKED: [[Bitboard; 64]; 16] = {
    let mut all = [[Bitboard::EMPTY; 64]; 16];
    let mut man = 0;
    while man < Man::ALL.len() {
        let mut square = 0;
        while square < 64 {
            all[man][square] = attacks_of(Man::ALL[man], Square::new(square as u32));
            square += 1;
        }
        man += 1;
    }
    all
};

const fn attacks_of(man: Man, square: Square) -> Bitboard {
    let (straight, diagonal) = (STRAIGHT[square as usize], DIAGONAL[square as usize]);
    match man.role() {
        Role::Pawn => attacks::pawn_attacks(man.color(), square),
        Role::Knight => attacks::knight_attacks(square),
        Role::Bishop => diagonal,
        Role::Rook => straight,
        Role::Queen => Bitboard(straight.0 | diagonal.0),
        Role::King => attacks::king_attacks(square),
    }
}

/// The squares that a piece attacks from each square, by role; padded so that no index is out of
/// bounds. Half of [`ATTACKED`], so more of it stays near the processor.
static REACH: [[Bitboard; 64]; 8] = {
    let mut all = [[Bitboard::EMPTY; 64]; 8];
    let mut role = 1;
    while role < Role::ALL.len() {
        all[role + 1] = ATTACKED[Man::new(Color::White, Role::ALL[role]).index()];
        role += 1;
    }
    all
};

/// Returns the squares that a piece, not a pawn, attacks from a square of an empty board.
#[inline(always)]
pub(crate) const fn reach(role: Role, from: Square) -> Bitboard {
    REACH[role as usize & 7][from as usize]
}

/// Returns the squares that a man attacks from a square of an empty board.
#[inline(always)]
pub fn attacked(color: Color, role: Role, from: Square) -> Bitboard {
    ATTACKED[Man::new(color, role).index() & 15][from as usize]
}

/// Returns the squares that a man on its square attacks on an empty board.
#[inline(always)]
pub fn attacked_by(placed: Placed) -> Bitboard {
    ATTACKED[placed.man_index()][placed.square_index() as usize]
}
