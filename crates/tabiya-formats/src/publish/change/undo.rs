//! Takes the last change of a database back, once it is finished.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use super::{
    super::{
        FAMILIES, Temporary,
        before::{Before, OldFile, Stamp},
        commit, folder_of,
        record::record_path,
        recover, stem_of,
        temporary::{replace, sweep},
    },
    Change, Patch, check_writable, copied, followed,
};
use crate::{
    error::{Error, ErrorKind, Result},
    flaws,
    source::Source,
    suffix::{has_suffix, with_suffix},
};

const UNDO_SUFFIX: &str = "tabiya-undo";

/// Takes the last change of a database back: all files are as before, byte for byte.
///
/// The path may be that of any of the database's files, or the stem that they share. Returns
/// whether there was something to take back. It can be done once: what was taken back is gone.
///
/// # Errors
/// `Changed` if a file was written to since; `OtherDatabase` if the last change was one of a
/// database in another format that shares the stem; `Corrupt` if the file that holds what was
/// before is damaged; those of writing the database, such as `Io` if there is no room for files as
/// long as before. Nothing has changed then.
pub fn undo(path: &Path) -> Result<bool> {
    let path = &followed(path)?;
    let stem = stem_of(path, &FAMILIES);
    let undo = undo_path(&stem);
    recover(&stem)?;
    if !undo.exists() {
        return Ok(false);
    }
    let list = Source::map(&undo)?;
    let damaged = || Error::corrupt(flaws::NO_LIST_OF_OLD_CONTENT).at_path(&undo);
    let before = Before::of_bytes(&list).ok_or_else(damaged)?;
    let suffixes = before.suffixes().ok_or_else(damaged)?;
    if is_of_another(path, suffixes) {
        let index = with_suffix(&stem, suffixes.first().copied().unwrap_or_default());
        let name = index.file_name().unwrap_or_default().to_string_lossy();
        let kind = ErrorKind::OtherDatabase { name: name.into() };
        return Err(Error::new(kind).at_path(path));
    }
    // Nobody else writes the database from here on.
    let mut change = Change {
        record: None,
        stem,
        suffixes,
    };
    change.record = Some(change.begun()?);
    for (old, stamp) in before.files.iter().zip(before.after.ok_or_else(damaged)?) {
        let path = change.path(old.suffix);
        let is_same = match (stamp, Stamp::of(&path)) {
            (Some(then), Some(now)) => then.is_unwritten(&now),
            (then, now) => then == now,
        };
        if !is_same {
            let how = "it was written to since then";
            return Err(Error::new(ErrorKind::Changed { how }).at_path(&path));
        }
        check_writable(&path)?;
    }
    // Before anything is touched: a full disk leaves the change as it is.
    let copies = before.files.iter().map(|old| change.copy_of(old));
    let copies = copies.collect::<Result<Vec<_>>>()?;
    drop(list);
    let failed = |cause| Error::io("rename", &undo, cause);
    let locked = File::open(&undo).map_err(failed)?;
    let _ = locked.try_lock();
    // The record that is replaced is open here.
    replace(&undo, &record_path(&change.stem)).map_err(failed)?;
    change.record = None;
    change.take_back(Some(copies))?;
    sweep(folder_of(&change.stem), commit::recorded_in);
    Ok(true)
}

impl Change {
    /// Returns a file as it was, if it has another length now.
    fn copy_of(&self, old: &OldFile<'_>) -> Result<Option<Temporary>> {
        let path = self.path(old.suffix);
        let Some(Stamp { bytes, .. }) = old.stamp else {
            return Ok(None);
        };
        let failed = |cause| Error::io("write a copy beside it", &path, cause);
        let found = path.metadata();
        if found.is_ok_and(|found| found.len() == bytes) {
            return Ok(None);
        }
        copied(&path, bytes, old).map(Some).map_err(failed)
    }
}

/// Whether a path is that of a file of another database than that whose files have these suffixes:
/// databases in several formats may share a stem.
fn is_of_another(path: &Path, suffixes: &[&str]) -> bool {
    let mut families = FAMILIES.iter();
    !has_suffix(path, suffixes) && families.any(|family| has_suffix(path, family))
}

/// What the last change of a database was about.
#[derive(Debug, Clone)]
pub struct LastChange {
    /// Number of games, from the first on, whose records and moves it did not touch; all ones if
    /// it only appended games.
    pub untouched: u32,
    /// The files that it changed.
    pub files: Vec<FileChange>,
}

/// What the last change did to one file.
#[derive(Debug, Clone)]
pub struct FileChange {
    /// Where it is.
    pub path: PathBuf,
    /// Its stamp before; `None` if it did not exist.
    pub before: Option<Stamp>,
    /// Its stamp after the change.
    pub after: Option<Stamp>,
    /// What was overwritten: the offset, and the bytes that were there before. `None` if another
    /// file took its place; else all other bytes up to the length before are as they were.
    pub overwritten: Option<Vec<Patch>>,
}

/// Tells what the last change of the database at a path was about; `None` if that is not known.
/// The database may have been written to since then by other programs: the stamps show it.
/// O(bytes that it overwrote).
pub fn last_change(path: &Path) -> Option<LastChange> {
    let path = &followed(path).ok()?;
    let stem = stem_of(path, &FAMILIES);
    let list = Source::map(&undo_path(&stem)).ok()?;
    let before = Before::of_bytes(&list)?;
    let suffixes = before.suffixes()?;
    if is_of_another(path, suffixes) {
        return None;
    }
    let change = Change {
        stem,
        suffixes,
        record: None,
    };
    let stamps = before.files.iter().zip(before.after?);
    let patch = |&(offset, bytes): &(u64, &[u8])| (offset, bytes.to_vec());
    let file = |(old, after): (&OldFile<'_>, _)| FileChange {
        path: change.path(old.suffix),
        before: old.stamp,
        after,
        overwritten: (!old.is_whole()).then(|| old.parts.iter().map(patch).collect()),
    };
    Some(LastChange {
        untouched: before.untouched,
        files: stamps.map(file).collect(),
    })
}

pub(super) fn undo_path(stem: &Path) -> PathBuf {
    with_suffix(stem, UNDO_SUFFIX)
}
