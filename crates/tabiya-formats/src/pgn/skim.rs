//! Reads the comments of a game whose moves are known to be sound, without playing them.

use tabiya_chess::text::decode;

use super::{
    game::Game,
    lex::{Lexer, Token},
    san::{self, Word},
};
use crate::game::Visitor;

/// Passes the half-moves of a main line, all as null moves, and their comments to a visitor; `None`
/// if it has another number of them than `plies`, or is not spelled as the standard demands.
pub(super) fn skim<V: Visitor + ?Sized>(
    text: &[u8],
    from: usize,
    plies: u32,
    visitor: &mut V,
) -> Option<()> {
    let mut lexer = Lexer::at(text, from);
    let (mut depth, mut played, mut is_over) = (0_usize, 0, false);
    loop {
        let moves = match lexer.next() {
            Token::End => return (depth == 0 && played == plies).then_some(()),
            Token::Comment(text) if depth == 0 => {
                if visitor.comment(&decode(text)).is_break() {
                    return Some(());
                }
                plain_moves(&mut lexer)
            }
            Token::Open => {
                depth += 1;
                0
            }
            Token::Close => {
                depth = depth.checked_sub(1)?;
                0
            }
            Token::Result(_) => {
                is_over |= depth == 0;
                0
            }
            Token::Word(word) => match san::read_word(word)? {
                Word::San(..) | Word::Null => 1 + plain_moves(&mut lexer),
                Word::Nag(_) => 0,
                Word::Remark => return None,
            },
            Token::UnclosedComment => return None,
            Token::Comment(_) | Token::Nag(_) | Token::Tag { .. } => 0,
        };
        if depth > 0 || moves == 0 {
            continue;
        }
        if is_over {
            return None;
        }
        played += moves;
        for _ in 0..moves {
            if visitor.play(None).is_break() {
                return Some(());
            }
        }
    }
}

/// Skips moves; returns their number.
#[inline]
fn plain_moves(lexer: &mut Lexer<'_>) -> u32 {
    let mut moves = 0;
    while lexer.next_move().is_some() {
        moves += 1;
    }
    moves
}

impl Game<'_> {
    /// Passes the tags, the start, the half-moves of the main line, all as null moves, and their
    /// comments to a visitor; `None` if that cannot be done without playing the moves.
    pub(super) fn skim<V: Visitor + ?Sized>(&self, plies: u32, visitor: &mut V) -> Option<()> {
        for (name, value) in self.tags() {
            if visitor.tag(&name, &value).is_break() {
                return Some(());
            }
        }
        if visitor.start(self.start()).is_break() {
            return Some(());
        }
        let (text, from) = self.movetext();
        skim(text, from, plies, visitor)
    }
}
