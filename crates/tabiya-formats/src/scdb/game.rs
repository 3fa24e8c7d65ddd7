//! Plays one game: its main line, or all its lines to a follower or a visitor.

use shakmaty::Color;
use tabiya_chess::{Flow, Follow, Rewind, Start, variant::read_start};

use super::{
    codes::{Bytes, Token, Tokens},
    flaws,
    men::{Men, STANDARD},
};
use crate::{
    Decoded, Scratch, Visitor, damage_at,
    encoding::Charset,
    walk::{self, TokenCursor, follow_lines, visit_lines},
};

/// A playable game.
#[derive(Clone, Copy)]
pub(super) struct Game<'a> {
    pub(super) bytes: Bytes<'a>,
}

impl Game<'_> {
    /// Plays the main line to the follower until it breaks or the line ends. Returns the number
    /// of plies played.
    pub(super) fn main_line<F: Follow>(
        &self,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32> {
        let (mut men, mut turn, start) = self.start(scratch)?;
        if follow.start(start).is_break() {
            return Ok(0);
        }
        let mut tokens = self.bytes.tokens();
        let (mut plies, mut depth) = (0, 0_usize);
        loop {
            let at = tokens.offset();
            match tokens.next()? {
                Some(Token::Move(bits)) if depth == 0 => men
                    .play(turn, bits, follow)
                    .map_err(|what| damage_at(what, at))?,
                Some(Token::Null) if depth == 0 => {}
                Some(Token::Begin) if plies == 0 => {
                    return Err(damage_at(flaws::VARIATION_OF_NO_MOVE, at));
                }
                Some(token) => {
                    depth = depth_after(depth, token)
                        .ok_or(damage_at(flaws::VARIATION_NEVER_BEGAN, at))?;
                    continue;
                }
                None if depth > 0 => return Err(damage_at(flaws::VARIATION_ENDLESS, at)),
                None => return Ok(plies),
            }
            plies += 1;
            if follow.ply_done().is_break() {
                return Ok(plies);
            }
            turn = turn.other();
        }
    }

    /// Plays all lines to the follower, depth first, until it breaks.
    pub(super) fn tree<F: Rewind>(&self, scratch: &mut Scratch, follow: &mut F) -> Decoded<()> {
        let (men, turn, start) = self.start(scratch)?;
        let lines = Lines::new(self.bytes, Charset::default());
        follow_lines(lines, (men, turn), start, follow)
    }

    /// Plays the whole game to a visitor.
    pub(super) fn visit<V: Visitor + ?Sized>(
        &self,
        charset: Charset,
        scratch: &mut Scratch,
        visitor: &mut V,
    ) -> Decoded<()> {
        let (men, turn, start) = self.start(scratch)?;
        let lines = Lines::new(self.bytes, charset);
        visit_lines(lines, (men, turn), start, visitor).map(drop)
    }

    /// Returns the men, the side to move and the start position.
    #[inline]
    fn start<'s>(&self, scratch: &'s mut Scratch) -> Decoded<(Men, Color, Start<'s>)> {
        let Some(fen) = self.bytes.fen else {
            return Ok((STANDARD, Color::White, Start::Standard));
        };
        let at = self.bytes.tokens_at() - fen.len();
        let setup = read_start(fen).map_err(|_| damage_at(flaws::START_NO_FEN, at))?;
        let setup = scratch.setup.insert(setup);
        let men = Men::from_setup(setup).map_err(|what| damage_at(what, at))?;
        Ok((men, setup.turn, Start::Custom(setup)))
    }
}

/// Returns the variation depth after a token; `None` if a variation ends that never began.
#[inline]
fn depth_after(depth: usize, token: Token<'_>) -> Option<usize> {
    match token {
        Token::Begin => depth.checked_add(1),
        Token::End => depth.checked_sub(1),
        _ => Some(depth),
    }
}

/// Reads the tokens of all lines.
struct Lines<'a> {
    tokens: Tokens<'a>,
    /// Offset of the last token.
    at: usize,
    charset: Charset,
}

impl<'a> Lines<'a> {
    fn new(bytes: Bytes<'a>, charset: Charset) -> Lines<'a> {
        Lines {
            tokens: bytes.tokens(),
            at: bytes.tokens_at(),
            charset,
        }
    }
}

/// A comment or NAGs.
enum Note<'a> {
    Comment(&'a [u8]),
    Nags(&'a [u8]),
}

impl<'a> TokenCursor for Lines<'a> {
    type Position = (Men, Color);
    type Note = Note<'a>;

    #[inline]
    fn may_branch(&self) -> bool {
        self.tokens.is_at_move()
    }

    #[inline]
    fn next<F: Follow>(
        &mut self,
        (men, turn): &mut (Men, Color),
        follow: &mut F,
    ) -> Decoded<walk::Token<Note<'a>>> {
        self.at = self.tokens.offset();
        let Some(token) = self.tokens.next()? else {
            return Ok(walk::Token::GameEnd);
        };
        Ok(match token {
            Token::Move(_) | Token::Null => {
                if let Token::Move(bits) = token {
                    men.play(*turn, bits, follow)
                        .map_err(|what| damage_at(what, self.at))?;
                }
                *turn = turn.other();
                walk::Token::Move
            }
            Token::Begin => walk::Token::Begin,
            Token::End => walk::Token::End,
            Token::Comment(comment) => walk::Token::Note(Note::Comment(comment)),
            Token::Nags(nags) => walk::Token::Note(Note::Nags(nags)),
        })
    }

    fn token_at(&self) -> usize {
        self.at
    }

    fn tell<V: Visitor + ?Sized>(&mut self, note: Note<'a>, visitor: &mut V) -> Flow {
        match note {
            Note::Comment(comment) => visitor.comment(&self.charset.decode(comment)),
            Note::Nags(nags) => {
                let mut nags = nags.iter().filter(|nag| **nag != 0);
                nags.try_for_each(|&nag| visitor.nag(nag))
            }
        }
    }
}
