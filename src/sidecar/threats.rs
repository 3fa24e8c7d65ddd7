//! Check, mate, stalemate and repetition: the games in which they occur, and patterns that ask for
//! them.

use shakmaty::Square;
use tabiya_chess::{Placed, Start, material::CountRange};

use super::sets::{CHECKED, MATED, REPEATED, STALEMATED};
use crate::pattern::{
    Boards, Pattern, Term, Test,
    word::{Measure, State},
};

/// The least and the greatest repetition that has a set of its own.
const REPETITIONS: (u32, u32) = (2, 5);

/// Returns a set with all games in which a term holds at some position, and whether it has no
/// others; `None` if there is no such set.
fn known_set(term: &Term) -> Option<(u16, bool)> {
    match (&term.test, term.negated) {
        (Test::State(State::Check), false) => Some((CHECKED, true)),
        (Test::State(State::Mate), false) => Some((MATED, true)),
        (Test::State(State::Stalemate), false) => Some((STALEMATED, true)),
        // What stands for the third time has stood for the second.
        (&Test::Measure(Measure::Repetition, low, high), false) if low <= high => {
            let (first, last) = REPETITIONS;
            let low = u32::try_from(low).ok().filter(|&low| low >= first)?;
            let set = REPEATED + (low.min(last) - first) as u16;
            Some((set, low <= last))
        }
        _ => None,
    }
}

/// Returns a set with all games in which a term holds at some position.
pub(super) fn set_of(term: &Term) -> Option<u16> {
    known_set(term).map(|(set, _)| set)
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
    let (set, is_exact) = known_set(term)?;
    (asks_nothing_else && is_exact).then_some(set)
}

/// Records whether the side to move is in check, mated or stalemated anywhere in a game, how often
/// a position stands, and where the game ends.
#[derive(Debug)]
pub(super) struct ThreatTrace {
    standard: Boards,
    boards: Boards,
    has_check: bool,
    has_mate: bool,
    has_stalemate: bool,
    /// How often a position has stood at most.
    repetition: u32,
    /// The square that a pawn has crossed with the last move.
    crossed: Option<Square>,
}

impl ThreatTrace {
    pub(super) fn new() -> ThreatTrace {
        let mut standard = Boards::standard();
        standard.track_castling();
        let mut boards = standard.clone();
        boards.keep_history();
        ThreatTrace {
            standard,
            boards,
            has_check: false,
            has_mate: false,
            has_stalemate: false,
            repetition: 0,
            crossed: None,
        }
    }

    pub(super) fn start(&mut self, start: Start<'_>) {
        (self.has_check, self.has_mate, self.has_stalemate) = (false, false, false);
        self.repetition = 0;
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
        self.repetition = self.repetition.max(self.boards.repetition());
        self.crossed = self.boards.double_step();
        self.boards.begin_ply();
    }

    /// Returns the last position, and the square that a pawn has just crossed in it.
    pub(super) fn end(&self) -> (&Boards, Option<Square>) {
        (&self.boards, self.crossed)
    }

    /// Iterates over the sets that the game belongs to.
    pub(super) fn sets(&self) -> impl Iterator<Item = u16> {
        let seen = [
            (self.has_check, CHECKED),
            (self.has_mate, MATED),
            (self.has_stalemate, STALEMATED),
        ];
        let seen = seen.into_iter().filter(|(has, _)| *has).map(|(_, set)| set);
        // One set fewer than the repetition, from the second time on.
        let (first, last) = REPETITIONS;
        let repeated = (self.repetition.min(last) + 1).saturating_sub(first) as u16;
        seen.chain((0..repeated).map(|place| REPEATED + place))
    }
}
