//! `/api/games`: posted: games by database and number, as lists of clients keep them.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};

use super::{
    json, posted,
    rows::{Row, row},
    to_json,
};
use crate::{errors::Fault, registry::DatabaseRef, state::Explorer};

/// Games that may be asked for.
const GAMES_MAX: usize = 1000;

/// What is posted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Posted {
    games: Vec<ListedGame>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListedGame {
    db: String,
    number: u32,
}

#[derive(Debug, Serialize)]
struct Answer {
    /// In the order in which they were asked; null where there is no such game.
    games: Vec<Option<Row>>,
}

pub(super) async fn games(State(explorer): State<Arc<Explorer>>, request: Request) -> Response {
    match posted(&explorer, request).await {
        Ok(posted) => answer(explorer, posted).await.into_response(),
        Err(response) => response,
    }
}

async fn answer(explorer: Arc<Explorer>, posted: Posted) -> Result<Response, Fault> {
    if posted.games.len() > GAMES_MAX {
        return Err(Fault::parameter("games", format!("more than {GAMES_MAX}")));
    }
    let found = explorer.look(Vec::new(), move |held| {
        let games: Result<_, Fault> = posted.games.iter().map(|one| one.find(held)).collect();
        to_json(&Answer { games: games? })
    });
    Ok(json(found.await?))
}

impl ListedGame {
    fn find(&self, held: &[DatabaseRef]) -> Result<Option<Row>, Fault> {
        let mut own = held.iter().filter(|held| *held.name == *self.db);
        let game = own.find_map(|held| Some((held, held.game(self.number).ok()?)));
        game.map(|(held, game)| row(held, game, None)).transpose()
    }
}
