//! Opening a database by the table of formats, and what all formats answer alike.

mod paths;
mod set;
mod settings;
mod table;
mod window;

use std::{ops::Range, path::Path};

use tabiya_chess::{GameId, NameKind};

pub use self::{
    paths::{
        SET_SUFFIX, database_suffixes, has_database_name, is_database_entry, is_set,
        may_belong_to_database, source_files, stands_for_database,
    },
    set::{databases_named, left_out, window_entries},
    settings::{FindIndex, OpenSettings},
    table::{FormatKind, Opened, SUPPORT, Support},
    window::{EntryState, WindowEntry},
};
use self::{
    paths::{index_of_stem, index_path},
    table::{FORMATS, Format, Found},
};
use super::{
    File, Files, Report, Runs,
    encoding::TextEncoding,
    names::NameList,
    pgn::{self, PgnFile},
    publish,
    scid4::{self, Scid4, Version},
    suffix::{companion_path, has_end, has_suffix},
};
use crate::error::{Error, ErrorKind, Result};
use crate::progress::Progress;
#[cfg(feature = "training")]
use crate::viriformat;
#[cfg(feature = "scdb")]
use crate::{
    scdb::{self, Scdb},
    suffix::SCDB,
};

/// What does not depend on how games are stored: for everything outside hot paths.
pub trait Store: Sync {
    /// Returns the format.
    fn kind(&self) -> FormatKind;

    /// Returns the number of games.
    fn game_count(&self) -> u32;

    /// Returns the number of games before the first one, if this is a part of a longer text.
    fn games_before(&self) -> u32 {
        0
    }

    /// Returns the number of bytes before the text from which offsets of games count, if this is a
    /// part of a longer one.
    fn bytes_before(&self) -> u64 {
        0
    }

    /// Returns which part of a file this is, if it is one that has an index of its own.
    fn part(&self) -> Option<IndexedPart> {
        None
    }

    /// Returns the description that the user gave the database; empty if none.
    fn description(&self) -> String {
        String::new()
    }

    /// Returns the encoding of its texts, if it is another than those that the format prescribes or
    /// that are told apart letter by letter. The first call may read the names.
    fn encoding(&self) -> Option<TextEncoding> {
        None
    }

    /// Returns the files, the index first.
    fn files(&self) -> Vec<&File>;

    /// Returns the names of one kind. The first call may read a file.
    fn names(&self, kind: NameKind) -> Result<&NameList>;

    /// Returns the number of names of one kind. The first call may read a file.
    fn name_count(&self, kind: NameKind) -> Result<usize> {
        Ok(self.names(kind)?.named())
    }

    /// Returns how many of the first `games` games of the first `bytes` bytes of the games stay the
    /// same whatever is appended to these.
    fn settled_games(&self, games: u32, bytes: u64) -> u32 {
        let _ = bytes;
        games
    }

    /// Returns why some names are unavailable, and what else is wrong in the name files.
    fn names_faults(&self) -> (Option<Error>, Vec<Error>) {
        (None, Vec::new())
    }

    /// Returns the index that was made from the games, as bytes, if it is worth keeping in a
    /// sidecar: if the files hold none, and it takes long to make.
    fn index(&self) -> Option<Runs<'_>> {
        None
    }

    /// Makes the [index](Store::index) anew if it came from a sidecar, and returns an error if it
    /// is another one.
    fn index_fault(&self, progress: Report<'_>) -> Result<Option<Error>> {
        let _ = progress;
        Ok(None)
    }

    /// Returns an error if the games file is missing.
    fn require_games(&self) -> Result<()> {
        Ok(())
    }

    /// Returns the path of the file that holds the games.
    fn games_path(&self) -> &Path;

    /// Returns what is wrong with a game if the format can be more precise than an offset: in text,
    /// the line. `None` if it cannot, or nothing is wrong.
    fn fault(&self, game: GameId) -> Option<Error> {
        let _ = game;
        None
    }
}

/// A part of a file that is too long to be opened whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedPart {
    /// Its number, from 1 on.
    pub number: u32,
    /// The bytes of the file that it is in.
    pub bytes: Range<usize>,
}

impl Opened {
    /// Opens the database that a path denotes: one of its files, the common stem, or an archive.
    /// Also returns notes about oddities of the files.
    pub fn open(path: &Path, options: &OpenSettings, progress: Report<'_>) -> Result<Found> {
        publish::wait_for_change(path)?;
        let before = publish::unfinished(path);
        let mut opened = Opened::open_complete(path, options, progress);
        let is_io = |error: &Error| matches!(error.kind(), ErrorKind::Io { .. });
        let mut unfinished = publish::unfinished(path);
        if before.is_some() && unfinished.is_none() && opened.as_ref().is_err_and(is_io) {
            // Another process has just renamed the files to their final names.
            opened = Opened::open_complete(path, options, progress);
            unfinished = publish::unfinished(path);
        }
        match (opened, unfinished) {
            (Ok((opened, mut notes)), Some(unfinished)) => {
                notes.push(unfinished);
                Ok((opened, notes))
            }
            // Without an index, the record of the replacement says where the database is.
            (Err(error), Some(unfinished)) if is_io(&error) => Err(unfinished),
            (opened, _) => opened,
        }
    }

