//! A PGN file as a database: an index of its games, whose text is parsed in place.

use std::{cell::RefCell, ops::Range, path::Path, sync::OnceLock};

use memchr::memchr_iter;
use tabiya_chess::{Flow, GameId, NameKind};

use super::{
    flaws,
    frame_text::{FrameText, GameBytes},
    game::{Game, Nobody},
    gather::{Goal, gather, too_long},
    input::{Packing, text_head, too_much},
    own_text::OwnText,
    packed::BytesRead,
    place::{Counter, Following, GamePlace},
    stream::Stream,
    survey::{Depth, Scope, Surveyed, settled, survey, survey_rest},
    unpacked::unpacked,
    written::{HEAD_BYTES, Writing},
};
use crate::{
    File, FormatKind, Header, IndexedPart, OpenSettings, Report, Store, TextEncoding,
    error::{Error, ErrorKind, Result},
    indexed::{Record, StoredIndex, game_bytes, stored::Runs},
    limits::{PGN_GAME_BYTES_MAX, PGN_GAME_BYTES_MEAN_MIN, PGN_GAMES_MAX, PGN_PART_BYTES},
    lists::{List, Telling},
    names::NameList,
};

/// An open PGN file.
#[derive(Debug)]
pub struct PgnFile {
    file: File,
    text: Text,
    /// Where the text is in a packed file, if its games can be unpacked one by one.
    frames: Option<FrameText>,
    /// What follows the text, and may have changed its last games: those that begin at an offset.
    following: (Following, usize),
    /// What the text is a list of, if it is not PGN.
    list: Option<List>,
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
    /// Its number, from 1 on, if it is a part that has an index of its own.
    part: Option<u32>,
}

