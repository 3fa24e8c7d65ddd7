//! The interface of the Lichess opening explorer.
//!
//! ```text
//! address ─▶ params ─▶ count  ─▶ answer ─▶ JSON
//!                  └─▶ games ─┘
//! ```

mod answer;
mod count;
mod games;
mod params;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Path, State},
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
    routing::get,
};

use self::params::LichessRequest;
use crate::{errors::Fault, ids::Id, params::Params, pgn, registry, state::Explorer};

/// The type of a game's text, as the original gives it.
const PGN: &str = "application/x-chess-pgn";

/// Returns the addresses.
pub(crate) fn routes() -> Router<Arc<Explorer>> {
    Router::new()
        .route("/masters", get(masters))
        .route("/master", get(masters))
        .route("/lichess", get(lichess))
        .route("/player", get(player))
        .route("/masters/pgn/{id}", get(game))
        .route("/master/pgn/{id}", get(game))
}

type Answered = Result<Response, Response>;

async fn masters(State(explorer): State<Arc<Explorer>>, params: Params) -> Answered {
    let asked = LichessRequest::masters(&params);
    answer(explorer, params, asked, "application/json").await
}

async fn lichess(State(explorer): State<Arc<Explorer>>, params: Params) -> Answered {
    let asked = LichessRequest::lichess(&params);
    answer(explorer, params, asked, "application/json").await
}

/// A stream of one line: nothing has to be fetched first, so the first answer is the last.
async fn player(State(explorer): State<Arc<Explorer>>, params: Params) -> Answered {
    let asked = LichessRequest::player(&params);
    answer(explorer, params, asked, "application/x-ndjson").await
}

async fn answer(
    explorer: Arc<Explorer>,
    params: Params,
    asked: Result<LichessRequest, Fault>,
    content_type: &'static str,
) -> Answered {
    let asked = asked.map_err(Fault::into_text)?;
    let databases = params.databases();
    let what = asked.key();
    let found = explorer
        .search(databases, move |explorer, held, ask| {
            let key = format!("lichess {} {what}", registry::key(held));
            explorer.kept(key, || {
                let mut answer = answer::find(&asked, held, ask)?;
                answer.push(b'\n');
                Ok(answer)
            })
        })
        .await
        .map_err(Fault::into_text)?;
    Ok(([(CONTENT_TYPE, content_type)], found).into_response())
}

async fn game(State(explorer): State<Arc<Explorer>>, Path(id): Path<String>) -> Answered {
    let absent = || Fault::Absent("game not found".to_owned());
    let id = Id::read(&id).ok_or_else(|| absent().into_text())?;
    let found = explorer.look(Vec::new(), move |held| {
        let held = held.iter().find(|held| held.index == id.database);
        let held = held.ok_or_else(absent)?;
        pgn::beginning(held, id.game)
    });
    let text = found.await.map_err(Fault::into_text)?;
    Ok(([(CONTENT_TYPE, PGN)], text).into_response())
}
