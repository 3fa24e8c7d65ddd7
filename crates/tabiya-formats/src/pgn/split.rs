//! Splits PGN text into games, a few megabytes at a time.

use std::{borrow::Cow, io::Read, ops::Range};

use super::{
    boundary::GameBoundary,
    lex::{Lexer, Token},
    place::{Counter, Following, GamePlace},
    stream::{Cut, Stream},
};
use crate::{error::Result, limits::PGN_GAME_BYTES_MAX};

/// Bytes of text in one batch, unless one game is longer: enough work to distribute, little memory.
const BATCH_BYTES: usize = 4 << 20;
/// Maximum games in one batch, so that the results of many tiny games do not fill memory.
const BATCH_GAMES: usize = 1 << 14;

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
    Slice {
        bytes: &'a [u8],
        from: usize,
    },
    Stream {
        reader: Box<dyn Read + Send + 'a>,
        stream: Stream,
    },
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
            text: Text::Stream {
                reader,
                stream: Stream::new(BATCH_BYTES),
            },
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
            Text::Stream { reader, stream } => {
                let game_bytes_max = self.game_bytes_max;
                let find = |text: &[u8], following, counter: &mut Counter| {
                    let mut games = Vec::new();
                    let rest = find_games(text, 0, following, &mut games);
                    let is_any = !games.is_empty();
                    let pieces = pieces(text, games, counter, game_bytes_max);
                    Ok(is_any.then_some((rest, pieces)))
                };
                let cut = stream.next(&mut **reader, counter, game_bytes_max, find)?;
                Ok(cut.map(|cut| match cut {
                    Cut::Games(mut text, rest, pieces) => {
                        text.truncate(rest);
                        Batch {
                            text: Cow::Owned(text.into_bytes()),
                            pieces,
                        }
                    }
                    Cut::TooLong(place) => Batch::without_text(Some(place)),
                    Cut::Nothing => Batch::without_text(None),
                }))
            }
        }
    }
}

impl Batch<'_> {
    /// Returns a batch of nothing, or of a game that is too long.
    fn without_text(too_long: Option<GamePlace>) -> Batch<'static> {
        let piece = |place| Piece {
            range: 0..0,
            place,
            too_long: true,
        };
        Batch {
            text: Cow::Owned(Vec::new()),
            pieces: too_long.map(piece).into_iter().collect(),
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
        for result in [
            "1 - 0",
            "0 - 1",
            "1  :  0",
            "1 – 0",
            "1/2 - 1/2",
            "½ - ½",
            "0.5 - 0.5",
            "0,5 : 0,5",
        ] {
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
