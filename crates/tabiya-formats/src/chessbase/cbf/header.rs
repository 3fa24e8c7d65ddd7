//! The head of a game, and its names.
//!
//! | byte | meaning |
//! |---|---|
//! | 0 | year - 1900, signed; 127 for none |
//! | 1 | result: 0 0-1, 1 a draw, 2 1-0, else none |
//! | 2, 3 | bytes of the moves, and one more |
//! | 4 | bits 5 to 0 bytes of the players, 7 and 6 bits 6 and 5 of the ECO code |
//! | 5 | bits 5 to 0 bytes of the source, 7 and 6 bits 8 and 7 of the ECO code |
//! | 6, 7 | bytes of the annotations, and one more |
//! | 8, 9 | ratings of White and Black: (rating - 1600) / 5; 0 for none |
//! | 10 | bit 0 an own start position; else bits 5 to 1 are bits 4 to 0 of the ECO code |
//! | 11 | bits 3 to 0 file for en passant at the start, from 1 on; 0 for none |
//! | 12 | moves of the main line, not read |
//! | 13 | checksum |
//!
//! With an own start position, of byte 10 bit 1 says that Black is to move, and bits 2 to 5 who may
//! castle: White to the a side, to the h side, then Black. The ECO code is 0 for none, 1 for A00 to
//! 500 for E99.
//!
//! Either of two checksums is right: 37 times byte 0 plus bytes 5 and 9, or the product of 193,
//! byte 3, byte 0, and one more than byte 8. Wrong ones were so common that a program of 1994,
//! CBCHKSUM, mended them, so such games are read.

use shakmaty::{CastlingSide, Color, File};
use tabiya_chess::{Eco, Elo, GameResult, PartialDate, RatingKind};

use super::{
    flaws,
    scrambled::{AFTER_MOVES_BYTES, unscramble},
    text,
};
use crate::{Decoded, GameHeader, Rating, damage_at, encoding::Charset};

/// The head of a game, unscrambled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head([u8; Head::BYTES]);

const KEY: u8 = 101;
const FACTOR: u8 = 3;
const NO_YEAR: u8 = 127;
const LENGTH: u8 = 0x3f;
/// Bytes of a start position.
pub(super) const SETUP_BYTES: usize = 33;

impl Head {
    pub(super) const BYTES: usize = 14;

    /// Reads the head at the start of these bytes.
    pub(super) fn read(game: &[u8]) -> Decoded<Head> {
        let bytes: Option<&[u8; Head::BYTES]> = game.first_chunk();
        let mut bytes = *bytes.ok_or_else(|| damage_at(flaws::HEAD_CUT, game.len()))?;
        unscramble(&mut bytes, KEY, FACTOR);
        let mut head = Head(bytes);
        head.0[11] ^= head.moves_at() as u8;
        Ok(head)
    }

    /// Whether the checksum is right.
    pub(super) fn is_sound(&self) -> bool {
        let byte = |at: usize| self.0[at];
        let sum = byte(0)
            .wrapping_mul(37)
            .wrapping_add(byte(5))
            .wrapping_add(byte(9));
        let product = [193, byte(3), byte(0), byte(8).wrapping_add(1)];
        let product = product.into_iter().fold(1, u8::wrapping_mul);
        byte(13) == sum || byte(13) == product
    }

    fn length(&self, at: usize) -> usize {
        usize::from(u16::from_be_bytes([self.0[at], self.0[at + 1]]))
    }

    fn players_bytes(&self) -> usize {
        usize::from(self.0[4] & LENGTH)
    }

    fn names_bytes(&self) -> usize {
        self.players_bytes() + usize::from(self.0[5] & LENGTH)
    }

    /// Returns where the moves begin, in bytes from the start of the game.
    pub(super) fn moves_at(&self) -> usize {
        Head::BYTES + self.names_bytes()
    }

    /// Returns the length of the moves that the head tells, of which the last byte is none.
    pub(super) fn told_moves_bytes(&self) -> usize {
        self.length(2)
    }

