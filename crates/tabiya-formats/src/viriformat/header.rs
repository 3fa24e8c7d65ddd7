//! The start of a game: its first position and its result.

use std::num::NonZeroU32;

use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, Chess, Color, Piece, Role, Setup, Square,
};
use tabiya_chess::{GameResult, forgiving_position};

use super::flaws;
use crate::damage::Flaw;

/// The 32 bytes of a start; all numbers are little-endian.
///
/// | offset | bytes | meaning |
/// |---|---|---|
/// | 0 | 8 | occupied squares, bit 0 is a1, bit 63 is h8 |
/// | 8 | 16 | what is on them from a1 up, four bits each, the lower ones of a byte first |
/// | 24 | 1 | square behind a pawn that has just made a double step, or 64; bit 7: Black to move |
/// | 25 | 1 | half-moves since a pawn move or capture |
/// | 26 | 2 | move number |
/// | 28 | 2 | score |
/// | 30 | 1 | result for White: 0 lost, 1 drawn, 2 won |
/// | 31 | 1 | anything |
///
/// A man is its place among P N B R Q K, and 8 more for Black. 6 is a rook that may castle.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) setup: Setup,
    pub(super) score: i16,
    pub(super) result: GameResult,
    pub(super) extra: u8,
}

pub(super) const HEAD_BYTES: usize = 32;

const CASTLING_ROOK: u8 = 6;
const BLACK: u8 = 8;
const NO_SQUARE: u8 = 64;
const BLACK_TO_MOVE: u8 = 0x80;

impl Head {
    /// Reads a start and checks its numbers, but not whether the rules allow the position. A move
    /// number of 0 reads as 1.
    pub(super) fn read(bytes: &[u8; HEAD_BYTES]) -> Result<Head, Flaw> {
        let result = match bytes[30] {
            0 => GameResult::BlackWins,
            1 => GameResult::Draw,
            2 => GameResult::WhiteWins,
            _ => return Err(flaws::SENSELESS_START),
        };
        let en_passant = bytes[24] & !BLACK_TO_MOVE;
        if en_passant > NO_SQUARE {
            return Err(flaws::SENSELESS_START);
        }
        let (board, rights) = men(bytes)?;
        let setup = Setup {
            board,
            turn: Color::from_white(bytes[24] & BLACK_TO_MOVE == 0),
            castling_rights: rights,
            ep_square: (en_passant < NO_SQUARE).then(|| Square::new(en_passant.into())),
            halfmoves: bytes[25].into(),
            fullmoves: NonZeroU32::new(u16::from_le_bytes([bytes[26], bytes[27]]).into())
                .unwrap_or(NonZeroU32::MIN),
            ..Setup::empty()
        };
        Ok(Head {
            setup,
            score: i16::from_le_bytes([bytes[28], bytes[29]]),
            result,
            extra: bytes[31],
        })
    }

    /// Returns the bytes of a start. Numbers that do not fit are reduced; a right to castle without
    /// king and rook in their places is left out. `None` if there is no result, or more men than
    /// there is room for.
    pub(super) fn to_bytes(&self) -> Option<[u8; HEAD_BYTES]> {
        let board = &self.setup.board;
        let rooks = castling_rooks(&self.setup);
        let mut bytes = [0; HEAD_BYTES];
        bytes[..8].copy_from_slice(&board.occupied().0.to_le_bytes());
        for (index, (square, piece)) in board.clone().into_iter().enumerate() {
            let role = Role::ALL.iter().position(|&role| role == piece.role)? as u8;
            let is_marked = rooks.contains(square);
            let man = if is_marked { CASTLING_ROOK } else { role };
            let color = piece.color.fold_wb(0, BLACK);
            let pair = bytes[8..24].get_mut(index / 2)?;
            *pair |= (man | color) << (index % 2 * 4);
        }
        let turn = self.setup.turn.fold_wb(0, BLACK_TO_MOVE);
        let square = self.setup.ep_square;
        bytes[24] = turn | square.map_or(NO_SQUARE, |square| square as u8);
        bytes[25] = self.setup.halfmoves as u8;
        let number = self.setup.fullmoves.get() as u16;
        bytes[26..28].copy_from_slice(&number.to_le_bytes());
        bytes[28..30].copy_from_slice(&self.score.to_le_bytes());
        bytes[30] = match self.result {
            GameResult::BlackWins => 0,
            GameResult::Draw => 1,
            GameResult::WhiteWins => 2,
            GameResult::Unknown => return None,
        };
        bytes[31] = self.extra;
        Some(bytes)
    }

    /// Returns the start position; `None` for the standard one.
    pub(super) fn custom(&self) -> Option<&Setup> {
        Some(&self.setup).filter(|setup| **setup != Setup::initial())
    }

    /// Whether the game is Chess960: some castling right is not one of standard chess.
    pub(super) fn is_chess960(&self) -> bool {
        CastlingMode::detect(&self.setup).is_chess960()
    }

