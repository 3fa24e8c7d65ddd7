//! Errors as DataFusion has them.

use datafusion::error::DataFusionError;

/// Wraps an error of tabiya, which has path, offset and game.
pub(crate) fn external(error: tabiya::Error) -> DataFusionError {
    let error: Box<dyn std::error::Error + Send + Sync> = Box::new(error);
    DataFusionError::External(error)
}

/// Returns the error for what a statement names and cannot be had.
pub(crate) fn plan_error(what: &str, fault: &dyn std::fmt::Display) -> DataFusionError {
    DataFusionError::Plan(format!("{what}: {fault}"))
}

/// Returns an error's text with those of its causes, each once.
#[must_use]
pub fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        next = cause.source();
    }
    text
}
