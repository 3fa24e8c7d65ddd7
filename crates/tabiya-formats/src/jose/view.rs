//! The games of an open database, decoded from their rows.

use shakmaty::Setup;
use tabiya_chess::{Follow, Rewind, Start};

use super::{
    flaws,
    game::Stream,
    opened::{JoseBase, LOST},
    tables::Row,
};
use crate::{
    Checked, Decoded, Fault, Header, NameSlot, Scratch, View, Visitor, check::check_moves,
    damage_at, indexed::Record,
};

impl JoseBase {
    /// Returns the games.
    pub fn games(&self) -> Games<'_> {
        Games { base: self }
    }
}

/// The games of an open database.
#[derive(Debug, Clone, Copy)]
pub struct Games<'a> {
    base: &'a JoseBase,
}

impl<'a> Games<'a> {
    fn row(&self, record: &Record) -> Decoded<Row<'a>> {
        self.base.tables.more().row(record.offset_bytes())
    }

    /// Calls `tell` with tags until it returns true; returns its last result.
    fn tags(
        &self,
        record: &Record,
        more: &Row<'_>,
        tell: &mut dyn FnMut(&str, &str) -> bool,
    ) -> Decoded<bool> {
        let tables = &self.base.tables;
        let is_enough = match self.head(record) {
            None => false,
            Some(head) => tables.head_columns.tags(&head?, &tables.names, tell),
        };
        Ok(is_enough || tables.more_columns.tags(more, tables.names.charset, tell))
    }

    /// Returns what the moves are played from, and the moves.
    fn begin<'r>(
        &self,
        record: &Record,
        more: &'r Row<'_>,
    ) -> Decoded<(Option<Setup>, Stream<'r>)> {
        let tables = &self.base.tables;
        let setup = tables.start(self.head_at(record), more)?;
        Ok((setup, tables.stream(more)))
    }

    /// Returns the offset of the row with a game's first half.
    fn head_at(&self, record: &Record) -> u64 {
        let head = self.base.heads.get(record.number());
        head.copied().unwrap_or(LOST)
    }

    /// Returns the row with a game's first half; `None` if it is lost.
    fn head(&self, record: &Record) -> Option<Decoded<Row<'a>>> {
        let head = self.head_at(record);
        (head != LOST).then(|| self.base.tables.games.row(head))
    }
}

fn start_at(setup: &Option<Setup>) -> Start<'_> {
    setup.as_ref().map_or(Start::Standard, Start::Custom)
}

impl View for Games<'_> {
    type Record = Record;

    fn records(&self) -> &[Record] {
        self.base.index.records()
    }

    fn touch(&self, record: &Record) -> u8 {
        let bytes = &self.base.tables.more().file().bytes;
        let offset = usize::try_from(record.offset_bytes()).unwrap_or(usize::MAX);
        bytes.get(offset).copied().unwrap_or_default()
    }

    fn follow_main_line<F: Follow>(
        &self,
        record: &Record,
        _: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32> {
        let row = self.row(record)?;
        let (setup, stream) = self.begin(record, &row)?;
        stream.main_line(start_at(&setup), follow)
    }

    fn follow_tree<F: Rewind>(
        &self,
        record: &Record,
        _: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<()> {
        let row = self.row(record)?;
        let (setup, stream) = self.begin(record, &row)?;
        stream.tree(start_at(&setup), follow)
    }

    fn visit<V: Visitor + ?Sized>(
        &self,
        record: &Record,
        _: &mut Scratch,
        visitor: &mut V,
    ) -> Decoded<()> {
        let row = self.row(record)?;
        let stopped = self.tags(record, &row, &mut |name, value| {
            visitor.tag(name, value).is_break()
        })?;
        if stopped {
            return Ok(());
        }
        let (setup, stream) = self.begin(record, &row)?;
        stream.visit(start_at(&setup), visitor)
    }

    fn any_tag(&self, record: &Record, test: &mut dyn FnMut(&str, &str) -> bool) -> Decoded<bool> {
        self.tags(record, &self.row(record)?, test)
    }

    fn any_comment(&self, record: &Record, test: &mut dyn FnMut(&str) -> bool) -> Decoded<bool> {
        let row = self.row(record)?;
        let stream = self.base.tables.stream(&row);
        let mut comments = stream.comments();
        Ok(comments.any(|comment| test(&comment)))
    }

    fn lacks_name(&self, record: &Record, slot: NameSlot) -> bool {
        let tables = &self.base.tables;
        match self.head(record) {
            _ if slot == NameSlot::Round => false,
            Some(Ok(head)) => tables.head_columns.lacks_name(&head, slot, &tables.names),
            _ => true,
        }
    }

    fn check(&self, record: &Record, scratch: &mut Scratch) -> std::result::Result<Checked, Fault> {
        let is_filled = self.row(record)?.is_filled()
            && self
                .head(record)
                .transpose()?
                .is_none_or(|head| head.is_filled());
        if !is_filled {
            return Err(damage_at(flaws::ROW_TOO_LONG, 0).into());
        }
        let checked = check_moves(*self, record, scratch)?;
        let told = self.base.tables.plies(self.head_at(record));
        if told.is_some_and(|told| u64::from(told) != checked.main_line_moves) {
            Err(damage_at(flaws::PLY_COUNT, 0).into())
        } else {
            Ok(checked)
        }
    }

    fn sources(&self, record: &Record, tell: &mut dyn FnMut(&[u8])) {
        let Ok(row) = self.row(record) else {
            return;
        };
        let columns = &self.base.tables.more_columns;
        tell(columns.bin(&row));
        tell(columns.fen(&row).unwrap_or_default());
        tell(columns.comments(&row));
    }
}
