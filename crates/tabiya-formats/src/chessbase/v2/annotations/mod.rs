//! Annotations: the content of a record of `.2cba`.
//!
//! All integers are little-endian. Blocks follow each other in the order of positions, and
//! `ff ff ff 7f` ends them:
//!
//! | bytes | meaning |
//! |---|---|
//! | 4 | position: -1 the game, or the index of the move in the order of a PGN file |
//! | 4 | number of annotations |
//! | | for each: the type (2), and data as long as the type says |
//!
//! An annotation of an unknown type hides how long it is, and so where the next begins: reading
//! ends there. What is told of each type is what `.cbh` tells of it. Data of a known length without
//! a known meaning are `[%2cba TYPE HEX]`.

mod quotation;
mod read;
mod training;

use tabiya_chess::Flow;

use super::{
    flaws,
    frame::{Frame, HEAD_BYTES, tag},
    names::int,
};
use crate::{
    Damage, Decoded, Language, Visitor,
    bytes::Cursor,
    chessbase::common::{marks::kind, tell},
    damage_at,
    encoding::Charset,
};

pub(super) use self::read::Item;

/// The position of annotations of the whole game.
pub(super) const GAME: i32 = -1;
/// Marks the end, in the field of the position.
pub(super) const END: i32 = i32::MAX;
/// Bytes of the smallest annotation.
const LEAST_BYTES: usize = 3;

/// The annotations of a game, by position.
#[derive(Debug)]
pub(super) struct Annotations<'a> {
    content: &'a [u8],
    /// Position, and offset in the content.
    items: Vec<(i32, u32)>,
    pub(super) fault: Option<Damage>,
    language: Language,
    charset: Charset,
}

impl<'a> Annotations<'a> {
    /// None at all.
    pub(super) const NONE: Annotations<'static> = Annotations {
        content: &[],
        items: Vec::new(),
        fault: None,
        language: Language::ALL,
        charset: Charset::Windows1252,
    };

    /// Finds the annotations of the record at this offset. Damage loses those from there on.
    /// O(annotations), with eight bytes of memory for each.
    pub(super) fn new(file: &'a [u8], offset: i64, language: Language) -> Annotations<'a> {
        let mut annotations = Annotations {
            language,
            ..Annotations::NONE
        };
        annotations.fault = annotations.read(file, offset).err();
        if !annotations
            .items
            .is_sorted_by_key(|&(position, _)| position)
        {
            annotations.items.sort_by_key(|&(position, _)| position);
        }
        annotations
    }

    /// Sets how texts are read that are not UTF-8.
    pub(super) fn with_charset(self, charset: Charset) -> Annotations<'a> {
        Annotations { charset, ..self }
    }

    fn read(&mut self, file: &'a [u8], offset: i64) -> Decoded<()> {
        let frame = Frame::new(file, offset).map_err(|fault| Damage {
            what: match fault.what {
                flaws::BEYOND_FILE => flaws::ANNOTATIONS_BEYOND_FILE,
                flaws::RECORD_CUT => flaws::ANNOTATIONS_CUT,
                _ => flaws::NO_ANNOTATIONS,
            },
            ..fault
        })?;
        if frame.tag != tag::ANNOTATIONS {
            return Err(damage_at(flaws::NO_ANNOTATIONS, 0));
        }
        self.content = frame.content;
        self.find_items()?;
        frame
            .check()
            .map_err(|fault| damage_at(flaws::ANNOTATIONS_DAMAGED, fault.at as usize))
    }

    fn find_items(&mut self) -> Decoded<()> {
        let mut cursor = Cursor::new(self.content);
        loop {
            let at = HEAD_BYTES + cursor.offset();
            let cut = damage_at(flaws::ANNOTATIONS_CUT, at);
            let position = int(&mut cursor).ok_or(cut)?;
            if position == END {
                return Ok(());
            }
            let count = usize::try_from(int(&mut cursor).ok_or(cut)?);
            // A count that the bytes cannot hold is wrong from the first annotation on.
            let count = count
                .ok()
                .filter(|count| count.saturating_mul(LEAST_BYTES) <= cursor.left());
            for _ in 0..count.ok_or(cut)? {
                let at = cursor.offset();
                let fault = |what| damage_at(what, HEAD_BYTES + at);
                Item::read(&mut cursor).map_err(fault)?;
                self.items.push((position, at as u32));
            }
        }
    }

    fn item(&self, at: u32) -> Option<Item<'a>> {
        let bytes = self.content.get(at as usize..)?;
        let item = Item::read(&mut Cursor::new(bytes)).ok()?;
        Some(item.with_charset(self.charset))
    }

    /// Returns all annotations, by position.
    pub(super) fn items(&self) -> impl Iterator<Item = Item<'a>> + Clone + '_ {
        self.items.iter().filter_map(|&(_, at)| self.item(at))
    }

    fn at(&self, position: i32) -> impl Iterator<Item = Item<'a>> + Clone + '_ {
        let first = self.items.partition_point(|item| item.0 < position);
        self.items[first..]
            .iter()
            .take_while(move |item| item.0 == position)
            .filter_map(|&(_, at)| self.item(at))
    }

    /// Returns the first fault of the record or of an annotation. `moves` is the number of moves in
    /// all lines of the game, if it is known.
    pub(super) fn first_fault(&self, moves: Option<u64>) -> Option<Damage> {
        let bad_item = |&(position, at): &(i32, u32)| {
            let fault = |what| damage_at(what, HEAD_BYTES + at as usize);
            let is_of_move = moves.is_none_or(|moves| {
                u64::try_from(position).map_or(position == GAME, |position| position < moves)
            });
            if !is_of_move {
                return Some(fault(flaws::ANNOTATION_OF_NO_MOVE));
            }
            self.item(at)?.fault().map(fault)
        };
        self.fault.or_else(|| self.items.iter().find_map(bad_item))
    }

    /// Reports what comes before the move of this index in PGN order.
    pub(super) fn tell_before<V: Visitor + ?Sized>(&self, position: i32, visitor: &mut V) -> Flow {
        tell::tell_before(self.at(position), self.language, visitor)
    }

    /// Reports what comes after the move of this index in PGN order.
    pub(super) fn tell_after<V: Visitor + ?Sized>(&self, position: i32, visitor: &mut V) -> Flow {
        tell::tell_after(self.at(position), self.language, visitor)
    }

    /// Reports what is said of the whole game.
    pub(super) fn tell_game<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Flow {
        self.tell_before(GAME, visitor)?;
        self.tell_after(GAME, visitor)
    }

    /// Whether any comment passes the test, in any language.
    pub(super) fn any_comment(&self, test: &mut dyn FnMut(&str) -> bool) -> bool {
        tell::any_comment(self.items(), test)
    }
}
