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

use super::{moves::Homes, stream::by_rank};

/// Size of a start position in bytes.
pub(super) const BYTES: usize = 28;
/// Number of bytes that Chess960 appends.
pub(super) const CHESS960_BYTES: usize = 8;

/// Kinds of men in the order of their numbers, starting from 1.
pub(super) const ROLES: [Role; 6] = [
    Role::King,
    Role::Queen,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Pawn,
];

/// Castling rights in the order of their bits, as colour and whether on the king's side.
pub(super) const RIGHTS: [(Color, bool); 4] = [
    (Color::White, false),
    (Color::White, true),
    (Color::Black, false),
    (Color::Black, true),
];

/// Reads a start position, including the 8 bytes of Chess960 if present. Also returns the castling
/// start squares of king and rooks.
pub(super) fn read(bytes: &[u8], standard: Homes) -> Result<(Setup, Homes), &'static str> {
    let Some((&[_, turn, castling, number], men)) = bytes.split_first_chunk() else {
        return Err("the start position is cut short");
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
fn board(bytes: &[u8]) -> Result<Board, &'static str> {
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
        let &role = role.ok_or("a start position with a man that does not exist")?;
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
