//! An open database of any format.
//!
//! One file because it is a list of questions to a database; the answers come from its format.

mod encoding;
mod options;
mod parts;

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use shakmaty::Color;
use tabiya_chess::{Flow, GameId, NameId, NameKind, text::decode};
use tabiya_formats::{
    Damage, Fault, File, Files, FormatKind, GameDamage, GameHeader, Header, MontyLayout, NameSlot,
    Opened, Parts, Rating, Report, Scratch, Store, TextEncoding, View, Visitor,
    error::{Error, ErrorKind, Result},
    header::{RecordFacts, flag},
    names::{Folded, NameList},
    progress::Progress,
    salvage::{self, Completeness},
};

pub(crate) use tabiya_formats::with_view;

pub use self::{options::OpenOptions, parts::PgnParts};
use crate::{filter::StoredLines, progress::WithProgress, query::Query, sidecar::Sidecar};

/// An open chess database.
///
/// Its files are mapped, not read: opening costs the same for ten games and ten million. Only the
/// needed parts are accessed. If another program *shortens* a mapped file while it is open, this
/// process can be killed; use [`Database::read`] if that cannot be excluded.
///
/// A `Database` can be shared between threads.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tabiya::Database;
///
/// let database = Database::open("fixtures/famous.si4")?;
/// for game in database.games().take(3) {
///     let header = database.header(game)?;
///     println!("{} - {}, {}", header.white, header.black, header.date);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Database {
    opened: Opened,
    path: PathBuf,
    notes: Vec<Error>,
    folded: [OnceLock<Folded>; 4],
    lines: OnceLock<StoredLines>,
    sidecar: Option<Arc<Sidecar>>,
    /// The encoding of texts, if somebody said it.
    said: Option<TextEncoding>,
}

/// What work needs of all games, where records do not say it: PGN is read for no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Tags, and where games are. Quantities that may be unknown are taken from the games.
    Tags,
    /// What their moves tell, too.
    Moves,
}

impl Needs {
    /// Returns what a query needs.
    pub(crate) fn of(query: &Query) -> Needs {
        if query.asks_for_moves() {
            Needs::Moves
        } else {
            Needs::Tags
        }
    }
}

impl Database {
    /// Opens a database by mapping its files. O(1), except for formats whose files have no records
    /// (PGN): their games are read once, on all processors, and 80 bytes are kept per game.
    ///
    /// The path may be any of the database's files, or the stem that they share. A missing games or
    /// names file is a [note](Database::notes): everything that does not need it still works.
    ///
    /// Opening changes no files. If a process was killed while it replaced the database, and an
    /// index exists, that is a note; [`finish_replacement`](crate::finish_replacement) finishes it.
    ///
    /// # Errors
    /// `Io` if the index cannot be opened, `UnknownFormat` if it is not an index,
    /// `UnsupportedVersion`, `Truncated` or `Corrupt` if its header is invalid; `Unfinished` if
    /// there is no index because a replacement of the database is not finished.
    pub fn open(path: impl AsRef<Path>) -> Result<Database> {
        OpenOptions::new().open(path)
    }

    /// Opens a database by reading all its files into memory. O(bytes of the files).
    ///
    /// # Errors
    /// Those of [`Database::open`].
    pub fn read(path: impl AsRef<Path>) -> Result<Database> {
        OpenOptions::new().in_memory(true).open(path)
    }

