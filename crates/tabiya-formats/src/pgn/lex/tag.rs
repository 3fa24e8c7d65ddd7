//! Tags.

use memchr::{memchr, memchr2, memchr3};

use super::{
    super::san::{EACH, HIGHEST, below},
    Lexer, Token, blanks, line_length,
    sign::{Sign, sign_at},
};

impl<'a> Lexer<'a> {
    /// Returns the name and the value of the tag in the next line, after a tag: faster than
    /// [`next`](Lexer::next). The value is ASCII without `\`. `None`, where it is, before anything
    /// else.
    #[inline]
    pub(in crate::pgn) fn next_plain_tag(&mut self) -> Option<(&'a [u8], &'a [u8])> {
        let rest = self.rest();
        let line_end = match rest {
            [b'\n', b'[', ..] => 1,
            [b'\r', b'\n', b'[', ..] => 2,
            _ => return None,
        };
        let name = rest.get(line_end + 1..)?;
        let name = name.get(..name_length(name))?;
        let value_at = line_end + 1 + name.len() + 2;
        let value = rest.get(value_at..)?;
        let value = value.get(..plain_value_length(value)?)?;
        let end = value_at + value.len() + 2;
        let is_whole = !name.is_empty()
            && rest.get(value_at - 2..value_at)? == b" \""
            && rest.get(end - 2..end)? == b"\"]";
        is_whole.then(|| {
            self.number = None;
            (self.start, self.end) = (self.end + line_end, self.end + end);
            (name, value)
        })
    }

    /// Reads a tag in the standard's spelling, `[Name "value"]` without `\`. The caller has seen
    /// the bracket.
    #[inline]
    pub(super) fn plain_tag(&mut self) -> Option<Token<'a>> {
        let rest = self.rest().get(1..)?;
        let name_length = name_length(rest);
        let value = rest.get(name_length..)?.strip_prefix(b" \"")?;
        let length = memchr3(b'"', b'\\', b'\n', value)?;
        let is_whole = name_length > 0 && value.get(length..)?.starts_with(b"\"]");
        let (name, value) = (rest.get(..name_length)?, value.get(..length)?);
        let taken = name_length + length + b"[ \"\"]".len();
        is_whole.then(|| self.take(taken, Token::Tag { name, value }))
    }

    pub(super) fn tag(&mut self) -> Token<'a> {
        if self.line_end <= self.end {
            self.line_end = self.end + line_length(self.rest());
        }
        let line = &self.text[self.end..self.line_end];
        let name_at = 1 + blanks(&line[1..]);
        let named = line[name_at..]
            .first()
            .is_some_and(|&byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80);
        if !named {
            self.tag_allowed = false;
            return self.word();
        }
        let name_length = line[name_at..]
            .iter()
            .position(|&byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b']'))
            .unwrap_or(line.len() - name_at);
        let name = before_space(&line[name_at..name_at + name_length]);
        let mut value_at = name_at + name_length;
        value_at += blanks(&line[value_at..]);
        let (value, mut length) = if line.get(value_at) == Some(&b'"') {
            value_at += 1;
            match closing_quote(&line[value_at..]) {
                Some(quote) => (&line[value_at..value_at + quote], value_at + quote + 1),
                None => (without_end(&line[value_at..]), line.len()),
            }
        } else {
            let value_length = memchr(b']', &line[value_at..]).unwrap_or(line.len() - value_at);
            let value = line[value_at..value_at + value_length].trim_ascii_end();
            (value, value_at + value_length)
        };
        length += blanks(&line[length..]);
        if line.get(length) == Some(&b']') {
            length += 1;
        }
        self.tag_allowed = true;
        self.take(length, Token::Tag { name, value })
    }
}

/// Returns the length of the tag name, as the standard demands it, at the start of a text.
#[inline]
pub(super) fn name_length(text: &[u8]) -> usize {
    let is_of_name = |byte: &&u8| OF_NAMES[usize::from(**byte)];
    text.iter().take_while(is_of_name).count()
}

/// Whether a byte can be part of the name of a tag.
static OF_NAMES: [bool; 256] = {
    let mut all = [false; 256];
    let mut byte = 0;
    while byte < all.len() {
        all[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    all
};

/// Returns the number of bytes before the first that is a quote, `\`, a control character or not
/// ASCII; `None` if it is among the last of the text.
#[inline]
fn plain_value_length(value: &[u8]) -> Option<usize> {
    let is = |word: u64, byte: u8| below(word ^ (EACH * u64::from(byte)), 1);
    let mut length = 0;
    loop {
        let word = u64::from_le_bytes(*value.get(length..)?.first_chunk()?);
        let odd = is(word, b'"') | is(word, b'\\') | below(word, b' ') | word & HIGHEST;
        if odd != 0 {
            return Some(length + odd.trailing_zeros() as usize / 8);
        }
        length += size_of_val(&word);
    }
}

/// Returns a name without a space outside ASCII after it.
fn before_space(name: &[u8]) -> &[u8] {
    let mut at = 0;
    while let Some(rest) = name.get(at..).filter(|rest| !rest.is_empty()) {
        match sign_at(rest) {
            (Sign::Space, _) if rest[0] >= 0x80 => return &name[..at],
            (_, length) => at += length,
        }
    }
    name
}

/// Finds the quote that ends a tag's value. Many files contain unescaped quotes in values, so a
/// `]` or the end of the line must follow.
fn closing_quote(value: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = memchr2(b'\\', b'"', value.get(at..)?) {
        at += found;
        if value[at] == b'\\' {
            at += 2;
            continue;
        }
        let after = &value[at + 1..];
        if matches!(after.get(blanks(after)), None | Some(b']' | b'\r')) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Returns the value of a tag whose last quote is missing, or escaped by a `\` meant as text.
fn without_end(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii_end();
    let line = line.strip_suffix(b"]").unwrap_or(line).trim_ascii_end();
    line.strip_suffix(b"\"").unwrap_or(line)
}
