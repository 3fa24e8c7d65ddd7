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
use tabiya_chess::{Flow, Follow, GameResult, Rewind, Start, follow::make};

use super::{
    flaws,
    pieces::{Code, PROMOTED, Pieces, first_slot},
    text,
};
use crate::{
    Damage, Decoded, Visitor,
    bytes::Cursor,
    damage::Flaw,
    damage_at,
    encoding::Charset,
    error::{Error, Result},
    walk::{self, TokenCursor, follow_lines, visit_lines},
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
        self.visit(start, visitor)
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

    /// Plays the main line to the follower until it breaks. Returns the number of plies played.
    pub(super) fn main_line<F: Follow>(&self, start: Start<'_>, follow: &mut F) -> Decoded<u32> {
        if follow.start(start).is_break() {
            return Ok(0);
        }
        let (mut pieces, mut lines, mut plies) = (Pieces::new(start), self.lines(), 0_u32);
        loop {
            match lines.next(&mut pieces, follow)? {
                walk::Token::Move => {
                    plies = plies.saturating_add(1);
                    if follow.ply_done().is_break() {
                        return Ok(plies);
                    }
                }
                walk::Token::Begin if plies > 0 => lines.skip_variation()?,
                walk::Token::Begin => return Err(lines.damage(flaws::VARIATION_OF_NO_MOVE)),
                walk::Token::End => return Err(lines.damage(flaws::VARIATION_NEVER_BEGAN)),
                walk::Token::Note(_) | walk::Token::Skip => {}
                walk::Token::GameEnd => return Ok(plies),
            }
        }
    }

    /// Plays all lines to the follower until it breaks.
    pub(super) fn tree<F: Rewind>(&self, start: Start<'_>, follow: &mut F) -> Decoded<()> {
        follow_lines(self.lines(), Pieces::new(start), start, follow)
    }

    /// Passes the start position and the moves to a visitor until it breaks.
    pub(super) fn visit<V: Visitor + ?Sized>(
        &self,
        start: Start<'_>,
        visitor: &mut V,
    ) -> Decoded<()> {
        visit_lines(self.lines(), Pieces::new(start), start, visitor).map(drop)
    }

    fn lines(&self) -> Lines<'a> {
        Lines {
            cursor: Cursor::new(self.bin),
            comments: Cursor::new(self.comments),
            charset: self.charset,
            at: 0,
            depth: 0,
            has_moves: false,
            is_wrapped: false,
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

/// Reads the tokens of all lines.
struct Lines<'a> {
    cursor: Cursor<'a>,
    comments: Cursor<'a>,
    charset: Charset,
    /// Offset of the last token.
    at: usize,
    /// Number of open variations.
    depth: usize,
    /// Whether there was any move.
    has_moves: bool,
    /// Whether all tokens are enclosed in an outermost pair of variation tokens.
    is_wrapped: bool,
}

enum Note {
    /// A comment, with a prefix if jose could not read its text.
    Comment(&'static str),
    Glyph(u8),
}

impl Lines<'_> {
    fn damage(&self, what: Flaw) -> Damage {
        damage_at(what, self.at)
    }

    /// Skips a variation whose first token has been read.
    fn skip_variation(&mut self) -> Decoded<()> {
        let outer = self.depth - 1;
        while self.depth > outer {
            let endless = self.damage(flaws::VARIATION_ENDLESS);
            let byte = self.cursor.u8().ok_or(endless)?;
            match token(byte, &mut self.cursor).map_err(|what| self.damage(what))? {
                Token::Variation => self.depth += 1,
                Token::VariationEnd => self.depth -= 1,
                Token::End => return Err(endless),
                _ => {}
            }
        }
        Ok(())
    }

    /// Begins a variation. Returns `false` for the one that encloses all tokens.
    fn begin(&mut self) -> bool {
        let wraps = !self.has_moves && self.depth == 0 && !self.is_wrapped;
        self.is_wrapped |= wraps;
        self.depth += usize::from(!wraps);
        !wraps
    }

    /// Ends a variation. Returns `false` for the one that encloses all tokens.
    fn end(&mut self) -> bool {
        let unwraps = self.depth == 0 && std::mem::take(&mut self.is_wrapped);
        self.depth = self.depth.saturating_sub(1);
        !unwraps
    }
}

impl TokenCursor for Lines<'_> {
    type Position = Pieces;
    type Note = Note;

    fn may_branch(&self) -> bool {
        let next = self.cursor.rest().first();
        next.is_some_and(|&next| next < GLYPH)
    }

    fn next<F: Follow>(
        &mut self,
        pieces: &mut Pieces,
        follow: &mut F,
    ) -> Decoded<walk::Token<Note>> {
        loop {
            self.at = self.cursor.offset();
            let Some(byte) = self.cursor.u8() else {
                return Ok(walk::Token::GameEnd);
            };
            let token = token(byte, &mut self.cursor).map_err(|what| self.damage(what))?;
            match token {
                Token::Move(code) => {
                    let played = pieces.decode(code);
                    let played = played.ok_or(self.damage(flaws::IMPOSSIBLE_MOVE))?;
                    make(played, pieces.turn, follow);
                    pieces.play(Some(played));
                }
                Token::Null => pieces.play(None),
                Token::Variation if self.begin() => return Ok(walk::Token::Begin),
                Token::VariationEnd if self.end() => return Ok(walk::Token::End),
                Token::Comment(prefix) => return Ok(walk::Token::Note(Note::Comment(prefix))),
                Token::Glyph(glyph) if glyph > 0 => {
                    return Ok(walk::Token::Note(Note::Glyph(glyph)));
                }
                Token::End => {
                    self.at = self.cursor.offset();
                    return Ok(walk::Token::GameEnd);
                }
                _ => continue,
            }
            self.has_moves = true;
            return Ok(walk::Token::Move);
        }
    }

    fn token_at(&self) -> usize {
        self.at
    }

    fn tell<V: Visitor + ?Sized>(&mut self, note: Note, visitor: &mut V) -> Flow {
        let prefix = match note {
            Note::Glyph(glyph) => return visitor.nag(glyph),
            Note::Comment(prefix) => prefix,
        };
        // Comments are missing when the column is NULL.
        match self.comments.until_nul() {
            None => Flow::Continue(()),
            Some(comment) => {
                let comment = text::decode(comment, self.charset);
                if prefix.is_empty() {
                    visitor.comment(&comment)
                } else {
                    visitor.comment(&format!("{prefix}{comment}"))
                }
            }
        }
    }
}
