//! Games with their headers, and the rows that these give.

use std::{cmp::Reverse, collections::BTreeSet, collections::HashMap};

use tabiya_chess::GameId;
use tabiya_formats::{GameHeader, error::Result};

use super::{
    ReportRow, ReportSection,
    subject::{Games, Subject, Told, named, parsed},
};
use crate::{
    database::Database,
    filter::GameSet,
    query::{Query, TextField},
};

/// Rows of a list of games.
const GAMES: usize = 5;
/// The years that are the latest.
const YEARS: i32 = 3;
const ONE_IN: usize = 100;
/// Most rows with one year each; more years are told by tens.
const SINGLE_YEARS: usize = 40;

/// A game with its header.
pub(super) struct Headed {
    pub(super) database: usize,
    pub(super) game: GameId,
    pub(super) header: GameHeader,
}

impl Headed {
    /// Returns the lower one of both ratings, if the players have them.
    pub(super) fn lower_rating(&self) -> Option<u16> {
        let ratings = [&self.header.white_rating, &self.header.black_rating];
        let [white, black] = ratings.map(|rating| Some(rating.as_ref()?.value.get()));
        Some(white?.min(black?))
    }
}

/// Finds the games of a query, with their outcomes and headers, and the latest of them.
pub(super) fn find<'d>(
    databases: &'d [&'d Database],
    query: Query,
    outcomes: [Query; 3],
    told: &mut Told<'_>,
) -> Result<(Subject<'d>, Vec<Headed>)> {
    let mut all = Subject::find(databases, query, outcomes, told)?;
    let games = headers(&all)?;
    if let Some(lately) = lately(&games) {
        all.tell_lately(lately, told)?;
    }
    Ok((all, games))
}

/// Returns all games of a subject with their headers.
fn headers(all: &Subject<'_>) -> Result<Vec<Headed>> {
    let mut games = Vec::new();
    for (number, (database, ids)) in all.databases.iter().zip(&all.games).enumerate() {
        for game in ids.iter() {
            games.push(Headed {
                database: number,
                game,
                header: database.header(game)?,
            });
        }
    }
    Ok(games)
}

/// Returns the query for the latest years of some games. The last one is that which one game in a
/// hundred reaches, since dates may be wrong.
fn lately(games: &[Headed]) -> Option<Query> {
    let years = games.iter().filter_map(|game| game.header.date.year());
    let mut years: Vec<u16> = years.collect();
    years.sort_unstable_by_key(|year| Reverse(*year));
    let last = i32::from(*years.get(years.len() / ONE_IN)?);
    Some(parsed(&format!("year:{}..", last - YEARS + 1)))
}

/// Returns the games that pass a test.
pub(super) fn those(all: &Subject<'_>, games: &[Headed], test: impl Fn(&Headed) -> bool) -> Games {
    let mut passing = vec![Vec::new(); all.databases.len()];
    for game in games.iter().filter(|game| test(game)) {
        passing[game.database].push(game.game);
    }
    passing.into_iter().map(GameSet::from_iter).collect()
}

/// Returns a row for each year, or for each ten years if they are many, the latest first.
pub(super) fn years(all: &Subject<'_>, games: &[Headed]) -> ReportSection {
    let years = games.iter().filter_map(|game| game.header.date.year());
    let years: BTreeSet<u16> = years.collect();
    let step = if years.len() > SINGLE_YEARS { 10 } else { 1 };
    let starts: BTreeSet<u16> = years.iter().map(|year| year / step * step).collect();
    let rows = starts.iter().rev().map(|&first| {
        let last = first + step - 1;
        let among = first..=last;
        let games = those(all, games, |game| {
            let year = game.header.date.year();
            year.is_some_and(|year| among.contains(&year))
        });
        let (label, query) = match step {
            1 => (first.to_string(), format!("year:{first}")),
            _ => (
                format!("{first} to {last}"),
                format!("year:{first}..{last}"),
            ),
        };
        let query = parsed(&query);
        all.row(label, &query, &games)
    });
    ReportSection::new("Years", "", rows.collect())
}

/// Returns rows for the names that most games have.
pub(super) fn names(
    title: &str,
    all: &Subject<'_>,
    games: &[Headed],
    field: TextField,
    name_of: impl Fn(&Headed) -> Option<&str>,
    most: usize,
) -> ReportSection {
    let mut names: HashMap<&str, u32> = HashMap::new();
    for name in games.iter().filter_map(&name_of) {
        *names.entry(name).or_default() += 1;
    }
    names.retain(|name, _| !matches!(*name, "" | "?"));
    let mut names: Vec<_> = names.into_iter().collect();
    names.sort_by_key(|&(name, games)| (Reverse(games), name));
    names.truncate(most);
    let rows = names.iter().map(|(name, _)| {
        let games = those(all, games, |game| name_of(game) == Some(name));
        all.row((*name).to_owned(), &named(field.clone(), name), &games)
    });
    ReportSection::new(title, "Those with most games.", rows.collect())
}

/// Returns rows for the games with the least `order` that ended so; `why` says what was looked at.
pub(super) fn first(
    all: &Subject<'_>,
    games: &[Headed],
    ended: &Games,
    order: impl Fn(&Headed) -> Option<i32>,
    why: impl Fn(&Headed) -> String,
) -> Vec<ReportRow> {
    let games = games.iter();
    let mut games: Vec<(i32, &Headed)> = games
        .filter(|game| ended[game.database].contains(game.game))
        .filter_map(|game| Some((order(game)?, game)))
        .collect();
    games.sort_by_key(|(order, game)| (*order, game.database, game.game));
    games.truncate(GAMES);
    let games = games.iter();
    games.map(|(_, game)| row(all, game, &why(game))).collect()
}

fn row(all: &Subject<'_>, game: &Headed, why: &str) -> ReportRow {
    let games = (0..all.databases.len()).map(|number| {
        let is_here = number == game.database;
        is_here.then_some(game.game).into_iter().collect()
    });
    let number = all.databases[game.database].number(game.game);
    let query = parsed(&format!("number:{number}"));
    let eco = game.header.eco.map(|eco| format!(" {eco}"));
    let label = format!("{}{}; {why}", label(game), eco.unwrap_or_default());
    let mut row = all.row(label, &query, &games.collect());
    row.game = Some((game.database, game.game));
    row
}

/// Returns who played a game, where and when.
pub(super) fn label(game: &Headed) -> String {
    let header = &game.header;
    format!(
        "{} \u{2013} {}, {}, {} {}",
        header.white, header.black, header.result, header.event, header.date
    )
}
