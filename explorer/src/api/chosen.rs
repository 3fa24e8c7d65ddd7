//! The games that something is done with: those of a search, or those that are named.

use std::{ops::Range, sync::Arc};

use super::{request::SearchRequest, rows::GamesRequest};
use crate::{
    errors::Fault,
    ids::Id,
    limits::Ask,
    params::Params,
    registry::DatabaseRef,
    state::{Explorer, Found, Hit},
};

/// Games that may be named.
const IDS_MAX: usize = 1000;
/// What goes without `ids`: it is about a search.
const OF_SEARCHES: [&str; 6] = ["q", "variations", "like", "sort", "offset", "limit"];

/// Which games, in their order.
#[derive(Debug, Clone)]
pub(super) enum Chosen {
    Search(SearchRequest),
    Ids(Arc<[Hit]>, GamesRequest),
}

impl Chosen {
    /// Reads `ids`, or the parameters of a search.
    ///
    /// # Errors
    /// When they make no sense, or not together.
    pub(super) fn new(params: &Params) -> Result<Chosen, Fault> {
        let ids = params.list("ids").unwrap_or_default();
        if ids.is_empty() {
            return Ok(Chosen::Search(SearchRequest::new(params)?));
        }
        let of_search = |name: &&&str| params.text(name).is_some();
        if let Some(name) = OF_SEARCHES.iter().find(of_search) {
            return Err(Fault::parameter(name, "goes without `ids`"));
        }
        if ids.len() > IDS_MAX {
            return Err(Fault::parameter(
                "ids",
                format!("more than {IDS_MAX} games"),
            ));
        }
        let read = |text: &str| {
            let id = Id::read(text).ok_or_else(|| Fault::parameter("ids", "no name of a game"))?;
            Ok(Hit {
                database: id.database,
                game: id.game,
            })
        };
        let hits: Result<Vec<Hit>, Fault> = ids.into_iter().map(read).collect();
        Ok(Chosen::Ids(hits?.into(), GamesRequest::all()))
    }

    /// Finds the games of a search.
    ///
    /// # Errors
    /// Those of a search.
    pub(super) async fn ask(&mut self, explorer: &Arc<Explorer>) -> Result<(), Fault> {
        match self {
            Chosen::Search(asked) => asked.ask(explorer).await,
            Chosen::Ids(..) => Ok(()),
        }
    }

    /// Returns the names of the databases that have them; none for all.
    pub(super) fn databases(&self) -> Vec<String> {
        match self {
            Chosen::Search(asked) => asked.databases(),
            Chosen::Ids(..) => Vec::new(),
        }
    }

    /// Returns what is asked of the games.
    pub(super) fn wanted(&self) -> &GamesRequest {
        match self {
            Chosen::Search(asked) => &asked.wanted,
            Chosen::Ids(_, wanted) => wanted,
        }
    }

    /// Returns all of them.
    ///
    /// # Errors
    /// Those of a search; `Absent` when one that is named does not exist.
    pub(super) fn hits(
        &self,
        explorer: &Explorer,
        held: &[DatabaseRef],
        ask: &Ask,
    ) -> Result<Found, Fault> {
        let hits = match self {
            Chosen::Search(asked) => return asked.hits(usize::MAX, explorer, held, ask),
            Chosen::Ids(hits, _) => hits,
        };
        for hit in hits.iter() {
            let own = held.iter().find(|held| held.index == hit.database);
            if own.is_none_or(|held| hit.game.0 >= held.len()) {
                return Err(Fault::Absent("there is no such game".to_owned()));
            }
        }
        Ok(Found {
            sorted: hits.len(),
            hits: hits.clone(),
            damaged: 0,
            harmed: 0,
        })
    }

    /// Returns the requested range of the games; `most` of them unless the client says how many.
    pub(super) fn range(&self, games: usize, most: usize) -> Range<usize> {
        let (offset, limit) = match self {
            Chosen::Search(asked) => (asked.offset, asked.limit),
            Chosen::Ids(..) => (0, None),
        };
        let from = offset.min(games);
        from..from.saturating_add(limit.unwrap_or(most)).min(games)
    }
}
