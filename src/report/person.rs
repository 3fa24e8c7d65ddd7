//! Names of people, read so that spellings of the same name can be compared.
//!
//! Capitals, accents, spaces and punctuation do not count; `ae`, `oe` and `ue` read as `a`, `o`
//! and `u`, so that `Müller`, `Mueller` and `Muller` are one. What stands in brackets and
//! [titles](TITLES) are set aside.
//!
//! A comma says which part is the surname. Without one it may be the last words or the first, or
//! all of them, so that such a name has several [readings](Reading). A name with a number (an
//! engine) is compared whole.

use tabiya_chess::text::folded;

/// Words that are no part of a name.
const TITLES: [&str; 20] = [
    "gm", "im", "fm", "cm", "nm", "wgm", "wim", "wfm", "wcm", "wnm", "dr", "prof", "jr", "sr",
    "ii", "iii", "iv", "mr", "mrs", "ms",
];

/// Titles that tell a parent from a child of the same name.
const GENERATIONS: [&str; 5] = ["jr", "sr", "ii", "iii", "iv"];

/// Most words that a name without a comma may have to be divided; longer ones are compared whole.
const DIVIDED_WORDS_MAX: usize = 6;

/// Most bytes of a name that are read.
const NAME_BYTES_MAX: usize = 256;

/// One way to read a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reading {
    /// All letters of the surname.
    pub(crate) surname: String,
    /// The first names or initials, with single spaces; empty if there is none.
    pub(crate) given: String,
}

/// Returns whether two names may be one person's: in some readings the surname is the same and the
/// first names fit.
pub(crate) fn fit(ones: &[Reading], others: &[Reading]) -> bool {
    let both = |one: &Reading, other: &Reading| {
        one.surname == other.surname && given_fit(&one.given, &other.given)
    };
    ones.iter()
        .any(|one| others.iter().any(|other| both(one, other)))
}

/// Returns the ways to read a name: at least one, unless it says nothing, as `?` does.
pub(crate) fn readings(name: &[u8]) -> Vec<Reading> {
    readings_of_folded(&folded(&name[..name.len().min(NAME_BYTES_MAX)]))
}

/// Returns the same of a name that is folded already.
pub(crate) fn readings_of_folded(folded: &[u8]) -> Vec<Reading> {
    let folded = String::from_utf8_lossy(&folded[..folded.len().min(NAME_BYTES_MAX)]);
    let text = without_brackets(&folded);
    let (surname, given) = match text.split_once(',') {
        Some((surname, given)) => (words(surname), Some(words(given))),
        None => (words(&text), None),
    };
    match (surname.is_empty(), given) {
        (true, None) => Vec::new(),
        // Nothing stands before the comma.
        (true, Some(given)) => undivided(given),
        (false, Some(given)) => vec![reading(&surname, &given)],
        (false, None) => undivided(surname),
    }
}

/// Returns the ways to read words without a comma.
fn undivided(words: Vec<String>) -> Vec<Reading> {
    if words.is_empty() {
        return Vec::new();
    }
    let whole = reading(&words, &[]);
    let is_number = |word: &String| word.starts_with(|letter: char| letter.is_ascii_digit());
    if words.len() > DIVIDED_WORDS_MAX || words.iter().any(is_number) {
        return vec![whole];
    }
    let divided = (1..words.len()).flat_map(|at| {
        let (before, after) = words.split_at(at);
        [reading(after, before), reading(before, after)]
    });
    // A single letter is no surname.
    let divided = divided.filter(|reading| reading.surname.chars().nth(1).is_some());
    divided.chain([whole.clone()]).collect()
}

fn reading(surname: &[String], given: &[String]) -> Reading {
    Reading {
        surname: surname.concat(),
        given: given.join(" "),
    }
}

/// Returns the words of a folded name without titles, unless nothing else is there.
fn words(text: &str) -> Vec<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || is_apostrophe(letter);
    let all = text.split(|letter| !is_part(letter));
    let mut all: Vec<String> = all.map(plain).filter(|word| !word.is_empty()).collect();
    let is_title = |word: &String| TITLES.contains(&word.as_str());
    if all.iter().all(is_title) {
        // The last is a name: `Wim` is one.
        return all.pop().into_iter().collect();
    }
    all.into_iter().filter(|word| !is_title(word)).collect()
}

/// Returns which of several of the same name somebody is, `jr` or `sr`; `None` if the name does not
/// tell.
pub(crate) fn generation(name: &str) -> Option<&'static str> {
    let mut words = name.split(|letter: char| !letter.is_alphanumeric());
    let known = |word: &str| {
        let mut all = GENERATIONS.iter();
        all.find(|known| known.eq_ignore_ascii_case(word)).copied()
    };
    words.find_map(known)
}

fn is_apostrophe(letter: char) -> bool {
    matches!(letter, '\'' | '’' | '‘' | '`' | '´')
}

/// Returns a word in the form in which words are compared.
fn plain(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    for letter in word.chars().filter(|&letter| !is_apostrophe(letter)) {
        let is_umlaut = letter == 'e' && plain.ends_with(['a', 'o', 'u']);
        match letter {
            _ if is_umlaut => {}
            'æ' => plain.push('a'),
            'œ' => plain.push('o'),
            letter => plain.push(letter),
        }
    }
    plain
}

