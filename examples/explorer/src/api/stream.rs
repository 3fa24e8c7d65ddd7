//! Matches as lines of JSON, written as fast as the client takes them.
//!
//! The search is over before the first line. Lines are then made a few thousand at a time, each
//! time the client has taken the ones before, so a slow client holds memory and no thread.

use std::{convert::Infallible, sync::Arc};

use axum::{
    body::{Body, Bytes},
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};
use futures_util::stream::{self, Stream};

use super::{search::Asked, to_json};
use crate::{
    errors::Fault,
    limits::Ask,
    state::{Explorer, Held, Hit},
};

/// Lines that are made together.
const LINES: usize = 2000;

/// What is left to be written.
struct Rest {
    explorer: Arc<Explorer>,
    asked: Arc<Asked>,
    hits: Arc<[Hit]>,
    from: usize,
    to: usize,
}

/// Returns the matches, one a line. What goes wrong after the first line ends the stream with a
/// line that has `error` instead of a game.
///
/// # Errors
/// Those of the search.
pub(super) async fn lines(explorer: Arc<Explorer>, asked: Asked) -> Result<Response, Fault> {
    let asked = Arc::new(asked);
    let asking = asked.clone();
    let hits = explorer
        .search(asked.databases(), move |explorer, held, ask| {
            asking.hits(explorer, held, ask)
        })
        .await?;
    let from = asked.offset.min(hits.len());
    let limit = asked.limit.unwrap_or(usize::MAX);
    let rest = Rest {
        to: from.saturating_add(limit).min(hits.len()),
        explorer,
        asked,
        hits,
        from,
    };
    let body = Body::from_stream(rest.stream());
    Ok(([(CONTENT_TYPE, "application/x-ndjson")], body).into_response())
}

impl Rest {
    fn stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> {
        stream::unfold(self, |mut rest| async {
            if rest.from >= rest.to {
                return None;
            }
            let lines = match rest.next().await {
                Ok(lines) => lines,
                Err(fault) => {
                    rest.from = rest.to;
                    fault.to_line()
                }
            };
            Some((Ok(Bytes::from(lines)), rest))
        })
    }

    async fn next(&mut self) -> Result<Vec<u8>, Fault> {
        let (from, to) = (self.from, (self.from + LINES).min(self.to));
        self.from = to;
        let (asked, hits) = (self.asked.clone(), self.hits.clone());
        let made = self
            .explorer
            .search(asked.databases(), move |_, held, ask| {
                text(&asked, hits.get(from..to).unwrap_or_default(), held, ask)
            });
        made.await
    }
}

fn text(asked: &Asked, hits: &[Hit], held: &[Held], ask: &Ask) -> Result<Vec<u8>, Fault> {
    let mut text = Vec::new();
    for row in asked.wanted.rows(hits, held, ask)? {
        text.extend(to_json(&row)?);
        text.push(b'\n');
    }
    Ok(text)
}
