//! The tokens of PGN, as slices of the text.
//!
//! One file because the lexer is one function for each kind of token, and they share how tokens
//! end.

mod result;
mod sign;
mod skip;
mod tag;

use std::ops::Range;

use memchr::{memchr, memchr3, memmem};
use tabiya_chess::{GameResult, light::Meaning};

pub(super) use self::{result::result_of, sign::is_dash};
use self::{
    result::{is_castling_or_null, result_at},
    sign::{Sign, sign_at},
    tag::name_length,
};
use super::san::read_plain;
use crate::limits::PGN_GAME_BYTES_MAX;

/// One token of PGN. Slices are as in the file: not decoded, escapes included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `[Name "value"]`.
    Tag { name: &'a [u8], value: &'a [u8] },
    /// `{text}`, or `;text` to the end of the line.
    Comment(&'a [u8]),
    /// `{` without its `}`.
    UnclosedComment,
    /// `$n`, `!`, `?`, `!!`, `??`, `!?` or `?!`; 0 when the number is not 1 to 255.
    Nag(u8),
    /// `(`
    Open,
    /// `)`
    Close,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    Result(GameResult),
    /// A move, or anything else in the place of a move. Never empty.
    Word(&'a [u8]),
    /// The end of the text.
    End,
}

/// Splits text into [`Token`]s. Skips move numbers and `%` lines.
///
/// The splitter and the parser share it, so they agree on what is a comment and what is a tag.
/// Every byte is examined a bounded number of times.
#[derive(Debug, Clone)]
pub(super) struct Lexer<'a> {
    text: &'a [u8],
    start: usize,
    end: usize,
    /// Start of the move number before the latest token, if it is on the same line.
    number: Option<usize>,
    /// End of the line of the latest tag. Cached so that a line of many tags is searched for its
    /// end only once.
    line_end: usize,
    /// Whether a `[` here begins a tag: at the start of a line, after a tag or a result, and
    /// after comments there.
    tag_allowed: bool,
    /// Whether more text might change the latest token.
    looked_past_end: bool,
}

impl<'a> Lexer<'a> {
    /// Begins at an offset, which must be the start of a line or of a token.
    pub(super) fn at(text: &'a [u8], offset: usize) -> Lexer<'a> {
        let mut lexer = Lexer {
            text,
            start: offset,
            end: offset,
            number: None,
            line_end: offset,
            tag_allowed: true,
            looked_past_end: false,
        };
        if offset == 0 || text.get(offset - 1) == Some(&b'\n') {
            lexer.skip_escaped_line();
        }
        lexer
    }

    /// Returns the start of the latest token.
    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// Returns where the latest token is.
    pub(super) fn latest(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns to an earlier token, which becomes the latest.
    pub(super) fn go_back_to(&mut self, token: Range<usize>) {
        (self.start, self.end) = (token.start, token.end);
    }

    /// Returns the bytes of a token.
    pub(super) fn text_of(&self, token: Range<usize>) -> &'a [u8] {
        self.text.get(token).unwrap_or_default()
    }

    /// Returns the start of the latest token, including its move number.
    pub(super) fn start_with_number(&self) -> usize {
        self.number.unwrap_or(self.start)
    }

    /// Whether more text might change the latest token.
    pub(super) fn is_open_ended(&self) -> bool {
        self.looked_past_end || self.end == self.text.len()
    }

    /// Returns the next token, and always `End` after the end of the text.
    #[inline]
    pub(super) fn next(&mut self) -> Token<'a> {
        self.number = None;
        self.looked_past_end = false;
        loop {
            self.start = self.end;
            let rest = self.rest();
            let Some(&byte) = rest.first() else {
                return Token::End;
            };
            match byte {
                b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c' | CTRL_Z => self.end += 1,
                b'\n' => {
                    self.end += 1;
                    self.number = None;
                    self.tag_allowed = true;
                    self.skip_escaped_line();
                }
                b'.' => self.end += 1,
                b'1'..=b'9' if matches!(rest.get(1), Some(b'.' | b'0'..=b'9')) => {
                    self.number(rest);
                }
                b'0'..=b'9' if !is_castling_or_null(rest) && result_at(rest).is_none() => {
                    self.number(rest);
                }
                0x80.. if let (Sign::Space, length) = sign_at(rest) => self.end += length,
                _ => return self.token(byte),
            }
        }
    }

