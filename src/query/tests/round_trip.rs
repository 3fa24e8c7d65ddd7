//! Every tree that the parser can create prints to a text that parses to the same tree.

use proptest::{
    collection::vec,
    option,
    prelude::*,
    sample::{select, subsequence},
};
use shakmaty::{Bitboard, Board, Color, File, Rank, Square};
use tabiya_chess::{Counts, Eco, EcoRange, GameResult, Man, PartialDate};

use super::{
    super::{
        table::{FIELDS, KEYWORDS, Level},
        *,
    },
    newer::{moves, played, reply, sum_test},
};

pub(super) const OPS: [Op; 7] = [
    Op::Has,
    Op::Equal,
    Op::Differ,
    Op::Less,
    Op::AtMost,
    Op::Greater,
    Op::AtLeast,
];

fn compare<T>(
    value: impl Strategy<Value = T> + Clone + 'static,
    in_order: fn(&T, &T) -> bool,
) -> impl Strategy<Value = Compare<T>>
where
    T: std::fmt::Debug + Copy + 'static,
{
    let one = (select(OPS.to_vec()), value.clone()).prop_map(|(op, value)| Compare {
        op,
        values: Values::One(value),
    });
    let ends = (option::of(value.clone()), option::of(value)).prop_filter_map(
        "a range has an end and runs forwards",
        move |(low, high)| match (low, high) {
            (None, None) => None,
            (Some(low), Some(high)) if !in_order(&low, &high) => {
                in_order(&high, &low).then_some((Some(high), Some(low)))
            }
            ends => Some(ends),
        },
    );
    let range = (select(OPS[..3].to_vec()), ends).prop_map(|(op, (low, high))| Compare {
        op,
        values: Values::Range(low, high),
    });
    prop_oneof![one, range]
}

fn numbers(least: i32) -> impl Strategy<Value = Compare<i32>> {
    compare(
        prop_oneof![least..=i32::MAX, least.max(-40)..4000],
        |low, high| low <= high,
    )
}

fn share() -> impl Strategy<Value = Share> + Clone {
    let share = prop_oneof![
        0..=1_000_000u32,
        (0..=10u32).prop_map(|tenths| tenths * 100_000)
    ];
    share.prop_filter_map("a share", Share::from_millionths)
}

fn shares() -> impl Strategy<Value = Compare<Share>> {
    compare(share(), |low, high| low <= high)
}

fn seconds() -> impl Strategy<Value = Compare<Seconds>> {
    let seconds = prop_oneof![0..=i32::MAX, 0..100_000i32].prop_map(Seconds::from_thousandths);
    compare(seconds, |low, high| low <= high)
}

fn eval_test() -> impl Strategy<Value = EvalTest> {
    let evaluation = prop_oneof![
        any::<i32>().prop_map(Evaluation::from_thousandths),
        (-5000..5000i32).prop_map(Evaluation::from_thousandths),
        (any::<bool>(), 0..40u32).prop_map(|(white, moves)| Evaluation::mate(white, moves)),
    ];
    prop_oneof![
        any::<bool>().prop_map(EvalTest::Mate),
        compare(evaluation, |low, high| low <= high).prop_map(EvalTest::Compare),
    ]
}

fn san() -> impl Strategy<Value = String> {
    "O-O|0-0-0|[KQRBNa-h?][a-h]?x?[a-h?][1-8](=[QRBN?])?[+#]?"
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{0,3}",
        "[ \\\\\"()\\[\\]:=<>!*?.a-cé\n\t-]{0,8}",
        "\\PC{0,6}",
        select(KEYWORDS.to_vec()).prop_map(str::to_owned),
    ]
}

fn text_field() -> impl Strategy<Value = TextField> {
    prop_oneof![
        Just(TextField::White),
        Just(TextField::Black),
        Just(TextField::Player),
        Just(TextField::Event),
        Just(TextField::Site),
        Just(TextField::Round),
        "Annotator|Source|Team|TimeControl|WhiteTitle|[A-Z][A-Za-z0-9_]{0,5}|é[.]-b"
            .prop_map(|tag| { super::super::clause::text_field(&tag) }),
    ]
}

