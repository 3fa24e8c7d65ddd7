//! Databases of ChessBase 2, as ChessBase 17 and later keep them: `.2cbh` with its companions.
//!
//! The index starts with a header as long as one record: the bytes of a record at offset 10 (2
//! bytes), one more than the number of records at 16 (4). Records follow, see [`record`]. All
//! integers are little-endian unless a module says otherwise. The companion files share the index's
//! base name and differ in suffix:
//!
//! ```text
//! .2cbh record ─▶ .2cbg frame ─▶ game: setup, words
//!             │               └▶ text
//!             ├▶ .2cba frame ─▶ annotations
//!             └▶ .2lid names
//! ```
//!
//! `.2lgd` and `.2lcd` are made from these and are not read.

mod annotations;
mod flaws;
mod frame;
mod game;
mod men;
mod names;
pub(crate) mod record;
mod setup;
mod tags;
mod text;
mod verify;
pub(crate) mod view;
mod word_scan;
mod words;
pub mod write;

use std::{path::Path, sync::OnceLock};

use tabiya_chess::NameKind;
use zerocopy::FromBytes;

pub use self::write::{Encoder, SUFFIXES, Writer};
use self::{
    names::{Names, Type},
    record::{Record, round_name},
    view::Games,
};
use crate::{
    File, FormatKind, Header as _, Language, NameSlot, OpenSettings, Store, TextEncoding,
    encoding::{Charset, Evidence},
    error::{Error, Result},
    file,
    names::NameList,
    suffix::{CHESSBASE2, companion_path},
};

const RECORD_BYTES: usize = size_of::<Record>();

/// The companion files that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Companion {
    Games,
    Annotations,
    Names,
}

impl Companion {
    const ALL: [Companion; 3] = [Companion::Games, Companion::Annotations, Companion::Names];

    const fn suffix(self) -> &'static str {
        CHESSBASE2[self as usize + 1]
    }

    /// Returns what cannot be read without the file.
    const fn purpose(self) -> &'static str {
        match self {
            Companion::Games => "the moves of a game",
            Companion::Annotations => "an annotation",
            Companion::Names => "a name",
        }
    }
}

/// An open database.
#[derive(Debug)]
pub struct ChessBase2 {
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
}

/// Opens the database whose index has this path. O(1): no record is read. The second result is what
/// is odd about the files.
///
/// The number of records is that of the file's length, whatever the header says. A header that
/// gives no shape is an error, unless salvaging.
pub(crate) fn open(path: &Path, options: &OpenSettings) -> Result<(ChessBase2, Vec<Error>)> {
    let index = File::open(path, options.access)?;
    let mut notes = Vec::new();
    if let Err(error) = check_header(&index.bytes) {
        notes.push(refused_unless(options.salvage, error, &index)?);
    }
    let companion = |companion: Companion| {
        File::open(&companion_path(path, companion.suffix()), options.access).ok()
    };
    let records = (index.bytes.len() / RECORD_BYTES).saturating_sub(1);
    let mut opened = ChessBase2 {
        index,
        companions: Companion::ALL.map(companion),
        game_count: records.min(u32::MAX as usize),
        language: options.language,
        charset: options.encoding.map_or_else(OnceLock::new, |said| {
            OnceLock::from(Charset::Windows1252.or(Some(said)))
        }),
        names: Default::default(),
    };
    if options.salvage {
        let last = opened.records().iter().rposition(Record::is_written);
        opened.game_count = last.map_or(0, |last| last + 1);
    }
    notes.extend(opened.length_note(records));
    if let Some(names) = opened.file(Companion::Names)
        && let Err(error) = Names::new(&names.bytes)
    {
        notes.push(refused_unless(options.salvage, error, names)?);
    }
    let missing = Companion::ALL
        .into_iter()
        .filter(|&companion| opened.game_count > 0 && opened.file(companion).is_none());
    notes.extend(missing.map(|companion| opened.missing(companion)));
    Ok((opened, notes))
}

/// Returns the error as a note if it does not stop the database from being opened.
fn refused_unless(salvage: bool, error: Error, file: &File) -> Result<Error> {
    let error = error.at_path(&file.path);
    if salvage { Ok(error) } else { Err(error) }
}

fn check_header(index: &[u8]) -> Result<()> {
    const RECORD_BYTES_AT: usize = 10;
    let (needed, found) = (RECORD_BYTES as u64, index.len() as u64);
    if found < needed {
        return Err(Error::truncated("the header of the index", needed, found));
    }
    if index[RECORD_BYTES_AT..].first_chunk() == Some(&(RECORD_BYTES as u16).to_le_bytes()) {
        Ok(())
    } else {
        Err(Error::corrupt(flaws::NOT_AN_INDEX).at_offset(RECORD_BYTES_AT as u64))
    }
}

