//! The kinds of tournaments, in words as in PGN.

/// Words for bits 0 to 4 of a tournament's kind.
pub(crate) const KINDS: [&str; 9] = [
    "", "game", "match", "tourn", "swiss", "team", "k.o.", "simul", "schev",
];
/// Words for the other bits.
pub(crate) const SPEEDS: [(u8, &str); 3] = [(1 << 5, "blitz"), (1 << 6, "rapid"), (1 << 7, "corr")];

/// Returns a tournament's kind in words: bits 0 to 4 are its kind, bits 5 to 7 blitz, rapid,
/// correspondence.
pub(crate) fn event_type(code: u8) -> String {
    let kind = KINDS.get(usize::from(code & 31)).copied().unwrap_or("");
    let speed = SPEEDS.iter().find(|(bit, _)| code & bit != 0);
    match (kind, speed) {
        (kind, None) => kind.to_owned(),
        ("", Some((_, speed))) => (*speed).to_owned(),
        (kind, Some((_, speed))) => format!("{kind} ({speed})"),
    }
}

/// Parses words for a tournament's kind: `swiss`, `tourn (rapid)`, `blitz`.
pub(crate) fn event_type_of(words: &str) -> Option<u8> {
    let speed = |word: &str| SPEEDS.iter().find(|(_, known)| *known == word);
    if let Some((bit, _)) = speed(words) {
        return Some(*bit);
    }
    let parts = words
        .strip_suffix(')')
        .and_then(|words| words.split_once(" ("));
    let (kind, bit) = match parts {
        Some((kind, word)) => (kind, speed(word)?.0),
        None => (words, 0),
    };
    let code = KINDS.iter().position(|&known| known == kind)?;
    Some(code as u8 | bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_events_are_words_as_in_pgn() {
        assert_eq!(event_type(0), "");
        assert_eq!(event_type(4), "swiss");
        assert_eq!(event_type(3 | 1 << 6), "tourn (rapid)");
        assert_eq!(event_type(1 << 5), "blitz");
        assert_eq!(event_type(31), "");
    }
}
