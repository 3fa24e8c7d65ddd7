//! Lists of databases that are asked as one.

use std::{
    collections::BTreeSet,
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use super::{
    paths::{index_path, is_database_entry, is_set, is_window, stands_for_database},
    window::{self, EntryState, WindowEntry},
};
use crate::{
    damage::{DamageClass, Flaw},
    error::{Error, ErrorKind, Result},
    limits::{SET_BYTES_MAX, SET_FILES_MAX, SET_PATTERNS_MAX},
};

const NOT_UTF8: Flaw = Flaw::new(&(DamageClass::Header, "a list of databases that is not UTF-8"));

/// Returns the paths of the databases that a path names, in order: those of a list, those whose
/// names fit to a pattern, otherwise the path itself, whether there is a database or not.
///
/// A list is a text file in UTF-8 whose name ends in `.tabiyaset`. Each line has a path, relative
/// to the folder of the list, or a pattern; empty lines and lines that begin with `#` say nothing.
/// What several lines name comes once, where it is named first.
///
/// A file whose name ends in `.cbini` is the list of ChessBase's window, and names those of its
/// databases that [lie here](window_entries).
///
/// In the last component of a pattern `*` stands for any letters and `?` for one. It names
/// databases by the files that they are opened by, sorted by name; none that begins with a dot
/// unless the pattern does. A path that exists is no pattern, nor is one outside a list that fits
/// to nothing.
///
/// Reads the list and the folders of patterns, and opens no database.
///
/// ```
/// # fn main() -> Result<(), tabiya_formats::error::Error> {
/// let one = tabiya_formats::databases_named("months.pgn".as_ref())?;
/// assert_eq!(one, [std::path::PathBuf::from("months.pgn")]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// `Io` if the list or a folder cannot be read. With the line of the list: `Missing` if there is no
/// such database, `Unsupported` for a list in a list. `Corrupt` for a list that is not UTF-8,
/// `Unsupported` for an empty one; `LimitExceeded` for one of more than [`SET_BYTES_MAX`] bytes,
/// [`SET_FILES_MAX`] databases or [`SET_PATTERNS_MAX`] patterns.
pub fn databases_named(path: &Path) -> Result<Vec<PathBuf>> {
    if is_window(path) {
        let (mut entries, _) = window_entries(path)?;
        entries.retain(|entry| entry.state == EntryState::Here);
        if entries.is_empty() {
            let what = "a list of ChessBase's window of which no database is here";
            return Err(Error::unsupported(what).at_path(path));
        }
        return Ok(entries.into_iter().map(|entry| entry.path).collect());
    }
    if is_set(path) {
        return read(path);
    }
    let mut found = Vec::new();
    if is_pattern(path) {
        found = fitting(path)?;
    }
    if found.is_empty() {
        found.push(path.to_owned());
    }
    Ok(found)
}

/// Returns the databases that ChessBase's own window shows, by its list (`DBItems.cbini`, in
/// ChessBase's folder among the documents), in the order of that file. None is opened, so nothing
/// is fetched that is only in the cloud. Also returns the damage behind which entries may be
/// missing.
///
/// # Errors
/// `Io` if the list cannot be read, `Corrupt` if it does not begin as such a list; `LimitExceeded`
/// for one of more than [`SET_BYTES_MAX`] bytes or [`SET_FILES_MAX`] databases.
pub fn window_entries(list: &Path) -> Result<(Vec<WindowEntry>, Option<Error>)> {
    let bytes = bytes_of(list).map_err(|error| error.at_path(list))?;
    window::entries(&bytes, list)
}

/// Returns which databases of ChessBase's window [`databases_named`] leaves out, and why, a line
/// each, and the damage to its list. Nothing for other paths.
///
/// # Errors
/// Those of [`window_entries`].
pub fn left_out(path: &Path) -> Result<Vec<String>> {
    if !is_window(path) {
        return Ok(Vec::new());
    }
    let (entries, fault) = window_entries(path)?;
    let absent = entries
        .iter()
        .filter(|entry| entry.state != EntryState::Here);
    let fault = fault.map(|fault| fault.to_string());
    Ok(absent.map(ToString::to_string).chain(fault).collect())
}

/// Reads a list.
fn read(list: &Path) -> Result<Vec<PathBuf>> {
    let text = text_of(list).map_err(|error| error.at_path(list))?;
    let folder = list.parent().unwrap_or(Path::new(""));
    let mut named = Named::default();
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let added = named.add(line, &folder.join(line));
        added.map_err(|error| error.at_path(list).at_line(number))?;
    }
    if named.paths.is_empty() {
        return Err(Error::unsupported("a list of databases that names none").at_path(list));
    }
    Ok(named.paths)
}