    /// Opens a database whose files all have their final names.
    fn open_complete(path: &Path, options: &OpenSettings, progress: Report<'_>) -> Result<Found> {
        if options.is_standard_input(path) {
            let bytes = pgn::standard_input().map_err(|error| error.at_path(path))?;
            let file = File::in_memory(path.to_owned(), bytes);
            let (pgn, notes) = PgnFile::open(file, options, progress)?;
            return Ok((Opened::Pgn(Box::new(pgn)), notes));
        }
        if let Some(format) = FORMATS.iter().find(|format| format.is_alone(path)) {
            return (format.open)(path, options, progress);
        }
        let index = index_path(path);
        let is_named = |format: &&Format| {
            let name = format.family.first();
            name.is_some_and(|name| has_suffix(&index, &[name]))
        };
        // Whatever its name, an index says by its first bytes what it is.
        let open = FORMATS.iter().find(is_named).map(|format| format.open);
        open.unwrap_or(open_index)(&index, options, progress)
    }

    /// Opens a database from loaded files, in the format given or identified by the index.
    pub fn from_files(format: Option<FormatKind>, files: Files) -> Result<Found> {
        #[cfg(feature = "scdb")]
        if scdb::is_index(&files.index.bytes) {
            return open_scdb(files, &OpenSettings::default());
        }
        if format == Some(FormatKind::Pgn) {
            let options = OpenSettings::default();
            let (pgn, notes) = PgnFile::open(files.index, &options, &mut Progress::ignore)?;
            return Ok((Opened::Pgn(Box::new(pgn)), notes));
        }
        let version = match format {
            Some(FormatKind::Scid5) => Version::Si5,
            _ => version_of(&files.index)?,
        };
        open_scid(version, files, &OpenSettings::default())
    }
}

impl Format {
    /// Tells whether a path is that of a file or folder which is a database by itself.
    fn is_alone(&self, path: &Path) -> bool {
        // A stem may also be the name of a folder.
        let is_folder = || path.is_dir() && index_of_stem(path).is_none();
        let is = |end: &&str| has_end(path, end) || *end == "/" && is_folder();
        self.alone.iter().any(is) || has_suffix(path, self.inside)
    }
}

/// Opens a database by its index, which says by its first bytes or its name what it is.
pub(super) fn open_index(path: &Path, options: &OpenSettings, report: Report<'_>) -> Result<Found> {
    let (access, salvage) = (options.access, options.salvage);
    let index = File::open(path, access)?;
    let companion = |suffix| File::open(&companion_path(path, suffix), access).ok();
    let is_named = |suffix| salvage && has_suffix(path, &[suffix]);
    #[cfg(feature = "scdb")]
    if scdb::is_index(&index.bytes) || is_named("dci") {
        let [_, games, players, sites, events] = *SCDB;
        let files = Files {
            games: companion(games),
            names: companion(players),
            sites: companion(sites),
            events: companion(events),
            index,
        };
        return open_scdb(files, options);
    }
    let version = match () {
        () if has_suffix(path, &["si5"]) => Version::Si5,
        // A header that says otherwise is damaged, and says so as a note.
        () if is_named("si4") => Version::Si4,
        () if is_named("si3") => Version::Si3,
        () if index.bytes.starts_with(scid4::MAGIC) => version_of(&index)?,
        #[cfg(feature = "training")]
        () if has_suffix(path, &["bin"]) && viriformat::is_viriformat(&index.bytes) => {
            let (opened, notes) = viriformat::open(index, report)?;
            return Ok((Opened::Viriformat(Box::new(opened)), notes));
        }
        () if pgn::seems_pgn(&index.bytes) => {
            let (pgn, notes) = PgnFile::open(index, options, report)?;
            return Ok((Opened::Pgn(Box::new(pgn)), notes));
        }
        () => return Err(not_an_index(&index)),
    };
    let files = Files {
        games: companion(version.games_suffix()),
        names: companion(version.names_suffix()),
        sites: None,
        events: None,
        index,
    };
    open_scid(version, files, options)
}

#[cfg(feature = "scdb")]
fn open_scdb(files: Files, options: &OpenSettings) -> Result<Found> {
    let path = files.index.path.clone();
    let (scdb, notes) = Scdb::open(files, options).map_err(|error| error.at_path(&path))?;
    let opened = if scdb.is_long() {
        Opened::Scdb11(Box::new(scdb))
    } else {
        Opened::Scdb(Box::new(scdb))
    };
    Ok((opened, notes))
}

fn open_scid(version: Version, files: Files, options: &OpenSettings) -> Result<Found> {
    let path = files.index.path.clone();
    let opened = Scid4::open(version, files, options).map_err(|error| error.at_path(&path))?;
    let (scid, notes) = (Box::new(opened.0), opened.1);
    let opened = match version {
        Version::Si3 => Opened::Scid3(scid),
        Version::Si4 => Opened::Scid4(scid),
        Version::Si5 => Opened::Scid5(scid),
    };
    Ok((opened, notes))
}

fn version_of(index: &File) -> Result<Version> {
    Version::of_header(&index.bytes).map_err(|error| error.at_path(&index.path))
}

/// Explains as well as possible why a file is not an index.
fn not_an_index(file: &File) -> Error {
    if file.bytes.is_empty() {
        return Error::truncated("the index", 10, 0).at_path(&file.path);
    }
    let kind = if file.bytes.starts_with(b"PAR1") {
        ErrorKind::Unsupported {
            what: "Parquet (`tabiya-sql` reads it; `tabiya-sql convert FILE games.si5` makes a \
                   database of its games)",
        }
    } else {
        ErrorKind::UnknownFormat
    };
    Error::new(kind).at_path(&file.path)
}
