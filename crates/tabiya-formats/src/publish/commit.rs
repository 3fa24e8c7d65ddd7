//! Renames several files as if in one step.
//!
//! One file because the record, the renames, taking them back and finishing them after a kill hold
//! only together.
//!
//! A record next to them, `.NAME.tabiya-commit`, names the complete new files. Once it exists, the
//! next process that writes the database finishes what a killed process has left. Readers change
//! nothing: while the index exists it belongs to the files next to it, and while it does not they
//! report the record.
//!
//! 1. the record is written, synced and renamed, which fails while there is another record;
//! 2. the old files become `.tabiya-XXXXXX.old`, the index first: no database is visible;
//! 3. the new files get their names, the index last: the new database is visible;
//! 4. the old files are removed, then the record.
//!
//! An error in 2 or 3 undoes all renames, last one first. After a kill, the next process continues
//! from 3 if the old index is out of the way; otherwise it removes the new files and the record.
//! Each process holds a lock on the record meanwhile, so that a live one is not taken for a killed
//! one.
//!
//! The record is text, so that people can finish too: [`HEADER`], then for each file its name, its
//! length in bytes and its suffix, the index last, then the CRC-32 of all previous lines. It is not
//! trusted: it can only name files in its own folder that have the names of temporary files, and
//! can only rename them to its own stem with the suffixes of one format. Old files with suffixes of
//! that format for which there is no new file are moved and removed like the others.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use super::{
    FAMILIES, disk, folder_of,
    record::{RECORD_SUFFIX, is_change, is_there, place, record_path},
    temporary::{Names, Temporary, abandon, is_temporary_name},
};
use crate::{
    error::{Error, ErrorKind, Result},
    flaws,
    source::open_regular,
    suffix::with_suffix,
};

const HEADER: &str = "tabiya: these files are to be NAME.suffix, in this order; 1";
/// More than the length of any record.
const RECORD_BYTES_MAX: u64 = 1 << 14;

/// New files and their final names.
#[derive(Debug, PartialEq, Eq)]
pub struct Commit {
    stem: PathBuf,
    /// The index is last.
    files: Vec<NewFile>,
    /// Suffixes of old files in whose place no new ones come.
    others: Vec<&'static str>,
}

#[derive(Debug, PartialEq, Eq)]
struct NewFile {
    /// Its temporary name.
    name: String,
    bytes: u64,
    suffix: &'static str,
}