fn bytes_of(list: &Path) -> Result<Vec<u8>> {
    let failed = |action| move |cause| Error::io(action, list, cause);
    let mut bytes = Vec::new();
    let file = fs::File::open(list).map_err(failed("open"))?;
    let mut file = file.take(SET_BYTES_MAX + 1);
    file.read_to_end(&mut bytes).map_err(failed("read"))?;
    if bytes.len() as u64 > SET_BYTES_MAX {
        let what = "the length of a list of databases in bytes";
        return Err(Error::limit(what, SET_BYTES_MAX));
    }
    Ok(bytes)
}

fn text_of(list: &Path) -> Result<String> {
    let text = String::from_utf8(bytes_of(list)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::corrupt(NOT_UTF8).at_offset(at as u64)
    })?;
    // Some Windows editors write a byte order mark.
    let without_mark = text.strip_prefix('\u{feff}').map(str::to_owned);
    Ok(without_mark.unwrap_or(text))
}

/// What the lines of a list have named.
#[derive(Default)]
struct Named {
    paths: Vec<PathBuf>,
    /// The indices of these.
    known: BTreeSet<PathBuf>,
    patterns: u64,
}

impl Named {
    /// Adds what a line names.
    fn add(&mut self, line: &str, path: &Path) -> Result<()> {
        if is_set(path) {
            return Err(Error::unsupported("a list of databases in another one"));
        }
        let mut found = Vec::new();
        if path.is_file() || stands_for_database(path) {
            found.push(path.to_owned());
        } else if is_pattern(path) {
            self.patterns += 1;
            if self.patterns > SET_PATTERNS_MAX {
                let what = "the number of patterns in a list of databases";
                return Err(Error::limit(what, SET_PATTERNS_MAX));
            }
            found = fitting(path)?;
        }
        if found.is_empty() {
            let file = line.to_owned();
            let what = "the list";
            return Err(Error::new(ErrorKind::Missing { what, file }));
        }
        for path in found {
            let index = index_path(&path);
            if self.known.insert(index.canonicalize().unwrap_or(index)) {
                self.paths.push(path);
            }
        }
        if self.paths.len() as u64 > SET_FILES_MAX {
            let what = "the number of databases in a list";
            return Err(Error::limit(what, SET_FILES_MAX));
        }
        Ok(())
    }
}

/// Returns whether a path that names no file may be a pattern.
fn is_pattern(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.contains(['*', '?'])) && !path.exists()
}

/// Returns the databases whose names fit to a pattern, sorted.
fn fitting(pattern: &Path) -> Result<Vec<PathBuf>> {
    let (Some(folder), Some(name)) = (pattern.parent(), pattern.file_name()) else {
        return Ok(Vec::new());
    };
    let read = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    // There is nothing in a folder that does not exist.
    if !read.is_dir() {
        return Ok(Vec::new());
    }
    let (failed, name) = (
        |cause| Error::io("read", read, cause),
        name.to_string_lossy(),
    );
    let mut found = Vec::new();
    for entry in fs::read_dir(read).map_err(failed)? {
        let entry = entry.map_err(failed)?.file_name();
        let path = folder.join(&entry);
        if entry.to_str().is_some_and(|entry| fits(entry, &name)) && is_database_entry(&path) {
            found.push(path);
        }
        if found.len() as u64 > SET_FILES_MAX {
            let what = "the number of databases that fit to a pattern";
            return Err(Error::limit(what, SET_FILES_MAX).at_path(pattern));
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Returns whether a name fits to a pattern. O(product of their lengths).
fn fits(name: &str, pattern: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let (name, pattern): (Vec<char>, Vec<char>) =
        (name.chars().collect(), pattern.chars().collect());
    let (mut at, mut of) = (0, 0);
    // The place behind the last `*`, and what of the name it leaves over.
    let mut star = None;
    while at < name.len() {
        match pattern.get(of) {
            Some('*') => {
                of += 1;
                star = Some((of, at));
            }
            Some(&letter) if letter == '?' || letter == name[at] => (at, of) = (at + 1, of + 1),
            _ => match &mut star {
                Some((behind, left)) => {
                    *left += 1;
                    (at, of) = (*left, *behind);
                }
                None => return false,
            },
        }
    }
    pattern[of..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_to_patterns() {
        for (name, pattern) in [
            ("a.pgn", "a.pgn"),
            ("lichess_2024-01.pgn.zst", "lichess_2024-*.pgn.zst"),
            ("ab", "*"),
            ("ab", "**b*"),
            ("ä", "?"),
            ("aXbXc", "a*X?"),
            (".a", ".*"),
        ] {
            assert!(fits(name, pattern), "{name} {pattern}");
        }
        for (name, pattern) in [
            ("a.pgn", "b*"),
            ("a", "??"),
            ("ab", "a"),
            ("a", "ab"),
            ("A", "a"),
            (".a", "*"),
            ("aXbXcd", "a*X?"),
        ] {
            assert!(!fits(name, pattern), "{name} {pattern}");
        }
        // Each letter of the name is tried for each of the pattern, and not more.
        let (name, pattern) = ("a".repeat(255), "*a".repeat(120));
        assert!(!fits(&name, &format!("{pattern}b")));
    }
}
