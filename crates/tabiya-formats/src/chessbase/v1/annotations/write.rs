//! Builds annotation records.

use super::{HEAD_BYTES, ITEM_HEAD_BYTES, MARK};
use crate::{
    chessbase::common::{
        marks::kind,
        parse::{GlyphPlaces, append, evaluation, marks, next_command, time_spent},
        text,
    },
    error::{Error, Result},
};

/// Maximum bytes of text in one item: its 16-bit length includes header, language and a zero.
const TEXT_BYTES_MAX: usize = u16::MAX as usize - ITEM_HEAD_BYTES - 2;

/// Collects the annotations of one game and builds a `.cba` record from them.
///
/// In PGN comments after moves, the commands `[%csl]`, `[%cal]`, `[%emt]` and `[%eval]` become
/// items of their own if ChessBase can express them. The rest is a text of no language, with the
/// spaces around each command merged into one. Blue squares, fractions of a second and commands
/// with any other content stay in the text.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    items: Vec<Draft>,
}

#[derive(Debug)]
struct Draft {
    position: i32,
    kind: u8,
    data: Vec<u8>,
}

impl Builder {
    /// Creates a builder without annotations.
    #[must_use]
    pub(crate) fn new() -> Builder {
        Builder::default()
    }

    /// Removes all annotations but keeps the memory, for the next game.
    pub(crate) fn clear(&mut self) {
        self.items.clear();
    }

    /// Whether there are no annotations.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Adds a glyph to the move of this 0-based index in stored order.
    pub(crate) fn glyph(&mut self, position: i32, glyph: u8) {
        self.item(position, kind::GLYPHS).data.push(glyph);
    }

    /// Puts the glyphs of each move, which have an item each, into as few as hold them.
    fn join_glyphs(&mut self) {
        for of_move in self
            .items
            .chunk_by_mut(|one, other| one.position == other.position)
        {
            let mut places = GlyphPlaces::default();
            let mut homes: Vec<usize> = Vec::new();
            for at in 0..of_move.len() {
                if of_move[at].kind != kind::GLYPHS {
                    continue;
                }
                let Some(glyph) = of_move[at].data.pop() else {
                    continue;
                };
                let (item, slot) = places.next(glyph);
                if item == homes.len() {
                    homes.push(at);
                }
                let data = &mut of_move[homes[item]].data;
                if data.len() <= slot {
                    data.resize(slot + 1, 0);
                }
                data[slot] = glyph;
            }
        }
        self.items
            .retain(|item| item.kind != kind::GLYPHS || !item.data.is_empty());
    }

    /// Adds a comment before the move of this 0-based index in stored order. Commands in it stay
    /// text.
    pub(crate) fn comment_before(&mut self, position: i32, comment: &str) {
        self.text(position, kind::TEXT_BEFORE, comment);
    }

    /// Adds a comment after the move of this 0-based index in stored order, or at the start of the
    /// game ([`GAME`](super::GAME)).
    pub(crate) fn comment_after(&mut self, position: i32, comment: &str) {
        let mut rest = comment;
        let mut text = String::new();
        while let Some((before, (kind, data), after)) = next_command(rest, command) {
            self.item(position, kind).data = data;
            append(&mut text, before);
            rest = after;
        }
        if text.is_empty() && rest.len() == comment.len() {
            return self.text(position, kind::TEXT_AFTER, comment);
        }
        append(&mut text, rest);
        self.text(position, kind::TEXT_AFTER, &text);
    }

    /// Adds a text, split into several items if it is too long for one.
    fn text(&mut self, position: i32, kind: u8, mut text: &str) {
        while !text.is_empty() {
            // No character takes more bytes in a file than in a string.
            let end = text.floor_char_boundary(TEXT_BYTES_MAX);
            let (head, rest) = text.split_at(end);
            let item = self.item(position, kind);
            item.data.extend([0, 0]);
            item.data.extend(text::encoded(head));
            text = rest;
        }
    }

    fn item(&mut self, position: i32, kind: u8) -> &mut Draft {
        let item = Draft {
            position,
            kind,
            data: Vec::new(),
        };
        self.items.push_mut(item)
    }

    /// Builds the record for the game of this 1-based number.
    ///
    /// # Errors
    /// `Unsupported` if positions, items, bytes or the game's number exceed the limits of the
    /// format.
    pub(crate) fn finish(&mut self, game_number: u32) -> Result<Vec<u8>> {
        let too_many = |what| Error::unsupported(what);
        self.items.sort_by_key(|item| item.position);
        self.join_glyphs();
        let last = self.items.last().map_or(0, |item| item.position);
        if last >= 1 << 23 || self.items.len() >= (1 << 24) - 1 || game_number >= 1 << 24 {
            return Err(too_many(
                "a ChessBase game with more annotations than it can hold",
            ));
        }
        let bytes: usize = self
            .items
            .iter()
            .map(|item| ITEM_HEAD_BYTES + item.data.len())
            .sum();
        let size = u32::try_from(HEAD_BYTES + bytes)
            .map_err(|_| too_many("a ChessBase game with 4 GiB of annotations"))?;
        let mut record = Vec::with_capacity(HEAD_BYTES + bytes);
        record.extend(u24(game_number));
        record.extend(MARK);
        record.extend(u24(self.items.len() as u32 + 1));
        record.extend(size.to_be_bytes());
        for item in &self.items {
            let length = (ITEM_HEAD_BYTES + item.data.len()) as u16;
            record.extend(u24(item.position as u32));
            record.push(item.kind);
            record.extend(length.to_be_bytes());
            record.extend(&item.data);
        }
        Ok(record)
    }
}

/// Returns the low 24 bits in big-endian order.
fn u24(number: u32) -> [u8; 3] {
    let [_, high, middle, low] = number.to_be_bytes();
    [high, middle, low]
}

/// Returns the type and the data of the item for a command.
fn command(inside: &str) -> Option<(u8, Vec<u8>)> {
    let (name, value) = inside.split_once(' ')?;
    Some(match name {
        "csl" => (kind::SQUARES, marks(value, 1)?),
        "cal" => (kind::ARROWS, marks(value, 2)?),
        "emt" => {
            let [hours, minutes, seconds] = time_spent(value)?;
            (kind::TIME_SPENT, vec![hours, minutes, seconds, 0])
        }
        "eval" => (kind::EVALUATION, evaluation(value)?),
        _ => return None,
    })
}
