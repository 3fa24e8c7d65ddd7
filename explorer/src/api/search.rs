//! `/api/search`: the games that match a query, page by page or as a stream of lines.

use std::sync::Arc;

use axum::{
    extract::State,
    http::{HeaderMap, header::ACCEPT},
    response::Response,
};
use serde::Serialize;

use super::{
    chosen::Chosen,
    hints::{Told, hints},
    json,
    request::SearchRequest,
    rows::Row,
    stream::{self, Form},
    to_json,
};
use crate::{
    errors::Fault,
    limits::Ask,
    params::Params,
    registry::DatabaseRef,
    state::{Explorer, Found},
};

/// Rows of a page that does not say how many it wants, and of any page.
const ROWS: usize = 50;
const ROWS_MAX: usize = 200;

/// One page.
#[derive(Debug, Serialize)]
struct Page {
    /// The query as it was understood.
    query: String,
    /// What was probably meant by parts of it.
    hints: Vec<Told>,
    /// Games that match, on all pages.
    total: usize,
    /// Games that are left out because they are damaged.
    damaged: u64,
    /// Damaged games that were searched as far as they can be read.
    harmed: u64,
    offset: usize,
    games: Vec<Row>,
    /// The offset of the next page; null on the last one.
    next: Option<usize>,
}

/// Returns one page of the games that match.
fn page(
    asked: &SearchRequest,
    explorer: &Explorer,
    held: &[DatabaseRef],
    ask: &Ask,
) -> Result<Vec<u8>, Fault> {
    let rows = asked.limit.unwrap_or(ROWS).min(ROWS_MAX);
    let first = asked.offset.saturating_add(rows);
    let Found {
        hits,
        damaged,
        harmed,
        sorted: _,
    } = asked.hits(first, explorer, held, ask)?;
    let from = asked.offset.min(hits.len());
    let to = from.saturating_add(rows).min(hits.len());
    to_json(&Page {
        query: asked.wanted.query.to_string(),
        hints: hints(&asked.wanted.query, !hits.is_empty(), held, ask)?,
        total: hits.len(),
        damaged,
        harmed,
        offset: asked.offset,
        games: asked.wanted.rows(&hits[from..to], held, ask)?,
        next: (to < hits.len() && to > from).then_some(to),
    })
}

/// Tells whether lines are wanted and not a page.
fn wants_lines(params: &Params, headers: &HeaderMap) -> Result<bool, Fault> {
    match params.text("format") {
        Some("jsonl") => Ok(true),
        Some("json") => Ok(false),
        Some(_) => Err(Fault::parameter("format", "neither `json` nor `jsonl`")),
        None => {
            let accept = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok());
            Ok(accept.is_some_and(|accept| accept.contains("application/x-ndjson")))
        }
    }
}

pub(super) async fn search(
    State(explorer): State<Arc<Explorer>>,
    params: Params,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    let mut asked = SearchRequest::new(&params)?;
    if wants_lines(&params, &headers)? {
        return stream::send(explorer, Chosen::Search(asked), Form::Lines).await;
    }
    asked.ask(&explorer).await?;
    let databases = asked.databases();
    let page = explorer.search(databases, move |explorer, held, ask| {
        page(&asked, explorer, held, ask)
    });
    Ok(json(page.await?))
}
