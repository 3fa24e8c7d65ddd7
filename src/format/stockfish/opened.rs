//! A file as a database: records in memory; games are decoded from the file.

use std::path::Path;

use super::{chain::Chain, record::Record, survey::survey};
use crate::{
    chess::{Flow, Follow, NameKind, Rewind, follow::break_if},
    error::{Error, Result},
    format::{
        Decoded, File, FormatKind, Header as _, Report, Scratch, Store, View, Visitor,
        names::NameList,
    },
};

/// An open file of training data.
#[derive(Debug)]
pub(crate) struct StockfishFile {
    file: File,
    records: Vec<Record>,
    /// One name, which is unknown, for every kind.
    names: NameList,
}

impl StockfishFile {
    /// Reads all games once and checks their moves. Also returns notes about the first damaged
    /// blocks and games.
    ///
    /// # Errors
    /// `LimitExceeded` if there are too many games; `Interrupted` after a `Break` from `progress`.
    pub(crate) fn open(file: File, progress: Report<'_>) -> Result<(StockfishFile, Vec<Error>)> {
        let named = |error: Error| error.at_path(&file.path);
        let (records, notes) = survey(&file.bytes, progress).map_err(named)?;
        let notes = notes.into_iter().map(named).collect();
        let mut names = NameList::with_len(1);
        let _ = names.set(0, b"?");
        let opened = StockfishFile {
            file,
            records,
            names,
        };
        Ok((opened, notes))
    }

    /// Returns the games.
    pub(crate) fn games(&self) -> Games<'_> {
        Games {
            bytes: &self.file.bytes,
            records: &self.records,
        }
    }
}

impl Store for StockfishFile {
    fn kind(&self) -> FormatKind {
        FormatKind::Stockfish
    }

    fn game_count(&self) -> u32 {
        self.records.len() as u32
    }

    fn files(&self) -> Vec<&File> {
        vec![&self.file]
    }

    fn names(&self, _: NameKind) -> Result<&NameList> {
        Ok(&self.names)
    }

    fn games_path(&self) -> &Path {
        &self.file.path
    }
}

/// The records of a file and its bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Games<'a> {
    bytes: &'a [u8],
    records: &'a [Record],
}

impl<'a> Games<'a> {
    fn game_bytes(&self, record: &Record) -> &'a [u8] {
        let start = usize::try_from(record.offset_bytes()).unwrap_or(usize::MAX);
        let game = self.bytes.get(start..).unwrap_or_default();
        game.get(..record.length_bytes() as usize).unwrap_or(game)
    }

    fn game(&self, record: &Record) -> Decoded<Chain<'a>> {
        Chain::open(self.game_bytes(record))
    }
}

impl View for Games<'_> {
    type Record = Record;

    fn records(&self) -> &[Record] {
        self.records
    }

    fn touch(&self, record: &Record) -> u8 {
        let bytes = self.game_bytes(record);
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

    fn any_tag(&self, record: &Record, _: &mut dyn FnMut(&str, &str) -> bool) -> Decoded<bool> {
        self.game(record).map(|_| false)
    }

    fn any_comment(&self, record: &Record, test: &mut dyn FnMut(&str) -> bool) -> Decoded<bool> {
        let mut search = Search { test, found: false };
        self.game(record)?.visit(&mut search)?;
        Ok(search.found)
    }

    fn sources(&self, record: &Record, tell: &mut dyn FnMut(&[u8])) {
        tell(self.game_bytes(record));
    }
}

/// Searches for a comment.
struct Search<'t> {
    test: &'t mut dyn FnMut(&str) -> bool,
    found: bool,
}

impl Visitor for Search<'_> {
    fn comment(&mut self, text: &str) -> Flow {
        self.found = (self.test)(text);
        break_if(self.found)
    }
}
