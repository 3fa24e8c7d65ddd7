//! Tests of reading and writing together.

use std::ops::ControlFlow;

use pgn_reader::{RawComment, SanPlus, Skip};
use tabiya_chess::{GameResult, RatingKind};

use super::{
    testing::{Dice, Event, GameEvents, random_game, read, read_one},
    *,
};
use crate::{
    GameHeader, Visitor as _,
    error::{Error, ErrorKind},
    game::Encode,
    limits::VARIATION_DEPTH_MAX,
    loss::Loss,
};

fn events(text: &str) -> String {
    read_one(text).moves()
}

fn fault(text: &str) -> Error {
    let mut games = read(text.as_bytes());
    assert_eq!(games.len(), 1, "{text}");
    games.remove(0).1.unwrap_err()
}

#[test]
fn random_games_survive_writing_and_reading() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let games: Vec<_> = (0..400).map(|_| random_game(&mut dice)).collect();
    let text: String = games.iter().map(GameEvents::write).collect();
    let back = read(text.as_bytes());
    assert_eq!(back.len(), games.len());
    for ((place, told), game) in back.into_iter().zip(&games) {
        let written = game.write();
        assert_eq!(&told.unwrap(), game, "{place:?}\n{written}");
        let long = written
            .split("\n\n")
            .skip(1)
            .flat_map(str::lines)
            .any(|line| line.len() > 80 && !line.contains(['{', '}']) && line.is_ascii());
        assert!(!long, "{written}");
    }
}

#[test]
fn writing_what_was_read_changes_nothing_more() {
    let text = "{c}[A \"x\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 5\"]\n\n{a } b}5.e3!;x } {y\n *";
    let once = read_one(&text.replace(" } b", " b")).write();
    assert_eq!(read_one(&once).write(), once);
    assert!(once.contains("[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 5\"]\n\n{c}"));
}

#[test]
fn a_game_is_written_in_export_format() {
    let text = "[WhiteUSCF \"2100\"][Opening \"x\"][SetUp \"1\"]\n[ScidFlags \"DK\"]\
        [FEN \"r3k2r/8/8/8/8/8/4P3/R3K2R b KQkq - 0 7\"]\n\n\
        7... 0-0 (7... Kd7!? 8. O-O-O+ (8. -- {pass})) 8. e4 {two} {three} 8... Rad8 $13 1/2-1/2";
    assert_eq!(
        read_one(text).write(),
        "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"?\"]\n\
         [Black \"?\"]\n[Result \"1/2-1/2\"]\n[WhiteUSCF \"2100\"]\n[ScidFlags \"DK\"]\n\
         [Opening \"x\"]\n[SetUp \"1\"]\n[FEN \"r3k2r/8/8/8/8/8/4P3/R3K2R b KQkq - 0 7\"]\n\n\
         7... O-O (7... Kd7 $5 8. O-O-O+ (8. -- {pass})) 8. e4 {two} {three} 8... Rad8\n\
         $13 1/2-1/2\n\n"
    );
}

#[test]
fn annotations_are_told_in_order_and_one_by_one() {
    assert_eq!(
        events(
            "{a}{b} 1. e4 {c} $1 {d}!? ( {e} 1. d4 {f} (1. c4) {g} ) {h} ; i\n1... e5 {j} * {k}"
        ),
        "{a} {b} e4 {c} $1 {d} $5 ( {e} d4 {f} ( c4 ) {g} ) {h} { i} e5 {j} {k}"
    );
    assert_eq!(events("{before}\n[A \"x\"]\n{after} *"), "{before} {after}");
}

#[test]
fn glyphs_outside_1_to_255_are_ignored() {
    assert_eq!(
        events("1. e4 $0 $255 $256 $99999999999 $ e5 *"),
        "e4 $255 e5"
    );
}

