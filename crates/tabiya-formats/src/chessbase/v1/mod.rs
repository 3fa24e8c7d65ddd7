//! The first version: `.cbh` with its companions.
//!
//! The index starts with a header as long as one record. Fixed-length records follow. All integers
//! are big-endian:
//!
//! | offset | bytes | meaning |
//! |---|---|---|
//! | 0 | 1 | 0 |
//! | 1 | 2 | bytes in use of this header, 44 or 36 |
//! | 3 | 2 | bytes of a record, 46 |
//! | 5 | 1 | 1 |
//! | 6 | 4 | number of records plus 1 |
//! | 46 | 46 each | records, see [`record`] |
//!
//! The companion files share the index's base name and differ in suffix. The modules document what
//! is read of them:
//!
//! ```text
//! .cbh record ─▶ .cbg stream ─▶ setup, moves (by tables, codes) ─▶ game: lines
//!            │               └▶ text
//!            ├▶ .cba annotations
//!            ├▶ .cbp .cbt .cbtt .cbc .cbs names
//!            └▶ .cbj extended ─▶ .cbe .cbl names
//! ```

pub mod annotations;
mod code_scan;
pub(crate) mod codes;
mod extended;
mod flaws;
mod game;
mod lines;
mod moves;
mod names;
mod open;
pub(crate) mod record;
mod setup;
mod stream;
pub(crate) mod tables;
pub(crate) mod tags;
pub(crate) mod text;
mod verify;
pub(crate) mod view;
pub mod write;

#[cfg(test)]
mod tests;

use std::{cmp::Ordering, path::Path, sync::OnceLock};

use tabiya_chess::NameKind;
use zerocopy::FromBytes;

pub(crate) use self::open::{open, open_set};
use self::{
    annotations::Language,
    extended::Extended,
    names::{Entities, field},
    record::Record,
    view::Games,
};
pub use self::{
    annotations::{Annotations, Content, Item, Marks},
    write::{Encoder, SUFFIXES, Writer},
};
use crate::{
    File, FormatKind, OpenSettings, Store, TextEncoding,
    bytes::Cursor,
    encoding::{Charset, Evidence},
    error::{Error, Result},
    file,
    names::NameList,
};

const RECORD_BYTES: usize = size_of::<Record>();

/// The companion files, in listing order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Companion {
    Games,
    Annotations,
    Players,
    Tournaments,
    TournamentDetails,
    Annotators,
    Sources,
    Extended,
    Teams,
    GameTags,
    TopGames,
}

impl Companion {
    /// All companions.
    pub(crate) const ALL: [Companion; 11] = [
        Companion::Games,
        Companion::Annotations,
        Companion::Players,
        Companion::Tournaments,
        Companion::TournamentDetails,
        Companion::Annotators,
        Companion::Sources,
        Companion::Extended,
        Companion::Teams,
        Companion::GameTags,
        Companion::TopGames,
    ];

    /// Returns the file name suffix.
    pub(crate) const fn suffix(self) -> &'static str {
        match self {
            Companion::Games => "cbg",
            Companion::Annotations => "cba",
            Companion::Players => "cbp",
            Companion::Tournaments => "cbt",
            Companion::TournamentDetails => "cbtt",
            Companion::Annotators => "cbc",
            Companion::Sources => "cbs",
            Companion::Extended => "cbj",
            Companion::Teams => "cbe",
            Companion::GameTags => "cbl",
            Companion::TopGames => "flags",
        }
    }

    /// Returns what cannot be read without the file; `None` for files that many databases lack.
    const fn purpose(self) -> Option<&'static str> {
        match self {
            Companion::Games => Some("the moves of a game"),
            Companion::Annotations => Some("an annotation"),
            Companion::Players => Some("a player's name"),
            Companion::Tournaments => Some("an event's name"),
            _ => None,
        }
    }
}

