//! What is said about moves, until the moves have their final order.

use super::{
    GameLosses, Loss,
    tree::{Node, Tree},
};

/// One thing that is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said<'t> {
    /// A glyph.
    Nag(u8),
    /// A comment after the move.
    After(&'t str),
    /// A comment before the move.
    Before(&'t str),
}

/// What is said, without its text.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Nag(u8),
    After,
    Before,
}

#[derive(Debug, Clone, Copy)]
struct Note {
    node: Node,
    kind: Kind,
    /// Where the text begins and ends.
    text: (usize, usize),
}

/// Everything that is said in one game.
#[derive(Debug, Default)]
pub(super) struct Notes {
    notes: Vec<Note>,
    text: String,
    /// Notes from here on wait for the next move of the line, which they stand before.
    waiting_from: Option<usize>,
}

impl Notes {
    pub(super) fn clear(&mut self) {
        self.notes.clear();
        self.text.clear();
        self.waiting_from = None;
    }

    pub(super) fn nag(&mut self, nag: u8, tree: &Tree) {
        let note = Note {
            node: tree.at(),
            kind: Kind::Nag(nag),
            text: (0, 0),
        };
        match self.waiting_from {
            // Glyphs come before the comments that wait, if there is a move to have them.
            Some(from) if tree.line_has_moves() => {
                self.notes.insert(from, note);
                self.waiting_from = Some(from + 1);
            }
            _ => self.push(note, !tree.line_has_moves()),
        }
    }

    /// A comment, after variations of the last move or not. Those at the start of the game
    /// stay there.
    pub(super) fn comment(&mut self, text: &str, tree: &Tree, after_variation: bool) {
        let start = self.text.len();
        self.text.push_str(text);
        let note = Note {
            node: tree.at(),
            kind: Kind::After,
            text: (start, self.text.len()),
        };
        let begins_variation = !tree.line_has_moves() && !tree.is_complete();
        self.push(note, after_variation || begins_variation);
    }

    fn push(&mut self, note: Note, waits: bool) {
        if waits {
            self.waiting_from.get_or_insert(self.notes.len());
        }
        self.notes.push(note);
    }

    /// The move has come that notes may have waited for.
    pub(super) fn give_waiting(&mut self, node: Node, losses: &mut GameLosses) {
        let Some(from) = self.waiting_from.take() else {
            return;
        };
        for note in &mut self.notes[from..] {
            note.node = node;
            match note.kind {
                Kind::After => note.kind = Kind::Before,
                Kind::Nag(_) => losses.add(Loss::NagsMoved),
                Kind::Before => {}
            }
        }
    }

    /// No move comes that notes may have waited for: they stay behind the last one.
    pub(super) fn keep_waiting(&mut self) {
        self.waiting_from = None;
    }

    /// Forgets notes that waited for the first move of a line that has none.
    pub(super) fn drop_waiting(&mut self) {
        if let Some(from) = self.waiting_from.take() {
            self.notes.truncate(from);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.notes.is_empty()
    }

    /// Iterates over all notes in the order of telling.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Node, Said<'_>)> {
        self.notes.iter().map(|note| {
            let text = self.text.get(note.text.0..note.text.1).unwrap_or_default();
            let said = match note.kind {
                Kind::Nag(nag) => Said::Nag(nag),
                Kind::After => Said::After(text),
                Kind::Before => Said::Before(text),
            };
            (note.node, said)
        })
    }
}
