//! Which files form a database, judged by their names.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use super::{
    chessbase,
    jose::{self, has_archive_name, has_table_name},
    monty::has_monty_name,
    pgn::has_pgn_name,
    scdb,
    scid4::Version,
};

/// The suffixes of databases of several files, the index first. If several databases share a stem,
/// the stem means the one of the first family here.
const FAMILIES: [&[&str]; 6] = [
    Version::Si5.suffixes(),
    Version::Si4.suffixes(),
    Version::Si3.suffixes(),
    &chessbase::write::SUFFIXES,
    &scdb::SUFFIXES,
    &NEW_CHESSBASE,
];
const NEW_CHESSBASE: [&str; 2] = ["2cbh", "2cbg"];
const CHESSBASE_ARCHIVES: [&str; 2] = ["cbv", "cbz"];

/// Whether a path has the suffix of a database file that is read or refused with a reason: index,
/// companion, archive, table or text. Ignores case. Does not access files.
#[must_use]
pub fn has_database_name(path: &Path) -> bool {
    family(path).is_some()
        || is_chessbase_archive(path)
        || has_archive_name(path)
        || has_table_name(path)
        || has_monty_name(path)
        || has_pgn_name(path)
}

/// Whether a path without such a suffix denotes an existing database: the stem that its files
/// share, or a folder with the tables of jose. Takes some system calls.
#[must_use]
pub fn stands_for_database(path: &Path) -> bool {
    index_of_stem(path).is_some() || jose::is_folder(path)
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
    let mut indices = FAMILIES.iter().map(|family| with_suffix(stem, family[0]));
    indices.find(|index| index.is_file())
}

/// Returns the suffixes of the database to which a file belongs by its name.
fn family(path: &Path) -> Option<&'static [&'static str]> {
    FAMILIES.into_iter().find(|family| has_suffix(path, family))
}

/// Whether a path is that of a ChessBase index.
pub(super) fn is_chessbase(path: &Path) -> bool {
    has_suffix(path, &chessbase::write::SUFFIXES[..1])
}

/// Whether a path is that of a database of newer ChessBase programs.
pub(super) fn is_new_chessbase(path: &Path) -> bool {
    has_suffix(path, &NEW_CHESSBASE[..1])
}

/// Whether a path is that of a ChessBase archive.
pub(super) fn is_chessbase_archive(path: &Path) -> bool {
    has_suffix(path, &CHESSBASE_ARCHIVES)
}

/// Whether a path has one of these suffixes, ignoring case.
pub(super) fn has_suffix(path: &Path, suffixes: &[&str]) -> bool {
    let is = |found: &OsStr| {
        suffixes
            .iter()
            .any(|known| found.eq_ignore_ascii_case(known))
    };
    path.extension().is_some_and(is)
}

/// Appends a suffix, which may be empty, to a stem, which may contain dots.
pub(super) fn with_suffix(stem: &Path, suffix: &str) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    if !suffix.is_empty() {
        name.push(".");
        name.push(suffix);
    }
    PathBuf::from(name)
}

/// Returns the path of another file of the same database; in upper case if only that exists.
pub(super) fn companion_path(path: &Path, suffix: &str) -> PathBuf {
    let small = path.with_extension(suffix);
    let capital = path.with_extension(suffix.to_ascii_uppercase());
    if !small.exists() && capital.exists() {
        capital
    } else {
        small
    }
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
}
