//! Bounds for an exact position that many games reach.
//!
//! For such a position the sidecar stores all games that have it in the main line, and the ply at
//! which each first does. If a pattern asks only for men, side to move and plies, that is the
//! answer: a game matches if that first ply is in the range; if it is before the range, the
//! position may recur; if it is after the range, the game cannot match. If the pattern also asks
//! for castling rights or anything else, games are only excluded. Games without data are never
//! decided, and when variations are searched, games with variations are never excluded.

use std::sync::Arc;

use tabiya_chess::{Man, placement::Placement};

use super::{BlockBounds, Verdict};
use crate::{
    pattern::{Pattern, Test, automaton::Automaton},
    sidecar::{BLOCK_GAMES, BlockGames, Opening, Sidecar, Visit},
};

/// A frequent position, and what a pattern asks of it.
#[derive(Debug)]
pub(crate) struct OpeningFilter {
    sidecar: Arc<Sidecar>,
    opening: Opening,
    /// Inclusive bounds.
    plies: (u32, u32),
    /// Whether nothing else is asked, so that games can be certain.
    pub(super) decides: bool,
}

impl OpeningFilter {
    /// Prepares a filter. Returns `None` if the automaton does not ask for one exact position, or
    /// the sidecar does not store it.
    pub(super) fn new(automaton: &Automaton, sidecar: &Arc<Sidecar>) -> Option<OpeningFilter> {
        let single = automaton.single().filter(|step| step.consecutive == 1)?;
        let [pattern] = single.alternatives.as_slice() else {
            return None;
        };
        let (placement, decides) = placement(pattern)?;
        Some(OpeningFilter {
            sidecar: Arc::clone(sidecar),
            opening: sidecar.opening(&placement)?,
            plies: pattern.plies,
            decides,
        })
    }

    /// Returns the bounds for the main lines of a block; `None` if its data is damaged.
    pub(super) fn bounds(&self, block: usize) -> Option<BlockBounds> {
        let known = self.sidecar.opening_games(self.opening, block)?;
        let games = known.games();
        let (certain, possible) = if known.are_all_within(self.plies) {
            (games.clone(), games)
        } else {
            let (low, high) = self.plies;
            let first_ply = |place| known.first_ply(place);
            let possible = games.filtered(|place| first_ply(place) <= high);
            (possible.filtered(|place| first_ply(place) >= low), possible)
        };
        Some(BlockBounds {
            certain: if self.decides {
                certain
            } else {
                BlockGames::NONE
            },
            possible: known.with_undecided(possible),
        })
    }

    /// Returns the verdict on one game's main line, and the ply of the match if there is one;
    /// `None` if the data is damaged.
    #[inline]
    pub(super) fn verdict(&self, game: u32) -> Option<(Verdict, Option<u32>)> {
        let block = (game / BLOCK_GAMES) as usize;
        let known = self.sidecar.opening_games(self.opening, block)?;
        let (low, high) = self.plies;
        Some(match known.visit((game % BLOCK_GAMES) as u16) {
            Visit::At(ply) if ply > high => (Verdict::No, None),
            Visit::At(ply) if self.decides && ply >= low => (Verdict::Yes, Some(ply)),
            Visit::At(_) | Visit::Unknown => (Verdict::Maybe, None),
            Visit::Never => (Verdict::No, None),
        })
    }
}

/// Returns the only position that can match a pattern, and whether the pattern asks for nothing
/// else but plies. Returns `None` if several positions can match, or none.
pub(super) fn placement(pattern: &Pattern) -> Option<(Placement, bool)> {
    let mut known = [None; Man::COUNT];
    let mut decides = !pattern.impossible;
    for term in &pattern.terms {
        match term.test {
            Test::Exactly { man, squares } if !term.negated => {
                let place = &mut known[man.index()];
                decides &= place.is_none_or(|before| before == squares);
                *place = Some(squares);
            }
            _ => decides = false,
        }
    }
    let mut squares = [0; 16];
    for (squares, known) in squares.iter_mut().zip(known) {
        *squares = known?;
    }
    Some((Placement::of_squares(squares, pattern.turn?), decides))
}
