//! Reads the query from the words of the command line and from a file.

use std::{
    ffi::OsString,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::OnceLock,
};

use anyhow::Context as _;
use clap::Args;
use tabiya::{Query, Visible, limits::QUERY_BYTES_MAX};

use super::failure::{TextFault, Usage};

/// A query, in all commands that take one.
#[derive(Debug, Clone, Args)]
pub(crate) struct QueryArgs {
    /// The query; several words make one, none match every game. After `--` everything is query
    #[arg(value_name = "QUERY")]
    pub(crate) words: Vec<OsString>,

    /// The query, whatever it looks like
    #[arg(value_name = "QUERY", last = true, hide = true)]
    pub(crate) more: Vec<OsString>,

    /// Read the query from a file (`-`: standard input); what is typed must hold besides
    ///
    /// A file holds one query, on as many lines as it likes. `#` at the start of a line or after
    /// a space begins a comment, which ends with the line.
    #[arg(long, value_name = "FILE", verbatim_doc_comment)]
    pub(crate) query_file: Option<PathBuf>,
}

/// Reads the query of a command: words and file are combined with `and`.
pub(crate) fn read(args: &QueryArgs) -> anyhow::Result<Query> {
    read_with(&args.words, args)
}

/// Like [`read`], for a command whose words only partly belong to the query.
pub(crate) fn read_with(words: &[OsString], args: &QueryArgs) -> anyhow::Result<Query> {
    let typed = of_words(words.iter().chain(&args.more))?;
    match &args.query_file {
        Some(path) => Ok(of_file(path)?.and(typed)),
        None => Ok(typed),
    }
}

/// Parses a query from words, joined by spaces.
pub(crate) fn of_words<'w>(words: impl Iterator<Item = &'w OsString>) -> anyhow::Result<Query> {
    let mut text = String::new();
    for word in words {
        let Some(word) = word.to_str() else {
            return Err(Usage("the query is not valid UTF-8".to_owned()).into());
        };
        if !text.is_empty() {
            text.push(' ');
        }
        // Removes the space that `arguments` has put before a hyphen.
        text.push_str(word.strip_prefix(" -").map_or(word, |_| &word[1..]));
    }
    text.parse()
        .map_err(|fault| TextFault::of(&text, fault).into())
}

/// Parses a query from a file.
fn of_file(path: &Path) -> anyhow::Result<Query> {
    let text = text_of(path, QUERY_BYTES_MAX + 1)?;
    without_comments(&text).parse().map_err(|fault| {
        let file = Some(shown(path));
        TextFault { text, fault, file }.into()
    })
}

/// Opens a text file, or standard input for `-`.
pub(crate) fn opened(path: &Path) -> anyhow::Result<Box<dyn Read>> {
    if path.as_os_str() == STANDARD_INPUT {
        claim_standard_input()?;
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(path).with_context(|| shown(path))?;
    Ok(Box::new(file))
}

/// Reads a text file, or standard input for `-`, up to `bytes_max` bytes.
pub(crate) fn text_of(path: &Path, bytes_max: usize) -> anyhow::Result<String> {
    let name = shown(path);
    let mut bytes = Vec::new();
    let read = opened(path)?.take(bytes_max as u64).read_to_end(&mut bytes);
    read.with_context(|| name.clone())?;
    // Some Windows editors write a byte order mark.
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    match str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(Usage(format!("{name}: not valid UTF-8")).into()),
    }
}

/// The path for standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// Records that standard input is used. Fails if it already is, since it can be read only once.
pub(crate) fn claim_standard_input() -> anyhow::Result<()> {
    static READ: OnceLock<()> = OnceLock::new();
    READ.set(()).map_err(|()| {
        let what = "standard input cannot be two things: put one of them into a file";
        Usage(what.to_owned()).into()
    })
}

/// Returns the name of a file in messages.
pub(crate) fn shown(path: &Path) -> String {
    if path.as_os_str() == STANDARD_INPUT {
        "standard input".to_owned()
    } else {
        Visible(path.display()).to_string()
    }
}

/// Replaces comments with spaces, so that the rest keeps its offsets. A comment begins with a `#`
/// at the start of a line or after white space, but not inside quotes; moves may end with `#`. It
/// ends with the line.
fn without_comments(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let (mut quoted, mut escaped, mut in_comment) = (false, false, false);
    let mut before = ' ';
    for letter in text.chars() {
        in_comment |= letter == '#' && before.is_whitespace() && !quoted;
        in_comment &= letter != '\n';
        if in_comment {
            clean.extend(std::iter::repeat_n(' ', letter.len_utf8()))
        } else {
            clean.push(letter)
        }
        quoted ^= letter == '"' && !escaped && !in_comment;
        escaped = letter == '\\' && !escaped && quoted;
        before = letter;
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_become_spaces_and_nothing_else_does() {
        for (text, clean) in [
            ("# a\nmate", "   \nmate"),
            ("mate # é \"\nelo>1", "mate       \nelo>1"),
            ("played:Qh7# mate", "played:Qh7# mate"),
            ("event:\"a # b\" #c", "event:\"a # b\"   "),
            ("event:\"a \\\" # b\" #c", "event:\"a \\\" # b\"   "),
            ("mate\r\n#\r\n", "mate\r\n  \n"),
            ("", ""),
        ] {
            assert_eq!(without_comments(text), clean, "{text:?}");
            assert_eq!(clean.len(), text.len());
        }
    }
}
