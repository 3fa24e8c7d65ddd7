//! Names for what clients save.

use axum::{
    http::{HeaderValue, header::CONTENT_DISPOSITION},
    response::Response,
};

use crate::params::percent_encoded;

/// Characters of a name.
const CHARACTERS_MAX: usize = 80;
/// Names that Windows keeps for devices.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Returns what a client calls its file, without what some file system does not take or what would
/// make the name look like another one; `games` if nothing is left.
pub(super) fn stem(wanted: Option<&str>) -> String {
    let is_plain = |letter: &char| {
        let is_mark = matches!(letter, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
            || matches!(letter, '\u{2060}'..='\u{206f}' | '\u{feff}');
        !letter.is_control() && !is_mark
    };
    let safe = |letter| match letter {
        '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' | '%' => '-',
        letter => letter,
    };
    let wanted = wanted.unwrap_or_default().chars().filter(is_plain);
    let stem: String = wanted.map(safe).take(CHARACTERS_MAX).collect();
    let stem = stem.trim_matches(|letter: char| letter == '.' || letter.is_whitespace());
    let first = stem.split('.').next().unwrap_or_default().trim_end();
    let lower = first.to_ascii_lowercase();
    let is_port = lower.len() == 4
        && (lower.starts_with("com") || lower.starts_with("lpt"))
        && lower.ends_with(|last: char| last.is_ascii_digit());
    match stem {
        "" => "games".to_owned(),
        _ if is_port || DEVICES.contains(&&*lower) => format!("games {stem}"),
        stem => stem.to_owned(),
    }
}

/// Lets an answer be saved under a name, whatever is in it.
pub(super) fn named(mut response: Response, name: &str) -> Response {
    let plain = |letter: char| match letter {
        ' '..='~' if !matches!(letter, '"' | '\\' | '%') => letter,
        _ => '_',
    };
    let ascii: String = name.chars().map(plain).collect();
    let whole = percent_encoded(name);
    let value = format!("attachment; filename=\"{ascii}\"; filename*=UTF-8''{whole}");
    if let Ok(value) = HeaderValue::from_str(&value) {
        response.headers_mut().insert(CONTENT_DISPOSITION, value);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse;

    #[test]
    fn names_are_such_as_every_file_system_takes() {
        for (wanted, expected) in [
            ("My French", "My French"),
            ("../../etc/passwd", "-..-etc-passwd"),
            ("a\r\nX: b", "aX- b"),
            ("evil\u{202e}gpj.exe", "evilgpj.exe"),
            (
                "<img src=x onerror=alert(1)>",
                "-img src=x onerror=alert(1)-",
            ),
            (" . .. ", "games"),
            ("", "games"),
            ("con", "games con"),
            ("LPT1.x", "games LPT1.x"),
            ("company", "company"),
            ("Zürich ♞", "Zürich ♞"),
        ] {
            assert_eq!(stem(Some(wanted)), expected);
        }
        assert_eq!(stem(None), "games");
        assert_eq!(stem(Some(&"x".repeat(500))).len(), CHARACTERS_MAX);
    }

    #[test]
    fn headers_hold_any_name() {
        let response = named(().into_response(), "Zürich \"♞\".pgn");
        let value = response.headers()[CONTENT_DISPOSITION].to_str();
        let expected = "attachment; filename=\"Z_rich ___.pgn\"; \
                        filename*=UTF-8''Z%C3%BCrich%20%22%E2%99%9E%22.pgn";
        assert_eq!(value.ok(), Some(expected));
    }
}
