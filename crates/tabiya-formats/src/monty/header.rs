//! The header of a game: its start position and result.

use std::num::NonZeroU32;

use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, Chess, Color, File, Rank, Role, Setup, Square,
};
use tabiya_chess::{GameResult, forgiving_position};

use super::{Layout, flaws};
use crate::{bytes::Cursor, damage::Flaw};

/// The bytes before a game's moves; all numbers are little-endian.
///
/// | offset | bytes | meaning |
/// |---|---|---|
/// | 0 | 8 | black men, bit 0 is a1, bit 63 is h8 |
/// | 8 | 8 | rooks, queens and kings |
/// | 16 | 8 | knights, bishops and kings |
/// | 24 | 8 | pawns, bishops and queens |
/// | 32 | 1 | side to move: 0 White, 1 Black |
/// | 33 | 1 | square behind a pawn that has just made a double step; 0 for none |
/// | 34 | 1 | castling rights: 8 and 4 White's a and h side, 2 and 1 Black's |
/// | 35 | 1 | half-moves since a pawn or capture, modulo 256 |
/// | 36 | 2 | move number, modulo 65 536; not in the old layout |
/// | 38 | 4 | files of the rooks: White's a and h side, Black's, 0 is a |
/// | 42 | 1 | result for White: 0 lost, 1 drawn, 2 won |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    black: u64,
    sets: [u64; 3],
    turn: u8,
    en_passant: u8,
    rights: u8,
    halfmoves: u8,
    fullmoves: u16,
    pub(super) rook_files: [u8; 4],
    result: u8,
}

/// By bit of [`Head::rights`], from the highest of four: colour and bit of the castling right.
const RIGHTS: [(Color, u8); 4] = [
    (Color::White, 8),
    (Color::White, 4),
    (Color::Black, 2),
    (Color::Black, 1),
];

/// Default files of the rooks.
const USUAL_FILES: [u8; 4] = [0, 7, 0, 7];

impl Head {
    /// Reads and checks a header; describes the error if it is invalid.
    pub(super) fn read(cursor: &mut Cursor<'_>, layout: Layout) -> Result<Head, Flaw> {
        let mut bytes = [0; 43];
        let taken = cursor
            .take(layout.head_bytes())
            .ok_or(flaws::FILE_ENDS_IN_GAME)?;
        match layout {
            Layout::OldValue => {
                bytes[..36].copy_from_slice(&taken[..36]);
                bytes[38..].copy_from_slice(&taken[36..]);
            }
            Layout::Policy | Layout::Value => bytes.copy_from_slice(taken),
        }
        let board = |index: usize| {
            let bytes = &bytes[8 * index..8 * index + 8];
            bytes
                .iter()
                .rev()
                .fold(0, |n, &byte| n << 8 | u64::from(byte))
        };
        let head = Head {
            black: board(0),
            sets: [board(1), board(2), board(3)],
            turn: bytes[32],
            en_passant: bytes[33],
            rights: bytes[34],
            halfmoves: bytes[35],
            fullmoves: u16::from_le_bytes([bytes[36], bytes[37]]),
            rook_files: [bytes[38], bytes[39], bytes[40], bytes[41]],
            result: bytes[42],
        };
        head.checked()
    }

    fn checked(mut self) -> Result<Head, Flaw> {
        let [one, two, three] = self.sets;
        let is_behind_a_pawn = matches!(self.en_passant, 0 | 16..=23 | 40..=47);
        if one & two & three != 0 || self.black & !(one | two | three) != 0 {
            return Err(flaws::UNKNOWN_MEN);
        }
        if self.turn > 1 || self.rights > 15 || self.result > 2 || !is_behind_a_pawn {
            return Err(flaws::SENSELESS_HEADER);
        }
        if self.rook_files == [0; 4] {
            self.rook_files = USUAL_FILES;
        }
        if self.rook_files.iter().any(|&file| file > 7) {
            return Err(flaws::ROOKS_BESIDE_BOARD);
        }
        Ok(self)
    }

