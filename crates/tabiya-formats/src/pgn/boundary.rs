//! Tells by its tokens where a game ends.

use std::collections::HashSet;

use super::{
    lex::{Lexer, Token, follows_empty_line},
    spelling::looks_like_move,
};
use crate::limits::PGN_TAGS_MAX;

/// The parts of a game seen so far.
#[derive(Default)]
pub(super) struct GameBoundary<'a> {
    tags: TagNames<'a>,
    comments: bool,
    moves: bool,
    depth: usize,
    ended: bool,
}

/// The names of a game's tags, in blocks separated by empty lines.
#[derive(Default)]
struct TagNames<'a> {
    /// The names of all blocks but the latest.
    earlier: HashSet<&'a [u8]>,
    latest: Vec<&'a [u8]>,
    /// Start of the latest block, if it is not the first.
    block_at: Option<usize>,
    has_event: bool,
}

impl<'a> TagNames<'a> {
    /// Adds a tag. Returns the start of the next game if the tag cannot belong to this one: a
    /// game of tags only ends at a block of tags that repeats a name, or at another `Event`.
    fn add(&mut self, text: &[u8], name: &'a [u8], at: usize) -> Option<usize> {
        if !self.latest.is_empty() && follows_empty_line(text, at) {
            self.earlier.extend(self.latest.drain(..));
            self.block_at = Some(at);
            if self.earlier.len() > PGN_TAGS_MAX {
                return Some(at);
            }
        }
        if self.block_at.is_some() && self.earlier.contains(name) {
            return self.block_at;
        }
        (!self.add_to_latest(name)).then_some(at)
    }

    /// Adds a tag to the latest block. Returns `false` for another `Event`, which is not added.
    #[inline]
    fn add_to_latest(&mut self, name: &'a [u8]) -> bool {
        let is_event = name == b"Event";
        if is_event && self.has_event {
            return false;
        }
        self.has_event |= is_event;
        // Of a game with more, which is not read, later names tell nothing.
        if self.latest.len() < PGN_TAGS_MAX {
            self.latest.push(name);
        }
        true
    }

    fn is_empty(&self) -> bool {
        self.latest.is_empty()
    }

    fn clear(&mut self) {
        self.earlier.clear();
        self.latest.clear();
        self.block_at = None;
        self.has_event = false;
    }
}

impl<'a> GameBoundary<'a> {
    /// Returns the start of the next game if the token at `at` cannot belong to this one. A
    /// comment before the first tag belongs to the game that follows.
    pub(super) fn next_game(&mut self, text: &[u8], token: Token<'a>, at: usize) -> Option<usize> {
        match token {
            Token::Tag { name, .. } => {
                let is_over = self.moves || self.ended || (self.comments && !self.tags.is_empty());
                if is_over {
                    return Some(at);
                }
                self.tags.add(text, name, at)
            }
            Token::Word(word) if self.ended && word.first() != Some(&b'%') => Some(at),
            Token::Word(_) if self.begins_again(text, at) => Some(at),
            _ => None,
        }
    }

    /// Whether a game without tags begins at a move, since White's first comes again after an empty
    /// line.
    #[inline]
    fn begins_again(&self, text: &[u8], at: usize) -> bool {
        let is_first = || {
            let rest = text.get(at..).unwrap_or_default();
            rest.starts_with(b"1.") && !rest.starts_with(b"1..")
        };
        self.moves && self.depth == 0 && is_first() && follows_empty_line(text, at)
    }

    /// Skips the line of the latest token if that is text around games, such as that of a mail:
    /// before the first tag or move of a game or after its result, a word that is no move, or a
    /// sign without one. Returns whether it was skipped.
    #[inline]
    pub(super) fn skip_text(&self, token: Token<'_>, lexer: &mut Lexer<'_>) -> bool {
        if self.moves && !self.ended {
            return false;
        }
        let is_blank = self.tags.is_empty() && !self.comments && !self.ended;
        let is_text = match token {
            Token::Word(word) => {
                (is_blank && !lexer.is_numbered() || self.ended) && !looks_like_move(word)
            }
            Token::Open if is_blank => {
                let next = lexer.clone().next();
                matches!(next, Token::Word(word) if !looks_like_move(word))
            }
            Token::Nag(_) | Token::Close => is_blank,
            _ => false,
        };
        if is_text {
            lexer.skip_line();
        }
        is_text
    }

    /// Adds the tags in the lines below another tag, as far as they are spelled as the standard
    /// demands and belong to this game, and passes their names and values on.
    #[inline]
    pub(super) fn add_plain_tags(
        &mut self,
        lexer: &mut Lexer<'a>,
        mut each: impl FnMut(&'a [u8], &'a [u8]),
    ) {
        let tags = &mut self.tags;
        while tags.block_at.is_none() {
            let before = lexer.latest();
            let Some((name, value)) = lexer.next_plain_tag() else {
                return;
            };
            if !tags.add_to_latest(name) {
                return lexer.go_back_to(before);
            }
            each(name, value);
        }
    }

    /// Notes that moves have begun.
    pub(super) fn begin_moves(&mut self) {
        self.moves = true;
    }

    /// Resets everything but keeps the allocations.
    pub(super) fn clear(&mut self) {
        let mut tags = std::mem::take(&mut self.tags);
        tags.clear();
        *self = GameBoundary {
            tags,
            ..GameBoundary::default()
        };
    }

    /// Whether no tag has been seen.
    pub(super) fn has_no_tags(&self) -> bool {
        self.tags.is_empty()
    }

    /// Whether moves have begun, and no result has been seen.
    pub(super) fn is_in_moves(&self) -> bool {
        self.moves && !self.ended
    }

    /// Whether a result has been seen.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether no variation is open.
    pub(super) fn is_in_main_line(&self) -> bool {
        self.depth == 0
    }

    pub(super) fn add(&mut self, token: Token<'_>) {
        match token {
            Token::Tag { .. } => self.comments = false,
            Token::Comment(_) => self.comments = true,
            Token::UnclosedComment | Token::Word(_) | Token::Nag(_) => self.moves = true,
            Token::Open => {
                self.moves = true;
                self.depth += 1;
            }
            Token::Close => {
                self.moves = true;
                self.depth = self.depth.saturating_sub(1);
            }
            // Some programs end variations with a result.
            Token::Result(_) => self.ended |= self.depth == 0,
            Token::End => {}
        }
    }
}
