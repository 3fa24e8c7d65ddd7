//! `/api/novelties`: where games leave what earlier games of the databases had.

use std::{collections::BTreeMap, sync::Arc};

use axum::{extract::State, response::Response};
use serde::Serialize;
use tabiya::{
    Database, Flow, GameId, Line, LineEnd, Match, Novelties, Novelty, Query, Search,
    shakmaty::Color,
};

use super::{
    chosen::Chosen,
    json,
    rows::{Row, numbered, row},
    to_json,
};
use crate::{
    errors::Fault,
    ids::Id,
    limits::Ask,
    params::{Params, PositionParam},
    registry::{self, DatabaseRef},
    state::{Explorer, Hit},
};

/// Games that are looked at unless the client says how many, and at most.
const GAMES: usize = 20;
const GAMES_MAX: usize = 200;
/// Games between two questions whether to go on.
const GAMES_PER_LOOK: u32 = 1 << 16;

#[derive(Debug, Serialize)]
struct Answer {
    /// Damaged games that were searched as far as they can be read, those of the databases too.
    harmed: u64,
    /// In the order in which they were asked.
    games: Vec<Left>,
}

/// A game and where it leaves the others.
#[derive(Debug, Serialize)]
struct Left {
    game: Row,
    /// Null when it does not, or when there is nothing that it could leave.
    novelty: Option<New>,
    /// Why there is none: `undated`, `first` when no game is earlier, `known` to its end.
    reason: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct New {
    ply: u32,
    /// The move as SAN, alone and with its number; null for a start that no other game had.
    r#move: Option<String>,
    label: Option<String>,
    /// Earlier games with the position before it, and the latest of them.
    before: u32,
    latest: Option<Row>,
}

/// What is asked.
struct NoveltyRequest {
    chosen: Chosen,
    /// Names of the databases with the earlier games; none for all.
    bases: Vec<String>,
}

pub(super) async fn novelties(
    State(explorer): State<Arc<Explorer>>,
    params: Params,
) -> Result<Response, Fault> {
    let mut asked = NoveltyRequest {
        chosen: Chosen::new(&params)?,
        bases: params.databases(),
    };
    // Games that are named may be of other databases than the earlier ones.
    asked.chosen.ask(&explorer).await?;
    let databases = asked.chosen.databases();
    let found = explorer.search(databases, move |explorer, held, ask| {
        asked.answer(explorer, held, ask)
    });
    Ok(json(found.await?))
}

impl NoveltyRequest {
    fn answer(
        &self,
        explorer: &Explorer,
        held: &[DatabaseRef],
        ask: &Ask,
    ) -> Result<Vec<u8>, Fault> {
        let bases = self.bases(held)?;
        let hits = self.chosen.hits(explorer, held, ask)?.hits;
        let range = self.chosen.range(hits.len(), GAMES);
        let hits = &hits[range];
        if hits.len() > GAMES_MAX {
            let what = format!("these are {}, and {GAMES_MAX} may be asked", hits.len());
            return Err(Fault::Request(format!("too many games: {what}")));
        }
        let names: Vec<String> = hits.iter().map(|hit| id(hit).to_string()).collect();
        let (of, names) = (registry::key(held), names.join(","));
        let key = format!("novelties {of} {} {names}", registry::key(&bases));
        explorer.kept(key, || to_json(&find(hits, held, &bases, ask)?))
    }

