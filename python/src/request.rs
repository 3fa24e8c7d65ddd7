//! What Python hands over to be read: how databases are opened, and queries.

use pyo3::{exceptions::PyValueError, prelude::*};
use tabiya::{Language, OpenOptions, Query, TreePosition, chess::ParseError, format::TextEncoding};

use crate::errors;

/// How databases are opened.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Opening {
    sidecar: bool,
    in_memory: bool,
    password: Option<String>,
    language: String,
    encoding: Option<String>,
    /// For tests.
    #[pyo3(default)]
    unpacked_bytes_max: Option<u64>,
}

impl Opening {
    pub(crate) fn options(self) -> PyResult<OpenOptions> {
        let language: Result<Language, _> = self.language.parse();
        let language = language.map_err(|fault| PyValueError::new_err(fault.to_string()))?;
        let options = OpenOptions::new()
            .sidecar(self.sidecar)
            .in_memory(self.in_memory)
            .language(language);
        let options = match self.unpacked_bytes_max {
            Some(bytes) => options.unpacked_bytes_max(bytes),
            None => options,
        };
        let options = match self.encoding.map(|name| name.parse::<TextEncoding>()) {
            Some(encoding) => {
                let fault = |fault: ParseError| PyValueError::new_err(fault.to_string());
                options.encoding(encoding.map_err(fault)?)
            }
            None => options,
        };
        Ok(match self.password {
            Some(password) => options.password(password),
            None => options,
        })
    }
}

/// Reads a query; the empty text means all games.
pub(crate) fn query_of(py: Python<'_>, text: &str) -> PyResult<Query> {
    let query = text.parse();
    query.map_err(|fault| errors::of_fault(py, text, &fault))
}

/// Reads a position: a FEN, or moves from the start; the start position if neither is given.
pub(crate) fn position_of(
    py: Python<'_>,
    fen: Option<&str>,
    moves: Option<&str>,
) -> PyResult<TreePosition> {
    let position = match (fen, moves) {
        (Some(_), Some(_)) => {
            let message = "a position is given by `fen` or by `moves`, not by both";
            return Err(PyValueError::new_err(message));
        }
        (Some(fen), None) => TreePosition::from_fen(fen),
        (None, moves) => TreePosition::from_moves(moves.unwrap_or_default()),
    };
    let text = fen.or(moves).unwrap_or_default();
    position.map_err(|fault| errors::of_fault(py, text, &fault))
}
