//! Changes the files of a database where they are, as if in one step, and takes the last change
//! back.
//!
//! What the files held before is written down first:
//!
//! 1. `.NAME.tabiya-commit` is created with [`HEADER`] alone, and locked: nobody else writes the
//!    database meanwhile, and readers need not care;
//! 2. what will be overwritten, and how long the files are and become, is [added](super::before)
//!    and synced;
//! 3. files grow, are replaced, and are overwritten, in this order, and are synced;
//! 4. what they are like now is added; files that tell of the others and were not changed with them
//!    (`DERIVED`) are removed;
//! 5. the file becomes `NAME.tabiya-undo`.
//!
//! An error takes everything back. If the process is killed between 2 and 5, readers refuse the
//! database, and the next process that writes it takes everything back, unless another program has
//! written it meanwhile, which does not know the record. Once 5 is done, [`undo()`] can do the
//! same, by making of `NAME.tabiya-undo` the record of an unfinished change: the next change
//! replaces it. Removed files do not come back: whose they are makes them anew.

mod undo;

use std::{
    fs::{File, OpenOptions},
    io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use self::undo::undo_path;
pub use self::undo::{FileChange, LastChange, last_change, undo};
use super::{
    Overwrite, Target, Temporary,
    before::{
        Before, HEADER, OldFile, Overwritten, Planned, Stamp, checksum_of_begin, write_after,
        write_before,
    },
    commit, disk, folder_of,
    record::{is_there, locked, place, record_path},
    stem_of,
    temporary::{abandon, replace},
};
use crate::{
    error::{Error, ErrorKind, Result},
    source::Source,
    suffix::{self, companion_path},
};

/// A database that nobody else writes while this exists. If it is dropped, nothing has changed.
#[derive(Debug)]
pub struct Change {
    stem: PathBuf,
    /// Of all files, the index first.
    suffixes: &'static [&'static str],
    /// Locked; `None` once it is over.
    record: Option<File>,
}

/// What becomes of one file.
#[derive(Debug)]
pub struct ChangedFile {
    /// Its suffix, empty if the file is all of the database.
    pub suffix: &'static str,
    /// Its new content.
    pub content: Content,
}

/// The new content of a file.
#[derive(Debug)]
pub enum Content {
    /// Another file takes its place.
    Whole(Temporary),
    /// It is overwritten and grows.
    InPlace {
        /// Its length in bytes before.
        bytes: u64,
        /// What is appended.
        tail: Option<Temporary>,
        /// What is overwritten: the offset, and the bytes. None reaches beyond the length before.
        patches: Vec<Patch>,
    },
}

/// An offset, and the bytes that are written there.
pub type Patch = (u64, Vec<u8>);

