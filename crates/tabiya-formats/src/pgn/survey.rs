//! Surveys all games of a text in one pass, on all threads.
//!
//! The text is cut where games seem to begin. Each thread reads games from one cut to the next: it
//! finds where they end and plays them at the same time. A part whose beginning turns out not to be
//! the end of the part before it, as after a cut inside a comment, is read again. So the games are
//! those that are found from the beginning of the text on. If more text follows, games that it
//! might change are left to it.

use std::ops::{Range, RangeInclusive};

mod alone;
mod items;

use memchr::{memchr, memchr_iter, memmem, memrchr2};
use rayon::prelude::*;
use tabiya_chess::{GameResult, Start};

use self::alone::add_alone;
use super::{
    boundary::GameBoundary,
    game::{Board, Game, start_of},
    header::{Tags, Value},
    lex::{Lexer, Token, starts_game},
    place::{Following, GamePlace},
};
use crate::{
    Header as _, OpenSettings, Report, Visitor,
    error::{Error, Result},
    indexed::{Builder, Index, Record, StoredIndex, Survey},
    limits::{PGN_GAME_BYTES_MAX, PGN_GAME_BYTES_MEAN_MIN},
    lists::List,
    progress::Progress,
};

/// Least and most bytes of a part, unless one game is longer. The longer parts are, the fewer names
/// are in several of them.
const PART_BYTES: RangeInclusive<usize> = 1 << 20..=16 << 20;
/// Parts for each thread that are read before they are joined.
const PARTS_PER_THREAD: usize = 2;

/// What is read of each game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// Its tags, and where it ends. Its record says that its moves have not been read.
    Tags,
    All,
}

impl Depth {
    pub(super) fn of(options: &OpenSettings) -> Depth {
        if options.reads_moves {
            Depth::All
        } else {
            Depth::Tags
        }
    }
}

/// Which games of a text are surveyed, and how much of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope {
    pub(super) depth: Depth,
    /// Those that begin before this offset.
    pub(super) until: usize,
    /// What follows the text, which may change its last games.
    pub(super) following: Following,
    pub(super) games: GamesLimit,
    /// What the text is a list of, if it is not PGN.
    pub(super) list: Option<List>,
}

/// What happens if there are too many games.
#[derive(Debug, Clone, Copy)]
pub(super) enum GamesLimit {
    /// More are an error.
    Refuse(u32),
    /// About as many as these are surveyed at a time.
    Pause(u32),
}

/// What reading the games gives.
#[derive(Debug, Default)]
pub(super) struct Surveyed {
    pub(super) index: Index,
    /// The places of some games in order, from which lines are counted.
    pub(super) landmarks: Vec<GamePlace>,
    /// Where the first game begins that was not surveyed.
    pub(super) end: usize,
}

impl Scope {
    /// Returns that all games of a text are surveyed, of which there may be at most so many.
    pub(super) fn whole(text: &[u8], depth: Depth, games_max: u32) -> Scope {
        Scope {
            depth,
            until: text.len(),
            following: Following::Nothing,
            games: GamesLimit::Refuse(games_max),
            list: None,
        }
    }
}

/// Surveys games.
///
/// # Errors
/// `LimitExceeded` for more games than are allowed; `Interrupted` after a `Break` from `progress`.
pub(super) fn survey(text: &[u8], scope: Scope, progress: Report<'_>) -> Result<Surveyed> {
    let begun = (Builder::default(), 0);
    survey_parts(text, scope, begun, part_bytes(text), progress)
}

