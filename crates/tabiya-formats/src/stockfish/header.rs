//! The stem of a chain: its first position with move, score, ply and result.

use std::num::NonZeroU32;

use shakmaty::{Bitboard, Board, Color, Move, Rank, Role, Setup, Square};
use tabiya_chess::GameResult;

use super::{
    bits::unfolded,
    flaws,
    men::{Kind, Men, PROMOTED, is_in_check},
};
use crate::damage::Flaw;

/// The 32 bytes of a stem; all numbers are big-endian.
///
/// | offset | bytes | meaning |
/// |---|---|---|
/// | 0 | 8 | occupied squares, bit 0 is a1, bit 63 is h8 |
/// | 8 | 16 | what is on them from a1 up, four bits each, the lower ones of a byte first |
/// | 24 | 2 | move: kind (2 bits), from (6), to (6), promotion (2: N B R Q); 0 for none |
/// | 26 | 2 | score, with the sign in bit 0 |
/// | 28 | 2 | result of the side to move (2 bits, the same sign), ply (14) |
/// | 30 | 2 | half-moves since a pawn move or capture |
///
/// A man is twice its place among P N B R Q K, and one more for Black. Four numbers tell more: 12
/// is a pawn that has just made a double step, 13 and 14 are a white and a black rook that may
/// castle, 15 is a black king with Black to move. Kinds of moves: normal, promotion, castling (from
/// the king to the rook), en passant.
#[derive(Debug, Clone)]
pub(super) struct Stem {
    pub(super) men: Men,
    code: u16,
    pub(super) score: i16,
    ply: u16,
    pub(super) result: GameResult,
    halfmoves: u16,
}

pub(super) const STEM_BYTES: usize = 32;

const JUMPED_PAWN: u8 = 12;
const WHITE_CASTLING_ROOK: u8 = 13;
const BLACK_CASTLING_ROOK: u8 = 14;
const BLACK_KING_TO_MOVE: u8 = 15;

impl Stem {
    /// Reads a stem and checks its position.
    pub(super) fn read(bytes: &[u8; STEM_BYTES]) -> Result<Stem, Flaw> {
        let number = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        let men = men(bytes)?;
        let (result, ply) = (number(28) >> 14, number(28) & 0x3fff);
        let result = match unfolded(result) {
            0 => GameResult::Draw,
            1 => win_of(men.turn),
            -1 => win_of(men.turn.other()),
            _ => return Err(flaws::UNKNOWN_RESULT),
        };
        Ok(Stem {
            men,
            code: number(24),
            score: unfolded(number(26)),
            ply,
            result,
            halfmoves: number(30),
        })
    }

    /// Returns the first move; `None` if there is none. Pseudo-legal, castling even through check.
    pub(super) fn played(&self) -> Result<Option<Move>, Flaw> {
        let code = self.code;
        if code == 0 {
            return Ok(None);
        }
        let square = |shift: u16| Square::new(u32::from(code >> shift & 63));
        let kind = match code >> 14 {
            0 => Kind::Normal,
            1 => Kind::Promotion(PROMOTED[usize::from(code & 3)]),
            2 => Kind::Castling,
            _ => Kind::EnPassant,
        };
        let played = self.men.between(square(8), square(2), kind);
        played.ok_or(flaws::ILLEGAL_MOVE).map(Some)
    }

    /// Returns the start position; `None` for the standard one.
    pub(super) fn setup(&self) -> Option<Setup> {
        let setup = Setup {
            board: self.men.board.clone(),
            turn: self.men.turn,
            castling_rights: self.men.rights,
            ep_square: self.men.en_passant,
            halfmoves: self.halfmoves.into(),
            fullmoves: NonZeroU32::MIN.saturating_add(u32::from(self.ply) / 2),
            ..Setup::empty()
        };
        (setup != Setup::initial()).then_some(setup)
    }
}

fn win_of(color: Color) -> GameResult {
    color.fold_wb(GameResult::WhiteWins, GameResult::BlackWins)
}

/// Reads and checks the position of a stem.
fn men(bytes: &[u8; STEM_BYTES]) -> Result<Men, Flaw> {
    let mut occupied = [0; 8];
    occupied.copy_from_slice(&bytes[..8]);
    let occupied = Bitboard(u64::from_be_bytes(occupied));
    if occupied.count() > 32 {
        return Err(flaws::UNKNOWN_MEN);
    }
    let mut men = Men {
        board: Board::empty(),
        turn: Color::White,
        rights: Bitboard::EMPTY,
        en_passant: None,
    };
    let (mut kings, mut jumped) = ([0; 2], None);
    for (index, square) in occupied.into_iter().enumerate() {
        let pair = bytes[8 + index / 2];
        let number = if index % 2 == 0 { pair & 15 } else { pair >> 4 };
        let (role, color) = match number {
            JUMPED_PAWN => {
                if jumped.replace(square).is_some() {
                    return Err(flaws::SENSELESS_RIGHTS);
                }
                let is_white = square.rank() == Rank::Fourth;
                (Role::Pawn, Color::from_white(is_white))
            }
            WHITE_CASTLING_ROOK | BLACK_CASTLING_ROOK => {
                men.rights.add(square);
                (Role::Rook, Color::from_white(number == WHITE_CASTLING_ROOK))
            }
            BLACK_KING_TO_MOVE => {
                men.turn = Color::Black;
                (Role::King, Color::Black)
            }
            man => {
                let color = Color::from_white(man % 2 == 0);
                (Role::ALL[usize::from(man / 2)], color)
            }
        };
        if role == Role::King {
            kings[color.fold_wb(0, 1)] += 1;
        }
        men.board.set_piece_at(square, role.of(color));
    }
    if kings != [1, 1] {
        return Err(flaws::NOT_ONE_KING);
    }
    check(&men)?;
    if let Some(jumped) = jumped {
        let behind = behind(&men, jumped).ok_or(flaws::SENSELESS_RIGHTS)?;
        men.en_passant = men.is_capturable(behind).then_some(behind);
    }
    Ok(men)
}

/// Checks what the rules of chess require of a position, and that rooks may castle with their king.
fn check(men: &Men) -> Result<(), Flaw> {
    let board = &men.board;
    if (board.pawns() & Bitboard::BACKRANKS).any() {
        return Err(flaws::PAWN_OUTSIDE);
    }
    for color in Color::ALL {
        let rooks = men.rights & board.by_piece(Role::Rook.of(color));
        let is_home = board.king_of(color) == Some(color.fold_wb(Square::E1, Square::E8));
        let corners = Bitboard::CORNERS & color.backrank();
        if rooks.any() && !is_home || !rooks.is_subset(corners) {
            return Err(flaws::SENSELESS_RIGHTS);
        }
    }
    if is_in_check(board, men.turn.other()) {
        return Err(flaws::KING_LEFT_IN_CHECK);
    }
    Ok(())
}

/// Returns the square behind a pawn that has just made a double step; `None` if it cannot have.
fn behind(men: &Men, pawn: Square) -> Option<Square> {
    let color = men.turn.other();
    let down = color.fold_wb(-8, 8);
    let (behind, home) = (pawn.offset(down)?, pawn.offset(2 * down)?);
    let is_there = men.board.color_at(pawn) == Some(color);
    let is_free = !men.board.occupied().contains(behind) && !men.board.occupied().contains(home);
    let can_be = is_there && is_free && pawn.rank() == color.relative_rank(Rank::Fourth);
    can_be.then_some(behind)
}
