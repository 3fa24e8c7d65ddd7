//! Splits a query text into words, operators and values, each with its span in the text.

use std::{borrow::Cow, ops::Range};

use tabiya_chess::text::pieces;
use winnow::{
    Parser,
    stream::{LocatingSlice, Location, Stream},
    token::{take_till, take_while},
};

use super::{
    Fault, Op,
    part::{Input, Lexed, Part, operator},
    table,
};

/// The characters that a backslash makes literal between quotation marks.
pub(super) const QUOTED_ESCAPES: &str = "\"\\*";

/// Quotation marks besides `"`: “ ” „ « ». Each ends what any of them has begun.
const DOUBLE: [char; 5] = ['\u{201c}', '\u{201d}', '\u{201e}', '\u{ab}', '\u{bb}'];

/// Single quotation marks: ' ‘ ’ ‚ ‹ ›. They are apostrophes too, and quote only in pairs.
const SINGLE: [char; 6] = [
    '\'', '\u{2018}', '\u{2019}', '\u{201a}', '\u{2039}', '\u{203a}',
];

const NEVER_CLOSED: &str = "this quotation mark is never closed; expected another one";

/// A token at the beginning of a condition or between conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `(`
    Open,
    /// `)`
    Close,
    /// `-`
    Minus,
    /// A word without an operator after it.
    Word(&'a str),
    /// A name with an operator after it. [`Lexer::value`] reads the value.
    Clause(&'a str, Op),
    /// A quoted text. Without its end it is the rest of the query.
    Quote,
    /// An operator without a name before it.
    Stray,
    /// The end of the text.
    End,
}

/// A value as typed, without its quotes.
#[derive(Debug, Clone)]
pub(super) struct Value<'a> {
    text: Cow<'a, str>,
    /// The same with its backslashes.
    raw: &'a str,
    /// Where that begins in the query text.
    start: usize,
    /// Its span, including quotes.
    pub(super) span: Range<usize>,
    pub(super) quoted: bool,
}

impl<'a> Value<'a> {
    /// Returns the whole value.
    pub(super) fn part(&self) -> Part<'_> {
        // Offsets within a text with escapes do not map to the query text.
        let exact = matches!(self.text, Cow::Borrowed(_));
        let span = if exact {
            self.start..self.start + self.raw.len()
        } else {
            self.span.clone()
        };
        Part::of_query(&self.text, span, exact)
    }

    /// Returns the pieces between stars. A `\*` is a literal star.
    pub(super) fn pieces(&self) -> Vec<String> {
        pieces(self.raw, if self.quoted { QUOTED_ESCAPES } else { "*" })
    }

    /// Creates the value of a regular expression.
    pub(super) fn of_regex(text: String, span: Range<usize>) -> Value<'a> {
        Value {
            text: Cow::Owned(text),
            raw: "",
            start: span.start,
            span,
            quoted: false,
        }
    }

    /// Returns the length of the text in bytes.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }
}

