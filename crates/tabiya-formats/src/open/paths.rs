//! Which files form a database, judged by their names.

use std::path::{Path, PathBuf};

use super::table::FORMATS;
#[cfg(feature = "jose")]
use crate::jose::is_folder as is_jose_folder;
use crate::{
    Access, File,
    lists::List,
    pgn::text_head,
    suffix::{companion_path, has_end, has_suffix, with_suffix},
};

/// The suffix of lists of databases, without its dot.
pub const SET_SUFFIX: &str = "tabiyaset";

/// The suffix of the list of ChessBase's window, without its dot.
const WINDOW_SUFFIX: &str = "cbini";

/// Whether a path has the suffix of a [list of databases](super::databases_named). Ignores case.
/// Does not access files.
#[must_use]
pub fn is_set(path: &Path) -> bool {
    has_suffix(path, &[SET_SUFFIX]) || is_window(path)
}

/// Whether a path has the suffix of the list of ChessBase's window. Ignores case. Does not access
/// files.
pub(super) fn is_window(path: &Path) -> bool {
    has_suffix(path, &[WINDOW_SUFFIX])
}

/// Whether a path has the suffix of a database file that is read or refused with a reason: index,
/// companion, archive, table, text or list of databases. Ignores case. Does not access files.
#[must_use]
pub fn has_database_name(path: &Path) -> bool {
    is_set(path)
        || FORMATS.iter().any(|format| {
            let mut ends = format.alone.iter();
            ends.any(|end| has_end(path, end))
                || has_suffix(path, format.family)
                || has_suffix(path, format.inside)
        })
}

/// Returns the suffixes of the files that databases are opened by, such as `si4` and `pgn`, of
/// packed files the last: `gz`.
#[must_use]
pub fn database_suffixes() -> Vec<&'static str> {
    let mut suffixes = Vec::new();
    for format in FORMATS {
        let alone = format.alone.iter().filter(|end| **end != "/");
        for end in format.family.first().into_iter().chain(alone) {
            let suffix = end.rsplit('.').next().unwrap_or(end);
            if !suffixes.contains(&suffix) {
                suffixes.push(suffix);
            }
        }
    }
    suffixes
}

/// Whether a path without such a suffix denotes an existing database: the stem that its files
/// share, or a folder with the tables of jose. Takes some system calls.
#[must_use]
pub fn stands_for_database(path: &Path) -> bool {
    index_of_stem(path).is_some() || is_jose_folder(path)
}

#[cfg(not(feature = "jose"))]
fn is_jose_folder(_: &Path) -> bool {
    false
}

/// Returns the files that opening a path reads, as far as their names show: the file itself and
/// those that belong to it. They need not exist.
#[must_use]
pub fn source_files(path: &Path) -> Vec<PathBuf> {
    let index = index_path(path);
    match family(&index) {
        Some(suffixes) => suffixes
            .iter()
            .map(|suffix| companion_path(&index, suffix))
            .collect(),
        None => vec![index],
    }
}

/// Whether an existing file may belong to a database: by its name, and by its first bytes where
/// files of other kinds have the same suffix, as `.csv` and `.json`.
#[must_use]
pub fn may_belong_to_database(path: &Path) -> bool {
    let holds = |list: List| {
        let file = File::open(path, Access::Map);
        file.is_ok_and(|file| list.refusal(&text_head(&file.bytes)).is_none())
    };
    has_database_name(path) && List::of_name(path).is_none_or(holds)
}

/// Whether an entry of a folder is a database of its own: a folder with the tables of jose, an
/// index, or a file that is a database alone. Takes some system calls.
#[must_use]
pub fn is_database_entry(path: &Path) -> bool {
    if path.is_dir() {
        is_jose_folder(path)
    } else {
        may_belong_to_database(path) && is_first_file(path) && !is_set(path)
    }
}

/// Judges by the name, in small letters or capitals: some file systems take both for the same.
fn is_first_file(path: &Path) -> bool {
    family(path).is_none_or(|suffixes| has_suffix(path, &suffixes[..1]))
}

/// Finds the index file for a path: the path itself, its index, or the path with an index suffix.
pub(super) fn index_path(path: &Path) -> PathBuf {
    let index = match family(path) {
        Some([index, ..]) if !has_suffix(path, &[index]) => companion_path(path, index),
        _ => path.to_owned(),
    };
    if index.is_file() {
        index
    } else {
        index_of_stem(path).unwrap_or(index)
    }
}

/// Finds the index of the database with this stem.
pub(super) fn index_of_stem(stem: &Path) -> Option<PathBuf> {
    let families = FORMATS.iter().filter_map(|format| format.family.first());
    let mut indices = families.map(|index| with_suffix(stem, index));
    indices.find(|index| index.is_file())
}

/// Returns the suffixes of the database to which a file belongs by its name.
fn family(path: &Path) -> Option<&'static [&'static str]> {
    let mut families = FORMATS.iter().map(|format| format.family);
    families.find(|family| has_suffix(path, family))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_every_format_have_names_of_databases_in_small_letters_and_capitals() {
        let names = [
            "a.si3",
            "a.sg3",
            "a.sn3",
            "a.si4",
            "a.sg4",
            "a.sn4",
            "a.si5",
            "a.sg5",
            "a.sn5",
            "a.cbh",
            "a.cbg",
            "a.cbtt",
            "a.flags",
            "a.cbv",
            "a.cbz",
            "a.2cbh",
            "a.dci",
            "a.dce",
            "a.jose",
            "a.jos",
            "game.MYD",
            "game.frm",
            "a.binpack",
            "a.pgn",
            "a.pgn.zst",
            "a.pgn.xz",
            "twic.zip",
        ];
        for name in names {
            assert!(has_database_name(Path::new(name)), "{name}");
            assert!(has_database_name(Path::new(&name.to_uppercase())), "{name}");
        }
        for name in ["a", "si4", "a.txt", "a.si4.txt", "a.zst", "a.pgn.txt", ""] {
            assert!(!has_database_name(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn an_index_in_capitals_stands_for_its_database() {
        for name in [
            "a.si4", "A.SI4", "ALL.CBH", "a.2cbh", "A.DCI", "a.pgn", "A.PGN.GZ",
        ] {
            assert!(is_database_entry(Path::new(name)), "{name}");
        }
        for name in ["a.sg4", "A.SN4", "ALL.CBG", "a.2cbg", "A.DCE", "a.txt"] {
            assert!(!is_database_entry(Path::new(name)), "{name}");
        }
    }
}
