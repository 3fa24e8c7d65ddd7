//! Errors in a query, a position or a list of moves, and their display.

use std::{fmt, ops::Range};

use tabiya_formats::visible::{Visible, is_invisible};
use unicode_normalization::char::is_combining_mark;

/// An error in the text of a query, a position (FEN or EPD) or a list of moves: where, and what was
/// expected.
///
/// `Display` prints the offset, the message and the suggestion in one line; [`caret`](Fault::caret)
/// marks the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Offset of the first faulty byte in the text.
    pub start: usize,
    /// Offset after the last faulty byte; equal to `start` at the end of the text.
    pub end: usize,
    /// What is wrong and what was expected, in one line, in lower case.
    pub message: String,
    /// What was probably meant, as a replacement for the faulty bytes.
    pub suggestion: Option<String>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.start, self.message)?;
        match &self.suggestion {
            Some(suggestion) => write!(f, "; did you mean `{suggestion}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Fault {}

/// Greatest number of text columns in a drawing.
const COLUMNS_MAX: usize = 100;
/// Number of columns before the fault in a drawing that cannot show the whole line.
const COLUMNS_BEFORE: usize = 40;
/// Replaces omitted text.
const CUT: &str = "...";
/// Greatest number of characters of the query that a message repeats.
const EXCERPT_CHARS_MAX: usize = 40;

/// A character of the drawn line.
struct Glyph {
    /// Byte offset in the query text.
    offset: usize,
    shown: char,
    width: usize,
}

impl Fault {
    /// Creates a fault without a suggestion.
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>) -> Fault {
        Fault {
            start: span.start,
            end: span.end,
            message: message.into(),
            suggestion: None,
        }
    }

    /// Returns the fault as one of a longer text, in which the faulty one begins at this byte.
    pub(crate) fn moved_by(mut self, bytes: usize) -> Fault {
        self.start += bytes;
        self.end += bytes;
        self
    }

    /// Sets the suggestion.
    pub(super) fn suggest(mut self, suggestion: Option<impl Into<String>>) -> Fault {
        self.suggestion = suggestion.map(Into::into);
        self
    }

    /// Returns the faulty line of `text`, which has this fault, and a line with carets under the
    /// faulty part. There is no final line feed.
    ///
    /// A tab is shown as one space, other characters that cannot be seen as `U+FFFD`. If a line is
    /// wider than 100 columns, only the part around the fault is shown. O(length of the line).
    ///
    /// ```
    /// use tabiya::query::Query;
    ///
    /// let text = "white:carlsen flag:novelti";
    /// let fault = text.parse::<Query>().unwrap_err();
    /// assert_eq!(
    ///     fault.caret(text),
    ///     "white:carlsen flag:novelti\n                   ^^^^^^^"
    /// );
    /// ```
    #[must_use]
    pub fn caret(&self, text: &str) -> String {
        let start = text.floor_char_boundary(self.start);
        let line_start = text[..start].rfind('\n').map_or(0, |feed| feed + 1);
        let rest = &text[line_start..];
        let line = rest.split('\n').next().unwrap_or(rest);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let glyphs: Vec<Glyph> = line
            .char_indices()
            .map(|(offset, character)| glyph(line_start + offset, character))
            .collect();
        let (from, to) = window(&glyphs, start);

        let (mut drawn, mut carets) = (String::new(), String::new());
        if from > 0 {
            drawn.push_str(CUT);
            carets.push_str("   ");
        }
        let mut marked = false;
        for glyph in &glyphs[from..to] {
            drawn.push(glyph.shown);
            if glyph.offset < start {
                carets.extend(std::iter::repeat_n(' ', glyph.width));
            } else if glyph.offset < self.end {
                carets.extend(std::iter::repeat_n('^', glyph.width));
                marked |= glyph.width > 0;
            }
        }
        if to < glyphs.len() {
            drawn.push_str(CUT);
        }
        if !marked {
            carets.push('^');
        }
        format!("{drawn}\n{carets}")
    }
}

/// Returns the range of glyphs to draw, which includes the one at byte `start`.
fn window(glyphs: &[Glyph], start: usize) -> (usize, usize) {
    let total: usize = glyphs.iter().map(|glyph| glyph.width).sum();
    if total <= COLUMNS_MAX {
        return (0, glyphs.len());
    }
    let mut from = glyphs.partition_point(|glyph| glyph.offset < start);
    let mut before = 0;
    while from > 0 && before + glyphs[from - 1].width <= COLUMNS_BEFORE {
        from -= 1;
        before += glyphs[from].width;
    }
    let mut to = from;
    let mut columns = 0;
    while to < glyphs.len() && columns + glyphs[to].width <= COLUMNS_MAX {
        columns += glyphs[to].width;
        to += 1;
    }
    (from, to)
}

/// Returns the glyph of a character.
fn glyph(offset: usize, character: char) -> Glyph {
    let shown = match character {
        '\t' => ' ',
        hidden if is_invisible(hidden) => char::REPLACEMENT_CHARACTER,
        other => other,
    };
    Glyph {
        offset,
        shown,
        width: width(shown),
    }
}

/// Returns the width of a character in terminal columns: 0 for a combining mark, 2 for East Asian
/// scripts and emoji.
fn width(character: char) -> usize {
    match character {
        '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => 0,
        mark if is_combining_mark(mark) => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{303e}'
        | '\u{3041}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1f64f}'
        | '\u{1f900}'..='\u{1f9ff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

/// Returns text for a message: in backquotes, shortened, on one line.
pub(crate) fn excerpt(text: &str) -> String {
    if text.is_empty() {
        return "nothing".to_owned();
    }
    let cut: String = text.chars().take(EXCERPT_CHARS_MAX).collect();
    let mut shown = Visible(cut.replace(['\n', '\r', '\t'], " ")).to_string();
    if text.chars().nth(EXCERPT_CHARS_MAX).is_some() {
        shown.push_str(CUT);
    }
    format!("`{shown}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(text: &str, span: Range<usize>) -> String {
        Fault::new(span, "").caret(text)
    }

    #[test]
    fn carets_stand_under_the_faulty_part_of_its_line() {
        assert_eq!(drawn("elow:1", 0..4), "elow:1\n^^^^");
        assert_eq!(drawn("white:", 6..6), "white:\n      ^");
        assert_eq!(drawn("", 0..0), "\n^");
        assert_eq!(drawn("a:1\r\nb:x\r\nc:1", 7..8), "b:x\n  ^");
        assert_eq!(drawn("a:\"x\ny\"", 2..7), "a:\"x\n  ^^");
    }

    #[test]
    fn carets_account_for_tabs_accents_and_wide_letters() {
        assert_eq!(drawn("a\tb", 2..3), "a b\n  ^");
        assert_eq!(drawn("Ž:x", 3..4), "Ž:x\n  ^");
        assert_eq!(drawn("u\u{308}:x", 4..5), "u\u{308}:x\n  ^");
        assert_eq!(drawn("棋:x", 0..3), "棋:x\n^^");
        assert_eq!(drawn("棋:x", 4..5), "棋:x\n   ^");
    }

    #[test]
    fn a_long_line_is_cut_around_the_fault() {
        let text = format!("{}elow{}", "x".repeat(500), "y".repeat(500));
        let expected = format!(
            "...{}elow{}...\n   {}^^^^",
            "x".repeat(40),
            "y".repeat(56),
            " ".repeat(40)
        );
        assert_eq!(drawn(&text, 500..504), expected);
        let all = drawn(&text, 0..text.len());
        assert_eq!(all.lines().nth(1).unwrap().len(), COLUMNS_MAX);
    }

    #[test]
    fn a_fault_of_another_text_is_drawn_somewhere() {
        assert_eq!(drawn("é", 1..9), "é\n^");
        assert_eq!(drawn("ab", 7..9), "ab\n  ^");
    }

    #[test]
    fn messages_repeat_the_text_short_and_in_one_line() {
        assert_eq!(excerpt("a\nb"), "`a b`");
        assert_eq!(excerpt(&"é".repeat(50)), format!("`{}...`", "é".repeat(40)));
    }
}
