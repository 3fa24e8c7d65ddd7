//! A database that was probably meant when there is none of the name that was typed.

use std::{error::Error as _, fs, io, path::Path};

use tabiya::{Error, ErrorKind, format::is_database_entry};

/// Files of the folder that are looked at.
const FILES_MAX: usize = 10_000;
/// Letters of a name for each of which one may be wrong, besides the first.
const LETTERS_PER_FAULT: usize = 5;

/// Returns the path of a database in the same folder, if an error is that a file is not there and
/// a database beside it has almost the same name.
pub(crate) fn meant(error: &anyhow::Error) -> Option<String> {
    let error: &Error = error.downcast_ref()?;
    let cause: Option<&io::Error> = error.source().and_then(|cause| cause.downcast_ref());
    let is_absent = matches!(error.kind(), ErrorKind::Io { action: "open" })
        && cause.is_some_and(|cause| cause.kind() == io::ErrorKind::NotFound);
    let path = error.path().filter(|_| is_absent)?;
    let typed = path.file_name()?.to_str()?.to_lowercase();
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let entries = fs::read_dir(folder).ok()?.flatten().take(FILES_MAX);
    let names = entries.filter_map(|entry| {
        let found = entry.path();
        let name = entry.file_name().into_string().ok()?;
        is_database_entry(&found).then(|| (distance(&typed, &name.to_lowercase()), name))
    });
    let (faults, name) = names.min()?;
    let is_near = faults <= 1 + typed.chars().count() / LETTERS_PER_FAULT;
    is_near.then(|| path.with_file_name(name).display().to_string())
}

/// Returns how many letters two names differ by. The suffix may be missing, or be another one.
fn distance(typed: &str, name: &str) -> usize {
    let stem = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    let of_stems = match stem(typed) {
        typed if typed.is_empty() => usize::MAX,
        typed => strsim::osa_distance(&typed, &stem(name)).saturating_add(1),
    };
    strsim::osa_distance(typed, name).min(of_stems)
}