fn text_test() -> impl Strategy<Value = TextTest> {
    prop_oneof![
        text().prop_map(TextTest::Contains),
        vec(text(), 2..4).prop_filter_map("not a star alone", |pieces| {
            let is_star = pieces.len() == 2 && pieces.iter().all(String::is_empty);
            (!is_star).then_some(TextTest::Like(pieces))
        }),
        text().prop_map(TextTest::Equals),
        text().prop_map(TextTest::Differs),
        Just(TextTest::Present),
        "[a-z /]{0,4}[a-z][.*?$/]?".prop_map(TextTest::Matches),
    ]
}

fn opening_name() -> impl Strategy<Value = TextTest> {
    // `none` is no name.
    let name = || text().prop_filter("a name", |text| !text.trim().eq_ignore_ascii_case("none"));
    prop_oneof![
        name().prop_map(TextTest::Contains),
        vec(text(), 2..4).prop_map(TextTest::Like),
        name().prop_map(TextTest::Equals),
        name().prop_map(TextTest::Differs),
        "[a-z]{1,4}".prop_map(TextTest::Matches),
    ]
}

fn number_clause() -> impl Strategy<Value = HeaderClause> {
    use NumberField::*;
    let counts = vec![
        Elo, WhiteElo, BlackElo, AvgElo, Year, Weekday, Plies, Moves, Comments, Variations, Nags,
        Number,
    ];
    let number = HeaderClause::Number;
    prop_oneof![
        (select(counts), numbers(0)).prop_map(move |(field, compare)| number(field, compare)),
        numbers(i32::MIN).prop_map(move |compare| number(EloDiff, compare)),
    ]
}

fn date_clause() -> impl Strategy<Value = HeaderClause> {
    let date = (1..=2047u16, 0..=12u8, 0..=28u8).prop_map(|(year, month, day)| {
        PartialDate::new(year, month, if month == 0 { 0 } else { day })
    });
    let test = prop_oneof![
        any::<bool>().prop_map(DateTest::Unknown),
        compare(date, |low, high| low <= high).prop_map(DateTest::Compare),
    ];
    let field = select(vec![DateField::Date, DateField::EventDate]);
    (field, test).prop_map(|(field, test)| HeaderClause::Date(field, test))
}

fn eco_clause() -> impl Strategy<Value = HeaderClause> {
    let range = (1..=65_500u16, 1..=5usize).prop_filter_map("a code", |(code, length)| {
        let code = Eco::from_code(code)?.to_string();
        code.get(..length)?.parse::<EcoRange>().ok()
    });
    prop_oneof![
        any::<bool>().prop_map(EcoTest::Absent),
        compare(range, |low, high| low.first <= high.last).prop_map(EcoTest::Compare),
    ]
    .prop_map(HeaderClause::Eco)
}

fn eco_position_clause() -> impl Strategy<Value = HeaderClause> {
    eco_clause().prop_filter_map("whole codes", move |clause| match clause {
        HeaderClause::Eco(test) => {
            let clause = HeaderClause::EcoPosition(test);
            let text = clause.to_string().replace("eco.position", "");
            (text.contains("none") || !text.contains(|c: char| c.is_ascii_lowercase()))
                .then_some(clause)
        }
        _ => None,
    })
}

fn decimals() -> impl Strategy<Value = Compare<Decimal>> {
    let texts = vec!["-2", "-0.5", "0", "0.125", "3", "95.5"];
    let decimal = select(texts).prop_map(|text| text.parse::<Decimal>().unwrap());
    compare(decimal, |low, high| low <= high)
}

