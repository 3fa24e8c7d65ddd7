//! The interface that takes whole queries. `openapi.json` describes it.

mod databases;
mod game;
mod notation;
mod position;
mod positions;
mod query;
mod rows;
mod search;
mod sort;
mod stats;
mod stream;
mod tree;

use std::sync::Arc;

use axum::{
    Router,
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde::Serialize;

use crate::{errors::Fault, state::Explorer};

const JSON: &str = "application/json";

/// Returns the addresses.
pub(crate) fn routes() -> Router<Arc<Explorer>> {
    let description = || async { json(include_bytes!("../../openapi.json").to_vec()) };
    Router::new()
        .route("/api/databases", get(databases::all))
        .route("/api/search", get(search::search))
        .route("/api/tree", get(tree::tree))
        .route("/api/game", get(game::game))
        .route("/api/position", get(position::position))
        .route("/api/query", get(query::query))
        .route("/api/positions", post(positions::count))
        .route("/api/stats", get(stats::stats))
        .route("/api/openapi.json", get(description))
}

/// Returns an answer that is JSON already.
fn json(text: Vec<u8>) -> Response {
    ([(CONTENT_TYPE, JSON)], text).into_response()
}

/// Writes an answer as JSON.
fn to_json(value: &impl Serialize) -> Result<Vec<u8>, Fault> {
    serde_json::to_vec(value).map_err(|_| Fault::Internal)
}