#[test]
fn null_moves_are_read_in_check_too() {
    assert_eq!(
        events("1. e4 e5 2. Qh5 -- 3. Qxf7+ Z0 4. -- Kxf7 *"),
        "e4 e5 Qh5 -- Qxf7 -- -- Kxf7"
    );
    let error = fault("1. e4 e5 2. Qh5 -- 3. Qxf7+ -- 4. Qxe8 *");
    assert_eq!(*error.kind(), ErrorKind::IllegalMove("Qxe8".into()));
}

#[test]
fn every_spelling_of_a_move_is_read() {
    assert_eq!(
        events("1.Ng1-f3 Nb8c6 2 g2g3 ...e7-e5 3.Bg2 Pd6 4.0-0 Bg4+- 5.h3 B:f3 6.Bxf3 N *"),
        "Nf3 Nc6 g3 e5 Bg2 d6 O-O Bg4 $18 h3 Bxf3 Bxf3 $146"
    );
}

#[test]
fn a_capture_may_be_followed_by_its_name_and_a_promotion_be_in_brackets() {
    let fen = "[FEN \"4k3/1P6/8/3pP3/8/8/8/4K3 w - d6 0 1\"]\n\n";
    for text in [
        "1. exd6 e.p. Kf8 (1... Kd8 2. b8(N)) 2. b8(Q)+ {mate} *",
        "1. ed6 ep+ Kf8 *",
    ] {
        let played = events(&format!("{fen}{text}"));
        let expected = "exd6 Kf8 ( Kd8 b8=N ) b8=Q {mate}";
        assert!(expected.starts_with(&played), "{played}");
    }
    for (text, word) in [("1. e.p. *", "e.p."), ("1. exd6 Kf8 2. b8 (Q) *", "b8")] {
        let error = fault(&format!("{fen}{text}"));
        assert_eq!(*error.kind(), ErrorKind::IllegalMove(word.into()));
    }
}

#[test]
fn the_result_tag_wins_over_the_terminator() {
    let result = |text: &str| read_one(text).header.result;
    assert_eq!(
        result("[Result \"1-0\"]\n\n1. e4 0-1"),
        GameResult::WhiteWins
    );
    assert_eq!(
        result("[White \"x\"]\n\n1. e4 (1. d4 1-0) 0-1"),
        GameResult::BlackWins
    );
    assert_eq!(
        result("[Result \"won\"]\n\n1. e4 1-0"),
        GameResult::WhiteWins
    );
    assert_eq!(result("[White \"x\"]\n\n1. e4"), GameResult::Unknown);
}

#[test]
fn blank_lines_crlf_and_byte_order_marks_do_not_matter() {
    let text =
        "\u{feff}[White \"x\"]\r\n\r\n1. e4\r\n\r\n\r\ne5\r\n% [White \"y\"] {\r\n\r\nNf3 *\r\n";
    assert_eq!(events(text), "e4 e5 Nf3");
}

#[test]
fn latin_1_and_utf_8_may_be_mixed() {
    let text = b"[White \"M\xfcller\"]\n[Black \"\xc5\xbdi\xedk\"]\n{\xe9t\xc3\xa9} *";
    let told = read(text).remove(0).1.unwrap();
    assert_eq!(told.header.white, "Müller");
    assert_eq!(told.header.black, "Žiík");
    assert_eq!(told.moves(), "{été}");
}

#[test]
fn tags_and_comments_may_have_any_length() {
    let (value, comment) = ("v".repeat(1 << 20), "c ".repeat(5 << 19));
    let text = format!("[White \"{value}\"]\n[X \"{value}\"]\n\n1. e4 {{{comment}}} *");
    let told = read_one(&text);
    assert_eq!(told.header.white, value);
    assert_eq!(told.events[0], Event::Tag("X".into(), value));
    assert!(told.events.contains(&Event::Comment(comment)));
    assert_eq!(read_one(&told.write()), told);
}

