//! The layouts of a file, and which of them it has.

use std::cmp::Reverse;

use super::{Game, Layout};
use crate::indexed::Survey;

/// Number of games read to detect a file's layout.
const TRIAL_GAMES: usize = 8;

impl Layout {
    /// All layouts, in the order in which they are tried.
    pub(super) const ALL: [Layout; 3] = [Layout::Policy, Layout::Value, Layout::OldValue];

    pub(super) const fn head_bytes(self) -> usize {
        match self {
            Layout::Policy | Layout::Value => 43,
            Layout::OldValue => 41,
        }
    }
}

/// Returns the layout in which most of the first games are valid, and among equals the one with the
/// fewest bytes left over; `None` if the first game is damaged in every layout. An empty file is
/// policy data without games.
pub(super) fn detect(bytes: &[u8]) -> Option<Layout> {
    if bytes.is_empty() {
        return Some(Layout::default());
    }
    let rated = Layout::ALL.map(|layout| (trial(bytes, layout), layout));
    // Reversed, since `max_by_key` returns the last of equals.
    let best = rated
        .into_iter()
        .rev()
        .max_by_key(|&((games, left_over), _)| (games, Reverse(left_over)))?;
    (best.0.0 > 0).then_some(best.1)
}

/// Reads a few games up to the first damaged one; returns their number and the number of bytes
/// after them that belong to no game.
fn trial(bytes: &[u8], layout: Layout) -> (usize, usize) {
    let mut rest = bytes;
    for games in 0..TRIAL_GAMES {
        let found = Game::find(rest, layout).ok();
        let whole = found.filter(|(game, _)| game.check(&mut Survey::new()).is_ok());
        let Some((_, length)) = whole else {
            return (games, rest.len());
        };
        rest = rest.get(length..).unwrap_or_default();
        if rest.is_empty() {
            return (TRIAL_GAMES, 0);
        }
    }
    (TRIAL_GAMES, 0)
}
