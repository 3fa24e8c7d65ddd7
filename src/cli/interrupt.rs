//! Ctrl-C: the first asks the work to stop, the second ends the program at once.

use std::{
    process,
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
};

use tabiya::Flow;

use super::failure::Interrupted;

static WATCHED: Once = Once::new();
static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Installs the handler, so that [`requested`] returns whether there was an interrupt.
pub(crate) fn watch() {
    WATCHED.call_once(|| {
        // If a handler cannot be installed, an interrupt ends the program as usual.
        let _ = ctrlc::set_handler(|| {
            if REQUESTED.swap(true, Ordering::Relaxed) {
                process::exit(130);
            }
        });
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
    REQUESTED.load(Ordering::Relaxed)
}
