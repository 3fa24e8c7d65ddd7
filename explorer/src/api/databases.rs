//! `/api/databases`: what there is.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use serde::Serialize;

use super::{json, to_json};
use crate::{
    errors::{Fault, neutral},
    registry::{self, DatabaseRef},
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
    /// Returns the row of a database, of all its parts.
    fn new(parts: &[DatabaseRef]) -> Option<Row> {
        let first = parts.first()?;
        let notes = parts.iter().flat_map(|part| part.notes());
        Some(Row {
            name: first.name.to_string(),
            format: first.kind().to_string(),
            games: registry::games(parts),
            description: first.description(),
            sidecar: parts.iter().all(|part| part.sidecar().is_some()),
            damaged: registry::damaged(parts),
            notes: notes.map(neutral).collect(),
        })
    }
}

pub(super) async fn all(State(explorer): State<Arc<Explorer>>) -> Result<Response, Fault> {
    let sample = explorer.sample.is_some();
    let found = explorer.tell(move |held| {
        to_json(&Answer {
            sample,
            databases: held
                .chunk_by(|one, next| one.name == next.name)
                .filter_map(Row::new)
                .collect(),
        })
    });
    Ok(json(found.await?))
}
