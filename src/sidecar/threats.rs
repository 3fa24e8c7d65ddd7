//! Check, mate and stalemate: the games in which they occur, and patterns that ask for them.

use tabiya_chess::{Placed, Start, material::CountRange};

use super::sets::{CHECKED, MATED, STALEMATED};
use crate::pattern::{Boards, Pattern, Term, Test, word::State};

/// Returns the set of all games in which a term holds at some position; `None` if there is no such
/// set.
pub(super) fn set_of(term: &Term) -> Option<u16> {
    match (&term.test, term.negated) {
        (Test::State(State::Check), false) => Some(CHECKED),
        (Test::State(State::Mate), false) => Some(MATED),
        (Test::State(State::Stalemate), false) => Some(STALEMATED),
        _ => None,
    }
}

/// Returns the set of the games in which a pattern matches, if it asks for nothing else.
pub(super) fn set_of_pattern(pattern: &Pattern) -> Option<u16> {
    let [term] = pattern.terms.as_slice() else {
        return None;
    };
    let asks_nothing_else = !pattern.impossible
        && pattern.counts == CountRange::ANY
        && pattern.turn.is_none()
        && pattern.plies.0 == 0
        && pattern.has_no_last_ply();
    set_of(term).filter(|_| asks_nothing_else)
}

/// Records whether the side to move is in check, mated or stalemated anywhere in a game.
#[derive(Debug)]
pub(super) struct ThreatTrace {
    standard: Boards,
    boards: Boards,
    has_check: bool,
    has_mate: bool,
    has_stalemate: bool,
}

impl ThreatTrace {
    pub(super) fn new() -> ThreatTrace {
        let standard = Boards::standard();
        let boards = standard.clone();
        ThreatTrace {
            standard,
            boards,
            has_check: false,
            has_mate: false,
            has_stalemate: false,
        }
    }

    pub(super) fn start(&mut self, start: Start<'_>) {
        (self.has_check, self.has_mate, self.has_stalemate) = (false, false, false);
        match start {
            Start::Standard => self.boards.restart(&self.standard),
            Start::Custom(setup) => self.boards.restart(&Boards::with_castling(setup)),
        }
        self.test();
    }

    #[inline]
    pub(super) fn shift(&mut self, from: Placed, to: Placed) {
        self.boards.shift(from, to);
    }

    #[inline]
    pub(super) fn remove(&mut self, gone: Placed) {
        self.boards.remove(gone);
    }

    #[inline]
    pub(super) fn place(&mut self, new: Placed) {
        self.boards.place(new);
    }

    #[inline]
    pub(super) fn look(&mut self) {
        self.boards.pass();
        self.test();
    }

    #[inline]
    fn test(&mut self) {
        if self.boards.is_check() {
            self.has_check = true;
            self.has_mate |= self.boards.is_mate();
        } else {
            self.has_stalemate |= self.boards.is_stalemate();
        }
        self.boards.begin_ply();
    }

    /// Iterates over the sets that the game belongs to.
    pub(super) fn sets(&self) -> impl Iterator<Item = u16> {
        let seen = [
            (self.has_check, CHECKED),
            (self.has_mate, MATED),
            (self.has_stalemate, STALEMATED),
        ];
        seen.into_iter().filter(|(has, _)| *has).map(|(_, set)| set)
    }
}
