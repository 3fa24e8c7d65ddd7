//! The files of lines that the page may read: PGN files of the folders that the command line names,
//! and nothing else.
//!
//! A request names a file as the list does, `FOLDER/FILE`; no path is made of it. What was read is
//! kept as long as the file stays as it is.

use std::{
    fs, io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use tabiya::{OpenOptions, Repertoire};

use crate::{
    cache::Cache,
    errors::Fault,
    folders::{Entry, Folder, Folders},
    limits::Ask,
};

/// Megabytes of a file, with an index beside it.
const MEGABYTES_MAX: u64 = 64;
/// Positions of a file. Comparing games with it takes up to a kilobyte for each.
const POSITIONS_MAX: usize = 1 << 17;
/// Bytes that a position takes, about, with its moves.
const POSITION_BYTES: usize = 400;

/// The files of lines.
#[derive(Debug)]
pub(crate) struct Repertoires {
    folders: Folders,
    kept: Cache<Arc<Repertoire>>,
    /// One file is read at a time: others would need as much memory once more.
    reading: Mutex<()>,
}

impl Repertoires {
    /// Takes the folders of the command line. `bytes_max` bounds what is kept.
    ///
    /// # Errors
    /// When one of them is none, or cannot be read.
    pub(crate) fn new(paths: &[PathBuf], bytes_max: usize) -> io::Result<Repertoires> {
        Ok(Repertoires {
            folders: Folders::new(paths, &[])?,
            kept: Cache::new(bytes_max),
            reading: Mutex::default(),
        })
    }

    pub(crate) fn folders(&self) -> &[Folder] {
        self.folders.all()
    }

    /// Reads a file of the list, unless it is kept.
    ///
    /// # Errors
    /// `Absent` when there is none; `Request` when it is too large; `Unreadable` when it cannot be
    /// read or has no lines.
    pub(crate) fn read(&self, name: &str, ask: &Ask) -> Result<Arc<Repertoire>, Fault> {
        let entry = self.find(name)?;
        entry.check()?;
        let unreadable = |_| Fault::Unreadable("the file cannot be read".to_owned());
        let told = fs::symlink_metadata(&entry.path).map_err(unreadable)?;
        if entry.bytes() > MEGABYTES_MAX << 20 {
            let what = format!("it has more than {MEGABYTES_MAX} megabytes");
            return Err(Fault::parameter("file", what));
        }
        let modified = told.modified().ok();
        let key = format!("{:?} {} {modified:?}", entry.path, told.len());
        if let Some(kept) = self.kept.get(&key) {
            return Ok(kept);
        }
        let _turn = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        // Who had the turn before may have read the same.
        if let Some(kept) = self.kept.get(&key) {
            return Ok(kept);
        }
        let read = Arc::new(read(&entry, ask)?);
        let bytes = read.positions().saturating_mul(POSITION_BYTES);
        self.kept.put(key, read.clone(), bytes);
        Ok(read)
    }

    fn find(&self, name: &str) -> Result<Entry, Fault> {
        let absent = || Fault::Absent("there is no such file of lines".to_owned());
        let (folder, file) = name.rsplit_once('/').ok_or_else(absent)?;
        let found = self.folders.find(folder, file).ok();
        found.filter(is_listed).ok_or_else(absent)
    }
}

/// Tells whether a database is a file of lines.
pub(crate) fn is_listed(entry: &Entry) -> bool {
    let ending = entry.path.extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("pgn")) && !entry.path.is_dir()
}

fn read(entry: &Entry, ask: &Ask) -> Result<Repertoire, Fault> {
    ask.check()?;
    // Read whole: another program that shortens it takes nothing away.
    let options = OpenOptions::new().in_memory(true);
    let database = options.on_progress(|_| ask.flow()).open(&entry.path)?;
    let read = Repertoire::read_at_most(&[database], POSITIONS_MAX, |_| ask.flow())?;
    if read.positions() > 1 {
        return Ok(read);
    }
    let damaged = match read.damaged() {
        0 => String::new(),
        games => format!("; damaged games: {games}"),
    };
    let what = format!("no game with lines is in the file{damaged}");
    Err(Fault::Unreadable(what))
}
