//! The moves that are played, as rows of a report.

use std::{cmp::Reverse, collections::HashSet};

use tabiya_chess::diagram::Diagram;
use tabiya_formats::error::Result;

use super::{
    ReportRow, ReportSection,
    games::{self, Headed},
    subject::{Games, Subject, Told},
};
use crate::report::{
    lines::{LineGraph, Lines, MovePlace},
    positions::{Positions, WantedPosition},
    tree::TreePosition,
};

/// Half-moves of a line.
const DEPTH: u32 = 8;
/// The part of all games that a move needs to have a row, as one in so many; and the least number.
const ONE_IN: u64 = 30;
const GAMES_MIN: u64 = 3;
/// The same for new moves, of which lines are longer.
const NEW_DEPTH: u32 = 24;
const NEW_ONE_IN: u64 = 5_000;
const NEW_ROWS: usize = 10;

/// Lines, and their moves after which they go on, each with the position then.
pub(super) struct Moves {
    pub(super) graph: LineGraph,
    places: Vec<(MovePlace, TreePosition)>,
}

/// Returns the most common lines of a subject.
pub(super) fn common(
    start: &TreePosition,
    subject: &Subject<'_>,
    told: &mut Told<'_>,
) -> Result<Moves> {
    lines(start, subject, (DEPTH, ONE_IN), told)
}

/// Returns the positions that games of a subject have, after the moves of the most common lines.
pub(super) fn section(
    title: &str,
    Moves { graph, places }: &Moves,
    subject: &Subject<'_>,
    told: &mut Told<'_>,
) -> Result<ReportSection> {
    let games = games_of(subject, places.iter().map(|(_, after)| after), told)?;
    let mut rows = Vec::new();
    for ((place, after), games) in places.iter().zip(&games) {
        let position = &graph.nodes()[place.node];
        let played = &position.moves()[place.number].row;
        let label = format!("{}{}", position.move_number(), played.san);
        let mut row = position_row(label, subject, after, games);
        row.depth = place.depth - 1;
        if let Some(opening) = played.opening {
            row.label += &format!(" \u{2013} {opening}");
        }
        rows.push(row);
    }
    let note = format!(
        "Games that have the position after the move, by whatever moves it came; moves of less \
         than one game in {ONE_IN} are left out."
    );
    Ok(ReportSection::new(title, &note, rows))
}

/// Returns the positions that only the latest games have, with the first game of each: those
/// that come of another one are left out.
pub(super) fn new_moves(
    start: &TreePosition,
    subject: &Subject<'_>,
    headed: &[Headed],
    told: &mut Told<'_>,
) -> Result<ReportSection> {
    let note = format!(
        "Positions that no game of this report had before the latest years, those with most games \
         first; moves of less than one game in {NEW_ONE_IN} are left out, and so are those after \
         {NEW_DEPTH} half-moves."
    );
    let mut section = ReportSection::new("New moves", &note, Vec::new());
    let Some(lately) = &subject.lately else {
        return Ok(section);
    };
    let is_new = |games: &Games| {
        let mut pairs = games.iter().zip(lately);
        pairs.all(|(games, lately)| games.and(lately).len() == games.len())
    };
    if is_new(&subject.games) {
        // Nothing is known that a move could leave.
        return Ok(section);
    }
    let first_year = headed
        .iter()
        .filter(|game| lately[game.database].contains(game.game));
    let first_year = first_year.filter_map(|game| game.header.date.year()).min();
    let new_lines = (NEW_DEPTH, NEW_ONE_IN);
    let Moves { graph, mut places } = lines(start, subject, new_lines, told)?;
    // If all games of a move are late, so is the mean of their years.
    places.retain(|(place, _)| {
        let played = &graph.nodes()[place.node].moves()[place.number].row;
        let year = played.stats.average_year().unwrap_or_default();
        first_year.is_some_and(|first| year >= f64::from(first))
    });
    let found = games_of(subject, places.iter().map(|(_, after)| after), told)?;
    let mut new = HashSet::new();
    for ((place, after), games) in places.iter().zip(&found) {
        let next = graph.goes_on(place.node, place.number);
        let Some(next) = next.filter(|_| is_new(games)) else {
            continue;
        };
        new.insert(next);
        if !new.contains(&place.node) {
            let has = |game: &&Headed| games[game.database].contains(game.game);
            let first = headed
                .iter()
                .filter(has)
                .min_by_key(|game| game.header.date);
            let first = first.map(games::label).unwrap_or_default();
            let line = graph.line_with(place.node, place.number);
            let label = format!("{line} \u{2013} first in {first}");
            section
                .rows
                .push(position_row(label, subject, after, games));
        }
    }
    section.rows.sort_by_key(|row| Reverse(row.games));
    section.rows.truncate(NEW_ROWS);
    Ok(section)
}

fn position_row(
    label: String,
    subject: &Subject<'_>,
    after: &TreePosition,
    games: &Games,
) -> ReportRow {
    let mut row = subject.row(label, &after.to_query(), games);
    row.fen = Some(Diagram::new(after.setup()).fen());
    row
}

/// Returns lines, and their moves after which they go on: of one in so many games, and no less than
/// [`GAMES_MIN`].
fn lines(
    start: &TreePosition,
    subject: &Subject<'_>,
    (depth, one_in): (u32, u64),
    told: &mut Told<'_>,
) -> Result<Moves> {
    let lines = Lines::new(start)
        .among(subject.among())
        // Moves into the positions of the last half-move have rows too.
        .depth(depth + 1)
        .min_games((subject.count() / one_in).max(GAMES_MIN));
    let graph = lines
        .on_progress(&mut *told.progress)
        .run(subject.databases)?;
    let places = graph.in_order().into_iter().filter_map(|place| {
        let next = graph.goes_on(place.node, place.number)?;
        let after = TreePosition::new(graph.nodes()[next].setup().clone());
        Some((place, after))
    });
    let places = places.collect();
    Ok(Moves { graph, places })
}

/// Returns the games that have each position.
pub(super) fn games_of<'p>(
    subject: &Subject<'_>,
    positions: impl Iterator<Item = &'p TreePosition>,
    told: &mut Told<'_>,
) -> Result<Vec<Games>> {
    let wanted = positions.map(|position| WantedPosition::new(position.to_test()));
    let wanted: Vec<WantedPosition> = wanted.collect();
    let mut games = vec![Games::new(); wanted.len()];
    let positions = Positions::new(wanted).keep_games(true);
    for (number, database) in subject.databases.iter().enumerate() {
        let mut positions = positions.clone();
        if let Some(among) = subject.among() {
            positions = positions.among(&among[number]);
        }
        let counts = positions.on_progress(&mut *told.progress).run(database)?;
        for (games, row) in games.iter_mut().zip(counts.rows()) {
            games.push(row.games.clone());
        }
    }
    Ok(games)
}
