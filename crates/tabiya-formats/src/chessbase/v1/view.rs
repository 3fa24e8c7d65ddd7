//! The games of an open ChessBase database, for searches.

use std::ops::Range;

use shakmaty::Move;
use tabiya_chess::{
    Flow, Follow, GameId, PartialDate, Rewind, Start, follow::break_if, requirements::Requirements,
};

use super::{
    ChessBase, Companion,
    annotations::Annotations,
    extended::OffsetOf,
    flaws,
    layout::RECORD_BYTES,
    names::{Entities, field},
    record::Record,
    scan::CodeScan,
    stream::{HEAD_BYTES, Parts},
    text::Text,
};
use crate::{
    Checked, Decoded, Fault, References, Scratch, View, Visitor, bytes::records_after, damage_at,
    error::Error,
};

impl ChessBase {
    pub(super) fn records(&self) -> &[Record] {
        records_after(&self.index.bytes, RECORD_BYTES, self.game_count)
    }

    /// Returns a view of the games.
    pub fn games(&self) -> Games<'_> {
        Games {
            chessbase: self,
            records: self.records(),
            bytes: self.bytes(Companion::Games),
        }
    }
}

/// The records and game bytes of a database.
#[derive(Debug, Clone, Copy)]
pub struct Games<'a> {
    pub(super) chessbase: &'a ChessBase,
    pub(super) records: &'a [Record],
    /// Contents of the games file.
    pub(super) bytes: &'a [u8],
}

impl<'a> Games<'a> {
    /// Returns the zero-based number of the game with this record.
    pub(super) fn number(&self, record: &Record) -> usize {
        self.records.element_offset(record).unwrap_or(usize::MAX)
    }

    /// Returns the offset of a game or text in the games file.
    #[inline]
    fn offset(&self, record: &Record) -> u64 {
        let low = record.offset.get();
        if u32::try_from(self.bytes.len()).is_ok() {
            return low.into();
        }
        let (extended, number) = (self.chessbase.extended(), self.number(record));
        extended.offset(number, OffsetOf::Moves, low, self.bytes.len())
    }

    /// Returns the bytes of the games file from the start of a game or text.
    #[inline]
    fn rest(&self, record: &Record) -> Decoded<&'a [u8]> {
        if !record.is_in_use() {
            return Err(damage_at(flaws::RECORD_NOT_IN_USE, 0));
        }
        let offset = usize::try_from(self.offset(record)).ok();
        let rest = offset.and_then(|offset| self.bytes.get(offset..));
        rest.ok_or(damage_at(flaws::BEYOND_FILE, 0))
    }

    #[inline]
    pub(super) fn parts(&self, record: &Record) -> Decoded<Parts<'a>> {
        Parts::new(self.rest(record)?)
    }

    pub(super) fn text(&self, record: &Record) -> Decoded<Text<'a>> {
        Text::new(self.rest(record)?)
    }

    /// Returns the bytes of the annotations file from the start of a game's annotations; `None` if
    /// the game has none, empty if they lie beyond the end of the file.
    pub(super) fn annotations(&self, record: &Record) -> Option<&'a [u8]> {
        let low = record.annotations.get();
        if record.is_text() || low == 0 {
            return None;
        }
        let (number, bytes) = (
            self.number(record),
            self.chessbase.bytes(Companion::Annotations),
        );
        let extended = self.chessbase.extended();
        let offset = extended.offset(number, OffsetOf::Annotations, low, bytes.len());
        let rest = usize::try_from(offset)
            .ok()
            .and_then(|offset| bytes.get(offset..));
        Some(rest.unwrap_or_default())
    }

    /// Returns a game's annotations, empty if it has none.
    pub(super) fn annotations_of(&self, record: &Record) -> Annotations<'a> {
        let bytes = self.annotations(record).unwrap_or_default();
        Annotations::parse(bytes)
            .with_language(self.chessbase.language)
            .with_charset(self.chessbase.charset())
    }

    /// Reports a text to the visitor as comments at the start of a game without moves.
    fn visit_text<V: Visitor + ?Sized>(&self, record: &Record, visitor: &mut V) -> Decoded<()> {
        let text = self.text(record)?;
        let number = self.number(record);
        let mut each = |name: &str, value: &str| visitor.tag(name, value);
        let mut flow = self.chessbase.tags(number, record, None, &mut each);
        if flow.is_continue() {
            flow = visitor.start(Start::Standard);
        }
        let mut told = text.told(self.chessbase.charset());
        while let (Flow::Continue(()), Some(text)) = (flow, told.next()) {
            flow = visitor.comment(&text);
        }
        Ok(())
    }
}

