//! Work with a callback for its progress.

use tabiya_chess::Flow;
use tabiya_formats::progress::Progress;

/// Work whose progress goes to a callback.
///
/// `on_progress` of a search, of options or of a database returns it, and it has the same methods
/// that do the work. They call the callback about ten times a second, from the calling thread; if
/// it breaks, the work ends early, as [`Progress`] says.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tabiya::{Database, Flow, Query, Search};
///
/// let database = Database::open("fixtures/famous.si4")?;
/// let query: Query = "mate".parse()?;
/// let mut calls = 0;
/// let count = |_| {
///     calls += 1;
///     Flow::Continue(())
/// };
/// let report = Search::new(&query).on_progress(count).count(&database)?;
/// assert_eq!(report.matched, Search::new(&query).count(&database)?.matched);
/// assert!(calls > 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
#[must_use = "nothing is done until the work is run"]
pub struct WithProgress<T, F> {
    pub(crate) work: T,
    pub(crate) progress: F,
}

impl<T, F: FnMut(Progress) -> Flow> WithProgress<T, F> {
    pub(crate) fn new(work: T, progress: F) -> WithProgress<T, F> {
        WithProgress { work, progress }
    }
}
