//! Warnings of libraries, on the standard error output.

use log::{LevelFilter, Log, Metadata, Record};

struct Stderr;

/// Ballista's client writes down each error of a query, which comes back from it too.
const TOLD_ELSEWHERE: &str = "ballista_core::execution_plans::distributed_query";

impl Log for Stderr {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() != TOLD_ELSEWHERE
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
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