impl Change {
    /// Begins a change of the database at a path, once no other process changes it, and takes back
    /// what a killed process has left. `suffixes` are those of its files, the index first; a single
    /// empty one for a database of one file.
    ///
    /// # Errors
    /// `Io` if the database does not exist, or its files or its folder may not be written;
    /// `Unfinished` if another process goes on changing it.
    pub fn begin(path: &Path, suffixes: &'static [&'static str]) -> Result<Change> {
        let path = &followed(path)?;
        let stem = match suffixes {
            [""] => path.to_owned(),
            _ => stem_of(path, &[suffixes]),
        };
        super::recover(&stem)?;
        let mut change = Change {
            stem,
            suffixes,
            record: None,
        };
        // Before anything is written: what may not be written cannot be taken back either.
        for suffix in suffixes {
            check_writable(&change.path(suffix))?;
        }
        change.record = Some(change.begun()?);
        let index = change.path("");
        let found = index.metadata();
        found.map_err(|cause| Error::io("open", &index, cause))?;
        super::temporary::sweep(folder_of(&change.stem), commit::recorded_in);
        Ok(change)
    }

    /// Writes that a change begins, and returns that locked.
    fn begun(&self) -> Result<File> {
        place(&self.stem, &self.path(""), HEADER.as_bytes())
    }

    /// Returns the path of a file.
    pub fn path(&self, suffix: &str) -> PathBuf {
        let index = self.target().index();
        let suffix = if suffix.is_empty() {
            self.index_suffix()
        } else {
            suffix
        };
        let path = match suffix {
            "" => index,
            _ => companion_path(&index, suffix),
        };
        followed(&path).unwrap_or(path)
    }

    /// Returns the suffix of the index; none of a database of one file.
    fn index_suffix(&self) -> &'static str {
        self.suffixes.first().copied().unwrap_or_default()
    }

    /// Returns the content of a file before the change.
    ///
    /// # Errors
    /// `Io`.
    pub fn read(&self, suffix: &str) -> Result<Source> {
        Source::map(&self.path(suffix))
    }

    /// Where new content is written before it is put in place.
    pub(crate) fn target(&self) -> Target {
        Target {
            stem: self.stem.clone(),
            suffixes: self.suffixes,
            overwrite: Overwrite::Replace,
        }
    }

    /// Makes the change; what was before can be had again by [`undo()`]. What says how much of the
    /// other files is valid, the index, must be last. The records and moves of the first
    /// `untouched` games must be the same afterwards, byte for byte; all ones if games are only
    /// appended, which may change how the last game before them ends.
    ///
    /// # Errors
    /// `Io`, after which everything is as before; `Changed` if a file has another length. If even
    /// that cannot be made as before, the next process that writes the database does it.
    pub fn finish(mut self, untouched: u32, mut files: Vec<ChangedFile>) -> Result<()> {
        let Some(mut record) = self.record.take() else {
            return Ok(());
        };
        let written = self.write_down(&mut record, untouched, &mut files);
        if written.is_err() {
            self.record = Some(record);
            return written;
        }
        let changed = self.make(&mut record, files);
        if changed.is_err() {
            // What fails here is done by the next process.
            let _ = self.take_back(None);
        }
        changed
    }

    /// Writes down what the files held before.
    fn write_down(
        &self,
        record: &mut File,
        untouched: u32,
        files: &mut [ChangedFile],
    ) -> Result<()> {
        for file in files.iter_mut() {
            let path = self.path(file.suffix);
            let failed = |cause| Error::io("write", &path, cause);
            if let Some(new) = file.content.new_bytes() {
                new.sync().map_err(failed)?;
            }
            file.content.check(&path)?;
        }
        let path = record_path(&self.stem);
        let failed = |cause| Error::io("write", &path, cause);
        disk::attempt().map_err(failed)?;
        let mut old = Vec::new();
        for file in files.iter_mut() {
            let path = self.path(file.suffix);
            let before = file.before(&path);
            old.push(before.map_err(|cause| Error::io("read", &path, cause))?);
        }
        write_before(BufWriter::new(&*record), untouched, &mut old).map_err(failed)?;
        disk::attempt().map_err(failed)?;
        record.sync_all().map_err(failed)?;
        self.sync_folder()
    }

    fn make(&self, record: &mut File, files: Vec<ChangedFile>) -> Result<()> {
        let paths: Vec<PathBuf> = files.iter().map(|file| self.path(file.suffix)).collect();
        let mut opened = Vec::new();
        for (file, path) in files.into_iter().zip(&paths) {
            let put = file.content.put(path);
            opened.push(put.map_err(|cause| Error::io("write", path, cause))?);
        }
        for (opened, path) in opened.iter_mut().zip(&paths) {
            if let Some((file, patches)) = opened {
                let patches = patches.iter().map(|(offset, bytes)| (*offset, &**bytes));
                let written = overwrite(file, patches);
                written.map_err(|cause| Error::io("write", path, cause))?;
            }
        }
        let stamps: Vec<Option<Stamp>> = paths.iter().map(|path| Stamp::of(path)).collect();
        let path = record_path(&self.stem);
        let failed = |cause| Error::io("write", &path, cause);
        disk::attempt().map_err(failed)?;
        write_after(BufWriter::new(&*record), &stamps).map_err(failed)?;
        disk::attempt().map_err(failed)?;
        record.sync_all().map_err(failed)?;
        let is_changed = |suffix: &&str| paths.contains(&self.path(suffix));
        let derived = suffix::DERIVED
            .iter()
            .filter(|suffix| self.suffixes.contains(suffix));
        for path in derived
            .filter(|suffix| !is_changed(suffix))
            .map(|suffix| self.path(suffix))
        {
            remove(&path).map_err(|cause| Error::io("remove", &path, cause))?;
        }
        self.sync_folder()?;
        let undo = undo_path(&self.stem);
        replace(&path, &undo).map_err(|cause| Error::io("rename", &undo, cause))?;
        // It is done; a power cut could still bring the record back, and with it what was before.
        let _ = self.sync_folder();
        Ok(())
    }

    /// Makes everything as the record says that it was, and removes the record. What is finished is
    /// taken back with `copies`, by file; a change that is not is as if it had never been: files
    /// get their times back, by which an earlier change knows that nobody else wrote them.
    fn take_back(&self, copies: Option<Vec<Option<Temporary>>>) -> Result<()> {
        let path = record_path(&self.stem);
        let list = Source::map(&path)?;
        if let Some(before) = Before::of_bytes(&list) {
            let is_finished = copies.is_some();
            let mut copies = copies.unwrap_or_default();
            copies.resize_with(before.files.len(), || None);
            for (old, copy) in before.files.iter().zip(copies).rev() {
                let path = self.path(old.suffix);
                restore(&path, old, copy)?;
                if !is_finished && let Some(stamp) = old.stamp {
                    // Only the owner of a file may do that.
                    let _ = stamp.give_time(&path);
                }
            }
            self.sync_folder()?;
        }
        drop(list);
        disk::remove(&path).map_err(|cause| Error::io("remove", &path, cause))
    }

    fn sync_folder(&self) -> Result<()> {
        let folder = folder_of(&self.stem);
        disk::sync_folder(folder).map_err(|cause| Error::io("write", folder, cause))
    }
}

