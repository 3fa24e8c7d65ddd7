//! `/api/positions`: the games of many positions in one request.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use tabiya::{Positions, WantedPosition, chess::GameResult};

use super::{json, posted, to_json};
use crate::{errors::Fault, limits::Ask, params::query, registry::DatabaseRef, state::Explorer};

/// What is posted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Posted {
    positions: Vec<Position>,
    #[serde(default)]
    q: String,
    #[serde(default)]
    variations: bool,
    /// Names of databases; none for all.
    #[serde(default)]
    db: Vec<String>,
}

/// A FEN, alone or with a label that comes back.
#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Position {
    Fen(String),
    Labelled { fen: String, label: String },
}

#[derive(Debug, Serialize)]
struct Answer {
    /// In the order in which they were asked.
    positions: Vec<Row>,
    /// Games that are left out because they are damaged.
    damaged: u64,
    /// Damaged games that were searched as far as they can be read.
    harmed: u64,
}

#[derive(Debug, Serialize)]
struct Row {
    fen: String,
    label: Option<String>,
    /// Over all databases that were asked.
    games: u64,
    white: u64,
    draws: u64,
    black: u64,
}

impl Posted {
    /// Returns the positions as rows without games, and as what is counted.
    fn read(&self, positions_max: usize) -> Result<(Vec<Row>, Vec<WantedPosition>), Fault> {
        if self.positions.len() > positions_max {
            let message = format!("more than {positions_max}");
            return Err(Fault::parameter("positions", message));
        }
        let (mut rows, mut wanted) = (Vec::new(), Vec::new());
        for (number, position) in (1..).zip(&self.positions) {
            let (fen, label) = match position {
                Position::Fen(fen) => (fen, None),
                Position::Labelled { fen, label } => (fen, Some(label.clone())),
            };
            wanted.push(read(number, fen)?);
            rows.push(Row {
                fen: fen.clone(),
                label,
                games: 0,
                white: 0,
                draws: 0,
                black: 0,
            });
        }
        Ok((rows, wanted))
    }
}

fn read(number: usize, fen: &str) -> Result<WantedPosition, Fault> {
    let wrong = |message: &str| Fault::parameter("positions", format!("{number}: {message}"));
    match Positions::from_epd(fen) {
        Err(fault) => Err(wrong(&fault.message)),
        Ok(read) => match read.wanted() {
            [wanted] => Ok(wanted.clone()),
            _ => Err(wrong("not one position")),
        },
    }
}

pub(super) async fn count(State(explorer): State<Arc<Explorer>>, request: Request) -> Response {
    match posted(&explorer, request).await {
        Ok(posted) => answer(explorer, posted).await.into_response(),
        Err(response) => response,
    }
}

async fn answer(explorer: Arc<Explorer>, posted: Posted) -> Result<Response, Fault> {
    let positions_max = explorer.limits.positions;
    let databases = posted.db.clone();
    let found = explorer.search(databases, move |_, held, ask| {
        let (rows, wanted) = posted.read(positions_max)?;
        let query = query(&posted.q)?;
        let positions = Positions::new(wanted)
            .query(&query)
            .variations(posted.variations);
        let mut answer = Answer {
            positions: rows,
            damaged: 0,
            harmed: 0,
        };
        for held in held {
            answer.add(&positions, held, ask)?;
        }
        to_json(&answer)
    });
    Ok(json(found.await?))
}

impl Answer {
    /// Adds the games of one database.
    fn add(
        &mut self,
        positions: &Positions<'_>,
        held: &DatabaseRef,
        ask: &Ask,
    ) -> Result<(), Fault> {
        let counts = positions.on_progress(|_| ask.flow()).run(held)?;
        for (row, count) in self.positions.iter_mut().zip(counts.rows()) {
            let of = |result| u64::from(count.tally.count(result));
            row.games += u64::from(count.tally.games());
            row.white += of(GameResult::WhiteWins);
            row.draws += of(GameResult::Draw);
            row.black += of(GameResult::BlackWins);
        }
        let report = counts.report();
        held.opened.met_damaged(report.damaged, report.harmed);
        self.damaged += report.damaged;
        self.harmed += report.harmed;
        Ok(())
    }
}