/// An open ChessBase database.
#[derive(Debug)]
pub struct ChessBase {
    index: File,
    /// Indexed by [`Companion`].
    companions: [Option<File>; Companion::ALL.len()],
    game_count: usize,
    /// Language of the comments to report when there are several.
    language: Language,
    /// How texts are read: at once if somebody said it, else when it has been guessed.
    charset: OnceLock<Charset>,
    /// Indexed by [`NameKind`].
    names: [OnceLock<Result<NameList>>; NameKind::ALL.len()],
    /// Whether to recover everything that is readable.
    salvage: bool,
}

impl ChessBase {
    /// Checks the header and length of the index. O(1) unless salvaging: no record is read.
    /// `companion` opens a companion file.
    ///
    /// An index with fewer or more records than its header states still opens, with the smaller of
    /// the two counts. The second result reports the difference and any missing files. When
    /// salvaging, the header is not trusted: the game count is the number of records, without
    /// trailing all-zero records beyond the header's count.
    pub(crate) fn open(
        index: File,
        companion: impl FnMut(Companion) -> Option<File>,
        salvage: bool,
    ) -> Result<(ChessBase, Vec<Error>)> {
        let head = head(&index.bytes).map_err(|error| error.at_path(&index.path));
        let claimed = match &head {
            Err(error) if !salvage => return Err(error.clone()),
            head => head.as_ref().copied().unwrap_or_default(),
        };
        let present = (index.bytes.len() / RECORD_BYTES).saturating_sub(1);
        let mut chessbase = ChessBase {
            index,
            companions: Companion::ALL.map(companion),
            game_count: if salvage {
                present
            } else {
                claimed.min(present)
            },
            language: Language::ALL,
            charset: OnceLock::new(),
            names: Default::default(),
            salvage,
        };
        if salvage {
            let mut records = chessbase.records().iter();
            let used = records
                .rposition(Record::is_written)
                .map_or(0, |last| last + 1);
            chessbase.game_count = used.max(claimed.min(present));
        }
        let mut notes = chessbase.notes(claimed.cmp(&present));
        notes.extend(head.err());
        Ok((chessbase, notes))
    }

    /// Sets the preferred language of comments, and the encoding if somebody said it.
    pub(crate) fn set_reading(&mut self, options: &OpenSettings) {
        self.language = options.language;
        if options.encoding.is_some() {
            self.charset = Charset::Windows1252.or(options.encoding).into();
        }
    }

    /// Returns how texts are read. The first call looks at all names, unless somebody said it.
    pub(super) fn charset(&self) -> Charset {
        let guess = || {
            let mut evidence = Evidence::default();
            for companion in field::NAMED {
                if let Ok(entities) = self.entities(companion) {
                    entities.tell(field::texts(companion), &mut evidence);
                }
            }
            Charset::Windows1252.or(evidence.guess())
        };
        *self.charset.get_or_init(guess)
    }

    /// Reports what is odd about the files. `claimed` compares the header's record count with the
    /// number of records present.
    fn notes(&self, claimed: Ordering) -> Vec<Error> {
        let miscounted = match claimed {
            Ordering::Greater => Some(flaws::FEWER_RECORDS),
            Ordering::Less => Some(flaws::MORE_RECORDS),
            Ordering::Equal => None,
        };
        let miscounted =
            miscounted.map(|what| Error::corrupt(what).at_offset(6).at_path(&self.index.path));
        let missing = Companion::ALL.into_iter().filter_map(|companion| {
            if self.game_count == 0 || self.companions[companion as usize].is_some() {
                return None;
            }
            match companion.purpose() {
                Some(purpose) => Some(self.missing(companion, purpose)),
                None => file::refused(&self.index.path, companion.suffix()),
            }
        });
        miscounted.into_iter().chain(missing).collect()
    }

    fn missing(&self, companion: Companion, what: &'static str) -> Error {
        file::without(&self.index.path, companion.suffix(), what)
    }

    fn file(&self, companion: Companion) -> Option<&File> {
        self.companions[companion as usize].as_ref()
    }

    /// Returns the bytes of a companion file, empty if it is missing.
    fn bytes(&self, companion: Companion) -> &[u8] {
        self.file(companion).map_or(&[], |file| &file.bytes)
    }