#[test]
fn chess960_needs_no_variant_tag() {
    let fen = "[FEN \"4k1r1/8/8/8/8/8/8/1R2K3 w Bg - 0 9\"]";
    let tagged = format!("[Variant \"chess 960\"]\n{fen}\n\n9. O-O-O O-O *");
    let told = read_one(&tagged);
    assert_eq!(told.moves(), "O-O-O O-O");
    assert_eq!(
        told.events[0],
        Event::Tag("Variant".into(), "chess 960".into())
    );
    let untagged = read_one(&format!("{fen}\n\n9. O-O-O O-O *"));
    assert_eq!(untagged.moves(), told.moves());
}

#[test]
fn set_up_is_a_tag_and_fen_is_the_start() {
    let fen = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 *";
    let told = read_one(fen);
    assert_eq!(told.events[0], Event::Tag("SetUp".into(), "1".into()));
    assert!(matches!(told.events[1], Event::Start(Some(_))));
    let initial = "[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]\n*";
    assert!(matches!(
        read_one(initial).events[..],
        [Event::Start(Some(_))]
    ));
    assert_eq!(read_one("[FEN \"\"]\n*").events, [Event::Start(None)]);
}

#[test]
fn ratings_of_other_systems_keep_their_tag() {
    let told = read_one("[BlackECF \"180\"]\n[BlackRapid \"1900\"]\n*");
    assert_eq!(told.header.black_rating.unwrap().kind, RatingKind::Ecf);
    let rapid = Event::Tag("BlackRapid".into(), "1900".into());
    assert_eq!(told.events, [rapid, Event::Start(None)]);
    assert_eq!(read_one(&told.write()), told);
}

#[test]
fn a_game_of_another_variant_is_not_read() {
    for variant in ["Atomic", "Crazyhouse", "Antichess", "Three-check"] {
        let error = fault(&format!("[Variant \"{variant}\"]\n\n1. e4 *"));
        assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }));
    }
    for variant in ["Standard", "From Position", "normal", "?"] {
        assert_eq!(events(&format!("[Variant \"{variant}\"]\n\n1. e4 *")), "e4");
    }
}

#[test]
fn a_broken_game_is_reported_with_its_line_and_the_next_is_read() {
    let text =
        "[White \"1\"]\n\n1. e4 *\n\n[White \"2\"]\n\n1. e4\ne5 2. Ke3 *\n\n[White \"3\"]\n*";
    let games = read(text.as_bytes());
    assert_eq!(games.len(), 3);
    let error = games[1].1.as_ref().unwrap_err();
    assert_eq!(error.line(), Some(8));
    assert_eq!(error.game(), Some(2));
    let offset = usize::try_from(error.offset().unwrap()).unwrap();
    assert!(text[offset..].starts_with("Ke3"));
    assert!(games[2].1.is_ok());
}

#[test]
fn what_is_not_understood_is_an_error() {
    for (text, message) in [
        ("1. e4 xyz *", "illegal move xyz"),
        ("1. Nd2 *", "illegal move Nd2"),
        (
            "[FEN \"k7/8/8/8/8/8/8/KQ5Q w - -\"]\n1. Qe4 *",
            "damaged: a move that can be meant in two ways",
        ),
        ("1. e4 (1. e5) *", "illegal move e5"),
        ("1. e4 } *", "illegal move }"),
        ("1. e4 (1. d4 *", "damaged: a variation is not closed"),
        (
            "1. e4 ) *",
            "damaged: a closing bracket without an opening one",
        ),
        ("(1. e4) *", "damaged: a variation without a move before it"),
        ("1. e4 { *", "damaged: a comment is not closed"),
        ("[FEN \"x\"]\n*", "damaged: the FEN is not readable"),
        (
            "[FEN \"8/8/8/8/8/8/8/K7 w - - 0 1\"]\n*",
            "damaged: the FEN is no position that can be played from",
        ),
        (
            "[FEN \"k7/8/8/8/8/8/8/K7 w - -\"]\n[FEN \"k7/8/8/8/8/8/8/K7 b - -\"]\n*",
            "damaged: two FEN tags that differ",
        ),
    ] {
        let error = fault(text);
        assert_eq!(error.kind().to_string(), message, "{text}");
        assert!(error.line().is_some() && error.offset().is_some());
    }
}

