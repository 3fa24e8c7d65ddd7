//! What a search is asked, and the games that it finds, in their order.

use std::sync::Arc;

use tabiya::{Similar, SimilarGame, query::FenTest};

use super::{
    rows::GamesRequest,
    sort::{self, Order},
};
use crate::{
    errors::Fault,
    filters::Filter,
    limits::Ask,
    params::Params,
    registry::{self, DatabaseRef},
    state::{Explorer, Found, Hit},
};

/// Games with similar positions that are listed: the best ones. All games have some.
const LIKE_GAMES: usize = 200;
/// Games that are sorted at least: the next pages are likely to be asked for.
const SORTED_MIN: usize = 1000;

/// What a search is asked.
#[derive(Debug, Clone)]
pub(super) struct SearchRequest {
    pub(super) wanted: GamesRequest,
    filter: Filter,
    order: Order,
    databases: Vec<String>,
    pub(super) offset: usize,
    pub(super) limit: Option<usize>,
}

impl SearchRequest {
    /// Reads `db`, `q`, `variations`, `like`, `sort`, `offset` and `limit`.
    ///
    /// # Errors
    /// When one of them makes no sense.
    pub(super) fn new(params: &Params) -> Result<SearchRequest, Fault> {
        let like = params.text("like").filter(|fen| !fen.is_empty());
        let like = like.map(|fen| {
            let read: Result<FenTest, _> = fen.parse();
            read.map_err(|fault| Fault::parameter("like", fault.message))
        });
        let like = like.transpose()?.map(|fen| fen.board);
        let sort = params.text("sort").unwrap_or_default();
        if like.is_some() && !sort.is_empty() {
            let message = "goes without `like`, by which games come in the order of likeness";
            return Err(Fault::parameter("sort", message));
        }
        let (query, variations) = (params.query()?, params.flag("variations")?);
        Ok(SearchRequest {
            filter: Filter::new(query.clone(), variations),
            wanted: GamesRequest {
                query,
                variations,
                like,
            },
            order: Order::read(sort)?,
            databases: params.databases(),
            offset: params.value("offset")?.unwrap_or(0),
            limit: params.value("limit")?,
        })
    }

    /// Returns the names of the databases that are asked.
    pub(super) fn databases(&self) -> Vec<String> {
        self.databases.clone()
    }

    /// Finds the games of the filter, unless they are kept in their order.
    ///
    /// # Errors
    /// Those of a search.
    pub(super) async fn ask(&mut self, explorer: &Arc<Explorer>) -> Result<(), Fault> {
        let key = self.key(&explorer.held(&self.databases)?);
        if self.wanted.like.is_none() && explorer.hits.get(&key).is_none() {
            self.filter.ask(explorer, &self.databases).await?;
        }
        Ok(())
    }

    /// Returns what makes matches differ.
    fn key(&self, held: &[DatabaseRef]) -> String {
        let GamesRequest {
            query,
            variations,
            like,
        } = &self.wanted;
        let databases = registry::key(held);
        let like = like.as_ref().map(|board| board.to_string());
        format!("{databases} {variations} {:?} {like:?} {query}", self.order)
    }

    /// Returns all matches, the first ones in their order: at least so many.
    pub(super) fn hits(
        &self,
        first: usize,
        explorer: &Explorer,
        held: &[DatabaseRef],
        ask: &Ask,
    ) -> Result<Found, Fault> {
        let key = self.key(held);
        let kept = explorer.hits.get(&key);
        if let Some(found) = kept.filter(|kept| kept.sorted >= first.min(kept.hits.len())) {
            return Ok(found);
        }
        let found = match &self.wanted.like {
            Some(board) => self.nearest(Similar::new(board.clone()), held, ask)?,
            None => self.sorted(first, explorer, held, ask)?,
        };
        let bytes = size_of_val(&*found.hits);
        explorer.hits.put(key, found.clone(), bytes);
        Ok(found)
    }

    /// Returns the games with the most similar positions, the best ones first.
    fn nearest<'q>(
        &'q self,
        similar: Similar<'q>,
        held: &[DatabaseRef],
        ask: &Ask,
    ) -> Result<Found, Fault> {
        let similar = similar
            .query(&self.wanted.query)
            .variations(self.wanted.variations)
            .limit(LIKE_GAMES as u64);
        let mut found: Vec<(Hit, SimilarGame)> = Vec::new();
        let (mut damaged, mut harmed) = (0, 0);
        for held in held {
            let (games, report) = similar.on_progress(|_| ask.flow()).run(held)?;
            ask.check()?;
            held.opened.met_damaged(report.damaged, report.harmed);
            damaged += report.damaged;
            harmed += report.harmed;
            let hit = |game: SimilarGame| Hit {
                database: held.index,
                game: game.game,
            };
            found.extend(games.into_iter().map(|game| (hit(game), game)));
        }
        // Stable: games that are equal stay in the order of their databases and numbers.
        found.sort_by_key(|(_, game)| std::cmp::Reverse((game.similarity * 1e9).round() as u64));
        let hits = found.into_iter().map(|(hit, _)| hit);
        let hits: Arc<[Hit]> = hits.take(LIKE_GAMES).collect();
        Ok(Found {
            sorted: hits.len(),
            hits,
            damaged,
            harmed,
        })
    }

    /// Returns the games that match, the first ones sorted.
    fn sorted(
        &self,
        first: usize,
        explorer: &Explorer,
        held: &[DatabaseRef],
        ask: &Ask,
    ) -> Result<Found, Fault> {
        let answer = self.filter.games(explorer, held, ask)?;
        let mut hits = Vec::new();
        for (held, part) in held.iter().zip(&answer.parts) {
            hits.extend(part.games.iter().map(|game| Hit {
                database: held.index,
                game,
            }));
        }
        Ok(Found {
            sorted: sort::sort(&mut hits, &self.order, first.max(SORTED_MIN), held)?,
            hits: hits.into(),
            damaged: answer.parts.iter().map(|part| part.damaged).sum(),
            harmed: answer.parts.iter().map(|part| part.harmed).sum(),
        })
    }
}
