//! Warnings of libraries, on the standard error output.

use log::{LevelFilter, Log, Metadata, Record};

struct Stderr;

impl Log for Stderr {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        let level = record.level().as_str().to_lowercase();
        crate::output::tell(&format!("tabiya-sql: {level}: {}", record.args()));
    }

    fn flush(&self) {}
}

/// Writes warnings and errors.
pub(crate) fn to_stderr() {
    // It fails if there is a logger already, and there is none.
    let _ = log::set_logger(&Stderr);
    log::set_max_level(LevelFilter::Warn);
}