impl Commit {
    /// Creates a commit of complete files, with their suffixes, of a database that can have files
    /// with all suffixes of `family`.
    pub fn new(
        stem: &Path,
        family: &[&'static str],
        files: &[(Temporary, &'static str)],
    ) -> io::Result<Commit> {
        let new_file = |(file, suffix): &(Temporary, &'static str)| {
            let name = file.path().file_name().unwrap_or_default();
            Ok(NewFile {
                name: name.to_string_lossy().into_owned(),
                bytes: file.length()?,
                suffix,
            })
        };
        let files = files.iter().map(new_file).collect::<io::Result<_>>()?;
        Ok(Commit::of_files(stem, family, files))
    }

    fn of_files(stem: &Path, family: &[&'static str], files: Vec<NewFile>) -> Commit {
        let is_other = |suffix: &&str| files.iter().all(|file| file.suffix != *suffix);
        Commit {
            stem: stem.to_owned(),
            others: family.iter().copied().filter(is_other).collect(),
            files,
        }
    }

    /// Renames the files, or leaves everything as it was. If even that fails, or the process is
    /// killed, [`recover`](super::recover) goes on. Calls `check` once other processes are locked
    /// out.
    pub(super) fn publish(
        &self,
        mut files: Vec<(Temporary, &'static str)>,
        check: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let index = self.files.last().map(|file| self.target(file));
        let shown = index.as_ref().unwrap_or(&self.stem);
        let _locked = place(&self.stem, shown, self.to_text().as_bytes())?;
        for (file, _) in &mut files {
            file.keep();
        }
        let mut renames = Renames::default();
        let published = check().and_then(|()| self.replace(&mut renames));
        match published {
            // What cannot be removed now is removed when the database is written again.
            Ok(()) => drop(self.clear()),
            Err(_) => drop(renames.take_back().and_then(|()| self.withdraw())),
        }
        published
    }

    fn replace(&self, renames: &mut Renames) -> Result<()> {
        self.sync_folder()?;
        for (old, aside) in self.old_files().filter(|(old, _)| is_there(old)) {
            let moved = renames.rename(&old, &aside);
            moved.map_err(|cause| Error::io("rename", &old, cause))?;
        }
        for file in &self.files {
            let target = self.target(file);
            let named = renames.rename(&self.temporary(file), &target);
            named.map_err(|cause| Error::io("create", &target, cause))?;
        }
        self.sync_folder()
    }

    /// Removes the old files, and then the record.
    fn clear(&self) -> Result<()> {
        for (_, aside) in self.old_files() {
            match disk::remove(&aside) {
                Err(cause) if cause.kind() == io::ErrorKind::PermissionDenied => {
                    abandon(&aside).map(drop)
                }
                removed => removed,
            }
            .map_err(|cause| Error::io("remove", &aside, cause))?;
        }
        remove(&record_path(&self.stem))
    }

    /// Removes the record and the new files. They must not be renamed once the record is gone.
    fn withdraw(&self) -> Result<()> {
        remove(&record_path(&self.stem))?;
        self.files
            .iter()
            .try_for_each(|file| remove(&self.temporary(file)))
    }

    /// Continues where a killed process has stopped.
    fn resume(&self) -> Result<()> {
        let is_new = |file: &NewFile| has_length(&self.temporary(file), file.bytes);
        let is_named =
            |file: &NewFile| !is_there(&self.temporary(file)) && is_there(&self.target(file));
        if self.files.iter().all(is_named) {
            self.sync_folder()?;
            return self.clear();
        }
        let index = self.files.last();
        if index.is_some_and(|index| is_there(&self.target(index))) {
            let has_begun = self.old_files().any(|(_, aside)| is_there(&aside));
            return if !has_begun && self.files.iter().all(is_new) {
                self.withdraw()
            } else {
                Err(self.unfinished("since then another index has been put there"))
            };
        }
        let is_complete = |file: &NewFile| {
            is_new(file) || is_named(file) && has_length(&self.target(file), file.bytes)
        };
        if !self.files.iter().all(is_complete) {
            let why = "some of the new files are gone or have changed; those of before end in .old";
            return Err(self.unfinished(why));
        }
        for suffix in &self.others {
            remove(&with_suffix(&self.stem, suffix))?;
        }
        for file in self.files.iter().filter(|file| is_new(file)) {
            let target = self.target(file);
            disk::rename(&self.temporary(file), &target)
                .map_err(|cause| Error::io("rename", &target, cause))?;
        }
        self.sync_folder()?;
        self.clear()
    }

    fn sync_folder(&self) -> Result<()> {
        let folder = folder_of(&self.stem);
        disk::sync_folder(folder).map_err(|cause| Error::io("write", folder, cause))
    }

    fn unfinished(&self, why: &'static str) -> Error {
        Error::new(ErrorKind::Unfinished { why }).at_path(&record_path(&self.stem))
    }

    fn temporary(&self, file: &NewFile) -> PathBuf {
        folder_of(&self.stem).join(&file.name)
    }

    /// Iterates over the paths of all old files, the index first, and those to which they move.
    fn old_files(&self) -> impl Iterator<Item = (PathBuf, PathBuf)> {
        let replaced = self.files.iter().rev().map(|file| {
            let aside = self.temporary(file).with_extension("old");
            (self.target(file), aside)
        });
        let index = self.files.last().map(|file| self.temporary(file));
        let removed = index.into_iter().flat_map(move |index| {
            self.others.iter().map(move |suffix| {
                let aside = index.with_extension(format!("{suffix}.old"));
                (with_suffix(&self.stem, suffix), aside)
            })
        });
        replaced.chain(removed)
    }

    fn target(&self, file: &NewFile) -> PathBuf {
        with_suffix(&self.stem, file.suffix)
    }

    /// Returns the text of the record, with its checksum.
    pub fn to_text(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for NewFile {
            name,
            bytes,
            suffix,
        } in &self.files
        {
            text.push_str(&format!("{name} {bytes} {suffix}\n"));
        }
        let sum = crc32fast::hash(text.as_bytes());
        text.push_str(&format!("{sum:08x}\n"));
        text
    }

    /// Parses a record; `None` if the text is not a complete record.
    pub fn of_text(stem: &Path, text: &str) -> Option<Commit> {
        let (lines, sum) = text.strip_suffix('\n')?.rsplit_once('\n')?;
        let summed = text.get(..lines.len() + 1)?;
        if sum != format!("{:08x}", crc32fast::hash(summed.as_bytes())) {
            return None;
        }
        let lines = lines.strip_prefix(HEADER)?.strip_prefix('\n')?;
        let files: Vec<NewFile> = lines.split('\n').map(new_file).collect::<Option<_>>()?;
        let index = files.last()?.suffix;
        let family = FAMILIES.iter().find(|family| family[0] == index)?;
        let commit = Commit::of_files(stem, family, files);
        // Every suffix is one of the family, and none comes twice.
        (commit.files.len() + commit.others.len() == family.len()
            && commit
                .files
                .iter()
                .all(|file| family.contains(&file.suffix)))
        .then_some(commit)
    }
}

/// Parses a line of a record.
fn new_file(line: &str) -> Option<NewFile> {
    let mut words = line.split(' ');
    let (name, bytes, suffix) = (words.next()?, words.next()?, words.next()?);
    let known = FAMILIES.iter().flat_map(|family| *family);
    let file = NewFile {
        name: name.to_owned(),
        bytes: bytes.parse().ok()?,
        suffix: known.copied().find(|known| *known == suffix)?,
    };
    (is_temporary_name(name) && words.next().is_none()).then_some(file)
}

/// Renames that can be undone.
#[derive(Default)]
struct Renames(Vec<(PathBuf, PathBuf)>);

impl Renames {
    fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        disk::rename_new(from, to)?;
        self.0.push((from.to_owned(), to.to_owned()));
        Ok(())
    }

    fn take_back(mut self) -> Result<()> {
        while let Some((from, to)) = self.0.pop() {
            disk::rename_new(&to, &from).map_err(|cause| Error::io("rename", &to, cause))?;
        }
        Ok(())
    }
}

/// Finishes the renames that a killed process has left, of which this is the record.
///
/// # Errors
/// `Unfinished` if that is impossible; `Corrupt` if the file is not a record.
pub(super) fn finish(stem: &Path, path: &Path, record: &File) -> Result<()> {
    let commit = read(stem, path, record)?;
    commit.resume().map_err(|error| match error.kind() {
        ErrorKind::Io { .. } => {
            let why = "its folder cannot be changed";
            commit.unfinished(why).with_cause_of(&error)
        }
        _ => error,
    })
}

fn read(stem: &Path, path: &Path, record: &File) -> Result<Commit> {
    let mut text = String::new();
    let read = record.take(RECORD_BYTES_MAX).read_to_string(&mut text);
    let commit = read.ok().and_then(|_| Commit::of_text(stem, &text));
    commit.ok_or_else(|| Error::corrupt(flaws::NO_LIST_OF_FILES).at_path(path))
}

/// Returns all file names in the records of a folder; `None` if a record cannot be read.
pub(super) fn recorded_in(folder: &Path) -> Option<Names> {
    let mut names = Names::new();
    for entry in fs::read_dir(folder).ok()? {
        let path = entry.ok()?.path();
        let is_record = path.extension().is_some_and(|found| found == RECORD_SUFFIX);
        if is_record {
            let text = open_regular(&path).ok()?;
            if is_change(&text) {
                continue;
            }
            let commit = read(&path, &path, &text).ok()?;
            names.extend(commit.files.into_iter().map(|file| file.name.into()));
        }
    }
    Some(names)
}

fn has_length(path: &Path, bytes: u64) -> bool {
    let found = path.symlink_metadata();
    found.is_ok_and(|found| found.is_file() && found.len() == bytes)
}

fn remove(path: &Path) -> Result<()> {
    disk::remove(path).map_err(|cause| Error::io("remove", path, cause))
}
