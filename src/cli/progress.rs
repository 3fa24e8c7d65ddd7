//! A progress bar on standard error for slow work.

use std::{
    fmt,
    io::{self, IsTerminal as _},
    time::{Duration, Instant},
};

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use tabiya::Flow;

use super::interrupt;

/// Faster work shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// The progress of one piece of work. Shown only if standard error is a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    what: &'static str,
    started: Instant,
    visible: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Starts the clock. `what` is the unit: "games".
    pub(crate) fn new(what: &'static str) -> Progress {
        Progress {
            what,
            started: Instant::now(),
            visible: io::stderr().is_terminal(),
            bar: None,
        }
    }

    /// Shows the progress. Returns `Break` on an interrupt.
    pub(crate) fn update(&mut self, at: tabiya::Progress) -> Flow {
        if self.visible && self.started.elapsed() >= PATIENCE {
            let total = at.total.unwrap_or_default();
            let bar = self.bar.get_or_insert_with(|| new_bar(self.what, total));
            bar.set_length(total);
            bar.set_position(at.done);
        }
        interrupt::flow()
    }

    /// Runs code that prints, with the bar hidden.
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

/// Writes the estimated remaining time, once it is known.
fn write_left(state: &ProgressState, out: &mut dyn fmt::Write) {
    if state.pos() > 0 {
        let _ = write!(out, ", {:#} left", HumanDuration(state.eta()));
    }
}
