//! Tests of the query language: examples, exact faults, and round trips.

mod faults;
mod newer;
mod round_trip;
mod words;

use shakmaty::{Color, File, Rank, Square};
use tabiya_chess::Man;

use super::*;

use crate::limits::{QUERY_BYTES_MAX, QUERY_CONDITIONS_MAX, QUERY_DEPTH_MAX, QUERY_TEXT_BYTES_MAX};

fn parsed(text: &str) -> Query {
    text.parse()
        .unwrap_or_else(|fault: Fault| panic!("{fault}\n{}", fault.caret(text)))
}

/// Asserts that the texts parse to the same tree.
fn same(one: &str, other: &str) {
    assert_eq!(parsed(one), parsed(other), "{one} / {other}");
}

fn header(text: &str) -> HeaderClause {
    match parsed(text) {
        Query::Header(header) => header,
        other => panic!("{other:?}"),
    }
}

/// Returns the conditions of a query that is a single `at( ... )` or clause.
fn at(text: &str) -> At {
    match parsed(text) {
        Query::Position(sequence) if sequence.rest.is_empty() => sequence.first,
        other => panic!("{other:?}"),
    }
}

fn test(text: &str) -> PositionTest {
    at(text).conditions.remove(0).test
}

fn one(op: Op, value: i32) -> Compare<i32> {
    Compare {
        op,
        values: Values::One(value),
    }
}

fn man(letter: char) -> Man {
    Man::from_char(letter).unwrap()
}

#[test]
fn conditions_side_by_side_must_all_hold() {
    same("white:a black:b", "white:a and black:b");
    same("white:a AND (black:b check)", "white:a black:b check");
    same("((white:a))", "white:a");
    assert!(matches!(parsed("white:a black:b check"), Query::And(all) if all.len() == 3));
}

#[test]
fn and_binds_closer_than_or_and_not_closest() {
    same("white:a or black:b check", "white:a or (black:b and check)");
    same("not white:a black:b", "(not white:a) black:b");
    same("-white:a black:b", "not white:a black:b");
    same("-(white:a or check)", "not (white:a or check)");
    same("not not white:a", "white:a");
    same("--white:a", "white:a");
}

#[test]
fn all_quotation_marks_mean_the_same() {
    let plain = "player:\"van der\" at(played:\"Nf3\") \"o'kelly open\"";
    for (opening, closing) in [("'", "'"), ("“", "”"), ("„", "“"), ("«", "»"), ("‘", "’")]
    {
        let quoted = |text: &str| format!("{opening}{text}{closing}");
        let (name, mv, text) = (quoted("van der"), quoted("Nf3"), quoted("o'kelly open"));
        same(&format!("player:{name} at(played:{mv}) {text}"), plain);
    }
    same("o'kelly 't_hart", "\"o'kelly\" \"'t_hart\"");
    same("player:d'", "player:\"d'\"");
    let board = "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NB1N2/PP3PPP/R1BQ1RK1";
    same(
        &format!("similar:'{board}'>=0.7"),
        &format!("similar:\"{board}\">=0.7"),
    );
}

#[test]
fn the_empty_query_is_every_game() {
    assert_eq!(parsed(""), Query::All);
    assert_eq!(parsed(" \t\n"), Query::All);
    assert_eq!(parsed("()"), Query::All);
    assert_eq!(parsed("not ()").to_string(), "not ()");
}

#[test]
fn capitals_count_only_in_fields_of_one_letter() {
    same("WHITE:a And Not BlackElo>1", "white:a and not blackelo>1");
    same(
        "AT(Check NEXT:1)".replace(" NEXT:1", "").as_str(),
        "at(check)",
    );
    assert_eq!(
        test("Q=1"),
        PositionTest::Count(man('Q'), one(Op::Equal, 1))
    );
    assert_eq!(
        test("q=1"),
        PositionTest::Count(man('q'), one(Op::Equal, 1))
    );
    assert_eq!(
        test("b>=2"),
        PositionTest::Count(man('b'), one(Op::AtLeast, 2))
    );
}

