//! The interface that takes whole queries. `openapi.json` describes it.

mod chosen;
mod complete;
mod csv;
mod databases;
mod diagram;
mod download;
mod engine;
mod export;
mod folders;
mod game;
mod games;
mod hints;
mod index;
mod lines;
mod novelties;
mod openings;
mod parcel;
mod pasted;
mod position;
mod positions;
mod query;
mod repertoires;
mod report;
mod request;
mod rows;
mod save;
mod search;
mod sort;
mod stats;
mod stream;
mod tree;
mod typing;
mod web_address;

use std::{fmt::Write as _, sync::Arc};

use axum::{
    Router,
    body::Bytes,
    extract::{FromRequest, Request},
    http::{StatusCode, header::CONTENT_TYPE},
    middleware::{Next, from_fn},
    response::{IntoResponse, Response},
    routing::{MethodRouter, get, post},
};
use serde::{Serialize, de::DeserializeOwned};

use crate::{access::own_page, errors::Fault, params::Params, state::Explorer};

const JSON: &str = "application/json";

/// Returns the addresses, each with the parameters that it knows.
pub(crate) fn routes() -> Router<Arc<Explorer>> {
    let description = || async { json(include_bytes!("../../openapi.json").to_vec()) };
    let routes: [(&str, MethodRouter<_>, &[&str]); 29] = [
        (
            "complete",
            get(complete::complete),
            &["db", "q", "at", "limit"],
        ),
        ("databases", get(databases::all), &[]),
        (
            "search",
            get(search::search),
            &[
                "db",
                "q",
                "variations",
                "like",
                "sort",
                "offset",
                "limit",
                "format",
            ],
        ),
        (
            "export",
            get(export::export),
            &[
                "db",
                "q",
                "variations",
                "like",
                "sort",
                "offset",
                "limit",
                "ids",
                "format",
                "name",
            ],
        ),
        (
            "novelties",
            get(novelties::novelties),
            &[
                "db",
                "q",
                "variations",
                "like",
                "sort",
                "offset",
                "limit",
                "ids",
            ],
        ),
        (
            "diagram",
            get(diagram::diagram),
            &["fen", "play", "last", "side", "title"],
        ),
        ("games", post(games::games), &[]),
        (
            "tree",
            get(tree::tree),
            &["db", "q", "fen", "play", "variations", "sort"],
        ),
        (
            "lines",
            get(lines::lines),
            &[
                "db",
                "q",
                "fen",
                "play",
                "variations",
                "depth",
                "minGames",
                "only",
                "format",
                "name",
            ],
        ),
        (
            "report",
            get(report::report),
            &[
                "db", "q", "player", "games", "opening", "file", "color", "fen", "play", "format",
            ],
        ),
        ("repertoires", get(repertoires::all), &[]),
        (
            "repertoire",
            get(repertoires::moves),
            &["file", "fen", "play"],
        ),
        (
            "departure",
            get(repertoires::departure),
            &["id", "file", "color"],
        ),
        (
            "game",
            get(game::game),
            &["id", "number", "db", "fens", "notation"],
        ),
        ("openings", get(openings::find), &["name", "limit"]),
        ("pasted", post(pasted::read), &[]),
        ("position", get(position::position), &["fen", "play"]),
        ("query", get(query::query), &["q"]),
        ("positions", post(positions::count), &[]),
        ("stats", get(stats::stats), &["db", "q", "variations"]),
        ("folders", get(folders::all), &[]),
        ("open", post(folders::open), &[]),
        ("close", post(folders::close), &[]),
        ("save", post(save::save), &[]),
        ("remove", post(save::remove), &[]),
        ("undo", post(save::undo), &[]),
        ("index", get(index::told).post(index::change), &[]),
        ("engine", get(engine::told).post(engine::think), &[]),
        ("openapi.json", get(description), &[]),
    ];
    let mut router = Router::new();
    for (name, route, known) in routes {
        router = router.route(&format!("/api/{name}"), asked(route, known));
    }
    router
}

/// Lets a route refuse parameters that it does not know: an answer to another question would look
/// like one to this.
fn asked(
    route: MethodRouter<Arc<Explorer>>,
    known: &[&'static str],
) -> MethodRouter<Arc<Explorer>> {
    let known: Arc<[&str]> = known.into();
    let check = move |params: Params, request: Request, next: Next| {
        let checked = params.only(&known);
        async move {
            checked?;
            Ok::<_, Fault>(next.run(request).await)
        }
    };
    route.route_layer(from_fn(check))
}

/// Reads what is posted.
///
/// # Errors
/// A fault as its answer, when it is too long or does not come in time.
async fn body(explorer: &Explorer, request: Request) -> Result<Bytes, Response> {
    let time = explorer.limits.client_time;
    match tokio::time::timeout(time, Bytes::from_request(request, &())).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(rejection)) => Err(match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Fault::Large,
            _ => Fault::Request("the body cannot be read".to_owned()),
        }
        .into_response()),
        Err(_) => {
            let what = "the body did not come in time".to_owned();
            Err(Fault::Request(what).into_response())
        }
    }
}

/// Returns an answer that is JSON already.
fn json(text: Vec<u8>) -> Response {
    ([(CONTENT_TYPE, JSON)], text).into_response()
}

/// Writes an answer as JSON. What would be a command to a terminal is escaped in it.
fn to_json(value: &impl Serialize) -> Result<Vec<u8>, Fault> {
    let text = serde_json::to_string(value).map_err(|_| Fault::Internal)?;
    if !text.contains(tabiya::is_command) {
        return Ok(text.into_bytes());
    }
    let mut escaped = String::with_capacity(text.len() + 64);
    for letter in text.chars() {
        if tabiya::is_command(letter) {
            // Such letters stand in texts alone, and have one unit of UTF-16 each.
            let _ = write!(escaped, "\\u{:04x}", u32::from(letter));
        } else {
            escaped.push(letter);
        }
    }
    Ok(escaped.into_bytes())
}

/// Reads JSON that is posted.
///
/// # Errors
/// When it makes no sense, or as those of [`body`].
async fn posted<T: DeserializeOwned>(explorer: &Explorer, request: Request) -> Result<T, Response> {
    let read = serde_json::from_slice(&body(explorer, request).await?);
    read.map_err(|error| Fault::Request(error.to_string()).into_response())
}

/// Reads JSON that the explorer's own page has posted.
///
/// # Errors
/// When it comes from elsewhere, or as those of [`posted`].
async fn posted_by_page<T: DeserializeOwned>(
    explorer: &Explorer,
    request: Request,
) -> Result<T, Response> {
    own_page(request.headers()).map_err(Fault::into_response)?;
    posted(explorer, request).await
}
