//! Pairs of names that may be spellings of one, without comparing every two.
//!
//! Names get keys, and only names with a key in common are compared: the surname with the first
//! letter of the first name in one transliteration; surname and first name in either order; and
//! each way to leave one letter out, which two names that differ in one letter have in common.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use rayon::prelude::*;
use tabiya_chess::text::folded;

use super::{likeness::Likeness, sounds};
use crate::report::person::{self, Reading, given_fit};

/// Names after a name, in the order of first names, that are compared with it.
const NEAR_MAX: usize = 256;
/// Most names with a key that are compared with each other; a key of more says little.
const SHARING_MAX: usize = 64;
/// Fewest letters of a name of which one may be wrong.
const LETTERS_MIN: usize = 9;
/// Most letters of a name whose letters are left out in turn.
const LETTERS_MAX: usize = 64;

/// Two names by their places in the list, the lower first, and in what they are alike.
pub(super) type Pair = (u32, u32, Likeness);

/// A name as it is compared.
struct Spelling {
    readings: Vec<Reading>,
    has_comma: bool,
    /// Surname and first names without spaces; empty if too short or long for wrong letters.
    letters: String,
}

/// Returns pairs of names that may be one person, each once with the strongest likeness.
pub(super) fn of_people(names: &[&str]) -> Vec<Pair> {
    let spellings: Vec<Spelling> = names.par_iter().map(|name| spelling(name)).collect();
    let mut pairs = with_surnames(&spellings);
    pairs.extend(turned(&spellings));
    let letters: Vec<&str> = spellings.iter().map(|one| one.letters.as_str()).collect();
    pairs.extend(with_a_wrong_letter(&letters));
    // Who has a number is told from another one by it, and so is a father from his son.
    pairs.retain(|&(one, other, _)| {
        let both = [one, other].map(|place| names[place as usize]);
        let are_of_two = match both.map(person::generation) {
            [Some(one), Some(other)] => one != other,
            _ => false,
        };
        !are_of_two && !differ_in_a_digit(both)
    });
    once(pairs)
}

/// Returns pairs of names that may be one event, site or round: without capitals, accents, spaces
/// and punctuation they are equal, or one letter differs.
pub(super) fn of_others(names: &[&str]) -> Vec<Pair> {
    let letters: Vec<String> = names.par_iter().map(|name| letters_of(name)).collect();
    let mut by_letters: HashMap<&str, Vec<u32>> = HashMap::new();
    for (place, letters) in (0..).zip(&letters) {
        if !letters.is_empty() {
            by_letters.entry(letters).or_default().push(place);
        }
    }
    let same = by_letters.values();
    let mut pairs: Vec<Pair> = same
        .flat_map(|places| with_first(places, Likeness::Letters))
        .collect();
    let long = letters.iter().map(|letters| {
        let fits = (LETTERS_MIN..=LETTERS_MAX).contains(&letters.len());
        if fits { letters.as_str() } else { "" }
    });
    pairs.extend(with_a_wrong_letter(&long.collect::<Vec<_>>()));
    pairs.retain(|&(one, other, _)| {
        let [one, other] = [one, other].map(|place| names[place as usize]);
        numbering(one) == numbering(other)
    });
    once(pairs)
}

/// Returns the words of a name that tell one of a row from the next: single letters, as of groups,
/// and Roman numbers.
fn numbering(name: &str) -> Vec<String> {
    let folded = folded(name.as_bytes());
    let folded = String::from_utf8_lossy(&folded);
    let words = folded.split(|letter: char| !letter.is_alphanumeric());
    let is_number = |word: &&str| {
        let is_roman = word.bytes().all(|byte| matches!(byte, b'i' | b'v' | b'x'));
        !word.is_empty() && (is_roman || word.chars().nth(1).is_none())
    };
    words.filter(is_number).map(str::to_owned).collect()
}

/// Returns a pair of the first with each of the others.
fn with_first(places: &[u32], likeness: Likeness) -> impl Iterator<Item = Pair> {
    let first = places.first().copied().unwrap_or_default();
    let others = places.iter().skip(1);
    others.map(move |&other| (first.min(other), first.max(other), likeness))
}

fn letters_of(name: &str) -> String {
    let folded = folded(name.as_bytes());
    let folded = String::from_utf8_lossy(&folded);
    folded
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .collect()
}

fn spelling(name: &str) -> Spelling {
    let readings = person::readings(name.as_bytes());
    let has_comma = name.contains(',');
    let letters = match readings.first() {
        // Of initials nothing can be said.
        Some(first) if first.surname.len() > 3 && has_long_word(&first.given) => {
            format!("{},{}", first.surname, first.given.replace(' ', ""))
        }
        _ => String::new(),
    };
    let has_digit = letters.bytes().any(|byte| byte.is_ascii_digit());
    let fits = (LETTERS_MIN..=LETTERS_MAX).contains(&letters.len()) && !has_digit;
    Spelling {
        readings,
        has_comma,
        letters: if fits { letters } else { String::new() },
    }
}