    /// Skips a move number, also one such as `3:` or `3)`.
    fn number(&mut self, rest: &[u8]) {
        self.number = Some(self.end);
        let length = digits(rest);
        let after = rest.get(length + 1..).unwrap_or_default();
        let follows = after.get(blanks(after));
        let is_mark = match rest.get(length) {
            Some(b':') => true,
            // A bracket may also end a variation.
            Some(b')') => follows.is_some_and(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80),
            _ => false,
        };
        self.end += length + usize::from(is_mark);
    }

    /// Whether the latest token has a move number with a dot or another mark before it.
    pub(super) fn is_numbered(&self) -> bool {
        let number = self.number.and_then(|number| self.text.get(number..));
        number.is_some_and(|number| matches!(number.get(digits(number)), Some(b'.' | b':' | b')')))
    }

    /// Whether the move number before the latest token is one of Black's moves; `None` without one.
    pub(super) fn numbered_side(&self) -> Option<bool> {
        let number = self.text.get(self.number?..self.start)?;
        let dots = number.get(digits(number)..)?;
        let count = dots.iter().filter(|byte| **byte == b'.').count();
        Some(count > 1 || dots.starts_with("…".as_bytes()))
    }

    /// Skips the rest of the line of the latest token.
    pub(super) fn skip_line(&mut self) {
        self.end = self.start + line_length(self.text.get(self.start..).unwrap_or_default());
        self.looked_past_end |= self.end == self.text.len();
    }

    /// Returns the next token if it is a move in the standard's spelling after a word: faster than
    /// [`next`](Lexer::next). Otherwise stays where it is.
    #[inline(always)]
    pub(super) fn next_move(&mut self) -> Option<Meaning> {
        let mut at = self.after_blanks(self.end)?;
        if self.text.get(at)?.is_ascii_digit() {
            at = self.after_number(at)?;
            at = self.after_blanks(at)?;
        }
        let (meaning, length, end) = read_plain(*self.text.get(at..)?.first_chunk()?)?;
        // A piece in brackets belongs to the move.
        if !DELIMITERS[usize::from(end)] || end == b'(' {
            return None;
        }
        (self.start, self.end) = (at, at + length);
        self.tag_allowed = false;
        Some(meaning)
    }

    /// Returns where something follows spaces and ends of lines, unless a line may be escaped.
    #[inline(always)]
    fn after_blanks(&self, at: usize) -> Option<usize> {
        // Mostly there is one space. A processor that expects it need not wait for the byte.
        if *self.text.get(at)? == b' ' && *self.text.get(at + 1)? > b' ' {
            return Some(at + 1);
        }
        self.after_more_blanks(at)
    }

    /// After an empty line another game may begin.
    #[inline(never)]
    fn after_more_blanks(&self, mut at: usize) -> Option<usize> {
        let mut lines = 0;
        loop {
            match self.text.get(at)? {
                b' ' | b'\r' => {}
                b'\n' if lines == 0 && self.text.get(at + 1) != Some(&b'%') => lines = 1,
                b'\n' => return None,
                _ => return Some(at),
            }
            at += 1;
        }
    }

    /// Returns where a move number and its dots end; `None` without dots.
    #[inline(always)]
    fn after_number(&self, mut at: usize) -> Option<usize> {
        while self.text.get(at)?.is_ascii_digit() {
            at += 1;
        }
        if *self.text.get(at)? != b'.' {
            return None;
        }
        while *self.text.get(at)? == b'.' {
            at += 1;
        }
        Some(at)
    }

