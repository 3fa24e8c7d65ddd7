//! Which games a position is illustrated with: the best rated and the latest.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap, HashMap},
};

use rayon::prelude::*;
use tabiya::{
    GameId, NextMove, TreeSearch,
    chess::{GameResult, PartialDate},
};

use super::params::LichessRequest;
use crate::{errors::Fault, ids::Id, limits::Ask, registry::DatabaseRef};

/// Games looked at between two questions whether to go on.
const GAMES_PER_LOOK: usize = 1 << 14;
/// More games than are wanted are kept, since those that end in the position are left out.
const SPARE_GAMES: usize = 8;
/// The most games among which the only game of a move is looked for.
const SINGLE_GAMES_MAX: usize = 200;

/// White wins, draws, Black wins.
pub(crate) type Results = [u64; 3];

/// The games that were chosen.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    /// Best mean rating first, with their next moves.
    pub(crate) top: Vec<(Id, NextMove)>,
    /// Latest first, with their next moves.
    pub(crate) recent: Vec<(Id, NextMove)>,
    /// By next move; empty when there are too many games to look at each.
    pub(crate) by_move: HashMap<NextMove, Id>,
    /// Games by year and month, as far as both are known.
    pub(crate) months: BTreeMap<(u16, u8), Results>,
}

/// What games are sorted by; the greatest are kept.
type Rank = (u32, PartialDate, u32);

/// Keeps the best of many.
struct Best {
    heap: BinaryHeap<Reverse<(Rank, u16)>>,
    room: usize,
}

impl Best {
    fn new(wanted: Option<usize>) -> Best {
        let wanted = wanted.filter(|&wanted| wanted > 0);
        Best {
            heap: BinaryHeap::new(),
            room: wanted.map_or(0, |wanted| wanted + SPARE_GAMES),
        }
    }

    fn offer(&mut self, rank: Rank, database: u16) {
        let offered = Reverse((rank, database));
        if self.heap.len() < self.room {
            self.heap.push(offered);
        } else if let Some(mut least) = self.heap.peek_mut()
            && offered < *least
        {
            *least = offered;
        }
    }

    fn merge(&mut self, other: Best) {
        for Reverse((rank, database)) in other.heap {
            self.offer(rank, database);
        }
    }

    /// Returns the games, best first.
    fn ids(self) -> Vec<Id> {
        let sorted = self.heap.into_sorted_vec().into_iter();
        let id = |Reverse(((_, _, game), database))| Id {
            database,
            game: GameId(game),
        };
        sorted.map(id).collect()
    }
}

/// What the look at some games has found.
struct Looked {
    top: Best,
    recent: Best,
    months: BTreeMap<(u16, u8), Results>,
}

/// Chooses among the games of a position, of which there is one list a database; with `singles`
/// also those that may be the only ones of a move.
///
/// # Errors
/// Those of reading headers; `Left` and `Slow`.
pub(crate) fn choose(
    asked: &LichessRequest,
    among: &[(&DatabaseRef, &[GameId])],
    singles: bool,
    ask: &Ask,
) -> Result<Chosen, Fault> {
    let mut looked = Looked::new(asked);
    for &(held, games) in among {
        let chunks = games.par_chunks(GAMES_PER_LOOK);
        let each: Result<Vec<Looked>, Fault> = chunks
            .map(|games| Looked::at(held, games, asked, ask))
            .collect();
        each?.into_iter().for_each(|other| looked.merge(other));
    }
    let count: usize = among.iter().map(|(_, games)| games.len()).sum();
    let all: Vec<Id> = if singles && count <= SINGLE_GAMES_MAX {
        among.iter().flat_map(ids).collect()
    } else {
        Vec::new()
    };
    let (top, recent) = (looked.top.ids(), looked.recent.ids());
    let nexts = next_moves(asked, among, [&*top, &*recent, &*all].concat())?;
    let best = |ids: Vec<Id>, wanted: Option<usize>| {
        let going_on = ids
            .into_iter()
            .filter_map(|id| Some((id, *nexts.get(&id)?)));
        going_on.take(wanted.unwrap_or_default()).collect()
    };
    let by_move = all
        .iter()
        .rev()
        .filter_map(|id| Some((*nexts.get(id)?, *id)));
    Ok(Chosen {
        by_move: by_move.collect(),
        top: best(top, asked.top_games),
        recent: best(recent, asked.recent_games),
        months: looked.months,
    })
}

fn ids<'g>((held, games): &'g (&DatabaseRef, &[GameId])) -> impl Iterator<Item = Id> + 'g {
    let database = held.index;
    games.iter().map(move |&game| Id { database, game })
}

/// Returns the moves that games play in the position, of those that go on.
fn next_moves(
    asked: &LichessRequest,
    among: &[(&DatabaseRef, &[GameId])],
    ids: Vec<Id>,
) -> Result<HashMap<Id, NextMove>, Fault> {
    let mut nexts = HashMap::new();
    let position = asked.place.tree();
    for (held, _) in among {
        let own = ids.iter().filter(|id| id.database == held.index);
        let own: Vec<Id> = own.copied().collect();
        let games: Vec<GameId> = own.iter().map(|id| id.game).collect();
        let moves = TreeSearch::new(&position).next_moves(held, &games)?;
        let is_move = |next: &NextMove| matches!(next, NextMove::Move { .. });
        let of_ids = own.into_iter().zip(moves);
        nexts.extend(of_ids.filter_map(|(id, next)| Some((id, next.filter(is_move)?))));
    }
    Ok(nexts)
}

impl Looked {
    fn new(asked: &LichessRequest) -> Looked {
        Looked {
            top: Best::new(asked.top_games),
            recent: Best::new(asked.recent_games),
            months: BTreeMap::new(),
        }
    }

    fn at(
        held: &DatabaseRef,
        games: &[GameId],
        asked: &LichessRequest,
        ask: &Ask,
    ) -> Result<Looked, Fault> {
        ask.check()?;
        let mut looked = Looked::new(asked);
        for &game in games {
            let keys = held.keys(game)?;
            let rating = match (keys.white_rating, keys.black_rating) {
                (Some(white), Some(black)) => u32::from(white.get()) + u32::from(black.get()),
                _ => 0,
            };
            looked.top.offer((rating, keys.date, game.0), held.index);
            looked.recent.offer((0, keys.date, game.0), held.index);
            if asked.history {
                looked.count(keys.date, keys.result);
            }
        }
        Ok(looked)
    }

    /// Counts a game in its month.
    fn count(&mut self, date: PartialDate, result: GameResult) {
        let Some(year) = date.year().filter(|_| date.month() > 0) else {
            return;
        };
        let results = self.months.entry((year, date.month())).or_default();
        match result {
            GameResult::WhiteWins => results[0] += 1,
            GameResult::Draw => results[1] += 1,
            GameResult::BlackWins => results[2] += 1,
            GameResult::Unknown => {}
        }
    }

    fn merge(&mut self, other: Looked) {
        self.top.merge(other.top);
        self.recent.merge(other.recent);
        for (month, results) in other.months {
            let sums = self.months.entry(month).or_default();
            sums.iter_mut()
                .zip(results)
                .for_each(|(sum, more)| *sum += more);
        }
    }
}
