//! The games of an open database: its records and the bytes they refer to.

use std::hash::Hash;

use tabiya_chess::{Follow, Rewind, Start, requirements::KingPlaces};
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::{
    Scid4,
    facts::Facts,
    flaws,
    game::Blob,
    record::{OldRecord, Record},
    record5::Record5,
};
use crate::{
    Checked, Damage, Decoded, Fault, Header, Scratch, View, Visitor,
    bytes::records_after,
    check::{Rules, claims::Truth},
    damage_at,
};

impl Scid4 {
    /// Returns the games of a version 400 index.
    pub fn si4(&self) -> Games<'_, Record> {
        self.games()
    }

    /// Returns the games of a `.si5` index.
    pub fn si5(&self) -> Games<'_, Record5> {
        self.games()
    }

    /// Returns the games of a version 300 index.
    pub fn si3(&self) -> Games<'_, OldRecord> {
        self.games()
    }

    fn games<R: FromBytes + Immutable>(&self) -> Games<'_, R> {
        let index = &self.files.index.bytes;
        Games {
            records: records_after(index, self.version.header_bytes(), self.game_count),
            bytes: self.files.games.as_ref().map_or(&[], |file| &file.bytes),
            scid: self,
        }
    }
}

/// The records of a database and the bytes of its games.
#[derive(Debug, Clone, Copy)]
pub struct Games<'a, R> {
    pub(super) records: &'a [R],
    pub(super) bytes: &'a [u8],
    /// Knows how texts are read.
    pub(super) scid: &'a Scid4,
}

impl<R: Header> Games<'_, R> {
    /// Returns the bytes of a game; `None` if they extend beyond the end of the file.
    #[inline]
    fn game_bytes(&self, record: &R) -> Option<&[u8]> {
        let offset = usize::try_from(record.offset_bytes()).ok()?;
        self.bytes
            .get(offset..)?
            .get(..record.length_bytes() as usize)
    }

    /// Finds a game's sections; `None` for a record of length 0, which must describe a game
    /// without moves.
    #[inline]
    pub(super) fn blob(&self, record: &R) -> Decoded<Option<Blob<'_>>> {
        if record.length_bytes() == 0 {
            return no_game(record).map(|()| None);
        }
        match self.game_bytes(record) {
            Some(bytes) => Blob::new(bytes).map(Some),
            None => Err(damage_at(flaws::BEYOND_FILE, 0)),
        }
    }
}

impl<R: Header + Hash + IntoBytes + Immutable> View for Games<'_, R> {
    type Record = R;

    fn records(&self) -> &[R] {
        self.records
    }

    fn touch(&self, record: &R) -> u8 {
        let offset = record.offset_bytes() as usize;
        self.bytes.get(offset).copied().unwrap_or_default()
    }

    fn follow_main_line<F: Follow>(
        &self,
        record: &R,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32> {
        match self.blob(record)? {
            Some(blob) => blob.main_line(scratch, follow),
            None => {
                let _ = follow.start(Start::Standard);
                Ok(0)
            }
        }
    }

    fn follow_tree<F: Rewind>(
        &self,
        record: &R,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<()> {
        match self.blob(record)? {
            Some(blob) => blob.tree(scratch, follow),
            None => self.follow_main_line(record, scratch, follow).map(drop),
        }
    }

    fn visit<V: Visitor + ?Sized>(
        &self,
        record: &R,
        scratch: &mut Scratch,
        visitor: &mut V,
    ) -> Decoded<()> {
        match self.blob(record)? {
            Some(blob) => blob.visit(self.scid.charset(), scratch, visitor),
            None => {
                let _ = visitor.start(Start::Standard);
                Ok(())
            }
        }
    }

    fn any_tag(&self, record: &R, test: &mut dyn FnMut(&str, &str) -> bool) -> Decoded<bool> {
        let blob = self.blob(record)?;
        let mut tags = blob.iter().flat_map(Blob::tags);
        Ok(tags.any(|(name, value)| test(&name, &self.scid.charset().decode(value))))
    }

    fn any_comment(&self, record: &R, test: &mut dyn FnMut(&str) -> bool) -> Decoded<bool> {
        let blob = self.blob(record)?;
        let mut comments = blob.iter().flat_map(Blob::comments);
        Ok(comments.any(|comment| test(&self.scid.charset().decode(comment))))
    }

    fn prefilter_kings(&self, record: &R, places: &KingPlaces) -> bool {
        match self.blob(record) {
            Ok(Some(blob)) => blob.prefilter_kings(places),
            Ok(None) | Err(_) => true,
        }
    }

    fn is_blank(&self, record: &R) -> bool {
        record.as_bytes().iter().all(|&byte| byte == 0)
    }

    fn check(&self, record: &R, scratch: &mut Scratch) -> std::result::Result<Checked, Fault> {
        self.check_game(record, scratch)
    }

    fn sources(&self, record: &R, tell: &mut dyn FnMut(&[u8])) {
        tell(self.game_bytes(record).unwrap_or_default());
    }
}

/// Checks that a record of length 0 describes a game without moves. Otherwise its length is
/// damaged: every writer stores at least the end of a game.
#[cold]
fn no_game(record: &impl Header) -> Decoded<()> {
    let what = flaws::NO_BYTES;
    match Truth::new(Facts::STANDARD, &Rules::new()).check(record) {
        Err(_) => Err(Damage { what, at: 0 }),
        Ok(_) => Ok(()),
    }
}
