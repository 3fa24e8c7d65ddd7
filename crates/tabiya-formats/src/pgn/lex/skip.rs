//! Skips movetext of which only the end is wanted.

use super::{
    super::san::{EACH, HIGHEST},
    Lexer,
};
use crate::limits::PGN_GAME_BYTES_MAX;

impl Lexer<'_> {
    /// Skips what must be words, move numbers and comments after a word, faster than token by
    /// token. The next token is the first that may be something else, or a word before it.
    pub(in crate::pgn) fn skip_words(&mut self) {
        let (mut at, mut line_has_word) = (self.end, true);
        loop {
            let rest = self.text.get(at..).unwrap_or_default();
            let length = words_length(rest);
            let words = &rest[..length];
            let word = if line_has_word {
                Some(0)
            } else {
                words.iter().position(u8::is_ascii_alphabetic)
            };
            if rest.get(length) == Some(&b'{')
                && (word.is_some() || words.trim_ascii().is_empty())
                && let Some(comment) = plain_comment_length(&rest[length..])
            {
                (at, line_has_word) = (at + length + comment, word.is_some());
                // A tag may follow comments before the first word of a line.
                if line_has_word {
                    self.end = at;
                }
                continue;
            }
            if let Some(word) = word
                && let Some(end) = certain_length(&words[word..], rest.get(length))
            {
                self.end = at + word + end;
            }
            // No line is looked at again and again.
            if word.is_none() || rest.get(length) != Some(&b'\n') {
                return;
            }
            (at, line_has_word) = (at + length + 1, false);
        }
    }
}

/// Returns the length of words up to the last place where a token begins that what follows does not
/// change; `None` if there is none.
fn certain_length(words: &[u8], next: Option<&u8>) -> Option<usize> {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
    let last_space = |words: &[u8]| words.iter().rposition(is_space);
    let mut last = last_space(words)?;
    // The number may begin a result with spaces, as in `1 - 0`.
    let before = words[..last].trim_ascii_end();
    if matches!(next, Some(b'-' | b':' | 0x80..)) && matches!(before, [.., b'0' | b'1' | b'5']) {
        last = last_space(before)?;
    }
    Some(last + 1)
}

/// Returns the length of what can only be words, move numbers and glyphs at the start of a text:
/// up to the end of the line, or a byte that may begin or be part of something else.
fn words_length(text: &[u8]) -> usize {
    let mut length = 0;
    loop {
        length = next_at(text, length, ends_words);
        match (text.get(length.wrapping_sub(1)), text.get(length..)) {
            // Castling.
            (Some(b'O'), Some([b'-', b'O', ..])) | (_, Some([b'\t' | b'\r', ..])) => length += 1,
            _ => return length,
        }
    }
}

/// Returns the length of the comment at the start of a text, with its brackets; `None` if it holds
/// another bracket, has no end, or is too long for a game.
fn plain_comment_length(text: &[u8]) -> Option<usize> {
    let text = text.get(..PGN_GAME_BYTES_MAX).unwrap_or(text);
    let mut at = 1;
    loop {
        at = next_at(text, at, |word| from(word, b'{'));
        match text.get(at)? {
            b'}' => return Some(at + 1),
            b'{' => return None,
            _ => at += 1,
        }
    }
}

/// Returns the offset of the first byte from an offset on that a function of eight bytes finds, or
/// the length of the text. The function returns the highest bits of the bytes, the first lowest.
#[inline(always)]
fn next_at(text: &[u8], mut at: usize, find: impl Fn(u64) -> u64) -> usize {
    let mut rest = text.get(at..).unwrap_or_default();
    while let Some((bytes, behind)) = rest.split_first_chunk() {
        let found = find(u64::from_le_bytes(*bytes));
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        (at, rest) = (at + bytes.len(), behind);
    }
    let is_found = |byte: &u8| find(u64::from(*byte) * EACH) != 0;
    at + rest.iter().position(is_found).unwrap_or(rest.len())
}

