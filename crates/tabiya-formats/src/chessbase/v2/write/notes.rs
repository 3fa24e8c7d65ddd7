//! What is said of a game, as annotations.

use super::commands;
use crate::{
    chessbase::common::{
        content::Tally,
        marks::kind,
        parse::{GlyphPlaces, append, next_command},
    },
    chessbase::v2::{annotations, frame},
    error::{Error, Result},
    loss::{GameLosses, Loss},
    tree::{GameTree, Node, Place, What},
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
    /// Where its data begin and end in `Notes::data`.
    data: (usize, usize),
}

/// All annotations of one game.
#[derive(Debug, Default)]
pub(super) struct Notes {
    notes: Vec<Note>,
    data: Vec<u8>,
}

impl Notes {
    /// Takes the annotations of another game.
    pub(super) fn set(&mut self, tree: &GameTree, losses: &mut GameLosses) {
        self.notes.clear();
        self.data.clear();
        for note in tree.notes() {
            let node = note.node;
            match note.what {
                What::Nag(nag) => {
                    let mut glyphs = [0; GLYPHS];
                    glyphs[0] = nag;
                    self.push(kind::GLYPHS, &glyphs, node);
                    if note.place == Place::Next {
                        losses.add(Loss::NagsMoved);
                    }
                }
                What::Comment(from, to) => {
                    let comment = tree.comment((from, to));
                    match note.place {
                        Place::Here => self.comment(comment, node),
                        Place::Next => self.text(kind::TEXT_BEFORE, comment, node),
                        _ => self.text(kind::TEXT_AFTER, comment, node),
                    }
                }
                What::Annotation(of, from, to) => {
                    let of = match (of, note.place) {
                        (kind::TEXT_AFTER, Place::Next) => kind::TEXT_BEFORE,
                        (kind::TEXT_BEFORE, Place::Kept) => kind::TEXT_AFTER,
                        (of, _) => of,
                    };
                    self.push(of, tree.data((from, to)), node);
                }
            }
        }
    }

    /// Puts the glyphs of each move, of which the first slot of an annotation has one, into as few
    /// annotations as hold them. Those of a move follow each other.
    fn join_glyphs(&mut self) {
        let data = &mut self.data;
        let mut of_move = (None, GlyphPlaces::default(), Vec::new());
        self.notes.retain(|note| {
            if of_move.0 != Some(note.node) {
                of_move = (Some(note.node), GlyphPlaces::default(), Vec::new());
            }
            if note.kind != kind::GLYPHS {
                return true;
            }
            let (_, places, homes) = &mut of_move;
            let glyph = std::mem::take(&mut data[note.data.0]);
            let (item, slot) = places.next(glyph);
            let is_home = item == homes.len();
            if is_home {
                homes.push(note.data.0);
            }
            data[homes[item] + slot] = glyph;
            is_home
        });
    }

    /// Adds a comment that has not waited for its move. Commands in others stay text.
    fn comment(&mut self, comment: &str, node: Node) {
        let (mut rest, mut text) = (comment, String::new());
        while let Some((before, item, after)) = next_command(rest, commands::item) {
            let (kind, data) = item;
            self.push(kind, &data, node);
            append(&mut text, before);
            rest = after;
        }
        if rest.len() == comment.len() {
            return self.text(kind::TEXT_AFTER, comment, node);
        }
        append(&mut text, rest);
        self.text(kind::TEXT_AFTER, &text, node);
    }

    fn text(&mut self, kind: u8, text: &str, node: Node) {
        if text.is_empty() {
            return;
        }
        let mut data = Vec::with_capacity(TEXT_HEAD_BYTES + text.len());
        data.extend([0; 2]);
        data.extend(ANY_LANGUAGE.to_le_bytes());
        commands::append_counted(text.as_bytes(), &mut data);
        self.push(kind, &data, node);
    }

    /// Whether an annotation may be added as it is. Glyphs come one by one.
    pub(super) fn takes(of: u8, data: &[u8]) -> bool {
        match of {
            kind::GLYPHS => false,
            kind::TEXT_AFTER | kind::TEXT_BEFORE => data.len() >= TEXT_HEAD_BYTES,
            _ => true,
        }
    }

    fn push(&mut self, kind: u8, data: &[u8], node: Node) {
        let from = self.data.len();
        self.data.extend_from_slice(data);
        self.notes.push(Note {
            node,
            kind,
            data: (from, self.data.len()),
        });
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
        self.join_glyphs();
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
            return Err(Error::limit(what, limit));
        }
        Ok((content, tally))
    }
}
