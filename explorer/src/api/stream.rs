//! Games as lines of JSON, as PGN or as CSV, written as fast as the client takes them.
//!
//! The search is over before the first part, and that part is made with it, so that what goes
//! wrong with it has a status. More parts are made a few thousand games at a time, each time the
//! client has taken the ones before, so a slow client holds memory and no thread. How much memory,
//! is bounded over all streams and other answers together.

use std::sync::Arc;

use axum::{
    body::{Body, Bytes},
    http::header::{CONTENT_TYPE, HeaderName},
    response::{IntoResponse, Response},
};
use futures_util::stream::{self, Stream};
use rayon::prelude::*;

use super::{chosen::Chosen, csv, to_json};
use crate::{
    errors::Fault,
    limits::Ask,
    pgn,
    registry::DatabaseRef,
    state::{Explorer, Hit},
    unread::Room,
};

/// Games that are written together, and those of them that are written at the same time.
const GAMES: usize = 2000;
const GAMES_AT_ONCE: usize = 200;
/// Bytes after which no more games are added to a part.
const PART_BYTES: usize = 1 << 20;
/// Bytes that a part takes, and the one before it that is being sent.
const PARTS_BYTES: u64 = 2 << 20;

/// The headers that say how many games are left out because they are damaged, and how many were
/// searched as far as they can be read: lines of JSON and CSV have no place for it.
pub(super) const DAMAGED_GAMES: HeaderName = HeaderName::from_static("damaged-games");
pub(super) const HARMED_GAMES: HeaderName = HeaderName::from_static("harmed-games");

/// How games are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// JSON, one a line.
    Lines,
    Pgn,
    Csv,
}

impl Form {
    fn content_type(self) -> &'static str {
        match self {
            Form::Lines => "application/x-ndjson",
            Form::Pgn => "application/x-chess-pgn",
            Form::Csv => "text/csv; charset=utf-8; header=present",
        }
    }
}

/// What is left to be written.
struct Rest {
    explorer: Arc<Explorer>,
    chosen: Arc<Chosen>,
    form: Form,
    /// Where the games were found, and not what is there now.
    held: Arc<[DatabaseRef]>,
    hits: Arc<[Hit]>,
    /// For the games and some parts.
    room: Room,
    /// What is made already.
    ready: Vec<u8>,
    from: usize,
    to: usize,
}

/// Returns games, one after the other. What goes wrong after the first part ends lines with one
/// that has `error` instead of a game. Others have no place for that: the connection breaks, so
/// that nobody takes what came for all of it.
///
/// # Errors
/// Those of the search and of the first part.
pub(super) async fn send(
    explorer: Arc<Explorer>,
    mut chosen: Chosen,
    form: Form,
) -> Result<Response, Fault> {
    chosen.ask(&explorer).await?;
    let chosen = Arc::new(chosen);
    let (searched, asking) = (explorer.clone(), chosen.clone());
    let begin = move |explorer: &Explorer, held: &[DatabaseRef], ask: &Ask| {
        let found = asking.hits(explorer, held, ask)?;
        let damage = found.damage();
        let (hits, left_out) = (found.hits, (found.damaged, found.harmed));
        let hits_bytes = size_of_val(&*hits) as u64;
        let range = asking.range(hits.len(), usize::MAX);
        let mut rest = Rest {
            explorer: searched.clone(),
            chosen: asking.clone(),
            form,
            held: held.into(),
            hits,
            room: explorer.unread.take(hits_bytes + PARTS_BYTES)?,
            ready: Vec::new(),
            from: range.start,
            to: range.end,
        };
        for damage in damage.iter().filter(|_| form == Form::Pgn) {
            rest.ready.extend(format!("% {damage}\n\n").bytes());
        }
        if form == Form::Csv {
            rest.ready.extend(csv::titles(rest.is_of_several()).bytes());
        }
        let (text, games) = rest.part().make(held, ask)?;
        rest.ready.extend(text);
        rest.from += games;
        Ok((rest, left_out))
    };
    let (rest, (damaged, harmed)) = explorer.search(chosen.databases(), begin).await?;
    let body = Body::from_stream(rest.stream());
    let head = [
        (CONTENT_TYPE, form.content_type().to_owned()),
        (DAMAGED_GAMES, damaged.to_string()),
        (HARMED_GAMES, harmed.to_string()),
    ];
    Ok((head, body).into_response())
}

impl Rest {
    /// Tells whether the games may be of several databases.
    fn is_of_several(&self) -> bool {
        match &*self.chosen {
            Chosen::Search(_) => self.held.windows(2).any(|two| two[0].name != two[1].name),
            Chosen::Ids(hits, _) => hits
                .windows(2)
                .any(|two| two[0].database != two[1].database),
        }
    }

