//! Quotations: other games inside the annotations of a game.
//!
//! All numbers are big-endian:
//!
//! | bytes | meaning |
//! |---|---|
//! | 2 | bytes of the quotation |
//! | 2 | 1 for a header only, 2 with moves |
//! | 2 | bit 6: a start position follows |
//! | 28 | the start position, as in a game |
//! | | White, Black: a length byte, the text, a zero |
//! | 2, 2, 2 | ratings of White and Black, opening as in a record |
//! | | event, site, as the names |
//! | 4 | date as in a record |
//! | 2 | kind of event: bits 0 to 4, bit 5 blitz, 6 rapid, 7 correspondence, 8 teams |
//! | 2, 2, 2 | nation, category, rounds |
//! | 1, 1, 1 | part of the round, round, result |
//! | 2 | unknown |
//! | | moves |
//!
//! A move is a word as in games with simple moves, in its own [encoding](tables::QUOTATION). A null
//! move that ends the line ends the quotation. No variations have been seen; the first end of a
//! line is taken as the end.

use std::fmt;

use shakmaty::{CastlingMode, Chess, Move, Position, Role};
use tabiya_chess::{Flow, Start, forgiving_position};

use crate::{
    GameHeader, Visitor,
    bytes::Cursor,
    chessbase::common::{
        event_type::{KINDS, SPEEDS},
        marks::square,
        quotation::{Deaf, elo, on_one_line, play},
        record::{date, eco, result},
    },
    chessbase::v1::{
        flaws,
        record::round_name,
        setup::{self, STANDARD_HOMES},
        tables,
    },
    damage::Flaw,
    encoding::Charset,
    pgn::GameText,
};

const HAS_SETUP: u16 = 1 << 6;
/// Bit of a word that is set if the line ends after the move.
const LINE_ENDS: u16 = 1 << 14;
const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
const TEAMS: u16 = 1 << 8;

/// A quoted game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quotation<'a> {
    setup: Option<&'a [u8]>,
    names: [&'a [u8]; 2],
    ratings: [u16; 2],
    opening: u16,
    event: &'a [u8],
    site: &'a [u8],
    date: u32,
    event_kind: u16,
    category: u16,
    rounds: u16,
    sub_round: u8,
    round: u8,
    result: u8,
    moves: &'a [u8],
    charset: Charset,
}

