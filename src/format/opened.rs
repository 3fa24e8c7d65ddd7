//! Detects the format of a database; what all formats answer alike.

use std::{cell::RefCell, path::Path};

use super::{
    File, Files, FormatKind, OpenOptions, Report,
    chessbase::{ChessBase, Companion, archive::Archive},
    jose::{self, JoseBase},
    monty::{self, MontyFile},
    names::NameList,
    paths::{
        companion_path, has_suffix, index_of_stem, index_path, is_chessbase, is_chessbase_archive,
        is_new_chessbase,
    },
    pgn::{PgnFile, has_pgn_name, standard_input},
    publish,
    scdb::{self, Scdb},
    scid4::{self, Scid4, Version},
};
use crate::{
    chess::{GameId, NameKind},
    error::{Error, ErrorKind, Result},
};

/// What does not depend on how games are stored: for everything outside hot paths.
pub(crate) trait Store {
    /// Returns the format.
    fn kind(&self) -> FormatKind;

    /// Returns the number of games.
    fn game_count(&self) -> u32;

    /// Returns the description that the user gave the database; empty if none.
    fn description(&self) -> String {
        String::new()
    }

    /// Returns the files, the index first.
    fn files(&self) -> Vec<&File>;

    /// Returns the names of one kind. The first call may read a file.
    fn names(&self, kind: NameKind) -> Result<&NameList>;

    /// Returns the number of names of one kind. The first call may read a file.
    fn name_count(&self, kind: NameKind) -> Result<usize> {
        Ok(self.names(kind)?.named())
    }

