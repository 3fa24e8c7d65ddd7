//! What clients are told when there is no answer.
//!
//! Errors of the library name files; here they become texts that do not.

use axum::{
    Json,
    http::{StatusCode, header::RETRY_AFTER},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use tabiya::{Error, ErrorKind};

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The request makes no sense.
    Request(String),
    /// The query in it makes no sense.
    Query(tabiya::query::Fault),
    /// There is no such thing.
    Absent(String),
    /// The request is for another host.
    Elsewhere,
    /// Only the explorer's own page may ask this, or nobody: with what the command line says.
    Refused(&'static str),
    /// Something else is under way that excludes this.
    Conflict(String),
    /// The address is too long.
    Long,
    /// The body is too long.
    Large,
    /// As many searches wait as may.
    Busy,
    /// Answers that wait for their clients have all the memory that they may.
    Unread,
    /// The search took longer than a search may.
    Slow,
    /// Another program keeps changing the database.
    Changed,
    /// The client has left, so nobody reads this.
    Left,
    /// The database cannot answer this: damage, or a missing file.
    Unreadable(String),
    /// The server itself is at fault.
    Internal,
}

/// A fault as JSON.
#[derive(Debug, Serialize)]
struct FaultBody<'a> {
    error: &'a str,
    /// Where in the query, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<&'a str>,
}

impl Fault {
    /// A fault in one of the request's parameters.
    pub(crate) fn parameter(name: &str, what: impl std::fmt::Display) -> Fault {
        Fault::Request(format!("{name}: {what}"))
    }

    fn status(&self) -> StatusCode {
        match self {
            Fault::Request(_) | Fault::Query(_) => StatusCode::BAD_REQUEST,
            Fault::Absent(_) => StatusCode::NOT_FOUND,
            Fault::Refused(_) => StatusCode::FORBIDDEN,
            Fault::Conflict(_) => StatusCode::CONFLICT,
            Fault::Long => StatusCode::URI_TOO_LONG,
            Fault::Large => StatusCode::PAYLOAD_TOO_LARGE,
            Fault::Elsewhere => StatusCode::MISDIRECTED_REQUEST,
            Fault::Busy | Fault::Unread | Fault::Slow | Fault::Changed | Fault::Left => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Fault::Unreadable(_) | Fault::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Returns what clients are told.
    pub(crate) fn message(&self) -> &str {
        match self {
            Fault::Request(message)
            | Fault::Absent(message)
            | Fault::Conflict(message)
            | Fault::Unreadable(message) => message,
            Fault::Refused(message) => message,
            Fault::Long => {
                "the address is longer than the server takes; --url-bytes says how \
                               long it may be"
            }
            Fault::Large => {
                "the body is longer than the server takes; --body-bytes says how long it may be"
            }
            Fault::Query(fault) => &fault.message,
            Fault::Elsewhere => "this server has another name; the option --host gives it one more",
            Fault::Unread => "too many answers wait for their clients; try again",
            Fault::Busy => "too many searches are waiting; try again",
            Fault::Slow => "the search took too long",
            Fault::Changed => "the database is being changed by another program; try again",
            Fault::Left => "the client has left",
            Fault::Internal => "the server failed",
        }
    }

    fn with_retry(&self, mut response: Response) -> Response {
        if matches!(self, Fault::Busy | Fault::Unread | Fault::Changed) {
            let headers = response.headers_mut();
            headers.insert(RETRY_AFTER, axum::http::HeaderValue::from_static("1"));
        }
        response
    }

    /// Returns what is wrong, in words.
    pub(crate) fn text(&self) -> String {
        self.message().to_owned()
    }

    /// Returns the fault as a part of an answer.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self.told()).unwrap_or_default()
    }

    /// Returns the fault as the last line of a stream.
    pub(crate) fn to_line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(&self.told()).unwrap_or_default();
        line.push(b'\n');
        line
    }

    fn told(&self) -> FaultBody<'_> {
        let query = match self {
            Fault::Query(fault) => Some(fault),
            _ => None,
        };
        FaultBody {
            error: self.message(),
            start: query.map(|fault| fault.start),
            end: query.map(|fault| fault.end),
            suggestion: query.and_then(|fault| fault.suggestion.as_deref()),
        }
    }

    /// Returns the fault as the Lichess explorer tells it: as text.
    pub(crate) fn into_text(self) -> Response {
        let prefix = match self.status() {
            StatusCode::BAD_REQUEST => "bad request: ",
            _ => "",
        };
        let text = format!("{prefix}{}", self.message());
        self.with_retry((self.status(), text).into_response())
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        self.with_retry((self.status(), Json(self.told())).into_response())
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        match error.kind() {
            ErrorKind::Changed { .. } => Fault::Changed,
            ErrorKind::NoSuchGame { .. } => Fault::Absent(neutral(&error)),
            ErrorKind::LimitExceeded { .. } => Fault::Request(neutral(&error)),
            ErrorKind::Interrupted => Fault::Left,
            _ => Fault::Unreadable(neutral(&error)),
        }
    }
}

/// Returns what an error says, without naming files.
pub(crate) fn neutral(error: &Error) -> String {
    let what = match error.kind() {
        ErrorKind::Missing { what, .. } => format!("{what} needs a file that is missing"),
        ErrorKind::Io { action } => format!("cannot {action} a file of the database"),
        kind => kind.to_string(),
    };
    match error.game() {
        Some(number) => format!("game {number}: {what}"),
        None => what,
    }
}
