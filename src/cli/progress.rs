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
            let (done, total) = match (at.file_bytes, at.total) {
                (Some((read, all)), _) => (read, all),
                (None, total) => (at.done, total.unwrap_or_default()),
            };
            let bar = self.bar.get_or_insert_with(|| {
                let template = match (at.file_bytes, total) {
                    (Some(_), _) => FILE.to_owned(),
                    (None, 0) => format!("{{spinner}} {{human_pos}} {}, {{elapsed}}", self.what),
                    (None, _) => format!(
                        "{{wide_bar}} {{human_pos}} of {{human_len}} {}{{left}}",
                        self.what
                    ),
                };
                new_bar(&template, total).with_elapsed(self.started.elapsed())
            });
            bar.set_length(total);
            bar.set_position(done);
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

/// For a file that is read to its end.
const FILE: &str = "{wide_bar} {bytes} of {total_bytes}{left}";

fn new_bar(template: &str, total: u64) -> ProgressBar {
    let bar = ProgressBar::new(total);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.with_key("left", write_left));
    }
    bar
}

/// Writes the estimated remaining time, once it is known. The bar may be younger than the work, so
/// its own estimate is not used.
fn write_left(state: &ProgressState, out: &mut dyn fmt::Write) {
    if let Some(left) = left(
        state.elapsed(),
        state.pos(),
        state.len().unwrap_or_default(),
    ) {
        let _ = write!(out, ", {:#} left", HumanDuration(left));
    }
}

/// Returns how long the rest of some work takes if it goes on as fast; `None` if nothing is done.
fn left(elapsed: Duration, done: u64, total: u64) -> Option<Duration> {
    let share = total.saturating_sub(done) as f64 / done as f64;
    (done > 0).then(|| elapsed.mul_f64(share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_the_same_part_before_it() {
        let elapsed = Duration::from_secs(8);
        assert_eq!(left(elapsed, 0, 100), None);
        assert_eq!(left(elapsed, 20, 100), Some(Duration::from_secs(32)));
        assert_eq!(left(elapsed, 100, 100), Some(Duration::ZERO));
        assert_eq!(left(elapsed, 101, 100), Some(Duration::ZERO));
    }
}
