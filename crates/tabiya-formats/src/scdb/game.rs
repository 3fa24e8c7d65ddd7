//! Plays one game: its main line, or all its lines to a follower or a visitor.

use shakmaty::Color;
use tabiya_chess::{Follow, Rewind, Start, variant::read_start};

use super::{
    flaws,
    men::{Men, STANDARD},
    tokens::{Bytes, Token},
};
use crate::{
    Decoded, Scratch, Visitor, damage_at,
    encoding::Charset,
    limits::VARIATION_DEPTH_MAX,
    walk::{Events, Positions, Walk},
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
            if follow.look().is_break() {
                return Ok(plies);
            }
            turn = turn.other();
        }
    }

    /// Plays all lines to the follower, depth first, until it breaks.
    pub(super) fn tree<F: Rewind>(&self, scratch: &mut Scratch, follow: &mut F) -> Decoded<()> {
        self.walk(scratch, &mut Positions(follow))
    }

    /// Plays the whole game to a visitor.
    pub(super) fn visit<V: Visitor + ?Sized>(
        &self,
        charset: Charset,
        scratch: &mut Scratch,
        visitor: &mut V,
    ) -> Decoded<()> {
        self.walk(scratch, &mut Events::new(visitor, charset))
    }

    fn walk<W: Walk>(&self, scratch: &mut Scratch, walk: &mut W) -> Decoded<()> {
        let (men, turn, start) = self.start(scratch)?;
        if walk.start(start).is_break() {
            return Ok(());
        }
        let mut line = Line {
            before: None,
            men,
            turn,
        };
        let mut lines: Vec<(Line<_>, _)> = Vec::new();
        let mut tokens = self.bytes.tokens();
        loop {
            let at = tokens.offset();
            let Some(token) = tokens.next()? else {
                return if lines.is_empty() {
                    Ok(())
                } else {
                    Err(damage_at(flaws::VARIATION_ENDLESS, at))
                };
            };
            let flow = match token {
                Token::Move(_) | Token::Null => {
                    line.before = Some((line.men, walk.follow().snapshot()));
                    if let Token::Move(bits) = token {
                        line.men
                            .play(line.turn, bits, walk.follow())
                            .map_err(|what| damage_at(what, at))?;
                    }
                    line.turn = line.turn.other();
                    walk.played()
                }
                Token::Begin => {
                    let (men, before) = line
                        .before
                        .take()
                        .ok_or(damage_at(flaws::VARIATION_OF_NO_MOVE, at))?;
                    if lines.len() >= VARIATION_DEPTH_MAX {
                        return Err(damage_at(flaws::NESTED_TOO_DEEP, at));
                    }
                    let present = walk.follow().snapshot();
                    walk.follow().restore(&before);
                    let turn = line.turn.other();
                    line.before = Some((men, before));
                    let inner = Line {
                        before: None,
                        men,
                        turn,
                    };
                    lines.push((std::mem::replace(&mut line, inner), present));
                    walk.begin_variation()
                }
                Token::End => {
                    let (outer, present) = lines
                        .pop()
                        .ok_or(damage_at(flaws::VARIATION_NEVER_BEGAN, at))?;
                    walk.follow().restore(&present);
                    line = outer;
                    walk.end_variation()
                }
                Token::Comment(comment) => walk.comment(comment),
                Token::Nags(nags) => nags.iter().try_for_each(|&nag| walk.nag(nag)),
            };
            if flow.is_break() {
                return Ok(());
            }
        }
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

/// A line of the tree while it is being read.
struct Line<S> {
    /// The position before the line's last move, where its variations begin.
    before: Option<(Men, S)>,
    men: Men,
    turn: Color,
}
