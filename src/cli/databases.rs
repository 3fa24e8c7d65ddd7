//! Opens databases, and separates them from the query.

use std::{
    cell::OnceCell,
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
    slice,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};

use anyhow::Context as _;
use tabiya::{
    Book, Database, Error, ErrorKind, OpenOptions, PgnParts, Query, databases_named,
    format::{has_database_name, is_database_entry, left_out, stands_for_database},
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
    let ends = |end: &OsStr| end.eq_ignore_ascii_case("pgn") || end.eq_ignore_ascii_case("zst");
    let has_index = || ["tabiya", "tabiya-parts"].map(|end| path.with_extension(end).exists());
    if path.extension().is_some_and(ends) && has_index() == [false; 2] {
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

/// Returns the name of a file as it is typed.
pub(crate) fn quoted(name: &str) -> String {
    if name.contains(char::is_whitespace) {
        format!("\"{name}\"")
    } else {
        name.to_owned()
    }
}

/// Returns the line about a slow command.
fn slow(path: &Path, elapsed: Duration) -> String {
    let name = quoted(&path.display().to_string());
    output::one_line(&format!(
        "tabiya: this took {:.1} s; `tabiya index {name}` would make this immediate",
        elapsed.as_secs_f64()
    ))
}

/// Opens a database and warns about its notes.
pub(crate) fn open(path: &Path) -> anyhow::Result<Database> {
    open_with(path, options())
}

/// Opens a database, as [`open`], for a command that needs the moves of a few games at most.
pub(crate) fn open_for_tags(path: &Path) -> anyhow::Result<Database> {
    open_with(path, &for_tags())
}

fn for_tags() -> OpenOptions {
    options().clone().for_query(&Query::All)
}

/// Opens a database for a few of its games; if it is too long to be opened whole and is indexed,
/// its parts.
pub(crate) fn open_or_indexed(path: &Path) -> anyhow::Result<Vec<Arc<Opened>>> {
    Ok(Source::open(path, &for_tags())?.opened()?.to_vec())
}

fn open_with(path: &Path, options: &OpenOptions) -> anyhow::Result<Database> {
    note_sidecar(path);
    let database = open_whole(path, options)?;
    warn_of_notes(&database);
    Ok(database)
}

fn warn_of_notes(database: &Database) {
    for note in database.notes() {
        output::warn(&note.to_string());
    }
}

/// Returns the databases in a folder, in the order of their names.
pub(crate) fn in_folder(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let failed = || folder.display().to_string();
    let entries = folder.read_dir().with_context(failed)?;
    let paths = entries.map(|entry| Ok(entry?.path()));
    let mut paths = paths
        .collect::<io::Result<Vec<PathBuf>>>()
        .with_context(failed)?;
    paths.retain(|path| is_database_entry(path));
    paths.sort_unstable();
    Ok(paths)
}

/// Opens a database or its indexed parts without warnings.
pub(crate) fn open_quietly(path: &Path) -> anyhow::Result<Vec<Database>> {
    match open_each(path, options())? {
        parts if parts.is_empty() => Err(too_long(path).into()),
        parts => Ok(parts),
    }
}

fn open_whole(path: &Path, options: &OpenOptions) -> anyhow::Result<Database> {
    let mut opened = open_each(path, options)?;
    match opened.pop() {
        Some(database) if database.part().is_none() => Ok(database),
        _ => Err(too_long(path).into()),
    }
}

/// Opens a database or its indexed parts; nothing if it is PGN that is too long and must be read in
/// parts.
fn open_each(path: &Path, options: &OpenOptions) -> anyhow::Result<Vec<Database>> {
    if path.as_os_str() == STANDARD_INPUT {
        claim_standard_input()?;
    }
    if path.is_dir() && !stands_for_database(path) {
        let path = path.display();
        let what = "is a folder; name its databases, as in";
        return Err(Usage(format!("{path} {what} `{path}/*.pgn`; `info` lists them")).into());
    }
    let mut progress = Progress::new("bytes");
    let opened = options
        .on_progress(|at| progress.update(at))
        .open_each(path);
    progress.clear();
    match opened {
        Err(error) if is_for_parts(&error, path, options) => Ok(Vec::new()),
        Err(error) if *error.kind() == ErrorKind::UnknownFormat && Book::is_book(path) => {
            let path = path.display();
            Err(Usage(format!(
                "{path} may be an opening book, which only `tree` reads"
            ))
            .into())
        }
        opened => Ok(opened?),
    }
}

/// Returns whether a file could not be opened because it is too long, and can be read in parts.
pub(crate) fn is_for_parts(error: &Error, path: &Path, options: &OpenOptions) -> bool {
    error.is_limit() && options.parts(path).is_ok()
}

/// Tells what to do with PGN that cannot be opened whole.
fn too_long(path: &Path) -> Usage {
    let name = path.display().to_string();
    let source = quoted(&name);
    let target = quoted(&format!("{}.si5", label_of(path)));
    let is_zstd = path
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("zst"));
    let index = if is_zstd {
        format!("; if it is packed in frames, `tabiya index {source}` makes it ready")
    } else {
        String::new()
    };
    Usage(output::one_line(&format!(
        "{name} is too long for this; `tabiya convert {source} {target}` makes a database of \
         it{index}"
    )))
}

/// Returns the name of a PGN file without its suffixes.
fn label_of(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    stem.strip_suffix(".pgn").unwrap_or(&stem).to_owned()
}

/// A database of the command line: open, or read in parts.
#[derive(Debug)]
pub(crate) struct Source {
    label: String,
    path: PathBuf,
    options: OpenOptions,
    /// The database, or the parts of PGN that is too long, if each has an index; empty if it must
    /// be read.
    opened: Vec<Arc<Opened>>,
    /// The damage after the last part.
    damage: OnceCell<Error>,
}

impl Source {
    /// Opens a database and warns about its notes.
    pub(crate) fn open(path: &Path, options: &OpenOptions) -> anyhow::Result<Source> {
        note_sidecar(path);
        let opened = open_each(path, options)?;
        let label = match &*opened {
            [database, ..] => database.name(),
            [] => label_of(path),
        };
        let with_label = |database| {
            warn_of_notes(&database);
            let label = label.clone();
            Arc::new(Opened { database, label })
        };
        Ok(Source {
            opened: opened.into_iter().map(with_label).collect(),
            label,
            path: path.to_owned(),
            options: options.clone(),
            damage: OnceCell::new(),
        })
    }

    pub(crate) fn label(&self) -> &str {
        &self.label
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the damage that has ended the parts early.
    pub(crate) fn damage(&self) -> Option<&Error> {
        self.damage.get()
    }

    /// Returns the database, or all its parts if they have an index.
    ///
    /// # Errors
    /// If it is too long, with what to do.
    pub(crate) fn opened(&self) -> Result<&[Arc<Opened>], Usage> {
        match &*self.opened {
            [] => Err(too_long(&self.path)),
            opened => Ok(opened),
        }
    }

    /// Returns the database; `None` if it is in parts.
    pub(crate) fn whole(&self) -> Option<&Opened> {
        match &*self.opened {
            [whole] if whole.database.part().is_none() => Some(whole),
            _ => None,
        }
    }

    /// Returns the database.
    ///
    /// # Errors
    /// If it is too long, with what to do.
    pub(crate) fn require_one(&self) -> Result<&Opened, Usage> {
        self.whole().ok_or_else(|| too_long(&self.path))
    }

    /// Opens the parts one after the other: the database itself, unless it is too long. Warns of
    /// damage, after which there are no more.
    pub(crate) fn parts(&self) -> Parts<'_> {
        Parts {
            source: self,
            opened: self.opened.iter(),
            reader: None,
            progress: Progress::new("bytes"),
        }
    }
}

/// The parts of a database, in order.
pub(crate) struct Parts<'s> {
    source: &'s Source,
    opened: slice::Iter<'s, Arc<Opened>>,
    reader: Option<PgnParts>,
    /// Of the whole file; hidden while a part is searched, when results are printed.
    progress: Progress,
}