fn header_clause() -> impl Strategy<Value = HeaderClause> {
    let results = vec![
        GameResult::Unknown,
        GameResult::WhiteWins,
        GameResult::BlackWins,
        GameResult::Draw,
    ];
    prop_oneof![
        (text_field(), text_test()).prop_map(|(field, test)| HeaderClause::Text(field, test)),
        (option::of(option::of(color())), text_test()).prop_map(|(title, test)| {
            let test = match test {
                TextTest::Contains(whole) => TextTest::Like(vec![whole]),
                TextTest::Matches(_) => TextTest::Present,
                other => other,
            };
            HeaderClause::Text(title.map_or(TextField::Theme, TextField::Title), test)
        }),
        (
            select(vec![TextField::Winner, TextField::Loser]),
            text_test()
        )
            .prop_filter_map("no tag", |(field, test)| {
                (test != TextTest::Present).then_some(HeaderClause::Text(field, test))
            }),
        (select(Speed::ALL.to_vec()), any::<bool>())
            .prop_map(|(speed, is)| HeaderClause::Speed(speed, is)),
        any::<bool>().prop_map(HeaderClause::SpeedUnknown),
        (color(), any::<bool>(), decimals()).prop_map(|(color, is_loss, compare)| {
            let field = if is_loss {
                QualityField::Loss(color)
            } else {
                QualityField::Accuracy(color)
            };
            HeaderClause::Quality(field, compare)
        }),
        numbers(0).prop_map(|compare| HeaderClause::TagNumber(TagNumber::Rating, compare)),
        numbers(i32::MIN)
            .prop_map(|compare| HeaderClause::TagNumber(TagNumber::Popularity, compare)),
        eco_position_clause(),
        number_clause(),
        date_clause(),
        eco_clause(),
        any::<bool>().prop_map(|none| HeaderClause::Opening(OpeningTest::Absent(none))),
        (text(), option::of(color()))
            .prop_map(|(file, side)| { HeaderClause::Repertoire(RepertoireTest { file, side }) }),
        (1..=i32::MAX.unsigned_abs()).prop_map(HeaderClause::RepertoirePlies),
        opening_name().prop_map(|test| HeaderClause::Opening(OpeningTest::Name(test))),
        text().prop_map(|text| HeaderClause::Plain(TextTest::Contains(text))),
        "[A-Za-z]{1,9}".prop_map(|word| HeaderClause::Plain(TextTest::Contains(word))),
        vec(text(), 2..4).prop_map(|pieces| HeaderClause::Plain(TextTest::Like(pieces))),
        (subsequence(results, 1..=4).prop_shuffle(), any::<bool>())
            .prop_map(|(results, is)| HeaderClause::Result(results, is)),
        (select(Flag::ALL.to_vec()), any::<bool>())
            .prop_map(|(flag, is)| HeaderClause::Flag(flag, is)),
        (select(StartKind::ALL.to_vec()), any::<bool>())
            .prop_map(|(kind, is)| HeaderClause::Start(kind, is)),
        text().prop_map(|text| HeaderClause::Comment(TextTest::Contains(text))),
        vec(text(), 2..4).prop_map(|pieces| HeaderClause::Comment(TextTest::Like(pieces))),
    ]
}

pub(super) fn man() -> impl Strategy<Value = Man> {
    select(Man::ALL.to_vec())
}

fn counted_man() -> impl Strategy<Value = Man> {
    man().prop_filter("kings are not counted", |man| man.index() % 6 != 0)
}

fn square() -> impl Strategy<Value = Square> {
    select(Square::ALL.to_vec())
}

fn color() -> impl Strategy<Value = Color> {
    select(Color::ALL.to_vec())
}

fn board() -> impl Strategy<Value = Board> {
    vec((square(), man()), 0..40).prop_map(|men| {
        let mut board = Board::empty();
        for (square, man) in men {
            board.set_piece_at(square, man.into());
        }
        board
    })
}

