//! The error of the header values that are parsed from text.

/// The error for text that is not a value of the wanted type. Its message says what is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ParseError(pub &'static str);
