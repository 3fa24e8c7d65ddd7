//! A PGN file as a database: an index of its games, whose text is parsed in place.

use std::path::Path;

use memchr::memchr_iter;

use super::{
    each::for_each_piece,
    flaws,
    game::{Board, Game, Lines, Played, comments, moves_from, play_moves},
    input::{Packing, unpacked},
    split::{Batches, Place},
};
use crate::{
    chess::{Follow, GameId, NameKind, Rewind, Start, text::decode},
    error::{Error, ErrorKind, Result},
    format::{
        Damage, Decoded, File, FormatKind, Header, Report, Scratch, Store, View, Visitor,
        header::flag,
        indexed::{AllLines, Builder, Draft, Index, MainLine, Record, Survey, game_bytes},
        names::NameList,
    },
    limits::{PGN_GAME_BYTES_MAX, PGN_UNPACKED_GAMES_MAX},
    progress::Progress,
};

/// Number of games between two known line numbers.
const LANDMARK_GAMES: usize = 256;

/// An open PGN file.
#[derive(Debug)]
pub(crate) struct PgnFile {
    file: File,
    /// The text, if the file is compressed or its lines end with carriage returns only.
    text: Option<Vec<u8>>,
    index: Index,
    /// The place of every 256th game, from which lines are counted.
    landmarks: Vec<Place>,
    /// The number of games, lines and bytes of the text before this part of it.
    before: Place,
}

impl PgnFile {
    /// Reads all games once. The second result is the damage to compressed text that kept games
    /// from being read.
    ///
    /// # Errors
    /// `Unsupported` for UTF-16; `LimitExceeded` for compressed text that is too long or holds
    /// too many games; `Interrupted` after a `Break` from `progress`; for zip archives the errors
    /// of [`Input::open`](super::Input::open).
    pub(crate) fn open(
        file: File,
        bytes_max: u64,
        progress: Report<'_>,
    ) -> Result<(PgnFile, Vec<Error>)> {
        let named = |error: Error| error.at_path(&file.path);
        let (text, damage, games_max) = match Packing::of(&file.bytes).map_err(named)? {
            Packing::Plain => (None, None, u32::MAX),
            packed => {
                let unpacked = unpacked(packed, &file.bytes, bytes_max);
                let (text, damage) = unpacked.map_err(named)?;
                (Some(text), damage.map(named), PGN_UNPACKED_GAMES_MAX)
            }
        };
        let pgn = PgnFile::new(file, text, NOWHERE, games_max, progress)?;
        Ok((pgn, damage.into_iter().collect()))
    }

    /// Opens a part of the text of a file, which begins at a game.
    ///
    /// # Errors
    /// `Interrupted` after a `Break` from `progress`.
    pub(super) fn of_part(
        file: File,
        text: Vec<u8>,
        before: Place,
        progress: Report<'_>,
    ) -> Result<PgnFile> {
        PgnFile::new(file, Some(text), before, u32::MAX, progress)
    }

    fn new(
        file: File,
        text: Option<Vec<u8>>,
        before: Place,
        games_max: u32,
        progress: Report<'_>,
    ) -> Result<PgnFile> {
        let mut pgn = PgnFile {
            file,
            text,
            index: Index::default(),
            landmarks: Vec::new(),
            before,
        };
        (pgn.index, pgn.landmarks) = survey(pgn.text(), games_max, progress)
            .map_err(|error| error.at_path(&pgn.file.path))?;
        Ok(pgn)
    }

    fn text(&self) -> &[u8] {
        self.text.as_deref().unwrap_or(&self.file.bytes)
    }

    /// Returns the games.
    pub(crate) fn games(&self) -> Games<'_> {
        Games {
            text: self.text(),
            records: &self.index.records,
        }
    }

    /// Returns the place of a game. Counts the lines of up to 256 games.
    fn place(&self, game: GameId, record: &Record) -> Place {
        let offset_bytes = record.offset_bytes();
        let landmark = self.landmarks.get(game.index() / LANDMARK_GAMES);
        let (from, line) = landmark.map_or((0, 1), |place| (place.offset_bytes, place.line));
        let between = self.text().get(from as usize..offset_bytes as usize);
        Place {
            number: self.before.number.saturating_add(game.number()),
            line: self.before.line
                + line
                + memchr_iter(b'\n', between.unwrap_or_default()).count() as u64,
            offset_bytes: self.before.offset_bytes + offset_bytes,
        }
    }
}

/// Surveys all games of a text in parallel. Fails if there are more than `games_max`.
fn survey(text: &[u8], games_max: u32, progress: Report<'_>) -> Result<(Index, Vec<Place>)> {
    let mut builder = Builder::default();
    let mut landmarks = Vec::new();
    let mut batches = Batches::of_slice(text);
    for_each_piece(
        || batches.next(),
        |text, piece| draft(text, piece.place),
        |place, draft| {
            if place.number > games_max {
                let limit = games_max.into();
                return Err(Error::limit("the number of games unpacked", limit));
            }
            let games = place.number as usize - 1;
            if games.is_multiple_of(LANDMARK_GAMES) {
                landmarks.push(place);
            }
            let (done, total) = (place.offset_bytes, text.len() as u64);
            let pauses = games.is_multiple_of(LANDMARK_GAMES);
            if pauses && progress(Progress::of(done, total)).is_break() {
                return Err(Error::interrupted());
            }
            builder.push(draft)
        },
    )?;
    Ok((builder.finish(), landmarks))
}

