//! Searches that need more of a line than one position after the other: what comments tell of its
//! moves, what is ahead, or all of it.
//!
//! What follows a position on its line is known only when the line has been played. So all moves
//! are kept, and each line is followed from the start to its end when they are known.

use shakmaty::{Color, Move, Setup};
use tabiya_chess::{
    Counts, Flow, Follow, MoveId, Placed, Rewind, Start,
    follow::break_if,
    opening_names::is_standard,
    place::MatchPlace,
    step::{Step, StepTaken},
};
use tabiya_formats::{Decoded, View, sound::Sound};

use super::{numbered::Numbered, remarks::Remarks};
use crate::pattern::{Ahead, Finder, automaton::Run};

/// Steps of which the sum, with the first position, is how many positions a sacrifice has to be won
/// back: 8.
const SACRIFICE_STEPS: [usize; 3] = [1, 2, 4];

/// The lines of one game. Memory is reused from game to game.
#[derive(Debug, Default)]
pub(super) struct Lines {
    tree: Tree,
    /// The nodes of a line, from the start.
    path: Vec<usize>,
    /// By position of that line: White's material less Black's, and its greatest and least from
    /// there on, as far as a sacrifice has to be won back.
    differences: Vec<i32>,
    greatest: Vec<i32>,
    least: Vec<i32>,
    /// By position of that line.
    ahead: Vec<Ahead>,
}

impl Lines {
    /// Searches the main line and then, if there is no match, all lines.
    pub(super) fn find<V: View>(
        &mut self,
        (view, record): (V, &V::Record),
        sound: &mut Sound,
        run: &mut Run<'_>,
        remarks: &mut Remarks,
        in_tree: bool,
    ) -> Decoded<Option<MatchPlace>> {
        run.look_in_all_lines(false);
        let automaton = run.automaton();
        let mut found = None;
        if remarks.admit((view, record), sound, automaton, false)? {
            found = self.find_in_main_line((view, record), sound, run, remarks)?;
        }
        // In another line, what follows may let an earlier position of the main line match.
        let is_settled = found.is_some_and(|ply| ply == 0 || !automaton.looks_ahead());
        let in_main_line = found.map(MatchPlace::in_main_line);
        if !in_tree || is_settled || !remarks.admit((view, record), sound, automaton, true)? {
            return Ok(in_main_line);
        }
        if !automaton.needs_whole_lines() {
            run.look_in_all_lines(true);
            return Numbered::new(run, remarks.moves()).find_in_tree(view, record, sound);
        }
        sound.tree(view, record, &mut self.tree)?;
        let in_variations = self.find_in_variations(run, remarks);
        let places = in_main_line.into_iter().chain(in_variations);
        Ok(places.min_by_key(in_order))
    }

    fn find_in_main_line<V: View>(
        &mut self,
        (view, record): (V, &V::Record),
        sound: &mut Sound,
        run: &mut Run<'_>,
        remarks: &Remarks,
    ) -> Decoded<Option<u32>> {
        let automaton = run.automaton();
        self.ahead.clear();
        if automaton.looks_ahead() {
            sound.main_line(view, record, &mut self.tree)?;
            let Some(end) = self.tree.last() else {
                return Ok(None);
            };
            self.take_line(end, automaton.weighs_sacrifices());
        }
        // The tree has no engine data.
        if automaton.looks_ahead() && !automaton.is_about_engine_data() {
            self.follow_path(run, remarks);
        } else {
            let mut guided = Numbered::new(run, remarks.moves()).looking_ahead(&self.ahead);
            sound.main_line(view, record, &mut guided)?;
        }
        run.end_line();
        Ok(run.found())
    }

    /// Follows every line but the main one to its end. Returns the first place.
    fn find_in_variations(&mut self, run: &mut Run<'_>, remarks: &Remarks) -> Option<MatchPlace> {
        let mut first: Option<MatchPlace> = None;
        let main_line = self.tree.end_of_main_line();
        for leaf in 0..self.tree.nodes.len() {
            if self.tree.nodes[leaf].has_child || leaf == main_line {
                continue;
            }
            self.take_line(leaf, run.automaton().weighs_sacrifices());
            if let Some(ply) = self.follow_path(run, remarks) {
                let node = self.path[ply as usize];
                let variation = MoveId::from_number(node as u32);
                let place = MatchPlace {
                    ply,
                    variation: variation.filter(|_| !self.tree.is_main(node)),
                };
                first = first.into_iter().chain(Some(place)).min_by_key(in_order);
            }
        }
        first
    }

