//! Progress of long work.

use crate::chess::Flow;

/// The progress of a long operation.
///
/// Operations that can take long call `impl FnMut(Progress) -> Flow` about ten times a second, from
/// the calling thread. [`Progress::ignore`] is a callback that only continues.
///
/// # What `Break` does
///
/// An operation whose result so far is of use returns it, marked: a [`Search`](crate::Search) has
/// delivered its matches in game order, and returns a report with
/// [`stopped_early`](crate::Report::stopped_early). All others return
/// [`Interrupted`](crate::ErrorKind::Interrupted): their counts would be wrong, and what they were
/// writing is removed.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::{Duration, Instant};
/// use tabiya::{Database, Flow};
///
/// let database = Database::open("fixtures/famous.si4")?;
/// let end = Instant::now() + Duration::from_secs(60);
/// let verified = database.verify(|at| {
///     if let Some(total) = at.total {
///         eprintln!("{} of {total} games", at.done);
///     }
///     if Instant::now() < end { Flow::Continue(()) } else { Flow::Break(()) }
/// })?;
/// assert_eq!(verified.damaged, 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// What is done so far: bytes while a database is opened, otherwise games.
    pub done: u64,
    /// What there is to do, in the same unit, unless the work is stopped; `None` if unknown.
    pub total: Option<u64>,
    /// Of PGN that is read from its beginning to its end, in parts or for a conversion, the bytes
    /// of the files: those that have been read and all, compressed as they are stored.
    pub file_bytes: Option<(u64, u64)>,
}

impl Progress {
    pub(crate) const fn of(done: u64, total: u64) -> Progress {
        Progress {
            done,
            total: Some(total),
            file_bytes: None,
        }
    }

    /// Continues: the callback for work whose progress does not matter.
    pub fn ignore(self) -> Flow {
        Flow::Continue(())
    }
}