    /// Returns the next games.
    fn part(&self) -> Part {
        Part {
            chosen: self.chosen.clone(),
            form: self.form,
            hits: self.hits.clone(),
            from: self.from,
            to: self.from.saturating_add(GAMES).min(self.to),
            several: self.is_of_several(),
        }
    }

    fn stream(self) -> impl Stream<Item = Result<Bytes, std::io::Error>> {
        stream::unfold(self, |mut rest| async {
            let text = match (std::mem::take(&mut rest.ready), rest.from < rest.to) {
                (ready, _) if !ready.is_empty() => Ok(ready),
                (_, false) => return None,
                (_, true) => rest.next().await,
            };
            Some((text.map(|text| rest.room.hold(text)), rest))
        })
    }

    /// Makes the next part; the last one if something goes wrong.
    async fn next(&mut self) -> Result<Vec<u8>, std::io::Error> {
        let part = self.part();
        let make = move |held: &[DatabaseRef], ask: &Ask| part.make(held, ask);
        match self.explorer.go_on(self.held.clone(), make).await {
            Ok((text, games)) => {
                self.from += games;
                Ok(text)
            }
            Err(fault) => {
                self.from = self.to;
                match self.form {
                    Form::Lines => Ok(fault.to_line()),
                    Form::Pgn | Form::Csv => Err(std::io::Error::other("the answer is cut short")),
                }
            }
        }
    }
}

/// Games that are written together.
struct Part {
    chosen: Arc<Chosen>,
    form: Form,
    hits: Arc<[Hit]>,
    from: usize,
    to: usize,
    several: bool,
}

impl Part {
    /// Returns their text, which is never empty, and how many of the games are in it.
    fn make(&self, held: &[DatabaseRef], ask: &Ask) -> Result<(Vec<u8>, usize), Fault> {
        let hits = &self.hits[self.from..self.to];
        match self.form {
            Form::Lines => Ok((self.lines(hits, held, ask)?, hits.len())),
            Form::Csv => Ok((self.csv(hits, held, ask)?, hits.len())),
            Form::Pgn => pgn_of(hits, held, ask),
        }
    }

    fn lines(&self, hits: &[Hit], held: &[DatabaseRef], ask: &Ask) -> Result<Vec<u8>, Fault> {
        let mut text = Vec::new();
        for row in self.chosen.wanted().rows(hits, held, ask)? {
            text.extend(to_json(&row)?);
            text.push(b'\n');
        }
        Ok(text)
    }

    fn csv(&self, hits: &[Hit], held: &[DatabaseRef], ask: &Ask) -> Result<Vec<u8>, Fault> {
        let places = self.chosen.wanted().places(hits, held, ask)?;
        let mut text = String::new();
        for hit in hits {
            let place = places.get(&(hit.database, hit.game));
            let place = place.copied().unwrap_or_else(|| hit.game.into());
            csv::push(&mut text, of(held, hit)?, place, self.several)?;
        }
        Ok(text.into_bytes())
    }
}

/// Returns the database of a hit.
fn of<'h>(held: &'h [DatabaseRef], hit: &Hit) -> Result<&'h DatabaseRef, Fault> {
    let mut held = held.iter();
    held.find(|held| held.index == hit.database)
        .ok_or(Fault::Internal)
}

/// Returns games as PGN until there is enough of it. A game that cannot be read is left out with a
/// line that says so, which readers of PGN pass over.
fn pgn_of(hits: &[Hit], held: &[DatabaseRef], ask: &Ask) -> Result<(Vec<u8>, usize), Fault> {
    let one = |hit: &Hit| {
        let held = of(held, hit)?;
        match pgn::text(held, hit.game) {
            Err(Fault::Unreadable(_)) => {
                let name: String = held.name.chars().filter(|c| !c.is_control()).collect();
                let number = held.number(hit.game);
                Ok(format!(
                    "% game {number} of {name} is damaged and left out\n\n"
                ))
            }
            done => done,
        }
    };
    let (mut text, mut games) = (Vec::new(), 0);
    for hits in hits.chunks(GAMES_AT_ONCE) {
        ask.check()?;
        let made: Result<Vec<String>, Fault> = hits.par_iter().map(one).collect();
        made?.iter().for_each(|made| text.extend(made.bytes()));
        games += hits.len();
        if text.len() >= PART_BYTES {
            break;
        }
    }
    Ok((text, games))
}
