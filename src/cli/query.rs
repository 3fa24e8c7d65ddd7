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

impl QueryArgs {
    /// Creates the arguments of a command whose words are databases and a query.
    pub(crate) fn of_words(words: &[OsString]) -> QueryArgs {
        QueryArgs {
            words: words.to_vec(),
            more: Vec::new(),
            query_file: None,
        }
    }
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
    let mut typed = Vec::new();
    for word in words {
        let Some(word) = word.to_str() else {
            return Err(Usage("the query is not valid UTF-8".to_owned()).into());
        };
        // Removes the space that `arguments` has put before a hyphen.
        typed.push(word.strip_prefix(" -").map_or(word, |_| &word[1..]));
    }
    let text = if cfg!(windows) {
        without_cmd_quotes(&typed)
    } else {
        typed.join(" ")
    };
    text.parse()
        .map_err(|fault| TextFault::of(&text, fault).into())
}

/// Joins the words of a query, without the single quotes around all of it that cmd.exe hands on and
/// other shells take away. A word with a space has been in double quotes, and quotes in it are the
/// query's own.
fn without_cmd_quotes(words: &[&str]) -> String {
    let text = words.join(" ");
    let inner = text
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''));
    let is_of_shell = |inner: &&str| {
        !inner.contains('\'') && !words.iter().any(|word| word.contains(char::is_whitespace))
    };
    inner.filter(is_of_shell).map(str::to_owned).unwrap_or(text)
}

/// Parses a query from a file.
fn of_file(path: &Path) -> anyhow::Result<Query> {
    let text = text_of(path, QUERY_BYTES_MAX + 1)?;
    Query::with_comments(&text).map_err(|fault| {
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
    let text = String::from_utf8(bytes_of(path, bytes_max)?);
    text.map_err(|_| Usage(format!("{}: not valid UTF-8", shown(path))).into())
}

/// Reads the bytes of a text file, or standard input for `-`, up to `bytes_max`.
pub(crate) fn bytes_of(path: &Path, bytes_max: usize) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = opened(path)?.take(bytes_max as u64).read_to_end(&mut bytes);
    read.with_context(|| shown(path))?;
    // Some Windows editors write a byte order mark.
    let mark = "\u{feff}".as_bytes();
    if bytes.starts_with(mark) {
        bytes.drain(..mark.len());
    }
    Ok(bytes)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_in_single_quotes_of_cmd_is_the_query() {
        assert_eq!(
            without_cmd_quotes(&["'player:morphy", "at(mate)'"]),
            "player:morphy at(mate)"
        );
        assert_eq!(without_cmd_quotes(&["'morphy'"]), "morphy");
        for kept in [
            &["'Magnus Carlsen'"][..],
            &["'a", "b'", "c"],
            &["'a'", "'b'"],
            &["'"],
            &[],
        ] {
            assert_eq!(without_cmd_quotes(kept), kept.join(" "));
        }
    }
}
