//! `/api/stats`: the games of a query by year, rating, opening and player, for charts.

use std::{collections::BTreeMap, sync::Arc};

use axum::{extract::State, response::Response};
use serde::Serialize;
use tabiya::{PlayerStats, Stats, StatsOptions, Tally};

use super::{json, to_json};
use crate::{
    answers::Part,
    errors::Fault,
    filters::Filter,
    limits::Ask,
    params::Params,
    registry::{self, DatabaseRef},
    state::Explorer,
};

/// Players that are listed.
const PLAYERS: usize = 20;

/// The statistics of the databases that were asked, one after the other.
#[derive(Debug, Serialize)]
struct Answer {
    stats: Vec<OneStats>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct OneStats {
    db: String,
    /// Games that are left out because they are damaged.
    damaged: u64,
    /// Damaged games that were searched as far as they can be read.
    harmed: u64,
    total: Tally,
    years: BTreeMap<u16, Tally>,
    /// By hundreds of the mean rating.
    ratings: BTreeMap<u16, Tally>,
    /// By the first two characters of the code.
    openings: BTreeMap<String, Tally>,
    players: Vec<Player>,
    average_rating: Option<f64>,
    average_plies: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Player {
    name: String,
    games: u32,
    /// 0 to 1.
    score: Option<f64>,
}

pub(super) async fn stats(
    State(explorer): State<Arc<Explorer>>,
    params: Params,
) -> Result<Response, Fault> {
    let mut filter = Filter::new(params.query()?, params.flag("variations")?);
    let databases = params.databases();
    let key = |filter: &Filter, held: &[DatabaseRef]| {
        format!("stats {}", filter.key(&registry::key(held)))
    };
    let kept = key(&filter, &explorer.held(&databases)?);
    if explorer.answers.get(&kept).is_none() {
        filter.ask(&explorer, &databases).await?;
    }
    let found = explorer.search(databases, move |explorer, held, ask| {
        explorer.kept(key(&filter, held), || {
            let answer = filter.games(explorer, held, ask)?;
            let parts: Vec<(&DatabaseRef, &Part)> = held.iter().zip(&answer.parts).collect();
            let databases = parts.chunk_by(|one, next| one.0.name == next.0.name);
            let stats: Result<_, Fault> = databases.map(|parts| count(parts, ask)).collect();
            to_json(&Answer { stats: stats? })
        })
    });
    Ok(json(found.await?))
}

/// Counts the games of a database in all its parts.
fn count(parts: &[(&DatabaseRef, &Part)], ask: &Ask) -> Result<OneStats, Fault> {
    let options = StatsOptions::new().eco_depth(2).top(PLAYERS);
    let games = parts.iter().map(|(held, part)| (&***held, &part.games));
    let stats = Stats::of(&games.collect::<Vec<_>>(), &options, |_| ask.flow());
    ask.check()?;
    OneStats::new(parts, stats?).ok_or(Fault::Internal)
}

impl OneStats {
    fn new(parts: &[(&DatabaseRef, &Part)], stats: Stats) -> Option<OneStats> {
        let sum = |count: fn(&Part) -> u64| parts.iter().map(|(_, part)| count(part)).sum();
        let player = |player: &PlayerStats| Player {
            name: player.name.clone(),
            games: player.games(),
            score: player.score(),
        };
        Some(OneStats {
            db: parts.first()?.0.name.to_string(),
            damaged: sum(|part| part.damaged),
            harmed: sum(|part| part.harmed),
            total: stats.total,
            years: stats.years,
            ratings: stats.ratings,
            openings: stats.openings,
            players: stats.players.iter().map(player).collect(),
            average_rating: stats.mean_ratings.all,
            average_plies: stats.lengths.mean_plies,
        })
    }
}
