//! The moves of a game: one byte for most tokens, terminated by 255.
//!
//! | byte | meaning |
//! |---|---|
//! | 0x00 to 0x97 | a man's move, see [`token`] |
//! | 0x98, 0x99, 0x9a | castling to the h side, to the a side; a null move |
//! | 0xa0 to 0xa7 | a pawn promotes; one more byte |
//! | 0xa8 to 0xaf | a promoted man moves; one more byte |
//! | 0xb0 to 0xcf | a glyph, 1 to 31; for 0xb0 the next byte |
//! | 0xd0 to 0xd3 | the result: 0-1, draw, 1-0, unknown |
//! | 0xe0 to 0xef | a comment: the next string of the comments |
//! | 0xf0, 0xf1 | a variation of the last move begins, ends |
//! | 0xff | the end |
//!
//! What jose could not read in a PGN file is stored as 0xe1 to 0xe5 with the text as a comment.

use shakmaty::{CastlingSide, Role};
use tabiya_chess::GameResult;

use super::{
    flaws,
    men::{Code, PROMOTED, first_slot},
};
use crate::{bytes::Cursor, damage::Flaw};

pub(super) const CASTLE_KING_SIDE: u8 = 0x98;
pub(super) const CASTLE_QUEEN_SIDE: u8 = 0x99;
const NULL_MOVE: u8 = 0x9a;
pub(super) const PROMOTION: u8 = 0xa0;
pub(super) const PROMOTED_MOVE: u8 = 0xa8;
pub(super) const GLYPH: u8 = 0xb0;
pub(super) const GLYPH_LAST: u8 = 0xcf;
pub(super) const RESULT: u8 = 0xd0;
pub(super) const COMMENT: u8 = 0xe0;
pub(super) const VARIATION: u8 = 0xf0;
pub(super) const VARIATION_END: u8 = 0xf1;
pub(super) const END: u8 = 0xff;
/// Set in the second byte of two-byte moves, so that it is never 0.
pub(super) const SECOND: u8 = 0x20;

/// Indexed by the code of a result token.
pub(super) const RESULTS: [GameResult; 4] = [
    GameResult::BlackWins,
    GameResult::Draw,
    GameResult::WhiteWins,
    GameResult::Unknown,
];

/// The first byte of each role's moves, and the number of codes per slot.
pub(super) const MEN: [(Role, u8, u8); 6] = [
    (Role::Pawn, 0x00, 4),
    (Role::Knight, 0x20, 8),
    (Role::Bishop, 0x30, 16),
    (Role::Rook, 0x50, 16),
    (Role::Queen, 0x70, 32),
    (Role::King, 0x90, 8),
];

/// A move, or what stands between moves.
pub(super) enum Token {
    Move(Code),
    Null,
    Glyph(u8),
    Result(GameResult),
    /// A comment, with a prefix if jose could not read its text.
    Comment(&'static str),
    Variation,
    VariationEnd,
    End,
}

/// Reads the rest of a token.
///
/// Moves of men by slot are numbered role by role: eight pawns with four codes each, two knights
/// with eight, two bishops and rooks with sixteen, a queen with 32, the king with eight.
pub(super) fn token(byte: u8, cursor: &mut Cursor<'_>) -> std::result::Result<Token, Flaw> {
    let mut second = || cursor.u8().ok_or(flaws::MOVES_CUT);
    Ok(match byte {
        CASTLE_KING_SIDE => Token::Move(Code::Castle(CastlingSide::KingSide)),
        CASTLE_QUEEN_SIDE => Token::Move(Code::Castle(CastlingSide::QueenSide)),
        NULL_MOVE => Token::Null,
        0..CASTLE_KING_SIDE => Token::Move(man_code(byte)),
        PROMOTION..PROMOTED_MOVE => {
            let (pawn, code) = (usize::from(byte - PROMOTION), second()?);
            let promoted = PROMOTED[usize::from(code & 3)];
            Token::Move(Code::Promotion(pawn, code >> 2 & 3, promoted))
        }
        PROMOTED_MOVE..GLYPH => {
            let (pawn, code) = (usize::from(byte - PROMOTED_MOVE), second()?);
            Token::Move(Code::Promoted(pawn, code & 31))
        }
        GLYPH => Token::Glyph(second()?),
        0xb1..=GLYPH_LAST => Token::Glyph(byte - GLYPH),
        RESULT..=0xd3 => Token::Result(RESULTS[usize::from(byte - RESULT)]),
        0xe1 => Token::Comment("unreadable:"),
        0xe2 => Token::Comment("illegal move:"),
        0xe3 => Token::Comment("ambiguous move:"),
        0xe4 => Token::Comment("unrecognized:"),
        0xe5 => Token::Comment("empty input:"),
        COMMENT..=0xef => Token::Comment(""),
        VARIATION => Token::Variation,
        VARIATION_END => Token::VariationEnd,
        END => Token::End,
        _ => return Err(flaws::UNKNOWN_TOKEN),
    })
}

fn man_code(byte: u8) -> Code {
    let (role, first, codes) = MEN
        .into_iter()
        .rev()
        .find(|&(_, first, _)| first <= byte)
        .unwrap_or(MEN[0]);
    let number = byte - first;
    Code::Man(
        first_slot(role) + usize::from(number / codes),
        number % codes,
    )
}
