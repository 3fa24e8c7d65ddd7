//! Text of files where people read it: nothing in it is invisible in messages, and nothing commands
//! a terminal.

use std::{
    fmt::{self, Write as _},
    io,
};

/// Text in a message: characters that cannot be seen, and all spaces but the usual one, are shown
/// by their numbers.
///
/// ```
/// # mod tabiya { pub use tabiya_formats::visible::*; }
/// use tabiya::Visible;
///
/// assert_eq!(Visible("e4\u{a0}\u{1b}[2J").to_string(), r"e4\u{a0}\u{1b}[2J");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Visible<T>(
    /// What is shown.
    pub T,
);

impl<T: fmt::Display> fmt::Display for Visible<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut escape = Escape {
            out: f,
            is_escaped: is_invisible,
        };
        write!(escape, "{}", self.0)
    }
}

/// Passes text on with some characters escaped.
struct Escape<W> {
    out: W,
    is_escaped: fn(char) -> bool,
}

impl<W: fmt::Write> fmt::Write for Escape<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some(at) = rest.find(self.is_escaped) {
            let (plain, after) = rest.split_at(at);
            self.out.write_str(plain)?;
            let mut letters = after.chars();
            if let Some(letter) = letters.next() {
                write!(self.out, "{}", letter.escape_unicode())?;
            }
            rest = letters.as_str();
        }
        self.out.write_str(rest)
    }
}

/// Returns whether a character is a command to a terminal: a control character, or one that changes
/// the direction of text, so that it reads as something else.
#[must_use]
pub fn is_command(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// Returns whether a character cannot be seen, or looks like a space and is another.
pub fn is_invisible(letter: char) -> bool {
    is_command(letter)
        || (letter.is_whitespace() && letter != ' ')
        || matches!(
            letter,
            '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
                | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{206f}'
                | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        )
}

/// A writer to a terminal: what would be a [command](is_command) to it is shown by its number, and
/// so are bytes that are no UTF-8. Line feeds and tabs are kept.
#[derive(Debug)]
pub struct ToTerminal<W>(
    /// The terminal.
    pub W,
);

impl<W: io::Write> io::Write for ToTerminal<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_escaped = |letter| is_command(letter) && !matches!(letter, '\n' | '\t');
        let mut shown = String::with_capacity(bytes.len());
        let mut escape = Escape {
            out: &mut shown,
            is_escaped,
        };
        for chunk in bytes.utf8_chunks() {
            // Writing to a string cannot fail.
            let _ = escape.write_str(chunk.valid());
            for byte in chunk.invalid() {
                let _ = write!(escape.out, "\\x{byte:02x}");
            }
        }
        self.0.write_all(shown.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use io::Write as _;

    #[test]
    fn a_message_shows_every_character_of_a_file() {
        for (text, shown) in [
            ("Nf3", "Nf3"),
            ("Müller – 棋 e\u{301}", "Müller – 棋 e\u{301}"),
            ("a b", "a b"),
            ("a\u{a0}b\u{2009}\u{3000}", r"a\u{a0}b\u{2009}\u{3000}"),
            ("\u{feff}e4\u{200b}", r"\u{feff}e4\u{200b}"),
            ("\u{1b}[31m\u{7f}\u{9b}1m", r"\u{1b}[31m\u{7f}\u{9b}1m"),
            ("\u{202e}4e\r\n", r"\u{202e}4e\u{d}\u{a}"),
            ("\u{e0041}\u{2066}", r"\u{e0041}\u{2066}"),
        ] {
            assert_eq!(Visible(text).to_string(), shown);
        }
    }

    #[test]
    fn nothing_written_to_a_terminal_commands_it() {
        let mut terminal = ToTerminal(Vec::new());
        terminal
            .write_all("a\tb\u{a0}\u{1b}[2J\u{85}\u{202e}\n".as_bytes())
            .unwrap();
        terminal.write_all(b"\x9b1m\xe2\x80").unwrap();
        let shown = String::from_utf8(terminal.0).unwrap();
        let expected = "a\tb\u{a0}\\u{1b}[2J\\u{85}\\u{202e}\n\\x9b1m\\xe2\\x80";
        assert_eq!(shown, expected);
    }
}
