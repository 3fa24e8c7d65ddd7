//! Which arguments are databases, and opening them.

use std::{ffi::OsString, path::Path, sync::OnceLock};

use tabiya::{
    Database, ErrorKind, OpenOptions,
    format::{has_database_name, stands_for_database},
};

use super::{
    args::QueryArgs,
    failure::Usage,
    output,
    progress::Progress,
    query::{STANDARD_INPUT, claim_standard_input},
};

/// An open database and what results call it.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) database: Database,
    /// The stem of its path; the path as typed when two databases share a stem.
    pub(crate) label: String,
}

/// How databases are opened, as the options that all commands share say.
static OPTIONS: OnceLock<OpenOptions> = OnceLock::new();

/// Sets how databases are opened from now on. Only the first call counts.
pub(crate) fn set_options(options: OpenOptions) {
    // Set already: the process has but one command line.
    let _ = OPTIONS.set(options);
}

/// Returns how databases are opened.
pub(crate) fn options() -> &'static OpenOptions {
    OPTIONS.get_or_init(OpenOptions::new)
}

/// Opens a database and warns of what is odd about it.
pub(crate) fn open(path: &Path) -> anyhow::Result<Database> {
    let database = open_quietly(path)?;
    for note in database.notes() {
        output::warn(&note.to_string());
    }
    Ok(database)
}

/// Opens a database.
pub(crate) fn open_quietly(path: &Path) -> anyhow::Result<Database> {
    if path.as_os_str() == STANDARD_INPUT {
        claim_standard_input()?;
    }
    let mut progress = Progress::new("bytes");
    let opened = options().open_with_progress(path, &mut |at| progress.update(at.done, at.total));
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

/// Warns when damaged games are not in the results.
pub(crate) fn warn_of_damaged(database: &Database, damaged: u64) {
    if damaged > 0 {
        let path = database.path().display();
        output::warn(&format!(
            "{path}: damaged games left out: {damaged}; `tabiya verify` lists them"
        ));
    }
}

/// Warns when names could not be read, so that a `?` in the results is understood.
pub(crate) fn warn_of_names(database: &Database) {
    if let Some(damage) = database.names_damage()
        // That the file is missing was said when the database was opened.
        && !matches!(damage.kind(), ErrorKind::Missing { .. } | ErrorKind::Io { .. })
    {
        output::warn(&format!("{damage}; names that cannot be read print as ?"));
    }
}

/// Splits the words of a command into databases and the query.
pub(crate) fn split(args: &QueryArgs) -> anyhow::Result<(&[OsString], &[OsString])> {
    Ok(args.words.split_at(leading(&args.words)?))
}

/// Returns how many leading words are databases: the first always is, the others if they name
/// one.
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

/// Returns whether a word names a database: a file of one, the stem of its files, or a folder. A
/// word that only ends as such a file does counts too, so that a mistyped name is reported as one.
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

/// Returns whether a word holds what no ordinary file name does but most conditions do.
fn looks_like_query(word: &OsString) -> bool {
    word.to_string_lossy()
        .contains([':', '=', '<', '>', '(', ')', '"'])
}