    /// Follows the line at hand. Returns the ply of the match.
    fn follow_path(&self, run: &mut Run<'_>, remarks: &Remarks) -> Option<u32> {
        run.reset();
        let ahead = |ply: usize| self.ahead.get(ply).copied().unwrap_or_default();
        run.look_ahead(ahead(0));
        let start = match &self.tree.start {
            None => Start::Standard,
            Some(setup) => Start::Custom(setup),
        };
        let mut flow = run.start(start);
        for (ply, &node) in self.path.iter().enumerate().skip(1) {
            if flow.is_break() {
                break;
            }
            run.note(remarks.moves().get(node - 1).copied().unwrap_or_default());
            run.look_ahead(ahead(ply));
            for change in self.tree.changes_of(node) {
                match *change {
                    Change::Moved(from, to) => run.moved(from, to),
                    Change::Removed(gone) => run.remove(gone),
                    Change::Placed(new) => run.place(new),
                }
            }
            flow = run.ply_done();
        }
        run.found()
    }

    /// Takes the line to a node, and what is ahead of each of its positions: sacrifices only on
    /// request.
    fn take_line(&mut self, end: usize, weighs_sacrifices: bool) {
        let nodes = &self.tree.nodes;
        self.path.clear();
        let mut node = end;
        self.path.push(node);
        while node > 0 {
            node = nodes[node].parent;
            self.path.push(node);
        }
        self.path.reverse();
        self.differences.clear();
        if weighs_sacrifices {
            let differences = self.path.iter().map(|&node| nodes[node].difference);
            self.differences.extend(differences);
        }
        self.greatest.clone_from(&self.differences);
        self.least.clone_from(&self.differences);
        spread(&mut self.greatest, i32::max);
        spread(&mut self.least, i32::min);
        self.ahead.clear();
        let mut mover = self.tree.turn.other();
        for ply in 0..self.path.len() {
            let next = self.path.get(ply + 1).map(|&next| nodes[next].played);
            let given = match (ply.checked_sub(1), self.greatest.get(ply + 1)) {
                (Some(before), Some(greatest)) => {
                    let before = self.differences[before];
                    Some(mover.fold_wb(before - greatest, self.least[ply + 1] - before))
                }
                _ => None,
            };
            self.ahead.push(Ahead {
                next: next.unwrap_or(Step::END),
                sacrifice: given,
            });
            mover = mover.other();
        }
    }
}

/// Replaces each number by what `pick` takes of it and of those that follow, as far as a sacrifice
/// has to be won back. Each step doubles how many have been compared.
fn spread(numbers: &mut [i32], pick: impl Fn(i32, i32) -> i32) {
    for step in SACRIFICE_STEPS {
        for at in 0..numbers.len().saturating_sub(step) {
            numbers[at] = pick(numbers[at], numbers[at + step]);
        }
    }
}

/// Returns the key of the order of places: those of the main line, then the others as in a PGN
/// file.
fn in_order(place: &MatchPlace) -> (Option<MoveId>, u32) {
    (place.variation, place.ply)
}

/// A change on the board.
#[derive(Debug, Clone, Copy)]
enum Change {
    Moved(Placed, Placed),
    Removed(Placed),
    Placed(Placed),
}

/// All moves of a game.
#[derive(Debug)]
struct Tree {
    /// The start position; `None` for the standard one.
    start: Option<Setup>,
    /// Who makes the first move.
    turn: Color,
    /// The start position, then the positions after each move in the order of a PGN file.
    nodes: Vec<Node>,
    changes: Vec<Change>,
    /// The present node.
    now: usize,
    /// What the moves of the present ply have done to the difference of material.
    difference: i32,
    taken: StepTaken,
    /// The first change of the present ply.
    first_change: usize,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    parent: usize,
    has_child: bool,
    /// Whether it is the first move after its parent's position.
    is_first: bool,
    /// The first change of its move, and the first behind them.
    changes: (usize, usize),
    played: Step,
    /// White's material less Black's.
    difference: i32,
}

impl Default for Tree {
    fn default() -> Tree {
        Tree {
            start: None,
            turn: Color::White,
            nodes: Vec::new(),
            changes: Vec::new(),
            now: 0,
            difference: 0,
            taken: StepTaken::default(),
            first_change: 0,
        }
    }
}

impl Tree {
    /// Returns the last node; `None` if no game has begun.
    fn last(&self) -> Option<usize> {
        self.nodes.len().checked_sub(1)
    }

