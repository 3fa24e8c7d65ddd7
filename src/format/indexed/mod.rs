//! An index in memory, for formats whose files hold no records: PGN, Monty, jose.
//!
//! It is built when the file is opened, in one pass over all games: every game is passed to a
//! [`Survey`] on some thread, and the results are collected in order. The records hold the same
//! facts as Scid's, so the same prefilters serve the same queries. A game takes 80 bytes; every
//! name is stored once.

mod record;
mod relay;
mod survey;

use std::collections::HashMap;

pub(crate) use self::{
    record::Record,
    relay::{AllLines, MainLine},
    survey::Survey,
};
use super::{
    game::GameHeader,
    header::{Header, NameSlot},
    names::NameList,
};
use crate::{
    chess::{NameId, NameKind},
    error::{Error, Result},
};

/// Records and names of all games.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pub(crate) records: Vec<Record>,
    names: [NameList; 4],
}

impl Index {
    /// Returns the names of one kind.
    pub(crate) fn names(&self, kind: NameKind) -> &NameList {
        &self.names[kind as usize]
    }

    /// Returns the number of games.
    pub(crate) fn game_count(&self) -> u32 {
        self.records.len() as u32
    }
}

/// One surveyed game, before its names have IDs.
#[derive(Debug)]
pub(crate) struct Draft {
    record: Record,
    /// In the order of the record.
    names: [String; 5],
}

impl Draft {
    /// Creates a draft from a header, the game's byte range and a survey; `is_read` says whether
    /// the survey saw the whole game.
    pub(crate) fn new(
        header: GameHeader,
        (offset_bytes, length_bytes): (u64, u32),
        survey: &Survey,
        is_read: bool,
    ) -> Draft {
        let record = Record::new(&header, offset_bytes, length_bytes, survey, is_read);
        Draft {
            record,
            names: [
                header.white,
                header.black,
                header.event,
                header.site,
                header.round,
            ],
        }
    }
}

/// Collects drafts in the order of their games.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    index: Index,
    ids: [HashMap<Box<[u8]>, NameId>; 4],
}

impl Builder {
    /// Adds a game.
    ///
    /// # Errors
    /// `LimitExceeded` if the names of one kind take more than 4 GiB, or if there are too many
    /// games.
    pub(crate) fn push(&mut self, draft: Draft) -> Result<()> {
        if self.index.records.len() >= u32::MAX as usize {
            return Err(Error::limit("the number of games", u32::MAX.into()));
        }
        let mut record = draft.record;
        record.number = self.index.game_count();
        let names = NameSlot::ALL.into_iter().zip(&draft.names);
        for ((slot, name), id) in names.zip(&mut record.names) {
            *id = self.intern(slot.kind(), name.as_bytes())?;
        }
        self.index.records.push(record);
        Ok(())
    }

    fn intern(&mut self, kind: NameKind, name: &[u8]) -> Result<NameId> {
        let ids = &mut self.ids[kind as usize];
        if let Some(&id) = ids.get(name) {
            return Ok(id);
        }
        let names = &mut self.index.names[kind as usize];
        let id = NameId(names.len() as u32);
        names
            .push(name)
            .ok_or_else(|| Error::limit("the length of all names", u32::MAX.into()))?;
        ids.insert(name.into(), id);
        Ok(id)
    }

    /// Returns the index.
    pub(crate) fn finish(mut self) -> Index {
        self.index.records.shrink_to_fit();
        self.index
    }
}

/// Returns the bytes of a record's game.
pub(crate) fn game_bytes<'b>(bytes: &'b [u8], record: &Record) -> &'b [u8] {
    let start = usize::try_from(record.offset_bytes()).unwrap_or(usize::MAX);
    let game = bytes.get(start..).unwrap_or_default();
    game.get(..record.length_bytes() as usize).unwrap_or(game)
}
