//! Shows help that is longer than the screen in a pager.

use std::{
    env,
    io::{self, IsTerminal as _, Write as _},
    process::{Command, Stdio},
};

/// The pager used unless `PAGER` is set, and its options: quit if everything fits, keep colours,
/// keep the screen.
const PAGER: &str = "less";
const LESS: &str = "FRX";

/// Shows a text in a pager, if standard output is a terminal and the text is longer than the
/// screen. Returns whether it was shown.
pub(crate) fn show(text: &str) -> bool {
    if !io::stdout().is_terminal() {
        return false;
    }
    let rows = console::Term::stdout().size_checked();
    if rows.is_some_and(|(rows, _)| text.lines().count() < rows.into()) {
        return false;
    }
    let pager = env::var("PAGER").unwrap_or_else(|_| PAGER.to_owned());
    let mut words = pager.split_whitespace();
    let Some(program) = words.next() else {
        return false;
    };
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped());
    if env::var_os("LESS").is_none() {
        command.env("LESS", LESS);
    }
    let Ok(mut child) = command.spawn() else {
        return false;
    };
    if let Some(mut input) = child.stdin.take() {
        // An error means that the user has left the pager early.
        let _ = input.write_all(text.as_bytes());
    }
    child.wait().is_ok()
}
