//! An open database, whichever format it has.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use shakmaty::Color;

pub(crate) use crate::format::with_view;
use crate::{
    chess::{Flow, GameId, NameId, NameKind, text::decode},
    error::{Error, ErrorKind, Result},
    filter::StoredLines,
    format::{
        Damage, File, Files, FormatKind, GameHeader, Header, NameSlot, OpenOptions, OpenProgress,
        Opened, Parts, Rating, Scratch, Store, View, Visitor,
        header::{RecordFacts, flag},
        monty::Layout,
        names::{Folded, NameList},
    },
    sidecar::Sidecar,
};

/// An open chess database.
///
/// Its files are mapped, not read: opening costs the same for ten games and ten million. Only
/// what a question needs is touched. A mapped file that another program *shortens* while it is
/// open can end this process; who cannot exclude that uses [`Database::read`].
///
/// A `Database` can be shared between threads.
#[derive(Debug)]
pub struct Database {
    opened: Opened,
    path: PathBuf,
    notes: Vec<Error>,
    folded: [OnceLock<Folded>; 4],
    lines: OnceLock<StoredLines>,
    sidecar: Option<Arc<Sidecar>>,
}

impl OpenOptions {
    /// Opens a database. O(1) unless it is read into memory or unpacked from an archive.
    ///
    /// The path may name any of the database's files, the stem that they share, or an archive
    /// of ChessBase (`.cbv`, `.cbz`).
    ///
    /// # Errors
    /// As [`Database::open`]; for archives also `WrongPassword`, and `LimitExceeded` for those
    /// that would unpack to far more than their size.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<Database> {
        self.open_with_progress(path, &mut |_| Flow::Continue(()))
    }

    /// As [`open`](OpenOptions::open), for files that must be read through once: `progress` is
    /// told now and then how far that is.
    ///
    /// # Errors
    /// As [`open`](OpenOptions::open), and `Interrupted` after a `Break` from `progress`.
    pub fn open_with_progress(
        &self,
        path: impl AsRef<Path>,
        progress: &mut dyn FnMut(OpenProgress) -> Flow,
    ) -> Result<Database> {
        let mut database = Opened::open(path.as_ref(), self, progress).map(Database::new)?;
        if self.sidecar {
            match Sidecar::open(database.store(), self.access) {
                Ok(sidecar) => database.sidecar = sidecar,
                Err(note) => database.notes.push(note),
            }
        }
        Ok(database)
    }
}

impl Database {
    /// Opens a database by mapping its files. O(1), but for formats whose files hold no records
    /// (PGN): their games are read once, on all processors, and 80 bytes are kept of each.
    ///
    /// The path may name any of the database's files, or the stem that they share. A missing
    /// games or names file is a [note](Database::notes): what does not need it still works.
    ///
    /// Opening changes nothing. If a process was killed while it replaced the database, and an
    /// index is there, that is a note; [`finish_replacement`](crate::finish_replacement) finishes
    /// it.
    ///
    /// # Errors
    /// `Io` when the index cannot be opened, `UnknownFormat` when it is none,
    /// `UnsupportedVersion`, `Truncated` or `Corrupt` when its header is wrong; `Unfinished` when
    /// there is none because a replacement of the database is not finished.
    pub fn open(path: impl AsRef<Path>) -> Result<Database> {
        OpenOptions::new().open(path)
    }

    /// Opens a database by reading all its files into memory. O(bytes of the files).
    ///
    /// # Errors
    /// As [`Database::open`].
    pub fn read(path: impl AsRef<Path>) -> Result<Database> {
        OpenOptions::new().in_memory(true).open(path)
    }

    /// Opens a database whose files are in memory already.
    ///
    /// # Errors
    /// As [`Database::open`], without a path.
    pub fn from_bytes(parts: Parts) -> Result<Database> {
        let file = |name: &str, bytes| File::in_memory(PathBuf::from(name), bytes);
        let files = Files {
            index: file("(index in memory)", parts.index),
            games: parts.games.map(|bytes| file("(games in memory)", bytes)),
            names: parts.names.map(|bytes| file("(names in memory)", bytes)),
            sites: parts.sites.map(|bytes| file("(sites in memory)", bytes)),
            events: parts.events.map(|bytes| file("(events in memory)", bytes)),
        };
        Opened::from_files(parts.format, files).map(Database::new)
    }

    fn new((opened, notes): (Opened, Vec<Error>)) -> Database {
        let files = opened.store().files();
        Database {
            path: files
                .first()
                .map(|file| file.path.clone())
                .unwrap_or_default(),
            opened,
            notes,
            folded: Default::default(),
            lines: OnceLock::new(),
            sidecar: None,
        }
    }

    pub(crate) fn opened(&self) -> &Opened {
        &self.opened
    }

    /// Returns what does not depend on the format.
    pub(crate) fn store(&self) -> &dyn Store {
        self.opened.store()
    }

    /// Returns the path of the index.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the database's short name: the stem of its path.
    #[must_use]
    pub fn name(&self) -> String {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        // What is left of `.pgn.gz`.
        stem.strip_suffix(".pgn").unwrap_or(&stem).to_owned()
    }

    /// Returns which format it has.
    #[must_use]
    pub fn kind(&self) -> FormatKind {
        self.store().kind()
    }

    /// Returns the layout of Monty's training data; `None` for other formats.
    pub(crate) fn training_layout(&self) -> Option<Layout> {
        match &self.opened {
            Opened::Monty(monty) => Some(monty.layout()),
            _ => None,
        }
    }

