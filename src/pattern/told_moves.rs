//! What the comments of a game's moves tell, move after move.

use shakmaty::{Color, Move};
use tabiya_chess::{
    Evaluation, Flow, Judgement, Seconds, Start,
    judgement::swing,
    remark::{Profile, Remark},
    speed::{TIME_CONTROL, increment},
};
use tabiya_formats::{Decoded, View, Visitor, sound::Sound};

use super::Told;

/// What the comments of a game's moves tell. Memory is reused from game to game.
#[derive(Debug, Default)]
pub(crate) struct ToldMoves {
    /// By move, in the order of a PGN file.
    moves: Vec<Told>,
    /// By move: the one before it on its line.
    parents: Vec<Option<usize>>,
    /// By move: the previous move of the same side.
    own: Vec<Option<usize>>,
    /// What is added to the clock with each move.
    increment: Option<Seconds>,
    line: Line,
    /// The outer lines, as far as they have come.
    waiting: Vec<Line>,
    /// Whether the moves of variations are kept too.
    in_tree: bool,
    /// The side that makes the first move.
    first: Option<Color>,
    /// What comments before the first move tell.
    of_start: Remark,
    /// Evaluations of the main line by half-move, which are told before it.
    profile: Vec<(u32, Evaluation)>,
    /// The moves of the main line, by half-move from 1.
    main_line: Vec<usize>,
}

/// How far a line has come.
#[derive(Debug, Clone, Copy, Default)]
struct Line {
    last: Option<usize>,
    /// The move before the last.
    before: Option<usize>,
    /// The move that comments belong to; none at the start of a game or variation.
    told: Option<usize>,
    /// The number of half-moves.
    plies: usize,
}

impl ToldMoves {
    /// Reads the comments of a game: those of its main line, or of all lines. Returns whether it is
    /// whole.
    pub(crate) fn read<V: View>(
        &mut self,
        view: V,
        record: &V::Record,
        sound: &mut Sound,
        in_tree: bool,
    ) -> Decoded<bool> {
        self.begin(in_tree);
        let is_skimmed = !in_tree && view.skim(record, self).is_some();
        let is_whole = if is_skimmed {
            true
        } else {
            self.begin(in_tree);
            sound.visit(view, record, self)?
        };
        self.end();
        Ok(is_whole)
    }

    /// Begins with a game that is then visited.
    pub(crate) fn begin(&mut self, in_tree: bool) {
        for kept in [&mut self.own, &mut self.parents] {
            kept.clear();
        }
        self.moves.clear();
        self.waiting.clear();
        self.profile.clear();
        self.main_line.clear();
        (self.line, self.increment, self.in_tree) = (Line::default(), None, in_tree);
        (self.first, self.of_start) = (None, Remark::default());
    }

    /// Takes what is known of a main line: who makes the first move, what is added to the clock
    /// with each, the evaluation of the start, and what the comments of each half-move tell, which
    /// `fill` sets; `None` if it cannot.
    pub(crate) fn restore(
        &mut self,
        (first, increment): (Color, Seconds),
        of_start: Option<Evaluation>,
        plies: usize,
        fill: impl FnOnce(&mut [Told]) -> Option<()>,
    ) -> Option<()> {
        self.begin(false);
        (self.first, self.increment) = (Some(first), Some(increment));
        self.of_start.eval = of_start;
        for _ in 0..plies {
            let _ = self.play(None);
        }
        fill(&mut self.moves)?;
        self.conclude();
        Some(())
    }

    /// Ends a game that has been visited.
    pub(crate) fn end(&mut self) {
        self.spread_profile();
        self.conclude();
    }

    /// Works out what follows from what is told: times by the clock, and what evaluations say of
    /// the moves.
    fn conclude(&mut self) {
        for at in 0..self.moves.len() {
            if self.moves[at].remark.spent.is_none() {
                self.moves[at].remark.spent = self.spent_by_clock(at);
            }
            self.judge(at);
        }
    }

