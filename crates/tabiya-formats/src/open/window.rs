//! The databases of ChessBase's own window: `DBItems.cbini` in its documents folder.
//!
//! The file has four bytes that tell it (`0c 0b 0a 0e`), the number of bytes behind them
//! (big-endian, four bytes), and items. An item has a tag, a value by its tag, and a key. Keys, and
//! values that are texts, have their length (little-endian, four bytes) before them. Tag `ff` is
//! without a value and begins a section with the key as its name; in the sections `2cbg` and
//! `Databases` a text is a database, with its path as the key, and `title,a,b,games,d,e,f` as the
//! value. Source: a public description, made from two files of ChessBase 26; no file was at hand.
//! How sure: as far as such a description goes.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

use tabiya_chess::text::decode;

use super::paths::{has_database_name, source_files};
use crate::{
    damage::{DamageClass, Flaw},
    error::{Error, Result},
    limits::SET_FILES_MAX,
    visible::Visible,
};

const NO_WINDOW: Flaw = Flaw::new(&(
    DamageClass::Header,
    "it does not begin as a list of ChessBase's window",
));
const ITEM_UNKNOWN: Flaw = Flaw::new(&(
    DamageClass::Length,
    "an item of unknown form, or one that is cut off; those behind it are not read",
));

/// The first bytes.
const MAGIC: [u8; 4] = [0x0c, 0x0b, 0x0a, 0x0e];
/// The sections whose texts are databases.
const DATABASES: [&[u8]; 2] = [b"2cbg", b"Databases"];

/// A database that ChessBase's window shows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WindowEntry {
    /// Where it is; what is not absolute is relative to the folder of the list.
    pub path: PathBuf,
    /// Its name in the window.
    pub title: String,
    /// The number of its games as the window last knew it.
    pub games: Option<u32>,
    /// Whether it can be read.
    pub state: EntryState,
}

impl fmt::Display for WindowEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (title, path) = (Visible(&self.title), self.path.display());
        write!(f, "{title} ({path}): {}", self.state.as_str())
    }
}

/// Whether a database of ChessBase's window can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryState {
    /// It lies here.
    Here,
    /// A file of it is a placeholder, whose content is fetched when it is read.
    InCloud,
    /// There is no such file.
    Absent,
    /// It is in a format that is not read, such as a book.
    NotRead,
}

impl EntryState {
    /// Returns the state in words.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            EntryState::Here => "here",
            EntryState::InCloud => "only in the cloud: have its files downloaded first",
            EntryState::Absent => "not found",
            EntryState::NotRead => "in a format that is not read",
        }
    }
}

/// Reads the list of ChessBase's window, in its order. Opens none of the databases, so nothing is
/// fetched from anywhere. Also returns the damage behind which entries may be missing.
///
/// # Errors
/// `Corrupt` if the bytes do not begin as such a list; `LimitExceeded` for too many databases.
pub(super) fn entries(bytes: &[u8], list: &Path) -> Result<(Vec<WindowEntry>, Option<Error>)> {
    let Some(items) = bytes.strip_prefix(&MAGIC).and_then(|rest| rest.get(4..)) else {
        return Err(Error::corrupt(NO_WINDOW).at_path(list));
    };
    let folder = list.parent().unwrap_or(Path::new(""));
    let (mut rest, mut entries) = (items, Vec::new());
    let mut holds_databases = false;
    while !rest.is_empty() {
        let Some((item, after)) = Item::read(rest) else {
            let at = bytes.len() - rest.len();
            let fault = Error::corrupt(ITEM_UNKNOWN).at_path(list);
            return Ok((entries, Some(fault.at_offset(at as u64))));
        };
        rest = after;
        match item.value {
            Value::Section => holds_databases = DATABASES.contains(&item.key),
            Value::Text(value) if holds_databases => entries.push(entry(item.key, value, folder)),
            Value::Text(_) | Value::Number => {}
        }
        if entries.len() as u64 > SET_FILES_MAX {
            let what = "the number of databases in a list";
            return Err(Error::limit(what, SET_FILES_MAX).at_path(list));
        }
    }
    Ok((entries, None))
}

struct Item<'b> {
    key: &'b [u8],
    value: Value<'b>,
}

enum Value<'b> {
    Section,
    Number,
    Text(&'b [u8]),
}

impl<'b> Item<'b> {
    /// Reads the first item; also returns what follows it.
    fn read(bytes: &'b [u8]) -> Option<(Item<'b>, &'b [u8])> {
        let (&tag, rest) = bytes.split_first()?;
        let (value, rest) = match tag {
            0xff => (Value::Section, rest),
            0x01 => (Value::Number, rest.get(1..)?),
            0x08 => (Value::Number, rest.get(4..)?),
            0x19 | 0x1a | 0x1e => {
                let (text, rest) = text(rest)?;
                (Value::Text(text), rest)
            }
            _ => return None,
        };
        let (key, rest) = text(rest)?;
        Some((Item { key, value }, rest))
    }
}

