//! Options that some commands have and others refuse, with the reason, and words that people take
//! for commands.

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

/// Words that other programs have for what a command does, and what does it here.
const MEANT: [(&[&str], &str); 16] = [
    (
        &["merge", "join", "combine", "concat", "cat"],
        "`tabiya convert A B NEW` writes the games of A and B into a new database, and `tabiya add \
         A B` adds those of B to A",
    ),
    (
        &["delete", "del", "rm", "drop", "erase"],
        "`tabiya remove BASE QUERY` marks games as deleted",
    ),
    (
        &["enter", "create", "init"],
        "`tabiya new BASE` makes a database, `tabiya add BASE -` and `tabiya replace BASE NUMBER \
         -` read a game as PGN, and `tabiya explore --write FOLDER` takes games from a board",
    ),
    (
        &["import", "append", "insert"],
        "`tabiya add BASE FILE` adds games to a database",
    ),
    (
        &["export", "save", "copy", "extract", "filter"],
        "`tabiya search BASE QUERY -o NEW` writes the games that match, and `tabiya convert` all",
    ),
    (
        &["find", "query", "grep", "list", "select"],
        "`tabiya search BASE QUERY` lists games",
    ),
    (
        &["count"],
        "`tabiya search BASE QUERY --count` counts games, and `tabiya stats` tells more",
    ),
    (
        &["rename", "set", "tag", "flag", "update"],
        "`tabiya edit` changes headers and flags: --set, --rename, --flag",
    ),
    (
        &["purge", "vacuum", "pack", "cleanup"],
        "`tabiya compact BASE` leaves out what is marked as deleted",
    ),
    (
        &["revert", "restore", "rollback"],
        "`tabiya undo BASE` takes the last change back",
    ),
    (
        &["doubles", "doublets", "twins", "dups", "unique"],
        "`tabiya duplicates BASE` lists games that are there twice, and `tabiya dedupe` leaves \
         them out",
    ),
    (
        &["check", "validate", "test"],
        "`tabiya verify BASE` decodes every game",
    ),
    (
        &["fix", "recover"],
        "`tabiya repair BASE NEW` saves what can be read",
    ),
    (
        &["sort", "split"],
        "`tabiya convert` does it: --sort KEY, --split event",
    ),
    (
        &["gui", "view", "open", "play", "serve", "browse"],
        "`tabiya explore BASE` shows databases in the browser",
    ),
    (
        &["players", "events", "sites"],
        "`tabiya names BASE` lists them: --kind player, event, site",
    ),
];

/// Returns what does what a word stands for that is no command.
fn meant(error: &Error) -> Option<String> {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    let mut all = MEANT.iter();
    let (_, told) = all.find(|(words, _)| words.contains(&word.as_str()))?;
    Some(format!("there is no command `{word}`: {told}"))
}

/// Returns why a command refuses an option that other commands have, or what does what somebody
/// wanted from a command that is not there.
pub(crate) fn why(error: &Error) -> Option<String> {
    if error.kind() == ErrorKind::InvalidSubcommand {
        return meant(error);
    }
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
