//! Pawns, kings and numbers of men in a main line, found from its words without a board.
//!
//! A word names the man that moves, where from and where to, what it captures and what it becomes.
//! So the squares of the pawns and kings and the numbers of all men are known exactly, for a few
//! operations a move. This gives five necessary conditions:
//!
//! * a pattern that allows at most n men matches only after 32 - n captures, each of which has its
//!   word;
//! * a pattern that requires a pawn on a square matches only while one is there;
//! * nothing matches any more once a pawn has left a home square where the pattern requires one,
//!   since pawns never return;
//! * a pattern that requires the kings on certain squares matches only while they are there;
//! * a pattern with bounds of the numbers of men matches only while all are within them, and never
//!   again once they cannot come back.
//!
//! The record's own final material is not asked: not all records tell the truth about it.
//!
//! Nearly every second move is a piece's, every fifth a capture, in no order that a processor could
//! predict. So a move is played without asking what it is.

use std::{convert::Infallible, ops::ControlFlow as Flow, slice::Iter};

use shakmaty::Color;
use tabiya_chess::{Counts, requirements::Requirements};

use super::{
    codes::{ALTERNATIVE, END, Move, NULL, Words, words},
    game::Game,
};

const KING: u8 = 0;
const PAWN: u8 = 5;
const BLACK: u8 = 6;

/// Men on the board when a game begins.
const MEN: u32 = 32;
/// Captures are counted first if a pattern requires some. Nearly all games have fewer before
/// they end, or the moves are soon seen to lead elsewhere.
const CAPTURES_WORTH_COUNTING: u32 = 12;

/// What is required of pawns, kings and numbers of men.
pub(super) struct WordScan<'r> {
    requirements: &'r Requirements,
    table: &'static Words,
    /// By side: home squares on which pawns must stand.
    at_home: [u64; 2],
    /// By side: squares on which pawns must stand, those at home included.
    pawns: [u64; 2],
    /// By side: squares where the king may be.
    kings: [u64; 2],
    /// By side: whether it may be the one to move.
    turns: [bool; 2],
    /// The fewest captures before the pattern can match.
    captures: u32,
}

/// The men that are followed, by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Followed {
    pawns: [u64; 2],
    kings: [u64; 2],
    counts: Counts,
    /// The last numbers of men that were too low and could still become what is required.
    few: Counts,
    ply: u32,
}

impl Followed {
    const STANDARD: Followed = Followed {
        pawns: [0xff00, 0xff << 48],
        kings: [1 << 4, 1 << 60],
        counts: Counts::STANDARD,
        few: Counts::STANDARD,
        ply: 0,
    };

    /// Plays a move of one side.
    #[inline(always)]
    fn play<const SIDE: usize>(&mut self, played: Move) {
        let man = played.man() % BLACK;
        let (from, to) = (1_u64 << played.from(), 1_u64 << played.to());
        let all_if = |holds: bool| u64::from(holds).wrapping_neg();
        let (pawn, king) = (all_if(man == PAWN), all_if(man == KING));
        let stays = pawn & all_if(played.becomes() == 0);
        self.pawns[SIDE] = self.pawns[SIDE] & !(from & pawn) | to & stays;
        self.kings[SIDE] = self.kings[SIDE] & !king | to & king;
        self.pawns[SIDE ^ 1] &= !to;
        self.counts.take_if_any(played.victim());
        if played.becomes() != 0 {
            self.counts.take_if_any(played.man());
            self.counts.add_if_any(played.becomes());
        }
    }

    /// Plays a castling move or an en-passant capture of one side.
    #[cold]
    fn play_special<const SIDE: usize>(&mut self, played: Move) {
        if let Some(king_side) = played.castling() {
            let rank = if SIDE == 0 { 0 } else { 56 };
            self.kings[SIDE] = 1 << (rank + if king_side { 6 } else { 2 });
            return;
        }
        let square = played.from() & 56 | played.to() & 7;
        self.pawns[SIDE ^ 1] &= !(1 << square);
        self.counts
            .take_if_any(if SIDE == 0 { PAWN + BLACK } else { PAWN });
        self.play::<SIDE>(played);
    }
}

