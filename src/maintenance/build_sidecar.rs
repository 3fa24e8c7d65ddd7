//! Builds the sidecar of an open database.

use tabiya_chess::Flow;
use tabiya_formats::{
    Access,
    error::{Error, Result},
    progress::Progress,
};

use crate::{
    database::{Database, Needs, with_view},
    progress::WithProgress,
    sidecar::{self, BuildReport, BuildRequest, Parts, SUFFIX, Sidecar},
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
        let path = database.path().with_extension(SUFFIX);
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
        let path = database.path().with_extension(SUFFIX);
        // Any error is ignored, since the sidecar is replaced.
        let older = Sidecar::open_older(&path, Access::Map).ok();
        self.work.make(database, older, false, self.progress)
    }

    /// The same, but lets the old sidecar grow where most of it is kept, so that the time does not
    /// depend on its length. It is longer then than one that is made anew.
    pub(super) fn grow(self, database: &Database) -> Result<BuildReport> {
        let path = database.path().with_extension(SUFFIX);
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
