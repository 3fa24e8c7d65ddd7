//! Plays one game: its main line, or all its lines, out of its two columns.

use std::borrow::Cow;

use tabiya_chess::{Flow, Follow, GameResult, Rewind, Start, follow::make};

use super::{
    codes::{GLYPH, Token, token},
    flaws,
    men::Pieces,
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

/// The moves and comments of one game.
#[derive(Debug, Clone, Copy)]
pub struct Stream<'a> {
    bin: &'a [u8],
    comments: &'a [u8],
    charset: Charset,
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