impl ChessBase2 {
    /// Reports a length of the index other than its header says.
    fn length_note(&self, records: usize) -> Option<Error> {
        const NEXT_AT: usize = 16;
        let bytes = &self.index.bytes;
        let next = bytes.get(NEXT_AT..).and_then(|bytes| bytes.first_chunk());
        let claimed = next.map_or(0, |&next| i64::from(i32::from_le_bytes(next)) - 1);
        let (what, at) = match claimed - records as i64 {
            _ if !bytes.len().is_multiple_of(RECORD_BYTES) => (flaws::ENDS_IN_RECORD, bytes.len()),
            1.. => (flaws::FEWER_RECORDS, NEXT_AT),
            ..0 => (flaws::MORE_RECORDS, NEXT_AT),
            0 => return None,
        };
        let note = Error::corrupt(what).at_offset(at as u64);
        Some(note.at_path(&self.index.path))
    }

    fn missing(&self, companion: Companion) -> Error {
        file::without(&self.index.path, companion.suffix(), companion.purpose())
    }

    fn file(&self, companion: Companion) -> Option<&File> {
        self.companions[companion as usize].as_ref()
    }

    /// Returns the bytes of a companion file, empty if it is missing.
    fn bytes(&self, companion: Companion) -> &[u8] {
        self.file(companion).map_or(&[], |file| &file.bytes)
    }

    /// Returns the names file, if it is there and has a shape.
    fn names_file(&self) -> Option<Names<'_>> {
        let names = Names::new(self.bytes(Companion::Names)).ok()?;
        Some(names.with_charset(self.charset()))
    }

    /// Returns how texts are read that are not UTF-8. The first call looks at all names, unless
    /// somebody said it.
    pub(super) fn charset(&self) -> Charset {
        let guess = || {
            let mut evidence = Evidence::default();
            if let Ok(names) = Names::new(self.bytes(Companion::Names)) {
                names.tell(&mut evidence);
            }
            Charset::Windows1252.or(evidence.guess())
        };
        *self.charset.get_or_init(guess)
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
            database: self,
            records: self.records(),
            bytes: self.bytes(Companion::Games),
        }
    }

    /// Reads the names of one kind.
    fn read_names(&self, kind: NameKind) -> Result<NameList> {
        if kind == NameKind::Round {
            let rounds = self.records().iter();
            let rounds = rounds.map(|record| record.name(NameSlot::Round).0);
            return Ok(NameList::of_rounds(rounds, round_name));
        }
        let Some(file) = self.file(Companion::Names) else {
            return Err(self.missing(Companion::Names));
        };
        let names = Names::new(&file.bytes).map_err(|error| error.at_path(&file.path))?;
        let names = names.with_charset(self.charset());
        Ok(match kind {
            NameKind::Player => names.list(Type::Player, Names::player),
            NameKind::Event => names.list(Type::Tournament, |names, number| {
                Some(names.tournament(number)?.title())
            }),
            _ => names.list(Type::Tournament, |names, number| {
                Some(names.tournament(number)?.place())
            }),
        })
    }
}

impl Store for ChessBase2 {
    fn kind(&self) -> FormatKind {
        FormatKind::ChessBase2
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

    /// Leaves out the name that stands for those of texts and analyses.
    fn name_count(&self, kind: NameKind) -> Result<usize> {
        let named = self.names(kind)?.named();
        Ok(named - usize::from(kind != NameKind::Round))
    }

    fn names_faults(&self) -> (Option<Error>, Vec<Error>) {
        let unread = NameKind::ALL.map(|kind| self.names(kind).err());
        let unread = unread.into_iter().flatten().next();
        let oddities = self.file(Companion::Names).zip(self.names_file());
        let oddities = oddities.map_or(Vec::new(), |(file, names)| {
            let faults = names.faults().into_iter();
            let error = |what| Error::corrupt(what).at_path(&file.path);
            faults.map(error).collect()
        });
        (unread, oddities)
    }

    fn require_games(&self) -> Result<()> {
        match self.file(Companion::Games) {
            Some(_) => Ok(()),
            None => Err(self.missing(Companion::Games)),
        }
    }

    fn games_path(&self) -> &Path {
        &self.file(Companion::Games).unwrap_or(&self.index).path
    }
}