/// Surveys the rest of a text of which an index of the first `older_bytes` was made before. `None`
/// if that is damaged, or has no game that must be the same now. There are no places from which
/// lines can be counted, since counting those of the beginning takes longer than all the rest.
///
/// # Errors
/// `Interrupted` after a `Break` from `progress`.
pub(super) fn survey_rest(
    text: &[u8],
    list: Option<List>,
    (older, older_bytes): (&StoredIndex, usize),
    progress: Report<'_>,
) -> Result<Option<Index>> {
    let Some(begun) = begun(text.get(..older_bytes).unwrap_or_default(), older) else {
        return Ok(None);
    };
    let scope = Scope {
        list,
        ..Scope::whole(text, Depth::All, u32::MAX)
    };
    let rest = survey_parts(text, scope, begun, part_bytes(text), progress)?;
    Ok(Some(rest.index))
}

/// Returns how long parts should be, so that all threads have enough of them.
fn part_bytes(text: &[u8]) -> usize {
    let parts = 2 * PARTS_PER_THREAD * rayon::current_num_threads();
    (text.len() / parts).clamp(*PART_BYTES.start(), *PART_BYTES.end())
}

/// Returns how many games of a text stay the same whatever is appended to it.
///
/// Appended text may continue the last game, or close a comment that is open since the last
/// bracket. Games before both are final.
pub(super) fn settled(text: &[u8], records: &[Record]) -> usize {
    let bracket = memrchr2(b'{', b'}', text).unwrap_or(text.len()) as u64;
    let end = |game: &Record| game.offset_bytes() + u64::from(game.length_bytes());
    let before = records.partition_point(|game| end(game) <= bracket);
    before.min(records.len().saturating_sub(1))
}

/// Returns the [settled] games of a text, and where the next begins; `None` if there are none.
fn begun(text: &[u8], index: &StoredIndex) -> Option<(Builder, usize)> {
    let records = index.records_in(0..index.game_count() as usize)?;
    let kept = settled(text, records);
    let at = usize::try_from(records.get(kept)?.offset_bytes()).ok()?;
    (kept > 0).then_some((Builder::after(index, kept)?, at))
}

fn survey_parts(
    text: &[u8],
    scope: Scope,
    (builder, at): (Builder, usize),
    part_bytes: usize,
    progress: Report<'_>,
) -> Result<Surveyed> {
    let parts_max = PARTS_PER_THREAD * rayon::current_num_threads();
    let of_part = Scope {
        games: scope.games.of_part(part_bytes),
        ..scope
    };
    let mut joined = Joined {
        text,
        scope: of_part,
        builder,
        at,
        line: 1,
        landmarks: Vec::new(),
        is_over: false,
    };
    let (mut parts, mut from) = (Vec::new(), at);
    while !joined.is_over && (from < scope.until || !parts.is_empty()) {
        let cuts = cuts((text, scope.list), from..scope.until, part_bytes, parts_max);
        let read = || -> Result<Vec<Part>> {
            let ranges = (1..cuts.len()).into_par_iter();
            ranges
                .map(|number| Part::read(text, of_part, cuts[number - 1]..cuts[number]))
                .collect()
        };
        // Parts are joined while the next are read.
        let (added, next) = rayon::join(|| joined.add(parts, scope.games), read);
        added?;
        parts = next?;
        from = joined.at.max(*cuts.last().unwrap_or(&from));
        if progress(Progress::of(joined.at as u64, text.len() as u64)).is_break() {
            return Err(Error::interrupted());
        }
    }
    Ok(Surveyed {
        index: joined.builder.finish(),
        landmarks: joined.landmarks,
        end: joined.at,
    })
}

/// The games of all parts so far.
struct Joined<'a> {
    text: &'a [u8],
    /// That of a part.
    scope: Scope,
    builder: Builder,
    /// Where the next game begins, and its line if the first line is that of the first game.
    at: usize,
    line: u64,
    landmarks: Vec<GamePlace>,
    /// Whether the next game is not to be surveyed now.
    is_over: bool,
}

