//! A game as a writer is told of it, kept until its last event.
//!
//! All formats that are written, PGN apart, are encoded from a [`GameTree`]. One visitor, the
//! [`Collector`], fills it by the [`Rules`] of the format, and [`EncodeTree`] turns it into bytes.
//! Everything is in flat vectors, which are reused from game to game.

mod collect;
mod rules;
#[cfg(test)]
mod tests;

use shakmaty::{Move, Setup};
use tabiya_chess::Start;

pub use self::{
    collect::{Collector, EncodeTree},
    rules::{Fate, Rules},
};
use crate::{
    error::{Error, Result},
    flaws,
    limits::VARIATION_DEPTH_MAX,
    loss::GameLosses,
};

/// A part of the moves, in event order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// A move; `None` is a null move.
    Move(Option<Move>),
    /// A variation begins, an alternative to the last move.
    Begin,
    /// The variation ends.
    End,
}

/// What annotations belong to: the number of steps up to a move, or up to the beginning of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Node(pub(crate) u32);

impl Node {
    /// The start of the game.
    pub(crate) const START: Node = Node(0);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a note belongs, seen from where it arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// There.
    Here,
    /// At the next move, if one comes in this line.
    Waiting,
    /// There, since it waited in vain.
    Kept,
    /// At the next move.
    Next,
}

/// An annotation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Note {
    pub(crate) node: Node,
    pub(crate) place: Place,
    pub(crate) what: What,
}

/// What an annotation is. Texts and data are ranges of what the tree keeps.
#[derive(Debug, Clone, Copy)]
pub(crate) enum What {
    Nag(u8),
    Comment(u32, u32),
    /// An annotation of ChessBase 2 with its type and data.
    Annotation(u8, u32, u32),
}

/// The line in progress.
#[derive(Debug, Clone, Copy, Default)]
struct Line {
    node: Node,
    /// Whether the line has moves of its own.
    has_moves: bool,
    /// Whether a variation of the last move has ended.
    is_late: bool,
    /// Whether the last move has a comment, and how many NAGs.
    has_comment: bool,
    nags: u8,
}

/// One game: its start, its moves in event order, and its annotations.
#[derive(Debug, Default)]
pub struct GameTree {
    pub(crate) start: Option<Setup>,
    pub(crate) steps: Vec<Step>,
    notes: Vec<Note>,
    comments: String,
    data: Vec<u8>,
    /// Index of the first note that waits for the next move of the line.
    waiting_from: Option<usize>,
    line: Line,
    outer: Vec<Line>,
    /// Number of open variations that are left out.
    left_out: usize,
}

impl GameTree {
    fn clear(&mut self) {
        self.start = None;
        self.steps.clear();
        self.notes.clear();
        self.comments.clear();
        self.data.clear();
        self.waiting_from = None;
        self.line = Line::default();
        self.outer.clear();
        self.left_out = 0;
    }

