//! A Monty file as a database: an index in memory; games are decoded from the file.

use std::{cmp::Reverse, ops::Range, path::Path};

use rayon::prelude::*;
use tabiya_chess::{Flow, Follow, NameKind, Rewind, follow::break_if};

use super::{Game, Layout, flaws, salvage};
use crate::{
    Damage, Decoded, File, FormatKind, Report, Scratch, Store, View, Visitor,
    error::{Error, Result},
    indexed::{Builder, Index, Record, Survey, game_bytes},
    names::NameList,
    progress::Progress,
};

/// Number of games surveyed together.
const BATCH_GAMES: usize = 4096;
/// Number of games surveyed by one thread at a time.
const TASK_GAMES: usize = 64;
/// Number of games read to detect a file's layout.
const TRIAL_GAMES: usize = 8;

/// An open file of training data.
#[derive(Debug)]
pub struct MontyFile {
    file: File,
    layout: Layout,
    index: Index,
}

impl MontyFile {
    /// Reads all games once and checks their moves. Also returns a note where and why the games end
    /// before the file does. When salvaging, the next game after a damaged one is searched for, see
    /// [`salvage`]; the layout is then detected even if the first game is damaged.
    ///
    /// # Errors
    /// `Corrupt` if no layout gives a game; `Interrupted` after a `Break` from `progress`.
    pub(crate) fn open(
        file: File,
        salvage: bool,
        progress: Report<'_>,
    ) -> Result<(MontyFile, Vec<Error>)> {
        let named = |error: Error| error.at_path(&file.path);
        let begun = if salvage { None } else { detect(&file.bytes) };
        let layout = begun
            .or_else(|| salvage::detect(&file.bytes))
            .ok_or_else(|| named(Error::corrupt(flaws::NO_LAYOUT)))?;
        let surveyed = if salvage {
            salvage::survey(&file.bytes, layout, progress).map(|index| (index, None))
        } else {
            survey(&file.bytes, layout, progress)
        };
        let (index, damage) = surveyed.map_err(named)?;
        let notes = damage.map(named).into_iter().collect();
        let monty = MontyFile {
            file,
            layout,
            index,
        };
        Ok((monty, notes))
    }

    /// Returns the layout of the games.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Returns the games.
    pub fn games(&self) -> Games<'_> {
        Games {
            bytes: &self.file.bytes,
            layout: self.layout,
            records: self.index.records(),
        }
    }
}

/// Returns the layout in which most of the first games are valid, and among equals the one with the
/// fewest bytes left over; `None` if the first game is damaged in every layout. An empty file is
/// policy data without games.
fn detect(bytes: &[u8]) -> Option<Layout> {
    if bytes.is_empty() {
        return Some(Layout::default());
    }
    let rated = Layout::ALL.map(|layout| (trial(bytes, layout), layout));
    // Reversed, since `max_by_key` returns the last of equals.
    let best = rated
        .into_iter()
        .rev()
        .max_by_key(|&((games, left_over), _)| (games, Reverse(left_over)))?;
    (best.0.0 > 0).then_some(best.1)
}

/// Reads a few games up to the first damaged one; returns their number and the number of bytes
/// after them that belong to no game.
fn trial(bytes: &[u8], layout: Layout) -> (usize, usize) {
    let mut rest = bytes;
    for games in 0..TRIAL_GAMES {
        let found = Game::find(rest, layout).ok();
        let whole = found.filter(|(game, _)| game.check(&mut Survey::new()).is_ok());
        let Some((_, length)) = whole else {
            return (games, rest.len());
        };
        rest = rest.get(length..).unwrap_or_default();
        if rest.is_empty() {
            return (TRIAL_GAMES, 0);
        }
    }
    (TRIAL_GAMES, 0)
}

/// Surveys the games of a file in parallel up to the first damaged one. Also returns the error of
/// that game.
fn survey(bytes: &[u8], layout: Layout, progress: Report<'_>) -> Result<(Index, Option<Error>)> {
    let mut builder = Builder::default();
    let mut at = 0;
    loop {
        let (places, cut) = find_games(bytes, layout, at);
        let parts: Vec<_> = places
            .par_chunks(TASK_GAMES)
            .map(|places| survey_part(bytes, layout, places))
            .collect();
        for part in parts {
            let (part, damage) = part?;
            builder.append(part)?;
            if let Some((damage, start)) = damage {
                let number = (builder.len() + 1) as u32;
                return Ok((builder.finish(), Some(located(damage, start, number))));
            }
        }
        at = places.last().map_or(at, |place| place.end);
        let (done, total) = (at as u64, bytes.len() as u64);
        if progress(Progress::of(done, total)).is_break() {
            return Err(Error::interrupted());
        }
        if cut.is_some() || at >= bytes.len() {
            let number = (builder.len() + 1) as u32;
            let error = cut.map(|damage| located(damage, at, number));
            return Ok((builder.finish(), error));
        }
    }
}