fn fen_test() -> impl Strategy<Value = FenTest> {
    let rook_files = || vec(0..8u32, 0..=2);
    let rights = (color(), rook_files(), rook_files(), option::of(square()));
    (board(), option::of(rights)).prop_map(|(board, rights)| match rights {
        None => FenTest {
            board,
            turn: None,
            castling: Bitboard::EMPTY,
            en_passant: None,
        },
        Some((turn, white, black, en_passant)) => {
            let on = |files: Vec<u32>, rank| {
                let square = move |file| Square::from_coords(File::new(file), rank);
                files.into_iter().map(square).collect::<Bitboard>()
            };
            FenTest {
                board,
                turn: Some(turn),
                castling: on(white, Rank::First) | on(black, Rank::Eighth),
                en_passant,
            }
        }
    })
}

fn pattern() -> impl Strategy<Value = BoardPattern> {
    let special = vec![ManSet::ANY, ManSet::EMPTY, ManSet::WHITE, ManSet::BLACK];
    let set = prop_oneof![
        4 => Just(ManSet::ANY),
        1 => select(special),
        1 => man().prop_map(ManSet::of),
        1 => (1..=ManSet::ANY.0).prop_map(ManSet),
    ];
    vec(set, 64).prop_map(|sets| BoardPattern(std::array::from_fn(|index| sets[index])))
}

fn pawns() -> impl Strategy<Value = PawnPlacement> {
    any::<(u64, u64, u64)>().prop_map(|(occupied, sparse, white)| PawnPlacement {
        white: Bitboard(occupied & sparse & white),
        black: Bitboard(occupied & sparse & !white),
    })
}

fn counts() -> impl Strategy<Value = Counts> {
    vec((counted_man(), 0..=31u8), 0..6).prop_map(|counts| {
        let add = |sum: Counts, (man, count)| sum.with(man, count);
        counts.into_iter().fold(Counts::default(), add)
    })
}

fn place() -> impl Strategy<Value = Place> {
    prop_oneof![
        square().prop_map(Place::Square),
        select(File::ALL.to_vec()).prop_map(Place::File),
        select(Rank::ALL.to_vec()).prop_map(Place::Rank),
    ]
}

fn designator(men: Vec<ManSet>) -> impl Strategy<Value = Designator> {
    (select(men), option::of(place())).prop_map(|(men, place)| Designator { men, place })
}

fn relation() -> impl Strategy<Value = Relation<Designator>> {
    use crate::query::Relation::{Attacks, Discovered, Ray, Standing};
    use crate::query::Standing::*;
    const PAWNS: u16 = 1 << 5 | 1 << 11;
    let men = || {
        designator(vec![
            ManSet::WHITE,
            ManSet::BLACK,
            ManSet(1),
            ManSet(0b10_0110),
        ])
    };
    let on_square = square().prop_map(|square| Designator {
        men: ManSet::ANY,
        place: Some(Place::Square(square)),
    });
    let target = prop_oneof![men(), on_square];
    let standing = vec![Defended, Undefended, Hanging, Pinned, Fork, Trapped];
    let of_pawns = vec![Passed, Isolated, Doubled, Backward, Connected];
    let pawns = designator(vec![ManSet(PAWNS), ManSet(1 << 5), ManSet(1 << 11)]);
    prop_oneof![
        (men(), target, 1..=32u8).prop_map(|(by, on, times)| Attacks { by, on, times }),
        [men(), men(), men()].prop_map(Ray),
        [men(), men()].prop_map(Discovered),
        (select(standing), men()).prop_map(|(word, men)| Standing(word, men)),
        (select(of_pawns), pawns).prop_map(|(word, men)| Standing(word, men)),
    ]
}

