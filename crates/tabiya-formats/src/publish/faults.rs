//! Simulated disk errors for tests: which steps of this thread fail.

use std::{cell::RefCell, io, ops::Range};

thread_local! {
    static FAULTS: RefCell<Faults> = const {
        RefCell::new(Faults { failing: 0..0, taken: 0, kind: io::ErrorKind::Other })
    };
}

struct Faults {
    failing: Range<usize>,
    taken: usize,
    kind: io::ErrorKind,
}

/// Runs a function while the steps with these numbers, from 0 on, fail; returns its result and the
/// number of steps.
pub fn during<T>(
    failing: Range<usize>,
    kind: io::ErrorKind,
    run: impl FnOnce() -> T,
) -> (T, usize) {
    FAULTS.replace(Faults {
        failing,
        taken: 0,
        kind,
    });
    let result = run();
    let faults = FAULTS.replace(Faults {
        failing: 0..0,
        taken: 0,
        kind,
    });
    (result, faults.taken)
}

/// Fails if this step is to fail.
pub(super) fn attempt() -> io::Result<()> {
    FAULTS.with_borrow_mut(|faults| {
        let step = faults.taken;
        faults.taken += 1;
        if faults.failing.contains(&step) {
            Err(faults.kind.into())
        } else {
            Ok(())
        }
    })
}