impl Drop for Change {
    fn drop(&mut self) {
        if self.record.is_some() {
            let _ = disk::remove(&record_path(&self.stem));
        }
    }
}

impl ChangedFile {
    /// Says which bytes the change overwrites.
    fn before(&mut self, path: &Path) -> io::Result<Overwritten> {
        let suffix = self.suffix;
        let file = match File::open(path) {
            Ok(file) => Some(file),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => None,
            Err(cause) => return Err(cause),
        };
        let parts = match (&self.content, &file) {
            (_, None) => Vec::new(),
            (Content::Whole(_), Some(file)) => vec![(0, file.metadata()?.len())],
            (Content::InPlace { patches, .. }, _) => {
                let part = |(offset, bytes): &Patch| (*offset, bytes.len() as u64);
                patches.iter().map(part).collect()
            }
        };
        Ok(Overwritten {
            suffix,
            file,
            planned: self.content.planned()?,
            parts,
        })
    }
}

impl Content {
    fn new_bytes(&mut self) -> Option<&mut Temporary> {
        match self {
            Content::Whole(file) => Some(file),
            Content::InPlace { tail, .. } => tail.as_mut(),
        }
    }

    /// Tells what the file is going to hold.
    fn planned(&mut self) -> io::Result<Planned> {
        let from = match self {
            Content::Whole(_) => 0,
            Content::InPlace { bytes, .. } => *bytes,
        };
        let (length, begin) = match self.new_bytes() {
            Some(new) => (new.length()?, checksum_of_begin(new.file(), 0)?),
            None => (0, checksum_of_begin(io::empty(), 0)?),
        };
        Ok(Planned {
            bytes: from + length,
            from,
            begin,
        })
    }

