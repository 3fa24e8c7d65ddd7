//! Follows games together with what the comments of their moves tell.
//!
//! Decoders pass only changes on the board to followers, so that searches do not pay for comments.
//! A search that asks for comments visits the game first and keeps a [`Remark`] for each move; then
//! the game is followed as always, and each move comes with its remark. The visit often shows that
//! no move can lead to a match, so that the game need not be followed.

use shakmaty::Move;
use tabiya_chess::{
    Flow, Seconds,
    place::MatchPlace,
    remark::Remark,
    speed::{TIME_CONTROL, increment},
};
use tabiya_formats::{Decoded, View, Visitor, sound::Sound};

use super::numbered::Numbered;
use crate::pattern::{Finder, automaton::Run};

/// What the comments of a game's moves tell. Memory is reused from game to game.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    /// By move, in the order of a PGN file.
    moves: Vec<Remark>,
    /// By move: the previous move of the same side.
    own: Vec<Option<usize>>,
    /// What is added to the clock with each move.
    increment: Option<Seconds>,
    line: Line,
    /// The outer lines, as far as they have come.
    waiting: Vec<Line>,
    /// Whether the moves of variations are kept too.
    in_tree: bool,
}

/// How far a line has come.
#[derive(Debug, Clone, Copy, Default)]
struct Line {
    last: Option<usize>,
    /// The move before the last.
    before: Option<usize>,
    /// The move that comments belong to; none at the start of a game or variation.
    told: Option<usize>,
}

impl Remarks {
    /// Searches the main line and then, if there is no match, all lines.
    pub(super) fn find<V: View>(
        &mut self,
        view: V,
        record: &V::Record,
        sound: &mut Sound,
        run: &mut Run<'_>,
        in_tree: bool,
    ) -> Decoded<Option<MatchPlace>> {
        run.look_in_all_lines(false);
        // Moves after damage may have comments that are not known.
        let is_whole = self.read(view, record, sound, false)?;
        if !is_whole || run.automaton().admits(&self.moves) {
            sound.main_line(view, record, &mut Numbered::new(run, &self.moves))?;
            if let Some(ply) = run.found() {
                return Ok(Some(MatchPlace::in_main_line(ply)));
            }
        }
        if in_tree {
            run.look_in_all_lines(true);
            let is_whole = self.read(view, record, sound, true)?;
            if !is_whole || run.automaton().admits(&self.moves) {
                let all = Numbered::new(run, &self.moves);
                if let Some(spot) = all.find_in_tree(view, record, sound)? {
                    return Ok(Some(spot));
                }
            }
        }
        Ok(None)
    }

    /// Reads the comments of a game. Returns whether it is whole.
    fn read<V: View>(
        &mut self,
        view: V,
        record: &V::Record,
        sound: &mut Sound,
        in_tree: bool,
    ) -> Decoded<bool> {
        self.moves.clear();
        self.own.clear();
        self.waiting.clear();
        (self.line, self.increment, self.in_tree) = (Line::default(), None, in_tree);
        let read = sound.visit(view, record, self);
        for at in 0..self.moves.len() {
            let clock_before = self.own[at].and_then(|own| self.moves[own].clock);
            let remark = &mut self.moves[at];
            if let (None, Some(before), Some(now)) = (remark.spent, clock_before, remark.clock) {
                remark.spent = Some(before.until(now, self.increment.unwrap_or_default()));
            }
        }
        read
    }

    /// Whether the present line is left out.
    fn is_aside(&self) -> bool {
        !self.in_tree && !self.waiting.is_empty()
    }
}

impl Visitor for Remarks {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        if name.eq_ignore_ascii_case(TIME_CONTROL) {
            self.increment.get_or_insert_with(|| increment(value));
        }
        Flow::Continue(())
    }

    fn play(&mut self, _: Option<Move>) -> Flow {
        if !self.is_aside() {
            let now = Some(self.moves.len());
            self.moves.push(Remark::default());
            self.own.push(self.line.before);
            self.line = Line {
                last: now,
                before: self.line.last,
                told: now,
            };
        }
        Flow::Continue(())
    }

    fn comment(&mut self, text: &str) -> Flow {
        let told = self.line.told.filter(|_| !self.is_aside());
        if let Some(remark) = told.and_then(|told| self.moves.get_mut(told)) {
            remark.read(text);
        }
        Flow::Continue(())
    }

    fn begin_variation(&mut self) -> Flow {
        self.waiting.push(self.line);
        let replaced = self.line.last;
        self.line = Line {
            last: self.line.before,
            before: replaced.and_then(|at| self.own.get(at).copied().flatten()),
            told: None,
        };
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        self.line = self.waiting.pop().unwrap_or_default();
        Flow::Continue(())
    }
}
