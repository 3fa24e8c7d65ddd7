//! A PGN file as a database: an index of its games, whose text is parsed in place.

use std::{ops::Range, path::Path, sync::OnceLock};

use memchr::memchr_iter;
use tabiya_chess::{Flow, GameId, NameKind};

use super::{
    flaws,
    game::{Game, Nobody},
    input::Packing,
    own_text::OwnText,
    place::{Following, GamePlace},
    survey::{Depth, Scope, Surveyed, settled, survey, survey_rest},
    unpacked::unpacked,
};
use crate::{
    File, FormatKind, Header, OpenSettings, Report, Store, TextEncoding,
    error::{Error, Result},
    indexed::{Record, StoredIndex, game_bytes, stored::Runs},
    limits::{PGN_GAME_BYTES_MAX, PGN_GAME_BYTES_MEAN_MIN, PGN_GAMES_MAX},
    names::NameList,
};

/// An open PGN file.
#[derive(Debug)]
pub struct PgnFile {
    file: File,
    /// The text, if the file is compressed or its lines end with carriage returns only.
    text: Option<OwnText>,
    /// What follows the text, and may have changed its last games: those that begin at an offset.
    following: (Following, usize),
    /// The encoding of the file, if its text had to be converted from one.
    encoding: Option<TextEncoding>,
    /// The index that was made before, if any.
    stored: Option<StoredIndex>,
    /// What reading all games gives: if there is a stored index, made when that proves damaged; if
    /// only tags were read, when the whole index is asked for.
    made: OnceLock<Surveyed>,
    /// What reading the tags gives, if no more was asked for.
    tags: Option<Surveyed>,
    /// The number of games, lines and bytes of the text before this part of it.
    before: GamePlace,
}

impl PgnFile {
    /// Opens a file with an index that was made before, or reads all games once. The second result
    /// is the damage to compressed text that kept games from being read.
    ///
    /// # Errors
    /// `LimitExceeded` for compressed text that is too long, or for too many games; `Interrupted`
    /// after a `Break` from `progress`; for zip archives the errors of
    /// [`Input::open`](super::Input::open).
    pub(crate) fn open(
        file: File,
        options: &OpenSettings,
        progress: Report<'_>,
    ) -> Result<(PgnFile, Vec<Error>)> {
        let named = |error: Error| error.at_path(&file.path);
        let packing = Packing::of(&file.bytes, options.encoding).map_err(named)?;
        let (text, damage, games_max) = match packing {
            Packing::Plain => (None, None, games_max(file.bytes.len() as u64)),
            packed => {
                let unpacked = unpacked(packed, &file.bytes, options, progress);
                let (text, damage) = unpacked.map_err(named)?;
                (Some(text.into()), damage.map(named), PGN_GAMES_MAX)
            }
        };
        let known = options.index_of(&file);
        let depth = Depth::of(options);
        let mut pgn = PgnFile::unread(file, text, GamePlace::NOWHERE);
        if let Packing::Converted(encoding) = packing {
            pgn.encoding = encoding;
        }
        pgn.read(known, (depth, games_max), progress)?;
        Ok((pgn, damage.into_iter().collect()))
    }

    /// Creates a part of the text of a file from what surveying it has given.
    pub(super) fn of_part(
        file: File,
        (text, following): (OwnText, Following),
        before: GamePlace,
        (depth, surveyed): (Depth, Surveyed),
    ) -> PgnFile {
        let mut pgn = PgnFile::unread(file, Some(text), before);
        pgn.following = (following, surveyed.end);
        pgn.keep(depth, surveyed);
        pgn
    }

    fn unread(file: File, text: Option<OwnText>, before: GamePlace) -> PgnFile {
        let mut pgn = PgnFile {
            file,
            text,
            following: (Following::Nothing, 0),
            encoding: None,
            stored: None,
            made: OnceLock::new(),
            tags: None,
            before,
        };
        pgn.following.1 = pgn.text().len();
        pgn
    }