    fn rest(&self) -> &'a [u8] {
        self.text.get(self.end..).unwrap_or_default()
    }

    fn token(&mut self, byte: u8) -> Token<'a> {
        match byte {
            b'{' => return self.comment(),
            b';' => return self.line_comment(),
            b'[' if self.tag_allowed => {
                return match self.plain_tag() {
                    Some(tag) => tag,
                    None => self.tag(),
                };
            }
            _ => self.tag_allowed = false,
        }
        match byte {
            b'(' => self.take(1, Token::Open),
            b')' => self.take(1, Token::Close),
            b'$' => {
                let number = digits(self.rest().get(1..).unwrap_or_default());
                let nag = parse_nag(&self.rest()[1..1 + number]);
                self.take(1 + number, Token::Nag(nag))
            }
            b'!' | b'?' => match self.rest() {
                [b'!', b'!', ..] => self.take(2, Token::Nag(3)),
                [b'?', b'?', ..] => self.take(2, Token::Nag(4)),
                [b'!', b'?', ..] => self.take(2, Token::Nag(5)),
                [b'?', b'!', ..] => self.take(2, Token::Nag(6)),
                [b'!', ..] => self.take(1, Token::Nag(1)),
                _ => self.take(1, Token::Nag(2)),
            },
            b'*' | b'0' | b'1' | 0x80.. => match result_at(self.rest()) {
                Some((result, length)) => {
                    self.tag_allowed = true;
                    self.take(length, Token::Result(result))
                }
                None => self.sign_or_word(),
            },
            _ => self.word(),
        }
    }

    fn take(&mut self, length: usize, token: Token<'a>) -> Token<'a> {
        self.end += length;
        token
    }

    fn sign_or_word(&mut self) -> Token<'a> {
        match sign_at(self.rest()) {
            (Sign::Nag(nag), length) if self.rest()[0] >= 0x80 => {
                self.take(length, Token::Nag(nag))
            }
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Token<'a> {
        let rest = self.rest();
        let mut length = word_length(rest).max(1);
        if let Some(at) = rest[1..length].iter().position(|byte| *byte >= 0x80) {
            length = before_sign(&rest[..length], 1 + at);
        }
        if is_promotion(&rest[length - 1..]) {
            length += 3;
            length += word_length(&rest[length..]);
        }
        self.take(length, Token::Word(&rest[..length]))
    }

    /// Skips a line with a `%` in the first column.
    fn skip_escaped_line(&mut self) {
        if self.rest().first() == Some(&b'%') {
            self.end += line_length(self.rest());
        }
    }

    fn line_comment(&mut self) -> Token<'a> {
        let rest = self.rest();
        let length = line_length(rest);
        let text = &rest[1..length];
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        self.take(length, Token::Comment(text))
    }

    /// Reads a comment. It ends at the first `}`, unless it holds a `{` and the text after the
    /// `}` makes sense only as the rest of the comment.
    ///
    /// A comment counts as unclosed if a game seems to start in it and no `}` follows before the
    /// next `{` or the end. It then ends where that game starts, or one without tags before it, so
    /// one lost bracket costs one game. If a `}` comes first, the comment is legal, whatever it
    /// contains.
    fn comment(&mut self) -> Token<'a> {
        let from = self.end + 1;
        let (mut at, mut open) = (from, 0_usize);
        let (mut text, mut game_at) = (self.text, None);
        while let Some(found) = memchr3(b'{', b'}', b'[', &text[at..]) {
            at += found;
            match text[at] {
                b'{' if game_at.is_some() => return self.unclosed(game_at),
                b'{' => open += 1,
                b'}' if open > 0 && self.closes_again(at + 1) => open -= 1,
                b'}' => {
                    self.end = at + 1;
                    return Token::Comment(&text[from..at]);
                }
                _ if game_at.is_none() && starts_game(text, at) => {
                    game_at = Some(at);
                    // A longer game is rejected in any case.
                    text = text.get(..at + PGN_GAME_BYTES_MAX).unwrap_or(text);
                }
                _ => {}
            }
            at += 1;
        }
        self.looked_past_end = text.len() == self.text.len();
        self.unclosed(game_at)
    }

    fn unclosed(&mut self, game_at: Option<usize>) -> Token<'a> {
        let end = game_at.unwrap_or(self.text.len());
        self.end = untagged_game(self.text, self.end..end).unwrap_or(end);
        self.tag_allowed = true;
        Token::UnclosedComment
    }

    /// Whether, after a `}` in a comment that holds a `{`, another `}` follows before the next `{`,
    /// `[` or `;`.
    fn closes_again(&mut self, at: usize) -> bool {
        let mut rest = self.text[at..].iter();
        let next = rest.find(|byte| matches!(byte, b'{' | b'}' | b'[' | b';'));
        self.looked_past_end |= next.is_none();
        next == Some(&b'}')
    }
}

