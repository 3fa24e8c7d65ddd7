//! An open database, whichever format it has.

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use shakmaty::Color;

use crate::{
    chess::{GameId, NameId, NameKind, text::decode},
    error::{Error, ErrorKind, Result},
    filter::names::FoldedNames,
    format::{
        Access, Damage, File, Files, FormatKind, GameHeader, Header, NameSlot, Parts, Rating,
        Scratch, View, Visitor,
        header::{RecordFacts, flag},
        names::NameList,
        scid4::{self, Scid4, Version},
    },
    source::Source,
};

/// Runs an expression on the [`View`] of a database, compiled for each format.
macro_rules! with_view {
    ($database:expr, $view:ident => $body:expr) => {
        match $database.version() {
            $crate::format::scid4::Version::Si4 => {
                let $view = $database.scid4().si4();
                $body
            }
            $crate::format::scid4::Version::Si3 => {
                let $view = $database.scid4().si3();
                $body
            }
        }
    };
}
pub(crate) use with_view;

/// An open chess database.
///
/// Its files are mapped, not read: opening costs the same for ten games and ten million. Only
/// what a question needs is touched. A mapped file that another program *shortens* while it is
/// open can end this process; who cannot exclude that uses [`Database::read`].
///
/// A `Database` can be shared between threads.
#[derive(Debug)]
pub struct Database {
    scid4: Scid4,
    path: PathBuf,
    notes: Vec<Error>,
    folded: [OnceLock<FoldedNames>; 4],
}

impl Database {
    /// Opens a database by mapping its files. O(1).
    ///
    /// The path may name any of the database's files, or the stem that they share. A missing
    /// games or names file is a [note](Database::notes): what does not need it still works.
    ///
    /// # Errors
    /// `Io` when the index cannot be opened, `UnknownFormat` when it is none,
    /// `UnsupportedVersion`, `Truncated` or `Corrupt` when its header is wrong.
    pub fn open(path: impl AsRef<Path>) -> Result<Database> {
        Database::with_access(path.as_ref(), Access::Map)
    }

    /// Opens a database by reading all its files into memory. O(bytes of the files).
    ///
    /// # Errors
    /// As [`Database::open`].
    pub fn read(path: impl AsRef<Path>) -> Result<Database> {
        Database::with_access(path.as_ref(), Access::Read)
    }

    /// Opens a database whose files are in memory already.
    ///
    /// # Errors
    /// As [`Database::open`], without a path.
    pub fn from_bytes(parts: Parts) -> Result<Database> {
        let file = |name: &str, bytes| File {
            path: PathBuf::from(name),
            bytes: Source::from_vec(bytes),
        };
        Database::from_files(Files {
            index: file("(index in memory)", parts.index),
            games: parts.games.map(|bytes| file("(games in memory)", bytes)),
            names: parts.names.map(|bytes| file("(names in memory)", bytes)),
        })
    }

    fn with_access(path: &Path, access: Access) -> Result<Database> {
        let index = File::open(&index_path(path), access)?;
        let header = index.bytes.get(..10).unwrap_or(&index.bytes);
        if !header.starts_with(scid4::MAGIC) {
            return Err(not_an_index(&index));
        }
        let version = match header.ends_with(&[0x01, 0x2c]) {
            true => Version::Si3,
            false => Version::Si4,
        };
        let companion = |suffix| File::open(&companion_path(&index.path, suffix), access).ok();
        Database::from_files(Files {
            games: companion(version.games_suffix()),
            names: companion(version.names_suffix()),
            index,
        })
    }

    fn from_files(files: Files) -> Result<Database> {
        let path = files.index.path.clone();
        let (scid4, mut notes) = Scid4::open(files).map_err(|error| error.at_path(&path))?;
        let (files, version) = (scid4.files(), scid4.version());
        if files.games.is_none() && scid4.game_count() > 0 {
            notes.push(files.missing("the moves of a game", version.games_suffix()));
        }
        if files.names.is_none() && scid4.game_count() > 0 {
            notes.push(files.missing("a name", version.names_suffix()));
        }
        Ok(Database {
            scid4,
            path,
            notes,
            folded: Default::default(),
        })
    }

