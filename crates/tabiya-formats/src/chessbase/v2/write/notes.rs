//! What is said of a game, as annotations, while its moves arrive.

use super::commands;
use crate::{
    chessbase::common::{
        marks::kind,
        parse::{LATEST_ITEMS, append, glyph_slot, next_command},
    },
    chessbase::v1::write::{
        content::Tally,
        tree::{Node, Tree},
    },
    chessbase::v2::{annotations, frame},
    error::{Error, ErrorKind, Result},
    loss::{GameLosses, Loss},
};

/// The language of a text that is for all.
const ANY_LANGUAGE: u16 = 7;
/// Bytes of a text's data before the text.
const TEXT_HEAD_BYTES: usize = 8;
/// Glyphs of an annotation: of the move, of the position, before the move.
const GLYPHS: usize = 3;

#[derive(Debug, Clone, Copy)]
struct Note {
    node: Node,
    kind: u8,
    /// Whether it is said before the next move.
    waits: bool,
    /// Where its data begin and end in `Notes::data`.
    data: (usize, usize),
}

/// All annotations of one game.
#[derive(Debug, Default)]
pub(super) struct Notes {
    notes: Vec<Note>,
    data: Vec<u8>,
    /// Index of the first note that waits for the next move of the line.
    waiting_from: Option<usize>,
}

impl Notes {
    pub(super) fn clear(&mut self) {
        self.notes.clear();
        self.data.clear();
        self.waiting_from = None;
    }

    /// Adds a glyph of the last move, or of the whole game before its first. At the start of a
    /// variation it waits for the first move.
    pub(super) fn nag(&mut self, nag: u8, tree: &Tree) {
        let (node, waits) = (tree.at(), begins_variation(tree));
        let slot = glyph_slot(nag);
        let latest = self.notes.iter().rev().take(LATEST_ITEMS);
        let mut here = latest.filter(|note| {
            let is_alike = note.node == node && note.kind == kind::GLYPHS && note.waits == waits;
            is_alike && self.data[note.data.0 + slot] == 0
        });
        let at = match here.next() {
            Some(note) => note.data.0,
            None => {
                self.push(kind::GLYPHS, &[0; GLYPHS], node, waits);
                self.data.len() - GLYPHS
            }
        };
        self.data[at + slot] = nag;
    }

    /// Adds a comment. It waits for the next move behind variations of the last move, and at the
    /// start of a variation; commands in it stay text then.
    pub(super) fn comment(&mut self, comment: &str, tree: &Tree, after_variation: bool) {
        let waits = after_variation || begins_variation(tree);
        let (mut rest, mut text) = (comment, String::new());
        while !waits && let Some((before, item, after)) = next_command(rest, commands::item) {
            let (kind, data) = item;
            self.push(kind, &data, tree.at(), false);
            append(&mut text, before);
            rest = after;
        }
        if rest.len() == comment.len() {
            return self.text(comment, tree, waits);
        }
        append(&mut text, rest);
        self.text(&text, tree, waits);
    }

    fn text(&mut self, text: &str, tree: &Tree, waits: bool) {
        if text.is_empty() {
            return;
        }
        let mut data = Vec::with_capacity(TEXT_HEAD_BYTES + text.len());
        data.extend([0; 2]);
        data.extend(ANY_LANGUAGE.to_le_bytes());
        commands::append_counted(text.as_bytes(), &mut data);
        self.push(kind::TEXT_AFTER, &data, tree.at(), waits);
    }

    /// Whether an annotation may be added as it is. Glyphs come one by one.
    pub(super) fn takes(of: u8, data: &[u8]) -> bool {
        match of {
            kind::GLYPHS => false,
            kind::TEXT_AFTER | kind::TEXT_BEFORE => data.len() >= TEXT_HEAD_BYTES,
            _ => true,
        }
    }

    /// Adds an annotation of another database of this format.
    pub(super) fn original(&mut self, of: u8, data: &[u8], tree: &Tree, after_variation: bool) {
        let waits = of == kind::TEXT_BEFORE || after_variation || begins_variation(tree);
        self.push(of, data, tree.at(), waits);
    }

    fn push(&mut self, kind: u8, data: &[u8], node: Node, waits: bool) {
        if waits {
            self.waiting_from.get_or_insert(self.notes.len());
        }
        let from = self.data.len();
        self.data.extend_from_slice(data);
        self.notes.push(Note {
            node,
            kind,
            waits,
            data: (from, self.data.len()),
        });
    }

    /// Takes the notes that wait for a move.
    fn waiting(&mut self) -> impl Iterator<Item = &mut Note> {
        let from = self.waiting_from.take().unwrap_or(self.notes.len());
        let notes = self.notes[from..].iter_mut();
        notes.filter_map(|note| std::mem::take(&mut note.waits).then_some(note))
    }

    /// Attaches waiting notes to the next move.
    pub(super) fn give_waiting(&mut self, node: Node, losses: &mut GameLosses) {
        for note in self.waiting() {
            note.node = node;
            match note.kind {
                kind::TEXT_AFTER => note.kind = kind::TEXT_BEFORE,
                kind::GLYPHS => losses.add(Loss::NagsMoved),
                _ => {}
            }
        }
    }

    /// Leaves waiting notes after the last move, since no next move comes.
    pub(super) fn keep_waiting(&mut self) {
        for note in self.waiting() {
            if note.kind == kind::TEXT_BEFORE {
                note.kind = kind::TEXT_AFTER;
            }
        }
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

    /// Returns the content of the game's record in `.2cba`, and what the annotations add up to.
    /// `positions` has the index of each node's move in PGN order.
    ///
    /// # Errors
    /// `LimitExceeded` for more bytes than a record may have.
    pub(super) fn content(&mut self, positions: &[i32]) -> Result<(Vec<u8>, Tally)> {
        let position = |note: &Note| {
            let position = positions.get(note.node.index());
            position.copied().unwrap_or(annotations::GAME)
        };
        self.notes.sort_by_key(position);
        let (mut content, mut tally) = (Vec::new(), Tally::default());
        for block in self.notes.chunk_by(|one, other| one.node == other.node) {
            content.extend(
                block
                    .first()
                    .map_or(annotations::GAME, position)
                    .to_le_bytes(),
            );
            content.extend((block.len() as i32).to_le_bytes());
            for note in block {
                let data = &self.data[note.data.0..note.data.1];
                content.extend(u16::from(note.kind).to_le_bytes());
                content.extend_from_slice(data);
                let is_text = matches!(note.kind, kind::TEXT_AFTER | kind::TEXT_BEFORE);
                if note.kind == kind::VIDEO {
                    continue;
                }
                tally.add(
                    note.kind,
                    if is_text {
                        data.len() - TEXT_HEAD_BYTES
                    } else {
                        0
                    },
                );
            }
        }
        content.extend(annotations::END.to_le_bytes());
        if content.len() > frame::BYTES_MAX as usize {
            let (what, limit) = ("the bytes of a game's annotations", frame::BYTES_MAX.into());
            return Err(Error::new(ErrorKind::LimitExceeded { what, limit }));
        }
        Ok((content, tally))
    }
}

fn begins_variation(tree: &Tree) -> bool {
    !tree.line_has_moves() && !tree.is_complete()
}
