//! Pawns, kings and numbers of men in a main line, found from its words without a board.
//!
//! A word names the man that moves, where from and where to, what it captures and what it becomes.
//! So the squares of the pawns and kings and the numbers of all men are known exactly, for a few
//! operations a move. This gives four necessary conditions:
//!
//! * a pattern that requires a pawn on a square matches only while one is there;
//! * nothing matches any more once a pawn has left a home square where the pattern requires one,
//!   since pawns never return;
//! * a pattern that requires the kings on certain squares matches only while they are there;
//! * a pattern with bounds of the numbers of men matches only while all are within them, and never
//!   again once they cannot come back.
//!
//! The record's own final material is not asked: not all records tell the truth about it.

use std::ops::ControlFlow as Flow;

use shakmaty::Color;

use super::{
    game::Game,
    words::{ALTERNATIVE, END, Move, NOBODY, NULL, Words, words},
};
use crate::{
    chess::{Counts, Man},
    pattern::Pattern,
};

const KING: u8 = 0;
const PAWN: u8 = 5;
const BLACK: u8 = 6;

/// What a pattern requires of pawns, kings and numbers of men.
pub(super) struct Glance<'p> {
    pattern: &'p Pattern,
    table: &'static Words,
    /// By side: home squares on which pawns must stand.
    at_home: [u64; 2],
    /// By side: squares on which pawns must stand.
    pawns: [u64; 2],
    /// By side: squares where the king may be.
    kings: [u64; 2],
}

/// The men that are followed, by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    pawns: [u64; 2],
    kings: [u64; 2],
    counts: Counts,
}

impl Seen {
    const STANDARD: Seen = Seen {
        pawns: [0xff00, 0xff << 48],
        kings: [1 << 4, 1 << 60],
        counts: Counts::STANDARD,
    };

    /// Plays a move. Returns whether the numbers of men have changed.
    #[inline(always)]
    fn play(&mut self, side: usize, played: Move) -> bool {
        let (from, to) = (1_u64 << played.from(), 1_u64 << played.to());
        match played.man() % BLACK {
            PAWN => {
                self.pawns[side] &= !from;
                if played.becomes() == 0 {
                    self.pawns[side] |= to;
                }
            }
            KING => self.kings[side] = to,
            _ => {}
        }
        let victim = played.victim();
        if victim != NOBODY {
            self.pawns[side ^ 1] &= !to;
            self.count(victim, Counts::take);
        }
        if played.becomes() != 0 {
            self.count(played.man(), Counts::take);
            self.count(played.becomes(), Counts::add);
        }
        victim != NOBODY || played.becomes() != 0
    }

    fn count(&mut self, man: u8, change: fn(&mut Counts, Man)) {
        if let Some(man) = Man::from_index(man.into()) {
            change(&mut self.counts, man);
        }
    }

    /// Plays a castling move or an en-passant capture. Returns whether the numbers have changed.
    #[cold]
    fn play_special(&mut self, side: usize, played: Move) -> bool {
        if let Some(king_side) = played.castling() {
            let rank = if side == 0 { 0 } else { 56 };
            self.kings[side] = 1 << (rank + if king_side { 6 } else { 2 });
            return false;
        }
        let square = played.from() & 56 | played.to() & 7;
        self.pawns[side ^ 1] &= !(1 << square);
        self.count(if side == 0 { PAWN + BLACK } else { PAWN }, Counts::take);
        self.play(side, played);
        true
    }
}

impl<'p> Glance<'p> {
    /// Returns `None` for a pattern that requires nothing of pawns, kings and numbers of men.
    pub(super) fn new(pattern: &'p Pattern) -> Option<Glance<'p>> {
        let [white, black] = [Color::White, Color::Black];
        let glance = Glance {
            pattern,
            table: words(),
            at_home: [white, black].map(|color| pattern.pawns_at_home(color)),
            pawns: [white, black].map(|color| pattern.pawns_required(color)),
            kings: pattern.kings(),
        };
        let sees = glance.at_home != [0; 2]
            || glance.pawns != [0; 2]
            || glance.kings != [u64::MAX; 2]
            || !pattern.counts.contains(Counts::STANDARD);
        sees.then_some(glance)
    }

    /// Whether any position of a game's main line may match.
    #[inline]
    pub(super) fn may_match(&self, game: &Game<'_>) -> bool {
        if !game.is_usual() || game.is_chess960() {
            return true;
        }
        match self.walk(game) {
            Flow::Break(may_match) => may_match,
            Flow::Continue(()) => true,
        }
    }

    /// Walks a main line until it is known whether a position may match.
    fn walk(&self, game: &Game<'_>) -> Flow<bool> {
        let (mut seen, mut side, mut ply) = (Seen::STANDARD, 0, 0);
        let mut fits = self.pattern.counts.contains(seen.counts);
        self.look(&seen, fits, ply)?;
        for &word in game.moves() {
            let word = u16::from_le_bytes(word);
            match word {
                END => return Flow::Break(false),
                ALTERNATIVE => continue,
                NULL => {}
                _ => {
                    let played = self.table.get(word);
                    if played.man() / BLACK != side as u8 {
                        return Flow::Break(true);
                    }
                    let has_changed = if played.is_plain() {
                        seen.play(side, played)
                    } else {
                        seen.play_special(side, played)
                    };
                    if has_changed {
                        fits = self.pattern.counts.contains(seen.counts);
                        if !fits && !self.pattern.counts_within_reach(seen.counts) {
                            return Flow::Break(false);
                        }
                    }
                    if self.at_home[side] & !seen.pawns[side] != 0 {
                        return Flow::Break(false);
                    }
                }
            }
            (side, ply) = (side ^ 1, ply + 1);
            if ply > self.pattern.plies.1 {
                return Flow::Break(false);
            }
            self.look(&seen, fits, ply)?;
        }
        Flow::Continue(())
    }

    /// Breaks when the pattern may match.
    #[inline(always)]
    fn look(&self, seen: &Seen, fits: bool, ply: u32) -> Flow<bool> {
        let is_here =
            fits && (0..2).all(|side| {
                seen.kings[side] & self.kings[side] != 0
                    && (self.pawns[side] | self.at_home[side]) & !seen.pawns[side] == 0
            }) && ply >= self.pattern.plies.0
                && (self.pattern.turn).is_none_or(|turn| turn.is_black() == (ply % 2 == 1));
        if is_here {
            Flow::Break(true)
        } else {
            Flow::Continue(())
        }
    }
}