impl View for Games<'_> {
    type Record = Record;

    fn records(&self) -> &[Record] {
        self.records
    }

    fn touch(&self, record: &Record) -> u8 {
        let offset = self.offset(record) as usize;
        self.bytes.get(offset).copied().unwrap_or_default()
    }

    /// Texts have no positions, not even a start position.
    fn follow_main_line<F: Follow>(
        &self,
        record: &Record,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32> {
        if record.is_text() {
            Ok(0)
        } else {
            self.parts(record)?.main_line(scratch, follow)
        }
    }

    /// Like [`follow_main_line`](View::follow_main_line), visits no positions of a text.
    fn follow_tree<F: Rewind>(
        &self,
        record: &Record,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<()> {
        if record.is_text() {
            Ok(())
        } else {
            self.parts(record)?.tree(scratch, follow)
        }
    }

    fn visit<V: Visitor + ?Sized>(
        &self,
        record: &Record,
        scratch: &mut Scratch,
        visitor: &mut V,
    ) -> Decoded<()> {
        if record.is_text() {
            return self.visit_text(record, visitor);
        }
        let parts = self.parts(record);
        let number = self.number(record);
        let mut each = |name: &str, value: &str| visitor.tag(name, value);
        let told = parts.as_ref().ok();
        if self
            .chessbase
            .tags(number, record, told, &mut each)
            .is_break()
        {
            return Ok(());
        }
        parts?.visit(scratch, &self.annotations_of(record), visitor)
    }

    fn any_tag(&self, record: &Record, test: &mut dyn FnMut(&str, &str) -> bool) -> Decoded<bool> {
        let parts = if record.is_text() {
            None
        } else {
            self.parts(record).ok()
        };
        let mut each = |name: &str, value: &str| break_if(test(name, value));
        let number = self.number(record);
        let flow = self
            .chessbase
            .tags(number, record, parts.as_ref(), &mut each);
        Ok(flow.is_break())
    }

    fn any_comment(&self, record: &Record, test: &mut dyn FnMut(&str) -> bool) -> Decoded<bool> {
        if record.is_text() {
            let charset = self.chessbase.charset();
            Ok(self.text(record)?.told(charset).any(|text| test(&text)))
        } else {
            Ok(self.annotations_of(record).any_comment(test))
        }
    }

    /// Returns the date stored with the tournament.
    fn event_date(&self, record: &Record) -> PartialDate {
        let tournament = record.tournament().index();
        let tournament = self.chessbase.entity(Companion::Tournaments, tournament);
        tournament.map_or(PartialDate::UNKNOWN, |fields| {
            fields.date(field::TOURNAMENT_DATE)
        })
    }

    fn lost_tags(&self, record: &Record, tell: &mut dyn FnMut(&'static str)) {
        let lost = self.chessbase.lost_tags(self.number(record), record);
        lost.for_each(tell);
    }

    fn fault_beside(&self, record: &Record) -> Option<Error> {
        self.annotations_error(record)
    }

    #[inline]
    fn references(&self, record: &Record) -> References {
        let (number, low) = (self.number(record), record.annotations.get());
        let extended = self.chessbase.extended();
        let annotations = if record.is_text() || low == 0 {
            0
        } else {
            let bytes = self.chessbase.bytes(Companion::Annotations).len();
            let offset = extended.offset(number, OffsetOf::Annotations, low, bytes);
            offset.saturating_add(1)
        };
        let [white, black] = extended.teams(number);
        let after = |number: usize| number as u64 + 1;
        [
            annotations,
            after(record.annotator().index()),
            after(record.source().index()),
            white.max(black).map_or(0, after),
            0,
        ]
    }

    fn referable(&self) -> References {
        // Many databases lack some of these files.
        let count = |kind| match self.chessbase.file(kind) {
            Some(_) => self.chessbase.entities(kind).map_or(0, Entities::len) as u64,
            None => u64::MAX,
        };
        [
            self.chessbase.bytes(Companion::Annotations).len() as u64,
            count(Companion::Annotators),
            count(Companion::Sources),
            count(Companion::Teams),
            u64::MAX,
        ]
    }

    fn check(&self, record: &Record, scratch: &mut Scratch) -> Result<Checked, Fault> {
        self.check_game(record, scratch)
    }

    fn place(&self, record: &Record) -> Range<u64> {
        let offset = self.offset(record);
        let length = self.rest(record).ok().and_then(|rest| rest.first_chunk());
        let length = length.map_or(HEAD_BYTES as u32, |&[_, high, middle, low]: &[u8; 4]| {
            u32::from_be_bytes([0, high, middle, low])
        });
        offset..offset.saturating_add(length.into())
    }

    /// They are in a file of their own.
    fn has_comments_in_sources(&self) -> bool {
        false
    }

    /// Texts have no source bytes.
    fn sources(&self, record: &Record, tell: &mut dyn FnMut(&[u8])) {
        if record.is_text() {
            return;
        }
        let rest = self.rest(record).unwrap_or_default();
        let place = self.place(record);
        // A game whose length is less than its header is damaged, whatever follows.
        let bytes = usize::try_from(place.end - place.start).unwrap_or(rest.len());
        tell(rest.get(..bytes).unwrap_or(rest));
    }

    /// Checks the codes of each game with a [`CodeScan`].
    fn prefilter(&self, requirements: &Requirements, first: GameId, lanes: u64) -> u64 {
        let Some(scan) = CodeScan::new(requirements) else {
            return lanes;
        };
        let (mut left, mut may_match) = (lanes, lanes);
        while left != 0 {
            let lane = left.trailing_zeros();
            left &= left - 1;
            let record = self.records.get(first.index() + lane as usize);
            let game = record.filter(|record| !record.is_text());
            let parts = game.and_then(|record| self.parts(record).ok());
            if parts.is_some_and(|parts| !scan.may_match(&parts)) {
                may_match &= !(1 << lane);
            }
        }
        may_match
    }

    fn stored_line(&self, _: u8) -> Option<&'static [Move]> {
        None
    }
}
