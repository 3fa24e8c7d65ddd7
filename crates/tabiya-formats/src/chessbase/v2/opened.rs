//! An open database: its files, and the names that are read when they are first needed.

use std::{path::Path, sync::OnceLock};

use rayon::prelude::*;
use tabiya_chess::NameKind;

use super::{
    flaws,
    layout::{Companion, RECORD_BYTES, check_header},
    names::{Names, Type},
    record::{Record, round_name},
};
use crate::{
    File, FormatKind, Header as _, Language, NameSlot, OpenSettings, Store, TextEncoding,
    encoding::{Charset, Evidence},
    error::{Error, Result},
    file,
    names::NameList,
    suffix::companion_path,
};

/// An open database.
#[derive(Debug)]
pub struct ChessBase2 {
    pub(super) index: File,
    /// Indexed by [`Companion`].
    companions: [Option<File>; Companion::ALL.len()],
    pub(super) game_count: usize,
    /// Language of the comments to report when there are several.
    pub(super) language: Language,
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

    pub(super) fn missing(&self, companion: Companion) -> Error {
        file::without(&self.index.path, companion.suffix(), companion.purpose())
    }

    pub(super) fn file(&self, companion: Companion) -> Option<&File> {
        self.companions[companion as usize].as_ref()
    }

    /// Returns the bytes of a companion file, empty if it is missing.
    pub(super) fn bytes(&self, companion: Companion) -> &[u8] {
        self.file(companion).map_or(&[], |file| &file.bytes)
    }

    /// Returns the names file, if it is there and has a shape.
    pub(super) fn names_file(&self) -> Option<Names<'_>> {
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
        let unread = || {
            let kinds = NameKind::ALL.into_par_iter();
            kinds.find_map_first(|kind| self.names(kind).err())
        };
        let oddities = || {
            let oddities = self.file(Companion::Names).zip(self.names_file());
            oddities.map_or(Vec::new(), |(file, names)| {
                let faults = names.faults().into_iter();
                let error = |what| Error::corrupt(what).at_path(&file.path);
                faults.map(error).collect()
            })
        };
        rayon::join(unread, oddities)
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
