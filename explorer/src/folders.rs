//! The folders whose databases the page may open: what lies in them, and nothing else.
//!
//! A request names a folder by the name that it has here, and a file by a name of its list, so no
//! path is ever made of what a request says.

use std::{
    collections::HashSet,
    fs, io,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use tabiya::{
    Database, Flow, OpenOptions,
    format::{is_database_entry, source_files},
};

use crate::errors::{Fault, neutral};

/// Databases of a folder that are listed.
const LISTED_MAX: usize = 500;
/// Entries of a folder that are looked at.
const ENTRIES_MAX: usize = 100_000;
/// Files of a database that is a folder.
const TABLES_MAX: usize = 1000;
/// Endings of databases that are opened without being read.
const QUICK: [&str; 6] = ["si3", "si4", "si5", "cbh", "2cbh", "dci"];
/// Endings of databases into which single games are saved.
const WRITTEN: [&str; 6] = ["pgn", "si5", "si4", "cbh", "2cbh", "dci"];
/// Endings of those that are begun with a game.
const BEGUN: [&str; 5] = ["pgn", "si5", "si4", "cbh", "2cbh"];
/// Bytes of the name of a new database.
const NAME_BYTES_MAX: usize = 100;
/// The ending of an index.
const INDEX: &str = "tabiya";
/// That of the folder with those of the parts of a long file.
const PARTS: &str = "tabiya-parts";
/// Files of that folder.
const PARTS_MAX: usize = 100_000;

/// The folders of the command line.
#[derive(Debug)]
pub(crate) struct Folders(Vec<Folder>);

#[derive(Debug)]
pub(crate) struct Folder {
    /// The last part of its path, with a number where another one has it too.
    pub(crate) name: String,
    path: PathBuf,
    /// Whether games are saved into it.
    pub(crate) saves: bool,
}

/// A database that lies in a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    /// The name of its first file; what is no text in it is replaced.
    pub(crate) file: String,
    pub(crate) path: PathBuf,
}

/// What is known of a database without reading it.
#[derive(Debug, Default)]
pub(crate) struct Look {
    pub(crate) format: Option<String>,
    pub(crate) games: Option<u32>,
    pub(crate) has_index: bool,
    pub(crate) fault: Option<String>,
}

impl Folders {
    /// Takes the folders of the command line: those that are only read, and those into which games
    /// are saved.
    ///
    /// # Errors
    /// When one of them is none, or cannot be read.
    pub(crate) fn new(read: &[PathBuf], written: &[PathBuf]) -> io::Result<Folders> {
        let mut names = HashSet::new();
        let mut folders: Vec<Folder> = Vec::new();
        let read = read.iter().map(|path| (path, false));
        for (path, saves) in read.chain(written.iter().map(|path| (path, true))) {
            let told = |error| io::Error::other(format!("{}: {error}", path.display()));
            // Windows has a form of whole paths that few programs understand and nobody reads.
            let whole = dunce::canonicalize(path).map_err(told)?;
            whole.read_dir().map_err(told)?;
            let mut same = folders.iter_mut().filter(|known| known.path == whole);
            if saves && let Some(known) = same.next() {
                known.saves = true;
                continue;
            }
            let last = whole.file_name().map(|name| name.to_string_lossy());
            let last = last.map_or_else(|| "/".to_owned(), |name| name.into_owned());
            let numbered = (2u32..).map(|number| format!("{last}-{number}"));
            let mut candidates = std::iter::once(last.clone()).chain(numbered);
            let free = candidates.find(|name| names.insert(name.clone()));
            folders.push(Folder {
                name: free.unwrap_or_default(),
                path: whole,
                saves,
            });
        }
        Ok(Folders(folders))
    }

    pub(crate) fn all(&self) -> &[Folder] {
        &self.0
    }

    /// Finds a folder by its name.
    ///
    /// # Errors
    /// `Absent` when there is none.
    pub(crate) fn named(&self, name: &str) -> Result<&Folder, Fault> {
        let found = self.0.iter().find(|known| known.name == name);
        found.ok_or_else(|| Fault::Absent(format!("there is no folder `{name}`")))
    }

    /// Finds a database by the folder's name and the file's.
    ///
    /// # Errors
    /// `Absent` when there is none; `Request` when two files have this name.
    pub(crate) fn find(&self, folder: &str, file: &str) -> Result<Entry, Fault> {
        let mut same = self.named(folder)?.entries()?.0;
        same.retain(|entry| entry.file == file);
        match &*same {
            [entry] => Ok(entry.clone()),
            [] => Err(Fault::Absent(format!("there is no database `{file}`"))),
            _ => Err(Fault::parameter("file", "several files are shown so")),
        }
    }
}

impl Folder {
    /// Returns the databases that lie in it, by name, and whether there are more than are listed.
    /// What a symbolic link leads to does not lie in it.
    ///
    /// # Errors
    /// `Unreadable` when the folder cannot be read.
    pub(crate) fn entries(&self) -> Result<(Vec<Entry>, bool), Fault> {
        let unreadable = |_| Fault::Unreadable("the folder cannot be read".to_owned());
        let mut found = Vec::new();
        for entry in self.path.read_dir().map_err(unreadable)?.take(ENTRIES_MAX) {
            let entry = entry.map_err(unreadable)?;
            let path = entry.path();
            let lies_here = |kind: fs::FileType| kind.is_dir() || kind.is_file();
            if entry.file_type().is_ok_and(lies_here) && is_database_entry(&path) {
                let file = entry.file_name().to_string_lossy().into_owned();
                found.push(Entry { file, path });
            }
        }
        found.sort_unstable();
        let is_cut = found.len() > LISTED_MAX;
        found.truncate(LISTED_MAX);
        Ok((found, is_cut))
    }