    /// Fails if the file is not as the change was made for.
    fn check(&self, path: &Path) -> Result<()> {
        let Content::InPlace { bytes, patches, .. } = self else {
            return Ok(());
        };
        let found = path.metadata();
        let found = found.map_err(|cause| Error::io("read", path, cause))?.len();
        let is_inside = |(offset, part): &Patch| {
            let end = offset.checked_add(part.len() as u64);
            end.is_some_and(|end| end <= found)
        };
        if found == *bytes && patches.iter().all(is_inside) {
            return Ok(());
        }
        let how = "it has another length";
        Err(Error::new(ErrorKind::Changed { how }).at_path(path))
    }

    /// Lets the file grow, or puts another in its place; returns it if it is to be overwritten.
    fn put(self, path: &Path) -> io::Result<Option<(File, Vec<Patch>)>> {
        match self {
            Content::Whole(new) => {
                keep_permissions(path, &new);
                new.persist(path, true).map(|_| None)
            }
            Content::InPlace {
                bytes,
                tail,
                patches,
            } => {
                disk::attempt()?;
                let mut file = OpenOptions::new().write(true).open(path)?;
                if let Some(mut tail) = tail {
                    file.seek(SeekFrom::Start(bytes))?;
                    tail.copy_to(&mut file)?;
                }
                Ok(Some((file, patches)))
            }
        }
    }
}

/// Fails if a file of the database is there and may not be written.
fn check_writable(path: &Path) -> Result<()> {
    disk::check_writable(path).map_err(|cause| Error::io("write", path, cause))
}

/// Removes a file, if it is there and also if it is mapped.
fn remove(path: &Path) -> io::Result<()> {
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    match disk::remove(path) {
        Err(cause) if cause.kind() == io::ErrorKind::PermissionDenied => abandon(path).map(drop),
        removed => removed,
    }
}

/// Lets a new file be read and written by those who may the old one, if the system lets us.
fn keep_permissions(old: &Path, new: &Temporary) {
    if let Ok(old) = old.metadata() {
        let _ = std::fs::set_permissions(new.path(), old.permissions());
    }
}

/// Overwrites parts of a file and syncs it.
fn overwrite<'b>(file: &mut File, parts: impl Iterator<Item = (u64, &'b [u8])>) -> io::Result<()> {
    for (offset, bytes) in parts {
        disk::attempt()?;
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(bytes)?;
    }
    disk::attempt()?;
    file.sync_all()
}

/// Makes a file as it was; if that is done already, nothing changes. A copy, if there is one, is
/// put in its place: whoever has mapped a longer file can go on reading. Without one it is cut off,
/// which needs no room.
fn restore(path: &Path, old: &OldFile<'_>, copy: Option<Temporary>) -> Result<()> {
    let failed = |cause| Error::io("write", path, cause);
    let Some(Stamp { bytes, .. }) = old.stamp else {
        return disk::remove(path).map_err(|cause| Error::io("remove", path, cause));
    };
    if let Some(copy) = copy {
        return copy.persist(path, true).map(drop).map_err(failed);
    }
    let found = match path.metadata() {
        Ok(found) => found.len(),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => 0,
        Err(cause) => return Err(failed(cause)),
    };
    if found < bytes && !old.is_whole() {
        let why = "one of its files has become shorter";
        return Err(Error::new(ErrorKind::Unfinished { why }).at_path(path));
    }
    let parts = || old.parts.iter().copied();
    if found >= bytes {
        let restored = disk::attempt()
            .and_then(|()| OpenOptions::new().write(true).open(path))
            .and_then(|mut file| {
                if found > bytes {
                    disk::attempt()?;
                    file.set_len(bytes)?;
                }
                overwrite(&mut file, parts())
            });
        let is_denied = |cause: &io::Error| {
            let denials = [
                io::ErrorKind::PermissionDenied,
                io::ErrorKind::ReadOnlyFilesystem,
            ];
            denials.contains(&cause.kind())
        };
        // Nothing was written to a file that may not be written.
        if found == bytes && restored.as_ref().is_err_and(is_denied) && has_parts(path, parts()) {
            return Ok(());
        }
        // Windows shortens no file that is mapped.
        if restored.is_ok() || found == bytes {
            return restored.map_err(failed);
        }
    }
    let copy = copied(path, bytes, old).and_then(|copy| copy.persist(path, true));
    copy.map(drop).map_err(failed)
}