/// Returns a text without what stands in brackets, unless that is all.
fn without_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    let outside: String = text
        .chars()
        .filter(|letter| match letter {
            '(' | '[' => {
                depth += 1;
                false
            }
            ')' | ']' => {
                depth = depth.saturating_sub(1);
                false
            }
            _ => depth == 0,
        })
        .collect();
    if outside.trim().is_empty() {
        text.to_owned()
    } else {
        outside
    }
}

/// Returns whether first names or initials may be those of one person: one of them is missing, or
/// each name begins the other's in the same place, or they are the same letters divided otherwise,
/// or one is the initials of the other, as `rj` of `robert james`.
pub(crate) fn given_fit(one: &str, other: &str) -> bool {
    if one.is_empty() || other.is_empty() || one == other {
        return true;
    }
    let begins = |one: &str, other: &str| one.starts_with(other) || other.starts_with(one);
    let in_place = one
        .split(' ')
        .zip(other.split(' '))
        .all(|(one, other)| begins(one, other));
    in_place
        || begins(&one.replace(' ', ""), &other.replace(' ', ""))
        || are_initials(one, other)
        || are_initials(other, one)
}

/// Returns whether a word of two or three letters is the initials of as many names.
fn are_initials(word: &str, names: &str) -> bool {
    let count = word.chars().count();
    let mut initials = names.split(' ').filter_map(|name| name.chars().next());
    (2..=3).contains(&count) && word.chars().all(|letter| initials.next() == Some(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether some reading of the one fits some of the other.
    fn fit(one: &str, other: &str) -> bool {
        super::fit(&readings(one.as_bytes()), &readings(other.as_bytes()))
    }

    #[test]
    fn umlauts_are_the_same_in_all_spellings() {
        for name in [
            "Mueller, K",
            "Muller, Karsten",
            "MÜLLER,K.",
            "M\u{fc}ller K",
        ] {
            assert!(fit("Müller, Karsten", name), "{name}");
        }
        assert!(fit("Jørgensen, B", "Joergensen, Bo") && fit("Groß, S", "Gross, Stefan"));
        assert!(!fit("Müller, Karsten", "Miller, Karsten"));
    }

    #[test]
    fn names_are_the_same_in_either_order() {
        for name in [
            "Magnus Carlsen",
            "Carlsen Magnus",
            "Carlsen M.",
            "M. Carlsen",
            "Carlsen",
        ] {
            assert!(fit("Carlsen, Magnus", name), "{name}");
        }
        assert!(fit("Magnus Carlsen", "Carlsen M") && fit("Jan van der Berg", "Van der Berg, J"));
        // A comma says which is the surname.
        assert!(!fit("Carlsen, Magnus", "Magnus, Carlsen"));
        assert!(!fit("Henrik Carlsen", "Carlsen, Magnus"));
    }

    #[test]
    fn titles_and_brackets_are_set_aside() {
        for name in [
            "GM Magnus Carlsen",
            "Carlsen, GM Magnus",
            "Carlsen, M (NOR)",
            "Dr. Carlsen",
        ] {
            assert!(fit("Carlsen, Magnus", name), "{name}");
        }
        assert!(fit("Smith, John Jr.", "Smith, John") && fit("King, Jr., Tom", "King, T"));
        // A title may be a name.
        assert!(fit("Im, Ho", "Im, H") && !fit("Im, Ho", "Fm, Ho"));
        assert!(fit("Heemskerk, FM Wim", "Heemskerk, W") && !fit("Heemskerk, Wim", "Heemskerk, F"));
    }

    #[test]
    fn initials_fit_first_names() {
        let fits = |one: &str, other: &str| fit(&format!("X, {one}"), &format!("X, {other}"));
        assert!(fits("R", "Robert James") && fits("RJ", "Robert James") && fits("R.J.", "Robert"));
        assert!(fits("Jean-Pierre", "J-P") && fits("Xiangzhi", "Xiang Zhi"));
        assert!(fits("", "Robert") && fits("Alex", "Alexander"));
        assert!(!fits("J", "Robert James") && !fits("R.M.", "Robert James"));
        assert!(!fits("Alexey", "Alexander"));
    }

    #[test]
    fn a_name_that_says_nothing_has_no_reading() {
        for name in ["", "?", " ,", "-", "...", "()"] {
            assert_eq!(readings(name.as_bytes()), [], "{name}");
        }
        assert!(!fit("?", "?"));
    }

    #[test]
    fn names_with_numbers_are_compared_whole() {
        assert!(!fit("Stockfish 1", "Stockfish 10") && !fit("Stockfish 10", "Stockfish 11"));
        assert!(fit("Stockfish 10", "stockfish-10") && fit("DrN2", "drn2"));
        // Namesakes are numbered.
        assert!(fit("Chao2 Li", "Li, Chao2") && !fit("Li, Chao1", "Li, Chao2"));
    }

    #[test]
    fn long_and_strange_names_cost_little() {
        let long = "(a b, ".repeat(1 << 16);
        assert!(readings(long.as_bytes()).len() < 16);
        assert!(!readings(b"\xff\xfe, \xe9").is_empty());
    }
}