    /// Returns the number of bytes with moves.
    pub(super) fn moves_bytes(&self) -> usize {
        self.told_moves_bytes().saturating_sub(AFTER_MOVES_BYTES)
    }

    /// Returns where the annotations begin.
    pub(super) fn text_at(&self) -> usize {
        self.moves_at() + self.told_moves_bytes()
    }

    /// Returns where the annotations end, and a start position begins.
    pub(super) fn setup_at(&self) -> usize {
        let end = self.text_at() + self.length(6);
        end.saturating_sub(1).max(self.moves_at())
    }

    /// Returns the length of the game.
    pub(super) fn game_bytes(&self) -> usize {
        self.setup_at() + if self.has_setup() { SETUP_BYTES } else { 0 }
    }

    /// Whether the game has its own start position.
    pub(super) fn has_setup(&self) -> bool {
        self.0[10] & 1 != 0
    }

    pub(super) fn black_moves_first(&self) -> bool {
        self.0[10] & 2 != 0
    }

    pub(super) fn may_castle(&self, color: Color, side: CastlingSide) -> bool {
        let bit = color.fold_wb(2, 4) + u8::from(side == CastlingSide::KingSide);
        self.0[10] & 1 << bit != 0
    }

    pub(super) fn en_passant_file(&self) -> Option<File> {
        let file = (self.0[11] & 15).checked_sub(1)?;
        File::ALL.get(usize::from(file)).copied()
    }

    fn date(&self) -> PartialDate {
        match self.0[0] {
            NO_YEAR => PartialDate::UNKNOWN,
            year => PartialDate::new(1900_u16.saturating_add_signed((year as i8).into()), 0, 0),
        }
    }

    fn result(&self) -> GameResult {
        match self.0[1] {
            0 => GameResult::BlackWins,
            1 => GameResult::Draw,
            2 => GameResult::WhiteWins,
            _ => GameResult::Unknown,
        }
    }

    fn rating(&self, color: Color) -> Option<Rating> {
        let stored = self.0[color.fold_wb(8, 9)];
        let value = Elo::new(1600 + 5 * u16::from(stored)).filter(|_| stored > 0);
        value.map(|value| Rating {
            value,
            kind: RatingKind::Elo,
        })
    }

    fn eco(&self) -> Option<Eco> {
        if self.has_setup() {
            return None;
        }
        let bits = |at: usize, mask: u8| u16::from(self.0[at] & mask);
        let code = bits(10, 0x3e) >> 1 | bits(4, 0xc0) >> 1 | bits(5, 0xc0) << 1;
        let index = code.checked_sub(1)?;
        let letter = ['A', 'B', 'C', 'D', 'E'].get(usize::from(index / 100))?;
        format!("{letter}{:02}", index % 100).parse().ok()
    }

    /// Reads the header of the game at the start of these bytes.
    pub(super) fn header(&self, game: &[u8], charset: Charset) -> Decoded<GameHeader> {
        let names = game.get(Head::BYTES..self.moves_at());
        let names = names.ok_or_else(|| damage_at(flaws::NAMES_CUT, game.len()))?;
        let mut names = names.to_vec();
        unscramble(&mut names, (3 * self.names_bytes()) as u8, FACTOR);
        let (players, source) = names.split_at(self.players_bytes());
        let players = text::name(players, charset);
        let (white, black) = players.split_once('-').unwrap_or((&players, ""));
        let (event, round) = text::event_and_round(&text::name(source, charset));
        let name = |name: &str| match name.trim() {
            "" => "?".to_owned(),
            name => name.to_owned(),
        };
        Ok(GameHeader {
            white: name(white),
            black: name(black),
            event: name(&event),
            site: "?".to_owned(),
            round: name(&round),
            date: self.date(),
            result: self.result(),
            white_rating: self.rating(Color::White),
            black_rating: self.rating(Color::Black),
            eco: self.eco(),
            ..GameHeader::default()
        })
    }
}
