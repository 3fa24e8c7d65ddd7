//! Suffixes of files. Capitals do not count.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

/// The suffixes of the files of a ChessBase database, the index first and the search boosters last.
///
/// Boosters are not written. Those of a replaced database are removed: they are about its games.
pub(crate) const CHESSBASE: &[&str; 18] = &[
    "cbh", "cbg", "cba", "cbj", "cbp", "cbt", "cbc", "cbs", "cbe", "cbl", "cbtt", "cbgi", "flags",
    "cbb", "cit", "cib", "cit2", "cib2",
];

/// The suffixes of the files of a ChessBase 2 database, the index first. The last two, which sort
/// and list the names, are neither read nor written.
pub(crate) const CHESSBASE2: &[&str; 6] = &["2cbh", "2cbg", "2cba", "2lid", "2lgd", "2lcd"];

/// Of these the files that tell of others and are made anew by ChessBase: search boosters, offsets
/// of games, lists of the games of names, and orders of names.
pub(crate) const DERIVED: &[&str] = &["cbgi", "cbb", "cit", "cib", "cit2", "cib2", "2lgd", "2lcd"];

/// The suffixes of the files of a database of ChessBase 1 to 5, the index first.
pub(crate) const CBF: &[&str; 2] = &["cbi", "cbf"];

/// The suffixes of the files of a Simple Chess Database, the index first.
pub(crate) const SCDB: &[&str; 5] = &["dci", "dcg", "dcn", "dcs", "dce"];

/// The suffixes of the files of jose's tables, also of engines that are not read.
pub(crate) const JOSE_TABLES: &[&str] = &["myd", "myi", "frm", "ibd", "arz"];

/// Tells whether a path ends in one of these suffixes, in small letters or capitals.
pub(super) fn has_suffix(path: &Path, suffixes: &[&str]) -> bool {
    let is = |found: &OsStr| {
        suffixes
            .iter()
            .any(|known| found.eq_ignore_ascii_case(known))
    };
    path.extension().is_some_and(is)
}

/// Appends a suffix, which may be empty, to a stem: a dot may be part of the stem.
pub(super) fn with_suffix(stem: &Path, suffix: &str) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    if !suffix.is_empty() {
        name.push(".");
        name.push(suffix);
    }
    PathBuf::from(name)
}

/// Returns the path of another file of the same database; in capitals if only that is there.
pub(super) fn companion_path(path: &Path, suffix: &str) -> PathBuf {
    let small = path.with_extension(suffix);
    let capital = path.with_extension(suffix.to_ascii_uppercase());
    if !small.exists() && capital.exists() {
        capital
    } else {
        small
    }
}

/// Tells whether the name of a file ends in a dot and these small letters, which may hold dots.
pub(super) fn has_end(path: &Path, end: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_ascii_lowercase();
    let stem = name.strip_suffix(end);
    stem.is_some_and(|stem| stem.ends_with('.'))
}
