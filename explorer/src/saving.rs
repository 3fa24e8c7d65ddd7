//! Games that the page saves into databases of the folders that `--write` names. One is saved at a
//! time, beside the searches, and shown at once.

use std::{
    collections::HashMap,
    error::Error as _,
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use tabiya::{
    Conversion, ConvertOptions, Edit, Error, ErrorKind, Query, Search, format::Overwrite,
};
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::{
    errors::{Fault, neutral},
    folders::Entry,
    registry::{Registry, Slot},
};

/// The ending of the file that takes the last change of a database back.
const UNDO: &str = "tabiya-undo";

/// What was saved, so that the page takes back its own changes alone.
#[derive(Debug, Default)]
pub(crate) struct Saving(Arc<Mutex<Made>>);

/// By database, what takes back the change that was made here last: its time and length.
pub(crate) type Made = HashMap<PathBuf, (SystemTime, u64)>;

/// Where a game goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Goal {
    /// To the end of a database.
    End,
    /// In the place of the game of this number.
    Place(u32),
    /// Into a new database.
    New,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Saved {
    pub(crate) slot: Arc<Slot>,
    /// What the format cannot hold, in words.
    pub(crate) note: Option<String>,
}

impl Saving {
    /// Takes the turn.
    fn turn(&self) -> Result<OwnedMutexGuard<Made>, Fault> {
        let busy = || Fault::Conflict("another game is being saved; try again".to_owned());
        self.0.clone().try_lock_owned().map_err(|_| busy())
    }

    /// Does work that nobody who has left stops: files are changed as a whole or not at all.
    ///
    /// # Errors
    /// `Conflict` when other work is being done; those of the work.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Made) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let mut made = self.turn()?;
        let done = tokio::task::spawn_blocking(move || work(&mut made));
        done.await.unwrap_or(Err(Fault::Internal))
    }
}

/// Saves a game, given as PGN, and opens the database anew.
///
/// # Errors
/// When it cannot be written; then nothing is changed.
pub(crate) fn save(
    registry: &Registry,
    made: &mut Made,
    folder: &str,
    entry: &Entry,
    pgn: &str,
    goal: Goal,
) -> Result<Saved, Fault> {
    let file = written(pgn).map_err(|_| {
        let what = "nothing was saved: the folder for temporary files cannot be written";
        Fault::Unreadable(what.to_owned())
    })?;
    let source = [file.to_path_buf()];
    let base = &entry.path;
    let go_on = |_| registry.flow();
    let write = || match goal {
        Goal::End => tabiya::add(&source, base, ConvertOptions::new(), go_on),
        Goal::New => tabiya::convert(&source, base, Overwrite::Refuse, go_on),
        Goal::Place(number) => tabiya::replace(base, number, &source[0], go_on),
    };
    let write = || write().map_err(told);
    let conversion = if cfg!(windows) {
        // There no file is replaced that is mapped.
        registry.apart(base, write)?
    } else {
        write()?
    };
    if let Some(error) = conversion.skipped_games.first() {
        let what = format!("the format cannot hold the game: {}", neutral(error));
        return Err(Fault::Request(what));
    }
    note(made, base, goal);
    Ok(Saved {
        slot: shown(registry, folder, entry)?,
        note: losses(&conversion),
    })
}

/// Marks a game as deleted, or leaves it out of a PGN file, which has no such mark, and opens the
/// database anew.
///
/// # Errors
/// Those of [`save`]; `Conflict` if the game is marked already.
pub(crate) fn remove(
    registry: &Registry,
    made: &mut Made,
    folder: &str,
    entry: &Entry,
    number: u32,
) -> Result<Arc<Slot>, Fault> {
    let base = &entry.path;
    let query: Query = format!("number:{number}")
        .parse()
        .map_err(|_| Fault::Internal)?;
    let mark = Edit::new()
        .flag("deleted", true)
        .map_err(|_| Fault::Internal)?;
    let is_pgn = base
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("pgn"));
    let write = || {
        let (search, go_on) = (Search::new(&query), |_| registry.flow());
        let removed = if is_pgn {
            tabiya::purge(base, &search, go_on)
        } else {
            mark.run(base, Some(&search), go_on)
        };
        removed.map_err(told)
    };
    let removed = if cfg!(windows) {
        registry.apart(base, write)?
    } else {
        write()?
    };
    if removed.games == 0 {
        return Err(Fault::Conflict(
            "the game is marked as deleted already".to_owned(),
        ));
    }
    note(made, base, Goal::Place(number));
    shown(registry, folder, entry)
}