/// Where the text is.
#[derive(Debug)]
enum Text {
    /// In the file.
    Plain,
    /// In memory: that of a packed file, or one that had to be converted.
    Own(OwnText),
    /// Packed in [frames](PgnFile::frames), of which games are unpacked when they are needed.
    Packed,
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
        PgnFile::open_text(file, None, options, progress)
    }

    /// Opens a list in the same way.
    ///
    /// # Errors
    /// Also `Corrupt` for a file that is no such list.
    pub(crate) fn open_list(
        path: &Path,
        list: List,
        options: &OpenSettings,
        progress: Report<'_>,
    ) -> Result<(PgnFile, Vec<Error>)> {
        let file = File::open(path, options.access)?;
        match list.refusal(&text_head(&file.bytes)) {
            Some(flaw) => Err(Error::corrupt(flaw).at_path(path)),
            None => PgnFile::open_text(file, Some(list), options, progress),
        }
    }

    fn open_text(
        file: File,
        list: Option<List>,
        options: &OpenSettings,
        progress: Report<'_>,
    ) -> Result<(PgnFile, Vec<Error>)> {
        let named = |error: Error| error.at_path(&file.path);
        let packing = Packing::of(&file.bytes, options.encoding).map_err(named)?;
        let known = options.index_of(&file, None);
        if let Some((stored, bytes)) = &known
            && *bytes == file.bytes.len()
            && let Some(frames) = FrameText::of_bytes(stored.places())
        {
            let mut pgn = PgnFile::packed(file, frames, None);
            pgn.list = list;
            pgn.stored = known.map(|(stored, _)| stored);
            return Ok((pgn, Vec::new()));
        }
        if packing == Packing::Zstd && options.index_of(&file, Some(1)).is_some() {
            // It was found to be too long when it was indexed.
            return Err(named(too_much(options.unpacked_bytes_max)));
        }
        let mut frames = None;
        let (text, damages, games_max) = match packing {
            Packing::Plain => (Text::Plain, Vec::new(), games_max(file.bytes.len() as u64)),
            packed => {
                let at = BytesRead::default();
                // Half an item before damage may look like a whole one.
                let at = if list.is_none() {
                    at.skipping_damage()
                } else {
                    at
                };
                let unpacked = unpacked((packed, list), &file.bytes, (options, &at), progress);
                let (text, damages) = unpacked.map_err(named)?;
                if damages.is_empty() && packed == Packing::Zstd {
                    frames = frames_of(&at, &file.bytes, text.len() as u64);
                }
                let damages = damages.into_iter().map(named).collect();
                (Text::Own(text.into()), damages, PGN_GAMES_MAX)
            }
        };
        let depth = Depth::of(options);
        let mut pgn = PgnFile::unread(file, text, GamePlace::NOWHERE);
        (pgn.frames, pgn.list) = (frames, list);
        if let Packing::Converted(encoding) = packing {
            pgn.encoding = encoding;
        }
        pgn.read(known, (depth, games_max), progress)?;
        Ok((pgn, damages))
    }

    /// Creates a part of the text of a file from what surveying it has given.
    pub(super) fn of_part(
        file: File,
        (text, following): (OwnText, Following),
        before: GamePlace,
        (depth, surveyed): (Depth, Surveyed),
    ) -> PgnFile {
        let mut pgn = PgnFile::unread(file, Text::Own(text), before);
        pgn.following = (following, surveyed.end);
        pgn.keep(depth, surveyed);
        pgn
    }

    /// Opens the part of a file with a number, of which there is an index; `None` unless it follows
    /// other parts.
    pub(super) fn of_stored_part(
        file: File,
        stored: StoredIndex,
        number: u32,
        before: GamePlace,
    ) -> Option<PgnFile> {
        let frames = FrameText::of_bytes(stored.places())?;
        let games = frames.after().number.checked_sub(before.number);
        if frames.before() != before || games != Some(stored.game_count()) {
            return None;
        }
        let mut pgn = PgnFile::packed(file, frames, Some(number));
        pgn.stored = Some(stored);
        Some(pgn)
    }

    /// Creates the part of a file with a number, of which there is no index yet.
    pub(super) fn of_new_part(
        file: File,
        frames: FrameText,
        number: u32,
        made: Surveyed,
    ) -> PgnFile {
        let mut pgn = PgnFile::packed(file, frames, Some(number));
        pgn.keep(Depth::All, made);
        pgn
    }

    fn packed(file: File, frames: FrameText, part: Option<u32>) -> PgnFile {
        let before = frames.before();
        PgnFile {
            frames: Some(frames),
            part,
            ..PgnFile::unread(file, Text::Packed, before)
        }
    }

    /// Returns where the text is, if it stays packed.
    pub(super) fn frames(&self) -> Option<&FrameText> {
        self.frames.as_ref()
    }

    /// Returns whether there is an index that was made before.
    pub fn has_stored_index(&self) -> bool {
        self.stored.is_some()
    }

    fn unread(file: File, text: Text, before: GamePlace) -> PgnFile {
        let mut pgn = PgnFile {
            file,
            text,
            frames: None,
            list: None,
            following: (Following::Nothing, 0),
            encoding: None,
            stored: None,
            made: OnceLock::new(),
            tags: None,
            before,
            part: None,
        };
        pgn.following.1 = pgn.text().map_or(0, <[u8]>::len);
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
            Some((older, bytes)) if matches!(self.text, Text::Plain) => {
                survey_rest(&self.file.bytes, self.list, (&older, bytes), progress)
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
        let Some(text) = self.text() else {
            return Ok(self.make_of_packed(depth, progress)?.0);
        };
        let (following, until) = self.following;
        let scope = Scope {
            following,
            until,
            list: self.list,
            ..Scope::whole(text, depth, games_max)
        };
        survey(text, scope, progress)
    }

    /// Reads the games of text that stays packed. Also returns where the frames are.
    fn make_of_packed(
        &self,
        depth: Depth,
        progress: Report<'_>,
    ) -> Result<(Surveyed, Option<FrameText>)> {
        let (Some(frames), packed) = (&self.frames, &self.file.bytes) else {
            return Ok(Default::default());
        };
        let at = BytesRead::of(packed.len());
        if self.part.is_none() {
            let options = OpenSettings::default();
            let packing = (Packing::Zstd, self.list);
            let (text, damages) = unpacked(packing, packed, (&options, &at), progress)?;
            if let Some(damage) = damages.into_iter().next() {
                return Err(damage);
            }
            let scope = Scope {
                list: self.list,
                ..Scope::whole(&text, depth, u32::MAX)
            };
            let surveyed = survey(&text, scope, progress)?;
            return Ok((surveyed, frames_of(&at, packed, text.len() as u64)));
        }
        let from = frames.resume(frames.before().offset_bytes);
        let failed = |cause| Error::io_unnamed("decompress", cause);
        let mut reader = from.reader(packed, &at).map_err(failed)?;
        let mut counter = Counter::after(frames.before());
        let goal = Goal {
            games: u32::MAX,
            bytes: u64::MAX,
            end: frames.after().offset_bytes,
        };
        let surveyed = gather(
            &mut Stream::new(PGN_PART_BYTES),
            &mut reader,
            &mut counter,
            (depth, goal),
            &RefCell::new(progress),
        )?;
        let (surveyed, ..) = surveyed.unwrap_or_default();
        let after = counter.before();
        let places = at.frames_of(frames.before().offset_bytes..after.offset_bytes);
        let found = FrameText::new(places, frames.before(), after);
        let found = found.map(|found| found.ending(frames.is_last(), frames.file_end()));
        Ok((surveyed, found))
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

    /// Returns the text, unless it stays packed.
    fn text(&self) -> Option<&[u8]> {
        match &self.text {
            Text::Plain => Some(&self.file.bytes),
            Text::Own(text) => Some(text),
            Text::Packed => None,
        }
    }

    /// Returns what the text is a list of, if it is not PGN.
    pub(super) fn list(&self) -> Option<List> {
        self.list
    }

    /// Returns the text of a game, or of its item in the list; `None` if it cannot be unpacked.
    /// Takes as long as unpacking the frame that it is in, if it is packed and was not used lately.
    pub(super) fn game_text(&self, record: &Record) -> Option<GameBytes<'_>> {
        if let Some(text) = self.text() {
            return Some(GameBytes::InPlace(game_bytes(text, record)));
        }
        let start = record.offset_bytes();
        let end = start.saturating_add(record.length_bytes().into());
        self.frames.as_ref()?.get(&self.file.bytes, start..end)
    }

    /// Returns the number of line feeds in a part of the text.
    fn lines(&self, range: Range<u64>) -> u64 {
        match (self.text(), &self.frames) {
            (Some(text), _) => {
                let text = text.get(range.start as usize..range.end as usize);
                memchr_iter(b'\n', text.unwrap_or_default()).count() as u64
            }
            (None, Some(frames)) => frames.lines(&self.file.bytes, range),
            (None, None) => 0,
        }
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
        GamePlace {
            number: self.before.number.saturating_add(game.number_in_part()),
            line: self.before.line + line + self.lines(from..offset_bytes),
            offset_bytes: self.before.offset_bytes + offset_bytes,
        }
    }

    /// Returns what is wrong with a game's text, or with its item in the list.
    fn fault_of(&self, text: &[u8], place: GamePlace) -> Option<Error> {
        let fault = |text: &[u8]| {
            let game = Game::parse(text, place);
            game.and_then(|game| game.replay(&mut Nobody)).err()
        };
        let Some(list) = self.list else {
            return fault(text);
        };
        let mut told = Vec::new();
        let kind = match list.tell(text, Telling::All, &mut told) {
            Ok(()) => fault(&told)?.kind().clone(),
            Err(what) => ErrorKind::Corrupt { what },
        };
        // Places in what is told are none of the file.
        let error = Error::new(kind).at_line(place.line);
        Some(error.at_offset(place.offset_bytes))
    }
}