/// Splits off a length and that many bytes.
fn text(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

fn entry(key: &[u8], value: &[u8], folder: &Path) -> WindowEntry {
    let value = decode(value);
    // Six numbers stand behind the title, which may have commas.
    let mut numbers = value.rsplitn(7, ',');
    let games = numbers.nth(3).and_then(|games| games.trim().parse().ok());
    let path = folder.join(&*decode(key));
    WindowEntry {
        title: numbers.nth(2).unwrap_or_default().to_owned(),
        games,
        state: state(&path),
        path,
    }
}

fn state(path: &Path) -> EntryState {
    let metadata: Vec<fs::Metadata> = source_files(path)
        .iter()
        .filter_map(|file| fs::metadata(file).ok())
        .collect();
    match () {
        () if !has_database_name(path) => EntryState::NotRead,
        () if metadata.iter().any(is_placeholder) => EntryState::InCloud,
        () if path.is_file() => EntryState::Here,
        () => EntryState::Absent,
    }
}

/// Whether the content of a file is elsewhere and fetched when it is read.
#[cfg(windows)]
fn is_placeholder(metadata: &fs::Metadata) -> bool {
    use std::os::windows::fs::MetadataExt;
    const OFFLINE: u32 = 0x1000;
    const RECALL_ON_OPEN: u32 = 0x4_0000;
    const RECALL_ON_DATA_ACCESS: u32 = 0x40_0000;
    metadata.file_attributes() & (OFFLINE | RECALL_ON_OPEN | RECALL_ON_DATA_ACCESS) != 0
}

/// Whether the content of a file is elsewhere and fetched when it is read.
#[cfg(target_os = "macos")]
fn is_placeholder(metadata: &fs::Metadata) -> bool {
    use std::os::macos::fs::MetadataExt;
    const DATALESS: u32 = 0x4000_0000;
    metadata.st_flags() & DATALESS != 0
}

/// Other systems do not tell.
#[cfg(not(any(windows, target_os = "macos")))]
fn is_placeholder(_: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sized(text: &str) -> Vec<u8> {
        [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat()
    }

    fn section(name: &str) -> Vec<u8> {
        [vec![0xff], sized(name)].concat()
    }

    fn database(path: &str, value: &str) -> Vec<u8> {
        [vec![0x1e], sized(value), sized(path)].concat()
    }

    fn list(items: &[Vec<u8>]) -> Vec<u8> {
        let items = items.concat();
        let length = (items.len() as u32).to_be_bytes();
        [&MAGIC[..], &length, &items].concat()
    }

    fn sample(folder: &Path) -> Vec<u8> {
        fs::write(folder.join("own, games.pgn"), "1. e4 *").unwrap();
        list(&[
            section("2cbg"),
            database("gone.2cbh", "Gone, long ago,0,28,7,1,1037620,1037559"),
            section("2cbh"),
            [vec![0x1a], sized("gone.2cbh"), sized("RefDB")].concat(),
            section("Databases"),
            database("own, games.pgn", "Мои партии,0,3,9,5,1037616,1037616"),
            database("book.ctg", "Book,0,0,0,0,0,0"),
            section("Status"),
            [vec![0x08, 1, 2, 3, 4], sized("Sort")].concat(),
            [vec![0x01, 1], sized("SortDir0")].concat(),
            [vec![0x19], sized("x"), sized("Selected")].concat(),
        ])
    }

    #[test]
    fn entries_are_those_of_the_window_with_their_state() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = sample(folder.path());
        let (entries, fault) = entries(&bytes, &folder.path().join("DBItems.cbini")).unwrap();
        assert!(fault.is_none());
        let told = entries.iter().map(|entry| {
            let name = entry.path.file_name().unwrap().to_str().unwrap();
            (name, entry.title.as_str(), entry.games, entry.state)
        });
        assert_eq!(
            told.collect::<Vec<_>>(),
            [
                ("gone.2cbh", "Gone, long ago", Some(7), EntryState::Absent),
                ("own, games.pgn", "Мои партии", Some(9), EntryState::Here),
                ("book.ctg", "Book", Some(0), EntryState::NotRead),
            ]
        );
    }

    #[test]
    fn entries_before_damage_are_told_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("DBItems.cbini");
        let bytes = sample(folder.path());
        for cut in 0..bytes.len() {
            match entries(&bytes[..cut], &list) {
                Err(_) => assert!(cut < 8),
                Ok((found, fault)) => {
                    assert!(found.len() <= 3);
                    assert!(fault.is_none_or(|fault| fault.offset().unwrap() <= cut as u64));
                }
            }
            let mut changed = bytes.clone();
            changed[cut] = 0xfe;
            let _ = entries(&changed, &list);
        }
        assert!(entries(b"[Event \"x\"]", &list).is_err());
    }
}