    pub(crate) fn scid4(&self) -> &Scid4 {
        &self.scid4
    }

    pub(crate) fn version(&self) -> Version {
        self.scid4.version()
    }

    /// Returns the path of the index.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the database's short name: the stem of its path.
    #[must_use]
    pub fn name(&self) -> String {
        let stem = self.path.file_stem().unwrap_or_default();
        stem.to_string_lossy().into_owned()
    }

    /// Returns which format it has.
    #[must_use]
    pub fn kind(&self) -> FormatKind {
        match self.version() {
            Version::Si3 => FormatKind::Scid3,
            Version::Si4 => FormatKind::Scid4,
        }
    }

    /// Returns the number of games.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.scid4.game_count() as u32
    }

    /// Tells whether there are no games.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the description that its user gave the database; empty if none.
    #[must_use]
    pub fn description(&self) -> String {
        self.scid4.description()
    }

    /// Returns what is odd about the files but does not keep them from being used.
    #[must_use]
    pub fn notes(&self) -> &[Error] {
        &self.notes
    }

    /// Returns the files with their sizes in bytes: index, games, names.
    #[must_use]
    pub fn files(&self) -> Vec<(PathBuf, u64)> {
        let files = self.scid4.files();
        [
            Some(&files.index),
            files.games.as_ref(),
            files.names.as_ref(),
        ]
        .into_iter()
        .flatten()
        .map(|file| (file.path.clone(), file.bytes.len() as u64))
        .collect()
    }

    /// Returns whether the games can be decoded, or why not.
    pub(crate) fn require_games(&self) -> Result<()> {
        match (&self.scid4.files().games, self.is_empty()) {
            (None, false) => {
                let suffix = self.version().games_suffix();
                Err(self.scid4.files().missing("the moves of a game", suffix))
            }
            _ => Ok(()),
        }
    }

    /// Returns the names of one kind. The first call reads the names file.
    ///
    /// # Errors
    /// `Missing` without a names file; `Corrupt` or `Truncated` when its header is wrong.
    pub(crate) fn names(&self, kind: NameKind) -> Result<&NameList> {
        Ok(self.scid4.names()?.list(kind))
    }

    /// Returns the names of one kind, folded for searching. O(bytes of the names) at first use.
    pub(crate) fn folded_names(&self, kind: NameKind) -> Result<&FoldedNames> {
        let names = self.names(kind)?;
        Ok(self.folded[kind as usize].get_or_init(|| FoldedNames::new(names)))
    }

    /// Returns how many names of one kind there are. The first call reads the names file.
    ///
    /// # Errors
    /// `Missing` without a names file; `Corrupt` or `Truncated` when its header is wrong.
    pub fn name_count(&self, kind: NameKind) -> Result<usize> {
        Ok(self.names(kind)?.len())
    }

    /// Returns a name by its number; `None` when there is no such name.
    ///
    /// # Errors
    /// As [`name_count`](Database::name_count).
    pub fn name_of(&self, kind: NameKind, id: NameId) -> Result<Option<String>> {
        let name = self.names(kind)?.get(id);
        Ok(name.map(|bytes| decode(bytes).into_owned()))
    }

    /// Tells whether there is such a game.
    pub(crate) fn check(&self, game: GameId) -> Result<()> {
        if game.0 < self.len() {
            return Ok(());
        }
        let kind = ErrorKind::NoSuchGame {
            number: u64::from(game.0) + 1,
            games: self.len().into(),
        };
        Err(Error::new(kind).at_path(&self.path))
    }

    /// Returns a game's header. Names that cannot be had, because the file is missing or
    /// damaged or the number is out of range, read as `?`.
    ///
    /// # Errors
    /// `NoSuchGame`.
    pub fn header(&self, game: GameId) -> Result<GameHeader> {
        self.check(game)?;
        Ok(with_view!(self, view => self.header_of(&view.records()[game.index()])))
    }

    fn header_of<R: Header>(&self, record: &R) -> GameHeader {
        let name = |slot: NameSlot| {
            let names = self.scid4.names().ok();
            let bytes = names.and_then(|names| names.list(slot.kind()).get(record.name(slot)));
            bytes.map_or_else(|| "?".to_owned(), |bytes| decode(bytes).into_owned())
        };
        let rating = |color| {
            record.rating(color).map(|value| Rating {
                value,
                kind: record.rating_kind(color),
            })
        };
        GameHeader {
            event: name(NameSlot::Event),
            site: name(NameSlot::Site),
            date: record.date(),
            round: name(NameSlot::Round),
            white: name(NameSlot::White),
            black: name(NameSlot::Black),
            result: record.result(),
            white_rating: rating(Color::White),
            black_rating: rating(Color::Black),
            eco: record.eco(),
            event_date: record.event_date(),
            marks: record.flags() & flag::MARKS,
        }
    }

    /// Returns what a game's index record tells besides the header.
    ///
    /// # Errors
    /// `NoSuchGame`.
    pub fn facts(&self, game: GameId) -> Result<RecordFacts> {
        self.check(game)?;
        Ok(with_view!(self, view => view.records()[game.index()].facts()))
    }

    /// Tells a visitor everything about a game but its header: tags, start, moves, variations,
    /// comments, NAGs.
    ///
    /// # Errors
    /// `NoSuchGame`; `Missing` without a games file; `Corrupt` with the offset when the game is
    /// damaged, after the visitor has been told what comes before the damage.
    pub fn visit<V: Visitor + ?Sized>(&self, game: GameId, visitor: &mut V) -> Result<()> {
        self.check(game)?;
        self.require_games()?;
        let mut scratch = Scratch::default();
        with_view!(self, view => {
            let record = &view.records()[game.index()];
            view.visit(record, &mut scratch, visitor)
                .map_err(|damage| self.damaged(game, record, damage))
        })
    }

    /// Turns what a decoder found wrong into an error.
    pub(crate) fn damaged<R: Header>(&self, game: GameId, record: &R, damage: Damage) -> Error {
        let games = self.scid4.files().games.as_ref();
        let path = games.map_or(&self.path, |file| &file.path);
        Error::corrupt(damage.what)
            .in_game(game.number())
            .at_offset(record.offset_bytes() + u64::from(damage.at))
            .at_path(path)
    }
}