    fn changes_of(&self, node: usize) -> &[Change] {
        let (first, end) = self.nodes[node].changes;
        &self.changes[first..end]
    }

    /// Returns whether a node is in the main line.
    fn is_main(&self, mut node: usize) -> bool {
        while node > 0 {
            if !self.nodes[node].is_first {
                return false;
            }
            node = self.nodes[node].parent;
        }
        true
    }

    /// Returns the last node of the main line.
    fn end_of_main_line(&self) -> usize {
        let mut end = 0;
        for (number, node) in self.nodes.iter().enumerate().skip(1) {
            if node.is_first && node.parent == end {
                end = number;
            }
        }
        end
    }

    /// Adds a man's value to the difference, or takes it away.
    fn count(&mut self, placed: Placed, sign: i32) {
        let points = placed.man().points();
        self.difference += sign * placed.man().color().fold_wb(points, -points);
    }
}

impl Follow for Tree {
    fn reset(&mut self) {
        self.nodes.clear();
        self.changes.clear();
        (self.start, self.turn) = (None, Color::White);
        (self.now, self.first_change) = (0, 0);
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        let setup = start.setup();
        self.turn = setup.turn;
        self.difference = Counts::of(&setup.board).difference();
        self.nodes.push(Node {
            parent: 0,
            has_child: false,
            is_first: true,
            changes: (0, 0),
            played: Step::NULL,
            difference: self.difference,
        });
        self.start = match start {
            Start::Standard => None,
            Start::Custom(_) => Some(setup),
        };
        self.taken = StepTaken::default();
        Flow::Continue(())
    }

    fn moved(&mut self, from: Placed, to: Placed) {
        self.changes.push(Change::Moved(from, to));
        self.taken.shift(from, to);
    }

    fn remove(&mut self, gone: Placed) {
        self.changes.push(Change::Removed(gone));
        self.count(gone, -1);
    }

    fn place(&mut self, new: Placed) {
        self.changes.push(Change::Placed(new));
        self.count(new, 1);
        self.taken.place(new);
    }

    fn ply_done(&mut self) -> Flow {
        let Some(parent) = self.nodes.get_mut(self.now) else {
            return Flow::Break(());
        };
        let is_first = !std::mem::replace(&mut parent.has_child, true);
        self.nodes.push(Node {
            parent: self.now,
            has_child: false,
            is_first,
            changes: (self.first_change, self.changes.len()),
            played: std::mem::take(&mut self.taken).step(),
            difference: self.difference,
        });
        self.first_change = self.changes.len();
        self.now = self.nodes.len() - 1;
        Flow::Continue(())
    }
}

impl Rewind for Tree {
    type Snapshot = usize;

    fn snapshot(&self) -> usize {
        self.now
    }

    fn restore(&mut self, node: &usize) {
        self.now = *node;
        self.difference = self.nodes.get(*node).map_or(0, |node| node.difference);
    }
}

/// Compares the moves of a main line with some.
pub(super) struct BeginsWith<'m> {
    moves: &'m [Move],
    ply: usize,
    taken: StepTaken,
    /// Whether all moves so far are the same.
    is_same: bool,
}

impl<'m> BeginsWith<'m> {
    pub(super) fn new(moves: &'m [Move]) -> BeginsWith<'m> {
        BeginsWith {
            moves,
            ply: 0,
            taken: StepTaken::default(),
            is_same: false,
        }
    }

    /// Returns whether the game begins with the moves.
    pub(super) fn holds(&self) -> bool {
        self.is_same && self.ply == self.moves.len()
    }
}

impl Follow for BeginsWith<'_> {
    fn reset(&mut self) {
        (self.ply, self.taken, self.is_same) = (0, StepTaken::default(), false);
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.is_same = is_standard(start);
        break_if(!self.is_same || self.moves.is_empty())
    }

    fn moved(&mut self, from: Placed, to: Placed) {
        self.taken.shift(from, to);
    }

    fn remove(&mut self, _: Placed) {}

    fn place(&mut self, new: Placed) {
        self.taken.place(new);
    }

    fn ply_done(&mut self) -> Flow {
        let played = std::mem::take(&mut self.taken).step();
        let wanted = self.moves.get(self.ply).copied().map(Step::of);
        self.is_same = wanted == Some(played);
        self.ply += 1;
        break_if(!self.is_same || self.ply == self.moves.len())
    }
}
