//! An open database: its files, and the names that are read when they are first needed.

use std::{path::Path, sync::OnceLock};

use tabiya_chess::{NameId, NameKind};

use super::{
    flaws,
    layout::{Layout, has_magic, is_index},
    names,
    record::Record,
};
use crate::{
    File, Files, FormatKind, OpenSettings, Store, TextEncoding,
    encoding::{Charset, Evidence},
    error::{Error, Result},
    names::NameList,
    suffix::SCDB,
};

/// An open database.
#[derive(Debug)]
pub struct Scdb {
    pub(super) layout: Layout,
    pub(super) files: Files,
    pub(super) game_count: usize,
    names: [OnceLock<Result<NameList>>; 4],
    /// How texts are read: at once if somebody said it, else when it has been guessed.
    charset: OnceLock<Charset>,
}

impl Scdb {
    /// Detects the layout and checks lengths. O(1): a few entries are examined. When salvaging, a
    /// wrong magic is only reported in the second result.
    pub(crate) fn open(files: Files, options: &OpenSettings) -> Result<(Scdb, Vec<Error>)> {
        let index = &files.index.bytes;
        let none = (!is_index(index)).then(|| Error::corrupt(flaws::NOT_AN_INDEX).at_offset(0));
        if let Some(error) = none.as_ref().filter(|_| !options.salvage) {
            return Err(error.clone());
        }
        let layout = Layout::of(index).ok_or_else(|| match index.len() {
            short @ ..11 => Error::truncated("the index", 11, short as u64),
            _ => Error::unsupported("this layout of a Simple Chess Database index"),
        })?;
        let Some(area) = index.get(layout.header_bytes..) else {
            let (needed, found) = (layout.header_bytes as u64, index.len() as u64);
            return Err(Error::truncated("the header of the index", needed, found));
        };
        let scdb = Scdb {
            layout,
            game_count: (area.len() / layout.entry_bytes()).min(u32::MAX as usize),
            files,
            names: Default::default(),
            charset: options.encoding.map_or_else(OnceLock::new, |said| {
                OnceLock::from(Charset::Latin1.or(Some(said)))
            }),
        };
        let mut notes = scdb.notes();
        notes.extend(none.map(|error| error.at_path(&scdb.files.index.path)));
        Ok((scdb, notes))
    }

    /// Reports a wrong index length, and files that are missing or of the wrong kind.
    fn notes(&self) -> Vec<Error> {
        let index = &self.files.index;
        let entries = index.bytes.len() - self.layout.header_bytes;
        let mut notes = Vec::new();
        if !entries.is_multiple_of(self.layout.entry_bytes()) {
            let end = index.bytes.len() as u64;
            let note = Error::corrupt(flaws::INDEX_ENDS_IN_ENTRY).at_offset(end);
            notes.push(note.at_path(&index.path));
        }
        let companions = [
            (&self.files.games, b'g', "the moves of a game"),
            (&self.files.names, b'n', "the name of a player"),
            (&self.files.sites, b's', "the name of a site"),
            (&self.files.events, b'e', "the name of an event"),
        ];
        for ((file, letter, what), suffix) in companions.into_iter().zip(&SCDB[1..]) {
            match file {
                None if self.game_count > 0 => notes.push(self.files.missing(what, suffix)),
                Some(file) if !has_magic(&file.bytes, letter) => {
                    let note = Error::corrupt(flaws::OTHER_BEGINNING);
                    notes.push(note.at_offset(0).at_path(&file.path));
                }
                _ => {}
            }
        }
        notes
    }

    /// Whether entries have 61 bytes.
    pub(crate) fn is_long(&self) -> bool {
        self.layout.is_long
    }

    pub(super) fn games_bytes(&self) -> &[u8] {
        let games = self.files.games.as_ref();
        games.map_or(&[], |games| &games.bytes)
    }

    fn file_of(&self, kind: NameKind) -> Option<&File> {
        match kind {
            NameKind::Player => self.files.names.as_ref(),
            NameKind::Event => self.files.events.as_ref(),
            NameKind::Site => self.files.sites.as_ref(),
            NameKind::Round => None,
        }
    }

    fn read_names(&self, kind: NameKind) -> Result<NameList> {
        let (what, suffix) = match kind {
            NameKind::Round if self.layout.is_long => return Ok(rounds(self.long().records)),
            NameKind::Round => return Ok(rounds(self.short().records)),
            NameKind::Player => ("the name of a player", "dcn"),
            NameKind::Event => ("the name of an event", "dce"),
            NameKind::Site => ("the name of a site", "dcs"),
        };
        match self.file_of(kind) {
            Some(file) => {
                let mut names = names::list(&file.bytes);
                names.convert(self.charset());
                Ok(names)
            }
            None => Err(self.files.missing(what, suffix)),
        }
    }

    /// Returns how texts are read. The first call looks at all names, unless somebody said it.
    pub(super) fn charset(&self) -> Charset {
        let guess = || {
            let mut evidence = Evidence::default();
            let files = NameKind::ALL
                .into_iter()
                .filter_map(|kind| self.file_of(kind));
            for file in files.filter(|file| !file.bytes.is_ascii()) {
                names::list(&file.bytes).tell(&mut evidence);
            }
            Charset::Latin1.or(evidence.guess())
        };
        *self.charset.get_or_init(guess)
    }
}

fn rounds<T: Copy>(records: &[Record<T>]) -> NameList {
    names::rounds(records.iter().map(|record| record.round.get()))
}

impl Store for Scdb {
    fn kind(&self) -> FormatKind {
        if self.layout.is_long {
            FormatKind::Scdb11
        } else {
            FormatKind::Scdb
        }
    }

    fn game_count(&self) -> u32 {
        self.game_count as u32
    }

    fn encoding(&self) -> Option<TextEncoding> {
        self.charset().encoding()
    }

    fn files(&self) -> Vec<&File> {
        self.files.all()
    }

    fn names(&self, kind: NameKind) -> Result<&NameList> {
        let names = self.names[kind as usize].get_or_init(|| self.read_names(kind));
        names.as_ref().map_err(Clone::clone)
    }

    /// The empty name and round 0 do not count.
    fn name_count(&self, kind: NameKind) -> Result<usize> {
        let names = self.names(kind)?;
        let has_empty = names.get(NameId(0)).is_some();
        Ok(names.named() - usize::from(has_empty))
    }

    fn names_faults(&self) -> (Option<Error>, Vec<Error>) {
        let missing = NameKind::ALL.map(|kind| self.names(kind).err());
        let files = NameKind::ALL
            .into_iter()
            .filter_map(|kind| self.file_of(kind));
        let cut = files.filter_map(|file| {
            names::length_fault(&file.bytes).map(|fault| fault.at_path(&file.path))
        });
        (missing.into_iter().flatten().next(), cut.collect())
    }

    fn require_games(&self) -> Result<()> {
        match self.files.games {
            Some(_) => Ok(()),
            None => Err(self.files.missing("the moves of a game", "dcg")),
        }
    }

    fn games_path(&self) -> &Path {
        let file = self.files.games.as_ref().unwrap_or(&self.files.index);
        &file.path
    }
}
