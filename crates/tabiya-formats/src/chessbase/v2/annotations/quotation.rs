//! Quotations: other games inside the annotations of a game.
//!
//! | bytes | meaning |
//! |---|---|
//! | 10 | the second and third 1 for a header only, 2 with moves |
//! | | White's last and first name, Black's, site, event: a length with the zero, the text, a zero |
//! | 35 | date at 0, kind of event at 4, rounds at 10, ratings at 28 and 30, opening at 32, result at 34 |
//! | 44 | round at 8, round within the round at 9 |
//! | | twice: 5 unknown, the name of a rating list and its length (4) |
//! | 26 | unknown |
//! | 1 | 1 for the usual start position |
//! | 75 | if not: the men on the squares a1, a2, ... h8, and 11 unknown |
//! | 2 | unknown |
//! | 4 | number of moves |
//! | 5 each | from and to, promotion |
//! | 4 | 0 |

use std::fmt;

use shakmaty::{CastlingMode, Chess, Color, Piece, Role, Setup};
use tabiya_chess::{Flow, Start, forgiving_position};

use crate::{
    GameHeader, GameText, Visitor,
    bytes::Cursor,
    chessbase::common::{
        ROLES,
        event_type::event_type,
        marks::square,
        quotation::{Deaf, elo, on_one_line, play},
        record::{eco, result},
    },
    chessbase::v2::{
        names::{int, text as counted},
        record::date,
    },
    encoding::Charset,
};

/// Added to the number of a man of Black.
const BLACK: u8 = 8;
const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Knight, Role::Bishop, Role::Rook];
/// The last of the names comes before these.
const NAMES: usize = 6;
const MOVE_BYTES: usize = 5;

/// A quoted game.
#[derive(Debug)]
pub(super) struct Quotation<'a> {
    names: [&'a [u8]; NAMES],
    about: &'a [u8; 35],
    rounds: &'a [u8; 44],
    /// The men of a start position.
    squares: Option<&'a [u8]>,
    moves: &'a [[u8; MOVE_BYTES]],
    charset: Charset,
}

impl<'a> Quotation<'a> {
    /// Reads a quotation; `None` if it is cut short.
    pub(super) fn read(cursor: &mut Cursor<'a>) -> Option<Quotation<'a>> {
        cursor.take(10)?;
        let mut names: [&[u8]; NAMES] = [&[]; NAMES];
        for name in &mut names {
            let length = usize::from(cursor.u8()?);
            *name = cursor.take(length)?;
            *name = name.strip_suffix(&[0]).unwrap_or(name);
        }
        let about = cursor.take(35)?.first_chunk()?;
        let rounds = cursor.take(44)?.first_chunk()?;
        for _ in 0..2 {
            cursor.take(5)?;
            counted(cursor)?;
        }
        cursor.take(26)?;
        let squares = match cursor.u8()? {
            0 => Some(cursor.take(75)?.get(..64)?),
            _ => None,
        };
        cursor.take(2)?;
        let count = usize::try_from(int(cursor)?).ok()?;
        let (moves, _) = cursor.take(count.checked_mul(MOVE_BYTES)?)?.as_chunks();
        cursor.take(4)?;
        Some(Quotation {
            names,
            about,
            rounds,
            squares,
            moves,
            charset: Charset::Windows1252,
        })
    }

    /// Sets how texts are read that are not UTF-8.
    pub(super) fn with_charset(self, charset: Charset) -> Quotation<'a> {
        Quotation { charset, ..self }
    }

    fn header(&self) -> GameHeader {
        let [white, white_first, black, black_first, site, event] =
            self.names.map(|name| self.charset.decode(name));
        let player = |last: &str, first: &str| match first {
            "" => last.to_owned(),
            first => format!("{last}, {first}"),
        };
        let word = |at: usize| u16::from_le_bytes([self.about[at], self.about[at + 1]]);
        let [days, ..] = self.about.as_chunks().0 else {
            return GameHeader::default();
        };
        GameHeader {
            event: event.into_owned(),
            site: site.into_owned(),
            date: date(i32::from_le_bytes(*days)),
            round: match (self.rounds[8] as i8, self.rounds[9] as i8) {
                (..=0, _) => "?".to_owned(),
                (round, ..=0) => round.to_string(),
                (round, sub_round) => format!("{round}.{sub_round}"),
            },
            white: player(&white, &white_first),
            black: player(&black, &black_first),
            result: result(self.about[34]),
            white_rating: elo(word(28)),
            black_rating: elo(word(30)),
            eco: eco(word(32)),
            ..GameHeader::default()
        }
    }

    /// Returns the start position, if there is one of its own. Who moves first is told by the first
    /// move.
    fn setup(&self) -> Option<Setup> {
        let squares = self.squares?;
        let mut setup = Setup::empty();
        for (number, &code) in (0..).zip(squares) {
            let role = (code & (BLACK - 1)).checked_sub(1);
            let role = role.and_then(|role| ROLES.get(usize::from(role)));
            if let (Some(&role), Some(square)) = (role, square(number)) {
                let color = Color::from_white(code & BLACK == 0);
                setup.board.set_piece_at(square, Piece { color, role });
            }
        }
        let first = self.moves.first().and_then(|&[from, ..]| square(from & 63));
        let first = first.and_then(|from| setup.board.color_at(from));
        setup.turn = first.unwrap_or(setup.turn);
        Some(setup)
    }

    /// Whether all moves are legal.
    pub(super) fn is_playable(&self) -> bool {
        self.play(&mut Deaf).is_some()
    }

    /// Reports the start position and the moves up to the first that is illegal, for which it
    /// returns `None`.
    fn play<V: Visitor>(&self, visitor: &mut V) -> Option<Flow> {
        let setup = self.setup();
        let start = setup.as_ref().map_or(Start::Standard, Start::Custom);
        if visitor.start(start).is_break() {
            return Some(Flow::Break(()));
        }
        let mut position = match setup {
            None => Chess::new(),
            // A header needs no position.
            Some(_) if self.moves.is_empty() => return Some(Flow::Continue(())),
            Some(setup) => forgiving_position(setup, CastlingMode::Standard).ok()?,
        };
        for &[from, to, ..] in self.moves {
            let promotion = PROMOTIONS[usize::from(to >> 6)];
            let played = play(
                &mut position,
                square(from & 63)?,
                square(to & 63)?,
                promotion,
            )?;
            if visitor.play(Some(played)).is_break() {
                return Some(Flow::Break(()));
            }
        }
        Some(Flow::Continue(()))
    }
}

impl fmt::Display for Quotation<'_> {
    /// Writes the game as PGN on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut game = GameText::new(&self.header());
        let (kind, rounds) = (event_type(self.about[4]), self.about[10]);
        // Only the visitor can break, and this one never does.
        if !kind.is_empty() {
            let _ = game.tag("EventType", &kind);
        }
        if rounds > 0 {
            let _ = game.tag("EventRounds", &rounds.to_string());
        }
        let _ = self.play(&mut game);
        on_one_line(game, f)
    }
}
