//! Making the sidecar of an open database.

use crate::{
    chess::Flow,
    database::{Database, with_view},
    error::Result,
    format::Access,
    search::Progress,
    sidecar::{self, Made, Order, Parts, SUFFIX, Sidecar},
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
        progress: impl FnMut(Progress) -> Flow,
    ) -> Result<Made> {
        self.make(database, None, progress)
    }

    /// As [`build`](SidecarOptions::build), but after games were appended what the sidecar says of
    /// the games before is kept: whole blocks of 65 536 games whose records and games are as they
    /// were, byte for byte. For this the database and the old sidecar are read, which takes a
    /// small part of the time of playing; meanwhile `progress` is told 0 of all games, and then it
    /// counts only the other games.
    ///
    /// If any complete block of the old sidecar has changed or is damaged, if there are more than
    /// five games for each four among which the frequent openings were chosen, or if there is no
    /// sidecar of this version, all is made anew.
    ///
    /// # Errors
    /// As [`build`](SidecarOptions::build).
    pub fn refresh(
        &self,
        database: &Database,
        progress: impl FnMut(Progress) -> Flow,
    ) -> Result<Made> {
        let path = database.path().with_extension(SUFFIX);
        // What is wrong with it does not matter: it is replaced.
        let older = Sidecar::open_older(&path, Access::Map).ok();
        self.make(database, older, progress)
    }

    fn make(
        &self,
        database: &Database,
        older: Option<Sidecar>,
        mut progress: impl FnMut(Progress) -> Flow,
    ) -> Result<Made> {
        database.require_games()?;
        let path = database.path().with_extension(SUFFIX);
        let store = database.store();
        let mut told = |done, total| progress(Progress { done, total });
        let order = Order {
            store,
            parts: self.parts,
            path: &path,
        };
        database.unchanged(
            || with_view!(database, view => sidecar::build(view, &order, older, &mut told)),
        )
    }
}

impl Sidecar {
    /// Makes the sidecar of a database without anything that is optional. See
    /// [`SidecarOptions::build`].
    ///
    /// # Errors
    /// As [`SidecarOptions::build`].
    pub fn build(database: &Database, progress: impl FnMut(Progress) -> Flow) -> Result<Made> {
        SidecarOptions::new().build(database, progress)
    }

    /// Makes the sidecar of a database, of which it keeps what it can. See
    /// [`SidecarOptions::refresh`].
    ///
    /// # Errors
    /// As [`SidecarOptions::build`].
    pub fn refresh(database: &Database, progress: impl FnMut(Progress) -> Flow) -> Result<Made> {
        SidecarOptions::new().refresh(database, progress)
    }
}