    /// Returns the time of a move by its side's clock.
    pub(crate) fn spent_by_clock(&self, at: usize) -> Option<Seconds> {
        let before = self.moves[self.own[at]?].remark.clock?;
        let now = self.moves[at].remark.clock?;
        Some(before.until(now, self.increment()))
    }

    /// Returns the side that makes the first move.
    pub(crate) fn first(&self) -> Color {
        self.first.unwrap_or(Color::White)
    }

    /// Returns what is added to the clock with each move.
    pub(crate) fn increment(&self) -> Seconds {
        self.increment.unwrap_or_default()
    }

    /// Returns the evaluation of the start, if it is told.
    pub(crate) fn of_start(&self) -> Option<Evaluation> {
        self.of_start.eval
    }

    /// Returns what is told of each move.
    pub(crate) fn moves(&self) -> &[Told] {
        &self.moves
    }

    /// Gives the moves of the main line the evaluations that are told before it, where the moves'
    /// own comments have none.
    fn spread_profile(&mut self) {
        for &(ply, evaluation) in &self.profile {
            let at = (ply as usize).checked_sub(1);
            let eval = match at.map(|at| self.main_line.get(at)) {
                None => &mut self.of_start.eval,
                Some(Some(&at)) => &mut self.moves[at].remark.eval,
                Some(None) => continue,
            };
            eval.get_or_insert(evaluation);
        }
    }

    /// Compares a move's evaluation with that of the position before it.
    fn judge(&mut self, at: usize) {
        let before = match self.parents[at] {
            Some(parent) => self.moves[parent].remark.eval,
            None => self.of_start.eval.or(Some(Evaluation::of_start())),
        };
        let told = &mut self.moves[at];
        if let (Some(before), Some(after)) = (before, told.remark.eval) {
            told.swing = Some(swing(before, after, told.mover));
            told.judgement = Judgement::of(before, after, told.mover);
        }
    }

    /// Whether the present line is left out.
    fn is_aside(&self) -> bool {
        !self.in_tree && !self.waiting.is_empty()
    }
}

impl Visitor for ToldMoves {
    fn start(&mut self, start: Start<'_>) -> Flow {
        self.first = Some(start.setup().turn);
        Flow::Continue(())
    }

    fn tag(&mut self, name: &str, value: &str) -> Flow {
        if name.eq_ignore_ascii_case(TIME_CONTROL) {
            self.increment.get_or_insert_with(|| increment(value));
        }
        Flow::Continue(())
    }

    fn play(&mut self, _: Option<Move>) -> Flow {
        if !self.is_aside() {
            let now = Some(self.moves.len());
            if self.waiting.is_empty() {
                self.main_line.extend(now);
            }
            let mover = if self.line.plies.is_multiple_of(2) {
                self.first()
            } else {
                self.first().other()
            };
            self.moves.push(Told {
                mover,
                ..Told::default()
            });
            self.own.push(self.line.before);
            self.parents.push(self.line.last);
            self.line = Line {
                last: now,
                before: self.line.last,
                told: now,
                plies: self.line.plies + 1,
            };
        }
        Flow::Continue(())
    }

    fn comment(&mut self, text: &str) -> Flow {
        let told = self.line.told.filter(|_| !self.is_aside());
        let is_before_all = self.moves.is_empty();
        match told.and_then(|told| self.moves.get_mut(told)) {
            Some(told) => told.remark.read(text, Some(told.mover)),
            None if is_before_all && self.waiting.is_empty() => {
                self.of_start.read(text, Some(self.first().other()));
                if let Some(profile) = Profile::find(text) {
                    self.profile.extend(profile.evaluations());
                }
            }
            None => {}
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
            plies: self.line.plies.saturating_sub(1),
        };
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        self.line = self.waiting.pop().unwrap_or_default();
        Flow::Continue(())
    }
}