fn position_test() -> impl Strategy<Value = PositionTest> {
    use PositionTest::*;
    let simple = simple_test().boxed();
    let newer = prop_oneof![
        played().prop_map(Played),
        reply().prop_map(Can),
        reply().prop_map(Missed),
        moves().prop_map(After),
        sum_test().prop_map(Sum),
        select(Wing::ALL.to_vec()).prop_map(Majority),
        select(vec![
            GameResult::WhiteWins,
            GameResult::Draw,
            GameResult::BlackWins
        ])
        .prop_map(Result),
        select(crate::query::Judgement::ALL.to_vec()).prop_map(Judgement),
        decimals().prop_map(Swing),
        numbers(0).prop_map(|number| Measure(crate::query::Measure::Repetition, number)),
        numbers(0).prop_map(|number| Measure(crate::query::Measure::Quiet, number)),
        numbers(i32::MIN).prop_map(|number| Measure(crate::query::Measure::Sacrifice, number)),
        select(vec![
            State(crate::query::State::Opening),
            State(crate::query::State::Middlegame),
            State(crate::query::State::Endgame),
            State(crate::query::State::FiftyMoves),
            State(crate::query::State::SymmetricPawns),
            State(crate::query::State::EqualFiles),
        ]),
    ];
    prop_oneof![2 => simple, 1 => newer]
}

fn simple_test() -> impl Strategy<Value = PositionTest> {
    use PositionTest::*;
    prop_oneof![
        fen_test().prop_map(|test| Fen(Box::new(test))),
        pattern().prop_map(|pattern| Board(Box::new(pattern))),
        pawns().prop_map(Pawns),
        pawns().prop_map(Files),
        counts().prop_map(Material),
        (counted_man(), numbers(0)).prop_map(|(man, compare)| Count(man, compare)),
        (color(), numbers(0))
            .prop_map(|(color, compare)| Measure(crate::query::Measure::Minors(color), compare)),
        numbers(0).prop_map(|men| Measure(crate::query::Measure::Men, men)),
        numbers(i32::MIN).prop_map(|value| Measure(crate::query::Measure::Difference, value)),
        any::<bool>().prop_map(|same| Bishops { same }),
        (man(), place()).prop_map(|(man, place)| Piece(man, place)),
        color().prop_map(Turn),
        numbers(0).prop_map(Ply),
        numbers(0).prop_map(MoveNumber),
        select(vec![
            State(crate::query::State::Check),
            State(crate::query::State::Mate),
            State(crate::query::State::Stalemate),
            State(crate::query::State::DoubleCheck),
            State(crate::query::State::DiscoveredCheck),
            State(crate::query::State::SmotheredMate),
            State(crate::query::State::BackRankMate),
        ]),
        relation().prop_map(Relation),
        (board(), share()).prop_map(|(board, least)| Similar(Box::new(board), least)),
        select(Vec::from_iter(crate::query::Structure::all())).prop_map(Structure),
        "[KQRBNa-h1-8x=O0+#!?-]{1,7}".prop_map(San),
        shares().prop_map(Score),
        seconds().prop_map(Clock),
        seconds().prop_map(Spent),
        eval_test().prop_map(Eval),
        (option::of(san()), shares()).prop_map(|(san, shares)| Visits(san, shares)),
    ]
}

/// Conditions as the parser makes them: brackets only where they mean something.
fn conditions(depth: u32) -> BoxedStrategy<Vec<Condition>> {
    let condition =
        (any::<bool>(), position_test()).prop_map(|(negated, test)| Condition { negated, test });
    if depth == 0 {
        return vec(condition, 0..4).boxed();
    }
    let branch = conditions(depth - 1).prop_filter("not flat", |branch| {
        let is_any = |one: &Condition| !one.negated && matches!(one.test, PositionTest::Any(_));
        !(branch.len() == 1 && is_any(&branch[0]))
    });
    let brackets = (any::<bool>(), vec(branch, 1..4)).prop_map(|(negated, branches)| Condition {
        negated: negated || branches.len() == 1,
        test: PositionTest::Any(branches),
    });
    vec(prop_oneof![4 => condition, 1 => brackets], 0..4).boxed()
}