    /// Opens a database from files in memory.
    ///
    /// # Errors
    /// Those of [`Database::open`], without a path.
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
            said: None,
        }
    }

    /// Returns the same with a callback for its progress.
    pub fn on_progress<F: FnMut(Progress) -> Flow>(&self, progress: F) -> WithProgress<&Self, F> {
        WithProgress::new(self, progress)
    }

    /// Returns the database of its format once that is read which some work needs of all games.
    ///
    /// # Errors
    /// Only for moves of PGN of which only tags have been read: `Interrupted` if `progress` breaks,
    /// which is called with bytes, and those of opening.
    pub(crate) fn view(&self, needs: Needs, progress: Report<'_>) -> Result<&Opened> {
        if let (Opened::Pgn(pgn), Needs::Moves) = (&self.opened, needs) {
            pgn.read_moves(progress)
                .map_err(|error| error.at_path(&self.path))?;
        }
        Ok(&self.opened)
    }

    /// Returns the database of its format for what needs no more than tags and places of games.
    pub(crate) fn tags(&self) -> &Opened {
        &self.opened
    }

    /// Returns the format-independent interface.
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
        // Removes the rest of `.pgn.gz`.
        stem.strip_suffix(".pgn").unwrap_or(&stem).to_owned()
    }

    /// Returns the format.
    #[must_use]
    pub fn kind(&self) -> FormatKind {
        self.store().kind()
    }

    /// Returns the layout of Monty's that training data have or fit into without a loss, which is
    /// that of scores in centipawns for Stockfish's and viriformat; `None` for other formats.
    #[cfg_attr(
        not(feature = "training"),
        allow(dead_code, reason = "for training data")
    )]
    pub(crate) fn training_layout(&self) -> Option<MontyLayout> {
        match &self.opened {
            #[cfg(feature = "training")]
            Opened::Monty(monty) => Some(monty.layout()),
            #[cfg(feature = "training")]
            Opened::Stockfish(_) | Opened::Viriformat(_) => Some(MontyLayout::Value),
            _ => None,
        }
    }

    /// Returns the number of games.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.store().game_count()
    }

    /// Returns all games in order.
    pub fn games(&self) -> impl DoubleEndedIterator<Item = GameId> + ExactSizeIterator + use<> {
        (0..self.len()).map(GameId)
    }

    /// Returns the 1-based number of a game, also if the database is a
    /// [part](OpenOptions::parts) of a file.
    #[must_use]
    pub fn number(&self, game: GameId) -> u32 {
        self.games_before().saturating_add(game.number_in_part())
    }

    /// Returns the game that has a [number](Database::number).
    ///
    /// # Errors
    /// `NoSuchGame`, also for a game of another part of the file.
    pub fn game(&self, number: u32) -> Result<GameId> {
        let in_part = number.checked_sub(self.games_before());
        let game = in_part.and_then(GameId::from_number_in_part);
        game.filter(|game| game.0 < self.len())
            .ok_or_else(|| self.no_such_game(number.into()))
    }

    /// Returns the number of this part, from 1 on, of a file that is indexed in parts; `None` for a
    /// whole database, and for a part without an index.
    #[must_use]
    pub fn part(&self) -> Option<u32> {
        self.store().part().map(|part| part.number)
    }

    /// Returns the number of games in the parts before this one.
    pub(crate) fn games_before(&self) -> u32 {
        self.store().games_before()
    }

    /// Returns whether there are no games.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the database's description; empty if there is none.
    #[must_use]
    pub fn description(&self) -> String {
        self.store().description()
    }

    /// Returns oddities of the files that do not prevent their use.
    #[must_use]
    pub fn notes(&self) -> &[Error] {
        &self.notes
    }

    /// Returns the sidecar that searches use, if there is one. A sidecar that exists but cannot be
    /// used is a [note](Database::notes).
    #[must_use]
    pub fn sidecar(&self) -> Option<&Sidecar> {
        self.sidecar.as_deref()
    }

    /// Returns a shared handle of the sidecar.
    pub(crate) fn sidecar_handle(&self) -> Option<&Arc<Sidecar>> {
        self.sidecar.as_ref()
    }

    /// Returns the stored opening lines. They are replayed at first use.
    pub(crate) fn stored_lines(&self) -> &StoredLines {
        let play =
            || with_view!(self.tags(), view => StoredLines::new(|code| view.stored_line(code)));
        self.lines.get_or_init(play)
    }

    /// Returns the files with their sizes in bytes: index, games, names.
    #[must_use]
    pub fn files(&self) -> Vec<(PathBuf, u64)> {
        let size = |file: &File| (file.path.clone(), file.bytes.len() as u64);
        self.store().files().into_iter().map(size).collect()
    }

    /// Checks that no other program has changed the files since the database was opened: their
    /// sizes, the times of their last change, and that they are the same files. One system call per
    /// file, which takes some microseconds.
    ///
    /// Operations on a whole database (searches, trees, positions, verifying, converting, building
    /// a sidecar) check this before and after; operations on one game do not. Files that were read
    /// into memory never count as changed.
    ///
    /// # Errors
    /// `Changed`, with the path of the first changed file.
    pub fn check_unchanged(&self) -> Result<()> {
        let files = self.store().files();
        files.into_iter().try_for_each(File::check_unchanged)
    }

    /// Runs work whose result is invalid if the files change meanwhile.
    ///
    /// # Errors
    /// `Changed`, which takes precedence, and those of the work.
    pub(crate) fn unchanged<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.check_unchanged()?;
        let done = work();
        self.check_unchanged()?;
        done
    }

    /// Returns an error if the games cannot be decoded.
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
    /// `Missing` without a names file; `Corrupt` or `Truncated` if its header is invalid.
    pub(crate) fn names(&self, kind: NameKind) -> Result<&NameList> {
        self.store().names(kind)
    }

    /// Returns the names of one kind, folded for searching: those of the sidecar, if it has them,
    /// otherwise folded at first use in O(bytes of the names).
    pub(crate) fn folded_names(&self, kind: NameKind) -> Result<&Folded> {
        let known = &self.folded[kind as usize];
        if let Some(folded) = known.get() {
            return Ok(folded);
        }
        let sidecar = self.sidecar.as_ref().filter(|_| !self.encoding_is_said());
        let prepared = sidecar.and_then(|sidecar| sidecar.folded_names(self.store(), kind));
        let folded = match prepared {
            Some(folded) => folded,
            None => self.names(kind)?.folded(),
        };
        Ok(known.get_or_init(|| folded))
    }

    /// Returns the number of names of one kind. The first call reads the names file.
    ///
    /// # Errors
    /// `Missing` without a names file; `Corrupt` or `Truncated` if its header is invalid.
    pub fn name_count(&self, kind: NameKind) -> Result<usize> {
        self.store().name_count(kind)
    }

    /// Returns a number above all IDs of names of one kind. Some IDs may have no name, so that it
    /// can be more than the [number of names](Database::name_count).
    ///
    /// # Errors
    /// Those of [`name_count`](Database::name_count).
    pub fn name_ids(&self, kind: NameKind) -> Result<usize> {
        Ok(self.names(kind)?.ids())
    }

    /// Returns a name by its ID; `None` if there is no such name.
    ///
    /// # Errors
    /// Those of [`name_count`](Database::name_count).
    pub fn name_of(&self, kind: NameKind, id: NameId) -> Result<Option<String>> {
        Ok(self.name_text(kind, id)?.map(Cow::into_owned))
    }

    /// Like [`name_of`](Database::name_of), without copying if the file has the name in UTF-8.
    ///
    /// # Errors
    /// Those of [`name_count`](Database::name_count).
    pub fn name_text(&self, kind: NameKind, id: NameId) -> Result<Option<Cow<'_, str>>> {
        Ok(self.names(kind)?.get(id).map(decode))
    }

    /// Checks that a game exists.
    pub(crate) fn check(&self, game: GameId) -> Result<()> {
        if game.0 < self.len() {
            return Ok(());
        }
        let number = u64::from(self.games_before()) + u64::from(game.0) + 1;
        Err(self.no_such_game(number))
    }

    fn no_such_game(&self, number: u64) -> Error {
        let before = u64::from(self.games_before());
        let kind = ErrorKind::NoSuchGame {
            number,
            first: before + 1,
            last: before + u64::from(self.len()),
        };
        Error::new(kind).at_path(&self.path)
    }

    /// Returns a game's header. Unreadable names are `?`: if the file is missing or damaged, or the
    /// ID is out of range.
    ///
    /// # Errors
    /// `NoSuchGame`.
    pub fn header(&self, game: GameId) -> Result<GameHeader> {
        self.check(game)?;
        Ok(with_view!(self.tags(), view => self.header_of(view, view.record(game))))
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

    /// Returns whether this is a game rather than a ChessBase text.
    ///
    /// # Errors
    /// `NoSuchGame`.
    pub fn is_game(&self, game: GameId) -> Result<bool> {
        self.check(game)?;
        Ok(with_view!(self.tags(), view => view.record(game).is_game()))
    }

    /// Returns the facts in a game's index record besides the header.
    ///
    /// # Errors
    /// `NoSuchGame`.
    pub fn facts(&self, game: GameId) -> Result<RecordFacts> {
        self.check(game)?;
        Ok(
            with_view!(self.view(Needs::Moves, &mut Progress::ignore)?, view => {
                let record = view.record(game);
                let place = view.place(record);
                let length = place.end.saturating_sub(place.start);
                let mut facts = record.facts();
                facts.length_bytes = u32::try_from(length).unwrap_or(u32::MAX);
                facts
            }),
        )
    }

    /// Reports everything about a game except its header to a visitor: tags, start, moves,
    /// variations, comments, NAGs.
    ///
    /// # Errors
    /// `NoSuchGame`; `Missing` without a games file; `Corrupt` with the offset if the game is
    /// damaged, after the visitor has received everything before the damage.
    pub fn visit<V: Visitor + ?Sized>(&self, game: GameId, visitor: &mut V) -> Result<()> {
        self.check(game)?;
        self.require_games()?;
        let mut scratch = Scratch::default();
        with_view!(self.tags(), view => {
            let record = view.record(game);
            view.visit(record, &mut scratch, visitor)
                .map_err(|damage| self.damaged(game, record, damage))
        })
    }

    /// Passes what is sound of a game to a visitor, as [`visit`](Database::visit) does the whole
    /// game: what is before the damage, and the rest of the main line if a variation is damaged.
    /// Variations are closed, and a comment stands where something is missing. Returns the damage,
    /// if any.
    ///
    /// # Errors
    /// Those of [`visit`](Database::visit); `Corrupt` only if no half-move can be read.
    pub fn visit_sound(
        &self,
        game: GameId,
        visitor: &mut dyn Visitor,
    ) -> Result<Option<GameDamage>> {
        self.check(game)?;
        self.require_games()?;
        with_view!(self.tags(), view => {
            let record = view.record(game);
            let told = salvage::tell(view, record, &mut Scratch::default(), visitor);
            match told {
                Completeness::Whole => Ok(None),
                Completeness::MainLine { plies, damage } | Completeness::Part { plies, damage } => {
                    let cause = self.damaged(game, record, damage);
                    match plies {
                        0 => Err(cause),
                        plies => Ok(Some(GameDamage::new(plies, cause))),
                    }
                }
            }
        })
    }

    /// Converts a decoder's damage to an error.
    pub(crate) fn damaged<R: Header>(&self, game: GameId, record: &R, damage: Damage) -> Error {
        if let Some(fault) = self.store().fault(game) {
            return fault;
        }
        Error::corrupt(damage.what)
            .in_game(self.number(game))
            .at_offset(self.offset(record).saturating_add(damage.at.into()))
            .at_path(self.store().games_path())
    }

    /// Returns where a game begins in its file, or in the text of a packed one.
    fn offset<R: Header>(&self, record: &R) -> u64 {
        let before = self.store().bytes_before();
        before.saturating_add(record.offset_bytes())
    }

    /// Converts what a check found to an error.
    pub(crate) fn faulty<R: Header>(&self, game: GameId, record: &R, fault: Fault) -> Error {
        match fault {
            Fault::Damage(damage) => self.damaged(game, record, damage),
            Fault::IllegalMove(played) => Error::new(ErrorKind::IllegalMove(played))
                .in_game(self.number(game))
                .at_offset(self.offset(record))
                .at_path(self.path()),
        }
    }
}
