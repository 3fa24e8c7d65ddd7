//! Annotations: the records of a `.cba` file and their form in PGN.
//!
//! Records are located by offsets in `.cbh`. A record consists of a header and items, all
//! big-endian:
//!
//! | offset | bytes | meaning |
//! |---|---|---|
//! | 0 | 3 | number of the game; other programs write 0 |
//! | 3 | 4 | 1, 0, 14, 14 |
//! | 7 | 3 | number of items plus 1 |
//! | 10 | 4 | bytes of the record, header included |
//! | 14 | | items |
//!
//! | offset in the item | bytes | meaning |
//! |---|---|---|
//! | 0 | 3 | position: index of the move in the order of the `.cbg` file, negative for the game |
//! | 3 | 1 | type |
//! | 4 | 2 | bytes of the item, these six included |
//! | 6 | | content |
//!
//! # Items in PGN
//!
//! Glyphs come first after their move, then one comment for each other item, in stored order. Words
//! in capitals stand for values; optional parts are in round brackets.
//!
//! | type | content | PGN |
//! |---|---|---|
//! | 02 | text | a comment after the move |
//! | 82 | text | a comment before the move |
//! | 03 | glyphs | `$N` |
//! | 04 | coloured squares | `[%csl Ge4,Ra1]`: green, yellow, red |
//! | 05 | coloured arrows | `[%cal Yg1f3]` |
//! | 07 | time spent | `[%emt H:MM:SS]` |
//! | 09 | training | `[%training SECONDSs POINTSp "QUESTION" "HELP" MOVE POINTSp "ANSWER" ..]` |
//! | 10 | sound | `[%sound NUMBER]` |
//! | 11 | picture | `[%picture NUMBER]` |
//! | 13 | quotation | `[%quote GAME]`, the game as PGN on one line |
//! | 14 | pawn structure | `[%pawns NUMBER]` |
//! | 15 | path of a piece | `[%path SQUARE NUMBER]` |
//! | 16, 17 | clock | `[%clock white H:MM:SS.CC]`, `black` |
//! | 18 | critical position | `[%critical opening]`, `middlegame`, `endgame` |
//! | 19 | correspondence move | `[%correspondence HEX]` |
//! | 1C | web link | `[%link "ADDRESS" "CAPTION"]` |
//! | 20 | video | `[%video NUMBER]` |
//! | 21 | evaluation | `[%eval PAWNS(,DEPTH)]`, `[%eval #MOVES(,DEPTH)]` |
//! | 22 | medals | `[%medal NAME,NAME]`, names as in [`Medal`](tabiya_chess::Medal) |
//! | 23 | colour of the line | `[%colour #RRGGBB( main-line)( moves)]` |
//! | 24 | time control | `[%timecontrol PERIODS]`, as the PGN tag `TimeControl` |
//! | 25 | time in a video | `[%videotime NUMBER]` |
//! | 26 | engine's profile | `[%profile PAWNS/DEPTH #MOVES/DEPTH - ..]` |
//! | 61 | correspondence header | `[%correspondence-header HEX]` |
//! | others, and malformed items | | `[%cba TYPE HEX]` |
//!
//! In quoted words, `"` and `\` are escaped with `\`. In texts, a diagram becomes `[#]`, and a
//! figurine of the ChessBase font next to a square becomes the English piece letter.

mod content;
mod quotation;
mod tell;
#[cfg(test)]
mod tests;
mod training;
pub(super) mod write;

pub use self::content::Content;
use self::{quotation::Quotation, training::Training};
pub use crate::chessbase::common::marks::Marks;
pub use crate::language::{Language, ParseLanguageError};
use crate::{
    Damage, bytes::Cursor, chessbase::v1::flaws, damage::Flaw, encoding::Charset, error::Error,
};

const HEAD_BYTES: usize = 14;
const ITEM_HEAD_BYTES: usize = 6;
/// The bytes between the game's number and the number of items.
const MARK: [u8; 4] = [1, 0, 14, 14];
/// The position of annotations of the whole game.
pub(crate) const GAME: i32 = -1;

/// One annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item<'a> {
    /// The 0-based index of the move in stored order; -1 for the whole game.
    pub position: i32,
    /// The type as stored, see `kind`.
    pub kind: u8,
    /// The bytes after the item's header.
    pub data: &'a [u8],
    charset: Charset,
}

impl<'a> Item<'a> {
    /// Reads an item and returns it with its length, header included.
    fn read(bytes: &'a [u8]) -> Option<(Item<'a>, usize)> {
        let mut cursor = Cursor::new(bytes);
        let position = (cursor.u24_be()? << 8) as i32 >> 8;
        let kind = cursor.u8()?;
        let length = usize::from(cursor.u16_be()?);
        let data = cursor.take(length.checked_sub(ITEM_HEAD_BYTES)?)?;
        let item = Item {
            position: position.max(GAME),
            kind,
            data,
            charset: Charset::Windows1252,
        };
        Some((item, length))
    }
}