fn draft(text: &[u8], place: Place) -> Draft {
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let place_bytes = (place.offset_bytes, length);
    let mut survey = Survey::new();
    if text.len() > PGN_GAME_BYTES_MAX {
        return Draft::new(Default::default(), place_bytes, &survey, false);
    }
    match Game::parse(text, place) {
        Ok(game) => {
            let is_read = game.replay(&mut survey).is_ok();
            Draft::new(game.header().clone(), place_bytes, &survey, is_read)
        }
        Err(_) => {
            let game = Game::without_start(text, place);
            Draft::new(game.header().clone(), place_bytes, &survey, false)
        }
    }
}

impl Store for PgnFile {
    fn kind(&self) -> FormatKind {
        FormatKind::Pgn
    }

    fn game_count(&self) -> u32 {
        self.index.game_count()
    }

    fn files(&self) -> Vec<&File> {
        vec![&self.file]
    }

    fn names(&self, kind: NameKind) -> Result<&NameList> {
        Ok(self.index.names(kind))
    }

    fn games_before(&self) -> u32 {
        self.before.number
    }

    fn games_path(&self) -> &Path {
        &self.file.path
    }

    /// Parses the game again; the error names the line and the unreadable move.
    fn fault(&self, game: GameId) -> Option<Error> {
        let record = self.index.records.get(game.index())?;
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

pub(super) const GAME_TOO_LONG: &str = "the length of the game in bytes";

/// A visitor that ignores everything.
struct Nobody;

impl Visitor for Nobody {}

/// The records of a PGN file and its text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Games<'a> {
    text: &'a [u8],
    records: &'a [Record],
}

impl<'a> Games<'a> {
    fn text_of(&self, record: &Record) -> Decoded<&'a [u8]> {
        let text = game_bytes(self.text, record);
        if text.len() > PGN_GAME_BYTES_MAX {
            Err(damage(
                ErrorKind::Corrupt {
                    what: flaws::GAME_TOO_LONG,
                },
                0,
            ))
        } else {
            Ok(text)
        }
    }

    /// Plays a game without visiting its tags. Only games with their own start position require
    /// parsing the tags, which allocates.
    fn play<V: Visitor>(&self, record: &Record, lines: Lines, visitor: &mut V) -> Decoded<()> {
        let text = self.text_of(record)?;
        let has_start = record.flags() & flag::UNPROVED != 0;
        let played: Played = if has_start {
            parse(text)?.play(lines, visitor)
        } else if visitor.start(Start::Standard).is_break() {
            Ok(())
        } else {
            play_moves(text, moves_from(text), Board::standard(), lines, visitor)
        };
        played.map_err(|(kind, offset)| damage(kind, offset as u64))
    }
}

/// A place that makes the offsets of errors relative to the game.
const NOWHERE: Place = Place {
    number: 0,
    line: 0,
    offset_bytes: 0,
};

fn parse(text: &[u8]) -> Decoded<Game<'_>> {
    let offset = |error: &Error| error.offset().unwrap_or(0);
    Game::parse(text, NOWHERE).map_err(|error| damage(error.kind().clone(), offset(&error)))
}

fn damage(kind: ErrorKind, offset: u64) -> Damage {
    Damage {
        what: match kind {
            ErrorKind::Corrupt { what } => what,
            ErrorKind::Unsupported { .. } => flaws::OTHER_VARIANT,
            ErrorKind::IllegalMove(_) => flaws::UNREADABLE_MOVE,
            _ => flaws::NESTED_TOO_DEEP,
        },
        at: u32::try_from(offset).unwrap_or(u32::MAX),
    }
}

impl View for Games<'_> {
    type Record = Record;

    fn records(&self) -> &[Record] {
        self.records
    }

    fn touch(&self, record: &Record) -> u8 {
        game_bytes(self.text, record)
            .first()
            .copied()
            .unwrap_or_default()
    }

    fn follow_main_line<F: Follow>(
        &self,
        record: &Record,
        _: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32> {
        let mut line = MainLine::new(follow);
        self.play(record, Lines::Main, &mut line)?;
        Ok(line.plies)
    }

    fn follow_tree<F: Rewind>(
        &self,
        record: &Record,
        _: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<()> {
        self.play(record, Lines::All, &mut AllLines::new(follow))
    }

    fn visit<V: Visitor + ?Sized>(
        &self,
        record: &Record,
        _: &mut Scratch,
        visitor: &mut V,
    ) -> Decoded<()> {
        let game = parse(self.text_of(record)?)?;
        for (name, value) in game.tags() {
            if visitor.tag(name, value).is_break() {
                return Ok(());
            }
        }
        game.play(Lines::All, visitor)
            .map_err(|(kind, offset)| damage(kind, offset as u64))
    }

    fn any_tag(&self, record: &Record, test: &mut dyn FnMut(&str, &str) -> bool) -> Decoded<bool> {
        let game = Game::without_start(self.text_of(record)?, NOWHERE);
        Ok(game.tags().any(|(name, value)| test(name, value)))
    }

    fn any_comment(&self, record: &Record, test: &mut dyn FnMut(&str) -> bool) -> Decoded<bool> {
        let text = self.text_of(record)?;
        Ok(comments(text).any(|comment| test(&decode(comment))))
    }

    fn sources(&self, record: &Record, tell: &mut dyn FnMut(&[u8])) {
        tell(game_bytes(self.text, record));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_unpacked_games_than_the_limit_are_refused() {
        let text = b"d4 * ".repeat(1000);
        let survey = |games_max| survey(&text, games_max, &mut |_| crate::Flow::Continue(()));
        assert_eq!(survey(1000).unwrap().0.game_count(), 1000);
        let error = survey(999).unwrap_err();
        assert!(matches!(
            error.kind(),
            ErrorKind::LimitExceeded { limit: 999, .. }
        ));
    }
}
