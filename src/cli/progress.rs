//! A progress bar on standard error, for work that takes a while.

use std::{
    fmt,
    io::{self, IsTerminal as _},
    time::{Duration, Instant},
};

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use tabiya::Flow;

use super::interrupt;

/// Work that is done sooner shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// The progress of one piece of work. Shows nothing unless somebody looks at standard error.
#[derive(Debug)]
pub(crate) struct Progress {
    what: &'static str,
    started: Instant,
    visible: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Starts the clock. `what` is what is counted: "games".
    pub(crate) fn new(what: &'static str) -> Progress {
        Progress {
            what,
            started: Instant::now(),
            visible: io::stderr().is_terminal(),
            bar: None,
        }
    }

    /// Shows how far the work is; `total` is 0 when nobody knows. Answers `Break` when the user
    /// wants to stop.
    pub(crate) fn update(&mut self, done: u64, total: u64) -> Flow {
        if self.visible && self.started.elapsed() >= PATIENCE {
            let bar = self.bar.get_or_insert_with(|| new_bar(self.what, total));
            bar.set_length(total);
            bar.set_position(done);
        }
        interrupt::flow()
    }

    /// Does something that prints, out of the bar's way.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Removes the bar.
    pub(crate) fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

fn new_bar(what: &'static str, total: u64) -> ProgressBar {
    let bar = ProgressBar::new(total);
    let template = match total {
        0 => format!("{{spinner}} {{human_pos}} {what}, {{elapsed}}"),
        _ => format!("{{wide_bar}} {{human_pos}} of {{human_len}} {what}{{left}}"),
    };
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style.with_key("left", write_left));
    }
    bar
}

/// Writes how long the rest will take, as soon as something is known about that.
fn write_left(state: &ProgressState, out: &mut dyn fmt::Write) {
    if state.pos() > 0 {
        let _ = write!(out, ", {:#} left", HumanDuration(state.eta()));
    }
}