#[test]
fn operators_may_have_spaces_around_them() {
    same("elo >= 2500 white : \"a\"", "elo>=2500 white:a");
    same("white:and", "white:\"and\"");
}

#[test]
fn names_are_kept_as_typed() {
    let text = |field, test| HeaderClause::Text(field, test);
    let contains = |text: &str| TextTest::Contains(text.into());
    assert_eq!(
        header("white:Ca-r.l/s,e'n"),
        text(TextField::White, contains("Ca-r.l/s,e'n"))
    );
    assert_eq!(
        header(r#"player="Réti, \"R\" \\ a\b""#),
        text(
            TextField::Player,
            TextTest::Equals("Réti, \"R\" \\ a\\b".into())
        )
    );
    assert_eq!(
        header("round!=?"),
        text(TextField::Round, TextTest::Differs("?".into()))
    );
    let tag = |name: &str| TextField::Tag(name.into());
    assert_eq!(header("annotator:x"), text(tag("Annotator"), contains("x")));
    assert_eq!(header("source:x"), text(tag("Source"), contains("x")));
    assert_eq!(header("team:x"), text(tag("Team"), contains("x")));
    assert_eq!(
        header("tag.TimeControl:*"),
        text(tag("TimeControl"), TextTest::Present)
    );
    assert_eq!(
        header(r#"tag.TimeControl:"*""#),
        text(tag("TimeControl"), TextTest::Present)
    );
    assert_eq!(
        header(r#"tag.TimeControl:"\*""#),
        text(tag("TimeControl"), contains("*"))
    );
    assert_eq!(header("TAG.annotator=x"), header("annotator=x"));
    assert_eq!(header("tag.White:x"), header("white:x"));
    assert_eq!(header("text:\"\""), HeaderClause::Comment(contains("")));
}

#[test]
fn a_star_stands_for_any_letters_and_one_with_a_backslash_for_itself() {
    let like = |pieces: &[&str]| TextTest::Like(pieces.iter().map(|&piece| piece.into()).collect());
    let contains = |text: &str| TextTest::Contains(text.into());
    for (typed, test, printed) in [
        ("event:Linares*", like(&["Linares", ""]), "event:Linares*"),
        (
            "event:\"Linares*\"",
            like(&["Linares", ""]),
            "event:Linares*",
        ),
        ("event:*", like(&["", ""]), "event:\"*\""),
        ("event:a*b**", like(&["a", "b", "", ""]), "event:a*b**"),
        (r#"event:"a\*b""#, contains("a*b"), r#"event:"a\*b""#),
        (r"event:a\*b", contains("a*b"), r#"event:"a\*b""#),
        (r#"event:"a\\*b""#, like(&["a\\", "b"]), r#"event:"a\\*b""#),
        ("event=a*b", TextTest::Equals("a*b".into()), "event=a*b"),
        (
            r#"event!="a\*b""#,
            TextTest::Differs("a*b".into()),
            "event!=a*b",
        ),
    ] {
        assert_eq!(
            header(typed),
            HeaderClause::Text(TextField::Event, test),
            "{typed}"
        );
        assert_eq!(parsed(typed).to_string(), printed);
        same(typed, printed);
    }
    let comment = HeaderClause::Comment(like(&["time", "trouble"]));
    assert_eq!(header("text:time*trouble"), comment);
}

#[test]
fn a_text_and_a_path_have_a_longest_length() {
    let text = |bytes: usize| format!("white:\"{}\"", "x".repeat(bytes));
    assert!(text(QUERY_TEXT_BYTES_MAX).parse::<Query>().is_ok());
    for field in ["white", "event=", "tag.A", "text", "annotator!="] {
        let colon = if field.ends_with('=') { "" } else { ":" };
        let accents = "\u{301}".repeat(QUERY_TEXT_BYTES_MAX / 2 + 1);
        let fault = format!("{field}{colon}a{accents}")
            .parse::<Query>()
            .unwrap_err();
        assert_eq!(fault.message, "this text is longer than 1024 bytes");
    }
    let path = |squares: usize| format!("path:N{}", vec!["b1-c3"; squares / 2].join("-"));
    assert!(path(QUERY_CONDITIONS_MAX).parse::<Query>().is_ok());
    for squares in [QUERY_CONDITIONS_MAX + 2, 65_536, 80_000] {
        let fault = path(squares).parse::<Query>().unwrap_err();
        assert_eq!(fault.message, "this path has more than 8192 squares");
    }
}

#[test]
fn every_square_of_a_path_is_a_condition() {
    assert_eq!(parsed("path:Nb1-d2-?-g3").condition_count(), 4);
    assert_eq!(
        parsed("path:Nb1-d2 or at(Q=0 q=0) white:a").condition_count(),
        5
    );
}

#[test]
fn numbers_take_every_comparison_and_ranges() {
    let elo = |compare| HeaderClause::Number(NumberField::Elo, compare);
    for (symbol, op) in [
        (":", Op::Has),
        ("=", Op::Equal),
        ("!=", Op::Differ),
        ("<", Op::Less),
        ("<=", Op::AtMost),
        (">", Op::Greater),
        (">=", Op::AtLeast),
    ] {
        assert_eq!(header(&format!("elo{symbol}2500")), elo(one(op, 2500)));
    }
    let range = |low, high| Compare {
        op: Op::Has,
        values: Values::Range(low, high),
    };
    assert_eq!(header("elo:2500..2600"), elo(range(Some(2500), Some(2600))));
    assert_eq!(header("elo:2500.."), elo(range(Some(2500), None)));
    assert_eq!(header("elo:..2600"), elo(range(None, Some(2600))));
    let diff = |compare| PositionTest::Measure(Measure::Difference, compare);
    assert_eq!(test("diff:-3..-1"), diff(range(Some(-3), Some(-1))));
    assert_eq!(test("diff:..-1"), diff(range(None, Some(-1))));
    assert_eq!(header("elodiff<-200"), header("elodiff < \"-200\""));
}

#[test]
fn dates_may_lack_day_and_month() {
    let date = |text: &str| match header(&format!("date:{text}")) {
        HeaderClause::Date(_, DateTest::Compare(compare)) => compare.values,
        other => panic!("{other:?}"),
    };
    assert_eq!(date("2010"), Values::One(PartialDate::new(2010, 0, 0)));
    assert_eq!(date("2010.05"), Values::One(PartialDate::new(2010, 5, 0)));
    assert_eq!(
        date("2010.05.17"),
        Values::One(PartialDate::new(2010, 5, 17))
    );
    assert_eq!(date("2010-05-17"), date("2010.05.17"));
    assert_eq!(date("2010-05-17..2010-06"), date("2010.05.17..2010.06"));
    assert_eq!(
        date("2000.02.29"),
        Values::One(PartialDate::new(2000, 2, 29))
    );
    assert_eq!(date("2010.??.??"), date("2010"));
    let (may, year) = (PartialDate::new(2010, 5, 0), PartialDate::new(2010, 0, 0));
    assert_eq!(date("2010.05..2010"), Values::Range(Some(may), Some(year)));
    assert_eq!(date("2010.05.."), Values::Range(Some(may), None));
    let unknown = |yes| HeaderClause::Date(DateField::EventDate, DateTest::Unknown(yes));
    assert_eq!(header("eventdate:unknown"), unknown(true));
    assert_eq!(header("eventdate!=????.??.??"), unknown(false));
}

#[test]
fn opening_codes_may_be_shortened() {
    let range = |text: &str| text.parse::<EcoRange>().unwrap();
    let eco = |values| {
        HeaderClause::Eco(EcoTest::Compare(Compare {
            op: Op::Has,
            values,
        }))
    };
    for code in ["B90", "B9", "B", "B90a", "B90a1"] {
        assert_eq!(
            header(&format!("eco:{code}")),
            eco(Values::One(range(code)))
        );
        assert_eq!(
            parsed(&format!("eco:{code}")).to_string(),
            format!("eco:{code}")
        );
    }
    let ends = |low, high| eco(Values::Range(Some(range(low)), Some(range(high))));
    assert_eq!(header("eco:a..c"), ends("A", "C"));
    assert_eq!(header("eco:B90a..B90z"), ends("B90a", "B90z"));
    assert_eq!(
        header("eco!=none"),
        HeaderClause::Eco(EcoTest::Absent(false))
    );
}

#[test]
fn openings_have_names_or_none() {
    let name = |test| HeaderClause::Opening(OpeningTest::Name(test));
    let contains = |text: &str| TextTest::Contains(text.into());
    assert_eq!(header("opening:najdorf"), name(contains("najdorf")));
    assert_eq!(
        header("OPENING=\"Bird Opening\""),
        name(TextTest::Equals("Bird Opening".into()))
    );
    assert_eq!(
        header("opening:bird*"),
        name(TextTest::Like(vec!["bird".into(), String::new()]))
    );
    for (text, absent) in [("opening:none", true), ("opening!=NONE", false)] {
        assert_eq!(
            header(text),
            HeaderClause::Opening(OpeningTest::Absent(absent))
        );
    }
}

#[test]
fn a_word_or_text_without_a_field_is_looked_for_in_names() {
    let plain = |text: &str| HeaderClause::Plain(TextTest::Contains(text.into()));
    for (typed, text, printed) in [
        ("carlsen", "carlsen", "carlsen"),
        ("chek", "chek", "chek"),
        ("B90", "B90", "B90"),
        ("1-0", "1-0", "1-0"),
        ("k", "k", "k"),
        (r#""grand prix""#, "grand prix", r#""grand prix""#),
        (r#""White""#, "White", r#""White""#),
        (r#""and""#, "and", r#""and""#),
        (r#""w""#, "w", r#""w""#),
        (r#""tag.x""#, "tag.x", r#""tag.x""#),
        (r#""a=b""#, "a=b", r#""a=b""#),
        (r#""-5 \"x\"""#, "-5 \"x\"", r#""-5 \"x\"""#),
        (r#""a\*b""#, "a*b", r#""a\*b""#),
        (r#""""#, "", r#""""#),
    ] {
        assert_eq!(header(typed), plain(text), "{typed}");
        assert_eq!(parsed(typed).to_string(), printed);
    }
    let like = HeaderClause::Plain(TextTest::Like(vec!["tal".into(), String::new()]));
    assert_eq!(header("tal*"), like);
    assert_eq!(header("\"tal*\""), like);
    same("giri ruy", "giri and ruy");
    same("white:magnus carlsen elo>2", "(white:magnus carlsen) elo>2");
    same(
        "-carlsen check then mate",
        "(not carlsen) (check then mate)",
    );
    let long = "x".repeat(QUERY_TEXT_BYTES_MAX + 1);
    let fault = long.parse::<Query>().unwrap_err();
    assert_eq!(fault.message, "this text is longer than 1024 bytes");
}

#[test]
fn results_flags_and_starts_are_words() {
    use GameResult::{BlackWins, Draw, Unknown, WhiteWins};
    let is = |results: &[GameResult]| HeaderClause::Result(results.to_vec(), true);
    assert_eq!(header("result:1-0,0-1"), is(&[WhiteWins, BlackWins]));
    assert_eq!(header("result:DRAW,1/2,1/2-1/2"), is(&[Draw]));
    assert_eq!(header("result=\"*, 1-0\""), is(&[Unknown, WhiteWins]));
    assert_eq!(
        header("result!=1/2"),
        HeaderClause::Result(vec![Draw], false)
    );
    for flag in Flag::ALL {
        let text = format!("flag:{}", flag.name());
        assert_eq!(header(&text), HeaderClause::Flag(flag, true));
        assert_eq!(parsed(&text).to_string(), text);
    }
    assert_eq!(
        header("start!=CHESS960"),
        HeaderClause::Start(StartKind::Chess960, false)
    );
}

#[test]
fn a_fen_is_checked_for_its_syntax_only() {
    let fen = |text: &str| match test(&format!("fen:\"{text}\"")) {
        PositionTest::Fen(fen) => *fen,
        other => panic!("{other:?}"),
    };
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    let whole = fen(&format!("{start} w KQkq - 0 1"));
    assert_eq!(whole, fen(&format!("{start} w KQkq -")));
    assert_eq!(whole.turn, Some(Color::White));
    assert_eq!(whole.castling.count(), 4);
    let placement = fen(start);
    assert_eq!((placement.turn, &placement.board), (None, &whole.board));
    assert_eq!(fen(&format!("{start} b")).turn, Some(Color::Black));
    let illegal = fen("PPPPPPPP/8/8/kkk5/8/8/8/pppppppp b KQ e3 0 1");
    assert_eq!(illegal.en_passant, Some(Square::E3));
    assert_eq!(fen("8/8/8/8/8/8/8/8 w").board, shakmaty::Board::empty());
    same(
        &format!("fen:{start}_w_KQkq_-_0_1"),
        &format!("fen:\"{start} w KQkq - 0 1\""),
    );
}

#[test]
fn a_board_leaves_open_what_digits_and_signs_leave_open() {
    let board = |text: &str| match test(&format!("board:\"{text}\"")) {
        PositionTest::Board(pattern) => *pattern,
        other => panic!("{other:?}"),
    };
    let pattern = board("Aa_?[QR][QRqr_]pP/8/8/8/8/8/8/8");
    let set = |men: &str| {
        men.chars()
            .fold(0, |bits, letter| bits | ManSet::of(man(letter)).0)
    };
    let first = [
        ManSet::WHITE,
        ManSet::BLACK,
        ManSet::EMPTY,
        ManSet::ANY,
        ManSet(set("QR")),
        ManSet(set("QRqr") | ManSet::EMPTY.0),
        ManSet::of(man('p')),
        ManSet::of(man('P')),
    ];
    assert_eq!(pattern.0[56..], first);
    assert!(pattern.0[..56].iter().all(|set| *set == ManSet::ANY));
    assert_eq!(
        board("[A_]7/????????/8/8/8/8/8/8"),
        board("[KQRBNP_]7/8/8/8/8/8/8/8")
    );
    assert_eq!(
        parsed("board:[_QR]2?4/8/8/8/8/8/8/8").to_string(),
        "board:\"[QR_]7/8/8/8/8/8/8/8\""
    );
}

#[test]
fn material_and_pawns_come_from_letters_or_boards() {
    same("material:KRPvKRP", "material:KRPkrp");
    same("material:krpVkpr", "material:KRPkrp");
    same(
        "material:\"8/5pk1/R7/4PK2/8/8/8/6r1 b - - 2 60\"",
        "material:KRPkrp",
    );
    same(
        "pawns:8/5pk1/R7/4PK2/8/8/8/6r1",
        "pawns:\"8/5p2/8/4P3/8/8/8/8 w - - 0 1\"",
    );
    assert_eq!(parsed("material:kqQK").to_string(), "material:KQvKQ");
}

#[test]
fn pieces_stand_on_squares_files_and_ranks() {
    let piece = |letter, place| PositionTest::Piece(man(letter), place);
    assert_eq!(test("piece:Nd5"), piece('N', Place::Square(Square::D5)));
    assert_eq!(test("piece:P@e"), piece('P', Place::File(File::E)));
    assert_eq!(test("piece:k@8"), piece('k', Place::Rank(Rank::Eighth)));
    let path = Path {
        man: man('b'),
        squares: vec![Some(Square::B8), None, Some(Square::D6)],
    };
    assert_eq!(parsed("path:bb8-?-d6"), Query::Path(path));
    same("path:\"Nb1-d2\"", "path=Nb1-d2");
}

#[test]
fn scores_and_visits_are_compared_with_shares() {
    let share = |text: &str| text.parse::<Share>().unwrap();
    let between = |op, low, high| Compare {
        op,
        values: Values::Range(Some(share(low)), Some(share(high))),
    };
    let score = PositionTest::Score(between(Op::Has, "0.6", "0.8"));
    assert_eq!(test("score:0.6..0.8"), score);
    assert_eq!(test("score:.6...8"), score);
    let open = Compare {
        op: Op::Equal,
        values: Values::Range(Some(share("0.3")), None),
    };
    assert_eq!(test("visits=0.3.."), PositionTest::Visits(None, open));
    for (text, san) in [
        ("visits:e4=0.3..", "e4"),
        ("visits:e8=Q+=0.3..", "e8=Q+"),
        ("visits:\"O-O-O = 0.3..\"", "O-O-O"),
        ("visits:?x?8=?=0.3..", "?x?8=?"),
    ] {
        assert_eq!(
            test(text),
            PositionTest::Visits(Some(san.into()), open),
            "{text}"
        );
    }
    let least = Compare {
        op: Op::AtLeast,
        values: Values::One(Share::ONE),
    };
    assert_eq!(
        test("visits:e4>=1"),
        PositionTest::Visits(Some("e4".into()), least)
    );
    assert_eq!(parsed("visits:e4>=1").to_string(), "visits:\"e4>=1\"");
    assert_eq!(parsed("visits:e4=.30..").to_string(), "visits:e4=0.3..");
}

#[test]
fn at_joins_conditions_and_modifiers() {
    let group = at("AT( piece:Pd4 and not piece:P@c -check for:4 FLIP mirror )");
    let negations: Vec<bool> = group.conditions.iter().map(|each| each.negated).collect();
    assert_eq!(negations, [false, true, true]);
    assert_eq!(group.consecutive, Consecutive(4));
    assert!(group.flip && group.mirror && !group.rights);
    assert_eq!(at("at()"), At::default());
    assert!(at("at(fen:8/8/8/8/8/8/8/8 rights)").rights);
    same("at(check)", "check");
    same("not piece:P@c", "not at(piece:P@c)");
    assert_ne!(parsed("not piece:P@c"), parsed("at(not piece:P@c)"));
}

#[test]
fn positions_follow_each_other() {
    let links = |text: &str| match parsed(text) {
        Query::Position(sequence) => sequence.rest.iter().map(|(link, _)| *link).collect(),
        _ => Vec::new(),
    };
    let text = "at(Q=1 q=1) then at(Q=0) NEXT at(q=0)";
    assert_eq!(links(text), [Link::Then, Link::Next]);
    same(text, "at(Q=1 q=1) then Q=0 next q=0");
    same("not check then mate", "not (check then mate)");
    same("check then mate white:x", "(check then mate) and white:x");
}

#[test]
fn a_query_prints_as_people_would_type_it() {
    for text in [
        "white:\"carlsen, m\" elo>=2700 not result:1/2-1/2",
        "(white:a (black:b or eco:B9..C)) or date:2010.05..2010",
        "at(fen:\"r3k2r/8/8/8/8/8/8/R3K2R w Kq -\" rights) then at(not check for:3 flip mirror)",
        "not (white:a black:b)",
        "annotator:x tag.Opening:* tag.White:* start!=custom",
    ] {
        assert_eq!(parsed(text).to_string(), text);
    }
}

#[test]
fn no_depth_of_nesting_overflows_the_stack() {
    let nested = |depth: usize| format!("{}check{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(parsed(&nested(QUERY_DEPTH_MAX)), parsed("check"));
    let fault = nested(QUERY_DEPTH_MAX + 1).parse::<Query>().unwrap_err();
    assert_eq!(fault.start, QUERY_DEPTH_MAX);
    for text in [
        nested(100_000),
        "(".repeat(100_000),
        "-(".repeat(100_000),
        "at(".repeat(100_000),
        "not ".repeat(1_000_000),
        "[".repeat(100_000),
        format!("white:{}", "\"".repeat(100_001)),
        "x".repeat(QUERY_BYTES_MAX + 1),
        "é".repeat(QUERY_BYTES_MAX / 2 + 1),
    ] {
        let fault = text.parse::<Query>().unwrap_err();
        assert!(fault.caret(&text).len() < 1000, "{}", fault.message);
    }
}

#[test]
fn long_flat_queries_are_read_whole() {
    let negations = QUERY_BYTES_MAX / 4 - 2;
    same(&format!("{}check", "not ".repeat(negations)), "check");
    same(&format!("{}check", "-".repeat(100_001)), "not check");
    let many = "check or ".repeat(100_000) + "mate";
    assert!(matches!(parsed(&many), Query::Or(any) if any.len() == 100_001));
}