/// Whether a file has these parts already.
fn has_parts<'b>(path: &Path, mut parts: impl Iterator<Item = (u64, &'b [u8])>) -> bool {
    let has = |file: &[u8], (offset, part): (u64, &[u8])| {
        let from = usize::try_from(offset).ok();
        let rest = from.and_then(|from| file.get(from..));
        rest.is_some_and(|rest| rest.starts_with(part))
    };
    Source::map(path).is_ok_and(|file| parts.all(|part| has(&file, part)))
}

/// Returns a copy of a file as it was, of which the file has the first bytes but for some parts.
fn copied(path: &Path, bytes: u64, old: &OldFile<'_>) -> io::Result<Temporary> {
    let mut copy = Temporary::create_in(folder_of(path))?;
    if !old.is_whole() {
        let mut kept = File::open(path)?.take(bytes);
        io::copy(&mut kept, &mut copy)?;
    }
    for (offset, part) in &old.parts {
        copy.seek(SeekFrom::Start(*offset))?;
        copy.write_all(part)?;
    }
    keep_permissions(path, &copy);
    copy.sync()?;
    Ok(copy)
}

/// Takes back what a killed process has changed. The record is locked.
///
/// # Errors
/// `Unfinished` if another program has written the database since. Nothing is changed then.
pub(super) fn recover(stem: &Path) -> Result<()> {
    let path = record_path(stem);
    let list = Source::map(&path)?;
    let (change, is_written_by_others) = left_behind(stem, &list);
    if is_written_by_others {
        let kind = ErrorKind::Unfinished { why: OTHERS };
        return Err(Error::new(kind).at_path(&path));
    }
    drop(list);
    change.take_back(None)
}

/// Returns the change that a record is about, and whether another program has written the database
/// since.
fn left_behind(stem: &Path, list: &[u8]) -> (Change, bool) {
    let before = Before::of_bytes(list);
    let suffixes = before.as_ref().and_then(Before::suffixes);
    let change = Change {
        stem: stem.to_owned(),
        // Without a list nothing was changed.
        suffixes: suffixes.unwrap_or_default(),
        record: None,
    };
    let mut files = before.iter().flat_map(|before| &before.files);
    let is_others = files.any(|old| !old.is_left_by_change(&change.path(old.suffix)));
    (change, is_others)
}

/// What to do with a record whose change nobody can take back.
const OTHERS: &str = "a change of the database was not finished, and another program has written \
                      the database since; what it wrote stays if you delete this file, and `tabiya \
                      verify` tells whether all is sound";

/// Waits until no other process changes the database where it is. Returns an error if a killed one
/// has left it half changed.
pub(super) fn wait(stem: &Path) -> Result<()> {
    let path = record_path(stem);
    let is_half_changed = || Source::map(&path).is_ok_and(|list| Before::of_bytes(&list).is_some());
    if is_there(&path) && is_half_changed() && locked(&path)?.is_some() {
        let is_others = Source::map(&path).is_ok_and(|list| left_behind(stem, &list).1);
        let why = if is_others {
            OTHERS
        } else {
            "a change of the database was not finished; writing it again takes the change back, or \
             `tabiya repair` with its path alone"
        };
        return Err(Error::new(ErrorKind::Unfinished { why }).at_path(&path));
    }
    Ok(())
}

/// Returns the path of the file that a name stands for: of a link, what it leads to.
fn followed(path: &Path) -> Result<PathBuf> {
    let is_link = path
        .symlink_metadata()
        .is_ok_and(|found| found.is_symlink());
    if !is_link {
        return Ok(path.to_owned());
    }
    path.canonicalize()
        .map_err(|cause| Error::io("open", path, cause))
}
