//! Errors that come back as they were.
//!
//! Ballista tells a client of an error in a text that it has put into several others, some of them
//! written as Rust writes strings. So the words of an error are put between marks, in letters that
//! nothing on the way changes, and clients take them out again.

use ballista_core::error::BallistaError;
use datafusion::{
    arrow::error::ArrowError,
    error::{DataFusionError, Result},
};

use crate::errors::with_causes;

/// Before the words of an error.
const BEGIN: &str = "<tabiya-sql:";

/// After them.
const END: char = '>';

/// Marks the words of an error, with the process where it happened if that is known. Errors that
/// come from connections stay as they are, because Ballista looks at them.
pub(super) fn marked(error: DataFusionError, place: Option<&str>) -> DataFusionError {
    let Some(mut words) = words(&error) else {
        return error;
    };
    if let Some(place) = place {
        words = format!("{words} ({place})");
    }
    DataFusionError::Execution(format!("{BEGIN}{}{END}", written(&words)))
}

/// Returns the words of a marked error, from whatever text they are in by now.
pub(super) fn unmarked(text: &str) -> Option<String> {
    let (_, rest) = text.split_once(BEGIN)?;
    let (words, _) = rest.split_once(END)?;
    read(words)
}

/// Returns what an error says, without the names of those that it is in; `None` if it is marked
/// already or comes from a connection.
fn words(error: &DataFusionError) -> Option<String> {
    match error.find_root() {
        DataFusionError::IoError(_) => None,
        DataFusionError::ArrowError(error, _) => words_of_arrow(error),
        DataFusionError::External(inner) => {
            if let Some(error) = inner.downcast_ref::<tabiya::Error>() {
                return Some(with_causes(error));
            }
            match inner.downcast_ref::<BallistaError>()? {
                BallistaError::DataFusionError(error) => words(error),
                BallistaError::ArrowError(error) => words_of_arrow(error),
                _ => None,
            }
        }
        root => {
            let text = root.message().into_owned();
            (!text.contains(BEGIN)).then_some(text)
        }
    }
}

fn words_of_arrow(error: &ArrowError) -> Option<String> {
    let is_of_connection = matches!(
        error,
        ArrowError::IpcError(_) | ArrowError::IoError(_, _) | ArrowError::ExternalError(_)
    );
    (!is_of_connection).then(|| error.to_string())
}

/// Writes a text in letters that stay the same in a string of Rust.
fn written(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'%' | b'"' | b'\'' | b'\\' | b'<' | b'>' => letters.push_str(&format!("%{byte:02x}")),
            b' '..=b'~' => letters.push(char::from(byte)),
            _ => letters.push_str(&format!("%{byte:02x}")),
        }
    }
    letters
}

fn read(letters: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(letters.len());
    let mut rest = letters;
    while let Some((plain, coded)) = rest.split_once('%') {
        bytes.extend_from_slice(plain.as_bytes());
        bytes.push(u8::from_str_radix(coded.get(..2)?, 16).ok()?);
        rest = &coded[2..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).ok()
}

/// Marks the error of a result.
pub(super) fn marking<T>(result: Result<T>, place: Option<&str>) -> Result<T> {
    result.map_err(|error| marked(error, place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_from_any_depth_of_other_texts() {
        for words in ["/a b/ü.si4: 3 games \"here\"\n%41 <x> \\ 'y'", "", "100 %"] {
            let error = DataFusionError::Execution(words.to_owned());
            let error = marked(error.context("somewhere"), Some("executor 10.0.0.1:50051"));
            let mut text = format!("Job 1 failed: {error:?}");
            for _ in 0..3 {
                text = format!("{text:?}");
            }
            let expected = format!("{words} (executor 10.0.0.1:50051)");
            assert_eq!(unmarked(&text).as_deref(), Some(&expected[..]), "{text}");
        }
        assert_eq!(unmarked("Job 1 failed: Cancelled"), None);
    }

    #[test]
    fn a_marked_error_is_not_marked_again() {
        let first = marked(DataFusionError::Plan("once".to_owned()), Some("here"));
        let again = marked(first.context("more"), Some("there"));
        assert_eq!(unmarked(&again.to_string()).as_deref(), Some("once (here)"));
    }

    #[test]
    fn errors_of_connections_stay_as_they_are() {
        let broken = || ArrowError::IpcError("broken".to_owned());
        let error = marked(DataFusionError::ArrowError(Box::new(broken()), None), None);
        assert!(
            matches!(error, DataFusionError::ArrowError(_, _)),
            "{error}"
        );
        let overflow = ArrowError::ArithmeticOverflow("overflow".to_owned());
        let error = marked(DataFusionError::ArrowError(Box::new(overflow), None), None);
        assert!(unmarked(&error.to_string()).is_some(), "{error}");
    }
}
