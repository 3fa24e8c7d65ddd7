//! `/api/engine`: what one of the user's engines thinks of a position, as lines that follow each
//! other.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    body::{Body, Bytes},
    extract::{Request, State},
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};
use futures_util::stream;
use serde::{Deserialize, Serialize};
use shakmaty::Position;
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

use super::{json, posted_by_page, to_json};
use crate::{
    engine::{Analysis, AnalysisRequest, EngineChoice, EngineState, EngineWanted},
    errors::Fault,
    params::position,
    state::Explorer,
};

/// Time between two lines, however often the engine says something.
const PAUSE: Duration = Duration::from_millis(100);
/// Time without a line after which an empty one is sent: who has left is noticed by that.
const SILENCE: Duration = Duration::from_secs(1);

#[derive(Debug, Serialize)]
struct Answer {
    /// The first engine, which is asked when none is named; null without any.
    engine: Option<EngineState>,
    /// All of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    engines: Vec<EngineChoice>,
    /// Whether they may think without end.
    #[serde(skip_serializing_if = "Option::is_none")]
    endless: Option<bool>,
}

/// What is posted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Posted {
    fen: String,
    #[serde(default = "one")]
    lines: u32,
    /// Milliseconds; as long as the command line allows without it.
    time: Option<u64>,
    /// Whether the engine thinks until the client leaves, if the command line allows that.
    #[serde(default)]
    endless: bool,
    /// The first one without it.
    engine: Option<EngineWanted>,
}

fn one() -> u32 {
    1
}

pub(super) async fn told(State(explorer): State<Arc<Explorer>>) -> Result<Response, Fault> {
    let engines = &explorer.engines;
    let answer = Answer {
        engine: engines.told(),
        engines: engines.choices(),
        endless: engines.are_endless(),
    };
    Ok(json(to_json(&answer)?))
}

pub(super) async fn think(State(explorer): State<Arc<Explorer>>, request: Request) -> Response {
    let begun = match posted_by_page(&explorer, request).await {
        Ok(posted) => begin(&explorer, &posted),
        Err(response) => return response,
    };
    match begun {
        Ok(told) => {
            let body = Body::from_stream(stream::unfold(Some(told), lines));
            ([(CONTENT_TYPE, "application/x-ndjson")], body).into_response()
        }
        Err(fault) => fault.into_response(),
    }
}

fn begin(explorer: &Arc<Explorer>, posted: &Posted) -> Result<watch::Receiver<Analysis>, Fault> {
    let position = position(&posted.fen)?;
    if position.legal_moves().is_empty() {
        return Ok(nothing());
    }
    let engines = &explorer.engines;
    let none = Fault::Refused("there is no engine: the server was started without --engine");
    if engines.told().is_none() {
        return Err(none);
    }
    let engine = engines.place(posted.engine.as_ref());
    let asked = AnalysisRequest {
        engine: engine.ok_or_else(|| Fault::parameter("engine", "there is no such engine"))?,
        position,
        lines: posted.lines,
        time: posted.time.map_or(Duration::MAX, Duration::from_millis),
        is_endless: posted.endless,
    };
    engines.search(asked).ok_or(none)
}

/// Returns what is found where no move can be played.
fn nothing() -> watch::Receiver<Analysis> {
    let (_, mut told) = watch::channel(Analysis {
        over: Some("end"),
        error: Some("there is no move to think about".to_owned()),
        ..Analysis::default()
    });
    told.mark_changed();
    told
}

/// Returns the next line and where to go on; the newest of what was found since the last one. Who
/// takes them slowly makes none wait.
async fn lines(
    told: Option<watch::Receiver<Analysis>>,
) -> Option<(Result<Bytes, Infallible>, Option<watch::Receiver<Analysis>>)> {
    let mut told = told?;
    match timeout(SILENCE, told.changed()).await {
        Ok(Ok(())) => sleep(PAUSE).await,
        Ok(Err(_)) => return None,
        Err(_) => return Some((Ok(Bytes::from_static(b"\n")), Some(told))),
    }
    let (mut line, is_over) = {
        let found = told.borrow_and_update();
        (to_json(&*found).unwrap_or_default(), found.over.is_some())
    };
    line.push(b'\n');
    Some((Ok(line.into()), (!is_over).then_some(told)))
}
