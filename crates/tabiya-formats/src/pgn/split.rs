//! Splits PGN text into games, a few megabytes at a time.
//!
//! One file because finding where games begin, cutting the text there and counting lines is one
//! scan.

use std::{
    borrow::Cow,
    io::{self, Read},
    ops::Range,
};

use memchr::{memchr_iter, memmem};

use super::{
    boundary::GameBoundary,
    lex::{Lexer, TAG_NAME_BYTES_MAX, Token, starts_game},
};
use crate::{
    error::{Error, Result},
    limits::PGN_GAME_BYTES_MAX,
};

/// Bytes of text in one batch, unless one game is longer: enough work to distribute, little memory.
const BATCH_BYTES: usize = 4 << 20;
/// Maximum games in one batch, so that the results of many tiny games do not fill memory.
const BATCH_GAMES: usize = 1 << 14;
/// Bytes kept of skipped text, so that the start of a game is found across two reads.
const OVERLAP_BYTES: usize = 2 * TAG_NAME_BYTES_MAX;

/// The place of a game in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GamePlace {
    /// The 1-based number of the game in the file, broken games included.
    pub number: u32,
    /// The 1-based line of its first tag or move.
    pub line: u64,
    /// The offset in bytes of its first tag or move, in the text after decompression.
    pub offset_bytes: u64,
}

impl GamePlace {
    /// A place that makes the offsets of errors relative to the game.
    pub(super) const NOWHERE: GamePlace = GamePlace {
        number: 0,
        line: 0,
        offset_bytes: 0,
    };
}

/// A game's text within a batch.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) range: Range<usize>,
    pub(super) place: GamePlace,
    /// Whether the game is longer than [`PGN_GAME_BYTES_MAX`]; then the range must not be parsed.
    pub(super) too_long: bool,
}

/// Text and the games in it.
#[derive(Debug)]
pub(super) struct Batch<'a> {
    pub(super) text: Cow<'a, [u8]>,
    pub(super) pieces: Vec<Piece>,
}

/// Counts games and lines of the text.
#[derive(Debug)]
struct Counter {
    games: u32,
    /// Lines before `counted`.
    lines: u64,
    /// Offset in the current text up to which lines are counted.
    counted: usize,
    /// Offset of the current text in the file.
    offset_bytes: u64,
}

impl Counter {
    fn new() -> Counter {
        Counter {
            games: 0,
            lines: 0,
            counted: 0,
            offset_bytes: 0,
        }
    }

    fn count_to(&mut self, text: &[u8], at: usize) {
        let new = text.get(self.counted..at).unwrap_or_default();
        self.lines += memchr_iter(b'\n', new).count() as u64;
        self.counted = at.max(self.counted);
    }

    fn place(&mut self, text: &[u8], at: usize) -> GamePlace {
        self.count_to(text, at);
        self.games = self.games.saturating_add(1);
        GamePlace {
            number: self.games,
            line: self.lines + 1,
            offset_bytes: self.offset_bytes + at as u64,
        }
    }

    /// Adjusts the counts before the text up to `at` is dropped.
    fn drop_before(&mut self, text: &[u8], at: usize) {
        self.count_to(text, at);
        self.counted -= at;
        self.offset_bytes += at as u64;
    }
}

/// What follows a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Following {
    Nothing,
    /// More text.
    More,
    /// Text that cannot be read.
    Lost,
}

/// Finds the games from `from` on, up to about one batch, and returns the offset of the
/// remaining text. Unless nothing follows, the last game remains; but if what follows is lost, only
/// a game without its result does.
fn find_games(text: &[u8], from: usize, rest: Following, games: &mut Vec<Range<usize>>) -> usize {
    let complete = rest == Following::Nothing;
    let mut lexer = Lexer::at(text, from);
    let mut start = None;
    let mut seen = GameBoundary::default();
    loop {
        let token = lexer.next();
        if token == Token::End || (!complete && lexer.is_open_ended()) {
            if matches!(token, Token::Result(_)) {
                seen.add(token);
            }
            break;
        }
        if seen.skip_text(token, &mut lexer) {
            // What follows a game may be cut off within a line.
            if !complete && lexer.is_open_ended() {
                break;
            }
            continue;
        }
        let begun = *start.get_or_insert(lexer.start_with_number());
        if let Some(next) = seen.next_game(text, token, lexer.start_with_number()) {
            games.push(begun..next);
            if games.len() >= BATCH_GAMES || next - from >= BATCH_BYTES {
                return next;
            }
            start = Some(next);
            seen.clear();
            lexer = Lexer::at(text, next);
            continue;
        }
        seen.add(token);
        if matches!(token, Token::Tag { .. }) {
            seen.add_plain_tags(&mut lexer, |_, _| {});
        }
        // All words of an unfinished game are alike.
        if matches!(token, Token::Word(_)) && !seen.has_ended() {
            lexer.skip_words();
        }
    }
    if complete || rest == Following::Lost && seen.has_ended() {
        games.extend(start.map(|start| start..text.len()));
        return text.len();
    }
    start.unwrap_or(from)
}