/// Surveys games up to the first damaged one; also returns its damage and where it begins.
fn survey_part(
    bytes: &[u8],
    layout: Layout,
    places: &[Range<usize>],
) -> Result<(Builder, Option<(Damage, usize)>)> {
    let mut builder = Builder::default();
    for place in places {
        let mut survey = Survey::new();
        let game = Game::open(bytes.get(place.clone()).unwrap_or_default(), layout);
        let result = game.and_then(|game| game.check(&mut survey).map(|()| game.result()));
        match result {
            Ok(result) => salvage::add(&mut builder, result, place, &mut survey, true)?,
            Err(damage) => return Ok((builder, Some((damage, place.start)))),
        }
    }
    Ok((builder, None))
}

/// Creates the error for a damaged game, located at the start of the game.
fn located(damage: Damage, start: usize, number: u32) -> Error {
    Error::corrupt(damage.what)
        .in_game(number)
        .at_offset(start as u64)
}

/// Finds the next games from an offset, up to one batch. Also returns the damage if the games end
/// before the bytes do.
fn find_games(bytes: &[u8], layout: Layout, mut at: usize) -> (Vec<Range<usize>>, Option<Damage>) {
    let mut places = Vec::new();
    while at < bytes.len() && places.len() < BATCH_GAMES {
        match Game::find(bytes.get(at..).unwrap_or_default(), layout) {
            Ok((_, length)) => {
                places.push(at..at + length);
                at += length;
            }
            Err(damage) => return (places, Some(damage)),
        }
    }
    (places, None)
}

impl Store for MontyFile {
    fn kind(&self) -> FormatKind {
        match self.layout {
            Layout::Policy => FormatKind::MontyPolicy,
            Layout::Value | Layout::OldValue => FormatKind::MontyValue,
        }
    }

    fn game_count(&self) -> u32 {
        self.index.game_count()
    }

    fn description(&self) -> String {
        match self.layout {
            Layout::Policy | Layout::Value => String::new(),
            Layout::OldValue => "old layout, headers of 41 bytes".to_owned(),
        }
    }

    fn files(&self) -> Vec<&File> {
        vec![&self.file]
    }

    fn names(&self, kind: NameKind) -> Result<&NameList> {
        Ok(self.index.names(kind))
    }

    fn games_path(&self) -> &Path {
        &self.file.path
    }
}

/// The records of a file and its bytes.
#[derive(Debug, Clone, Copy)]
pub struct Games<'a> {
    bytes: &'a [u8],
    layout: Layout,
    records: &'a [Record],
}

impl<'a> Games<'a> {
    fn game(&self, record: &Record) -> Decoded<Game<'a>> {
        Game::open(game_bytes(self.bytes, record), self.layout)
    }
}

impl View for Games<'_> {
    type Record = Record;

    fn records(&self) -> &[Record] {
        self.records
    }

    fn touch(&self, record: &Record) -> u8 {
        let bytes = game_bytes(self.bytes, record);
        bytes.first().copied().unwrap_or_default()
    }

    fn follow_main_line<F: Follow>(
        &self,
        record: &Record,
        _: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32> {
        self.game(record)?.follow(follow)
    }

    fn follow_tree<F: Rewind>(
        &self,
        record: &Record,
        _: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<()> {
        self.game(record)?.follow(follow).map(drop)
    }

    fn visit<V: Visitor + ?Sized>(
        &self,
        record: &Record,
        _: &mut Scratch,
        visitor: &mut V,
    ) -> Decoded<()> {
        self.game(record)?.visit(visitor)
    }

    fn any_tag(&self, record: &Record, test: &mut dyn FnMut(&str, &str) -> bool) -> Decoded<bool> {
        Ok(self.game(record)?.is_chess960() && test("Variant", "Chess960"))
    }

    fn any_comment(&self, record: &Record, test: &mut dyn FnMut(&str) -> bool) -> Decoded<bool> {
        let mut search = Search { test, found: false };
        self.game(record)?.visit(&mut search)?;
        Ok(search.found)
    }

    fn sources(&self, record: &Record, tell: &mut dyn FnMut(&[u8])) {
        tell(game_bytes(self.bytes, record));
    }
}

/// Searches for a comment.
struct Search<'t> {
    test: &'t mut dyn FnMut(&str) -> bool,
    found: bool,
}

impl Visitor for Search<'_> {
    fn comment(&mut self, text: &str) -> Flow {
        self.found = (self.test)(text);
        break_if(self.found)
    }
}
