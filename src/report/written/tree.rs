//! The moves that somebody plays, as rows of a report.

use tabiya_chess::diagram::Diagram;
use tabiya_formats::error::Result;

use super::{
    ReportSection,
    subject::{Games, Subject, Told},
};
use crate::report::{
    lines::{Lines, MovePlace},
    positions::{Positions, WantedPosition},
    tree::TreePosition,
};

/// Half-moves of a line.
const DEPTH: u32 = 8;
/// The part of all games that a move needs to have a row, as one in so many; and the least number.
const ONE_IN: u64 = 30;
const GAMES_MIN: u64 = 3;

/// Returns the positions that games of a subject have, after the moves of the most common lines.
pub(super) fn section(
    title: &str,
    subject: &Subject<'_>,
    progress: Told<'_>,
) -> Result<ReportSection> {
    let start = TreePosition::default();
    let lines = Lines::new(&start)
        .query(&subject.query)
        // Moves into the positions of the last half-move have rows too.
        .depth(DEPTH + 1)
        .min_games((subject.count() / ONE_IN).max(GAMES_MIN));
    let graph = lines.on_progress(&mut *progress).run(subject.databases)?;
    let places = graph.in_order().into_iter().filter_map(|place| {
        let next = graph.goes_on(place.node, place.number)?;
        let after = TreePosition::new(graph.nodes()[next].setup().clone());
        Some((place, after))
    });
    let places: Vec<(MovePlace, TreePosition)> = places.collect();
    let games = games_of(subject, &places, progress)?;
    let mut rows = Vec::new();
    for ((place, after), games) in places.iter().zip(&games) {
        let position = &graph.nodes()[place.node];
        let played = &position.moves()[place.number].row;
        let label = format!("{}{}", position.move_number(), played.san);
        let mut row = subject.row(label, &after.to_query(), games);
        row.depth = place.depth - 1;
        row.fen = Some(Diagram::new(after.setup()).fen());
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

/// Returns the games that have the position after each move.
fn games_of(
    subject: &Subject<'_>,
    places: &[(MovePlace, TreePosition)],
    progress: Told<'_>,
) -> Result<Vec<Games>> {
    let wanted = places
        .iter()
        .map(|(_, after)| WantedPosition::new(after.to_test()));
    let positions = Positions::new(wanted.collect())
        .query(&subject.query)
        .keep_games(true);
    let mut games = vec![Games::new(); places.len()];
    for database in subject.databases {
        let counts = positions.on_progress(&mut *progress).run(database)?;
        for (games, row) in games.iter_mut().zip(counts.rows()) {
            games.push(row.games.clone());
        }
    }
    Ok(games)
}