/// Reads tokens and values in order. Each call costs O(length of what it reads).
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    input: Input<'a>,
    last_single: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Lexer<'a> {
        Lexer {
            text,
            input: LocatingSlice::new(text),
            last_single: last_single(text),
        }
    }

    /// Returns a piece of the query text.
    pub(super) fn text(&self, span: Range<usize>) -> &'a str {
        self.text.get(span).unwrap_or("")
    }

    /// Returns the query text from an offset.
    pub(super) fn rest(&self, start: usize) -> &'a str {
        self.text(start..self.text.len())
    }

    /// Reads the next token and its span.
    pub(super) fn token(&mut self) -> (Token<'a>, Range<usize>) {
        space(&mut self.input);
        let start = self.input.current_token_start();
        let Some(first) = self.input.chars().next() else {
            return (Token::End, start..start);
        };
        let single = match first {
            '(' => Some(Token::Open),
            ')' => Some(Token::Close),
            '-' => Some(Token::Minus),
            _ if self.begins_quotation() => Some(Token::Quote),
            ':' | '=' | '!' | '<' | '>' => Some(Token::Stray),
            _ => None,
        };
        if let Some(token) = single {
            let length = match token {
                Token::Quote => quotation(*self.input).map_or(self.input.len(), |(_, end)| end),
                _ => 1,
            };
            self.input.next_slice(length);
            return (token, start..start + length);
        }
        let name = name(&mut self.input).unwrap_or("");
        let span = start..start + name.len();
        let mut ahead = self.input;
        space(&mut ahead);
        match operator(&mut ahead) {
            Ok(op) => {
                self.input = ahead;
                (Token::Clause(name, op), span)
            }
            Err(_) => (Token::Word(name), span),
        }
    }

    fn begins_quotation(&self) -> bool {
        begins_quotation(*self.input, self.position() < self.last_single)
    }

    /// Returns whether an opening bracket comes next, perhaps behind spaces.
    pub(super) fn is_before_bracket(&self) -> bool {
        self.input.trim_start().starts_with('(')
    }

    /// Returns whether an opening bracket comes next, without a space.
    pub(super) fn touches_bracket(&self) -> bool {
        self.input.starts_with('(')
    }

    /// Goes on reading at this offset.
    pub(super) fn seek(&mut self, offset: usize) {
        let length = offset.saturating_sub(self.position());
        self.input.next_slice(length.min(self.input.len()));
    }

    /// Reads an operator, perhaps behind spaces.
    pub(super) fn operator(&mut self) -> Option<Op> {
        let mut ahead = self.input;
        space(&mut ahead);
        let op = operator(&mut ahead).ok()?;
        self.input = ahead;
        Some(op)
    }

    /// Reads a regular expression between slashes, if one comes next. A `\/` is a slash.
    pub(super) fn regex(&mut self) -> Result<Option<(String, Range<usize>)>, Fault> {
        let mut ahead = self.input;
        space(&mut ahead);
        let start = ahead.current_token_start();
        let Some(rest) = ahead.strip_prefix('/') else {
            return Ok(None);
        };
        let Some(end) = regex_end(rest) else {
            let message = "this regular expression is never closed; expected another `/`";
            return Err(Fault::new(start..start + 1, message));
        };
        ahead.next_slice(end + 2);
        self.input = ahead;
        let text = rest[..end].replace("\\/", "/");
        Ok(Some((text, start..start + end + 2)))
    }

    /// Returns the present offset in the text, in bytes.
    pub(super) fn position(&self) -> usize {
        self.input.current_token_start()
    }

    /// Reads the value after the operator of a clause; `expected` is the message if there is none.
    pub(super) fn value(&mut self, op: Op, expected: String) -> Result<Value<'a>, Fault> {
        let behind_op = self.input.current_token_start();
        space(&mut self.input);
        let start = self.input.current_token_start();
        let missing = |message| Fault::new(behind_op..behind_op, message);
        let rest = *self.input;
        match rest.chars().next() {
            Some(_) if self.begins_quotation() => return self.quoted(),
            None | Some(')') => return Err(missing(expected)),
            Some('(') => {
                let message = expected + "; put a text that begins with a bracket in quotes";
                return Err(missing(message));
            }
            Some(_) => {}
        }
        let mut ahead = self.input;
        if let Ok(second) = operator(&mut ahead) {
            let span = behind_op - op.symbol().len()..ahead.current_token_start();
            let message = "two operators stand together; a text that begins so needs quotes";
            return Err(Fault::new(span, message).suggest(Some(second.symbol())));
        }
        if start > behind_op && begins_condition(rest) {
            return Err(missing(expected));
        }
        let text = word(&mut self.input).unwrap_or("");
        Ok(Value {
            text: Cow::Borrowed(text),
            raw: text,
            start,
            span: start..start + text.len(),
            quoted: false,
        })
    }

    /// Reads `>=` and a number, if they come next.
    pub(super) fn bound(&mut self) -> Result<Option<Value<'a>>, Fault> {
        let mut ahead = self.input;
        space(&mut ahead);
        if operator(&mut ahead) != Ok(Op::AtLeast) {
            return Ok(None);
        }
        self.input = ahead;
        let expected = "expected a number from 0 to 1 after `>=`".to_owned();
        self.value(Op::AtLeast, expected).map(Some)
    }

    /// Reads a quoted text.
    fn quoted(&mut self) -> Result<Value<'a>, Fault> {
        let start = self.input.current_token_start();
        let rest = *self.input;
        let Some((range, length)) = quotation(rest) else {
            return Err(never_closed(start, rest));
        };
        self.input.next_slice(length);
        let start_of_text = start + range.start;
        let inner = rest.get(range).unwrap_or("");
        let text = if inner.contains('\\') {
            Cow::Owned(unescaped(inner))
        } else {
            Cow::Borrowed(inner)
        };
        Ok(Value {
            text,
            raw: inner,
            start: start_of_text,
            span: start..start + length,
            quoted: true,
        })
    }
}

