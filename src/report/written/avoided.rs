//! What a player avoids: moves that others play in positions that he comes to.

use std::{cmp::Reverse, collections::HashMap};

use shakmaty::{Color, EnPassantMode, Position as _, Setup};
use tabiya_chess::{diagram::Diagram, placement::Placement};
use tabiya_formats::error::Result;

use super::{
    ReportRow, ReportSection, side_name,
    subject::{Games, Subject, Told},
    tree::{self, Moves},
};
use crate::{
    filter::GameSet,
    report::{
        lines::{LineGraph, Lines, place_of},
        tree::{TreePosition, Writer},
    },
};

/// Half-moves before a position that is judged.
const DEPTH: u32 = 12;
/// The part of all games that have such a position, as one in so many; sidecars store the moves of
/// those that are twice as rare.
const ONE_IN: u64 = 500;
const GAMES_MIN: u64 = 10;
/// A move is common if one in so many games plays it.
const COMMON: u64 = 5;
/// It is avoided by somebody who plays it so many times less often.
const SELDOM: u64 = 5;
const MOVES: usize = 8;

/// A common move that the player seldom plays.
struct Avoided {
    label: String,
    before: TreePosition,
    after: TreePosition,
}

/// Returns such moves of one side, those first that make most difference: for each a row with the
/// games of `everyone`, and one with those of the player.
pub(super) fn section(
    side: Color,
    player: (&Subject<'_>, &Moves),
    everyone: &Subject<'_>,
    told: &mut Told<'_>,
) -> Result<ReportSection> {
    let title = format!("Moves avoided with {}", side_name(side));
    if player.0.count() < GAMES_MIN {
        return Ok(ReportSection::new(&title, "", Vec::new()));
    }
    let start = TreePosition::default();
    let lines = Lines::new(&start)
        .among(everyone.among())
        .depth(DEPTH)
        .min_games((everyone.count() / ONE_IN).max(GAMES_MIN));
    let graph = lines
        .on_progress(&mut *told.progress)
        .run(everyone.databases)?;
    let found = candidates(side, &graph, player.1);
    let positions = || found.iter().flat_map(|one| [&one.before, &one.after]);
    let all = tree::games_of(everyone, positions(), told)?;
    let own = tree::games_of(player.0, positions(), told)?;
    let mut rows: Vec<(u64, [ReportRow; 2])> = Vec::new();
    for (one, (all, own)) in found.iter().zip(all.chunks(2).zip(own.chunks(2))) {
        let row = |subject: &Subject<'_>, label: String, games: &[Games]| {
            let pairs = games[0].iter().zip(&games[1]);
            let both: Games = pairs.map(|(before, after)| before.and(after)).collect();
            let query = one.before.to_query().and(one.after.to_query());
            ReportRow {
                of: games[0].iter().map(GameSet::len).sum(),
                fen: Some(Diagram::new(one.after.setup()).fen()),
                ..subject.row(label, &query, &both)
            }
        };
        // The latest games are known of the player alone.
        let all = ReportRow {
            lately: None,
            ..row(everyone, format!("{}, in all games", one.label), all)
        };
        let own = ReportRow {
            depth: 1,
            ..row(player.0, "by the player".to_owned(), own)
        };
        if is_avoided((all.games, all.of), (own.games, own.of)) {
            let expected = own.of * all.games / all.of.max(1);
            rows.push((expected - own.games.min(expected), [all, own]));
        }
    }
    rows.sort_by_key(|(missing, _)| Reverse(*missing));
    rows.truncate(MOVES);
    let note = format!(
        "Moves that at least one game in {COMMON} plays in a position, and the player {SELDOM} \
         times less often; of positions that one game in {ONE_IN} has, up to half-move {DEPTH}. \
         Shares are those of the games that have the position before the move; a game counts if \
         it has that after the move too. Games won, drawn and lost are the player's, whatever the \
         side."
    );
    let rows = rows.into_iter().flat_map(|(_, rows)| rows);
    Ok(ReportSection::new(&title, &note, rows.collect()))
}

/// Returns whether the games that play a move, among those that have the position, are common for
/// everyone and seldom for the player.
fn is_avoided((all, of_all): (u64, u64), (own, of_own): (u64, u64)) -> bool {
    let is_common = all * COMMON >= of_all && of_own >= GAMES_MIN;
    is_common && own * of_all * SELDOM < all * of_own
}

/// Returns the moves that are avoided by next moves alone.
fn candidates(side: Color, everyone: &LineGraph, player: &Moves) -> Vec<Avoided> {
    let place = |setup: &Setup| place_of(&Placement::new(&setup.board, setup.turn));
    let nodes = player.graph.nodes().iter();
    let own: HashMap<_, _> = nodes.map(|node| (place(node.setup()), node)).collect();
    let mut found = Vec::new();
    for (number, node) in everyone.nodes().iter().enumerate() {
        let setup = node.setup();
        let Some(own) = own.get(&place(setup)).filter(|_| setup.turn == side) else {
            continue;
        };
        for (played, row) in node.moves().iter().map(|played| &played.row).enumerate() {
            let own_games = own.place_of(row.next).map_or(0, |number| {
                // Moves that he plays least are not there.
                own.moves()[number].row.stats.games()
            });
            let all = (row.stats.games(), node.total().games());
            let own = (own_games, own.total().games());
            let after = Writer::new(setup).find(row.next);
            if let Some((mut position, next)) = after.filter(|_| is_avoided(all, own)) {
                position.play_unchecked(next);
                found.push(Avoided {
                    label: everyone.line_with(number, played),
                    before: TreePosition::new(setup.clone()),
                    after: TreePosition::new(position.to_setup(EnPassantMode::PseudoLegal)),
                });
            }
        }
    }
    found
}