#[test]
fn one_comment_without_end_costs_one_game() {
    let text = "[Event \"1\"]\n\n1. e4 { e5 *\n\n[Event \"2\"]\n\n1. d4 {fine} *\n";
    let games = read(text.as_bytes());
    let read: Vec<_> = games.iter().map(|(_, told)| told.is_ok()).collect();
    assert_eq!(read, [false, true]);
}

#[test]
fn a_lost_bracket_costs_one_game_whatever_the_others_hold() {
    let mut dice = Dice(0xb4ac_e1e7);
    for _ in 0..200 {
        let mut texts: Vec<String> = (0..8).map(|number| small_game(&mut dice, number)).collect();
        let broken = dice.below(texts.len());
        let others = |texts: &[String]| -> Vec<_> {
            let games = read(texts.concat().as_bytes());
            assert_eq!(games.len(), texts.len(), "{}", texts.concat());
            let others = games.into_iter().enumerate();
            let others = others.filter(|(game, _)| *game != broken);
            others.map(|(_, (_, told))| told.unwrap()).collect()
        };
        let sound = others(&texts);
        texts[broken] = "[White \"w\"]\n\n1. e4 {lost 1. c4\n\n".to_owned();
        assert_eq!(others(&texts), sound, "{}", texts.concat());
    }
}

/// A game that begins with any tag and may quote another in a comment.
fn small_game(dice: &mut Dice, number: usize) -> String {
    let names = ["Event", "White", "Site", "X_1"];
    let first = *dice.pick(&names);
    let comment = *dice.pick(&[
        "",
        "{fine}",
        "{as in\n\n[Event \"q\"]\n\n1. d4 *\n\n[White \"z\"]\n\n*}",
        "; { \n",
        "{a {b} c}",
    ]);
    let end = *dice.pick(&["*", "1-0", ""]);
    format!("[{first} \"{number}\"]\n[Round \"{number}\"]\n\n1. e4 {comment} e5 {end}\n\n")
}

#[test]
fn variations_nest_up_to_the_limit() {
    let nested = |depth: usize| {
        let open = " (1. e4".repeat(depth);
        format!("1. d4{open}{} *", ")".repeat(depth))
    };
    let told = read_one(&nested(VARIATION_DEPTH_MAX));
    assert_eq!(read_one(&told.write()), told);
    let error = fault(&nested(VARIATION_DEPTH_MAX + 1));
    assert!(matches!(error.kind(), ErrorKind::LimitExceeded { .. }));
}

#[test]
fn illegal_moves_and_positions_are_written_in_long_algebraic() {
    let mut told = read_one("1. e4 e5 2. Nf3 (2. Nc3) Nc6 *");
    // The first move is lost: Black's moves cannot be legal.
    told.events.remove(1);
    assert!(
        told.write()
            .contains("\n1. e7e5 Ng1f3 (1... Nb1c3) 2. Nb8c6 *\n")
    );
    let setup = "8/8/8/8/8/8/4P3/8 b - - 0 3"
        .parse::<shakmaty::fen::Fen>()
        .unwrap();
    let mut game = GameText::new(&told.header);
    let _ = crate::Visitor::start(&mut game, tabiya_chess::Start::Custom(setup.as_setup()));
    let _ = crate::Visitor::play(&mut game, None);
    let text = game.finish().unwrap();
    assert!(text.ends_with("[FEN \"8/8/8/8/8/8/4P3/8 b - - 0 3\"]\n\n3... -- *\n\n"));
}

#[test]
fn a_comment_with_a_closing_brace_becomes_one_line() {
    let mut told = read_one("1. e4 e5 *");
    told.events.insert(2, Event::Comment("a } b".into()));
    told.events.push(Event::Comment("}\r\n\r\nc".into()));
    assert_eq!(events(&told.write()), "e4 {a } b} e5 {} c}");
    told.events
        .push(Event::Comment("\n\n[Event \"x\"]{".into()));
    assert_eq!(
        events(&told.write()),
        "e4 {a } b} e5 {} c} {[Event \"x\"]{}"
    );
}