/// Returns whether the text after white space is a keyword or a clause of its own, and therefore
/// not the missing value.
fn begins_condition(rest: &str) -> bool {
    let mut input = LocatingSlice::new(rest);
    let Ok(name) = name(&mut input) else {
        return false;
    };
    let name = name.strip_prefix('-').unwrap_or(name);
    let keyword = table::KEYWORDS
        .iter()
        .any(|word| name.eq_ignore_ascii_case(word));
    keyword || (table::find_before_operator(name).is_some() && operator(&mut input).is_ok())
}

/// Returns whether a letter is a quotation mark.
pub(super) fn is_mark(letter: char) -> bool {
    letter == '"' || DOUBLE.contains(&letter) || SINGLE.contains(&letter)
}

/// Returns whether a quoted text begins here; a double mark without its end counts too, a single
/// one only if there is an end for it.
fn begins_quotation(rest: &str, single_ends: bool) -> bool {
    rest.starts_with('"') || rest.starts_with(DOUBLE) || (single_ends && rest.starts_with(SINGLE))
}

/// Returns where the last single mark stands that can end a text, or 0. So a text with many
/// apostrophes is not searched for an end at each of them.
fn last_single(text: &str) -> usize {
    let mut marks = text.rmatch_indices(SINGLE);
    marks
        .find(|&mark| ends_text(text, mark))
        .map_or(0, |(at, _)| at)
}

/// Returns whether a single mark, found at an offset, ends a text: others are apostrophes, as in
/// O'Kelly.
fn ends_text(text: &str, (at, mark): (usize, &str)) -> bool {
    !text[at + mark.len()..].starts_with(char::is_alphanumeric)
}

/// Returns the range of the quoted text at the beginning of `rest`, without its marks, and the
/// length with them; `None` if it has no end.
pub(super) fn quotation(rest: &str) -> Option<(Range<usize>, usize)> {
    let opening = rest.chars().next()?;
    let start = opening.len_utf8();
    let end = if opening == '"' {
        plain_end(rest)?
    } else if DOUBLE.contains(&opening) {
        start + rest[start..].find(DOUBLE)?
    } else {
        let mut marks = rest.match_indices(SINGLE).skip(1);
        marks.find(|&mark| ends_text(rest, mark))?.0
    };
    let closing = rest[end..].chars().next()?;
    Some((start..end, end + closing.len_utf8()))
}

/// Returns where the slash stands that ends a regular expression, in the text after the first one.
fn regex_end(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut slashes = rest.match_indices('/').map(|(at, _)| at);
    slashes.find(|&at| at == 0 || bytes[at - 1] != b'\\')
}

/// Returns the length of the regular expression at the beginning of `rest`, if the text before is a
/// field that takes one.
fn regex_length(before: &str, rest: &str) -> Option<usize> {
    let end = regex_end(rest.strip_prefix('/')?)?;
    let name = before.trim_end().strip_suffix(':')?.trim_end();
    let name = name.rsplit(ends_name).next()?;
    let field = table::find(name.strip_prefix('-').unwrap_or(name))?;
    field.kind.takes_regex().then_some(end + 2)
}

/// Replaces comments with spaces, so that the rest keeps its offsets. A comment begins with a `#`
/// at the start of a line or after white space, but not inside quotes and regular expressions;
/// moves may end with `#`. It ends with the line.
pub(super) fn without_comments(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let last_single = last_single(text);
    let mut before = ' ';
    while let Some(letter) = text[clean.len()..].chars().next() {
        let rest = &text[clean.len()..];
        // Only `"` ends a word.
        let begins = before.is_whitespace() || is_mark(before) || "(:=<>!-".contains(before);
        if letter == '#' && before.is_whitespace() {
            let length = rest.find('\n').unwrap_or(rest.len());
            clean.extend(std::iter::repeat_n(' ', length));
        } else if (begins || letter == '"') && begins_quotation(rest, clean.len() < last_single) {
            let length = quotation(rest).map_or(rest.len(), |(_, end)| end);
            clean.push_str(&rest[..length]);
        } else if let Some(length) = regex_length(&clean, rest) {
            clean.push_str(&rest[..length]);
        } else {
            clean.push(letter);
        }
        before = letter;
    }
    clean
}

