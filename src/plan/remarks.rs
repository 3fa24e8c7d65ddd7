//! Follows games together with what the comments of their moves tell.
//!
//! Decoders pass only changes on the board to followers, so that searches do not pay for comments.
//! A search that asks for comments visits the game first and keeps a [`Remark`] for each move; then
//! the game is followed as always, and each move comes with its remark. The visit often shows that
//! no move can lead to a match, so that the game need not be followed.

use shakmaty::{Color, Move};
use tabiya_chess::{
    Evaluation, Flow, Judgement, Seconds, Start,
    judgement::{Evaluated, swing},
    remark::{Profile, Remark},
    speed::{TIME_CONTROL, increment},
};
use tabiya_formats::{Decoded, View, Visitor, sound::Sound};

use super::compile;
use crate::{
    pattern::{
        Finder, Told,
        automaton::{Automaton, Run},
    },
    query::{At, PositionTest, QualityField, State},
};

/// What the comments of a game's moves tell. Memory is reused from game to game.
#[derive(Debug, Default)]
pub(super) struct Remarks {
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
    evaluations: Vec<Option<Evaluation>>,
    /// Finds whether the last move mates; made at first use.
    mate: Option<Automaton>,
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

impl Remarks {
    /// Reads the comments of a game if an automaton asks for them. Returns whether it can match.
    pub(super) fn admit<V: View>(
        &mut self,
        (view, record): (V, &V::Record),
        sound: &mut Sound,
        automaton: &Automaton,
        in_tree: bool,
    ) -> Decoded<bool> {
        if !automaton.is_about_remarks() {
            return Ok(true);
        }
        // Moves after damage may have comments that are not known.
        let is_whole = self.read(view, record, sound, in_tree)?;
        Ok(!is_whole || automaton.admits(&self.moves))
    }

    /// Reads the comments of a game. Returns whether it is whole.
    fn read<V: View>(
        &mut self,
        view: V,
        record: &V::Record,
        sound: &mut Sound,
        in_tree: bool,
    ) -> Decoded<bool> {
        for kept in [&mut self.own, &mut self.parents] {
            kept.clear();
        }
        self.moves.clear();
        self.waiting.clear();
        self.profile.clear();
        self.main_line.clear();
        (self.line, self.increment, self.in_tree) = (Line::default(), None, in_tree);
        (self.first, self.of_start) = (None, Remark::default());
        let read = sound.visit(view, record, self);
        self.spread_profile();
        for at in 0..self.moves.len() {
            let clock_before = self.own[at].and_then(|own| self.moves[own].remark.clock);
            let remark = &mut self.moves[at].remark;
            if let (None, Some(before), Some(now)) = (remark.spent, clock_before, remark.clock) {
                remark.spent = Some(before.until(now, self.increment.unwrap_or_default()));
            }
            self.judge(at);
        }
        read
    }

    /// Returns the side that makes the first move.
    fn first(&self) -> Color {
        self.first.unwrap_or(Color::White)
    }

    /// Returns what is told of each move.
    pub(super) fn moves(&self) -> &[Told] {
        &self.moves
    }

    /// Returns how well a side played in the main line, if the evaluations tell.
    pub(super) fn quality<V: View>(
        &mut self,
        view: V,
        record: &V::Record,
        sound: &mut Sound,
        field: QualityField,
    ) -> Decoded<Option<f64>> {
        self.read(view, record, sound, false)?;
        self.evaluations.clear();
        self.evaluations
            .extend(self.moves.iter().map(|told| told.remark.eval));
        let mut evaluated = Evaluated {
            start: self.of_start.eval,
            moves: &self.evaluations,
            first: self.first(),
            mates: false,
        };
        Ok(match field {
            QualityField::Loss(side) => evaluated.mean_loss(side),
            QualityField::Accuracy(side) => {
                if let Some(None) = self.evaluations.last() {
                    let mate = || compile::last(&At::from(PositionTest::State(State::Mate)));
                    let mut end = Run::new(self.mate.get_or_insert_with(mate));
                    sound.main_line(view, record, &mut end)?;
                    end.end_line();
                    evaluated.mates = end.found().is_some();
                }
                evaluated.accuracy(side)
            }
        })
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

impl Visitor for Remarks {
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
