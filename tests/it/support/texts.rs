//! How texts are compared.

use regex::RegexBuilder;
use tabiya::query::{TextField, TextTest};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Names that nobody knows are written as nothing or as a question mark.
fn is_known(text: &str) -> bool {
    !matches!(text, "" | "?")
}

/// Whether a regular expression is found in a text as it is stored.
pub(crate) fn is_found(regex: &str, text: &str) -> bool {
    let built = RegexBuilder::new(regex).case_insensitive(true).build();
    built.expect("a regular expression").is_match(text)
}

/// Letters with their accents, all small, runs of spaces as one.
fn letters(text: &str) -> Vec<(char, String)> {
    let mut letters: Vec<(char, String)> = Vec::new();
    let small = text.to_lowercase().replace('ß', "ss").replace('ς', "σ");
    for letter in small.nfd() {
        let (base, stroke) = match letter {
            'ø' => ('o', "stroke"),
            'ł' => ('l', "stroke"),
            'đ' => ('d', "stroke"),
            space if space.is_whitespace() => (' ', ""),
            other => (other, ""),
        };
        match letters.last_mut() {
            Some((_, accents)) if is_combining_mark(base) => accents.push(base),
            Some((' ', _)) if base == ' ' => {}
            _ => letters.push((base, stroke.to_owned())),
        }
    }
    letters
}

/// Whether one text passes a test.
pub(crate) fn passes(text: &str, field: &TextField, test: &TextTest) -> bool {
    match test {
        TextTest::Contains(part) => {
            let is_person = match field {
                TextField::White
                | TextField::Black
                | TextField::Player
                | TextField::Winner
                | TextField::Loser => true,
                TextField::Tag(tag) => tag == "Annotator",
                _ => false,
            };
            contains(text, part) || (is_person && is_name_of(text, part))
        }
        TextTest::Like(pieces) => fits(&letters(text), pieces),
        TextTest::Equals(whole) => text == whole,
        TextTest::Differs(whole) => text != whole,
        TextTest::Present => true,
        TextTest::Matches(regex) => {
            let is_tag = matches!(
                field,
                TextField::Tag(_) | TextField::Title(_) | TextField::Theme
            );
            let is_there = if is_tag {
                !text.is_empty()
            } else {
                is_known(text)
            };
            is_there && is_found(regex, text)
        }
        other => panic!("nobody evaluates {other:?}"),
    }
}

/// Whether a name begins with `Last, First` where the text is `First Last`.
fn is_name_of(name: &str, text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    if text.contains(',') || words.len() > 6 {
        return false;
    }
    (1..words.len()).any(|first| {
        let (first, last) = words.split_at(first);
        let (first, last) = (first.join(" "), last.join(" "));
        let begins = |text: String| fits(&letters(name), &[text, String::new()]);
        begins(format!("{last}, {first}")) || begins(format!("{last},{first}"))
    })
}

/// Whether all of a text is these pieces with anything between them.
fn fits(text: &[(char, String)], pieces: &[String]) -> bool {
    let Some((first, rest)) = pieces.split_first() else {
        return false;
    };
    let first = letters(first);
    let begins = text.len() >= first.len() && agree(text, &first);
    if rest.is_empty() {
        return begins && text.len() == first.len();
    }
    let after = text.get(first.len()..).unwrap_or_default();
    let mut starts = 0..=after.len();
    begins && starts.any(|start| fits(&after[start..], rest))
}

/// Whether letters are the wanted ones, as far as both go.
fn agree(have: &[(char, String)], wanted: &[(char, String)]) -> bool {
    have.iter()
        .zip(wanted)
        .all(|((have, accents), (want, wanted))| {
            have == want && (wanted.is_empty() || wanted == accents)
        })
}

/// Contains: capitals do not count; an accent in the part must match, its absence matches any.
pub(crate) fn contains(text: &str, part: &str) -> bool {
    let (text, part) = (letters(text), letters(part));
    (0..=text.len()).any(|start| {
        let rest = &text[start..];
        rest.len() >= part.len() && agree(rest, &part)
    })
}
