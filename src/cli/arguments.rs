//! Preprocesses the arguments of the process.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
};

use clap::CommandFactory as _;
use tabiya::format::{has_database_name, stands_for_database};

use super::args::Cli;

/// Commands whose arguments contain a query.
pub(crate) const QUERYING: [&str; 6] = ["search", "tree", "lines", "explain", "stats", "novelty"];

/// The command that hands its arguments on.
pub(crate) const EXPLORE: &str = "explore";

/// Returns the arguments of the process, with a space before each negated condition such as
/// `-result:draw`, so that it is not parsed as an option. All options except `-h`, `-n 9`, `-q` and
/// `-V` begin with two hyphens, and a space before a condition has no meaning. A single database
/// argument is treated as `info`.
pub(crate) fn arguments() -> Vec<OsString> {
    let mut all: Vec<OsString> = wild::args_os().collect();
    if let [_, path] = &all[..]
        && is_database(path)
    {
        all.insert(1, "info".into());
        all.push("--what-next".into());
        return all;
    }
    if let [_, command, first, ..] = &all[..]
        && command == EXPLORE
    {
        if first != "--help" && first != "-h" {
            // Options too are for the program that it starts.
            all.insert(2, "--".into());
        }
        return all;
    }
    let has_query = all.get(1).and_then(|command| command.to_str());
    if !has_query.is_some_and(|command| QUERYING.contains(&command)) {
        return all;
    }
    for argument in all.iter_mut().take_while(|argument| *argument != "--") {
        let bytes = argument.as_encoded_bytes();
        let is_limit =
            |bytes: &[u8]| bytes.starts_with(b"-n") && bytes[2..].iter().all(u8::is_ascii_digit);
        if bytes.len() > 2
            && bytes.starts_with(b"-")
            && !bytes.starts_with(b"--")
            && !is_limit(bytes)
        {
            let mut spaced = OsString::from(" ");
            spaced.push(&*argument);
            *argument = spaced;
        }
    }
    all
}

/// Returns whether an argument is a database or a folder rather than a command.
fn is_database(argument: &OsStr) -> bool {
    let is_command = argument.to_str().is_some_and(|name| {
        name.starts_with('-') || Cli::command().find_subcommand(name).is_some()
    });
    let path = Path::new(argument);
    !is_command && (has_database_name(path) || stands_for_database(path) || path.is_dir())
}
