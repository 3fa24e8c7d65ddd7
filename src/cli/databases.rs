//! Opens databases, and separates them from the query.

use std::{
    ffi::{OsStr, OsString},
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
    sync::OnceLock,
    time::{Duration, Instant},
};

use tabiya::{
    Database, ErrorKind, OpenOptions,
    format::{has_database_name, stands_for_database},
};

use super::{
    failure::Usage,
    output,
    progress::Progress,
    query::{QueryArgs, STANDARD_INPUT, claim_standard_input},
};

/// An open database and its label.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) database: Database,
    /// The stem of its path; the path as typed if two databases share a stem.
    pub(crate) label: String,
}

/// The options for opening databases, from the global options.
static OPTIONS: OnceLock<OpenOptions> = OnceLock::new();

/// Sets the options for opening databases. Only the first call has an effect.
pub(crate) fn set_options(options: OpenOptions) {
    // Never already set: it is called once.
    let _ = OPTIONS.set(options);
}

/// Returns the options for opening databases.
pub(crate) fn options() -> &'static OpenOptions {
    OPTIONS.get_or_init(OpenOptions::new)
}

/// A command that takes longer on a PGN file would be faster with a sidecar.
const PATIENCE: Duration = Duration::from_secs(2);

/// The first PGN file of the command whose sidecar is missing.
static WITHOUT_SIDECAR: OnceLock<PathBuf> = OnceLock::new();

/// Notes that a command reads a file that may be PGN without a sidecar.
pub(crate) fn note_sidecar(path: &Path) {
    let is_pgn = |end: &OsStr| end.eq_ignore_ascii_case("pgn");
    if path.extension().is_some_and(is_pgn) && !path.with_extension("tabiya").exists() {
        // Only the first file is named.
        let _ = WITHOUT_SIDECAR.set(path.to_owned());
    }
}

/// Tells how a command that was slow because of PGN would be faster.
pub(crate) fn tell_of_sidecar(started: Instant) {
    let elapsed = started.elapsed();
    if let Some(path) = WITHOUT_SIDECAR.get()
        && elapsed > PATIENCE
        && io::stderr().is_terminal()
    {
        output::complain(&slow(path, elapsed));
    }
}

/// Returns the line about a slow command.
fn slow(path: &Path, elapsed: Duration) -> String {
    let name = path.display().to_string();
    let name = match name.contains(char::is_whitespace) {
        true => format!("\"{name}\""),
        false => name,
    };
    output::one_line(&format!(
        "tabiya: this took {:.1} s; `tabiya index {name}` would make this immediate",
        elapsed.as_secs_f64()
    ))
}

/// Opens a database and warns about its notes.
pub(crate) fn open(path: &Path) -> anyhow::Result<Database> {
    note_sidecar(path);
    let database = open_quietly(path)?;
    for note in database.notes() {
        output::warn(&note.to_string());
    }
    Ok(database)
}

/// Opens a database without warnings.
pub(crate) fn open_quietly(path: &Path) -> anyhow::Result<Database> {
    if path.as_os_str() == STANDARD_INPUT {
        claim_standard_input()?;
    }
    let mut progress = Progress::new("bytes");
    let opened = options().open(path, |at| progress.update(at));
    progress.clear();
    Ok(opened?)
}

/// Opens several databases and gives them labels.
pub(crate) fn open_all(paths: &[OsString]) -> anyhow::Result<Vec<Opened>> {
    let mut all = Vec::with_capacity(paths.len());
    for path in paths {
        let database = open(Path::new(path))?;
        let label = database.name();
        all.push(Opened { database, label });
    }
    let labels: Vec<String> = all.iter().map(|opened| opened.label.clone()).collect();
    for (opened, path) in all.iter_mut().zip(paths) {
        if labels
            .iter()
            .filter(|label| **label == opened.label)
            .count()
            > 1
        {
            opened.label = path.to_string_lossy().into_owned();
        }
    }
    Ok(all)
}

/// Warns that damaged games are missing from the results.
pub(crate) fn warn_of_damaged(database: &Database, damaged: u64) {
    if damaged > 0 {
        let path = database.path().display();
        output::warn(&format!(
            "{path}: damaged games left out: {damaged}; `tabiya verify` lists them"
        ));
    }
}

/// Warns that some names could not be read, to explain a `?` in the results.
pub(crate) fn warn_of_names(database: &Database) {
    if let Some(damage) = database.names_damage()
        // A missing file was reported when the database was opened.
        && !matches!(damage.kind(), ErrorKind::Missing { .. } | ErrorKind::Io { .. })
    {
        output::warn(&format!("{damage}; names that cannot be read print as ?"));
    }
}

/// Splits the words of a command into databases and query.
pub(crate) fn split(args: &QueryArgs) -> anyhow::Result<(&[OsString], &[OsString])> {
    Ok(args.words.split_at(leading(&args.words)?))
}

/// Returns the number of leading words that are databases: the first always is, the others if they
/// name one.
fn leading(words: &[OsString]) -> anyhow::Result<usize> {
    if let Some(first) = words.first()
        && looks_like_query(first)
        && !Path::new(first).exists()
    {
        let first = first.to_string_lossy();
        let message = format!("no database given: `{first}` looks like a part of the query");
        return Err(Usage(message).into());
    }
    let more = words.iter().skip(1);
    Ok(1 + more.take_while(|word| names_database(word)).count())
}

/// Returns whether a word names a database: one of its files, the stem of its files, or a folder. A
/// word with the suffix of such a file counts too, so that a mistyped name is reported as such.
fn names_database(word: &OsString) -> bool {
    let path = Path::new(word);
    if word == STANDARD_INPUT {
        return true;
    }
    if has_database_name(path) {
        path.is_file() || !looks_like_query(word)
    } else {
        stands_for_database(path)
    }
}

/// Returns whether a word has characters that are unusual in file names but frequent in queries.
fn looks_like_query(word: &OsString) -> bool {
    word.to_string_lossy()
        .contains([':', '=', '<', '>', '(', ')', '"'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_command_names_the_one_that_makes_it_fast() {
        let told = |name: &str| slow(Path::new(name), Duration::from_millis(2345));
        assert_eq!(
            told("kb.pgn"),
            "tabiya: this took 2.3 s; `tabiya index kb.pgn` would make this immediate"
        );
        assert!(told("my games.pgn").contains("`tabiya index \"my games.pgn\"`"));
    }
}
