//! Progress of long work.

use tabiya_chess::Flow;

/// The progress of a long operation.
///
/// Operations that can take long call a callback, `FnMut(Progress) -> Flow`, about ten times a
/// second, from the calling thread. [`Progress::ignore`] is one that only continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
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
    /// Creates the progress of work whose amount is known.
    #[doc(hidden)]
    #[must_use]
    pub const fn of(done: u64, total: u64) -> Progress {
        Progress::new(done, Some(total), None)
    }

    /// Creates a progress of these parts.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(done: u64, total: Option<u64>, file_bytes: Option<(u64, u64)>) -> Progress {
        Progress {
            done,
            total,
            file_bytes,
        }
    }

    /// Continues: the callback for work whose progress does not matter.
    pub fn ignore(self) -> Flow {
        Flow::Continue(())
    }
}
