//! Making the sidecar of an open database.

use crate::{
    chess::Flow,
    database::{Database, with_view},
    error::Result,
    search::Progress,
    sidecar::{self, Parts, SUFFIX, Sidecar},
};

/// What a sidecar is to hold besides what it always holds.
///
/// ```no_run
/// # fn main() -> Result<(), tabiya::Error> {
/// let database = tabiya::Database::open("games.si4")?;
/// let options = tabiya::SidecarOptions::new().columns(true);
/// options.build(&database, |_| tabiya::Flow::Continue(()))?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "a sidecar is not made until it is built"]
pub struct SidecarOptions {
    parts: Parts,
}

impl SidecarOptions {
    /// Begins with what a sidecar always holds.
    pub fn new() -> SidecarOptions {
        SidecarOptions::default()
    }

    /// Whether to copy what header queries scan, value after value instead of game after game:
    /// ratings, dates, opening codes, results, lengths, flags and players. 27 bytes a game.
    pub fn columns(mut self, columns: bool) -> Self {
        self.parts.columns = columns;
        self
    }

    /// Makes the sidecar of a database, or makes it anew: plays every main line in the caller's
    /// current rayon pool. It takes its name when it is complete, and is used by those who
    /// open the database from then on. Memory is bounded: some 50 MB for each thread.
    ///
    /// `progress` is called for every few blocks of 65 536 games; `Break` from it ends the work
    /// and leaves what was there.
    ///
    /// # Errors
    /// `Missing` without a games file; `Unsupported` for a database that has no files of its
    /// own, such as one in an archive; `Io` when the file cannot be written; `Interrupted` after
    /// a `Break`. A damaged game is no error: nothing is concluded about it.
    pub fn build(
        &self,
        database: &Database,
        mut progress: impl FnMut(Progress) -> Flow,
    ) -> Result<()> {
        database.require_games()?;
        let path = database.path().with_extension(SUFFIX);
        let total = u64::from(database.len());
        let mut told = |done| progress(Progress { done, total });
        let (store, parts) = (database.store(), self.parts);
        with_view!(database, view => sidecar::build(view, store, parts, &path, &mut told))
    }
}

impl Sidecar {
    /// Makes the sidecar of a database without anything that is optional. See
    /// [`SidecarOptions::build`].
    ///
    /// # Errors
    /// As [`SidecarOptions::build`].
    pub fn build(database: &Database, progress: impl FnMut(Progress) -> Flow) -> Result<()> {
        SidecarOptions::new().build(database, progress)
    }
}