/// What old systems write at the end of a text.
const CTRL_Z: u8 = 0x1a;

/// Maximum bytes of a tag name that is recognized as the start of a game.
pub(super) const TAG_NAME_BYTES_MAX: usize = 255;

/// Whether a game seems to start at this `[`, even in a comment: an empty line precedes it, and
/// it begins a tag pair, `[Name "`.
pub(super) fn starts_game(text: &[u8], at: usize) -> bool {
    if !follows_empty_line(text, at) {
        return false;
    }
    begins_tag(&text[at..])
}

/// Whether a text begins with a tag pair, `[Name "`.
pub(super) fn begins_tag(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"[") else {
        return false;
    };
    let name = name_length(rest.get(..TAG_NAME_BYTES_MAX + 1).unwrap_or(rest));
    let gap = blanks(&rest[name..]);
    (1..=TAG_NAME_BYTES_MAX).contains(&name) && gap > 0 && rest.get(name + gap) == Some(&b'"')
}

/// Returns where a game without tags seems to begin in a text: at White's first move, after an
/// empty line.
fn untagged_game(text: &[u8], range: Range<usize>) -> Option<usize> {
    let within = text.get(range.clone())?;
    let mut lines = memmem::find_iter(within, b"\n1.").map(|line_end| range.start + line_end + 1);
    let is_first = |&at: &usize| !text[at..].starts_with(b"1..") && follows_empty_line(text, at);
    lines.find(is_first)
}

/// Whether an offset is the start of a line whose previous line is blank.
pub(super) fn follows_empty_line(text: &[u8], at: usize) -> bool {
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r');
    text[..at].strip_suffix(b"\n").is_some_and(|before| {
        let last = before.iter().rev().find(|byte| !is_blank(byte));
        last.is_none_or(|&byte| byte == b'\n')
    })
}

/// Returns the length of the line, without the line feed.
fn line_length(text: &[u8]) -> usize {
    memchr(b'\n', text).unwrap_or(text.len())
}

fn blanks(text: &[u8]) -> usize {
    text.iter()
        .take_while(|byte| matches!(byte, b' ' | b'\t'))
        .count()
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

fn parse_nag(digits: &[u8]) -> u8 {
    digits
        .iter()
        .try_fold(0_u8, |number, digit| {
            number.checked_mul(10)?.checked_add(digit - b'0')
        })
        .unwrap_or(0)
}

static DELIMITERS: [bool; 256] = {
    let mut all = [false; 256];
    let mut byte = 0;
    while byte < all.len() {
        all[byte] = is_delimiter(byte as u8);
        byte += 1;
    }
    all
};

const fn is_delimiter(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t'
            | b'\r'
            | b'\n'
            | b'\x0b'
            | b'\x0c'
            | b'{'
            | b'}'
            | b'('
            | b')'
            | b';'
            | b'!'
            | b'?'
            | b'$'
            | b'*'
    )
}

fn word_length(text: &[u8]) -> usize {
    let end = text.iter().position(|&byte| DELIMITERS[usize::from(byte)]);
    end.unwrap_or(text.len())
}

/// Returns where the first sign or space outside ASCII in a word is, or its end. It is looked for
/// from an offset on, the first byte outside ASCII but for that at the start.
fn before_sign(word: &[u8], first: usize) -> usize {
    let mut at = if word[0] < 0x80 {
        first
    } else {
        sign_at(word).1
    };
    while at < word.len() {
        let length = match (word[at], sign_at(&word[at..])) {
            (..0x80, _) => 1,
            (_, (Sign::Letter, length)) => length,
            _ => return at,
        };
        at += length;
    }
    word.len()
}

/// Whether a promotion in brackets follows the rank at the start of `text`, as in `e8(Q)`.
fn is_promotion(text: &[u8]) -> bool {
    matches!(
        text,
        [b'1' | b'8', b'(', man, b')', ..] if b"QRBNqrbn".contains(man)
    )
}

#[cfg(test)]
mod tests;
