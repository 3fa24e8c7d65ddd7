//! An open database: its files, and the names that are read when they are first needed.

use std::{cmp::Ordering, path::Path, sync::OnceLock};

use tabiya_chess::NameKind;

use super::{
    annotations::Language,
    extended::Extended,
    flaws,
    layout::{Companion, RECORD_BYTES, head},
    names::{self, Entities, field},
    record::Record,
};
use crate::{
    File, FormatKind, OpenSettings, Store, TextEncoding,
    encoding::{Charset, Evidence},
    error::{Error, Result},
    file,
    names::NameList,
    suffix::companion_path,
};

/// Opens the database whose index has this path. The second result is what is odd about the files.
pub(crate) fn open(path: &Path, options: &OpenSettings) -> Result<(ChessBase, Vec<Error>)> {
    let companion = |companion: Companion| {
        File::open(&companion_path(path, companion.suffix()), options.access).ok()
    };
    open_set(File::open(path, options.access)?, options, companion)
}

/// Opens a set of files, however they are had.
pub(crate) fn open_set(
    index: File,
    options: &OpenSettings,
    companion: impl FnMut(Companion) -> Option<File>,
) -> Result<(ChessBase, Vec<Error>)> {
    let (mut chessbase, notes) = ChessBase::open(index, companion, options.salvage)?;
    chessbase.set_reading(options);
    Ok((chessbase, notes))
}

/// An open ChessBase database.
#[derive(Debug)]
pub struct ChessBase {
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

    pub(super) fn missing(&self, companion: Companion, what: &'static str) -> Error {
        file::without(&self.index.path, companion.suffix(), what)
    }

    pub(super) fn file(&self, companion: Companion) -> Option<&File> {
        self.companions[companion as usize].as_ref()
    }

    /// Returns the bytes of a companion file, empty if it is missing.
    pub(super) fn bytes(&self, companion: Companion) -> &[u8] {
        self.file(companion).map_or(&[], |file| &file.bytes)
    }

    pub(super) fn extended(&self) -> Extended<'_> {
        Extended::new(self.bytes(Companion::Extended))
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
    pub(super) fn entities(&self, companion: Companion) -> Result<Entities<'_>> {
        let (bytes, fields) = (self.bytes(companion), field::bytes_needed(companion));
        match self.salvage.then(|| field::bytes(companion)) {
            Some(payload) => Ok(Entities::salvaged(bytes, fields, payload)),
            None => Entities::new(bytes, fields),
        }
    }
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