impl Store for PgnFile {
    fn kind(&self) -> FormatKind {
        self.list.map_or(FormatKind::Pgn, List::kind)
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
            .and_then(|bytes| self.text()?.get(..bytes));
        let records = self.records_in(0..games as usize);
        text.map_or(0, |text| settled(text, records) as u32)
    }

    fn encoding(&self) -> Option<TextEncoding> {
        self.encoding
    }

    fn games_before(&self) -> u32 {
        self.before.number
    }

    fn bytes_before(&self) -> u64 {
        self.before.offset_bytes
    }

    fn part(&self) -> Option<IndexedPart> {
        Some(IndexedPart {
            number: self.part?,
            bytes: self.frames.as_ref()?.range_in_file(),
        })
    }

    fn games_path(&self) -> &Path {
        &self.file.path
    }

    fn index(&self) -> Option<Runs<'_>> {
        let stored = self.stored.as_ref();
        let runs = stored.and_then(StoredIndex::runs);
        let places = || self.frames.as_ref().map(FrameText::to_bytes);
        Some(runs.unwrap_or_else(|| self.made().index.runs(places().unwrap_or_default())))
    }

    fn index_fault(&self, progress: Report<'_>) -> Result<Option<Error>> {
        let Some(stored) = &self.stored else {
            return Ok(None);
        };
        let made = match &self.text {
            Text::Packed => self.make_of_packed(Depth::All, progress),
            _ => self
                .make(Depth::All, u32::MAX, progress)
                .map(|made| (made, None)),
        };
        let (made, frames) = match made.map_err(|error| error.at_path(&self.file.path)) {
            Ok(made) => made,
            // The games that can be unpacked are verified all the same.
            Err(error) if matches!(error.kind(), ErrorKind::Io { .. }) => return Ok(Some(error)),
            Err(error) => return Err(error),
        };
        let places = frames.as_ref().map(FrameText::to_bytes).unwrap_or_default();
        let is_same = stored
            .runs()
            .is_some_and(|runs| runs == made.index.runs(places));
        let fault = || Error::corrupt(flaws::OTHER_INDEX).at_path(stored.path());
        Ok((!is_same).then(fault))
    }

    /// Parses the game again; the error names the line and the unreadable move.
    fn fault(&self, game: GameId) -> Option<Error> {
        let record = self.records_in(game.index()..game.index() + 1).first()?;
        let place = self.place(game, record);
        let error = if record.length_bytes() as usize > PGN_GAME_BYTES_MAX {
            too_long(place)
        } else if let Some(text) = self.game_text(record) {
            self.fault_of(&text, place)?
        } else {
            Error::corrupt(flaws::FRAME_UNREADABLE).at_offset(place.offset_bytes)
        };
        Some(error.in_game(place.number).at_path(&self.file.path))
    }
}

/// Returns where the frames of a text are; `None` if it was converted after it had been unpacked,
/// or frames are too long.
fn frames_of(at: &BytesRead, packed: &[u8], length: u64) -> Option<FrameText> {
    let after = GamePlace {
        offset_bytes: length,
        ..GamePlace::NOWHERE
    };
    let frames = FrameText::new(at.frames_of(0..length), GamePlace::NOWHERE, after)?;
    let head = frames.get(packed, 0..HEAD_BYTES as u64)?;
    (Writing::of(&head, None) == Writing::Plain).then_some(frames)
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