    /// Returns where the game begins.
    pub(crate) fn start(&self) -> Start<'_> {
        self.start.as_ref().map_or(Start::Standard, Start::Custom)
    }

    /// Returns the annotations in event order, except for NAGs that `nags_before_waiting` moves.
    pub(crate) fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Returns the annotations by node. They may arrive after the variations of their move.
    pub(crate) fn notes_by_node(&mut self) -> NotesByNode {
        if !self.notes.is_sorted_by_key(|note| note.node) {
            self.notes.sort_by_key(|note| note.node);
        }
        NotesByNode {
            next: 0,
            node: self.notes.first().map(|note| note.node),
        }
    }

    /// Returns the text of a comment.
    pub(crate) fn comment(&self, (from, to): (u32, u32)) -> &str {
        self.comments
            .get(from as usize..to as usize)
            .unwrap_or_default()
    }

    /// Returns the data of an annotation of ChessBase 2.
    pub(crate) fn data(&self, (from, to): (u32, u32)) -> &[u8] {
        self.data
            .get(from as usize..to as usize)
            .unwrap_or_default()
    }

    #[inline]
    fn play(&mut self, played: Option<Move>, rules: &Rules, losses: &mut GameLosses) -> Result<()> {
        if rules.variations != Fate::Stays && self.left_out > 0 {
            return Ok(());
        }
        self.step(Step::Move(played), rules)?;
        let before = self.line;
        self.line = Line {
            node: Node(self.steps.len() as u32),
            has_moves: true,
            ..Line::default()
        };
        if let Some(from) = self.waiting_from.take() {
            self.line.has_comment = before.has_comment && !before.has_moves;
            self.give(from, rules, losses);
        }
        Ok(())
    }

    #[inline]
    fn step(&mut self, step: Step, rules: &Rules) -> Result<()> {
        if self.steps.len() >= rules.steps_max {
            return Err(too_long(rules.steps_max));
        }
        self.steps.push(step);
        Ok(())
    }

    /// Gives the notes that wait to the last move.
    #[cold]
    fn give(&mut self, from: usize, rules: &Rules, losses: &mut GameLosses) {
        for note in &mut self.notes[from..] {
            if note.place == Place::Waiting {
                note.node = self.line.node;
                note.place = Place::Next;
                if let What::Nag(_) = note.what {
                    losses.add_some(rules.nags_moved);
                }
            }
        }
    }

    /// Leaves waiting notes where they are, since no next move comes.
    fn keep_waiting(&mut self) {
        let from = self.waiting_from.take().unwrap_or(self.notes.len());
        for note in &mut self.notes[from..] {
            if note.place == Place::Waiting {
                note.place = Place::Kept;
            }
        }
    }

    /// Discards the notes that waited for the first move of a line without moves.
    fn drop_waiting(&mut self, rules: &Rules, losses: &mut GameLosses) {
        let Some(from) = self.waiting_from.take() else {
            return;
        };
        for note in self.notes.drain(from..).rev() {
            match note.what {
                What::Comment(from, _) => {
                    self.comments.truncate(from as usize);
                    losses.add_some(rules.comments_of_no_move);
                }
                What::Annotation(_, from, _) => self.data.truncate(from as usize),
                What::Nag(_) => {}
            }
        }
    }

    fn nag(&mut self, nag: u8, rules: &Rules, losses: &mut GameLosses) {
        if self.left_out > 0 || nag == 0 {
            return;
        }
        let fate = match (self.line.has_moves, self.outer.is_empty()) {
            (true, _) => rules.nags,
            (false, true) => rules.nags_of_game,
            (false, false) => rules.nags_of_variations,
        };
        let beyond = match rules.nags_max {
            Some((most, loss)) if self.line.nags >= most => Some(loss),
            _ => None,
        };
        match (fate, beyond) {
            (Fate::Goes(loss), _) | (_, Some(loss)) => return losses.add(loss),
            (Fate::Stays | Fate::Waits, None) => {}
        }
        self.line.nags = self.line.nags.saturating_add(1);
        let at = match self.waiting_from {
            Some(from) if self.line.has_moves && rules.nags_before_waiting => {
                self.waiting_from = Some(from + 1);
                from
            }
            _ => self.notes.len(),
        };
        self.insert(at, What::Nag(nag), fate == Fate::Waits);
    }

    /// Adds a comment, which waits for the next move where the rules say so.
    fn say(&mut self, text: &str, rules: &Rules, losses: &mut GameLosses) -> Result<()> {
        if self.left_out > 0 || text.is_empty() {
            return Ok(());
        }
        if self.begins_variation() {
            losses.add_some(rules.comments_moved);
        }
        if self.line.has_comment {
            losses.add_some(rules.comments_joined);
        }
        self.line.has_comment = true;
        // What follows NAGs that go to the first move goes there as well.
        let follows = self.waiting_from.is_some() && rules.nags_of_game == Fate::Waits;
        let waits = follows || self.waits(rules);
        let from = self.comments.len();
        // What waits may yet be dropped.
        let most = if waits {
            u32::MAX as usize
        } else {
            rules.text_max
        };
        if from + text.len() > most {
            return Err(too_long(most));
        }
        self.comments.push_str(text);
        let what = What::Comment(from as u32, self.comments.len() as u32);
        self.insert(self.notes.len(), what, waits);
        Ok(())
    }

    /// Adds an annotation of ChessBase 2 as it is. It waits as a comment does, or in any case.
    fn annotate(&mut self, kind: u8, data: &[u8], always_waits: bool, rules: &Rules) {
        let waits = always_waits || self.waits(rules);
        let from = self.data.len() as u32;
        self.data.extend_from_slice(data);
        let what = What::Annotation(kind, from, self.data.len() as u32);
        self.insert(self.notes.len(), what, waits);
    }

    fn begins_variation(&self) -> bool {
        !self.line.has_moves && !self.outer.is_empty()
    }

    /// Whether a comment that arrives now waits for the next move.
    fn waits(&self, rules: &Rules) -> bool {
        let late = self.line.is_late && rules.late_comments == Fate::Waits;
        late || self.begins_variation() && rules.comments_of_variations == Fate::Waits
    }

    fn insert(&mut self, at: usize, what: What, waits: bool) {
        if waits {
            self.waiting_from.get_or_insert(at);
        }
        let note = Note {
            node: self.line.node,
            place: if waits { Place::Waiting } else { Place::Here },
            what,
        };
        self.notes.insert(at, note);
    }

    fn begin_variation(&mut self, rules: &Rules, losses: &mut GameLosses) -> Result<()> {
        if let Fate::Goes(loss) = rules.variations {
            if self.left_out == 0 {
                losses.add(loss);
            }
            self.left_out += 1;
            return Ok(());
        }
        if !self.line.has_moves {
            return Err(Error::corrupt(flaws::VARIATION_OF_NO_MOVE));
        }
        if self.outer.len() >= VARIATION_DEPTH_MAX {
            let limit = VARIATION_DEPTH_MAX as u64;
            let what = "the depth of variations";
            return Err(Error::limit(what, limit));
        }
        self.keep_waiting();
        self.step(Step::Begin, rules)?;
        let inner = Line {
            node: Node(self.steps.len() as u32),
            ..Line::default()
        };
        self.outer.push(std::mem::replace(&mut self.line, inner));
        Ok(())
    }

    fn end_variation(&mut self, rules: &Rules, losses: &mut GameLosses) -> Result<()> {
        if let Fate::Goes(_) = rules.variations {
            self.left_out = self.left_out.saturating_sub(1);
            return Ok(());
        }
        let Some(outer) = self.outer.pop() else {
            return Err(Error::corrupt(flaws::VARIATION_NEVER_BEGAN));
        };
        let is_empty = !self.line.has_moves;
        if is_empty {
            self.drop_waiting(rules, losses);
        } else {
            self.keep_waiting();
        }
        self.line = Line {
            is_late: true,
            ..outer
        };
        match rules.empty_variations {
            Fate::Goes(loss) if is_empty => {
                losses.add(loss);
                self.steps.pop();
                Ok(())
            }
            _ => self.step(Step::End, rules),
        }
    }

    /// Ends the game.
    fn end(&mut self) -> Result<()> {
        if !self.outer.is_empty() {
            return Err(Error::corrupt(flaws::VARIATION_ENDLESS));
        }
        self.keep_waiting();
        Ok(())
    }
}

/// Returns the annotations of each node, asked for in ascending order.
#[derive(Debug)]
pub(crate) struct NotesByNode {
    /// Index of the first note that is not yet returned, and its node.
    next: usize,
    node: Option<Node>,
}

impl NotesByNode {
    #[inline]
    pub(crate) fn of<'t>(&mut self, node: Node, tree: &'t GameTree) -> &'t [Note] {
        if self.node == Some(node) {
            self.take(node, tree)
        } else {
            &[]
        }
    }

    fn take<'t>(&mut self, node: Node, tree: &'t GameTree) -> &'t [Note] {
        let rest = tree.notes.get(self.next..).unwrap_or_default();
        let count = rest.iter().take_while(|note| note.node == node).count();
        let (notes, rest) = rest.split_at(count);
        self.next += count;
        self.node = rest.first().map(|note| note.node);
        notes
    }
}

fn too_long(most: usize) -> Error {
    Error::limit("the bytes of a game", most as u64)
}
