//! One game of a PGN text: its header, and its moves played through on a board.

use std::fmt;

use memchr::memchr_iter;
use shakmaty::{CastlingMode, Chess, Position, Setup, fen::Fen, san::SanError};

use super::{
    header::Tags,
    lex::{Lexer, Token},
    san::{self, Word},
    split::Place,
};
use crate::{
    chess::{Flow, GameResult, Start, text::decode},
    error::{Error, ErrorKind, Result},
    format::game::{GameHeader, Visitor},
    limits::VARIATION_DEPTH_MAX,
};

/// Letters of an unreadable move that an error shows.
const SHOWN_CHARS_MAX: usize = 20;

/// One game of a PGN text: the header is read, the moves are played when asked for.
pub struct Game<'a> {
    text: &'a [u8],
    place: Place,
    tags: Tags<'a>,
    setup: Option<Setup>,
    position: Chess,
    moves_from: usize,
}

impl<'a> Game<'a> {
    /// Reads the tags of a text that holds one game.
    pub(super) fn parse(text: &'a [u8], place: Place) -> Result<Game<'a>> {
        let mut game = Game {
            text,
            place,
            tags: Tags::new(),
            setup: None,
            position: Chess::new(),
            moves_from: 0,
        };
        let mut lexer = Lexer::at(text, 0);
        let mut comes_first = false;
        loop {
            match lexer.next() {
                Token::Tag { name, value } => game.tags.add(name, value, lexer.start()),
                // Comments before the first tag are told with the moves.
                Token::Comment(_) if game.tags.is_empty() => comes_first = true,
                _ => break,
            }
        }
        if !comes_first {
            game.moves_from = lexer.start();
        }
        game.tags.finish();
        game.set_up()?;
        if !game.tags.has_result {
            game.tags.header.result = last_result(text, lexer.start());
        }
        Ok(game)
    }

    fn set_up(&mut self) -> Result<()> {
        let Some((fen, offset)) = &self.tags.fen else {
            return Ok(());
        };
        let fault = |what| self.fault(ErrorKind::Corrupt { what }, *offset);
        if self.tags.two_fens {
            return Err(fault("two FEN tags that differ"));
        }
        let fen = Fen::from_ascii(fen.as_bytes()).map_err(|_| fault("the FEN is not readable"))?;
        let setup = fen.into_setup();
        let variant = self.tags.rest().find(|(name, _)| *name == "Variant");
        let chess960 = variant.is_some_and(|(_, value)| san::is_chess960(value));
        let mode = CastlingMode::from_chess960(chess960);
        self.position = san::set_up(&setup, mode)
            .ok_or_else(|| fault("the FEN is no position that can be played from"))?;
        // Even if it is the standard start position: databases tell the two apart.
        self.setup = Some(setup);
        Ok(())
    }

    /// Returns where the game stands in its file.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place
    }

    /// Returns the header. Absent names are `?`; the result is the `Result` tag's or, without
    /// one, that at the end of the movetext.
    #[must_use]
    pub fn header(&self) -> &GameHeader {
        &self.tags.header
    }

    /// Tells a visitor all of the game; every move is legal. O(length of the game).
    ///
    /// # Errors
    /// `IllegalMove` for a move that is illegal or not readable, `Corrupt` for one that can be
    /// meant in two ways and for brackets that do not match, `LimitExceeded` for variations
    /// nested deeper than [`VARIATION_DEPTH_MAX`]. All name the line, byte and game. The visitor
    /// has then been told a part of the game.
    pub fn replay<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Result<()> {
        for (name, value) in self.tags.rest() {
            if visitor.tag(name, value).is_break() {
                return Ok(());
            }
        }
        let start = self.setup.as_ref().map_or(Start::Standard, Start::Custom);
        if visitor.start(start).is_break() {
            return Ok(());
        }
        let mut board = Board::new(self.position.clone());
        let mut lexer = Lexer::at(self.text, self.moves_from);
        loop {
            let token = lexer.next();
            if token == Token::End {
                break;
            }
            match board.step(token, visitor) {
                Ok(flow) if flow.is_break() => return Ok(()),
                Ok(_) => {}
                Err(kind) => return Err(self.fault(kind, lexer.start())),
            }
        }
        if !board.stack.is_empty() {
            let what = "a variation is not closed";
            return Err(self.fault(ErrorKind::Corrupt { what }, self.text.len()));
        }
        Ok(())
    }

    /// Returns an error with the place of its cause, an offset in the game's text.
    fn fault(&self, kind: ErrorKind, offset: usize) -> Error {
        let before = self.text.get(..offset).unwrap_or(self.text);
        Error::new(kind)
            .in_game(self.place.number)
            .at_line(self.place.line + memchr_iter(b'\n', before).count() as u64)
            .at_offset(self.place.offset_bytes + offset as u64)
    }
}

