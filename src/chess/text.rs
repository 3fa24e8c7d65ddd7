//! Text from old files, and how people search in it.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Decodes text that mixes UTF-8 and Latin-1, even inside one word: valid UTF-8 sequences are
/// kept, any other byte from 0x80 on is Latin-1. Nothing is copied when all of it is UTF-8.
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

/// The characters of the bytes 0x80 to 0x9F in Windows-1252. Five bytes have none; they stand
/// for the control characters of their numbers, as elsewhere on Windows.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Decodes text that is UTF-8 as a whole or else Windows-1252. Nothing is copied when it is
/// UTF-8.
#[must_use]
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

/// Encodes text in Windows-1252; `None` when it holds a character that this does not have.
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

/// Appends text, decoded as by [`decode`], in the form in which accents and capitals do not
/// count: small letters without accents, runs of white space as one space. What is appended is
/// UTF-8 and holds no line feed.
pub fn fold_into(text: &[u8], folded: &mut Vec<u8>) {
    if !text.is_ascii() {
        let mut push = |character: char| {
            let mut bytes = [0; 4];
            folded.extend_from_slice(character.encode_utf8(&mut bytes).as_bytes());
        };
        let text = decode(text);
        let letters = letters(&text).map(|letter| letter.base);
        return single_spaces(letters).for_each(&mut push);
    }
    // Nearly all names end here: nothing to do but to copy and to lower capitals.
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

/// A small letter and its accents.
#[derive(PartialEq, Eq)]
struct Letter {
    base: char,
    accents: String,
}

/// Splits text into small letters with their accents. A stroke through a letter, which Unicode
/// does not take apart, counts as an accent.
fn letters(text: &str) -> impl Iterator<Item = Letter> {
    let lower = text.to_lowercase();
    let mut characters = lower.nfd().collect::<Vec<_>>().into_iter().peekable();
    std::iter::from_fn(move || {
        let first = characters.next()?;
        let (base, stroke) = match first {
            'ø' => ('o', "/"),
            'ł' => ('l', "/"),
            'đ' => ('d', "/"),
            'ħ' => ('h', "/"),
            'ŧ' => ('t', "/"),
            other => (other, ""),
        };
        let mut accents = String::from(stroke);
        while let Some(mark) = characters.next_if(|&next| is_combining_mark(next)) {
            accents.push(mark);
        }
        Some(Letter { base, accents })
    })
}

/// A text to look for: `contains` as the query language means it.
///
/// Capitals do not count and runs of spaces count as one. An accent in the needle must match;
/// a letter without an accent matches that letter with any.
#[derive(Debug, Clone)]
pub struct Needle {
    original: String,
    folded: Vec<u8>,
    accented: bool,
}

impl Needle {
    /// Prepares a text to look for. An empty text is found everywhere.
    #[must_use]
    pub fn new(text: &str) -> Needle {
        let mut folded = Vec::new();
        fold_into(text.as_bytes(), &mut folded);
        Needle {
            original: text.to_owned(),
            folded,
            accented: letters(text).any(|letter| !letter.accents.is_empty()),
        }
    }

    /// Returns the needle in the form of [`fold_into`].
    #[must_use]
    pub fn folded(&self) -> &[u8] {
        &self.folded
    }

    /// Tells whether a match of [`folded`](Needle::folded) in folded text settles the matter;
    /// if not, [`is_in`](Needle::is_in) must be asked about the original text.
    #[must_use]
    pub fn folded_is_enough(&self) -> bool {
        !self.accented
    }

    /// Tells whether the text contains the needle. O(length of the text) unless the needle has
    /// accents.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        let mut folded = Vec::with_capacity(text.len());
        fold_into(text.as_bytes(), &mut folded);
        if memchr::memmem::find(&folded, &self.folded).is_none() {
            return false;
        }
        if !self.accented {
            return true;
        }
        let collapsed = |text: &str| {
            let mut letters: Vec<Letter> = letters(text).collect();
            for letter in &mut letters {
                if letter.base.is_whitespace() {
                    letter.base = ' ';
                }
            }
            letters.dedup_by(|next, previous| next.base == ' ' && previous.base == ' ');
            letters
        };
        let (text, needle) = (collapsed(text), collapsed(&self.original));
        text.windows(needle.len()).any(|window| {
            window.iter().zip(&needle).all(|(have, want)| {
                have.base == want.base && (want.accents.is_empty() || have == want)
            })
        })
    }
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
    fn an_absent_accent_matches_any_and_a_present_one_itself() {
        let is_in = |needle: &str, text: &str| Needle::new(needle).is_in(text);
        assert!(is_in("muller", "Müller, Karsten"));
        assert!(is_in("MÜLLER", "müller"));
        assert!(is_in("Müller", "Mu\u{308}ller"));
        assert!(!is_in("Müller", "Muller"));
        assert!(!is_in("Müller", "Mûller"));
        assert!(is_in("müller, k", "Müller,  Karsten"));
        assert!(is_in("hoi", "Høi"));
        assert!(is_in("høi", "Høi, Carsten"));
        assert!(!is_in("høi", "Hoi"));
        assert!(is_in("λασκερ", "Λάσκερ"));
        assert!(is_in("", ""));
    }

    #[test]
    fn runs_of_spaces_count_as_one_and_capitals_do_not_count() {
        assert!(Needle::new("de  la").is_in("Jan DE LA Cruz"));
        assert!(Needle::new("de la").is_in("de \t la"));
        assert!(!Needle::new("dela").is_in("de la"));
    }
}
