//! `/api/databases`: what there is.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use serde::Serialize;

use super::{json, to_json};
use crate::{
    errors::{Fault, neutral},
    registry::DatabaseRef,
    state::Explorer,
};

#[derive(Debug, Serialize)]
struct Answer {
    /// Whether these are famous games that are part of the program, since no database was found.
    sample: bool,
    databases: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    format: String,
    games: u32,
    description: String,
    sidecar: bool,
    /// Damaged games that searches have met until now.
    damaged: u64,
    /// What is odd about its files.
    notes: Vec<String>,
}

impl Row {
    fn new(held: &DatabaseRef) -> Row {
        Row {
            name: held.name.to_string(),
            format: held.kind().to_string(),
            games: held.len(),
            description: held.description(),
            sidecar: held.sidecar().is_some(),
            damaged: held.opened.damaged(),
            notes: held.notes().iter().map(neutral).collect(),
        }
    }
}

pub(super) async fn all(State(explorer): State<Arc<Explorer>>) -> Result<Response, Fault> {
    let sample = explorer.sample.is_some();
    let found = explorer.tell(move |held| {
        to_json(&Answer {
            sample,
            databases: held.iter().map(Row::new).collect(),
        })
    });
    Ok(json(found.await?))
}
