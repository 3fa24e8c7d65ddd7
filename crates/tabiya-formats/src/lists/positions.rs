//! Lists of positions, a line each: FEN, or EPD with its operations.
//!
//! A line has the four or six fields of a FEN, then operations: a name, operands, and a semicolon;
//! operands in quotes may hold semicolons. Source: the PGN standard of 1994, section 16.2. `hmvc`
//! and `fmvn` are the counters of the FEN; every other operation becomes a tag of its name, and
//! `id` the event too. What is no operation becomes a comment. Lines that begin with `#` are
//! skipped.

use shakmaty::fen::Fen;

use super::tags::{comment_text, tag};

/// Most bytes of the name of an operation.
const NAME_BYTES_MAX: usize = 14;

/// Whether a line begins with the fields of a FEN.
pub(super) fn is_position(line: &[u8]) -> bool {
    Fen::from_ascii(&Line::new(line).fen()).is_ok()
}

/// Appends the game of a line: a position without moves.
pub(super) fn tell(line: &[u8], pgn: &mut Vec<u8>) {
    let line = Line::new(line);
    let (id, fen) = (b"id".as_slice(), line.fen());
    let mut operations = line.operations.iter();
    if let Some((_, operands)) = operations.find(|(name, _)| *name == id) {
        tag(pgn, "Event", operands);
    }
    tag(pgn, "FEN", fen);
    for (name, operands) in &line.operations {
        // A tag needs a value, and two positions would be one too many.
        let operands = if operands.is_empty() { b"-" } else { *operands };
        if !name.eq_ignore_ascii_case(b"FEN") {
            tag(pgn, &String::from_utf8_lossy(name), operands);
        }
    }
    pgn.push(b'\n');
    if !line.rest.is_empty() {
        pgn.push(b'{');
        comment_text(pgn, line.rest);
        pgn.extend(b"} ");
    }
    pgn.push(b'*');
}

/// The parts of a line.
struct Line<'l> {
    /// The fields of a FEN without its counters.
    fields: Vec<&'l [u8]>,
    /// The half-moves since a capture or pawn move, and the number of the move.
    counters: [&'l [u8]; 2],
    operations: Vec<(&'l [u8], &'l [u8])>,
    /// What is no operation.
    rest: &'l [u8],
}

impl<'l> Line<'l> {
    fn new(line: &'l [u8]) -> Line<'l> {
        let mut read = Line {
            fields: Vec::with_capacity(4),
            counters: [b"0", b"1"],
            operations: Vec::new(),
            rest: b"",
        };
        let mut rest = line;
        while read.fields.len() < 4
            && let (field, after) = word(rest)
            && !field.is_empty()
        {
            read.fields.push(field);
            rest = after;
        }
        for counter in &mut read.counters {
            let Some((number, after)) = number(rest) else {
                break;
            };
            (*counter, rest) = (number, after);
        }
        while let Some((name, operands, after)) = operation(rest) {
            match name {
                b"hmvc" => read.counters[0] = operands,
                b"fmvn" => read.counters[1] = operands,
                _ => read.operations.push((name, operands)),
            }
            rest = after;
        }
        read.rest = rest.trim_ascii();
        read
    }

    fn fen(&self) -> Vec<u8> {
        let mut fen = self.fields.join(&b' ');
        // Missing ones say nothing.
        for missing in [&b" w"[..], b" -", b" -"]
            .iter()
            .skip(self.fields.len().max(1) - 1)
        {
            fen.extend(*missing);
        }
        for counter in self.counters {
            fen.push(b' ');
            fen.extend(counter);
        }
        fen
    }
}

/// Splits off the first word.
fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_start();
    let end = text.iter().position(u8::is_ascii_whitespace);
    text.split_at(end.unwrap_or(text.len()))
}

/// Splits off a number and a semicolon behind it.
fn number(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let end = text.iter().position(|byte| !byte.is_ascii_digit());
    let (number, after) = text.split_at(end.unwrap_or(text.len()));
    let ends = after.first().is_none_or(|byte| b" \t;,|".contains(byte));
    let after = after.strip_prefix(b";").unwrap_or(after);
    (!number.is_empty() && ends).then_some((number, after))
}

/// Splits off an operation: its name, and its operands without their quotes if they are one.
fn operation(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let name_end = text.iter().position(|byte| !is_of_name(byte))?;
    let (name, operands) = text.split_at(name_end);
    let ends_name = operands.first().is_some_and(|byte| b" \t;".contains(byte));
    if !name.first()?.is_ascii_alphabetic() || name.len() > NAME_BYTES_MAX || !ends_name {
        return None;
    }
    let mut is_quoted = false;
    let end = operands.iter().position(|&byte| {
        is_quoted ^= byte == b'"';
        byte == b';' && !is_quoted
    });
    // Some programs leave out the last semicolon.
    let end = end.unwrap_or(operands.len());
    let after = operands.get(end + 1..).unwrap_or_default();
    let operands = operands[..end].trim_ascii();
    let inner = operands
        .strip_prefix(b"\"")
        .and_then(|rest| rest.strip_suffix(b"\""))
        .filter(|inner| !inner.contains(&b'"'));
    Some((name, inner.unwrap_or(operands), after))
}