    /// Returns the start position as a legal chess position.
    pub(super) fn position(&self) -> Result<Chess, Flaw> {
        let mode = CastlingMode::detect(&self.setup);
        forgiving_position(self.setup.clone(), mode).map_err(|_| flaws::START_AGAINST_RULES)
    }
}

/// Reads the men of a start, and which rooks may castle.
fn men(bytes: &[u8; HEAD_BYTES]) -> Result<(Board, Bitboard), Flaw> {
    let mut occupied = [0; 8];
    occupied.copy_from_slice(&bytes[..8]);
    let occupied = Bitboard(u64::from_le_bytes(occupied));
    if occupied.count() > 32 {
        return Err(flaws::UNKNOWN_MEN);
    }
    let mut roles: ByRole<Bitboard> = ByRole::default();
    let mut colors: ByColor<Bitboard> = ByColor::default();
    let mut rights = Bitboard::EMPTY;
    for (index, square) in occupied.into_iter().enumerate() {
        let man = bytes[8 + index / 2] >> (index % 2 * 4) & 15;
        let role = match man & !BLACK {
            CASTLING_ROOK => {
                rights.add(square);
                Role::Rook
            }
            role => *Role::ALL.get(usize::from(role)).ok_or(flaws::UNKNOWN_MEN)?,
        };
        roles.get_mut(role).add(square);
        colors
            .get_mut(Color::from_white(man & BLACK == 0))
            .add(square);
    }
    let kings = |color: &Bitboard| (roles.king & *color).count();
    if kings(&colors.white) != 1 || kings(&colors.black) != 1 {
        return Err(flaws::NOT_ONE_KING);
    }
    let board = Board::try_from_bitboards(roles, colors).map_err(|_| flaws::UNKNOWN_MEN)?;
    let setup = Setup {
        castling_rights: rights,
        board,
        ..Setup::empty()
    };
    if castling_rooks(&setup) != rights {
        return Err(flaws::SENSELESS_RIGHTS);
    }
    Ok((setup.board, rights))
}

/// Returns the rooks with a right to castle that stand beside their king on its first rank, at most
/// one on each side of it.
fn castling_rooks(setup: &Setup) -> Bitboard {
    let mut rooks = Bitboard::EMPTY;
    for color in Color::ALL {
        let Some(king) = setup.board.king_of(color) else {
            continue;
        };
        let own = setup.board.by_piece(Piece {
            color,
            role: Role::Rook,
        });
        if king.rank() != color.backrank() {
            continue;
        }
        let marked = setup.castling_rights & own & king.rank();
        let beyond = |is_king_side: bool| move |rook: &Square| (*rook > king) == is_king_side;
        let queen_side = marked.into_iter().find(beyond(false));
        let king_side = marked.into_iter().rfind(beyond(true));
        rooks.extend(queen_side.into_iter().chain(king_side));
    }
    rooks
}

#[cfg(test)]
mod tests {
    use shakmaty::fen::Fen;

    use super::*;

    fn head_of(fen: &str) -> Head {
        Head {
            setup: fen.parse::<Fen>().expect("a position").into_setup(),
            score: -300,
            result: GameResult::Draw,
            extra: 7,
        }
    }

    #[test]
    fn starts_are_read_as_they_were_written() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 99",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            "1r2k1r1/8/8/8/8/8/8/RR2K1RR w BGbg - 255 65535",
            "7k/5Q2/8/8/8/8/8/K7 w - - 0 1",
        ] {
            let head = head_of(fen);
            let bytes = head.to_bytes().expect("it fits");
            let read = Head::read(&bytes).expect("a start");
            assert_eq!(read.setup, head.setup, "{fen}");
            assert_eq!(
                (read.score, read.result, read.extra),
                (-300, head.result, 7)
            );
            assert_eq!(read.to_bytes(), Some(bytes), "{fen}");
        }
    }

    #[test]
    fn impossible_starts_are_refused() {
        let usual = head_of("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        let usual = usual.to_bytes().expect("it fits");
        let changed = |at: usize, byte: u8| {
            let mut bytes = usual;
            bytes[at] = byte;
            Head::read(&bytes).map(drop)
        };
        assert_eq!(changed(2, 1), Err(flaws::UNKNOWN_MEN));
        assert_eq!(changed(8, 0x17), Err(flaws::UNKNOWN_MEN));
        assert_eq!(changed(10, 0x22), Err(flaws::NOT_ONE_KING));
        assert_eq!(changed(12, 0x60), Err(flaws::SENSELESS_RIGHTS));
        assert_eq!(changed(24, 65), Err(flaws::SENSELESS_START));
        assert_eq!(changed(30, 3), Err(flaws::SENSELESS_START));
        assert_eq!(changed(31, 255), Ok(()));
    }
}
