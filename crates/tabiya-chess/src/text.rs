//! Text from old files, and how it is searched.

mod needle;

use std::borrow::Cow;

#[doc(hidden)]
pub use needle::Needle;
pub use needle::marked;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Decodes text that mixes UTF-8 and Latin-1, even inside one word: valid UTF-8 sequences are kept,
/// any other byte from 0x80 on is Latin-1. Copies nothing if all of it is UTF-8.
#[must_use]
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|&byte| char::from(byte)));
    }
    Cow::Owned(text)
}

/// The characters of the bytes 0x80 to 0x9F in Windows-1252. Five bytes are undefined; they map to
/// the control characters of the same number, as elsewhere on Windows.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Decodes text as UTF-8 if all of it is valid, else as Windows-1252. Copies nothing if it is
/// UTF-8.
#[must_use]
#[doc(hidden)]
pub fn decode_windows_1252(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => bytes.iter().copied().map(windows_1252_char).collect(),
    }
}

/// Returns the character of a byte in Windows-1252.
#[must_use]
pub fn windows_1252_char(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// Encodes text in Windows-1252; `None` if it contains a character outside that set.
#[must_use]
pub fn encode_windows_1252(text: &str) -> Option<Vec<u8>> {
    let byte = |character: char| match character {
        '\0'..='\x7f' | '\u{a0}'..='\u{ff}' => u8::try_from(character).ok(),
        _ => (0x80..)
            .zip(WINDOWS_1252)
            .find_map(|(byte, high)| (high == character).then_some(byte)),
    };
    text.chars().map(byte).collect()
}

/// Version of the form that [`fold_into`] gives, and of the rule by which the encoding of names is
/// guessed: a sidecar with names of another version is not used.
pub const FOLDING: u64 = 3;

/// Appends text, decoded as names are, in a form without case and accents: lower case without
/// accents, runs of white space as one space, `ss` for a sharp s and one sigma. The appended text
/// is UTF-8 and contains no line feed.
///
/// Sidecars store names in this form: when it changes, `FOLDING` must change too.
pub fn fold_into(text: &[u8], folded: &mut Vec<u8>) {
    if !text.is_ascii() {
        let mut push = |letter: char| {
            let mut bytes = [0; 4];
            folded.extend_from_slice(letter.encode_utf8(&mut bytes).as_bytes());
        };
        let letters = decode(text);
        let letters = signs(&letters).filter(|(_, is_accent)| !is_accent);
        return letters.for_each(|(letter, _)| push(letter));
    }
    // The fast path for nearly all names: only copies and converts to lower case.
    let is_plain = |pair: &[u8]| !(pair[0].is_ascii_whitespace() && pair[1] == b' ');
    if text.windows(2).all(is_plain) && !text.iter().any(|byte| matches!(byte, 9..=13)) {
        folded.extend(text.iter().map(u8::to_ascii_lowercase));
        return;
    }
    let letters = text
        .iter()
        .map(|byte| char::from(byte.to_ascii_lowercase()));
    folded.extend(single_spaces(letters).map(|character| character as u8));
}

/// Returns text in the form that [`fold_into`] appends.
pub fn folded(text: &[u8]) -> Vec<u8> {
    let mut folded = Vec::with_capacity(text.len());
    fold_into(text, &mut folded);
    folded
}

/// Replaces runs of white space by one space.
fn single_spaces(characters: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    let mut after_space = false;
    characters.filter_map(move |character| {
        let is_space = character.is_whitespace();
        let run_goes_on = is_space && after_space;
        after_space = is_space;
        match (run_goes_on, is_space) {
            (true, _) => None,
            (false, true) => Some(' '),
            (false, false) => Some(character),
        }
    })
}

/// The accent for a stroke through a letter.
const STROKE: char = '\u{338}';

/// Splits text into lower-case letters, each followed by its accents, which are marked `true`. Runs
/// of white space become one space without accents. A stroke through a letter, which Unicode does
/// not decompose, counts as an accent.
fn signs(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut before = None;
    let signs = text.nfd().flat_map(small).flat_map(without_stroke);
    signs.filter_map(move |sign| {
        let letter = before.filter(|_| is_combining_mark(sign));
        if let Some(letter) = letter {
            return (letter != ' ').then_some((sign, true));
        }
        let sign = if sign.is_whitespace() { ' ' } else { sign };
        let run_goes_on = sign == ' ' && before == Some(' ');
        before = Some(sign);
        (!run_goes_on).then_some((sign, false))
    })
}

/// Folds the case of a character: the lower case of its upper case. That gives one form for all
/// forms of sigma, and `ss` for a sharp s.
fn small(character: char) -> impl Iterator<Item = char> {
    let is_simple = character.is_ascii() || is_combining_mark(character);
    let simple = is_simple.then(|| character.to_ascii_lowercase());
    let others = (!is_simple).then_some(character).into_iter();
    let capitals = others
        .flat_map(char::to_lowercase)
        .flat_map(char::to_uppercase);
    simple
        .into_iter()
        .chain(capitals.flat_map(char::to_lowercase))
}

/// Splits a letter into its base and its stroke.
fn without_stroke(letter: char) -> impl Iterator<Item = char> {
    let (base, stroke) = match letter {
        'ø' => ('o', Some(STROKE)),
        'ł' => ('l', Some(STROKE)),
        'đ' => ('d', Some(STROKE)),
        'ħ' => ('h', Some(STROKE)),
        'ŧ' => ('t', Some(STROKE)),
        other => (other, None),
    };
    std::iter::once(base).chain(stroke)
}

/// Splits a pattern at its stars, which match any text: one piece if there is no star. A backslash
/// before one of the `escaped` characters, which may include the star, makes that character
/// literal; any other backslash is literal itself.
#[must_use]
pub fn pieces(text: &str, escaped: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let literal = characters.next_if(|&next| character == '\\' && escaped.contains(next));
        match (literal, pieces.last_mut()) {
            (None, _) if character == '*' => pieces.push(String::new()),
            (literal, Some(piece)) => piece.push(literal.unwrap_or(character)),
            (_, None) => {}
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixed_character_sets_decode_byte_by_byte() {
        assert_eq!(decode(b"plain"), "plain");
        assert_eq!(decode("Žižek".as_bytes()), "Žižek");
        assert_eq!(decode(b"M\xfcller"), "Müller");
        assert_eq!(decode(b"\xc5\xbdi\xedk \xe9"), "Žiík é");
        assert_eq!(decode(b"\xff\xc3"), "ÿÃ");
    }

    #[test]
    fn windows_1252_reads_every_byte_and_writes_what_it_can() {
        assert_eq!(decode_windows_1252("Žižek".as_bytes()), "Žižek");
        assert_eq!(decode_windows_1252(b"\x8ei\x9eek \x80"), "Žižek €");
        assert_eq!(encode_windows_1252("Žižek €").unwrap(), b"\x8ei\x9eek \x80");
        assert_eq!(encode_windows_1252("Ελ"), None);
        for byte in 0..=u8::MAX {
            let text = windows_1252_char(byte).to_string();
            assert_eq!(encode_windows_1252(&text), Some(vec![byte]));
        }
    }

    #[test]
    fn folding_twice_is_folding_once() {
        for character in '\0'..=char::MAX {
            let (mut once, mut twice) = (Vec::new(), Vec::new());
            fold_into(character.to_string().as_bytes(), &mut once);
            fold_into(&once, &mut twice);
            assert_eq!(once, twice, "{character:?}");
            assert!(!once.contains(&b'\n'));
        }
    }

    #[test]
    fn stars_split_a_text_unless_a_backslash_is_before_them() {
        let split = |text| pieces(text, "\"\\*");
        assert_eq!(split("a"), ["a"]);
        assert_eq!(split("*"), ["", ""]);
        assert_eq!(split(r"a\*b*c\\*\d"), ["a*b", "c\\", "\\d"]);
        assert_eq!(pieces(r"a\\*", "*"), [r"a\*"]);
    }
}