/// Finds the index file that a path means: itself, its index, or itself with an index's suffix.
fn index_path(path: &Path) -> PathBuf {
    let suffix = path.extension().unwrap_or_default().to_string_lossy();
    let index = match suffix.to_ascii_lowercase().as_str() {
        "sg4" | "sn4" => companion_path(path, "si4"),
        "sg3" | "sn3" => companion_path(path, "si3"),
        _ => path.to_owned(),
    };
    if index.is_file() || suffix.starts_with("si") {
        return index;
    }
    // A stem: its suffix is appended, since a dot may be part of the name.
    let with = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    [".si4", ".si3"]
        .into_iter()
        .map(with)
        .find(|candidate| candidate.is_file())
        .unwrap_or(index)
}

/// Returns the path of another file of the same database; in capitals if only that is there.
fn companion_path(path: &Path, suffix: &str) -> PathBuf {
    let small = path.with_extension(suffix);
    let capital = path.with_extension(suffix.to_ascii_uppercase());
    if !small.exists() && capital.exists() {
        capital
    } else {
        small
    }
}

/// Says as well as possible why a file is no index.
fn not_an_index(file: &File) -> Error {
    if file.bytes.is_empty() {
        return Error::truncated("the index", 10, 0).at_path(&file.path);
    }
    Error::new(ErrorKind::UnknownFormat).at_path(&file.path)
}
