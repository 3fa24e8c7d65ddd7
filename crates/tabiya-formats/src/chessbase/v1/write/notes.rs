//! Comments and glyphs, kept until the moves have their final order.

use super::{
    GameLosses, Loss,
    tree::{Node, Tree},
};

/// A comment or glyph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said<'t> {
    /// A glyph.
    Nag(u8),
    /// A comment after the move.
    After(&'t str),
    /// A comment before the move.
    Before(&'t str),
}

/// A comment or glyph without its text.
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
    /// Start and end of the text in `Notes::text`.
    text: (usize, usize),
}

/// All comments and glyphs of one game.
#[derive(Debug, Default)]
pub(super) struct Notes {
    notes: Vec<Note>,
    text: String,
    /// Index of the first note that precedes the next move of the line.
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
            // Glyphs belong to the last move, if any, and come before the waiting comments.
            Some(from) if tree.line_has_moves() => {
                self.notes.insert(from, note);
                self.waiting_from = Some(from + 1);
            }
            _ => self.push(note, !tree.line_has_moves()),
        }
    }

    /// Adds a comment. It waits for the next move after variations of the last move, and at the
    /// start of a variation. Comments at the start of the game stay there.
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

    /// Attaches waiting notes to the next move.
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

    /// Leaves waiting notes after the last move, since no next move comes.
    pub(super) fn keep_waiting(&mut self) {
        self.waiting_from = None;
    }

    /// Discards notes that waited for the first move of a line without moves.
    pub(super) fn drop_waiting(&mut self) {
        if let Some(from) = self.waiting_from.take() {
            self.notes.truncate(from);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.notes.is_empty()
    }

    /// Iterates over all notes in event order.
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