    /// Returns the header of a game that begins with a position.
    pub(super) fn of(setup: &Setup, result: u8) -> Head {
        let board = &setup.board;
        let of = |roles: [Role; 3]| roles.into_iter().map(|role| board.by_role(role).0);
        let set = |roles| of(roles).fold(0, |set, men| set | men);
        let (mut rights, mut rook_files) = (0, USUAL_FILES);
        for (index, (color, bit)) in RIGHTS.into_iter().enumerate() {
            if let Some(rook) = castling_rook(setup, color, index % 2 == 1) {
                rights |= bit;
                rook_files[index] = rook.file() as u8;
            }
        }
        Head {
            black: board.by_color(Color::Black).0,
            sets: [
                set([Role::Rook, Role::Queen, Role::King]),
                set([Role::Knight, Role::Bishop, Role::King]),
                set([Role::Pawn, Role::Bishop, Role::Queen]),
            ],
            turn: setup.turn.fold_wb(0, 1),
            en_passant: setup.ep_square.map_or(0, |square| square as u8),
            rights,
            halfmoves: setup.halfmoves as u8,
            fullmoves: setup.fullmoves.get() as u16,
            rook_files,
            result,
        }
    }

    /// Appends the bytes of the header.
    pub(super) fn write_to(&self, layout: Layout, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.black.to_le_bytes());
        for set in self.sets {
            bytes.extend_from_slice(&set.to_le_bytes());
        }
        bytes.extend_from_slice(&[self.turn, self.en_passant, self.rights, self.halfmoves]);
        if layout != Layout::OldValue {
            bytes.extend_from_slice(&self.fullmoves.to_le_bytes());
        }
        bytes.extend_from_slice(&self.rook_files);
        bytes.push(self.result);
    }

    /// Returns the start position; a move number of 0, as in converted files, reads as 1.
    pub(super) fn setup(&self) -> Setup {
        let [one, two, three] = self.sets;
        let by_role = ByRole {
            pawn: three & !one & !two,
            knight: two & !one & !three,
            bishop: two & three,
            rook: one & !two & !three,
            queen: one & three,
            king: one & two,
        };
        let occupied = one | two | three;
        let by_color = ByColor {
            white: Bitboard(occupied & !self.black),
            black: Bitboard(self.black),
        };
        Setup {
            board: Board::try_from_bitboards(by_role.map(Bitboard), by_color).unwrap_or_default(),
            turn: if self.turn == 0 {
                Color::White
            } else {
                Color::Black
            },
            castling_rights: self.castling_rights(),
            ep_square: (self.en_passant != 0).then(|| Square::new(self.en_passant.into())),
            halfmoves: self.halfmoves.into(),
            fullmoves: NonZeroU32::new(self.fullmoves.into()).unwrap_or(NonZeroU32::MIN),
            ..Setup::empty()
        }
    }

    fn castling_rights(&self) -> Bitboard {
        let mut rooks = Bitboard::EMPTY;
        for ((color, bit), file) in RIGHTS.into_iter().zip(self.rook_files) {
            if self.rights & bit != 0 {
                rooks.add(Square::from_coords(
                    File::new(file.into()),
                    color.backrank(),
                ));
            }
        }
        rooks
    }

    /// Returns the start position as a legal chess position.
    pub(super) fn position(&self) -> Result<Chess, Flaw> {
        let setup = self.setup();
        let mode = CastlingMode::detect(&setup);
        forgiving_position(setup, mode).map_err(|_| flaws::START_AGAINST_RULES)
    }

    /// Returns the result; it is never unknown.
    pub(super) fn result(&self) -> GameResult {
        match self.result {
            0 => GameResult::BlackWins,
            1 => GameResult::Draw,
            _ => GameResult::WhiteWins,
        }
    }
}

/// Returns the rook of a castling right, on the h side or on the a side.
fn castling_rook(setup: &Setup, color: Color, h_side: bool) -> Option<Square> {
    let king = setup.board.king_of(color)?;
    let rank: Rank = color.backrank();
    let rooks = setup.castling_rights & Bitboard::from_rank(rank);
    rooks
        .into_iter()
        .find(|rook| king.rank() == rank && (rook.file() > king.file()) == h_side)
}
