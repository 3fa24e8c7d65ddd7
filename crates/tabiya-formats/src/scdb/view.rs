//! The games of an open database: its entries and the bytes they refer to.

use std::ops::Range;

use shakmaty::Move;
use tabiya_chess::{Follow, Rewind};
use zerocopy::{FromBytes, Immutable};

use super::{
    Scdb,
    codes::{Bytes, Token},
    flaws,
    game::Game,
    record::{EntryFacts, Record, Totals, Untold},
};
use crate::{
    Checked, Decoded, Fault, Header, Scratch, View, Visitor, bytes::records_after, damage_at,
};

impl Scdb {
    /// Returns the games of an index with entries of 39 bytes.
    pub fn short(&self) -> Games<'_, Untold> {
        self.games()
    }

    /// Returns the games of an index with entries of 61 bytes.
    pub fn long(&self) -> Games<'_, Totals> {
        self.games()
    }

    fn games<T>(&self) -> Games<'_, T>
    where
        Record<T>: FromBytes + Immutable,
    {
        let index = &self.files.index.bytes;
        Games {
            records: records_after(index, self.layout.header_bytes, self.game_count),
            scdb: self,
        }
    }
}

/// The entries of an index and the file that they refer to.
#[derive(Debug, Clone, Copy)]
pub struct Games<'a, T> {
    pub(super) records: &'a [Record<T>],
    pub(super) scdb: &'a Scdb,
}

impl<'a, T: EntryFacts> Games<'a, T> {
    #[inline]
    pub(super) fn bytes(&self, record: &Record<T>) -> Decoded<Bytes<'a>> {
        let offset = usize::try_from(record.offset_bytes()).ok();
        let rest = offset.and_then(|offset| self.scdb.games_bytes().get(offset..));
        let beyond = damage_at(flaws::BEYOND_FILE, 0);
        Bytes::new(rest.ok_or(beyond)?)
    }

    #[inline]
    fn game(&self, record: &Record<T>) -> Decoded<Game<'a>> {
        Ok(Game {
            bytes: self.bytes(record)?,
        })
    }
}

impl<T: EntryFacts> View for Games<'_, T> {
    type Record = Record<T>;

    fn records(&self) -> &[Record<T>] {
        self.records
    }

    fn touch(&self, record: &Record<T>) -> u8 {
        let offset = record.offset_bytes() as usize;
        let byte = self.scdb.games_bytes().get(offset);
        byte.copied().unwrap_or_default()
    }

    fn follow_main_line<F: Follow>(
        &self,
        record: &Record<T>,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32> {
        self.game(record)?.main_line(scratch, follow)
    }

    fn follow_tree<F: Rewind>(
        &self,
        record: &Record<T>,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<()> {
        self.game(record)?.tree(scratch, follow)
    }

    fn visit<V: Visitor + ?Sized>(
        &self,
        record: &Record<T>,
        scratch: &mut Scratch,
        visitor: &mut V,
    ) -> Decoded<()> {
        let charset = self.scdb.charset();
        self.game(record)?.visit(charset, scratch, visitor)
    }

    /// The format holds no tags outside the index.
    fn any_tag(&self, _: &Record<T>, _: &mut dyn FnMut(&str, &str) -> bool) -> Decoded<bool> {
        Ok(false)
    }

    fn any_comment(&self, record: &Record<T>, test: &mut dyn FnMut(&str) -> bool) -> Decoded<bool> {
        let mut tokens = self.bytes(record)?.tokens();
        while let Some(token) = tokens.next()? {
            if let Token::Comment(comment) = token
                && test(&self.scdb.charset().decode(comment))
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn check(&self, record: &Record<T>, scratch: &mut Scratch) -> Result<Checked, Fault> {
        self.check_game(record, scratch)
    }

    fn place(&self, record: &Record<T>) -> Range<u64> {
        let offset = record.offset_bytes();
        let length = self.bytes(record).map_or(0, |bytes| bytes.len() as u64);
        offset..offset.saturating_add(length)
    }

    fn sources(&self, record: &Record<T>, tell: &mut dyn FnMut(&[u8])) {
        if let Ok(bytes) = self.bytes(record) {
            tell(bytes.all());
        }
    }

    fn stored_line(&self, _: u8) -> Option<&'static [Move]> {
        None
    }
}