/// Returns the fault of a quotation without its end, which begins at `start` in the query text.
pub(super) fn never_closed(start: usize, rest: &str) -> Fault {
    let opening = rest.chars().next().map_or(0, char::len_utf8);
    Fault::new(start..start + opening, NEVER_CLOSED)
}

/// Returns where the `"` stands that ends the text after the first one.
fn plain_end(rest: &str) -> Option<usize> {
    let mut escaped = false;
    for (offset, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !escaped => return Some(offset),
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    None
}

/// Replaces `\"` and `\\`; any other backslash is kept.
fn unescaped(inner: &str) -> String {
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars().peekable();
    while let Some(character) = chars.next() {
        let escaped = chars.next_if(|next| character == '\\' && matches!(next, '"' | '\\'));
        text.push(escaped.unwrap_or(character));
    }
    text
}

fn space(input: &mut Input<'_>) {
    let _: Lexed<&str> = take_while(0.., char::is_whitespace).parse_next(input);
}

/// Reads a name. It ends at white space, a bracket, a quotation mark or an operator.
fn name<'a>(input: &mut Input<'a>) -> Lexed<&'a str> {
    take_till(1.., ends_name).parse_next(input)
}

fn ends_name(letter: char) -> bool {
    letter.is_whitespace() || "()\":=!<>".contains(letter)
}

/// Reads a word. It ends at white space, a bracket or a quotation mark.
fn word<'a>(input: &mut Input<'a>) -> Lexed<&'a str> {
    let ends = |c: char| c.is_whitespace() || "()\"".contains(c);
    take_till(1.., ends).parse_next(input)
}

impl Op {
    /// Returns the symbol of the operator in query texts.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Op::Has => ":",
            Op::Equal => "=",
            Op::Differ => "!=",
            Op::Less => "<",
            Op::AtMost => "<=",
            Op::Greater => ">",
            Op::AtLeast => ">=",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_become_spaces_and_nothing_else_does() {
        for (text, clean) in [
            ("# a\nmate", "   \nmate"),
            ("mate # é \"\nelo>1", "mate       \nelo>1"),
            ("played:Qh7# mate", "played:Qh7# mate"),
            ("event:\"a # b\" #c", "event:\"a # b\"   "),
            ("event:\"a \\\" # b\" #c", "event:\"a \\\" # b\"   "),
            ("event:'a # b' #c", "event:'a # b'   "),
            ("„a # b“ #c", "„a # b“   "),
            ("o'kelly #c'", "o'kelly    "),
            ("carl“sen #c", "carl“sen   "),
            ("'t_hart 'n #c", "'t_hart 'n   "),
            ("event:/a # \\/ b/ #c", "event:/a # \\/ b/   "),
            ("(-Event : /a \" #/ #c", "(-Event : /a \" #/   "),
            ("repertoire:/a #/ b", "repertoire:/a     "),
            ("event:/a #b", "event:/a   "),
            ("mate\r\n#\r\n", "mate\r\n  \n"),
            ("", ""),
        ] {
            assert_eq!(without_comments(text), clean, "{text:?}");
            assert_eq!(clean.len(), text.len());
        }
    }

    #[test]
    fn every_pair_of_quotation_marks_quotes_a_text() {
        for quoted in [
            "\"o'kelly a\"",
            "'o'kelly a'",
            "“o'kelly a”",
            "„o'kelly a“",
            "«o'kelly a»",
            "‘o’kelly a’",
            "‚o'kelly a‘",
            "‹o'kelly a›",
            "”o'kelly a”",
        ] {
            let (range, end) = quotation(quoted).expect("it is closed");
            assert!(
                ["o'kelly a", "o’kelly a"].contains(&&quoted[range]),
                "{quoted}"
            );
            assert_eq!(end, quoted.len(), "{quoted}");
        }
        for open in ["\"a", "“a", "'a", "‘t_hart o’kelly"] {
            assert_eq!(quotation(open), None, "{open}");
        }
    }
}
