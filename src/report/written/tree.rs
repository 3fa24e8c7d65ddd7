//! The moves that somebody plays, as rows of a report.

use shakmaty::fen::Fen;
use tabiya_formats::error::Result;

use super::{
    ReportSection,
    subject::{Games, Subject, Told},
};
use crate::{
    query::FenTest,
    report::{
        lines::{LineGraph, Lines, MovePlace},
        positions::{Positions, WantedPosition},
        tree::TreePosition,
    },
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
    let told = |place: &MovePlace| graph.goes_on(place.node, place.number);
    let places = graph.in_order().into_iter();
    let places: Vec<(MovePlace, usize)> = places
        .filter_map(|place| Some((place, told(&place)?)))
        .collect();
    let games = games_of(subject, &graph, &places, progress)?;
    let mut rows = Vec::new();
    for ((place, node), games) in places.iter().zip(&games) {
        let position = &graph.nodes()[place.node];
        let played = &position.moves()[place.number].row;
        let after = TreePosition::new(graph.nodes()[*node].setup().clone());
        let query = after.to_query();
        let mut row = subject.row(
            format!("{}{}", position.move_number(), played.san),
            &query,
            games,
        );
        row.depth = place.depth - 1;
        row.fen = Fen::try_from(graph.nodes()[*node].setup().clone())
            .ok()
            .map(|fen| fen.to_string());
        if let Some(opening) = played.opening {
            row.label += &format!(" \u{2013} {opening}");
        }
        rows.push(row);
    }
    Ok(ReportSection {
        title: title.to_owned(),
        note: format!(
            "Games that have the position after the move, by whatever moves it came; moves of less \
             than one game in {ONE_IN} are left out."
        ),
        rows,
    })
}

/// Returns the games that have the position after each move.
fn games_of(
    subject: &Subject<'_>,
    graph: &LineGraph,
    places: &[(MovePlace, usize)],
    progress: Told<'_>,
) -> Result<Vec<Games>> {
    let wanted = places.iter().map(|&(_, node)| {
        let setup = graph.nodes()[node].setup();
        WantedPosition::new(FenTest {
            board: setup.board.clone(),
            turn: Some(setup.turn),
            castling: setup.castling_rights,
            en_passant: setup.ep_square,
        })
    });
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