    /// Reads the games, unless the index that was made before is still that of the file.
    fn read(
        &mut self,
        known: Option<(StoredIndex, usize)>,
        (depth, games_max): (Depth, u32),
        progress: Report<'_>,
    ) -> Result<()> {
        let of_beginning = match known {
            Some((stored, bytes)) if bytes == self.file.bytes.len() => {
                self.stored = Some(stored);
                return Ok(());
            }
            // Of compressed text, the index is not that of the file's bytes.
            Some((older, bytes)) if self.text.is_none() => {
                survey_rest(self.text(), &older, bytes, progress)
            }
            _ => Ok(None),
        };
        let named = |error: Error| error.at_path(&self.file.path);
        if let Some(index) = of_beginning.map_err(named)? {
            self.made = OnceLock::from(Surveyed {
                index,
                ..Surveyed::default()
            });
            return Ok(());
        }
        let made = self.make(depth, games_max, progress).map_err(named)?;
        self.keep(depth, made);
        Ok(())
    }

    fn keep(&mut self, depth: Depth, surveyed: Surveyed) {
        match depth {
            Depth::Tags => self.tags = Some(surveyed),
            Depth::All => self.made = OnceLock::from(surveyed),
        }
    }

    /// Returns whether the moves of all games have been read.
    pub fn is_read(&self) -> bool {
        self.made.get().is_some()
    }

    fn make(&self, depth: Depth, games_max: u32, progress: Report<'_>) -> Result<Surveyed> {
        let (following, until) = self.following;
        let scope = Scope {
            following,
            until,
            ..Scope::whole(self.text(), depth, games_max)
        };
        survey(self.text(), scope, progress)
    }

    /// Returns the index of the text, which is read if the stored index was used so far. Damage to
    /// a stored index thus costs time only.
    fn made(&self) -> &Surveyed {
        let make = || {
            let go_on = &mut |_| Flow::Continue(());
            self.make(Depth::All, u32::MAX, go_on).ok()
        };
        // Without more names than fit, which were not stored either, there is no error.
        let made = || {
            in_own_threads(make)
                .unwrap_or_else(make)
                .unwrap_or_default()
        };
        self.made.get_or_init(made)
    }

    /// Reads the moves of all games if only tags have been read. Two threads that need them at once
    /// read them both, since one that waited for the other might be needed by it.
    ///
    /// # Errors
    /// `Interrupted` if `progress` breaks, and those of opening.
    pub fn read_moves(&self, progress: Report<'_>) -> Result<()> {
        if self.tags.is_some() && self.made.get().is_none() {
            let made = self.make(Depth::All, u32::MAX, progress)?;
            let _ = self.made.set(made);
        }
        Ok(())
    }

    /// Returns what has been read of the text, at least the tags, if the stored index is not used.
    fn read_so_far(&self) -> &Surveyed {
        let tags = self.tags.as_ref().filter(|_| self.made.get().is_none());
        tags.unwrap_or_else(|| self.made())
    }

    /// Returns the records of some games, fewer if there are fewer games.
    pub(super) fn records_in(&self, games: Range<usize>) -> &[Record] {
        let stored = self.stored.as_ref();
        match stored.and_then(|stored| stored.records_in(games.clone())) {
            Some(records) => records,
            None => {
                let records = self.read_so_far().index.records();
                let end = games.end.min(records.len());
                records.get(games.start..end).unwrap_or_default()
            }
        }
    }

    /// Returns a game's main line; empty if it is not known.
    #[inline]
    pub(super) fn line(&self, record: &Record) -> &[u8] {
        match (&self.stored, self.made.get()) {
            (Some(stored), _) => stored.line(record),
            (None, Some(made)) => made.index.line(record),
            (None, None) => &[],
        }
    }

    pub(super) fn text(&self) -> &[u8] {
        self.text.as_deref().unwrap_or(&self.file.bytes)
    }