impl Joined<'_> {
    /// Adds parts that follow each other, up to the first that was not read to its end.
    fn add(&mut self, parts: Vec<Part>, games: GamesLimit) -> Result<()> {
        for mut part in parts {
            // A longer part before this one may even have taken all of it.
            if self.at != part.range.start {
                let range = self.at..part.range.end.max(self.at);
                part = Part::read(self.text, self.scope, range)?;
            }
            self.landmarks.push(GamePlace {
                number: self.builder.len() as u32 + 1,
                line: self.line,
                offset_bytes: self.at as u64,
            });
            self.builder.append(part.builder)?;
            self.is_over = games.is_reached(&self.builder)? || part.end < part.range.end;
            (self.at, self.line) = (part.end, self.line + part.lines);
            if self.is_over {
                break;
            }
        }
        Ok(())
    }
}

impl GamesLimit {
    /// Returns the limit for each of the parts that are in memory at the same time.
    fn of_part(self, part_bytes: usize) -> GamesLimit {
        match self {
            GamesLimit::Refuse(_) => self,
            GamesLimit::Pause(games) => {
                let usual = part_bytes as u64 / PGN_GAME_BYTES_MEAN_MIN;
                GamesLimit::Pause(u32::try_from(usual + 1).map_or(games, |usual| usual.min(games)))
            }
        }
    }

    /// Returns whether so many games are enough for now.
    fn is_reached(self, builder: &Builder) -> Result<bool> {
        let games = builder.len();
        match self {
            GamesLimit::Pause(games_max) => Ok(games >= games_max as usize),
            GamesLimit::Refuse(games_max) if games > games_max as usize => {
                let what = "the number of games of PGN that is not converted";
                Err(Error::limit(what, games_max.into()))
            }
            GamesLimit::Refuse(_) => Ok(false),
        }
    }
}

/// Returns where to cut a range of the text: at its beginning, then at places where games seem to
/// begin, then perhaps at its end.
fn cuts(
    (text, list): (&[u8], Option<List>),
    range: Range<usize>,
    part_bytes: usize,
    parts: usize,
) -> Vec<usize> {
    let mut cuts = vec![range.start];
    let mut at = range.start;
    while cuts.len() <= parts && at < range.end {
        at = (at + part_bytes).min(range.end);
        let near = text.get(at..range.end.min(at + PART_BYTES.end()));
        let near = near.unwrap_or_default();
        if let Some(list) = list {
            let item = list.likely_item(near, 0).map(|item| at + item);
            at = item.unwrap_or(at + near.len());
            cuts.push(at);
            continue;
        }
        let mut lines = memmem::find_iter(near, b"\n[").map(|line_end| at + line_end + 1);
        let tagged = lines.find(|&at| starts_game(text, at));
        // Games without tags.
        let begun = || memmem::find(near, b"\n1. ").map(|line_end| at + line_end + 1);
        at = tagged.or_else(begun).unwrap_or(at + near.len());
        cuts.push(at);
    }
    cuts
}

/// Games that follow each other.
struct Part {
    builder: Builder,
    /// Where they begin, at least the first.
    range: Range<usize>,
    /// Where the next game begins; before the end of the range if not all were read.
    end: usize,
    /// The number of line feeds.
    lines: u64,
}

impl Part {
    /// Reads the games that begin in a range.
    fn read(text: &[u8], scope: Scope, range: Range<usize>) -> Result<Part> {
        if let Some(list) = scope.list {
            return items::read(list, text, scope, range);
        }
        let mut reader = Reader::new(text, scope);
        let mut builder = Builder::default();
        let mut at = range.start;
        while at < range.end && !scope.games.is_reached(&builder)? {
            match reader.read(at, &mut builder)? {
                Some(next) => at = next,
                None => break,
            }
        }
        let whole = text.get(range.start..at).unwrap_or_default();
        Ok(Part {
            builder,
            range,
            end: at,
            lines: memchr_iter(b'\n', whole).count() as u64,
        })
    }
}

