use std::path::Path;

use shakmaty::Color;
use tabiya_chess::{Flow, Follow, Placed};
use zerocopy::IntoBytes as _;

use super::{
    super::{
        game::Lines,
        split::Batches,
        testing::{Dice, random_game},
    },
    *,
};
use crate::pgn::relay::MainLine;
use crate::{
    Run, Scratch,
    error::ErrorKind,
    header::{NameSlot, flag},
    indexed::{Record, game_bytes},
    scid4::Blob,
};

fn surveyed(text: &[u8], part_bytes: usize) -> (Index, Vec<GamePlace>) {
    surveyed_to(Depth::All, text, part_bytes)
}

fn surveyed_to(depth: Depth, text: &[u8], part_bytes: usize) -> (Index, Vec<GamePlace>) {
    let surveyed = surveyed_in(Scope::whole(text, depth, u32::MAX), text, part_bytes);
    assert_eq!(surveyed.end, text.len());
    (surveyed.index, surveyed.landmarks)
}

fn surveyed_in(scope: Scope, text: &[u8], part_bytes: usize) -> Surveyed {
    let begin = (Builder::default(), 0);
    let go_on = &mut |_| Flow::Continue(());
    survey_parts(text, scope, begin, part_bytes, go_on).unwrap()
}

/// The games that are found and parsed one by one, and their places.
fn one_by_one(text: &[u8]) -> (Index, Vec<GamePlace>) {
    let (mut builder, mut places) = (Builder::default(), Vec::new());
    let mut batches = Batches::of_slice(text);
    while let Some(batch) = batches.next().unwrap() {
        for piece in batch.pieces {
            let place = (piece.place.offset_bytes, piece.range.len() as u32);
            let game = &batch.text[piece.range];
            add_alone(game, place, &mut Survey::with_line(), &mut builder).unwrap();
            places.push(piece.place);
        }
    }
    (builder.finish(), places)
}

/// A text of several games, of which some bytes are wrong.
fn damaged_text(dice: &mut Dice) -> Vec<u8> {
    const WRONG: &[&str] = &[
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "\"",
        ";",
        "%",
        "*",
        "\n\n",
        "\n%",
        "1-0",
        "e4",
        "\n[Event \"",
        "\n\n[Event \"x\"]",
        "\n\n[A \"b\"]\n",
        " [B \"c\"] ",
        "\n[FEN \"8/8\"]\n",
        "{ { ",
        "--",
        "$3",
        "\u{feff}",
        "\u{a0}",
        "é",
        " Sf3 ",
        " nf3 ",
        " Кf3 ",
        " ♘f3 ",
        " g1f3 ",
        " N f3 ",
        "1.e4e5",
        "3: Bb5",
        " (Sf6) ",
        " mate ",
        "±",
        "‼",
        "1:0",
        " 1 - 0 ",
        " 0-0 ",
        "½–½",
        "\nFrom: x (e4)\n",
        "\n\n1. e4 ",
    ];
    let games = 1 + dice.below(12);
    let mut text = String::new();
    for _ in 0..games {
        text += &random_game(dice).write();
    }
    let mut bytes = text.into_bytes();
    for _ in 0..dice.below(6) {
        let at = dice.below(bytes.len());
        let wrong = dice.pick(WRONG).bytes();
        let end = (at + dice.below(3)).min(bytes.len());
        bytes.splice(at..end, wrong);
    }
    bytes
}

/// A run in memory.
#[derive(Debug)]
struct Kept(Vec<u8>);

impl Run for Kept {
    fn size(&self) -> usize {
        self.0.len()
    }

    fn get(&self, range: Range<usize>) -> Option<&[u8]> {
        self.0.get(range)
    }

    fn path(&self) -> &Path {
        Path::new("")
    }
}

/// The text is cut anywhere: in a tag, a move, a comment, between games.
#[test]
fn the_index_of_a_text_that_has_grown_is_the_one_made_anew() {
    let mut dice = Dice(23);
    let (mut continued, mut anew) = (0, 0);
    for _ in 0..150 {
        let text = damaged_text(&mut dice);
        let (whole, _) = surveyed(&text, part_bytes(&text));
        for _ in 0..6 {
            let cut = dice.below(text.len());
            let (older, _) = surveyed(&text[..cut], part_bytes(&text));
            let runs = older
                .runs(Vec::new())
                .map(|run| Box::new(Kept(run.into_owned())) as Box<dyn Run>);
            let older = StoredIndex::new(runs).unwrap();
            let go_on = &mut |_| Flow::Continue(());
            match survey_rest(&text, None, (&older, cut), go_on).unwrap() {
                None => anew += 1,
                Some(index) => {
                    continued += 1;
                    let text = String::from_utf8_lossy(&text);
                    assert!(
                        index.runs(Vec::new()) == whole.runs(Vec::new()),
                        "cut at {cut}: {text}"
                    );
                }
            }
        }
    }
    assert!(continued > 300 && anew > 30, "{continued}, {anew} anew");
}

