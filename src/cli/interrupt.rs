//! Ctrl-C: the first asks the work to stop, the second ends the program at once.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering},
};

use signal_hook::{consts::SIGINT, flag};
use tabiya::Flow;

use super::failure::Interrupted;

static REQUESTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Installs the handler, so that [`requested`] returns whether there was an interrupt.
pub(crate) fn watch() {
    REQUESTED.get_or_init(|| {
        let requested = Arc::new(AtomicBool::new(false));
        // In this order: the second signal finds the flag set by the first. If a handler cannot be
        // installed, an interrupt ends the program as usual.
        let _ = flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&requested));
        let _ = flag::register(SIGINT, Arc::clone(&requested));
        requested
    });
}

/// Returns an error after an interrupt.
pub(crate) fn check() -> Result<(), Interrupted> {
    if requested() {
        Err(Interrupted)
    } else {
        Ok(())
    }
}

/// Returns `Break` after an interrupt.
pub(crate) fn flow() -> Flow {
    if requested() {
        Flow::Break(())
    } else {
        Flow::Continue(())
    }
}

/// Returns whether there was an interrupt.
pub(crate) fn requested() -> bool {
    let requested = REQUESTED.get();
    requested.is_some_and(|requested| requested.load(Ordering::Relaxed))
}