/// Returns the highest bits of the bytes from one on, which is ASCII.
#[inline(always)]
fn from(word: u64, least: u8) -> u64 {
    (((word & !HIGHEST) + EACH * u64::from(0x80 - least)) | word) & HIGHEST
}

/// Returns the highest bits of the bytes that end what can only be words: control characters,
/// brackets of any kind, bytes of results and of commands, and those that are not ASCII.
#[inline(always)]
fn ends_words(word: u64) -> u64 {
    let is_between = |first: u8, last: u8| from(word, first) & !from(word, last + 1);
    let is_control = !from(word, b' ') & HIGHEST;
    is_control
        | is_between(b'%', b'*')
        | is_between(b',', b'-')
        | is_between(b'/', b'/')
        | is_between(b':', b';')
        | is_between(b'[', b'`')
        | from(word, b'{')
}

#[cfg(test)]
mod tests {
    use super::{
        super::{super::testing::Dice, Token},
        *,
    };

    /// Usual and odd pieces of movetext.
    const PIECES: [&str; 48] = [
        "e4",
        "Nf3+",
        "O-O",
        "O-O-O",
        "0-0",
        "exd8=Q#",
        "1",
        "1.",
        "12...",
        "0",
        "5",
        "0.5",
        "0,5",
        "1-0",
        "0-1",
        "1/2-1/2",
        "*",
        "½",
        "-",
        ":",
        "–",
        "--",
        "$1",
        "!?",
        "+-",
        "{",
        "}",
        "{}",
        "{[%clk 0:01:00]}",
        "{é|~}",
        "{a\n\n[A \"1\"]\nb}",
        "(",
        ")",
        ";",
        "%",
        "[",
        "]",
        "[A \"1\"]",
        "\n",
        "\n\n",
        "\r\n",
        "\t",
        " ",
        " ",
        " ",
        "\x0b",
        "\"",
        "<x>",
    ];

    /// Returns the tokens that decide where a game ends, with their places.
    fn deciding(text: &str, skips: bool) -> Vec<(usize, Token<'_>)> {
        let mut lexer = Lexer::at(text.as_bytes(), 0);
        let mut tokens = Vec::new();
        loop {
            match lexer.next() {
                Token::End => return tokens,
                Token::Word(_) if skips => lexer.skip_words(),
                Token::Word(_) | Token::Nag(_) | Token::Comment(_) => {}
                token => tokens.push((lexer.start(), token)),
            }
        }
    }

    #[test]
    fn skipping_words_and_comments_skips_nothing_else() {
        let mut dice = Dice(0x5c1f);
        for round in 0..20_000 {
            // Every other text is spelled as usual, with a space between pieces.
            let space = if round % 2 == 0 { " " } else { "" };
            let pieces = (0..1 + dice.below(24)).map(|_| *dice.pick(&PIECES));
            let text = format!(
                "Nf6{}",
                pieces.flat_map(|piece| [space, piece]).collect::<String>()
            );
            assert_eq!(deciding(&text, true), deciding(&text, false), "{text:?}");
        }
    }

    #[test]
    fn usual_movetext_is_skipped_at_once() {
        for gap in [" ", "\n"] {
            let line = [
                "1. e4 {[%clk 0:03:00]}",
                "1... c5! $5 {[%eval 0.1]}",
                "2. O-O+ a8=Q",
            ]
            .join(gap);
            let text = format!("d4 {line} ({line}");
            let mut lexer = Lexer::at(text.as_bytes(), 0);
            assert_eq!(lexer.next(), Token::Word(b"d4"));
            lexer.skip_words();
            assert_eq!(lexer.next(), Token::Open, "{text}");
        }
    }

    #[test]
    fn words_end_at_the_bytes_that_are_named() {
        let ends = |byte: &u8| ends_words(u64::from(*byte) * EACH) == HIGHEST;
        let found: Vec<u8> = (b' '..0x7f).filter(ends).collect();
        assert_eq!(found, b"%&'()*,-/:;[\\]^_`{|}~");
        assert!((0..b' ').chain(0x7f..=255).all(|byte| ends(&byte)));
    }
}
