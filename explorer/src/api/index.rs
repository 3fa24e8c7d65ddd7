//! `/api/index`: the index of a database, built while the page looks on.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use serde::Deserialize;

use super::{json, posted_by_page, to_json};
use crate::{errors::Fault, state::Explorer};

/// What is posted: the database whose index is to be built, or that the building is to stop.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Posted {
    db: Option<String>,
    #[serde(default)]
    stop: bool,
}

pub(super) async fn told(State(explorer): State<Arc<Explorer>>) -> Result<Response, Fault> {
    Ok(json(to_json(&explorer.indexing.told())?))
}

pub(super) async fn change(State(explorer): State<Arc<Explorer>>, request: Request) -> Response {
    let posted = match posted_by_page::<Posted>(&explorer, request).await {
        Ok(posted) => posted,
        Err(response) => return response,
    };
    let done = match &posted {
        Posted {
            stop: true,
            db: None,
        } => {
            explorer.indexing.stop();
            Ok(())
        }
        Posted {
            stop: false,
            db: Some(db),
        } => explorer.indexing.build(&explorer.registry, db),
        _ => Err(Fault::Request("either `db` or `stop` is wanted".to_owned())),
    };
    match done {
        Ok(()) => told(State(explorer)).await.into_response(),
        Err(fault) => fault.into_response(),
    }
}