    fn bases(&self, held: &[DatabaseRef]) -> Result<Vec<DatabaseRef>, Fault> {
        if self.bases.is_empty() {
            return Ok(held.to_vec());
        }
        let mut bases = Vec::new();
        for name in &self.bases {
            let before = bases.len();
            let parts = held.iter().filter(|held| *held.name == **name);
            bases.extend(parts.cloned());
            if bases.len() == before {
                return Err(registry::absent(name));
            }
        }
        Ok(bases)
    }
}

fn id(hit: &Hit) -> Id {
    Id {
        database: hit.database,
        game: hit.game,
    }
}

/// Looks for the games of each database in one pass over the bases.
fn find(
    hits: &[Hit],
    held: &[DatabaseRef],
    bases: &[DatabaseRef],
    ask: &Ask,
) -> Result<Answer, Fault> {
    let databases: Vec<&Database> = bases.iter().map(|base| &**base).collect();
    let mut found: BTreeMap<(u16, GameId), Novelty> = BTreeMap::new();
    let mut harmed = 0;
    for held in held {
        let own = hits.iter().filter(|hit| hit.database == held.index);
        let games: Vec<GameId> = own.map(|hit| hit.game).collect();
        let Some(query) = numbered(held, &games)? else {
            continue;
        };
        let novelties = Novelties::new().query(&query);
        let (novelties, report) = novelties
            .on_progress(|_| ask.flow())
            .run(held, &databases)?;
        // Each run goes through the same bases.
        harmed = harmed.max(report.damaged);
        let own = novelties.into_iter();
        found.extend(own.map(|novelty| ((held.index, novelty.game), novelty)));
    }
    let mut first = None;
    let left = |hit: &Hit| {
        let own = held.iter().find(|held| held.index == hit.database);
        let held = own.ok_or(Fault::Internal)?;
        let novelty = found.get(&(hit.database, hit.game));
        let reason = match novelty {
            Some(_) => None,
            None => Some(reason(held, hit.game, &mut first, bases, ask)?),
        };
        let new = novelty.map(|novelty| new(held, novelty, bases, ask));
        Ok(Left {
            game: row(held, hit.game, None)?,
            novelty: new.transpose()?,
            reason,
        })
    };
    let games: Result<Vec<Left>, Fault> = hits.iter().map(left).collect();
    Ok(Answer {
        harmed,
        games: games?,
    })
}

/// Says why a game has no novelty. The date of the first game is found when it is needed.
fn reason(
    held: &DatabaseRef,
    game: GameId,
    first: &mut Option<u32>,
    bases: &[DatabaseRef],
    ask: &Ask,
) -> Result<&'static str, Fault> {
    let date = held.keys(game)?.date;
    if date.is_unknown() {
        return Ok("undated");
    }
    let first = match first {
        Some(first) => *first,
        None => *first.insert(first_date(bases, ask)?),
    };
    Ok(if first < date.packed() {
        "known"
    } else {
        "first"
    })
}

/// Returns the earliest date of all games, as a number.
fn first_date(bases: &[DatabaseRef], ask: &Ask) -> Result<u32, Fault> {
    let mut first = u32::MAX;
    for base in bases {
        for game in base.games() {
            if game.0 % GAMES_PER_LOOK == 0 {
                ask.check()?;
            }
            let date = base.keys(game)?.date.packed();
            if date < first && base.is_game(game)? {
                first = date;
            }
        }
    }
    Ok(first)
}

fn new(
    held: &DatabaseRef,
    novelty: &Novelty,
    bases: &[DatabaseRef],
    ask: &Ask,
) -> Result<New, Fault> {
    ask.check()?;
    let line = held.line(novelty.game, LineEnd::Ply(novelty.ply))?;
    let line = line.ok_or(Fault::Internal)?;
    let last = line.moves.last();
    let latest = novelty.latest.map(|(base, game)| {
        let base = bases.get(base).ok_or(Fault::Internal)?;
        let before = LineEnd::Ply(novelty.ply.saturating_sub(1));
        let before = held.line(novelty.game, before)?.ok_or(Fault::Internal)?;
        row(
            base,
            game,
            place(base, game, &PositionParam(before.end), ask)?,
        )
    });
    Ok(New {
        ply: novelty.ply,
        r#move: last.map(|last| last.san.clone()),
        label: last.map(|last| label(&line, &last.san)),
        before: novelty.before,
        latest: latest.transpose()?,
    })
}

/// Finds where a game has a position.
fn place(
    base: &DatabaseRef,
    game: GameId,
    place: &PositionParam,
    ask: &Ask,
) -> Result<Option<Match>, Fault> {
    let query = format!("number:{} fen:\"{}\"", base.number(game), place.key());
    let query: Query = query.parse().map_err(Fault::Query)?;
    let mut found = None;
    let sink = |hit: Match| {
        found = Some(hit);
        Flow::Break(())
    };
    Search::new(&query)
        .on_progress(|_| ask.flow())
        .for_each(base, sink)?;
    Ok(found)
}

/// Writes the last move of a line with its number.
fn label(line: &Line, san: &str) -> String {
    let (number, turn) = match &line.start {
        Some(start) => (start.fullmoves.get() as usize, start.turn),
        None => (1, Color::White),
    };
    let half_moves = line.moves.len() - 1 + usize::from(turn.is_black());
    let number = number + half_moves / 2;
    if half_moves.is_multiple_of(2) {
        format!("{number}.{san}")
    } else {
        format!("{number}...{san}")
    }
}
