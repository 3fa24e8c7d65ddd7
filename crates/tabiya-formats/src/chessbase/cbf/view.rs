//! The games of an open database, decoded from their file.

use tabiya_chess::{Flow, Follow, Rewind, follow::break_if};

use super::{flaws, game::Game, header::Head, opened::CbfBase, survey::from_offset};
use crate::{
    Checked, Decoded, Fault, Header, Scratch, View, Visitor,
    check::check_moves,
    damage_at,
    indexed::{Record, game_bytes},
};

impl CbfBase {
    /// Returns the games.
    pub fn games(&self) -> Games<'_> {
        Games { base: self }
    }
}

/// The games of an open database.
#[derive(Debug, Clone, Copy)]
pub struct Games<'a> {
    base: &'a CbfBase,
}

impl<'a> Games<'a> {
    fn bytes(&self, record: &Record) -> &'a [u8] {
        from_offset(&self.base.file.bytes, record.offset_bytes())
    }

    fn game<'g>(&self, record: &Record, scratch: &'g mut Scratch) -> Decoded<Game<'g>>
    where
        'a: 'g,
    {
        let bytes = self.bytes(record);
        if bytes.is_empty() {
            return Err(damage_at(flaws::BEYOND_FILE, 0));
        }
        Game::open(bytes, &mut scratch.moves, self.base.charset)
    }

    /// Checks what is stored besides the moves.
    fn check_beside(&self, record: &Record) -> Decoded<()> {
        let bytes = self.bytes(record);
        let head = Head::read(bytes)?;
        let next = self.base.index.records().get(record.number() + 1);
        let next = next.map(|next| next.offset_bytes());
        let end = record.offset_bytes() + head.game_bytes() as u64;
        if head.game_bytes() > bytes.len() {
            return Err(damage_at(flaws::BEYOND_FILE, bytes.len()));
        }
        if next.is_some_and(|next| (record.offset_bytes()..end).contains(&next)) {
            return Err(damage_at(flaws::SHARED_BYTES, 0));
        }
        if !head.is_sound() {
            return Err(damage_at(flaws::CHECKSUM, 0));
        }
        Ok(())
    }
}

impl View for Games<'_> {
    type Record = Record;

    fn records(&self) -> &[Record] {
        self.base.index.records()
    }

    fn touch(&self, record: &Record) -> u8 {
        self.bytes(record).first().copied().unwrap_or_default()
    }

    fn follow_main_line<F: Follow>(
        &self,
        record: &Record,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32> {
        self.game(record, scratch)?.main_line(follow)
    }

    fn follow_tree<F: Rewind>(
        &self,
        record: &Record,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<()> {
        self.game(record, scratch)?.tree(follow)
    }

    fn visit<V: Visitor + ?Sized>(
        &self,
        record: &Record,
        scratch: &mut Scratch,
        visitor: &mut V,
    ) -> Decoded<()> {
        self.game(record, scratch)?.visit(visitor)
    }

    /// All tags are in the index.
    fn any_tag(&self, _: &Record, _: &mut dyn FnMut(&str, &str) -> bool) -> Decoded<bool> {
        Ok(false)
    }

    fn any_comment(&self, record: &Record, test: &mut dyn FnMut(&str) -> bool) -> Decoded<bool> {
        let mut search = CommentSearch { test, found: false };
        let mut scratch = Scratch::default();
        self.game(record, &mut scratch)?.visit(&mut search)?;
        Ok(search.found)
    }

    fn check(&self, record: &Record, scratch: &mut Scratch) -> std::result::Result<Checked, Fault> {
        let checked = check_moves(*self, record, scratch)?;
        self.check_beside(record)?;
        self.game(record, scratch)?.check_annotations()?;
        Ok(checked)
    }

    fn sources(&self, record: &Record, tell: &mut dyn FnMut(&[u8])) {
        tell(game_bytes(&self.base.file.bytes, record));
    }
}

/// Searches for a comment.
struct CommentSearch<'t> {
    test: &'t mut dyn FnMut(&str) -> bool,
    found: bool,
}

impl Visitor for CommentSearch<'_> {
    fn comment(&mut self, text: &str) -> Flow {
        self.found = (self.test)(text);
        break_if(self.found)
    }
}
