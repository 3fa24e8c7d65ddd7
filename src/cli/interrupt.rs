//! Ctrl-C: the first one asks the work to stop, a second one ends the program at once.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering},
};

use signal_hook::{consts::SIGINT, flag};
use tabiya::Flow;

use super::failure::Interrupted;

static REQUESTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// From now on [`requested`] tells whether the user wants to stop.
pub(crate) fn watch() {
    REQUESTED.get_or_init(|| {
        let requested = Arc::new(AtomicBool::new(false));
        // In this order: the second signal finds the flag that the first one has set. When a
        // handler cannot be installed, an interrupt ends the program as it always does.
        let _ = flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&requested));
        let _ = flag::register(SIGINT, Arc::clone(&requested));
        requested
    });
}

/// Ends the work when the user wants to stop.
pub(crate) fn check() -> Result<(), Interrupted> {
    if requested() {
        Err(Interrupted)
    } else {
        Ok(())
    }
}

/// Tells work whether to go on.
pub(crate) fn flow() -> Flow {
    if requested() {
        Flow::Break(())
    } else {
        Flow::Continue(())
    }
}

/// Returns whether the user wants to stop.
pub(crate) fn requested() -> bool {
    let requested = REQUESTED.get();
    requested.is_some_and(|requested| requested.load(Ordering::Relaxed))
}
