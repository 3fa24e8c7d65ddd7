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

use std::borrow::Cow;

use shakmaty::{CastlingSide, Role};
use tabiya_chess::{Flow, GameResult, Start};

use super::{
    flaws,
    pieces::{Code, PROMOTED, Pieces, first_slot},
    text,
};
use crate::{
    Decoded, Visitor,
    bytes::Cursor,
    damage::Flaw,
    damage_at,
    encoding::Charset,
    error::{Error, Result},
    limits::VARIATION_DEPTH_MAX,
};

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

/// The moves and comments of one game.
#[derive(Debug, Clone, Copy)]
pub struct Stream<'a> {
    bin: &'a [u8],
    comments: &'a [u8],
    charset: Charset,
}

/// Which lines are passed to the visitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lines {
    All,
    Main,
}

enum Token {
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

impl<'a> Stream<'a> {
    /// Creates a stream from the columns `Bin` and `Comments`, empty if NULL.
    #[must_use]
    pub fn new(bin: &'a [u8], comments: &'a [u8]) -> Stream<'a> {
        Stream {
            bin,
            comments,
            charset: Charset::Latin1,
        }
    }

    /// Sets how comments are read that are not written as jose writes them.
    pub(super) fn with_charset(self, charset: Charset) -> Stream<'a> {
        Stream { charset, ..self }
    }

    /// Passes the start position, which is another column, and the moves to a visitor. Does not
    /// check whether the moves are legal.
    ///
    /// # Errors
    /// `Corrupt` with the offset of an invalid token; the visitor has received everything before
    /// it.
    pub fn replay<V: Visitor + ?Sized>(&self, start: Start<'_>, visitor: &mut V) -> Result<()> {
        self.play(start, Lines::All, visitor)
            .map_err(|damage| Error::corrupt(damage.what).at_offset(damage.at.into()))
    }

    /// Returns the last result token among the moves; `None` if there is none.
    #[must_use]
    pub fn result(&self) -> Option<GameResult> {
        let mut cursor = Cursor::new(self.bin);
        let mut result = None;
        while let Some(byte) = cursor.u8() {
            match token(byte, &mut cursor) {
                Ok(Token::Result(found)) => result = Some(found),
                Ok(Token::End) | Err(_) => break,
                Ok(_) => {}
            }
        }
        result
    }

    pub(super) fn play<V: Visitor + ?Sized>(
        &self,
        start: Start<'_>,
        lines: Lines,
        visitor: &mut V,
    ) -> Decoded<()> {
        if visitor.start(start).is_break() {
            return Ok(());
        }
        let mut player = Player {
            pieces: Pieces::new(start),
            before: None,
            outer: Vec::new(),
            is_wrapped: false,
            comments: Cursor::new(self.comments),
            charset: self.charset,
            visitor,
        };
        let mut cursor = Cursor::new(self.bin);
        while let Some(byte) = cursor.u8() {
            let at = cursor.offset() - 1;
            let flow = match token(byte, &mut cursor) {
                Ok(Token::End) => break,
                Ok(Token::Variation) if lines == Lines::Main && player.before.is_some() => {
                    skip_variation(&mut cursor)
                }
                Ok(token) => player.token(token, lines),
                Err(what) => Err(what),
            };
            if flow.map_err(|what| damage_at(what, at))?.is_break() {
                return Ok(());
            }
        }
        if player.outer.is_empty() {
            Ok(())
        } else {
            Err(damage_at(flaws::VARIATION_ENDLESS, cursor.offset()))
        }
    }

    /// Iterates over the comments.
    pub(super) fn comments(&self) -> impl Iterator<Item = Cow<'a, str>> {
        let (mut cursor, charset) = (Cursor::new(self.comments), self.charset);
        std::iter::from_fn(move || Some(text::decode(cursor.until_nul()?, charset)))
    }
}