/// The annotations of one game, in the order of their positions.
#[derive(Debug, Clone)]
pub struct Annotations<'a> {
    bytes: &'a [u8],
    /// Offsets of the items.
    items: Vec<u32>,
    fault: Option<Damage>,
    language: Language,
    charset: Charset,
}

impl<'a> Annotations<'a> {
    /// None at all.
    pub(crate) const NONE: Annotations<'static> = Annotations {
        bytes: &[],
        items: Vec::new(),
        fault: None,
        language: Language::ALL,
        charset: Charset::Windows1252,
    };

    /// Finds the items of the record at the start of the bytes, which may continue after it. Damage
    /// loses the items from there on. O(items), with four bytes of memory for each.
    #[must_use]
    pub fn parse(bytes: &'a [u8]) -> Annotations<'a> {
        let mut annotations = Annotations {
            bytes,
            ..Annotations::NONE
        };
        annotations.fault = annotations.find_items().err();
        let position = |&at: &u32| annotations.item(at).position;
        if !annotations.items.is_sorted_by_key(position) {
            let mut items = std::mem::take(&mut annotations.items);
            items.sort_by_key(|&at| annotations.item(at).position);
            annotations.items = items;
        }
        annotations
    }

    fn find_items(&mut self) -> Result<(), Damage> {
        let fault = |what, at: usize| Damage {
            what,
            at: at as u32,
        };
        let (count, size) = head(self.bytes).map_err(|what| fault(what, 0))?;
        let end = size.min(self.bytes.len());
        let mut at = HEAD_BYTES;
        while at < end {
            let Some((_, length)) = Item::read(&self.bytes[at..end]) else {
                return Err(fault(flaws::ANNOTATION_CUT, at));
            };
            self.items.push(at as u32);
            at += length;
        }
        match count {
            _ if end < size => Err(fault(flaws::ANNOTATIONS_CUT, end)),
            count if count != self.items.len() => Err(fault(flaws::ANNOTATIONS_MISSING, 7)),
            _ => Ok(()),
        }
    }

    /// Sets the preferred language, see [`Language`].
    #[must_use]
    pub fn with_language(mut self, language: Language) -> Annotations<'a> {
        self.language = language;
        self
    }

    /// Sets how texts are read.
    pub(crate) fn with_charset(mut self, charset: Charset) -> Annotations<'a> {
        self.charset = charset;
        self
    }

    /// Returns the items by position, and in stored order within a position.
    pub fn items(&self) -> impl ExactSizeIterator<Item = Item<'a>> + '_ {
        self.items.iter().map(|&at| self.item(at))
    }

    /// Returns the faults of the record, then of each malformed item. Offsets count from the start
    /// of the record. O(bytes).
    pub fn faults(&self) -> impl Iterator<Item = Error> + '_ {
        self.damages()
            .map(|damage| Error::corrupt(damage.what).at_offset(damage.at.into()))
    }

    /// Like [`faults`](Annotations::faults), for inner loops.
    pub(crate) fn damages(&self) -> impl Iterator<Item = Damage> + '_ {
        let bad_item = |&at: &u32| {
            let what = self.item(at).fault()?;
            Some(Damage { what, at })
        };
        let faults = self.fault.into_iter();
        faults.chain(self.items.iter().filter_map(bad_item))
    }

    /// Returns the fault in the record; items after it are lost.
    pub(crate) fn damage(&self) -> Option<Damage> {
        self.fault
    }

    fn item(&self, at: u32) -> Item<'a> {
        let item = self.bytes.get(at as usize..).and_then(Item::read);
        // The offsets are those of items already read successfully.
        item.map_or(Item::NONE, |(item, _)| Item {
            charset: self.charset,
            ..item
        })
    }

    /// Returns the items at a position.
    fn at(&self, position: i32) -> impl Iterator<Item = Item<'a>> + Clone + '_ {
        let first = self
            .items
            .partition_point(|&at| self.item(at).position < position);
        self.items[first..]
            .iter()
            .map(|&at| self.item(at))
            .take_while(move |item| item.position == position)
    }
}

impl Item<'_> {
    const NONE: Item<'static> = Item {
        position: GAME,
        kind: 0,
        data: &[],
        charset: Charset::Windows1252,
    };
}

/// Reads the number of items and the size of the record in bytes.
fn head(bytes: &[u8]) -> Result<(usize, usize), Flaw> {
    let mut cursor = Cursor::new(bytes);
    cursor.u24_be().ok_or(flaws::ANNOTATIONS_CUT)?;
    if cursor.take(MARK.len()).ok_or(flaws::ANNOTATIONS_CUT)? != MARK {
        return Err(flaws::NO_ANNOTATIONS);
    }
    let count = cursor.u24_be().ok_or(flaws::ANNOTATIONS_CUT)?;
    let size = cursor.uint_be(4).ok_or(flaws::ANNOTATIONS_CUT)? as usize;
    if size < HEAD_BYTES {
        return Err(flaws::ANNOTATIONS_TOO_SHORT);
    }
    Ok((count.saturating_sub(1) as usize, size))
}