/// Writes a game into a file that goes with its name.
fn written(pgn: &str) -> io::Result<tempfile::TempPath> {
    let mut file = tempfile::Builder::new().suffix(".pgn").tempfile()?;
    // The line feed keeps a text from being taken for a compressed file.
    write!(file, "\n{pgn}\n")?;
    Ok(file.into_temp_path())
}

/// Takes back the last game that was saved into a database, and opens it anew.
///
/// # Errors
/// `Conflict` when it was not changed here, or changed again since.
pub(crate) fn undo(
    registry: &Registry,
    made: &mut Made,
    folder: &str,
    entry: &Entry,
) -> Result<Arc<Slot>, Fault> {
    let base = &entry.path;
    let nothing = |what: &str| Err(Fault::Conflict(what.to_owned()));
    match (made.get(base), stamp(base)) {
        (Some(mine), Some(now)) if *mine == now => {}
        (None, _) => return nothing("no game was saved into this database here"),
        _ => return nothing("the database was changed again since; `tabiya undo` takes that back"),
    }
    // Files become shorter where they lie: who reads them meanwhile would lose them.
    let undone = registry.apart(base, || {
        tabiya::undo(base, |_| registry.flow()).map_err(told)
    })?;
    made.remove(base);
    if !undone {
        return nothing("there is nothing to take back");
    }
    shown(registry, folder, entry)
}

/// Notes what takes a change back.
fn note(made: &mut Made, base: &Path, goal: Goal) {
    match stamp(base) {
        Some(stamp) if goal != Goal::New => made.insert(base.to_owned(), stamp),
        _ => made.remove(base),
    };
}

/// Returns the time and length of the file that takes the last change back: it has the name of the
/// files that the database consists of, or of its one file with the ending.
fn stamp(base: &Path) -> Option<(SystemTime, u64)> {
    let mut whole = base.as_os_str().to_owned();
    whole.push(".");
    whole.push(UNDO);
    let found =
        fs::symlink_metadata(whole).or_else(|_| fs::symlink_metadata(base.with_extension(UNDO)));
    let found = found.ok()?;
    Some((found.modified().ok()?, found.len()))
}

/// Opens a changed database anew, or for the first time.
fn shown(registry: &Registry, folder: &str, entry: &Entry) -> Result<Arc<Slot>, Fault> {
    if let Some(slot) = registry.of_file(&entry.path) {
        registry.reopen(&slot)?;
        return Ok(slot);
    }
    let opened = registry.opened(&entry.path, |_| registry.flow())?;
    registry.add_of_folder(folder, &entry.path, opened)?;
    let gone = || Fault::Conflict("the game is saved; the database was closed since".to_owned());
    registry.of_file(&entry.path).ok_or_else(gone)
}

/// Says what a format could not hold.
fn losses(conversion: &Conversion) -> Option<String> {
    let lost = conversion.losses.iter();
    let words: Vec<String> = lost
        .map(|lost| format!("{} {}", lost.count, lost.what))
        .collect();
    (!words.is_empty()).then(|| format!("the format cannot hold all of it: {}", words.join(", ")))
}

/// Says why nothing was saved, and what helps, without naming files.
fn told(error: Error) -> Fault {
    use io::ErrorKind as Cause;
    let cause = error
        .source()
        .and_then(|cause| cause.downcast_ref::<io::Error>());
    let system = match cause.map(io::Error::kind) {
        Some(Cause::StorageFull | Cause::QuotaExceeded) => Some("the disk is full; make room"),
        Some(Cause::PermissionDenied | Cause::ReadOnlyFilesystem) => {
            Some("the folder or a file of the database is read-only; choose another one")
        }
        Some(Cause::AlreadyExists) => Some("there is a file of this name; choose another name"),
        _ => None,
    };
    let nothing = |what: &str| format!("nothing was saved: {what}");
    match (system, error.kind()) {
        (Some(what), _) => Fault::Conflict(nothing(what)),
        (_, ErrorKind::Unfinished { .. } | ErrorKind::Changed { .. }) => Fault::Conflict(nothing(
            "another program is writing the database; try again when it has ended",
        )),
        (_, ErrorKind::NoSuchGame { .. } | ErrorKind::WouldLose { .. }) => {
            Fault::Request(nothing(&neutral(&error)))
        }
        (_, ErrorKind::Interrupted) => Fault::Conflict(nothing("the server is about to end")),
        (_, ErrorKind::Corrupt { .. } | ErrorKind::Truncated { .. }) => Fault::Unreadable(format!(
            "nothing was saved: {}; `tabiya repair` saves what can be read into a new database",
            neutral(&error)
        )),
        _ => Fault::Unreadable(nothing(&neutral(&error))),
    }
}