/// Reads the rest of a token.
///
/// Moves of men by slot are numbered role by role: eight pawns with four codes each, two knights
/// with eight, two bishops and rooks with sixteen, a queen with 32, the king with eight.
fn token(byte: u8, cursor: &mut Cursor<'_>) -> std::result::Result<Token, Flaw> {
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

/// Skips a variation whose first token has been read.
fn skip_variation(cursor: &mut Cursor<'_>) -> std::result::Result<Flow, Flaw> {
    let mut depth = 1;
    while depth > 0 {
        let byte = cursor.u8().ok_or(flaws::VARIATION_ENDLESS)?;
        match token(byte, cursor)? {
            Token::Variation => depth += 1,
            Token::VariationEnd => depth -= 1,
            Token::End => return Err(flaws::VARIATION_ENDLESS),
            _ => {}
        }
    }
    Ok(Flow::Continue(()))
}

/// The state of playing a game to a visitor.
struct Player<'v, 'a, V: ?Sized> {
    pieces: Pieces,
    /// The position before the line's last move, where its variations begin.
    before: Option<Pieces>,
    /// The lines that enclose the current variation: position and the position before the last
    /// move.
    outer: Vec<(Pieces, Pieces)>,
    /// Whether all tokens are enclosed in an outermost pair of variation tokens.
    is_wrapped: bool,
    comments: Cursor<'a>,
    charset: Charset,
    visitor: &'v mut V,
}

impl<V: Visitor + ?Sized> Player<'_, '_, V> {
    fn token(&mut self, token: Token, lines: Lines) -> std::result::Result<Flow, Flaw> {
        Ok(match token {
            Token::Move(code) => {
                let played = self.pieces.decode(code).ok_or(flaws::IMPOSSIBLE_MOVE)?;
                self.before = Some(self.pieces.clone());
                self.pieces.play(Some(played));
                self.visitor.play(Some(played))
            }
            Token::Null => {
                self.before = Some(self.pieces.clone());
                self.pieces.play(None);
                self.visitor.play(None)
            }
            Token::Glyph(0) | Token::Result(_) | Token::End => Flow::Continue(()),
            Token::Glyph(glyph) => self.visitor.nag(glyph),
            Token::Comment(_) if lines == Lines::Main => Flow::Continue(()),
            Token::Comment(what) => self.comment(what),
            Token::Variation => return self.begin_variation(),
            Token::VariationEnd => return self.end_variation(),
        })
    }

    /// Passes on the next comment; ignored if comments are missing, as when the column is NULL.
    fn comment(&mut self, what: &str) -> Flow {
        let comment = self.comments.until_nul();
        match comment.map(|comment| text::decode(comment, self.charset)) {
            Some(comment) if what.is_empty() => self.visitor.comment(&comment),
            Some(comment) => self.visitor.comment(&format!("{what}{comment}")),
            None => Flow::Continue(()),
        }
    }

    fn begin_variation(&mut self) -> std::result::Result<Flow, Flaw> {
        let Some(before) = self.before.take() else {
            let is_outermost = self.outer.is_empty() && !self.is_wrapped;
            self.is_wrapped = true;
            return if is_outermost {
                Ok(Flow::Continue(()))
            } else {
                Err(flaws::VARIATION_OF_NO_MOVE)
            };
        };
        if self.outer.len() >= VARIATION_DEPTH_MAX {
            return Err(flaws::NESTED_TOO_DEEP);
        }
        let now = std::mem::replace(&mut self.pieces, before.clone());
        self.outer.push((now, before));
        Ok(self.visitor.begin_variation())
    }

    fn end_variation(&mut self) -> std::result::Result<Flow, Flaw> {
        match self.outer.pop() {
            Some((now, before)) => {
                self.pieces = now;
                self.before = Some(before);
                Ok(self.visitor.end_variation())
            }
            None if self.is_wrapped => {
                self.is_wrapped = false;
                Ok(Flow::Continue(()))
            }
            None => Err(flaws::VARIATION_NEVER_BEGAN),
        }
    }
}
