//! Making the sidecar of an open database.

use crate::{
    chess::Flow,
    database::{Database, with_view},
    error::Result,
    search::Progress,
    sidecar::{self, Identity, SUFFIX, Sidecar},
};

impl Sidecar {
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
    pub fn build(database: &Database, mut progress: impl FnMut(Progress) -> Flow) -> Result<()> {
        database.require_games()?;
        let identity = Identity::of(database.store())?;
        let path = database.path().with_extension(SUFFIX);
        let total = u64::from(database.len());
        let mut told = |done| progress(Progress { done, total });
        with_view!(database, view => sidecar::build(view, identity, &path, &mut told))
    }
}
