//! Characters outside ASCII between moves: spaces, and signs for NAGs.

use tabiya_chess::text::windows_1252_char;

/// What a character outside ASCII is in movetext.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// It separates words: a space, a mark that cannot be seen, or dots.
    Space,
    /// A NAG; 0 for a sign without a known meaning.
    Nag(u8),
    /// A part of a word.
    Letter,
}

/// Signs with a NAG. Those with one number for each colour have White's.
const NAGS: [(char, u8); 28] = [
    ('‼', 3),
    ('⁇', 4),
    ('⁈', 6),
    ('⁉', 5),
    ('□', 7),
    ('∞', 13),
    ('⩲', 14),
    ('⩱', 15),
    ('±', 16),
    ('∓', 17),
    ('⨀', 22),
    ('⊙', 22),
    ('○', 26),
    ('◯', 26),
    ('⟳', 32),
    ('↻', 32),
    ('↑', 36),
    ('→', 40),
    ('⇆', 132),
    ('⇄', 132),
    ('⊕', 138),
    ('∆', 140),
    ('Δ', 140),
    ('∇', 141),
    ('⌓', 142),
    ('≌', 145),
    ('＝', 10),
    ('⯹', 44),
];

/// Returns what the character at the start of a text is, and its length in bytes.
pub(super) fn sign_at(text: &[u8]) -> (Sign, usize) {
    let (letter, length) = first_char(text);
    let sign = match letter {
        _ if is_space(letter) => Sign::Space,
        _ if is_of_move(letter) => Sign::Letter,
        _ => match NAGS.iter().find(|(sign, _)| *sign == letter) {
            Some((_, nag)) => Sign::Nag(*nag),
            None if letter.is_alphanumeric() => Sign::Letter,
            None => Sign::Nag(0),
        },
    };
    (sign, length)
}

/// Decodes the first character: of UTF-8, or else of Windows-1252.
fn first_char(text: &[u8]) -> (char, usize) {
    let head = text.get(..4).unwrap_or(text);
    let valid = match std::str::from_utf8(head) {
        Ok(valid) => valid,
        Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default(),
    };
    match valid.chars().next() {
        Some(letter) => (letter, letter.len_utf8()),
        None => (text.first().map_or(' ', |&byte| windows_1252_char(byte)), 1),
    }
}

fn is_space(letter: char) -> bool {
    letter.is_whitespace()
        || matches!(letter,
            '…' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Whether a character that is no letter can be part of a move: a figurine and what may follow it,
/// a dash, a cross for a capture, a dagger for a check.
fn is_of_move(letter: char) -> bool {
    matches!(
        letter,
        '♔'..='♟' | '\u{fe0e}' | '\u{fe0f}' | '×' | '✕' | '†' | '‡'
    ) || is_dash(letter)
}

/// Whether a character stands for a hyphen.
pub(in crate::pgn) fn is_dash(letter: char) -> bool {
    matches!(letter, '\u{2010}'..='\u{2015}' | '−' | '\u{fe63}' | '－')
}