impl<'r> WordScan<'r> {
    /// Returns `None` if nothing is required of pawns, kings and numbers of men.
    pub(super) fn new(requirements: &'r Requirements) -> Option<WordScan<'r>> {
        let [white, black] = [Color::White, Color::Black];
        let scan = WordScan {
            requirements,
            table: words(),
            at_home: requirements.pawns_at_home(),
            pawns: requirements.pawns,
            kings: requirements.kings,
            turns: [white, black].map(|color| requirements.turn.is_none_or(|turn| turn == color)),
            captures: MEN.saturating_sub(requirements.counts.high.men().into()),
        };
        let sees = scan.pawns != [0; 2]
            || scan.kings != [u64::MAX; 2]
            || !requirements.counts.contains(Counts::STANDARD);
        sees.then_some(scan)
    }

    /// Whether any position of a game's main line may match.
    #[inline]
    pub(super) fn may_match(&self, game: &Game<'_>) -> bool {
        if !game.is_usual() || game.is_chess960() {
            return true;
        }
        // Those of variations are counted too, which lets more games through.
        let counts = self.captures >= CAPTURES_WORTH_COUNTING;
        if counts && self.table.captures(game.moves()) < self.captures {
            return false;
        }
        match self.walk(game) {
            Flow::Break(may_match) => may_match,
            Flow::Continue(never) => match never {},
        }
    }

    /// Walks a main line until it is known whether a position may match.
    fn walk(&self, game: &Game<'_>) -> Flow<bool, Infallible> {
        let (mut seen, mut moves) = (Followed::STANDARD, game.moves().iter());
        self.look::<0>(&seen)?;
        loop {
            self.play::<0>(&mut seen, &mut moves)?;
            self.play::<1>(&mut seen, &mut moves)?;
        }
    }

    /// Plays the next move, which is one side's.
    #[inline(always)]
    fn play<const SIDE: usize>(
        &self,
        seen: &mut Followed,
        moves: &mut Iter<'_, [u8; 2]>,
    ) -> Flow<bool> {
        loop {
            let Some(&word) = moves.next() else {
                return Flow::Break(true);
            };
            let word = u16::from_le_bytes(word);
            let played = self.table.get(word);
            if played.man().wrapping_sub(BLACK * SIDE as u8) <= PAWN {
                if played.is_plain() {
                    seen.play::<SIDE>(played);
                } else {
                    seen.play_special::<SIDE>(played);
                }
                break;
            }
            match word {
                ALTERNATIVE => {}
                NULL => break,
                word => return Flow::Break(word != END),
            }
        }
        seen.ply += 1;
        let has_left = (0..2).fold(0, |left, side| {
            left | self.at_home[side] & !seen.pawns[side]
        });
        if !seen.counts.is_sound() {
            // A man goes that is not there. Decoding tells what is wrong with the game.
            return Flow::Break(true);
        }
        if has_left != 0 || seen.ply > self.requirements.plies.1 || self.is_past(seen) {
            return Flow::Break(false);
        }
        if SIDE == 0 {
            self.look::<1>(seen)
        } else {
            self.look::<0>(seen)
        }
    }

    /// Whether the numbers of men can no longer become what the pattern requires.
    #[inline(always)]
    fn is_past(&self, seen: &mut Followed) -> bool {
        let few = !self.requirements.counts.is_reached_by(seen.counts);
        few && seen.counts != std::mem::replace(&mut seen.few, seen.counts)
            && !self.requirements.counts.is_within_reach(seen.counts)
    }

    /// Breaks when the pattern may match. `TURN` is the side to move.
    #[inline(always)]
    fn look<const TURN: usize>(&self, seen: &Followed) -> Flow<bool> {
        let away = (0..2).fold(0, |away, side| away | self.pawns[side] & !seen.pawns[side]);
        // One branch, which is hardly ever taken.
        let is_here = self.requirements.counts.contains(seen.counts)
            & (away == 0)
            & (seen.kings[0] & self.kings[0] != 0)
            & (seen.kings[1] & self.kings[1] != 0)
            & (seen.ply >= self.requirements.plies.0)
            & self.turns[TURN];
        if is_here {
            Flow::Break(true)
        } else {
            Flow::Continue(())
        }
    }
}
