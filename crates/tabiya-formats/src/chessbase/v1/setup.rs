//! Start positions of `.cbg` games.
//!
//! | offset | bytes | meaning |
//! |---|---|---|
//! | 0 | 1 | 1 |
//! | 1 | 1 | bits 0 to 3 en-passant file (1 a, ... 8 h, 0 none), bit 4 Black to move |
//! | 2 | 1 | castling: bit 0 White long, 1 White short, 2 Black long, 3 Black short |
//! | 3 | 1 | number of the next move, 0 meaning 1 |
//! | 4 | 24 | squares a1, a2, ... h8, highest bit first: 0 empty, or 1, colour, 3 bits of kind |
//!
//! Chess960 appends the squares of White's king, Black's king, White's short and long rook, Black's
//! short and long rook, and a 16-bit number that is often wrong and not read.

use shakmaty::{Bitboard, Board, Color, Piece, Rank, Role, Setup, Square};

use super::flaws;
use crate::{chessbase::common::ROLES, damage::Flaw};

/// No square, in a slot of [`Men`](super::men::Men). The board goes on after the last square so
/// that a man that stands nowhere can be moved there like any other.
pub(super) const NOWHERE: u8 = 64;

/// Where king and rooks must stand to castle, by side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Homes {
    /// [`NOWHERE`] where there is none.
    pub(super) kings: [u8; 2],
    /// First the king's rook, then the queen's; [`NOWHERE`] where there is none.
    pub(super) rooks: [[u8; 2]; 2],
}

/// Where one side castles from: king, king's rook, queen's rook.
pub(super) type Home = (Square, Option<Square>, Option<Square>);

impl Homes {
    /// Returns the homes of White and Black; `None` for a side without a king at home.
    pub(super) fn new(homes: [Option<Home>; 2]) -> Homes {
        let number = |square: Option<Square>| square.map_or(NOWHERE, |square| square as u8);
        Homes {
            kings: homes.map(|home| number(home.map(|home| home.0))),
            rooks: homes.map(|home| match home {
                Some((_, short, long)) => [number(short), number(long)],
                None => [NOWHERE; 2],
            }),
        }
    }

    /// Returns where king and rook castle from.
    pub(super) fn castling(&self, color: Color, king_side: bool) -> Option<(Square, Square)> {
        let side = usize::from(color.is_black());
        let square = |number: u8| Square::try_from(number).ok();
        let rook = self.rooks[side][usize::from(!king_side)];
        Some((square(self.kings[side])?, square(rook)?))
    }
}

/// Ordinary chess.
pub(super) static STANDARD_HOMES: Homes = Homes {
    kings: [4, 60],
    rooks: [[7, 0], [63, 56]],
};

/// Turns the number of a square counted file by file into one counted rank by rank.
pub(super) const fn by_rank(square: u16) -> u8 {
    ((square & 7) << 3 | square >> 3 & 7) as u8
}

/// Size of a start position in bytes.
pub(super) const BYTES: usize = 28;
/// Number of bytes that Chess960 appends.
pub(super) const CHESS960_BYTES: usize = 8;

/// Castling rights in the order of their bits, as colour and whether on the king's side.
pub(super) const RIGHTS: [(Color, bool); 4] = [
    (Color::White, false),
    (Color::White, true),
    (Color::Black, false),
    (Color::Black, true),
];

/// Reads a start position, including the 8 bytes of Chess960 if present. Also returns the castling
/// start squares of king and rooks.
pub(super) fn read(bytes: &[u8], standard: Homes) -> Result<(Setup, Homes), Flaw> {
    let Some((&[_, turn, castling, number], men)) = bytes.split_first_chunk() else {
        return Err(flaws::START_CUT);
    };
    let (men, chess960) = men.split_at_checked(BYTES - 4).unwrap_or((men, &[]));
    let mut setup = Setup::empty();
    setup.board = board(men)?;
    setup.turn = Color::from_white(turn & 16 == 0);
    setup.ep_square = en_passant(turn & 15, setup.turn);
    setup.fullmoves = u32::from(number).try_into().unwrap_or(setup.fullmoves);
    let homes = match chess960.first_chunk() {
        Some(&squares) => chess960_homes(&setup.board, squares),
        None => standard,
    };
    for (bit, (color, king_side)) in RIGHTS.into_iter().enumerate() {
        let Some((king, rook)) = homes.castling(color, king_side) else {
            continue;
        };
        let there = |square, role| setup.board.piece_at(square) == Some(Piece { color, role });
        if castling >> bit & 1 == 1 && there(king, Role::King) && there(rook, Role::Rook) {
            setup.castling_rights.add(rook);
        }
    }
    Ok((setup, homes))
}

/// Reads the men, one or five bits per square.
fn board(bytes: &[u8]) -> Result<Board, Flaw> {
    let mut bits = bytes
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    let mut board = Board::empty();
    for index in 0..64 {
        // A full board needs more bits than there are; missing bits read as empty squares.
        if bits.next() != Some(1) {
            continue;
        }
        let black = bits.next() == Some(1);
        let kind = bits.by_ref().take(3).fold(0, |kind, bit| kind << 1 | bit);
        let role = usize::from(kind)
            .checked_sub(1)
            .and_then(|at| ROLES.get(at));
        let &role = role.ok_or(flaws::UNKNOWN_MAN)?;
        let color = Color::from_white(!black);
        let square = Square::new(u32::from(by_rank(index)));
        board.set_piece_at(square, Piece { color, role });
    }
    Ok(board)
}

fn en_passant(file: u8, turn: Color) -> Option<Square> {
    let file = u32::from(file).checked_sub(1).filter(|&file| file < 8)?;
    let rank = turn.fold_wb(Rank::Sixth, Rank::Third);
    Some(Square::from_coords(shakmaty::File::new(file), rank))
}

/// Finds the castling start squares of kings and rooks. A given square is used if that man is on it
/// and on its own back rank. Otherwise the rook is the outermost one on its side of the king.
fn chess960_homes(board: &Board, squares: [u8; 6]) -> Homes {
    let [
        white_king,
        black_king,
        white_short,
        white_long,
        black_short,
        black_long,
    ] = squares.map(|square| Square::new(u32::from(by_rank(u16::from(square & 63)))));
    let home = |color: Color, king: Square, rooks: [Square; 2]| {
        let own = board.by_color(color) & Bitboard::from(color.backrank());
        let king = Some(king)
            .filter(|&king| (own & board.kings()).contains(king))
            .or((own & board.kings()).first())?;
        let (short, long): (Bitboard, Bitboard) = (own & board.rooks())
            .into_iter()
            .partition(|&rook| rook > king);
        let given = |rooks: Bitboard, rook| rooks.contains(rook).then_some(rook);
        Some((
            king,
            given(short, rooks[0]).or(short.last()),
            given(long, rooks[1]).or(long.first()),
        ))
    };
    Homes::new([
        home(Color::White, white_king, [white_short, white_long]),
        home(Color::Black, black_king, [black_short, black_long]),
    ])
}