impl fmt::Debug for Game<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Game")
            .field("place", &self.place)
            .field("header", &self.tags.header)
            .finish_non_exhaustive()
    }
}

/// Finds the result that ends the movetext; results that end variations do not count.
fn last_result(text: &[u8], from: usize) -> GameResult {
    let mut lexer = Lexer::at(text, from);
    let mut depth = 0_usize;
    loop {
        match lexer.next() {
            Token::Open => depth += 1,
            Token::Close => depth = depth.saturating_sub(1),
            Token::Result(result) if depth == 0 => return result,
            Token::End => return GameResult::Unknown,
            _ => {}
        }
    }
}

/// A line of play: the position and the one before the latest move, where variations start.
struct Line {
    now: Chess,
    before: Option<Chess>,
}

/// The board on which a game is played through.
struct Board {
    line: Line,
    /// The lines that wait for a variation to end.
    stack: Vec<Line>,
    ended: bool,
}

impl Board {
    fn new(position: Chess) -> Board {
        Board {
            line: Line {
                now: position,
                before: None,
            },
            stack: Vec::new(),
            ended: false,
        }
    }

    #[inline]
    fn step<V: Visitor + ?Sized>(
        &mut self,
        token: Token<'_>,
        visitor: &mut V,
    ) -> Result<Flow, ErrorKind> {
        match token {
            Token::Word(word) => self.word(word, visitor),
            Token::Comment(text) => Ok(visitor.comment(&decode(text))),
            Token::Nag(0) => Ok(Flow::Continue(())),
            Token::Nag(nag) => Ok(visitor.nag(nag)),
            Token::Open => self.open(visitor),
            Token::Close => self.close(visitor),
            Token::Result(_) => {
                self.ended |= self.stack.is_empty();
                Ok(Flow::Continue(()))
            }
            Token::UnclosedComment => Err(corrupt("a comment is not closed")),
            Token::Tag { .. } | Token::End => Ok(Flow::Continue(())),
        }
    }

    #[inline]
    fn word<V: Visitor + ?Sized>(
        &mut self,
        word: &[u8],
        visitor: &mut V,
    ) -> Result<Flow, ErrorKind> {
        if self.ended {
            return Err(corrupt("moves after the result"));
        }
        let line = &mut self.line;
        match san::read_word(word) {
            Some(Word::San(san, nag)) => {
                let found = san::resolve(&line.now, san).map_err(|error| match error {
                    SanError::IllegalSan => illegal(word),
                    SanError::AmbiguousSan => corrupt("a move that can be meant in two ways"),
                })?;
                line.before = Some(line.now.clone());
                line.now.play_unchecked(found);
                let flow = visitor.play(Some(found));
                match nag {
                    Some(nag) if flow.is_continue() => Ok(visitor.nag(nag)),
                    _ => Ok(flow),
                }
            }
            Some(Word::Null) => {
                line.before = Some(line.now.clone());
                san::pass(&mut line.now);
                Ok(visitor.play(None))
            }
            Some(Word::Nag(nag)) => Ok(visitor.nag(nag)),
            None => Err(illegal(word)),
        }
    }

    fn open<V: Visitor + ?Sized>(&mut self, visitor: &mut V) -> Result<Flow, ErrorKind> {
        if self.stack.len() >= VARIATION_DEPTH_MAX {
            return Err(ErrorKind::LimitExceeded {
                what: "nesting of variations",
                limit: VARIATION_DEPTH_MAX as u64,
            });
        }
        let before = self.line.before.clone();
        let now = before.ok_or_else(|| corrupt("a variation without a move before it"))?;
        let outer = std::mem::replace(&mut self.line, Line { now, before: None });
        self.stack.push(outer);
        Ok(visitor.begin_variation())
    }

    fn close<V: Visitor + ?Sized>(&mut self, visitor: &mut V) -> Result<Flow, ErrorKind> {
        let outer = self.stack.pop();
        self.line = outer.ok_or_else(|| corrupt("a closing bracket without an opening one"))?;
        Ok(visitor.end_variation())
    }
}

fn corrupt(what: &'static str) -> ErrorKind {
    ErrorKind::Corrupt { what }
}

fn illegal(word: &[u8]) -> ErrorKind {
    let shown = word.get(..4 * SHOWN_CHARS_MAX).unwrap_or(word);
    ErrorKind::IllegalMove(decode(shown).chars().take(SHOWN_CHARS_MAX).collect())
}