    /// Returns the entry that a new database of this name would be.
    ///
    /// # Errors
    /// `Request` when it is no plain name of a file with an ending that is written.
    pub(crate) fn new_entry(&self, file: &str) -> Result<Entry, Fault> {
        let wrong = |what: &str| Err(Fault::parameter("file", what));
        let is_strange = |letter: char| letter.is_control() || "/\\:*?\"<>|".contains(letter);
        if file.len() > NAME_BYTES_MAX || file.starts_with(['.', ' ', '-']) {
            return wrong("a name begins with a letter or digit and has at most 100 bytes");
        }
        if file.chars().any(is_strange) {
            return wrong("a name has no strokes, colons, quotes, stars and question marks");
        }
        let path = self.path.join(file);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if !has_ending(&path, &BEGUN) || stem.ends_with(['.', ' ']) || is_device(&stem) {
            let endings = BEGUN.join(", .");
            return wrong(&format!(
                "a name and one of the endings .{endings} is wanted"
            ));
        }
        Ok(Entry {
            file: file.to_owned(),
            path,
        })
    }

    /// Tells whether files can be made in it, as far as its permissions tell.
    pub(crate) fn is_writable(&self) -> bool {
        let told = fs::metadata(&self.path);
        told.is_ok_and(|told| !told.permissions().readonly())
    }
}

impl Entry {
    /// Tells whether games can be saved into it.
    pub(crate) fn is_written(&self) -> bool {
        has_ending(&self.path, &WRITTEN)
    }

    /// Returns the files that opening it reads, as far as names tell.
    fn files(&self) -> Vec<PathBuf> {
        let mut files = source_files(&self.path);
        if self.path.is_dir() {
            let inside = self.path.read_dir().into_iter().flatten().flatten();
            files.extend(inside.take(TABLES_MAX).map(|entry| entry.path()));
        }
        files.push(self.path.with_extension(INDEX));
        let parts = self.path.with_extension(PARTS);
        let inside = parts.read_dir().into_iter().flatten().flatten();
        files.extend(inside.take(PARTS_MAX).map(|entry| entry.path()));
        files
    }

    /// Checks that all its files lie where they seem to and are files: a link could lead out of the
    /// folder, and a pipe be waited for without end.
    ///
    /// # Errors
    /// `Unreadable`.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        let parts = self.path.with_extension(PARTS);
        let is_wrong = |path: &PathBuf| {
            let kind = fs::symlink_metadata(path).map(|told| told.file_type());
            let is_folder = *path == self.path || *path == parts;
            kind.is_ok_and(|kind| !(kind.is_file() || kind.is_dir() && is_folder))
        };
        if self.files().iter().chain([&parts]).any(is_wrong) {
            let what = "one of its files is a link or no file, and could lead out of the folder";
            return Err(Fault::Unreadable(what.to_owned()));
        }
        Ok(())
    }

    /// Returns the bytes of its files.
    pub(crate) fn bytes(&self) -> u64 {
        let sizes = self.files().into_iter().filter_map(|path| {
            let told = fs::symlink_metadata(path).ok()?;
            told.is_file().then_some(told.len())
        });
        sizes.sum()
    }

    /// Returns when its first file was changed, in seconds since 1970.
    pub(crate) fn modified(&self) -> Option<u64> {
        let time = fs::symlink_metadata(&self.path).ok()?.modified().ok()?;
        Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs())
    }

    /// Opens it for a moment if that does not mean to read it, or until `flow` breaks.
    pub(crate) fn look(&self, flow: impl Fn() -> Flow) -> Look {
        if let Err(fault) = self.check() {
            return Look {
                fault: Some(fault.message().to_owned()),
                ..Look::default()
            };
        }
        let has_index =
            self.path.with_extension(INDEX).is_file() || self.path.with_extension(PARTS).is_dir();
        if !has_index && !has_ending(&self.path, &QUICK) {
            return Look::default();
        }
        let options = OpenOptions::new();
        match options.on_progress(|_| flow()).open_each(&self.path) {
            Ok(parts) => Look {
                format: parts.first().map(|part| part.kind().to_string()),
                games: Some(parts.iter().map(Database::len).fold(0, u32::saturating_add)),
                has_index: parts.iter().all(|part| part.sidecar().is_some()),
                fault: None,
            },
            Err(error) => Look {
                has_index,
                fault: Some(neutral(&error)),
                ..Look::default()
            },
        }
    }
}

/// Tells whether databases lie in a folder.
pub(crate) fn holds_databases(path: &Path) -> bool {
    let folder = Folder {
        name: String::new(),
        path: path.to_owned(),
        saves: false,
    };
    folder.entries().is_ok_and(|(found, _)| !found.is_empty())
}

/// Tells whether Windows takes a name for a device.
fn is_device(stem: &str) -> bool {
    let first = stem
        .split('.')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let plain = first.trim_end_matches(|letter: char| letter.is_ascii_digit());
    matches!(&*first, "con" | "prn" | "aux" | "nul") || matches!(plain, "com" | "lpt")
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| endings.iter().any(|one| one.eq_ignore_ascii_case(ending)))
}