    /// Returns why some names are unavailable, and what else is wrong in the name files.
    fn names_faults(&self) -> (Option<Error>, Vec<Error>) {
        (None, Vec::new())
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

/// The files of an open database, by format.
#[derive(Debug)]
pub(crate) enum Opened {
    Scid3(Scid4),
    Scid4(Scid4),
    Scid5(Scid4),
    ChessBase(Box<ChessBase>),
    Scdb(Box<Scdb>),
    Scdb11(Box<Scdb>),
    Pgn(Box<PgnFile>),
    Monty(Box<MontyFile>),
    Jose(Box<JoseBase>),
}

/// Evaluates an expression on the [`View`](super::View) of a database, compiled for each format.
macro_rules! with_view {
    ($database:expr, $view:ident => $body:expr) => {
        match $database.opened() {
            $crate::format::Opened::Scid3(scid) => {
                let $view = scid.si3();
                $body
            }
            $crate::format::Opened::Scid4(scid) => {
                let $view = scid.si4();
                $body
            }
            $crate::format::Opened::Scid5(scid) => {
                let $view = scid.si5();
                $body
            }
            $crate::format::Opened::ChessBase(chessbase) => {
                let $view = chessbase.games();
                $body
            }
            $crate::format::Opened::Scdb(scdb) => {
                let $view = scdb.short();
                $body
            }
            $crate::format::Opened::Scdb11(scdb) => {
                let $view = scdb.long();
                $body
            }
            $crate::format::Opened::Monty(monty) => {
                let $view = monty.games();
                $body
            }
            $crate::format::Opened::Jose(jose) => {
                let $view = jose.games();
                $body
            }
            $crate::format::Opened::Pgn(pgn) => {
                let $view = pgn.games();
                $body
            }
        }
    };
}
pub(crate) use with_view;

impl Opened {
    /// Opens the database that a path denotes: one of its files, the common stem, or an archive.
    /// Also returns notes about oddities of the files.
    pub(crate) fn open(
        path: &Path,
        options: &OpenOptions,
        progress: Report<'_>,
    ) -> Result<(Opened, Vec<Error>)> {
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
    fn open_complete(
        path: &Path,
        options: &OpenOptions,
        progress: Report<'_>,
    ) -> Result<(Opened, Vec<Error>)> {
        if let Some(opened) = Opened::surveyed(path, options, progress) {
            return opened;
        }
        let (path, access) = (index_path(path), options.access);
        if is_new_chessbase(&path) {
            let what = "the .2cbh format of newer ChessBase programs (neither headers nor moves \
                        are read; a copy as .cbh or PGN is)";
            return Err(Error::new(ErrorKind::Unsupported { what }).at_path(&path));
        }
        let index = File::open(&path, access)?;
        if is_chessbase_archive(&path) {
            return Opened::from_archive(&index, options)
                .map_err(|error| error.at_path(&index.path));
        }
        if is_chessbase(&path) {
            let companion = |companion: Companion| {
                File::open(&companion_path(&path, companion.suffix()), access).ok()
            };
            return Opened::chessbase(index, options, companion);
        }
        Opened::from_index(index, options)
    }

    /// Opens a database by its index, whose first bytes or name identify the format.
    fn from_index(index: File, options: &OpenOptions) -> Result<(Opened, Vec<Error>)> {
        let (access, salvage) = (options.access, options.salvage);
        let companion = |suffix| File::open(&companion_path(&index.path, suffix), access).ok();
        let is_named = |suffix| salvage && has_suffix(&index.path, &[suffix]);
        if scdb::is_index(&index.bytes) || is_named(scdb::SUFFIXES[0]) {
            let [_, games, players, sites, events] = scdb::SUFFIXES;
            return Opened::scdb(
                Files {
                    games: companion(games),
                    names: companion(players),
                    sites: companion(sites),
                    events: companion(events),
                    index,
                },
                salvage,
            );
        }
        let version = match has_suffix(&index.path, &["si5"]) {
            true => Version::Si5,
            // A header that contradicts the name is damaged, and is reported in a note.
            false if is_named("si4") => Version::Si4,
            false if is_named("si3") => Version::Si3,
            false if index.bytes.starts_with(scid4::MAGIC) => version_of(&index)?,
            false => return Err(not_an_index(&index)),
        };
        let files = Files {
            games: companion(version.games_suffix()),
            names: companion(version.names_suffix()),
            sites: None,
            events: None,
            index,
        };
        Opened::scid(version, files, salvage)
    }

    fn chessbase(
        index: File,
        options: &OpenOptions,
        companion: impl FnMut(Companion) -> Option<File>,
    ) -> Result<(Opened, Vec<Error>)> {
        let (mut chessbase, notes) = ChessBase::open(index, companion, options.salvage)?;
        chessbase.set_language(options.language);
        Ok((Opened::ChessBase(Box::new(chessbase)), notes))
    }

    /// Opens the ChessBase database in an archive. Unpacks its files into memory.
    fn from_archive(file: &File, options: &OpenOptions) -> Result<(Opened, Vec<Error>)> {
        let password = options.password.as_deref();
        let archive = if options.salvage {
            Archive::salvage(&file.bytes, password)?
        } else {
            Archive::open(&file.bytes, password)?
        };
        let members = archive.set_of_files();
        let damage = RefCell::new(Vec::new());
        let unpack = |member: usize| -> Result<File> {
            let path = file.path.join(archive.members()[member].name());
            let bytes = if options.salvage {
                let (bytes, fault) = archive.unpack_salvaged(member);
                damage
                    .borrow_mut()
                    .extend(fault.map(|fault| fault.at_path(&path)));
                bytes
            } else {
                archive.unpack(member)?
            };
            Ok(File::in_memory(path, bytes))
        };
        let Some((_, index)) = members.first() else {
            return Err(Error::corrupt("the archive holds no ChessBase database"));
        };
        let mut faults = Vec::new();
        let companion = |companion: Companion| {
            let (_, member) = members
                .iter()
                .find(|(suffix, _)| suffix == companion.suffix())?;
            unpack(*member).map_err(|fault| faults.push(fault)).ok()
        };
        let (opened, mut notes) = Opened::chessbase(unpack(*index)?, options, companion)?;
        notes.extend(faults);
        notes.extend(damage.into_inner());
        Ok((opened, notes))
    }

    /// Opens a database from loaded files, in the format given or identified by the index.
    pub(crate) fn from_files(
        format: Option<FormatKind>,
        files: Files,
    ) -> Result<(Opened, Vec<Error>)> {
        if scdb::is_index(&files.index.bytes) {
            return Opened::scdb(files, false);
        }
        let version = match format {
            Some(FormatKind::Scid5) => Version::Si5,
            _ => version_of(&files.index)?,
        };
        Opened::scid(version, files, false)
    }

    fn scdb(files: Files, salvage: bool) -> Result<(Opened, Vec<Error>)> {
        let path = files.index.path.clone();
        let (scdb, notes) = Scdb::open(files, salvage).map_err(|error| error.at_path(&path))?;
        let opened = if scdb.is_long() {
            Opened::Scdb11(Box::new(scdb))
        } else {
            Opened::Scdb(Box::new(scdb))
        };
        Ok((opened, notes))
    }

    fn scid(version: Version, files: Files, salvage: bool) -> Result<(Opened, Vec<Error>)> {
        let path = files.index.path.clone();
        let (scid, notes) =
            Scid4::open(version, files, salvage).map_err(|error| error.at_path(&path))?;
        let opened = match version {
            Version::Si3 => Opened::Scid3(scid),
            Version::Si4 => Opened::Scid4(scid),
            Version::Si5 => Opened::Scid5(scid),
        };
        Ok((opened, notes))
    }

    /// Opens a file of a format without records, which is read completely once; `None` if the path
    /// is of another format.
    fn surveyed(
        path: &Path,
        options: &OpenOptions,
        progress: Report<'_>,
    ) -> Option<Result<(Opened, Vec<Error>)>> {
        let (access, salvage) = (options.access, options.salvage);
        let is_standard_input = options.is_standard_input(path);
        let open = || {
            if is_standard_input {
                let bytes = standard_input().map_err(|error| error.at_path(path))?;
                return Ok(File::in_memory(path.to_owned(), bytes));
            }
            File::open(path, access)
        };
        if is_standard_input || has_pgn_name(path) {
            let opened = open().and_then(|file| PgnFile::open(file, progress));
            return Some(opened.map(|(pgn, notes)| (Opened::Pgn(Box::new(pgn)), notes)));
        }
        if jose::has_archive_name(path) {
            let opened = open().and_then(|file| JoseBase::open_archive(file, salvage, progress));
            return Some(opened.map(|(jose, notes)| (Opened::Jose(Box::new(jose)), notes)));
        }
        // A stem may also be the name of a folder.
        if let Some(folder) = jose::folder_of(path)
            && index_of_stem(path).is_none()
        {
            let opened = JoseBase::open_folder(&folder, options, progress);
            return Some(opened.map(|(jose, notes)| (Opened::Jose(Box::new(jose)), notes)));
        }
        if monty::has_monty_name(path) {
            let opened = open().and_then(|file| MontyFile::open(file, salvage, progress));
            return Some(opened.map(|(monty, notes)| (Opened::Monty(Box::new(monty)), notes)));
        }
        None
    }

    /// Returns the format-independent interface.
    pub(crate) fn store(&self) -> &dyn Store {
        match self {
            Opened::Scid3(scid) | Opened::Scid4(scid) | Opened::Scid5(scid) => scid,
            Opened::ChessBase(chessbase) => &**chessbase,
            Opened::Scdb(scdb) | Opened::Scdb11(scdb) => &**scdb,
            Opened::Pgn(pgn) => &**pgn,
            Opened::Jose(jose) => &**jose,
            Opened::Monty(monty) => &**monty,
        }
    }
}

fn version_of(index: &File) -> Result<Version> {
    Version::of_header(&index.bytes).map_err(|error| error.at_path(&index.path))
}

/// Explains as well as possible why a file is not an index.
fn not_an_index(file: &File) -> Error {
    if file.bytes.is_empty() {
        return Error::truncated("the index", 10, 0).at_path(&file.path);
    }
    Error::new(ErrorKind::UnknownFormat).at_path(&file.path)
}