/// The source of the text.
enum Text<'a> {
    Slice { bytes: &'a [u8], from: usize },
    Stream(Stream<'a>),
}

struct Stream<'a> {
    reader: Box<dyn Read + Send + 'a>,
    /// Text read but not yet processed.
    pending: Vec<u8>,
    complete: bool,
    failed: Option<io::Error>,
    /// Whether reading is inside a game that is too long.
    skipping: bool,
}

/// Returns the text of a file in batches of whole games, in order. Memory is bounded by the
/// batch size and by [`PGN_GAME_BYTES_MAX`].
pub(super) struct Batches<'a> {
    text: Text<'a>,
    counter: Counter,
    game_bytes_max: usize,
}

impl<'a> Batches<'a> {
    pub(super) fn of_slice(bytes: &'a [u8]) -> Batches<'a> {
        Batches {
            text: Text::Slice { bytes, from: 0 },
            counter: Counter::new(),
            game_bytes_max: PGN_GAME_BYTES_MAX,
        }
    }

    pub(super) fn of_stream(reader: Box<dyn Read + Send + 'a>) -> Batches<'a> {
        Batches {
            text: Text::Stream(Stream {
                reader,
                pending: Vec::new(),
                complete: false,
                failed: None,
                skipping: false,
            }),
            counter: Counter::new(),
            game_bytes_max: PGN_GAME_BYTES_MAX,
        }
    }

    /// Returns the next batch, `None` at the end. One without games comes after much text without
    /// any.
    ///
    /// If reading fails, the games before that are returned first and the error next.
    pub(super) fn next(&mut self) -> Result<Option<Batch<'a>>> {
        let counter = &mut self.counter;
        match &mut self.text {
            Text::Slice { bytes, from } => {
                let mut games = Vec::new();
                *from = find_games(bytes, *from, Following::Nothing, &mut games);
                let pieces = pieces(bytes, games, counter, self.game_bytes_max);
                Ok((!pieces.is_empty()).then_some(Batch {
                    text: Cow::Borrowed(bytes),
                    pieces,
                }))
            }
            Text::Stream(stream) => stream.next(counter, self.game_bytes_max),
        }
    }
}

/// Returns where the whole games of a text end, whose rest is lost. The last game may be incomplete
/// unless it has its result.
pub(super) fn whole_games_end(text: &[u8]) -> usize {
    let (mut from, mut games) = (0, Vec::new());
    loop {
        games.clear();
        from = find_games(text, from, Following::Lost, &mut games);
        if games.is_empty() {
            return from;
        }
    }
}

fn pieces(
    text: &[u8],
    games: Vec<Range<usize>>,
    counter: &mut Counter,
    game_bytes_max: usize,
) -> Vec<Piece> {
    games
        .into_iter()
        .map(|range| Piece {
            place: counter.place(text, range.start),
            too_long: range.len() > game_bytes_max,
            range,
        })
        .collect()
}

impl Stream<'_> {
    fn next(
        &mut self,
        counter: &mut Counter,
        game_bytes_max: usize,
    ) -> Result<Option<Batch<'static>>> {
        if self.skipping {
            self.skip(counter);
            return Ok(Some(Batch {
                text: Cow::Owned(Vec::new()),
                pieces: Vec::new(),
            }));
        }
        let mut wanted = BATCH_BYTES;
        loop {
            self.fill(wanted);
            let mut games = Vec::new();
            let rest = find_games(&self.pending, 0, self.rest(), &mut games);
            if !games.is_empty() {
                let pieces = pieces(&self.pending, games, counter, game_bytes_max);
                counter.drop_before(&self.pending, rest);
                let pending = self.pending.split_off(rest);
                let text = Cow::Owned(std::mem::replace(&mut self.pending, pending));
                return Ok(Some(Batch { text, pieces }));
            }
            if let Some(cause) = self.failed.take() {
                return Err(Error::io_unnamed("decompress", cause));
            }
            if self.complete {
                return Ok(None);
            }
            if self.pending.len() > game_bytes_max {
                return Ok(Some(self.give_up(counter)));
            }
            // Doubling keeps the total cost of rescanning the same text linear.
            wanted = (self.pending.len() * 2).clamp(wanted, wanted.max(game_bytes_max + 1));
        }
    }

    /// Returns what follows the pending text.
    fn rest(&self) -> Following {
        match (self.complete, &self.failed) {
            (true, _) => Following::Nothing,
            (false, None) => Following::More,
            (false, Some(_)) => Following::Lost,
        }
    }

    /// Reads until `wanted` bytes are pending or the input ends.
    fn fill(&mut self, wanted: usize) {
        let missing = wanted.saturating_sub(self.pending.len());
        if missing == 0 || self.complete || self.failed.is_some() {
            return;
        }
        let missing = missing as u64;
        match (&mut self.reader)
            .take(missing)
            .read_to_end(&mut self.pending)
        {
            Ok(read) => self.complete = (read as u64) < missing,
            Err(cause) => self.failed = Some(cause),
        }
    }

    /// Returns a batch that reports the pending game as too long.
    fn give_up(&mut self, counter: &mut Counter) -> Batch<'static> {
        let start = {
            let mut lexer = Lexer::at(&self.pending, 0);
            lexer.next();
            lexer.start()
        };
        self.skipping = true;
        Batch {
            pieces: vec![Piece {
                range: 0..0,
                place: counter.place(&self.pending, start),
                too_long: true,
            }],
            text: Cow::Owned(Vec::new()),
        }
    }

    /// Drops text up to the next certain start of a game, or all that is pending. Ignores comments
    /// and brackets, since an unclosed one may have caused the length.
    fn skip(&mut self, counter: &mut Counter) {
        let mut lines = memmem::find_iter(&self.pending, b"\n[").map(|line_end| line_end + 1);
        let found = lines.find(|&at| starts_game(&self.pending, at));
        let is_last = self.complete || self.failed.is_some();
        let keep_from = match found {
            Some(at) => at,
            None if is_last => self.pending.len(),
            None => self.pending.len().saturating_sub(OVERLAP_BYTES),
        };
        counter.drop_before(&self.pending, keep_from);
        self.pending.drain(..keep_from);
        self.skipping = found.is_none() && !is_last;
        if self.skipping {
            self.fill(BATCH_BYTES);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::testing::Dice, *};

    fn games(text: &str) -> Vec<&str> {
        let mut batches = Batches::of_slice(text.as_bytes());
        let mut games = Vec::new();
        while let Some(batch) = batches.next().unwrap() {
            games.extend(
                batch
                    .pieces
                    .iter()
                    .map(|piece| text[piece.range.clone()].trim_end()),
            );
        }
        games
    }

    #[test]
    fn a_tag_at_a_line_start_after_movetext_begins_a_game() {
        assert_eq!(
            games("\n[A \"1\"]\n\n[B \"2\"]\n\n1. e4\n\ne5 1-0\n[A \"2\"]\n*\n\n"),
            ["[A \"1\"]\n\n[B \"2\"]\n\n1. e4\n\ne5 1-0", "[A \"2\"]\n*"]
        );
    }

    #[test]
    fn games_without_tags_end_with_their_result() {
        assert_eq!(
            games("1. e4 (1. d4 *) e5 1-0 {fine} 1. d4 0-1\n\n* * 1. c4"),
            ["1. e4 (1. d4 *) e5 1-0 {fine}", "1. d4 0-1\n\n* *", "1. c4"]
        );
    }

    #[test]
    fn a_result_with_spaces_ends_a_game_behind_any_word() {
        for result in ["1 - 0", "0 - 1", "1  :  0", "1 – 0", "1/2 - 1/2", "½ - ½"] {
            let text = format!("1. e4 e5 10. Nf1 {result} 1. d4 *");
            let first = format!("1. e4 e5 10. Nf1 {result}");
            assert_eq!(games(&text), [&first, "1. d4 *"]);
        }
    }

    #[test]
    fn comments_and_escapes_do_not_begin_a_game() {
        for text in [
            "[A \"1\"]\n{\n[%clk 1]\n[B \"2\"]\n} e4 *",
            "[A \"1\"]\ne4 ; x {\n%[B \"2\"]\n(d4 *) *",
            "[A \"{\"]\n[B \"a \\\" ; \\\\\"]\ne4 *",
            "{before the tags}\n[A \"1\"]\n*",
        ] {
            assert_eq!(games(text), [text]);
        }
    }

    #[test]
    fn a_game_of_tags_only_ends_where_a_name_comes_again() {
        let event = "[Event \"a\"]\n[White \"b\"]";
        let site = "[Site \"c\"]\n[White \"d\"]\n[White \"e\"]";
        for (text, expected) in [
            (
                format!("{event}\n\n{event}\n\n{site}"),
                &[event, event, site][..],
            ),
            (
                format!("{event}\n{event}\n *"),
                &[event, &format!("{event}\n *")],
            ),
            (
                format!("{site}\n\n{event}\n\n*"),
                &[site, &format!("{event}\n\n*")],
            ),
            (
                format!("{event}\n\n[A \"\"]\n\n{site}"),
                &[&format!("{event}\n\n[A \"\"]"), site],
            ),
            // A name repeated in the same block is a tag of the same game.
            (site.to_owned(), &[site]),
            (format!("{site}\n{site} *"), &[&format!("{site}\n{site} *")]),
        ] {
            assert_eq!(games(&text), expected);
        }
    }

    /// Common and faulty parts of games.
    const WORDS: [&str; 20] = [
        "[Event \"x\"]",
        "[White \"y\"]",
        "[A \"{\"]",
        "[A ",
        "{",
        "}",
        "{}",
        "(",
        ")",
        "\n",
        "\n\n",
        "\r\n \r\n",
        " ",
        ";",
        "%",
        "1. ",
        "e4 ",
        "*",
        "1/2-",
        "1-0",
    ];

    #[test]
    fn games_found_in_a_part_of_a_text_are_those_of_the_whole() {
        let mut dice = Dice(0x5eed);
        for _ in 0..500 {
            let words = (0..1 + dice.below(30)).map(|_| *dice.pick(&WORDS));
            let text: String = words.collect();
            let mut whole = Vec::new();
            assert_eq!(
                find_games(text.as_bytes(), 0, Following::Nothing, &mut whole),
                text.len()
            );
            let ends_meet = whole.windows(2).all(|pair| pair[0].end == pair[1].start);
            assert!(ends_meet, "{text:?}");
            for length in 0..=text.len() {
                let mut part = Vec::new();
                let text = &text.as_bytes()[..length];
                let rest = find_games(text, 0, Following::More, &mut part);
                assert!(whole.starts_with(&part), "{text:?} up to {length}");
                assert!(part.last().is_none_or(|game| rest == game.end));
                let mut cut = Vec::new();
                find_games(text, 0, Following::Lost, &mut cut);
                assert!(cut.starts_with(&part), "{text:?}");
                let starts = |games: &[Range<usize>]| games.iter().map(|game| game.start).collect();
                let (whole, cut): (Vec<_>, Vec<_>) = (starts(&whole), starts(&cut));
                assert!(whole.starts_with(&cut), "{text:?} up to {length}");
            }
        }
    }

    #[test]
    fn places_count_games_lines_and_bytes() {
        let text = b"\xef\xbb\xbf\r\n*\r\n\r\n [A \"x\"]\r\n*\r\n";
        for batches in [
            &mut Batches::of_slice(text),
            &mut Batches::of_stream(Box::new(&text[..])),
        ] {
            let batch = batches.next().unwrap().unwrap();
            let places: Vec<_> = batch.pieces.iter().map(|piece| piece.place).collect();
            let place = |number, line, offset_bytes| GamePlace {
                number,
                line,
                offset_bytes,
            };
            assert_eq!(places, [place(1, 2, 5), place(2, 4, 11)]);
            assert!(batches.next().unwrap().is_none());
        }
    }

    #[test]
    fn a_stream_is_cut_as_the_whole_text_is() {
        let game = "[Event \"x\"]\n\n1. e4 {a [%clk 1]\n\n[B \"} e5 1/2-1/2\n\n1. d4 0-1\n\n";
        let long = format!("[A \"{}\"]\n*\n", "x".repeat(BATCH_BYTES * 3));
        let text = [&game.repeat(70_000), &long, &*game.repeat(40_000)].concat();
        let places = |mut batches: Batches<'_>| {
            let mut places = Vec::new();
            while let Some(batch) = batches.next().unwrap() {
                assert!(batch.pieces.len() <= BATCH_GAMES);
                places.extend(batch.pieces.into_iter().map(|piece| piece.place));
            }
            places
        };
        let whole = places(Batches::of_slice(text.as_bytes()));
        assert_eq!(whole.len(), 220_001);
        assert_eq!(whole, places(Batches::of_stream(Box::new(text.as_bytes()))));
    }

    #[test]
    fn a_game_that_is_too_long_is_reported_and_skipped() {
        let text = [
            "*\n\n[Event \"long\"]\n{",
            &"x\n".repeat(3 * BATCH_BYTES),
            "}*\n\n[Event \"next\"]\n*\n",
        ]
        .concat();
        for mut batches in [
            Batches::of_slice(text.as_bytes()),
            Batches::of_stream(Box::new(text.as_bytes())),
        ] {
            batches.game_bytes_max = 2 * BATCH_BYTES;
            let mut found = Vec::new();
            while let Some(batch) = batches.next().unwrap() {
                found.extend(batch.pieces.iter().map(|p| (p.place.line, p.too_long)));
            }
            let last = text.lines().count() as u64 - 1;
            assert_eq!(found, [(1, false), (3, true), (last, false)]);
        }
    }
}