    fn extended(&self) -> Extended<'_> {
        Extended::new(self.bytes(Companion::Extended))
    }

    fn records(&self) -> &[Record] {
        let area = self.index.bytes.get(RECORD_BYTES..);
        let records = area
            .and_then(|area| <[Record]>::ref_from_prefix_with_elems(area, self.game_count).ok())
            .map(|(records, _)| records);
        // `open` has checked that this many records exist.
        records.unwrap_or_default()
    }

    /// Returns a view of the games.
    pub fn games(&self) -> Games<'_> {
        Games {
            chessbase: self,
            records: self.records(),
            bytes: self.bytes(Companion::Games),
        }
    }

    /// Reads the names of one kind.
    fn read_names(&self, kind: NameKind) -> Result<NameList> {
        if kind == NameKind::Round {
            return Ok(names::rounds(self.records().iter().map(Record::round)));
        }
        let companion = match kind {
            NameKind::Player => Companion::Players,
            _ => Companion::Tournaments,
        };
        let Some(file) = &self.companions[companion as usize] else {
            return Err(self.missing(companion, companion.purpose().unwrap_or("a name")));
        };
        let named = |error: Error| error.at_path(&file.path);
        let entities = self.entities(companion).map_err(named)?;
        Ok(match kind {
            NameKind::Player => names::players(entities, self.charset()),
            NameKind::Event => entities.texts(field::TOURNAMENT_TITLE, self.charset()),
            _ => entities.texts(field::TOURNAMENT_PLACE, self.charset()),
        })
    }

    /// Reads the header of a name file.
    fn entities(&self, companion: Companion) -> Result<Entities<'_>> {
        let (bytes, fields) = (self.bytes(companion), field::bytes_needed(companion));
        match self.salvage.then(|| field::bytes(companion)) {
            Some(payload) => Ok(Entities::salvaged(bytes, fields, payload)),
            None => Entities::new(bytes, fields),
        }
    }
}

/// Returns the number of records stated in the header of an index.
fn head(index: &[u8]) -> Result<usize> {
    let mut cursor = Cursor::new(index);
    let (needed, found) = (RECORD_BYTES as u64, index.len() as u64);
    if found < needed {
        return Err(Error::truncated("the header of the index", needed, found));
    }
    let header = (cursor.take(3), cursor.uint_be(2), cursor.take(1));
    if header.1 != Some(RECORD_BYTES as u32) {
        return Err(Error::corrupt(flaws::NOT_AN_INDEX).at_offset(3));
    }
    Ok(cursor.uint_be(4).unwrap_or_default().saturating_sub(1) as usize)
}

impl Store for ChessBase {
    fn kind(&self) -> FormatKind {
        FormatKind::ChessBase
    }

    fn game_count(&self) -> u32 {
        self.game_count as u32
    }

    fn encoding(&self) -> Option<TextEncoding> {
        self.charset().encoding()
    }

    /// Returns the index and the companion files that are open.
    fn files(&self) -> Vec<&File> {
        let companions = self.companions.iter().flatten();
        [&self.index].into_iter().chain(companions).collect()
    }

    fn names(&self, kind: NameKind) -> Result<&NameList> {
        let names = self.names[kind as usize].get_or_init(|| self.read_names(kind));
        names.as_ref().map_err(Clone::clone)
    }

    fn names_faults(&self) -> (Option<Error>, Vec<Error>) {
        let faults = NameKind::ALL.map(|kind| self.names(kind).err());
        (faults.into_iter().flatten().next(), Vec::new())
    }

    fn require_games(&self) -> Result<()> {
        match self.companions[Companion::Games as usize] {
            Some(_) => Ok(()),
            None => Err(self.missing(Companion::Games, "the moves of a game")),
        }
    }

    fn games_path(&self) -> &Path {
        let file = self.companions[Companion::Games as usize].as_ref();
        &file.unwrap_or(&self.index).path
    }
}
