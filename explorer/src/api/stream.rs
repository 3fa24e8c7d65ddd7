//! Matches as lines of JSON, written as fast as the client takes them.
//!
//! The search is over before the first line, and the first lines are made with it, so that what
//! goes wrong with them has a status. More lines are made a few thousand at a time, each
//! time the client has taken the ones before, so a slow client holds memory and no thread. How
//! much memory, is bounded over all streams and other answers together.

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
    unread::Room,
};

/// Lines that are made together.
const LINES: usize = 2000;
/// Bytes that these take, and those before them that are being sent.
const LINES_BYTES: u64 = 2 << 20;

/// What is left to be written.
struct Rest {
    explorer: Arc<Explorer>,
    asked: Arc<Asked>,
    /// Where the matches were found, and not what is there now.
    held: Arc<[Held]>,
    hits: Arc<[Hit]>,
    /// For the matches and some lines.
    room: Room,
    /// Lines that are made already.
    ready: Vec<u8>,
    from: usize,
    to: usize,
}

/// Returns the matches, one a line. What goes wrong after the first lines ends the stream with a
/// line that has `error` instead of a game.
///
/// # Errors
/// Those of the search and of the first lines.
pub(super) async fn lines(explorer: Arc<Explorer>, asked: Asked) -> Result<Response, Fault> {
    let asked = Arc::new(asked);
    let (searched, asking) = (explorer.clone(), asked.clone());
    let begin = move |explorer: &Explorer, held: &[Held], ask: &Ask| {
        let hits = asking.hits(explorer, held, ask)?;
        let hits_bytes = size_of_val(&*hits) as u64;
        let from = asking.offset.min(hits.len());
        let limit = asking.limit.unwrap_or(usize::MAX);
        let mut rest = Rest {
            explorer: searched.clone(),
            asked: asking.clone(),
            held: held.into(),
            to: from.saturating_add(limit).min(hits.len()),
            hits,
            room: explorer.unread.take(hits_bytes + LINES_BYTES)?,
            ready: Vec::new(),
            from,
        };
        let (from, to) = rest.take();
        rest.ready = text(&asking, &rest.hits[from..to], held, ask)?;
        Ok(rest)
    };
    let rest = explorer.search(asked.databases(), begin).await?;
    let body = Body::from_stream(rest.stream());
    Ok(([(CONTENT_TYPE, "application/x-ndjson")], body).into_response())
}

impl Rest {
    /// Takes the places of the next lines off the rest.
    fn take(&mut self) -> (usize, usize) {
        let from = self.from;
        self.from = from.saturating_add(LINES).min(self.to);
        (from, self.from)
    }

    fn stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> {
        stream::unfold(self, |mut rest| async {
            let lines = match (std::mem::take(&mut rest.ready), rest.from < rest.to) {
                (ready, _) if !ready.is_empty() => ready,
                (_, false) => return None,
                (_, true) => rest.next().await,
            };
            Some((Ok(rest.room.hold(lines)), rest))
        })
    }

    /// Makes the next lines; the last one if something goes wrong.
    async fn next(&mut self) -> Vec<u8> {
        let (from, to) = self.take();
        let (asked, hits) = (self.asked.clone(), self.hits.clone());
        let make = move |held: &[Held], ask: &Ask| text(&asked, &hits[from..to], held, ask);
        let made = self.explorer.go_on(self.held.clone(), make).await;
        made.unwrap_or_else(|fault| {
            self.from = self.to;
            fault.to_line()
        })
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
