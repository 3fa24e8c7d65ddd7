//! An open database: its files, and the names that are read when they are first needed.

use std::{path::Path, sync::OnceLock};

use tabiya_chess::NameKind;

use super::{flaws, layout::Version, names::Names, names5, salvage};
use crate::{
    File, Files, FormatKind, OpenSettings, Store, TextEncoding,
    bytes::Cursor,
    encoding::Charset,
    error::{Error, Result},
    names::NameList,
};

const HEADER: &str = "the header of the index";

/// Reads a number of games, 24 bits big-endian.
fn number(bytes: &[u8]) -> u32 {
    Cursor::new(bytes).u24_be().unwrap_or_default()
}

/// An open Scid database.
#[derive(Debug)]
pub struct Scid4 {
    pub(super) version: Version,
    pub(super) files: Files,
    pub(super) game_count: usize,
    names: OnceLock<Result<Names>>,
    /// The encoding of texts, if somebody said it.
    said: Option<TextEncoding>,
    /// Whether to read everything that is present, even if damaged.
    salvage: bool,
}

impl Scid4 {
    /// Checks lengths. O(1): no record is read.
    ///
    /// If a file has fewer or more records than its header says, the smaller number is opened
    /// and the second result reports it. When salvaging, the header's count is ignored: every
    /// record is a game.
    pub(crate) fn open(
        version: Version,
        files: Files,
        options: &OpenSettings,
    ) -> Result<(Scid4, Vec<Error>)> {
        let salvage = options.salvage;
        let index = &files.index.bytes;
        let header_bytes = version.header_bytes();
        let cut = || Error::truncated(HEADER, header_bytes as u64, index.len() as u64);
        let area = match index.get(header_bytes..) {
            None if !salvage => return Err(cut()),
            area => area.unwrap_or_default(),
        };
        // Game numbers have 32 bits.
        let present = (area.len() / version.record_bytes()).min(u32::MAX as usize);
        let claimed = match version {
            Version::Si5 => present,
            _ => index.get(14..).map_or(0, number) as usize,
        };
        let mut notes = length_notes(version, area.len(), claimed);
        if salvage && version != Version::Si5 {
            let is_whole = matches!(Version::of_header(index), Ok(found) if found == version);
            notes.extend((!is_whole).then(|| Error::corrupt(flaws::OTHER_BEGINNING).at_offset(0)));
        }
        let named = notes
            .into_iter()
            .map(|note| note.at_path(&files.index.path))
            .collect();
        let mut notes: Vec<Error> = named;
        let scid = Scid4 {
            version,
            game_count: if salvage {
                present
            } else {
                claimed.min(present)
            },
            files,
            names: OnceLock::new(),
            said: options.encoding,
            salvage,
        };
        notes.extend(scid.missing_files());
        Ok((scid, notes))
    }

    /// Reports companion files that are missing although there are games.
    fn missing_files(&self) -> Vec<Error> {
        let (files, version) = (&self.files, self.version);
        let games = files.games.is_none();
        let games = games.then(|| files.missing("the moves of a game", version.games_suffix()));
        let names = files.names.is_none();
        let names = names.then(|| files.missing("a name", version.names_suffix()));
        let notes = games.into_iter().chain(names);
        notes.filter(|_| self.game_count > 0).collect()
    }

    /// Returns all names, reading them on first use. O(size of the names file) once.
    fn all_names(&self) -> Result<&Names> {
        self.read_names().as_ref().map_err(Clone::clone)
    }

    fn read_names(&self) -> &Result<Names> {
        let read = || match &self.files.names {
            Some(file) => match self.version {
                Version::Si5 => Ok(names5::parse(&file.bytes, self.salvage)),
                _ if self.salvage => Ok(salvage::names(&file.bytes)),
                _ => Names::parse(&file.bytes).map_err(|error| error.at_path(&file.path)),
            },
            None => Err(self.files.missing("a name", self.version.names_suffix())),
        };
        let read = || read().map(|names| names.converted(self.said));
        self.names.get_or_init(read)
    }

    /// Returns how texts are read. The first call reads all names, unless somebody said it.
    pub(super) fn charset(&self) -> Charset {
        let usual = Charset::Latin1;
        match self.said {
            Some(_) => usual.or(self.said),
            None => self
                .read_names()
                .as_ref()
                .map_or(usual, |names| names.charset),
        }
    }
}

impl Store for Scid4 {
    fn kind(&self) -> FormatKind {
        match self.version {
            Version::Si3 => FormatKind::Scid3,
            Version::Si4 => FormatKind::Scid4,
            Version::Si5 => FormatKind::Scid5,
        }
    }

    fn game_count(&self) -> u32 {
        self.game_count as u32
    }

    /// Up to 107 bytes, except in `.si5`, which stores it in the names file.
    fn description(&self) -> String {
        if self.version == Version::Si5 {
            let names = self.all_names();
            let text = names.map_or(&[][..], |names| &names.description);
            return self.charset().decode(text).into_owned();
        }
        let text = self.files.index.bytes.get(20..128).unwrap_or_default();
        let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
        self.charset().decode(text).into_owned()
    }

    fn encoding(&self) -> Option<TextEncoding> {
        self.charset().encoding()
    }

    fn files(&self) -> Vec<&File> {
        self.files.all()
    }

    fn names(&self, kind: NameKind) -> Result<&NameList> {
        Ok(self.all_names()?.list(kind))
    }

    fn names_faults(&self) -> (Option<Error>, Vec<Error>) {
        let path = self.files.names.as_ref().map(|file| &file.path);
        let path = path.unwrap_or(&self.files.index.path);
        match self.all_names() {
            Ok(names) => {
                let at_path = |fault: &Error| fault.clone().at_path(path);
                let oddities = names.oddities.iter().map(at_path);
                (names.damage.as_ref().map(at_path), oddities.collect())
            }
            Err(error) => (Some(error), Vec::new()),
        }
    }

    fn require_games(&self) -> Result<()> {
        match self.files.games {
            Some(_) => Ok(()),
            None => {
                let suffix = self.version.games_suffix();
                Err(self.files.missing("the moves of a game", suffix))
            }
        }
    }

    fn games_path(&self) -> &Path {
        let file = self.files.games.as_ref().unwrap_or(&self.files.index);
        &file.path
    }
}

/// Reports where the length of the record area contradicts the record size or the header's count.
fn length_notes(version: Version, area_bytes: usize, claimed: usize) -> Vec<Error> {
    let mut notes = Vec::new();
    let present = area_bytes / version.record_bytes();
    if present * version.record_bytes() != area_bytes {
        let end = version.header_bytes() + area_bytes;
        notes.push(Error::corrupt(flaws::INDEX_ENDS_IN_RECORD).at_offset(end as u64));
    }
    if present != claimed {
        let what = if present < claimed {
            flaws::FEWER_RECORDS
        } else {
            flaws::MORE_RECORDS
        };
        notes.push(Error::corrupt(what).at_offset(14));
    }
    notes
}