impl<'a> Quotation<'a> {
    pub(super) fn read(data: &'a [u8], charset: Charset) -> Option<Quotation<'a>> {
        let mut cursor = Cursor::new(data);
        cursor.take(4)?;
        let flags = cursor.u16_be()?;
        let setup = match flags & HAS_SETUP {
            0 => None,
            _ => Some(cursor.take(setup::BYTES)?),
        };
        let names = [text(&mut cursor)?, text(&mut cursor)?];
        let ratings = [cursor.u16_be()?, cursor.u16_be()?];
        let opening = cursor.u16_be()?;
        let (event, site) = (text(&mut cursor)?, text(&mut cursor)?);
        let date = cursor.uint_be(4)?;
        let [event_kind, _nation, category, rounds] = [
            cursor.u16_be()?,
            cursor.u16_be()?,
            cursor.u16_be()?,
            cursor.u16_be()?,
        ];
        let &[sub_round, round, result, _, _] = cursor.take(5)?.first_chunk()?;
        Some(Quotation {
            setup,
            names,
            ratings,
            opening,
            event,
            site,
            date,
            event_kind,
            category,
            rounds,
            sub_round,
            round,
            result,
            moves: cursor.rest(),
            charset,
        })
    }

    /// Returns the header of the quoted game.
    #[must_use]
    pub fn header(&self) -> GameHeader {
        let [white, black] = self.names.map(|bytes| name(&self.charset.decode(bytes)));
        let [white_rating, black_rating] = self.ratings.map(elo);
        GameHeader {
            event: self.charset.decode(self.event).into_owned(),
            site: self.charset.decode(self.site).into_owned(),
            date: date(self.date),
            round: match (self.round, self.sub_round) {
                (0, _) => "?".to_owned(),
                (round, sub_round) => round_name(round, sub_round),
            },
            white,
            black,
            result: result(self.result),
            white_rating,
            black_rating,
            eco: eco(self.opening),
            ..GameHeader::default()
        }
    }

    /// Reports what [`header`](Quotation::header) does not contain: tags, the start position and
    /// the moves, as far as they are legal.
    pub fn visit<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Flow {
        let kind = self.event_kind();
        if !kind.is_empty() {
            visitor.tag("EventType", &kind)?;
        }
        for (name, number) in [
            ("EventRounds", self.rounds),
            ("EventCategory", self.category),
        ] {
            if number > 0 {
                visitor.tag(name, &number.to_string())?;
            }
        }
        // `fault` reports what is wrong with the moves.
        self.play(visitor).unwrap_or(Flow::Continue(()))
    }

    fn event_kind(&self) -> String {
        let kind = KINDS.get(usize::from(self.event_kind & 31));
        let teams = self.event_kind & TEAMS != 0;
        let mut text = if teams { "team-" } else { "" }.to_owned();
        text.push_str(kind.unwrap_or(&""));
        for (bit, speed) in SPEEDS {
            if self.event_kind & u16::from(bit) != 0 {
                text.push_str(&format!(" ({speed})"));
            }
        }
        text
    }

    pub(super) fn fault(&self) -> Option<Flaw> {
        self.play(&mut Deaf).err()
    }

    /// Reports the start position and the moves.
    fn play<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Result<Flow, Flaw> {
        let setup = match self.setup {
            Some(bytes) => Some(setup::read(bytes, STANDARD_HOMES)?.0),
            None => None,
        };
        if visitor
            .start(setup.as_ref().map_or(Start::Standard, Start::Custom))
            .is_break()
        {
            return Ok(Flow::Break(()));
        }
        let start = setup.map_or(Ok(Chess::new()), |setup| {
            forgiving_position(setup, CastlingMode::Standard)
        });
        let mut position = start.map_err(|_| flaws::QUOTATION_START)?;
        let (words, _) = self.moves.as_chunks::<2>();
        for (at, word) in words.iter().enumerate() {
            let code = |byte| tables::QUOTATION.code(byte, at as u8);
            let word = u16::from_be_bytes(word.map(code));
            if word == LINE_ENDS {
                return Ok(Flow::Continue(()));
            }
            let played = played(&mut position, word).ok_or(flaws::QUOTATION_ILLEGAL_MOVE)?;
            if visitor.play(played).is_break() {
                return Ok(Flow::Break(()));
            }
            if word & LINE_ENDS != 0 {
                return Ok(Flow::Continue(()));
            }
        }
        Err(flaws::QUOTATION_ENDLESS)
    }
}

/// Reads a text preceded by its length and followed by a zero.
fn text<'a>(cursor: &mut Cursor<'a>) -> Option<&'a [u8]> {
    let length = cursor.u8()?;
    let text = cursor.take(length.into())?;
    cursor.take(1)?;
    Some(text)
}

/// Returns a name as in PGN, with a space after the comma.
fn name(name: &str) -> String {
    match name.split_once(',') {
        Some((last, first)) => format!("{last}, {}", first.trim_start()),
        None => name.to_owned(),
    }
}

/// Plays the move of a word; `Some(None)` is a null move, `None` an illegal one.
fn played(position: &mut Chess, word: u16) -> Option<Option<Move>> {
    if word & (LINE_ENDS - 1) == 0 {
        *position = position.clone().swap_turn().ok()?;
        return Some(None);
    }
    let (from, to) = (square(word as u8 & 63)?, square((word >> 6) as u8 & 63)?);
    let promotion = PROMOTIONS[usize::from(word >> 12 & 3)];
    play(position, from, to, promotion).map(Some)
}

impl fmt::Display for Quotation<'_> {
    /// Writes the game as PGN on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut game = GameText::new(&self.header());
        // Only the visitor can break, and this one never does.
        let _ = self.visit(&mut game);
        on_one_line(game, f)
    }
}
