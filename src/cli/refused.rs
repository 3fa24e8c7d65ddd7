//! Options that some commands have and others refuse, with the reason.

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

/// Why a command does not have an option of its sisters: the option with its short form, the
/// commands (all others if there are none), the reason.
const REASONS: [(&[&str], &[&str], &str); 11] = [
    (
        &["--limit", "-n"],
        &["show"],
        "the numbers say which games are shown",
    ),
    (
        &["--limit", "-n"],
        &["verify", "repair", "index", "dedupe"],
        "it goes through all games",
    ),
    (
        &["--limit", "-n"],
        &[],
        "it lists nothing of which there could be fewer",
    ),
    (
        &["--force"],
        &["index"],
        "it replaces nothing but the sidecar, and always does",
    ),
    (
        &["--force"],
        &[],
        "it writes no database that could replace another",
    ),
    (
        &["--sort"],
        &["show"],
        "games are shown in the order of their numbers as they are given",
    ),
    (&["--sort"], &[], "what it prints has an order of its own"),
    (&["--offset"], &[], "only `search` has pages"),
    (
        &["--output", "-o"],
        &["convert", "repair"],
        "the new database is the last argument",
    ),
    (
        &["--output", "-o"],
        &[],
        "`search -o`, `dedupe -o`, `convert` and `repair` write databases; a shell writes what is \
         printed into a file with `>`",
    ),
    (
        &["--query"],
        &[],
        "the words after the database are the query, in commands that take one",
    ),
];

/// Returns why a command refuses an option that other commands have.
pub(crate) fn why(error: &Error) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let command = std::env::args().find(|word| is_command(word))?;
    let reason = reason(&command, option)?;
    Some(format!("`{command}` takes no {option}: {reason}"))
}

fn is_command(word: &str) -> bool {
    use clap::CommandFactory as _;
    super::args::Cli::command().find_subcommand(word).is_some()
}

fn reason(command: &str, option: &str) -> Option<&'static str> {
    let mut reasons = REASONS.iter().filter(|(options, commands, _)| {
        options.contains(&option) && (commands.is_empty() || commands.contains(&command))
    });
    reasons.next().map(|(.., reason)| *reason)
}
