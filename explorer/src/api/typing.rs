//! What somebody is typing: the word of a query before the cursor.

/// The word before the cursor.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Typing<'q> {
    /// Where the word begins and ends, in bytes. It goes on after the cursor.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether it stands inside `at( ... )`.
    pub(super) inside_at: bool,
    pub(super) word: Word<'q>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Word<'q> {
    /// A word without an operator, up to the cursor.
    Bare(&'q str),
    /// A text in quotes without a field.
    Quoted,
    /// A field, its operator, and the value up to the cursor, without quotes.
    Clause(&'q str, &'q str, String),
}

const OPERATORS: [char; 5] = [':', '=', '!', '<', '>'];

/// Reads a query up to the cursor, which must stand between characters.
pub(super) fn typing(query: &str, cursor: usize) -> Typing<'_> {
    let (before, after) = query.split_at(cursor);
    let (mut start, mut brackets, mut in_quotes, mut escaped) = (0, Vec::new(), false, false);
    for (at, letter) in before.char_indices() {
        let next = at + letter.len_utf8();
        if in_quotes {
            let closes = letter == '"' && !escaped;
            escaped = letter == '\\' && !escaped;
            if closes {
                (in_quotes, start) = (false, next);
            }
            continue;
        }
        match letter {
            '"' => in_quotes = true,
            '(' => {
                let is_at = before[start..at].trim().eq_ignore_ascii_case("at");
                brackets.push(is_at || brackets.last() == Some(&true));
                start = next;
            }
            ')' => {
                brackets.pop();
                start = next;
            }
            '-' if before[start..at].is_empty() => start = next,
            // A space may stand between an operator and its value.
            _ if letter.is_whitespace() && !before[start..at].trim_end().ends_with(OPERATORS) => {
                start = next;
            }
            _ => {}
        }
    }
    let word = &before[start..];
    let lead = word.len() - word.trim_start().len();
    Typing {
        start: start + lead,
        end: cursor + rest_of_word(after),
        inside_at: brackets.last() == Some(&true),
        word: read(&word[lead..]),
    }
}

/// Returns how far the word goes on after the cursor.
fn rest_of_word(after: &str) -> usize {
    let ends = |letter: char| letter.is_whitespace() || "()".contains(letter);
    let length = after.find(ends).unwrap_or(after.len());
    match after[..length].find('"') {
        Some(quote) => quote + 1,
        None => length,
    }
}

fn read(word: &str) -> Word<'_> {
    let quote = word.find('"').unwrap_or(word.len());
    let Some(at) = word[..quote].find(OPERATORS) else {
        return if quote < word.len() {
            Word::Quoted
        } else {
            Word::Bare(word)
        };
    };
    let (field, rest) = word.split_at(at);
    let value = rest.trim_start_matches(OPERATORS);
    let operator = &rest[..rest.len() - value.len()];
    let value = value.trim_start();
    let value = value
        .strip_prefix('"')
        .map_or_else(|| value.to_owned(), unescaped);
    Word::Clause(field.trim_end(), operator, value)
}

/// Takes the backslashes out of what stands between quotation marks.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let escaped = letters.next_if(|next| letter == '\\' && "\"\\*".contains(*next));
        plain.push(escaped.unwrap_or(letter));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a query with a `|` where the cursor is; returns the word's text and what it is.
    fn at(text: &str) -> (String, String) {
        let cursor = text.find('|').expect("a cursor");
        let query = text.replacen('|', "", 1);
        let typing = typing(&query, cursor);
        let inside = if typing.inside_at { "at " } else { "" };
        let word = match typing.word {
            Word::Bare(word) => format!("bare {word}"),
            Word::Quoted => "quoted".to_owned(),
            Word::Clause(field, operator, value) => format!("{field} {operator} {value}"),
        };
        (
            query[typing.start..typing.end].to_owned(),
            format!("{inside}{word}"),
        )
    }

    #[test]
    fn the_word_before_the_cursor_is_found() {
        for (text, word, what) in [
            ("|", "", "bare "),
            ("pla|", "pla", "bare pla"),
            ("year>=2000 pla|", "pla", "bare pla"),
            ("pl|ayer:x", "player:x", "bare pl"),
            ("player:car|", "player:car", "player : car"),
            ("player: car|", "player: car", "player : car"),
            ("white!=\"Tal, M|", "white!=\"Tal, M", "white != Tal, M"),
            ("white:\"Ta|l\" year>=1960", "white:\"Tal\"", "white : Ta"),
            ("white:\"Tal\" |", "", "bare "),
            ("white:\"Tal\"x|", "x", "bare x"),
            ("white:\"a \\\" b|", "white:\"a \\\" b", "white : a \" b"),
            ("-eve|", "eve", "bare eve"),
            ("at(stm:w|)", "stm:w", "at stm : w"),
            ("at((Q=0 or che|))", "che", "at bare che"),
            ("at(check) eve|", "eve", "bare eve"),
            ("(at(check) pl|", "pl", "bare pl"),
            ("\"carls|", "\"carls", "quoted"),
            ("opening=ñ|", "opening=ñ", "opening = ñ"),
            (")))((|", "", "bare "),
        ] {
            assert_eq!(at(text), (word.to_owned(), what.to_owned()), "{text}");
        }
    }

    #[test]
    fn every_cursor_in_every_text_has_a_word_around_it() {
        let text = "at(\"ä\\\"(\") -x:=\"ö (é\\\\\" )) \u{3000}white : \"q";
        for cursor in (0..=text.len()).filter(|&at| text.is_char_boundary(at)) {
            let typing = typing(text, cursor);
            assert!(
                typing.start <= cursor && cursor <= typing.end,
                "{cursor}: {typing:?}"
            );
            assert!(text.get(typing.start..typing.end).is_some(), "{cursor}");
        }
    }
}
