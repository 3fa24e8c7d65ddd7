//! Suggestions for mistyped words.

/// Longer words are not mistyped fields, and comparing them is slow.
const CHARS_MAX: usize = 24;

/// Names used elsewhere, and the name of the same field here.
const SYNONYMS: [(&str, &str); 13] = [
    ("colour", "stm"),
    ("color", "stm"),
    ("game", "number"),
    ("id", "number"),
    ("length", "plies"),
    ("name", "player"),
    ("place", "site"),
    ("position", "fen"),
    ("setup", "start"),
    ("side", "stm"),
    ("tournament", "event"),
    ("tomove", "stm"),
    ("turn", "stm"),
];

/// Returns the candidate with the fewest typing mistakes against `word`, if there are at most one
/// for every three characters. A word of two letters may have one.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let chars = word.chars().take(CHARS_MAX + 1).count();
    if chars > CHARS_MAX {
        return None;
    }
    let word = word.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&word, candidate), candidate))
        .filter(|(mistakes, _)| *mistakes <= (chars / 3).max(1) && *mistakes < chars)
        .min_by_key(|(mistakes, _)| *mistakes)
        .map(|(_, candidate)| candidate)
}

/// Returns the field that other programs call by this name.
pub(super) fn synonym(word: &str) -> Option<&'static str> {
    SYNONYMS
        .iter()
        .find(|(other, _)| word.eq_ignore_ascii_case(other))
        .map(|(_, ours)| *ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_suggested_and_far_ones_are_not() {
        let fields = ["elo", "eco", "event", "white"];
        assert_eq!(nearest("ELOW", fields), Some("elo"));
        assert_eq!(nearest("wihte", fields), Some("white"));
        assert_eq!(nearest("carlsen", fields), None);
        assert_eq!(nearest(&"e".repeat(1_000_000), fields), None);
        assert_eq!(synonym("Tournament"), Some("event"));
    }
}
