//! Help that is longer than the screen is shown by a pager.

use std::{
    env,
    io::{self, IsTerminal as _, Write as _},
    process::{Command, Stdio},
};

/// What shows long texts unless `PAGER` says otherwise, and what it is told: to end at once when
/// all fits, to leave colours and the screen as they are.
const PAGER: &str = "less";
const LESS: &str = "FRX";

/// Shows a text page by page, if somebody looks at standard output and it is longer than the
/// screen. Tells whether that was done.
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
        // Whoever leaves the pager early has seen enough.
        let _ = input.write_all(text.as_bytes());
    }
    child.wait().is_ok()
}
