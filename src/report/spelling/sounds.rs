//! First names that are one, written from another alphabet in different ways, or with one letter
//! wrong.

use super::likeness::Likeness;
use crate::report::person::given_fit;

/// Fewest letters of first names that are compared by sound.
const LETTERS_MIN: usize = 4;
/// Fewest letters of a first name of which one may be wrong.
const WRONG_LETTERS_MIN: usize = 5;

/// Letters that stand for the same, in the order in which they are exchanged.
const SAME: [(&str, &str); 6] = [
    ("kh", "h"),
    ("ph", "f"),
    ("x", "ks"),
    ("ck", "k"),
    ("w", "v"),
    ("ou", "u"),
];

/// Returns in what two different first names of the same surname are alike, besides beginnings and
/// initials: their first words are one in another transliteration, or one letter differs.
pub(super) fn of_given(one: &str, other: &str) -> Option<Likeness> {
    let divided = |given| -> (String, String) {
        let (first, rest) = str::split_once(given, ' ').unwrap_or((given, ""));
        (first.to_owned(), rest.to_owned())
    };
    let ((one, one_rest), (other, other_rest)) = (divided(one), divided(other));
    let shortest = one.chars().count().min(other.chars().count());
    if !given_fit(&one_rest, &other_rest) || shortest < LETTERS_MIN {
        return None;
    }
    let [first, second] = [&one, &other].map(|word| plain(word));
    if first == second {
        return Some(Likeness::Transliteration);
    }
    // Valeri and Valeria are two people.
    let are_of_two = first.ends_with('a') != second.ends_with('a');
    let is_wrong = strsim::osa_distance(&first, &second) == 1 && !are_of_two;
    (is_wrong && shortest >= WRONG_LETTERS_MIN).then_some(Likeness::OneLetter)
}

/// Returns the first letter of a first name, the same in all transliterations.
pub(super) fn initial(given: &str) -> Option<char> {
    let first = given.chars().next()?;
    Some(if matches!(first, 'y' | 'j') {
        'i'
    } else {
        first
    })
}

/// Returns a folded word in one transliteration: `mikhail` and `mihail`, `anatoly` and `anatolij`,
/// `jewgenij` and `evgeny` become one.
fn plain(word: &str) -> String {
    let mut text = word.to_owned();
    for (from, to) in SAME {
        text = text.replace(from, to);
    }
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        let letter = match letter {
            'y' | 'j' => 'i',
            letter => letter,
        };
        if letter == 'e' && plain.ends_with('i') {
            plain.pop();
        }
        if !plain.ends_with(letter) {
            plain.push(letter);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_names_are_one_in_all_transliterations() {
        for (one, other) in [
            ("mikhail", "mihail"),
            ("anatoly", "anatolij"),
            ("anatoli", "anatolii"),
            ("jewgenij", "evgeny"),
            ("alexei", "aleksey"),
            ("yuri", "jurij"),
            ("sergei tomas", "sergey t"),
        ] {
            let found = of_given(one, other);
            assert_eq!(found, Some(Likeness::Transliteration), "{one}, {other}");
        }
        assert_eq!(initial("yuri"), initial("iouri"));
    }

    #[test]
    fn a_letter_more_or_another_is_no_other_first_name() {
        for (one, other) in [
            ("mikhail", "mikhal"),
            ("mihail", "mikhal"),
            ("michael", "micheal"),
        ] {
            assert_eq!(of_given(one, other), Some(Likeness::OneLetter), "{one}");
        }
        for (one, other) in [
            ("valeri", "valeria"),
            ("hans", "hens"),
            ("mikhail", "maxim"),
            ("mikhail a", "mikhal b"),
        ] {
            assert_eq!(of_given(one, other), None, "{one}, {other}");
        }
    }
}