impl Parts<'_> {
    fn read(&mut self) -> anyhow::Result<Option<Arc<Opened>>> {
        let reader = match &mut self.reader {
            Some(reader) => reader,
            None => self
                .reader
                .insert(self.source.options.parts(&self.source.path)?),
        };
        let part = reader
            .on_progress(|at| self.progress.update(at))
            .next_part();
        self.progress.clear();
        let database = match part {
            Ok(None) => return Ok(None),
            Ok(Some(database)) => database,
            Err(error) if matches!(error.kind(), ErrorKind::Io { .. }) => {
                output::warn(&error.to_string());
                let _ = self.source.damage.set(error);
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        warn_of_notes(&database);
        let label = self.source.label.clone();
        Ok(Some(Arc::new(Opened { database, label })))
    }
}

impl Iterator for Parts<'_> {
    type Item = anyhow::Result<Arc<Opened>>;

    fn next(&mut self) -> Option<Self::Item> {
        match &*self.source.opened {
            [] => self.read().transpose(),
            _ => self.opened.next().map(|opened| Ok(Arc::clone(opened))),
        }
    }
}

/// Opens several databases and gives them labels.
pub(crate) fn open_all(paths: &[OsString], options: &OpenOptions) -> anyhow::Result<Vec<Source>> {
    let mut all = Vec::with_capacity(paths.len());
    for path in paths {
        all.push(Source::open(Path::new(path), options)?);
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for source in &all {
        *counts.entry(source.label.clone()).or_default() += 1;
    }
    for (source, path) in all.iter_mut().zip(paths) {
        if counts.get(&source.label).is_some_and(|count| *count > 1) {
            source.label = path.to_string_lossy().into_owned();
            for opened in source.opened.iter_mut().filter_map(Arc::get_mut) {
                opened.label.clone_from(&source.label);
            }
        }
    }
    Ok(all)
}

/// Returns the databases that are open whole, or by their parts.
pub(crate) fn whole(sources: &[Source]) -> impl Iterator<Item = &Database> {
    let opened = sources.iter().flat_map(|source| &source.opened);
    opened.map(|opened| &opened.database)
}

/// Returns databases, or all their parts, of which a command needs all games at once.
///
/// # Errors
/// If one is too long, with what to do.
pub(crate) fn require_whole(sources: &[Source]) -> Result<Vec<&Arc<Opened>>, Usage> {
    let mut all = Vec::new();
    for source in sources {
        all.extend(source.opened()?);
    }
    Ok(all)
}

/// Warns of what damage keeps from a search of all these databases together.
pub(crate) fn warn_of_all(sources: &[Source], report: &tabiya::Report) {
    let names = sources.iter().map(|source| source.path().to_string_lossy());
    let names: Vec<_> = names.collect();
    warn_of_search(Path::new(&names.join(", ")), report);
}

/// Warns of what damage keeps from a search: games, and the rest of games.
pub(crate) fn warn_of_search(path: &Path, report: &tabiya::Report) {
    warn_of_damaged(path, report.damaged);
    warn_of_harmed(path, report.harmed);
}

/// Warns that only a part of some damaged games was searched.
pub(crate) fn warn_of_harmed(path: &Path, harmed: u64) {
    if harmed > 0 {
        let path = path.display();
        output::warn(&format!(
            "{path}: damaged games searched as far as they are sound: {harmed}; `tabiya verify` \
             lists them"
        ));
    }
}

/// Warns that damaged games are missing from the results.
pub(crate) fn warn_of_damaged(path: &Path, damaged: u64) {
    if damaged > 0 {
        let path = path.display();
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

/// Splits the words of a command into databases, those of lists and patterns one by one, and query.
pub(crate) fn split(args: &QueryArgs) -> anyhow::Result<(Vec<OsString>, &[OsString])> {
    let (paths, words) = args.words.split_at(leading(&args.words)?);
    let paths = named(paths)?.into_iter().map(PathBuf::into_os_string);
    Ok((paths.collect(), words))
}

/// Returns the databases that paths name, those of lists and patterns one by one.
pub(crate) fn named<P: AsRef<Path>>(paths: &[P]) -> anyhow::Result<Vec<PathBuf>> {
    let mut all = Vec::with_capacity(paths.len());
    for path in paths {
        left_out(path.as_ref())?
            .iter()
            .for_each(|entry| output::warn(entry));
        all.append(&mut databases_named(path.as_ref())?);
    }
    Ok(all)
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
    let word = word.to_string_lossy();
    after_drive(&word).contains([':', '=', '<', '>', '(', ')', '"'])
}

/// Returns a word without the drive of Windows at its beginning, as in `C:\games`: no field of a
/// query has one letter.
fn after_drive(word: &str) -> &str {
    let rest = word.strip_prefix(|letter: char| letter.is_ascii_alphabetic());
    let rest = rest.and_then(|rest| rest.strip_prefix(':'));
    rest.filter(|rest| rest.starts_with(['\\', '/']))
        .unwrap_or(word)
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

    #[test]
    fn a_path_with_a_drive_is_no_part_of_a_query() {
        for path in [
            "C:\\games\\mega",
            "d:/games/mega.pgn",
            "\\\\server\\games\\mega",
        ] {
            assert!(!looks_like_query(&path.into()), "{path}");
        }
        for query in ["c:mega", "white:/carlsen/", "C:\\games:x", "elo>2700"] {
            assert!(looks_like_query(&query.into()), "{query}");
        }
    }
}