#[test]
fn tags_stay_tags_whatever_they_hold() {
    let mut told = read_one("*");
    told.header.white = "a\nb\"\\".into();
    told.events.insert(0, Event::Tag("FEN".into(), "x".into()));
    told.events
        .insert(0, Event::Tag(" [y".into(), "]\"\r\n".into()));
    let back = read_one(&told.write());
    assert_eq!(back.header.white, "a b\"\\");
    assert_eq!(back.events[0], Event::Tag("___y".into(), "]\"  ".into()));
    assert_eq!(back.events.len(), 2);
}

#[test]
fn what_a_header_cannot_hold_keeps_its_text_in_one_tag() {
    for (name, value) in [
        ("Date", "2999.01.01"),
        ("Date", "May 1999"),
        ("Date", "1999.02.32"),
        ("EventDate", "2999.01.01"),
        ("Result", "won"),
        ("WhiteElo", "4001"),
        ("WhiteElo", "02500"),
        ("BlackDWZ", "0900"),
        ("ScidFlags", "DXY"),
        ("ECO", "?"),
    ] {
        let told = read_one(&format!("[A \"x\"]\n[{name} \"{value}\"]\n\n1. e4 1-0"));
        let text = told.write();
        let tag = format!("[{name} \"");
        assert_eq!(text.matches(&tag).count(), 1, "{text}");
        assert!(text.contains(&format!("{tag}{value}\"]\n")), "{text}");
        assert_eq!(read_one(&text).header, told.header, "{text}");
        assert_eq!(read_one(&text).write(), text);
    }
    // Two tags with the same name both stay.
    for (first, second) in [
        ("2000.01.01", "May"),
        ("May", "2000.01.01"),
        ("May", "June"),
    ] {
        let told = read_one(&format!("[Date \"{first}\"]\n[Date \"{second}\"]\n\n*"));
        let text = told.write();
        assert_eq!(text.matches("[Date ").count(), 2, "{text}");
        assert!(text.contains(first) && text.contains(second), "{text}");
        assert_eq!(read_one(&text), told);
    }
}

#[test]
fn deliver_may_stop_and_sees_games_in_order() {
    let text = "*\n\n[White \"x\"]\n".repeat(40_000);
    let input = Input::from_bytes(text.into_bytes()).unwrap();
    let mut last = 0;
    let stopped = for_each_game(
        &input,
        |game| Ok(game.place().number),
        |place, number| {
            last += 1;
            assert_eq!((place.number, number.unwrap()), (last, last));
            match last {
                30_000 => Err(Error::new(ErrorKind::Interrupted)),
                _ => Ok(()),
            }
        },
    );
    assert_eq!(*stopped.unwrap_err().kind(), ErrorKind::Interrupted);
    assert_eq!(last, 30_000);
}

#[test]
fn truncated_and_damaged_text_never_panics() {
    let mut dice = Dice(7);
    let text =
        "\u{feff}[Event \"a\\\"b\"]\n[FEN \"r3k2r/1P6/8/3pP3/8/8/6p1/R3K2R w KQkq d6 0 30\"]\n\
        \n30. exd6 {c [%clk 1]\n[x} O-O (30... -- 31. b8=Q+!? $5 (31. O-O ;x\n)) 31. bxa8=N 1-0\n\n\
        1. d4 * {x} [A \"1\"][B \"2\"]\n%x\n1. Nf3 1/2-1/2"
            .as_bytes();
    for length in 0..=text.len() {
        for (_, told) in read(&text[..length]) {
            check(told.ok());
        }
    }
    for _ in 0..5_000 {
        let mut damaged = text.to_vec();
        for _ in 0..=dice.below(4) {
            let index = dice.below(damaged.len());
            let byte = *dice.pick(b"{}()[];\"\\\n%*01-$ eKQx/\xe9\0");
            match dice.below(3) {
                0 => damaged[index] = byte,
                1 => damaged.insert(index, byte),
                _ => drop(damaged.remove(index)),
            }
        }
        for (_, told) in read(&damaged) {
            check(told.ok());
        }
    }
}

