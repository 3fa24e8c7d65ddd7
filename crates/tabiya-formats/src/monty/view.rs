//! The games of an open file, decoded from it.

use tabiya_chess::{Follow, Rewind};

use super::{Game, Layout, opened::MontyFile};
use crate::{
    Decoded, Scratch, View, Visitor,
    indexed::{Record, game_bytes},
    training::CommentSearch,
};

impl MontyFile {
    /// Returns the games.
    pub fn games(&self) -> Games<'_> {
        Games {
            bytes: &self.file.bytes,
            layout: self.layout,
            records: self.index.records(),
        }
    }
}

/// The records of a file and its bytes.
#[derive(Debug, Clone, Copy)]
pub struct Games<'a> {
    bytes: &'a [u8],
    layout: Layout,
    records: &'a [Record],
}

impl<'a> Games<'a> {
    fn game(&self, record: &Record) -> Decoded<Game<'a>> {
        Game::open(game_bytes(self.bytes, record), self.layout)
    }
}

impl View for Games<'_> {
    type Record = Record;

    fn records(&self) -> &[Record] {
        self.records
    }

    fn touch(&self, record: &Record) -> u8 {
        let bytes = game_bytes(self.bytes, record);
        bytes.first().copied().unwrap_or_default()
    }

    fn follow_main_line<F: Follow>(
        &self,
        record: &Record,
        _: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32> {
        self.game(record)?.follow(follow)
    }

    fn follow_tree<F: Rewind>(
        &self,
        record: &Record,
        _: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<()> {
        self.game(record)?.follow(follow).map(drop)
    }

    fn visit<V: Visitor + ?Sized>(
        &self,
        record: &Record,
        _: &mut Scratch,
        visitor: &mut V,
    ) -> Decoded<()> {
        self.game(record)?.visit(visitor)
    }

    fn any_tag(&self, record: &Record, test: &mut dyn FnMut(&str, &str) -> bool) -> Decoded<bool> {
        Ok(self.game(record)?.is_chess960() && test("Variant", "Chess960"))
    }

    fn any_comment(&self, record: &Record, test: &mut dyn FnMut(&str) -> bool) -> Decoded<bool> {
        CommentSearch::run(test, |search| self.game(record)?.visit(search))
    }

    fn sources(&self, record: &Record, tell: &mut dyn FnMut(&[u8])) {
        tell(game_bytes(self.bytes, record));
    }
}
