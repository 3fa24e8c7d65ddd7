//! Games that match, as rows of an answer.

use std::collections::HashMap;

use serde::Serialize;
use tabiya::{
    Database, GameId, GameSet, Match, Query, Search, Similar, chess::Share, format::GameHeader,
    shakmaty::Board,
};

use crate::{errors::Fault, ids::Id, limits::Ask, registry::DatabaseRef, state::Hit};

/// A game and where it matches. What is absent is null.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Row {
    id: String,
    pub(super) db: String,
    pub(super) number: u32,
    /// The half-move after which the query is satisfied, 0 being the start.
    pub(super) ply: Option<u32>,
    /// Whether that is in a variation.
    variation: bool,
    /// How similar the position there is to the one that was asked with, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    similarity: Option<f64>,
    #[serde(flatten)]
    pub(super) header: Header,
    pub(super) plies: Option<u32>,
}

/// A game's header. What is absent is null.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Header {
    #[serde(flatten)]
    header: GameHeader,
    /// The name of the opening, which may need up to 40 half-moves of the game.
    opening: Option<&'static str>,
}

impl Header {
    /// Returns the header of a game.
    pub(super) fn of(database: &Database, game: GameId) -> Result<Header, Fault> {
        Ok(Header {
            header: database.header(game)?,
            // A damaged game has no name and keeps its header.
            opening: database.opening(game).ok().flatten(),
        })
    }
}

/// What is asked of the games.
#[derive(Debug, Clone)]
pub(super) struct GamesRequest {
    pub(super) query: Query,
    pub(super) variations: bool,
    /// The men of the position to which games shall have similar ones.
    pub(super) like: Option<Board>,
}

impl GamesRequest {
    /// Returns what every game is.
    pub(super) fn all() -> GamesRequest {
        GamesRequest {
            query: Query::All,
            variations: false,
            like: None,
        }
    }

    /// Returns hits as rows, in their order, each with its place in the game.
    ///
    /// # Errors
    /// Those of a search.
    pub(super) fn rows(
        &self,
        hits: &[Hit],
        held: &[DatabaseRef],
        ask: &Ask,
    ) -> Result<Vec<Row>, Fault> {
        let places = self.places(hits, held, ask)?;
        let row = |hit: &Hit| {
            let game = hit.game;
            let held = held.iter().find(|held| held.index == hit.database);
            let place = places.get(&(hit.database, game)).copied();
            row(held.ok_or(Fault::Internal)?, game, place)
        };
        hits.iter().map(row).collect()
    }

    /// Returns where hits match, by database and game; nothing where that is no place.
    ///
    /// # Errors
    /// Those of a search.
    pub(super) fn places(
        &self,
        hits: &[Hit],
        held: &[DatabaseRef],
        ask: &Ask,
    ) -> Result<HashMap<(u16, GameId), Match>, Fault> {
        let mut places = HashMap::new();
        for held in held {
            let games = hits.iter().filter(|hit| hit.database == held.index);
            let games: Vec<GameId> = games.map(|hit| hit.game).collect();
            for found in self.places_of(held, &games, ask)? {
                places.insert((held.index, found.game), found);
            }
        }
        Ok(places)
    }

    /// Searches once more, only these games, for where they match.
    fn places_of(
        &self,
        held: &DatabaseRef,
        games: &[GameId],
        ask: &Ask,
    ) -> Result<Vec<Match>, Fault> {
        if let Some(board) = &self.like {
            let Some(these) = numbered(held, games)? else {
                return Ok(Vec::new());
            };
            let similar = Similar::new(board.clone()).query(&these);
            let (found, _) = similar.on_progress(|_| ask.flow()).run(held)?;
            return Ok(found.into_iter().map(Match::from).collect());
        }
        if self.query == Query::All {
            return Ok(Vec::new());
        }
        let these: GameSet = games.iter().copied().collect();
        let mut found = Vec::new();
        let sink = |hit: Match| {
            found.push(hit);
            ask.flow()
        };
        Search::new(&self.query)
            .among(&these)
            .variations(self.variations)
            .on_progress(|_| ask.flow())
            .for_each(held, sink)?;
        ask.check()?;
        Ok(found)
    }
}

/// Returns the query for games by number, consecutive ones as ranges; `None` for no games.
pub(super) fn numbered(held: &Database, games: &[GameId]) -> Result<Option<Query>, Fault> {
    let mut games = games.to_vec();
    games.sort_unstable();
    let ranges = games.chunk_by(|one, next| one.0 + 1 == next.0);
    let clauses: Vec<String> = ranges
        .filter_map(|range| Some((range.first()?, range.last()?)))
        .map(|(first, last)| format!("number:{}..{}", held.number(*first), held.number(*last)))
        .collect();
    if clauses.is_empty() {
        Ok(None)
    } else {
        Ok(Some(clauses.join(" or ").parse().map_err(Fault::Query)?))
    }
}

/// Returns a game and where it matches, if that is known.
///
/// # Errors
/// `Absent` when there is no such game.
pub(super) fn row(held: &DatabaseRef, game: GameId, place: Option<Match>) -> Result<Row, Fault> {
    let id = Id {
        database: held.index,
        game,
    };
    Ok(Row {
        id: id.to_string(),
        db: held.name.to_string(),
        number: held.number(game),
        ply: place.and_then(|place| place.ply),
        variation: place.is_some_and(|place| place.variation.is_some()),
        similarity: place.and_then(|place| place.similarity).map(Share::get),
        header: Header::of(held, game)?,
        plies: held.plies(game).ok(),
    })
}
