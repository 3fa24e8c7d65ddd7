//! Regular expressions in queries: `event:/ch\b/`.

use regex::{Regex, RegexBuilder};

/// The greatest number of characters of a regular expression.
const CHARS_MAX: usize = 1000;
/// The greatest size of a compiled one, in bytes.
const SIZE_MAX: usize = 1 << 20;

/// Compiles a regular expression. Capitals are ignored unless it begins with `(?-i)`.
///
/// # Errors
/// What is wrong with it, in one line.
pub(crate) fn compile(text: &str) -> Result<Regex, String> {
    if text.chars().count() > CHARS_MAX {
        return Err(format!(
            "this regular expression is longer than {CHARS_MAX} characters"
        ));
    }
    let built = RegexBuilder::new(text)
        .case_insensitive(true)
        .size_limit(SIZE_MAX)
        .build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => "this regular expression is too large".to_owned(),
        other => {
            let text = other.to_string();
            let last = text.lines().last().unwrap_or_default();
            let reason = last.strip_prefix("error: ").unwrap_or(last);
            format!("this regular expression cannot be read: {reason}")
        }
    })
}
