//! Builds the sidecar of an open database, or those of the parts of a file.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tabiya_chess::Flow;
use tabiya_formats::{
    Access,
    error::{Error, Result},
    progress::Progress,
};

use crate::{
    database::{Database, Needs, OpenOptions, with_view},
    progress::WithProgress,
    sidecar::{self, BuildReport, BuildRequest, Parts, Sidecar},
};

/// The optional parts of a sidecar.
///
/// ```no_run
/// # fn main() -> Result<(), tabiya::Error> {
/// let database = tabiya::Database::open("games.si4")?;
/// let options = tabiya::SidecarOptions::new().columns(true);
/// options.build(&database)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "a sidecar is not made until it is built"]
pub struct SidecarOptions {
    parts: Parts,
}

impl SidecarOptions {
    /// Creates options without optional parts.
    pub fn new() -> SidecarOptions {
        SidecarOptions::default()
    }

    /// Sets whether to copy the fields that header queries scan, stored by field instead of by
    /// game: ratings, dates, opening codes, results, lengths, flags and players. 27 bytes per game.
    pub fn columns(mut self, columns: bool) -> Self {
        self.parts.columns = columns;
        self
    }

    /// Builds or rebuilds the sidecar of a database: plays every main line in the caller's current
    /// rayon pool. It is renamed when complete, and used whenever the database is opened from then
    /// on. Memory is bounded: about 50 MB per thread.
    ///
    /// # Errors
    /// `Missing` without a games file; `Unsupported` for a database without files of its own, such
    /// as one in an archive, and for one whose encoding was [said](crate::OpenOptions::encoding);
    /// `Io` if the file cannot be written; `Changed` if another program
    /// changes the database. A damaged game is not an error: it is treated as unknown.
    pub fn build(&self, database: &Database) -> Result<BuildReport> {
        self.on_progress(Progress::ignore).build(database)
    }

    /// Like [`build`](SidecarOptions::build), but keeps the old sidecar's data on unchanged games:
    /// complete blocks of 65 536 games whose records and games are the same, byte for byte. This
    /// reads the database and the old sidecar, which takes a small part of the time of playing;
    /// where the last change was made by this library, only the games from the first on that it
    /// touched.
    ///
    /// Everything is rebuilt if the number of games has changed by more than a quarter since the
    /// frequent openings were chosen, or if there is no sidecar of this version.
    ///
    /// # Errors
    /// Those of [`build`](SidecarOptions::build).
    pub fn refresh(&self, database: &Database) -> Result<BuildReport> {
        self.on_progress(Progress::ignore).refresh(database)
    }

    /// Returns the same with a callback for its progress.
    pub fn on_progress<F: FnMut(Progress) -> Flow>(&self, progress: F) -> WithProgress<&Self, F> {
        WithProgress::new(self, progress)
    }

    fn make(
        &self,
        database: &Database,
        older: Option<Sidecar>,
        grows: bool,
        mut progress: impl FnMut(Progress) -> Flow,
    ) -> Result<BuildReport> {
        if database.encoding_is_said() {
            // Whoever opens the database would be given names that were read as somebody else said.
            let what = "a sidecar for an encoding that is said and not guessed";
            return Err(Error::unsupported(what).at_path(database.path()));
        }
        database.require_games()?;
        let path = sidecar_path(database);
        let store = database.store();
        let order = BuildRequest {
            store,
            parts: self.parts,
            path: &path,
            grows,
        };
        database.unchanged(|| {
            let opened = database.view(Needs::Moves, &mut progress)?;
            let mut told = |done, total| progress(Progress::of(done, total));
            with_view!(opened, view => sidecar::build(view, &order, older, &mut told))
        })
    }
}

fn sidecar_path(database: &Database) -> PathBuf {
    let part = database.store().part();
    sidecar::path_of(database.path(), part.map(|part| part.number))
}

/// What was built for the parts of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PartsReport {
    /// All parts.
    pub parts: u32,
    /// Those that had a sidecar of the present file.
    pub kept: u32,
    /// The games of all parts.
    pub games: u64,
    /// The bytes of all sidecars.
    pub bytes: u64,
}

impl SidecarOptions {
    /// Builds the sidecars of the parts of a PGN file that is too long to be opened whole: of
    /// about a million games each, in the folder `NAME.tabiya-parts` beside the file. The file must
    /// be packed by zstd in frames of moderate length, as `pzstd` does; it stays packed, and
    /// games are unpacked when they are needed. [`OpenOptions::parts`] then opens the parts with
    /// their sidecars.
    ///
    /// Each sidecar is complete when it gets its name, and those that are of the present file and
    /// not damaged are kept: so a build that was ended goes on behind the last of them. Memory is
    /// bounded: some 1200 MB on two threads, of which 256 MB are text that was unpacked lately.
    ///
    /// # Errors
    /// `Unsupported` for other files than such; `Io` if the file is damaged, after the parts before
    /// that, or if a sidecar cannot be written.
    pub fn refresh_parts(
        &self,
        path: impl AsRef<Path>,
        options: &OpenOptions,
    ) -> Result<PartsReport> {
        self.on_progress(Progress::ignore)
            .refresh_parts(path, options)
    }
}