    /// Returns the number of games.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.store().game_count()
    }

    /// Returns whether there are no games.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the description that its user gave the database; empty if none.
    #[must_use]
    pub fn description(&self) -> String {
        self.store().description()
    }

    /// Returns what is odd about the files but does not keep them from being used.
    #[must_use]
    pub fn notes(&self) -> &[Error] {
        &self.notes
    }

    /// Returns the sidecar that searches use, if there is one. One that is there and cannot be
    /// used is a [note](Database::notes).
    #[must_use]
    pub fn sidecar(&self) -> Option<&Sidecar> {
        self.sidecar.as_deref()
    }

    /// Returns the sidecar to keep.
    pub(crate) fn sidecar_handle(&self) -> Option<&Arc<Sidecar>> {
        self.sidecar.as_ref()
    }

    /// Returns the stored opening lines. Played at first use.
    pub(crate) fn stored_lines(&self) -> &StoredLines {
        let play = || with_view!(self, view => StoredLines::new(|code| view.stored_line(code)));
        self.lines.get_or_init(play)
    }

    /// Returns the files with their sizes in bytes: index, games, names.
    #[must_use]
    pub fn files(&self) -> Vec<(PathBuf, u64)> {
        let size = |file: &File| (file.path.clone(), file.bytes.len() as u64);
        self.store().files().into_iter().map(size).collect()
    }

    /// Checks that no other program has changed the files since the database was opened: their
    /// sizes, the times of their last change, and that they are the same files. A call of the
    /// operating system for each file, some microseconds.
    ///
    /// What looks at a whole database (searches, trees, positions, verifying, converting,
    /// making a sidecar) asks this before and after; what is about one game does not. Files that
    /// were read into memory never count as changed.
    ///
    /// # Errors
    /// `Changed`, with the path of the first file that was.
    pub fn check_unchanged(&self) -> Result<()> {
        let files = self.store().files();
        files.into_iter().try_for_each(File::check_unchanged)
    }

    /// Does something that is worth nothing if the files change meanwhile.
    ///
    /// # Errors
    /// `Changed`, before all others, and those of the work.
    pub(crate) fn unchanged<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.check_unchanged()?;
        let done = work();
        self.check_unchanged()?;
        done
    }

    /// Returns whether the games can be decoded, or why not.
    pub(crate) fn require_games(&self) -> Result<()> {
        if self.is_empty() {
            Ok(())
        } else {
            self.store().require_games()
        }
    }

    /// Returns the names of one kind. The first call reads the names file.
    ///
    /// # Errors
    /// `Missing` without a names file; `Corrupt` or `Truncated` when its header is wrong.
    pub(crate) fn names(&self, kind: NameKind) -> Result<&NameList> {
        self.store().names(kind)
    }

    /// Returns the names of one kind, folded for searching: those of the sidecar, if it has them,
    /// or else folded at first use, which is O(bytes of the names).
    pub(crate) fn folded_names(&self, kind: NameKind) -> Result<&Folded> {
        let known = &self.folded[kind as usize];
        if let Some(folded) = known.get() {
            return Ok(folded);
        }
        let sidecar = self.sidecar.as_ref();
        let prepared = sidecar.and_then(|sidecar| sidecar.folded_names(self.store(), kind));
        let folded = match prepared {
            Some(folded) => folded,
            None => self.names(kind)?.folded(),
        };
        Ok(known.get_or_init(|| folded))
    }

    /// Returns how many names of one kind there are. The first call reads the names file.
    ///
    /// # Errors
    /// `Missing` without a names file; `Corrupt` or `Truncated` when its header is wrong.
    pub fn name_count(&self, kind: NameKind) -> Result<usize> {
        self.store().name_count(kind)
    }

    /// Returns a name by its number; `None` when there is no such name.
    ///
    /// # Errors
    /// As [`name_count`](Database::name_count).
    pub fn name_of(&self, kind: NameKind, id: NameId) -> Result<Option<String>> {
        Ok(self.name_text(kind, id)?.map(Cow::into_owned))
    }

    /// As [`name_of`](Database::name_of), and copies nothing when the file has the name in UTF-8.
    ///
    /// # Errors
    /// As [`name_count`](Database::name_count).
    pub fn name_text(&self, kind: NameKind, id: NameId) -> Result<Option<Cow<'_, str>>> {
        Ok(self.names(kind)?.get(id).map(decode))
    }

    /// Returns whether there is such a game.
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
        Ok(with_view!(self, view => self.header_of(view, &view.records()[game.index()])))
    }

    fn header_of<V: View>(&self, view: V, record: &V::Record) -> GameHeader {
        let name = |slot: NameSlot| {
            let names = self.store().names(slot.kind()).ok();
            let bytes = names.and_then(|names| names.get(record.name(slot)));
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
            event_date: view.event_date(record),
            marks: record.flags() & flag::MARKS,
        }
    }

    /// Returns whether this is a game and not a text of ChessBase.
    ///
    /// # Errors
    /// `NoSuchGame`.
    pub(crate) fn is_game(&self, game: GameId) -> Result<bool> {
        self.check(game)?;
        Ok(with_view!(self, view => view.records()[game.index()].is_game()))
    }

    /// Returns what a game's index record tells besides the header.
    ///
    /// # Errors
    /// `NoSuchGame`.
    pub fn facts(&self, game: GameId) -> Result<RecordFacts> {
        self.check(game)?;
        Ok(with_view!(self, view => {
            let record = &view.records()[game.index()];
            let place = view.place(record);
            let length = place.end.saturating_sub(place.start);
            RecordFacts {
                length_bytes: u32::try_from(length).unwrap_or(u32::MAX),
                ..record.facts()
            }
        }))
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
        if let Some(fault) = self.store().fault(game) {
            return fault;
        }
        Error::corrupt(damage.what)
            .in_game(game.number())
            .at_offset(record.offset_bytes().saturating_add(damage.at.into()))
            .at_path(self.store().games_path())
    }
}
