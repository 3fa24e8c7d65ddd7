//! How far a statement is, on a terminal.

use std::{
    io::{IsTerminal as _, Write as _, stderr},
    time::{Duration, Instant},
};

/// Time between two lines.
const TICK: Duration = Duration::from_millis(500);

/// What was done until now.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts {
    /// Rows of tables that were read.
    pub(crate) rows: u64,
    /// Games that were decoded because the index left them open.
    pub(crate) games: u64,
}

/// Waits for work, and shows what was done until then.
pub(crate) async fn show<T>(
    is_shown: bool,
    counts: impl Fn() -> Counts,
    work: impl Future<Output = T>,
) -> T {
    let (started, before) = (Instant::now(), counts());
    let mut ticks = tokio::time::interval_at(tokio::time::Instant::now() + TICK, TICK);
    tokio::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => {
                hide();
                return done;
            }
            _ = ticks.tick() => if is_shown && stderr().is_terminal() {
                let now = counts();
                let (rows, games) = (now.rows - before.rows, now.games - before.games);
                let seconds = started.elapsed().as_secs();
                // Games that are read for their rows are not among these.
                let decided = match games {
                    0 => String::new(),
                    games => format!("{games} games decoded to decide them, "),
                };
                let line = format!("{rows} rows read, {decided}{seconds} s");
                let _ = write!(stderr(), "\r\x1b[K{line}");
            },
        }
    }
}

/// Makes room for other lines.
pub(crate) fn hide() {
    if stderr().is_terminal() {
        let _ = write!(stderr(), "\r\x1b[K");
    }
}