impl<F: FnMut(Progress) -> Flow> WithProgress<&SidecarOptions, F> {
    /// Builds the sidecars of the parts of a PGN file. The callback gets the bytes of the file that
    /// have been read while a part is read, and its games while its sidecar is built. See
    /// [`SidecarOptions::refresh_parts`].
    ///
    /// # Errors
    /// Those of [`SidecarOptions::refresh_parts`]; `Interrupted` if the callback breaks, after
    /// which the sidecars that are complete are kept.
    pub fn refresh_parts(
        mut self,
        path: impl AsRef<Path>,
        options: &OpenOptions,
    ) -> Result<PartsReport> {
        let path = path.as_ref();
        let mut parts = options.parts(path)?;
        let mut report = PartsReport::default();
        while let Some(part) = parts.next_to_index(&mut self.progress)? {
            report.parts += 1;
            report.games += u64::from(part.len());
            let is_complete = |sidecar: &&Sidecar| {
                let has_all = sidecar.has_columns() || !self.work.parts.columns;
                has_all && sidecar.is_sound_and_current(part.store())
            };
            let made = match part.sidecar().filter(is_complete) {
                Some(sidecar) => {
                    report.kept += 1;
                    sidecar.path().to_owned()
                }
                None => {
                    let folder = sidecar::parts_folder(path);
                    fs::create_dir_all(&folder)
                        .map_err(|cause| Error::io("create", &folder, cause))?;
                    let path = sidecar_path(&part);
                    let older = Sidecar::open_older(&path, Access::Map).ok();
                    self.work.make(&part, older, false, &mut self.progress)?;
                    path
                }
            };
            report.bytes += made.metadata().map_or(0, |data| data.len());
        }
        remove_parts_after(path, report.parts);
        Ok(report)
    }
}

/// Removes sidecars of parts that an older file had.
fn remove_parts_after(path: &Path, parts: u32) {
    let stale = (parts + 1..).map(|number| sidecar::path_of(path, Some(number)));
    // They are not used: nothing depends on it.
    let _ = stale.map_while(|path| fs::remove_file(path).ok()).count();
}

impl<F: FnMut(Progress) -> Flow> WithProgress<&SidecarOptions, F> {
    /// Builds or rebuilds the sidecar of a database. The callback is called for every few blocks of
    /// 65 536 games. See [`SidecarOptions::build`].
    ///
    /// # Errors
    /// Those of [`SidecarOptions::build`]; `Interrupted` if the callback breaks, after which any
    /// old sidecar is kept.
    pub fn build(self, database: &Database) -> Result<BuildReport> {
        self.work.make(database, None, false, self.progress)
    }

    /// Builds the sidecar of a database and keeps unchanged data. While these are compared, the
    /// callback gets 0 of all games, and afterwards it counts only the remaining games. See
    /// [`SidecarOptions::refresh`].
    ///
    /// # Errors
    /// Those of [`build`](WithProgress::build).
    pub fn refresh(self, database: &Database) -> Result<BuildReport> {
        let path = sidecar_path(database);
        // Any error is ignored, since the sidecar is replaced.
        let older = Sidecar::open_older(&path, Access::Map).ok();
        self.work.make(database, older, false, self.progress)
    }

    /// The same, but lets the old sidecar grow where most of it is kept, so that the time does not
    /// depend on its length. It is longer then than one that is made anew.
    pub(super) fn grow(self, database: &Database) -> Result<BuildReport> {
        let path = sidecar_path(database);
        let older = Sidecar::open_older(&path, Access::Map).ok();
        self.work.make(database, older, true, self.progress)
    }
}

impl Sidecar {
    /// Builds the sidecar of a database without optional parts. See [`SidecarOptions::build`].
    ///
    /// # Errors
    /// Those of [`SidecarOptions::build`].
    pub fn build(database: &Database) -> Result<BuildReport> {
        SidecarOptions::new().build(database)
    }

    /// Builds the sidecar of a database and keeps unchanged data. See [`SidecarOptions::refresh`].
    ///
    /// # Errors
    /// Those of [`SidecarOptions::build`].
    pub fn refresh(database: &Database) -> Result<BuildReport> {
        SidecarOptions::new().refresh(database)
    }
}