#[test]
fn games_surveyed_in_parts_are_those_read_one_by_one() {
    let mut dice = Dice(20_261_124);
    for _ in 0..400 {
        let text = damaged_text(&mut dice);
        let (index, places) = one_by_one(&text);
        for part_bytes in [1, 100 + dice.below(1000), 1 << 20] {
            let (parts, landmarks) = surveyed(&text, part_bytes);
            let shown = String::from_utf8_lossy(&text);
            assert_eq!(
                parts.runs(Vec::new()),
                index.runs(Vec::new()),
                "{part_bytes}: {shown}"
            );
            for landmark in landmarks {
                let game = places.get(landmark.number as usize - 1);
                let skipped = game.map_or(0..0, |place| {
                    landmark.offset_bytes as usize..place.offset_bytes as usize
                });
                let skipped = memchr_iter(b'\n', &text[skipped]).count() as u64;
                assert!(game.is_none_or(|place| place.line == landmark.line + skipped));
            }
        }
    }
}

/// The text is cut anywhere, and what follows is unknown or lost.
#[test]
fn games_that_more_text_may_change_are_left_to_it() {
    let mut dice = Dice(20_261_129);
    let (mut before, mut last) = (0, 0);
    for _ in 0..300 {
        let text = damaged_text(&mut dice);
        let part_bytes = 1 + dice.below(2000);
        let (whole, _) = surveyed(&text, part_bytes);
        for _ in 0..6 {
            let cut = &text[..dice.below(text.len())];
            let scope = |following| Scope {
                following,
                ..Scope::whole(cut, Depth::All, u32::MAX)
            };
            let more = surveyed_in(scope(Following::More), cut, part_bytes);
            let records = more.index.records();
            let shown = String::from_utf8_lossy(&text);
            let known = &whole.records()[..records.len()];
            assert_eq!(
                records.as_bytes(),
                known.as_bytes(),
                "{}: {shown}",
                cut.len()
            );
            let next = whole.records().get(records.len());
            let next = next.map_or(text.len() as u64, |next| next.offset_bytes());
            assert!(more.end as u64 <= next, "{}: {shown}", cut.len());
            // The same games are found when only their end is known.
            let again = Scope {
                until: more.end,
                ..scope(Following::More)
            };
            let again = surveyed_in(again, cut, 1 + dice.below(2000));
            assert_eq!(again.index.runs(Vec::new()), more.index.runs(Vec::new()));
            let lost = surveyed_in(scope(Following::Lost), cut, part_bytes);
            let games = lost.index.records();
            assert_eq!(games[..records.len()].as_bytes(), records.as_bytes());
            (before, last) = (before + records.len(), last + games.len() - records.len());
        }
    }
    assert!(before > 3000 && last > 30, "{before}, {last} last ones");
}

/// What a record says without moves.
fn told_by_tags(index: &Index, record: &Record) -> impl PartialEq + std::fmt::Debug {
    let names = NameSlot::ALL.map(|slot| {
        let name = index.names(slot.kind()).get(record.name(slot));
        name.unwrap().to_vec()
    });
    (
        (record.offset_bytes(), record.length_bytes()),
        (names, NameSlot::ALL.map(|slot| record.name(slot))),
        (record.date(), record.event_date(), record.result()),
        Color::ALL.map(|color| (record.rating_value(color), record.rating_kind(color))),
        (record.eco_code(), record.number()),
        record.flags() & !(flag::ANY_PROMOTION | flag::UNREAD),
    )
}

