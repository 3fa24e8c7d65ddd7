//! Parses positions from text: FEN or EPD, one per line.

use super::WantedPosition;
use crate::query::{Fault, FenTest};

/// Parses all lines.
pub(super) fn read(text: &str) -> Result<Vec<WantedPosition>, Fault> {
    // Some Windows editors write a byte order mark.
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let positions = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let in_text = |line: &str| line.as_ptr().addr() - text.as_ptr().addr();
    positions
        .map(|line| position(line).map_err(|fault| fault.moved_by(in_text(line))))
        .collect()
}

/// Parses one line.
fn position(line: &str) -> Result<WantedPosition, Fault> {
    /// Number of position fields before operations or counters.
    const FIELDS: usize = 4;
    let (mut position, mut rest) = split_fields(line, FIELDS);
    let (counters, after) = split_fields(rest, 2);
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    if !counters.is_empty() && counters.split_whitespace().all(is_number) {
        (position, rest) = split_fields(line, FIELDS + counters.split_whitespace().count());
        debug_assert_eq!(rest, after);
    }
    Ok(WantedPosition {
        fen: position.parse::<FenTest>()?,
        label: label(rest),
    })
}

/// Splits a text after this number of words.
fn split_fields(text: &str, count: usize) -> (&str, &str) {
    let text = text.trim_start();
    let mut end = 0;
    for _ in 0..count {
        let rest = &text[end..];
        let word = end + (rest.len() - rest.trim_start().len());
        let length = text[word..].find(char::is_whitespace);
        end = length.map_or(text.len(), |length| word + length);
    }
    (&text[..end], text[end..].trim_start())
}

/// Returns the operand of the operation `id`, which is in quotes or ends at a semicolon.
fn label(operations: &str) -> Option<String> {
    let mut rest = operations;
    loop {
        let (name, after) = split_fields(rest, 1);
        if name.is_empty() {
            return None;
        }
        let end = operation_end(rest);
        if name == "id" {
            let operand = &rest[..end];
            let operand = operand[operand.len().min(rest.len() - after.len())..].trim();
            return Some(operand.trim_matches('"').to_owned()).filter(|label| !label.is_empty());
        }
        rest = rest[end..].trim_start_matches(';').trim_start();
    }
}

/// Returns the end of the first operation: a semicolon outside quotes.
fn operation_end(operations: &str) -> usize {
    let mut quoted = false;
    let ends = |letter: char| {
        quoted ^= letter == '"';
        letter == ';' && !quoted
    };
    operations.find(ends).unwrap_or(operations.len())
}

#[cfg(test)]
mod tests {
    use shakmaty::Color;

    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

    fn one(line: &str) -> WantedPosition {
        let mut all = read(line).unwrap();
        assert_eq!(all.len(), 1, "{line}");
        all.remove(0)
    }

    #[test]
    fn fen_and_epd_are_read_with_and_without_a_label() {
        for (rest, label) in [
            ("", None),
            (" w", None),
            (" w KQkq -", None),
            (" w KQkq - 0 1", None),
            (
                " w KQkq - bm e4; id \"Start; of all\";",
                Some("Start; of all"),
            ),
            (" w KQkq - id \"Start\"", Some("Start")),
            (" w KQkq - 0 1 id Start;", Some("Start")),
            (
                " w KQkq - 0 1 c0 \"x id y\"; id \"Start\"; acd 5;",
                Some("Start"),
            ),
            ("\tw  KQkq - hmvc 0; fmvn 1;", None),
            (" w KQkq - id \"\";", None),
        ] {
            let read = one(&format!("  {START}{rest}\r\n"));
            assert_eq!(read.label.as_deref(), label, "{rest}");
            assert_eq!(read.fen.board, shakmaty::Board::new());
            let turn = (!rest.is_empty()).then_some(Color::White);
            assert_eq!(read.fen.turn, turn, "{rest}");
        }
    }

    #[test]
    fn what_is_no_position_is_passed_over_or_told_with_its_line() {
        let text = format!("\u{feff}# openings\n\n   \n{START} w - -\n#\n");
        assert_eq!(read(&text).unwrap().len(), 1);
        assert!(read("").unwrap().is_empty());
        for (line, message) in [
            ("rnbqkbnr w KQkq -", "a board has 8 ranks"),
            (&*format!("{START} x KQkq -"), "the side to move"),
            (&*format!("{START} w KQkq e9"), "the en-passant square"),
        ] {
            let text = format!("\u{feff}# one\r\n {line}\n{START}\n");
            let fault = read(&text).unwrap_err();
            assert!(fault.message.contains(message), "{fault}");
            assert!(fault.caret(&text).starts_with(&format!(" {line}\n")));
        }
    }
}
