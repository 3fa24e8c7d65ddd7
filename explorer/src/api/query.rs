//! `/api/query`: whether a query can be understood. Nothing is searched.

use axum::response::Response;
use serde::Serialize;

use super::{json, to_json};
use crate::{errors::Fault, params::Params};

/// That a query makes no sense is an answer here like that it makes sense, so that pages may ask
/// while somebody is still typing.
#[derive(Debug, Serialize)]
struct Answer {
    /// The query as it was understood.
    query: Option<String>,
    fault: Option<serde_json::Value>,
}

pub(super) async fn query(params: Params) -> Result<Response, Fault> {
    let answer = match params.query() {
        Ok(query) => Answer {
            query: Some(query.to_string()),
            fault: None,
        },
        Err(fault) => Answer {
            query: None,
            fault: Some(fault.to_json()),
        },
    };
    Ok(json(to_json(&answer)?))
}