/// Checks that a readable game survives writing.
fn check(told: Option<GameEvents>) {
    if let Some(told) = told {
        let text = told.write();
        let again = read_one(&text);
        // A `SetUp` tag may have been added, and a `}` may have changed a comment.
        assert_eq!(again.moves(), told.moves(), "{text}");
        assert_eq!(again.header, told.header, "{text}");
    }
}

#[test]
fn hostile_text_is_read_in_linear_time() {
    for unit in [
        "{",
        "}",
        "{{}",
        "{ { }",
        "(",
        ")",
        "[",
        "[A \"",
        "\"",
        "\\",
        "[A \"\" ",
        ";",
        "%\n",
        "\n",
        "1",
        "1-",
        "1/2",
        "*",
        "$",
        "!",
        "e4 ",
        "--(",
        "\n\n[Event \"x\"]{",
        "½",
        "\r",
        "[A \"x\n",
    ] {
        let text = unit.repeat((1 << 18) / unit.len());
        let _ = read(text.as_bytes());
    }
}

/// Counts what another PGN reader finds in a text.
#[derive(Default)]
struct Counts {
    sans: Vec<String>,
    comments: usize,
    nags: Vec<u8>,
}

impl pgn_reader::Visitor for Counts {
    type Tags = ();
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn san(&mut self, (): &mut (), plus: SanPlus) -> ControlFlow<()> {
        self.sans.push(plus.san.to_string());
        ControlFlow::Continue(())
    }

    fn nag(&mut self, (): &mut (), nag: pgn_reader::Nag) -> ControlFlow<()> {
        self.nags.push(nag.0);
        ControlFlow::Continue(())
    }

    fn comment(&mut self, (): &mut (), _: RawComment<'_>) -> ControlFlow<()> {
        self.comments += 1;
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, (): &mut ()) -> ControlFlow<(), Skip> {
        ControlFlow::Continue(Skip(false))
    }

    fn end_game(&mut self, (): ()) {}
}

#[test]
fn another_reader_understands_what_is_written() {
    let mut dice = Dice(42);
    for _ in 0..100 {
        let told = random_game(&mut dice);
        let text = told.write();
        let mut counts = Counts::default();
        pgn_reader::Reader::build(text.as_bytes())
            .set_supported_comment_length(10_000)
            .finish()
            .read_game(&mut counts)
            .unwrap();
        let moves = told.moves();
        let is_move = |event: &&Event| matches!(event, Event::Play(_));
        assert_eq!(
            counts.sans.len(),
            told.events.iter().filter(is_move).count()
        );
        assert!(counts.sans.iter().all(|san| moves.contains(san)), "{text}");
        let is_comment = |event: &&Event| matches!(event, Event::Comment(_));
        assert_eq!(
            counts.comments,
            told.events.iter().filter(is_comment).count()
        );
        let nags = told.events.iter().filter_map(|event| match event {
            Event::Nag(nag) => Some(*nag),
            _ => None,
        });
        assert_eq!(counts.nags, nags.collect::<Vec<_>>());
    }
}

#[test]
fn a_second_event_begins_no_game_and_is_reported() {
    let mut game = GameText::new(&GameHeader::default());
    let _ = game.tag("Event", "another");
    let _ = game.tag("Annotator", "somebody");
    let made = Encode::finish(&mut game).unwrap();
    assert_eq!(made.losses.count(Loss::SecondEventsDropped), 1);
    let text = String::from_utf8(made.bytes).unwrap();
    assert_eq!(text.matches("[Event ").count(), 1, "{text}");
}