/// The text is damaged, so that moves could be taken for tags and tags for moves.
#[test]
fn games_of_which_only_tags_are_read_are_those_that_are_read_whole() {
    let mut dice = Dice(20_261_126);
    for _ in 0..400 {
        let text = damaged_text(&mut dice);
        let shown = String::from_utf8_lossy(&text);
        let part_bytes = 1 + dice.below(2000);
        let (whole, whole_places) = surveyed(&text, part_bytes);
        let (tags, places) = surveyed_to(Depth::Tags, &text, part_bytes);
        assert_eq!(places, whole_places, "{shown}");
        assert_eq!(tags.game_count(), whole.game_count(), "{shown}");
        for (tags_only, record) in tags.records().iter().zip(whole.records()) {
            let told = told_by_tags(&tags, tags_only);
            assert_eq!(told, told_by_tags(&whole, record), "{shown}");
            // What depends on moves is not wrong, but open.
            let counts = [
                [tags_only.plies(), record.plies()],
                [tags_only.comment_count(), record.comment_count()],
                [tags_only.variation_count(), record.variation_count()],
                [tags_only.nag_count(), record.nag_count()],
            ];
            for [open, known] in counts {
                assert!(open.at_least <= known.at_least && known.at_most <= open.at_most);
            }
            // A game that depends on what follows it is read whole.
            let is_read = tags_only.flags() & flag::UNREAD == 0;
            assert!(!is_read || tags_only.plies() == record.plies());
            assert_eq!(record.flags() & !tags_only.flags(), 0);
        }
    }
}

/// The board after every ply.
#[derive(Default, PartialEq, Debug)]
struct Boards {
    now: Vec<u16>,
    all: Vec<Vec<u16>>,
}

impl Follow for Boards {
    fn reset(&mut self) {
        *self = Boards::default();
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        for (square, piece) in start.setup().board {
            self.place(Placed::new(piece.into(), square));
        }
        self.all.push(self.now.clone());
        Flow::Continue(())
    }

    fn moved(&mut self, from: Placed, to: Placed) {
        self.remove(from);
        self.place(to);
    }

    fn remove(&mut self, gone: Placed) {
        self.now.retain(|&placed| placed != gone.number());
    }

    fn place(&mut self, new: Placed) {
        self.now.push(new.number());
        self.now.sort_unstable();
    }

    fn ply_done(&mut self) -> Flow {
        self.all.push(self.now.clone());
        Flow::Continue(())
    }
}

#[test]
fn main_lines_that_are_kept_are_those_of_the_text() {
    let mut dice = Dice(20_261_125);
    let mut kept = 0;
    for _ in 0..150 {
        let text = damaged_text(&mut dice);
        let (index, _) = surveyed(&text, 1 << 20);
        for record in index.records() {
            let Ok(line) = Blob::new(index.line(record)) else {
                continue;
            };
            kept += 1;
            let (mut by_line, mut by_text) = (Boards::default(), Boards::default());
            let plies = line
                .main_line(&mut Scratch::default(), &mut by_line)
                .unwrap();
            let mut relay = MainLine::new(&mut by_text);
            let game = Game::parse(game_bytes(&text, record), GamePlace::NOWHERE).unwrap();
            assert!(game.play(Lines::Main, &mut relay).is_ok());
            assert_eq!(plies, relay.plies);
            assert_eq!(record.plies().exact(), Some(plies));
            assert_eq!(by_line, by_text);
        }
    }
    assert!(kept > 500, "{kept}");
}

#[test]
fn more_unpacked_games_than_the_limit_are_refused() {
    let text = b"d4 * ".repeat(1000);
    let go_on = &mut |_| Flow::Continue(());
    let whole = |games_max| Scope::whole(&text, Depth::All, games_max);
    let mut survey = |games_max| survey(&text, whole(games_max), go_on);
    assert_eq!(survey(1000).unwrap().index.game_count(), 1000);
    let error = survey(999).unwrap_err();
    assert!(matches!(
        error.kind(),
        ErrorKind::LimitExceeded { limit: 999, .. }
    ));
}

#[test]
fn a_game_of_tags_only_has_no_tags_of_the_next() {
    let text = b"[Event \"x\"]\n[Site \"a\"]\n\n[White \"y\"]\n[Site \"b\"]\n\n1. e4 *\n";
    let (index, _) = surveyed(text, part_bytes(text));
    let (alone, _) = one_by_one(text);
    assert_eq!(index.game_count(), 2);
    assert_eq!(index.runs(Vec::new()), alone.runs(Vec::new()));
}

/// Found by the fuzzer `pgn`.
#[test]
fn a_bracket_behind_moves_that_cannot_be_played_begins_no_tag() {
    let text =
        b"[Event \"x\"]\n[FEN \"8/8\"]\n\n1. e4 e5 [A \"b\"] Nf3 *\n\n[Event \"y\"]\n\n1. d4 *\n";
    let (index, _) = surveyed(text, part_bytes(text));
    let (expected, _) = one_by_one(text);
    assert_eq!(index.game_count(), 2);
    assert_eq!(index.records().as_bytes(), expected.records().as_bytes());
}