/// Reads one game after the other, with the same memory.
struct Reader<'a> {
    text: &'a [u8],
    scope: Scope,
    /// Where the item is in the list whose text ends with its own, if there is a list.
    item: Option<(u64, u32)>,
    tags: Tags<'a>,
    seen: GameBoundary<'a>,
    survey: Survey,
    board: Board,
}

/// How far a game has been played.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Play {
    /// Only comments and tags have been read.
    Waiting,
    Playing,
    /// A move could not be read as the standard has it.
    Failed,
    /// The rest cannot be played, or is not.
    Over,
}

impl<'a> Reader<'a> {
    fn new(text: &'a [u8], scope: Scope) -> Reader<'a> {
        Reader {
            text,
            scope,
            item: None,
            tags: Tags::new(),
            seen: GameBoundary::default(),
            survey: match scope.depth {
                Depth::Tags => Survey::new(),
                Depth::All => Survey::with_line(),
            },
            board: Board::standard(),
        }
    }

    /// Reads the game that begins at or after an offset, if there is one. Returns where the next
    /// begins, or the end of the text; `None` if what follows the text may change the game.
    fn read(&mut self, at: usize, builder: &mut Builder) -> Result<Option<usize>> {
        self.tags.clear();
        self.seen.clear();
        self.survey.begin();
        let mut lexer = Lexer::at(self.text, at);
        let mut begun = None;
        let (mut play, mut result, mut is_odd) = (Play::Waiting, None, false);
        let next = loop {
            let token = lexer.next();
            let mut is_last = token == Token::End || self.may_go_on(&lexer);
            let is_text = !is_last && self.seen.skip_text(token, &mut lexer);
            is_last |= is_text && self.may_go_on(&lexer);
            if is_last {
                if !self.ends_with(token) {
                    return Ok(None);
                }
                // The last token has not been played.
                is_odd |= token != Token::End;
                break self.text.len();
            }
            if is_text {
                continue;
            }
            let start = lexer.start_with_number();
            if begun.is_none() {
                begun = Some(start);
                is_odd = self.text.get(start) == Some(&b'%');
            }
            if let Some(next) = self.seen.next_game(self.text, token, start) {
                // Tags that have been read are those of the next game.
                is_odd |= next < start;
                break next;
            }
            match token {
                Token::Result(found) if self.seen.is_in_main_line() => {
                    result.get_or_insert(found);
                }
                // Where these end depends on what follows the game.
                Token::UnclosedComment => is_odd = true,
                Token::Comment(comment) => is_odd |= memchr(b'{', comment).is_some(),
                _ => {}
            }
            self.take(token, &mut lexer, &mut play);
        };
        let Some(begun) = begun else {
            return Ok(Some(next));
        };
        if play == Play::Waiting {
            self.play(&mut play, Token::End);
        }
        // Where a game ends does not depend on how its moves are spelled.
        is_odd |= play == Play::Failed;
        let mut game = begun..next;
        if self.item.is_some() {
            // It is read alone whenever something is asked of it.
            is_odd |= game != (at..self.text.len());
            game = at..self.text.len();
        }
        let is_read = play == Play::Playing && !self.board.is_in_variation();
        self.add(game, is_read, is_odd, result, builder)?;
        Ok(Some(next))
    }

    /// Takes a token of the game, and the tags or moves behind it that are spelled as usual.
    #[inline]
    fn take(&mut self, token: Token<'a>, lexer: &mut Lexer<'a>, play: &mut Play) {
        self.seen.add(token);
        match token {
            Token::Tag { name, value } => {
                self.tags.add(name, Value::new(value), 0);
                let tags = &mut self.tags;
                self.seen.add_plain_tags(lexer, |name, value| {
                    tags.add(name, Value::plain(value), 0);
                });
                self.first_moves(play, lexer);
            }
            token => self.play(play, token),
        }
        let goes_on = match token {
            Token::Word(_) => !self.seen.has_ended(),
            // Behind a comment words may be played, but not skipped: a tag may follow it.
            Token::Comment(_) => *play == Play::Playing && self.seen.is_in_moves(),
            _ => false,
        };
        if goes_on {
            self.play_plain(play, lexer);
        }
    }

    /// Whether text that follows may change the latest token.
    #[inline]
    fn may_go_on(&self, lexer: &Lexer<'_>) -> bool {
        self.scope.following != Following::Nothing && lexer.is_open_ended()
    }

    /// Whether a game ends with the text, whose last token this is.
    fn ends_with(&mut self, token: Token<'a>) -> bool {
        if let Token::Result(_) = token {
            self.seen.add(token);
        }
        match self.scope.following {
            Following::Nothing => true,
            Following::More => false,
            Following::Lost => self.seen.has_ended(),
        }
    }

    /// Begins to play if moves follow the tags.
    #[inline]
    fn first_moves(&mut self, play: &mut Play, lexer: &mut Lexer<'_>) {
        if lexer.clone().next_move().is_some() {
            self.seen.begin_moves();
            *play = self.start();
            // Words are skipped only after one, which says that no tag follows in its line.
            if *play == Play::Playing {
                self.play_plain(play, lexer);
            }
        }
    }

    /// Plays or skips the moves that follow a word.
    #[inline]
    fn play_plain(&mut self, play: &mut Play, lexer: &mut Lexer<'_>) {
        if *play != Play::Playing {
            return lexer.skip_words();
        }
        if self.board.plain_moves(lexer, &mut self.survey).is_err() {
            *play = Play::Failed;
        }
    }

    /// Plays the next token that is no tag.
    #[inline]
    fn play(&mut self, play: &mut Play, token: Token<'_>) {
        if *play == Play::Waiting {
            // Comments before the first tag.
            if let Token::Comment(_) = token
                && self.seen.has_no_tags()
            {
                let _ = self.survey.comment("");
                return;
            }
            *play = self.start();
        }
        if *play != Play::Playing {
            return;
        }
        let played = match token {
            // They are only counted.
            Token::Comment(_) => Ok(self.survey.comment("")),
            token => self.board.step(token, &mut self.survey),
        };
        if played.is_err() {
            *play = Play::Failed;
        }
    }

    /// Sets up the start position, after the last tag.
    fn start(&mut self) -> Play {
        self.tags.choose_ratings();
        let Ok(start) = start_of(&self.tags) else {
            self.survey.begin();
            return Play::Over;
        };
        if self.tags.variant.is_some() {
            for (name, value) in self.tags.rest() {
                let _ = self.survey.tag(&name, &value);
            }
        }
        match start {
            None => {
                let _ = self.survey.start(Start::Standard);
                self.board = Board::standard();
            }
            Some((setup, position, mode)) => {
                let _ = self.survey.start(Start::Custom(&setup));
                self.board = Board::new(position, mode);
            }
        }
        match self.scope.depth {
            Depth::Tags => Play::Over,
            Depth::All => Play::Playing,
        }
    }

    fn add(
        &mut self,
        range: Range<usize>,
        is_read: bool,
        is_odd: bool,
        result: Option<GameResult>,
        builder: &mut Builder,
    ) -> Result<()> {
        let length = u32::try_from(range.len()).unwrap_or(u32::MAX);
        let place = self.item.unwrap_or((range.start as u64, length));
        let survey = &mut self.survey;
        if range.len() > PGN_GAME_BYTES_MAX {
            survey.begin();
            return builder.push(&Default::default(), place, survey, false);
        }
        if is_odd {
            let text = self.text.get(range).unwrap_or_default();
            return add_alone(text, place, survey, builder);
        }
        if !self.tags.has_result {
            self.tags.header.result = result.unwrap_or_default();
        }
        let names = self.tags.names();
        let names = names.each_ref().map(|name| &**name);
        builder.push_named(&self.tags.header, names, place, survey, is_read)
    }
}

#[cfg(test)]
mod tests;
