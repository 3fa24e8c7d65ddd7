//! How far a statement is, on a terminal.

use std::{
    io::{IsTerminal as _, stderr},
    time::{Duration, Instant},
};

/// Time between two lines.
const TICK: Duration = Duration::from_millis(500);

/// Waits for work, and shows how many rows were read until it is done.
pub(crate) async fn show<T>(rows: impl Fn() -> u64, work: impl Future<Output = T>) -> T {
    let (started, before) = (Instant::now(), rows());
    let mut ticks = tokio::time::interval_at(tokio::time::Instant::now() + TICK, TICK);
    tokio::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => {
                hide();
                return done;
            }
            _ = ticks.tick() => if stderr().is_terminal() {
                let seconds = started.elapsed().as_secs();
                eprint!("\r\x1b[K{} rows read, {seconds} s", rows() - before);
            },
        }
    }
}

/// Makes room for other lines.
pub(crate) fn hide() {
    if stderr().is_terminal() {
        eprint!("\r\x1b[K");
    }
}