fn at() -> impl Strategy<Value = At> {
    let consecutive = prop_oneof![Just(1), 1..=i32::MAX.unsigned_abs()].prop_map(Consecutive);
    let modifiers = any::<(bool, bool, bool, bool)>();
    (conditions(2), consecutive, modifiers).prop_map(
        |(conditions, consecutive, (flip, mirror, shift, rights))| At {
            rights: rights && super::super::group::has_fen(&conditions),
            conditions,
            consecutive,
            flip,
            mirror,
            shift,
        },
    )
}

fn sequence() -> impl Strategy<Value = Sequence> {
    let any_at = || prop_oneof![position_test().prop_map(At::from), at()];
    let link = select(vec![Link::Then, Link::Next]);
    (any_at(), vec((link, any_at()), 0..3)).prop_map(|(first, rest)| Sequence { first, rest })
}

fn path() -> impl Strategy<Value = Path> {
    (man(), vec(option::of(square()), 2..6)).prop_map(|(man, squares)| Path { man, squares })
}

fn query() -> impl Strategy<Value = Query> {
    let leaf = prop_oneof![
        1 => Just(Query::All),
        8 => header_clause().prop_map(Query::Header),
        8 => sequence().prop_map(Query::Position),
        2 => path().prop_map(Query::Path),
        1 => at().prop_map(Query::Last),
        2 => (sequence(), numbers(0))
            .prop_map(|(what, number)| Query::Count(Box::new(what), number)),
        1 => moves().prop_map(Query::Line),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Query::all_of),
            vec(inner.clone(), 0..4).prop_map(Query::any_of),
            inner.prop_map(|query| !query),
        ]
    })
}

/// Texts that are almost queries.
fn scrap() -> impl Strategy<Value = String> {
    let mut pieces: Vec<String> = [
        "(", ")", "\"", "\\", "-", "..", "*", "[", "/", "é", "1", "8",
    ]
    .map(str::to_owned)
    .to_vec();
    pieces.extend(KEYWORDS.map(str::to_owned));
    pieces.extend(OPS.map(|op| op.to_string()));
    for field in FIELDS {
        pieces.push(field.name.to_owned());
        pieces.push(field.example.to_owned());
    }
    let piece = (select(pieces), select(vec!["", " "])).prop_map(|(piece, gap)| piece + gap);
    vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_parses_to_the_same_tree(query in query()) {
        let text = query.to_string();
        let parsed = text.parse::<Query>();
        prop_assert_eq!(parsed.as_ref(), Ok(&query), "{}", text);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in prop_oneof![scrap(), "\\PC{0,40}", ".{0,40}"]) {
        match text.parse::<Query>() {
            Ok(query) => prop_assert_eq!(query.to_string().parse(), Ok(query)),
            Err(fault) => {
                prop_assert!(fault.start <= fault.end && fault.end <= text.len());
                prop_assert!(text.is_char_boundary(fault.start), "{}", fault);
                prop_assert!(text.is_char_boundary(fault.end), "{}", fault);
                prop_assert!(!fault.message.contains('\n'));
                prop_assert_eq!(fault.caret(&text).lines().count(), 2);
            }
        }
    }

    #[test]
    fn a_suggestion_put_in_place_is_not_suggested_again(text in scrap()) {
        if let Err(Fault { start, end, suggestion: Some(meant), .. }) = text.parse::<Query>() {
            let better = format!("{}{meant}{}", &text[..start], &text[end..]);
            if let Err(next) = better.parse::<Query>() {
                prop_assert!(next.start != start || next.suggestion != Some(meant), "{}", better);
            }
        }
    }
}

#[test]
fn every_position_field_stands_alone_and_inside_at() {
    for field in FIELDS.iter().filter(|field| field.level == Level::Position) {
        if !field.example.starts_with("at(") {
            let inside = format!("at({})", field.example).parse::<Query>();
            assert_eq!(inside, field.example.parse::<Query>());
        }
    }
}