    /// Returns the place of a game. Counts the lines of a part of the text.
    fn place(&self, game: GameId, record: &Record) -> GamePlace {
        let offset_bytes = record.offset_bytes();
        let before = |place: &GamePlace| place.offset_bytes <= offset_bytes;
        let read = self.made.get().or(self.tags.as_ref());
        let landmarks = read.map_or(&[][..], |read| &read.landmarks);
        let landmark = landmarks.partition_point(before).checked_sub(1);
        let landmark = landmark.and_then(|number| landmarks.get(number));
        let (from, line) = landmark.map_or((0, 1), |place| (place.offset_bytes, place.line));
        let between = self.text().get(from as usize..offset_bytes as usize);
        GamePlace {
            number: self.before.number.saturating_add(game.number_in_part()),
            line: self.before.line
                + line
                + memchr_iter(b'\n', between.unwrap_or_default()).count() as u64,
            offset_bytes: self.before.offset_bytes + offset_bytes,
        }
    }
}

impl Store for PgnFile {
    fn kind(&self) -> FormatKind {
        FormatKind::Pgn
    }

    fn game_count(&self) -> u32 {
        match &self.stored {
            Some(stored) => stored.game_count(),
            None => self.read_so_far().index.game_count(),
        }
    }

    fn files(&self) -> Vec<&File> {
        vec![&self.file]
    }

    fn names(&self, kind: NameKind) -> Result<&NameList> {
        let stored = self.stored.as_ref();
        let names = stored.and_then(|stored| stored.names(kind));
        Ok(names.unwrap_or_else(|| self.read_so_far().index.names(kind)))
    }

    fn settled_games(&self, games: u32, bytes: u64) -> u32 {
        let text = usize::try_from(bytes)
            .ok()
            .and_then(|bytes| self.text().get(..bytes));
        let records = self.records_in(0..games as usize);
        text.map_or(0, |text| settled(text, records) as u32)
    }

    fn encoding(&self) -> Option<TextEncoding> {
        self.encoding
    }

    fn games_before(&self) -> u32 {
        self.before.number
    }

    fn games_path(&self) -> &Path {
        &self.file.path
    }

    fn index(&self) -> Option<Runs<'_>> {
        let stored = self.stored.as_ref();
        let runs = stored.and_then(StoredIndex::runs);
        Some(runs.unwrap_or_else(|| self.made().index.runs()))
    }

    fn index_fault(&self, progress: Report<'_>) -> Result<Option<Error>> {
        let Some(stored) = &self.stored else {
            return Ok(None);
        };
        let made = self.make(Depth::All, u32::MAX, progress)?;
        let is_same = stored.runs().is_some_and(|runs| runs == made.index.runs());
        let fault = || Error::corrupt(flaws::OTHER_INDEX).at_path(stored.path());
        Ok((!is_same).then(fault))
    }

    /// Parses the game again; the error names the line and the unreadable move.
    fn fault(&self, game: GameId) -> Option<Error> {
        let record = self.records_in(game.index()..game.index() + 1).first()?;
        let place = self.place(game, record);
        let text = game_bytes(self.text(), record);
        let error = if text.len() > PGN_GAME_BYTES_MAX {
            let error = Error::limit(GAME_TOO_LONG, PGN_GAME_BYTES_MAX as u64);
            error.at_line(place.line).at_offset(place.offset_bytes)
        } else {
            let played = Game::parse(text, place).and_then(|game| game.replay(&mut Nobody));
            played.err()?
        };
        Some(error.in_game(place.number).at_path(&self.file.path))
    }
}

/// Returns how many games a plain file of this length may have.
fn games_max(file_bytes: u64) -> u32 {
    let games = file_bytes / PGN_GAME_BYTES_MEAN_MIN;
    u32::try_from(games).map_or(u32::MAX, |games| games.max(PGN_GAMES_MAX))
}

/// Runs work on other threads. A thread of the current pool that waits for work in the pool may
/// take up other work that waits for the same lock.
fn in_own_threads<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(rayon::current_num_threads());
    let pool = pool.build().ok()?;
    std::thread::scope(|scope| scope.spawn(|| pool.install(work)).join().ok())
}

pub(super) const GAME_TOO_LONG: &str = "the length of the game in bytes";