/// Returns whether first names are not only initials.
fn has_long_word(given: &str) -> bool {
    given.split(' ').any(|word| word.chars().nth(2).is_some())
}

/// Returns pairs with the same surname and first names that fit.
fn with_surnames(spellings: &[Spelling]) -> Vec<Pair> {
    let mut blocks: HashMap<(&str, char), Vec<(&str, u32)>> = HashMap::new();
    for (place, spelling) in (0..).zip(spellings) {
        for reading in &spelling.readings {
            // Who has a surname only may be anybody.
            if let Some(initial) = sounds::initial(&reading.given) {
                let block = blocks.entry((&reading.surname, initial)).or_default();
                block.push((&reading.given, place));
            }
        }
    }
    let mut blocks: Vec<Vec<(&str, u32)>> = blocks.into_values().collect();
    blocks.retain(|block| block.len() > 1);
    let pairs = blocks.into_par_iter().flat_map_iter(|mut block| {
        block.sort_unstable();
        let mut pairs = Vec::new();
        for (at, &(given, one)) in block.iter().enumerate() {
            for &(other_given, other) in block[at + 1..].iter().take(NEAR_MAX) {
                if one == other {
                    continue;
                }
                let [first, second] = [one, other].map(|place| &spellings[place as usize]);
                let likeness = if given == other_given {
                    let are_alike = first.has_comma == second.has_comma;
                    Some(if are_alike {
                        Likeness::Letters
                    } else {
                        Likeness::Order
                    })
                } else if given_fit(given, other_given) {
                    let are_long = has_long_word(given) && has_long_word(other_given);
                    Some(Likeness::of_given(are_long))
                } else {
                    sounds::of_given(given, other_given)
                };
                pairs.extend(likeness.map(|likeness| (one.min(other), one.max(other), likeness)));
            }
        }
        pairs
    });
    pairs.collect()
}

/// Returns pairs of names with commas of which one has surname and first name exchanged.
fn turned(spellings: &[Spelling]) -> Vec<Pair> {
    let mut by_names: HashMap<(&str, &str), Vec<u32>> = HashMap::new();
    for (place, spelling) in (0..).zip(spellings) {
        if let (true, [reading]) = (spelling.has_comma, &spelling.readings[..])
            && reading.given.chars().nth(1).is_some()
        {
            let names = (reading.surname.as_str(), reading.given.as_str());
            by_names.entry(names).or_default().push(place);
        }
    }
    let mut pairs = Vec::new();
    for (&(surname, given), places) in &by_names {
        if let Some(others) = by_names.get(&(given, surname)).filter(|_| surname < given) {
            let both: Vec<u32> = places.iter().chain(others).copied().collect();
            pairs.extend(with_first(&both, Likeness::Turned));
        }
    }
    pairs
}

/// Returns pairs of which one has a letter more, another letter, or two letters exchanged. Empty
/// texts have no pair.
fn with_a_wrong_letter(letters: &[&str]) -> Vec<Pair> {
    let number = |text: &str| {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        hasher.finish()
    };
    let keyed = (0..letters.len()).into_par_iter().flat_map_iter(|place| {
        let text = letters[place];
        let without = text
            .char_indices()
            .map(move |(at, letter)| format!("{}{}", &text[..at], &text[at + letter.len_utf8()..]));
        let whole = (!text.is_empty()).then(|| text.to_owned());
        let keys = whole.into_iter().chain(without);
        keys.map(move |key| (number(&key), place as u32))
    });
    let mut keyed: Vec<(u64, u32)> = keyed.collect();
    keyed.par_sort_unstable();
    keyed.dedup();
    let shared: Vec<&[(u64, u32)]> = keyed
        .chunk_by(|(one, _), (other, _)| one == other)
        .filter(|shared| (2..=SHARING_MAX).contains(&shared.len()))
        .collect();
    let pairs = shared.into_par_iter().flat_map_iter(|shared| {
        let mut pairs = Vec::new();
        for (at, &(_, one)) in shared.iter().enumerate() {
            for &(_, other) in &shared[at + 1..] {
                let texts = [one, other].map(|place| letters[place as usize]);
                if strsim::osa_distance(texts[0], texts[1]) == 1 && !differ_in_a_digit(texts) {
                    pairs.push((one, other, Likeness::OneLetter));
                }
            }
        }
        pairs
    });
    pairs.collect()
}

/// Returns whether the digits of two texts differ: they are other rounds or years then.
fn differ_in_a_digit(texts: [&str; 2]) -> bool {
    let [one, other] = texts.map(|text| text.bytes().filter(u8::is_ascii_digit));
    !one.eq(other)
}

/// Sorts pairs and leaves of each the strongest likeness.
fn once(mut pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.par_sort_unstable();
    pairs.dedup_by_key(|&mut (one, other, _)| (one, other));
    pairs
}
