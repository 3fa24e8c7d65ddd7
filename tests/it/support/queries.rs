//! Random queries that often match: what they ask for is taken from the games themselves.

use std::sync::Arc;

use proptest::{collection::vec, prelude::*, sample::select};
use shakmaty::{Bitboard, Color, Role, Square};
use tabiya::{
    Query,
    chess::{Counts, Eco, EcoRange, Man, PartialDate},
    query::{
        At, BoardPattern, Compare, Condition, Consecutive, Content, DateField, DateTest,
        Designator, EcoTest, FenTest, Flag, HeaderClause, Link, ManSet, Medal, NumberField, Op,
        OpeningTest, Path, PawnPlacement, Place as Where, PositionTest, Relation, Sequence, Share,
        Speed, Standing, StartKind, TagNumber, TextField, TextTest, Values,
    },
};

use super::{
    dice::Dice,
    lines::Image,
    naive::{Known, RESULTS},
    opening,
    pool::{NAMES, PUZZLE_TAGS, Pool, TAGS, WORDS},
    queries3::{FIRST_NEW_KIND, Scene, new_clause, new_test, word3_query},
    remark::{self, near_eval, near_time},
    walk::Place,
};

/// Which game, and how far along which of its lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) game: usize,
    pub(super) node: usize,
}

pub(super) fn moment(pool: &Arc<Pool>) -> impl Strategy<Value = Moment> + use<> {
    let pool = Arc::clone(pool);
    let place = (0..pool.games.len(), any::<prop::sample::Index>());
    place.prop_map(move |(game, node)| Moment {
        game,
        node: node.index(pool.games[game].nodes.len()),
    })
}

/// Any query.
pub(crate) fn query(pool: &Arc<Pool>) -> impl Strategy<Value = Query> + use<> {
    let leaf = prop_oneof![
        1 => Just(Query::All),
        8 => header_clause(pool).prop_map(Query::Header),
        12 => sequence(pool, &ALL_KINDS).prop_map(Query::Position),
        4 => path(pool).prop_map(Query::Path),
        6 => new_clause(pool),
    ];
    leaf.prop_recursive(3, 10, 3, |inner| {
        prop_oneof![
            2 => vec(inner.clone(), 1..4).prop_map(Query::all_of),
            2 => vec(inner.clone(), 1..4).prop_map(Query::any_of),
            1 => inner.prop_map(|query| !query),
        ]
    })
}

/// A query of a condition on the header, and of any others.
pub(crate) fn narrowed_query(pool: &Arc<Pool>) -> impl Strategy<Value = Query> + use<> {
    let both = (header_query(pool), query(pool));
    both.prop_map(|(header, query)| Query::all_of([header, query]))
}

/// A query of one condition on positions.
pub(crate) fn position_query(pool: &Arc<Pool>) -> impl Strategy<Value = Query> + use<> {
    sequence(pool, &ALL_KINDS).prop_map(Query::Position)
}

/// A query about material and time, and sometimes about something else.
pub(crate) fn material_query(pool: &Arc<Pool>) -> impl Strategy<Value = Query> + use<> {
    sequence(pool, &MATERIAL_KINDS).prop_map(Query::Position)
}

/// A query of whatever kind, most often of one clause.
pub(crate) fn any_query(pool: &Arc<Pool>) -> impl Strategy<Value = Query> + use<> {
    prop_oneof![
        header_query(pool),
        seldom_clause().prop_map(Query::Header),
        position_query(pool),
        relation_query(pool),
        similar_query(pool),
        path_query(pool),
        word3_query(pool),
        query(pool),
    ]
}

/// A query about attacks, pins, pawns and their structures, often with `shift`.
pub(crate) fn relation_query(pool: &Arc<Pool>) -> impl Strategy<Value = Query> + use<> {
    sequence(pool, &RELATION_KINDS).prop_map(Query::Position)
}

/// A query about similar positions.
pub(crate) fn similar_query(pool: &Arc<Pool>) -> impl Strategy<Value = Query> + use<> {
    sequence(pool, &SIMILAR_KINDS).prop_map(Query::Position)
}

/// A query of one piece's path.
pub(crate) fn path_query(pool: &Arc<Pool>) -> impl Strategy<Value = Query> + use<> {
    path(pool).prop_map(Query::Path)
}

/// A query of one condition on the header.
pub(crate) fn header_query(pool: &Arc<Pool>) -> impl Strategy<Value = Query> + use<> {
    header_clause(pool).prop_map(Query::Header)
}

// ---- comparisons ----

const OPS: [Op; 7] = [
    Op::Has,
    Op::Equal,
    Op::Differ,
    Op::Less,
    Op::AtMost,
    Op::Greater,
    Op::AtLeast,
];

/// A comparison with values around this one.
pub(super) fn near(dice: &mut Dice, value: i32, spread: i32, least: i32) -> Compare<i32> {
    let mut about = || (value + dice.between(-spread, spread)).max(least);
    let (one, other) = (about(), about());
    comparison(dice, one, other)
}

pub(super) fn comparison<T: Copy + PartialOrd>(dice: &mut Dice, one: T, other: T) -> Compare<T> {
    if dice.percent(60) {
        return Compare {
            op: *dice.pick(&OPS),
            values: Values::One(one),
        };
    }
    let (low, high) = if one <= other {
        (one, other)
    } else {
        (other, one)
    };
    Compare {
        op: *dice.pick(&OPS[..3]),
        values: match dice.below(4) {
            0 => Values::Range(None, Some(high)),
            1 => Values::Range(Some(low), None),
            _ => Values::Range(Some(low), Some(high)),
        },
    }
}

// ---- the header ----

fn header_clause(pool: &Arc<Pool>) -> impl Strategy<Value = HeaderClause> + use<> {
    let pool = Arc::clone(pool);
    (0..pool.games.len(), 0..12u8, any::<u64>()).prop_map(move |(game, kind, seed)| {
        let (known, mut dice) = (&pool.games[game], Dice::new(seed));
        match kind {
            0..=2 => text_clause(&mut dice, known),
            3..=5 => number_clause(&mut dice, known),
            6 => date_clause(&mut dice, known),
            7 => eco_clause(&mut dice, known),
            10 => opening_clause(&mut dice, known),
            11 => plain_clause(&mut dice, known),
            _ => other_clause(&mut dice, known),
        }
    })
}

/// Clauses that come seldom among others: about tags, titles and medals.
fn seldom_clause() -> impl Strategy<Value = HeaderClause> {
    (0..6u8, any::<u64>()).prop_map(|(kind, seed)| {
        let mut dice = Dice::new(seed);
        let values = |wanted: &str| {
            let tag = PUZZLE_TAGS.iter().find(|(name, _)| *name == wanted);
            tag.expect("a tag of the games").1
        };
        let color = match kind {
            0 => return HeaderClause::Medal(*dice.pick(&Medal::ALL), dice.percent(70)),
            1 => {
                let tags = *dice.pick(&[&TAGS[..], &remark::TAGS[..]]);
                let (name, values) = *dice.pick(tags);
                let value = *dice.pick(values);
                return text_test(&mut dice, TextField::Tag(name.to_owned()), value);
            }
            2 => Color::White,
            3 => Color::Black,
            4 => {
                let words = dice.pick(values("Themes")).split(' ');
                let words: Vec<&str> = words.collect();
                let theme = *dice.pick(&words);
                return text_test(&mut dice, TextField::Theme, theme);
            }
            _ => {
                let number = *dice.pick(&[TagNumber::Rating, TagNumber::Popularity]);
                let value = dice.pick(values(number.tag())).parse().unwrap_or(0);
                let least = if number == TagNumber::Rating { 0 } else { -100 };
                return HeaderClause::TagNumber(number, near(&mut dice, value, 20, least));
            }
        };
        let titles = remark::TAGS.iter().find(|(name, _)| *name == "WhiteTitle");
        let title = dice.pick(titles.expect("there are titles").1);
        text_test(&mut dice, TextField::Title(Some(color)), title)
    })
}

fn text_clause(dice: &mut Dice, known: &Known) -> HeaderClause {
    let header = &known.game.header;
    let (field, text) = match dice.below(7) {
        0 => (TextField::White, header.white.as_str()),
        1 => (TextField::Black, &*header.black),
        2 => (TextField::Player, &*header.white),
        3 => (TextField::Event, &*header.event),
        4 => (TextField::Site, &*header.site),
        5 => (TextField::Round, &*header.round),
        _ => {
            let tags: &[_] = if dice.percent(50) {
                &TAGS
            } else {
                &remark::TAGS
            };
            let (name, values) = *dice.pick(tags);
            let name = if dice.percent(20) { "Team" } else { name };
            let field = match name {
                "WhiteTitle" if dice.percent(70) => {
                    TextField::Title(*dice.pick(&[None, Some(Color::White)]))
                }
                "BlackTitle" if dice.percent(70) => {
                    TextField::Title(*dice.pick(&[None, Some(Color::Black)]))
                }
                _ => TextField::Tag(name.to_owned()),
            };
            (field, *dice.pick(values))
        }
    };
    text_test(dice, field, text)
}

/// A test of a field that the text passes, most often.
pub(super) fn text_test(dice: &mut Dice, field: TextField, text: &str) -> HeaderClause {
    let text = if dice.percent(10) {
        *dice.pick(&NAMES)
    } else {
        text
    };
    let whole = text.to_owned();
    let is_title = matches!(field, TextField::Title(_) | TextField::Theme);
    let is_tag = is_title || matches!(field, TextField::Tag(_));
    let test = match dice.below(8) {
        0 => TextTest::Equals(whole),
        1 => TextTest::Differs(whole),
        2 if is_tag => TextTest::Present,
        3 => match starred(dice, text) {
            // A star alone asks whether there is such a tag.
            pieces if is_tag && pieces == ["", ""] => TextTest::Present,
            pieces => TextTest::Like(pieces),
        },
        // Of titles the whole is compared.
        _ if is_title => TextTest::Like(vec![whole.to_lowercase()]),
        4 => TextTest::Contains(turned(text)),
        _ => TextTest::Contains(part_of(dice, text)),
    };
    HeaderClause::Text(field, test)
}

/// A text of which letters are replaced by stars, as the pieces between them.
fn starred(dice: &mut Dice, text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let start = dice.below(letters.len() + 1);
    let end = start + dice.below(letters.len() - start + 1);
    let mut pieces = vec![
        letters[..start].iter().collect(),
        letters[end..].iter().collect(),
    ];
    if dice.percent(30) {
        pieces.push(part_of(dice, text));
    }
    pieces
}

/// A name as people say it, the first name first.
fn turned(name: &str) -> String {
    match name.split_once(',') {
        Some((last, first)) => format!("{} {last}", first.trim()),
        None => name.to_owned(),
    }
}

/// Some part of a text, perhaps with other capitals, accents or spaces.
pub(super) fn part_of(dice: &mut Dice, text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let start = dice.below(letters.len() + 1);
    let length = dice.below(letters.len() - start + 1).min(6);
    let part: String = letters[start..start + length].iter().collect();
    match dice.below(5) {
        0 => part.to_uppercase(),
        1 => part.to_lowercase(),
        2 => part.replace('ü', "u").replace('ø', "o").replace('Ž', "Z"),
        3 => part.replace('u', "ü").replace(' ', "  "),
        _ => part,
    }
}

fn number_clause(dice: &mut Dice, known: &Known) -> HeaderClause {
    use NumberField::*;
    let header = &known.game.header;
    let rating = |rating: Option<tabiya::format::Rating>| {
        rating.map_or(0, |rating| i32::from(rating.value.get()))
    };
    let (white, black) = (rating(header.white_rating), rating(header.black_rating));
    let main = known.nodes.iter().filter(|node| node.in_main_line).count() as i32 - 1;
    let fields = [
        (Elo, white.min(black), 100, 0),
        (WhiteElo, white, 5, 0),
        (BlackElo, black, 5, 0),
        (AvgElo, (white + black) / 2, 1, 0),
        (EloDiff, white - black, 3, i32::MIN),
        (Year, header.date.year().map_or(0, i32::from), 2, 0),
        (
            Weekday,
            super::naive::weekday(header.date).unwrap_or(0),
            3,
            0,
        ),
        (Plies, main, 3, 0),
        (Moves, main / 2, 2, 0),
        (Comments, 3, 3, 0),
        (Variations, 2, 2, 0),
        (Nags, 3, 3, 0),
        (Number, known.id.number_in_part() as i32, 4, 0),
    ];
    let (field, value, spread, least) = *dice.pick(&fields);
    let compare = if dice.percent(10) {
        near(dice, 0, 0, 0)
    } else {
        near(dice, value, spread, least)
    };
    // Of unrated players, neither mean nor difference is fixed by the contract for 0.
    if matches!(field, AvgElo | EloDiff) && (white == 0 || black == 0) {
        return HeaderClause::Number(field, near(dice, 2000, 300, 1));
    }
    HeaderClause::Number(field, compare)
}

fn date_clause(dice: &mut Dice, known: &Known) -> HeaderClause {
    let header = &known.game.header;
    let (field, date) = if dice.percent(70) {
        (DateField::Date, header.date)
    } else {
        (DateField::EventDate, header.event_date)
    };
    if dice.percent(15) {
        return HeaderClause::Date(field, DateTest::Unknown(dice.percent(50)));
    }
    let mut bound = || {
        let year = date.year().unwrap_or(1999) + dice.below(2) as u16;
        let month = date.month().max(1);
        // Games may have days that the calendar does not, and the text of a query may not.
        let last_day = match month {
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        match dice.below(3) {
            0 => PartialDate::new(year, 0, 0),
            1 => PartialDate::new(year, month, 0),
            _ => PartialDate::new(year, month, date.day().clamp(1, last_day)),
        }
    };
    let (one, other) = (bound(), bound());
    HeaderClause::Date(field, DateTest::Compare(comparison(dice, one, other)))
}

fn eco_clause(dice: &mut Dice, known: &Known) -> HeaderClause {
    if dice.percent(15) {
        return HeaderClause::Eco(EcoTest::Absent(dice.percent(50)));
    }
    let code = known
        .game
        .header
        .eco
        .map_or("B90".to_owned(), |eco| eco.to_string());
    let other = Eco::from_code(1 + dice.below(65_500) as u16)
        .expect("a code")
        .to_string();
    let mut cut = |code: &str| {
        let length = dice.below(5) + 1;
        code.get(..length)
            .unwrap_or(code)
            .parse::<EcoRange>()
            .expect("a code")
    };
    let (one, other) = (cut(&code), cut(&other));
    let values = comparison(dice, one.first, other.first);
    let range = |eco| if eco == one.first { one } else { other };
    HeaderClause::Eco(EcoTest::Compare(Compare {
        op: values.op,
        values: match values.values {
            Values::One(eco) => Values::One(range(eco)),
            Values::Range(low, high) => Values::Range(low.map(range), high.map(range)),
        },
    }))
}

/// The name of the game's opening, or of some other.
pub(super) fn opening_name(dice: &mut Dice, known: &Known) -> &'static str {
    match known.opening() {
        Some(name) if dice.percent(80) => name,
        _ => {
            let all = opening::all();
            all[dice.below(all.len())]
        }
    }
}

fn opening_clause(dice: &mut Dice, known: &Known) -> HeaderClause {
    let name = opening_name(dice, known);
    let test = match dice.below(10) {
        0 => return HeaderClause::Opening(OpeningTest::Absent(dice.percent(50))),
        1 => TextTest::Equals(name.to_uppercase()),
        2 => TextTest::Differs(name.to_owned()),
        3 => TextTest::Like(starred(dice, name)),
        4 => TextTest::Contains(name.to_owned()),
        5 => TextTest::Contains(name.split(':').next().unwrap_or(name).to_owned()),
        _ => TextTest::Contains(part_of(dice, name)),
    };
    HeaderClause::Opening(OpeningTest::Name(test))
}

fn plain_clause(dice: &mut Dice, known: &Known) -> HeaderClause {
    let header = &known.game.header;
    let text = match dice.below(5) {
        0 => header.white.as_str(),
        1 => &header.black,
        2 => &header.event,
        3 => &header.site,
        _ => opening_name(dice, known),
    };
    HeaderClause::Plain(match dice.below(6) {
        0 => TextTest::Like(starred(dice, text)),
        1 => TextTest::Contains(turned(text)),
        2 => TextTest::Contains(text.to_owned()),
        _ => TextTest::Contains(part_of(dice, text)),
    })
}

fn other_clause(dice: &mut Dice, known: &Known) -> HeaderClause {
    let holds = dice.percent(70);
    match dice.below(6) {
        0 => {
            let others = dice.below(2);
            let mut results = vec![known.game.header.result];
            for result in RESULTS.into_iter().take(others) {
                if !results.contains(&result) {
                    results.push(result);
                }
            }
            HeaderClause::Result(results, holds)
        }
        1 => HeaderClause::Flag(*dice.pick(&Flag::ALL), holds),
        2 => {
            let content = [
                Content::Variations,
                Content::Comments,
                Content::Nags,
                Content::Arrows,
            ];
            HeaderClause::Has(*dice.pick(&content), holds)
        }
        4 => HeaderClause::Speed(*dice.pick(&Speed::ALL), holds),
        3 => HeaderClause::Start(*dice.pick(&StartKind::ALL), holds),
        _ => {
            let word = *dice.pick(&WORDS);
            HeaderClause::Comment(TextTest::Contains(part_of(dice, word)))
        }
    }
}

// ---- paths ----

/// A path that some man has gone, most often.
fn path(pool: &Arc<Pool>) -> impl Strategy<Value = Path> + use<> {
    let pool = Arc::clone(pool);
    (moment(&pool), any::<u64>()).prop_map(move |(moment, seed)| {
        let mut dice = Dice::new(seed);
        let diaries = pool.games[moment.game].diaries(moment.node);
        let moved: Vec<_> = diaries.iter().filter(|diary| diary.len() > 1).collect();
        let diary = if moved.is_empty() {
            dice.pick(&diaries).clone()
        } else {
            (*dice.pick(&moved)).clone()
        };
        let first = dice.below(diary.len());
        let mut man = diary[first].1;
        let mut squares: Vec<Option<Square>> = Vec::new();
        for (index, &(square, _)) in diary[first..].iter().enumerate() {
            match dice.below(12) {
                0..=2 if index > 0 => {}
                3 => squares.push(None),
                _ => squares.push(Some(square)),
            }
        }
        // A path has two squares at least.
        while squares.len() < 2 || dice.percent(5) {
            squares.push(Some(*dice.pick(&Square::ALL)));
        }
        if dice.percent(10) {
            let place = dice.below(squares.len());
            squares[place] = Some(*dice.pick(&Square::ALL));
        }
        if dice.percent(10) {
            man = *dice.pick(&Man::ALL);
        }
        Path { man, squares }
    })
}

// ---- positions ----

/// Kinds of conditions, see [`condition`].
const ALL_KINDS: [u8; 47] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
    25, 25, 26, 40, 40, 41, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55,
];
/// Those about how men stand to each other, and what they are combined with.
const RELATION_KINDS: [u8; 12] = [25, 25, 25, 25, 25, 25, 25, 26, 2, 13, 16, 18];
/// Those about similar positions.
const SIMILAR_KINDS: [u8; 4] = [27, 27, 13, 16];
/// Those about material and time, and a man on a square.
const MATERIAL_KINDS: [u8; 16] = [7, 8, 8, 8, 8, 9, 9, 10, 10, 11, 11, 16, 17, 17, 17, 13];

/// A sequence of one to three elements, taken from positions of one line that follow each
/// other.
pub(super) fn sequence(
    pool: &Arc<Pool>,
    kinds: &'static [u8],
) -> impl Strategy<Value = Sequence> + use<> {
    let shapes = move || at_shape(kinds);
    let gaps = prop_oneof![4 => Just(Vec::new()), 1 => vec((0..3usize, shapes()), 1..3)];
    let pool = Arc::clone(pool);
    (moment(&pool), shapes(), gaps).prop_map(move |(moment, shape, rest)| {
        let known = &pool.games[moment.game];
        let nodes = &known.nodes;
        // The line that ends at the moment; elements are taken from its end backwards.
        let line: Vec<usize> =
            std::iter::successors(Some(moment.node), |&node| nodes[node].parent).collect();
        let needed: usize = rest.iter().map(|(gap, _)| gap + 1).sum();
        let mut back = needed.min(line.len() - 1);
        let first = shape.at(known, line[back]);
        let rest = rest.iter().map(|(gap, shape)| {
            back = back.saturating_sub(gap + 1);
            let link = if *gap == 0 { Link::Next } else { Link::Then };
            (link, shape.at(known, line[back]))
        });
        Sequence {
            rest: rest.collect(),
            first,
        }
    })
}

/// What an element of a sequence asks of the position that it is given.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    /// Kind of test and a number for its details.
    tests: Vec<(u8, u64)>,
    consecutive: u32,
    flip: bool,
    mirror: bool,
    shift: bool,
    rights: bool,
    /// Whether the conditions are taken from a mirror image.
    of_image: (bool, bool),
}

pub(super) fn at_shape(kinds: &'static [u8]) -> impl Strategy<Value = Shape> {
    let tests = vec((select(kinds), any::<u64>()), 1..4);
    let consecutive = select(vec![1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 9]);
    let rare = || prop::bool::weighted(0.2);
    let flags = (rare(), rare(), rare(), rare());
    (tests, consecutive, flags, any::<(bool, bool)>()).prop_map(
        |(tests, consecutive, (flip, mirror, shift, rights), image)| Shape {
            tests,
            consecutive,
            flip,
            mirror,
            shift,
            rights,
            of_image: (image.0 && flip, image.1 && mirror),
        },
    )
}

impl Shape {
    pub(super) fn at(&self, known: &Known, node: usize) -> At {
        let scene = Scene {
            known,
            node,
            image: Image::of(self.of_image.0, self.of_image.1),
        };
        let place = scene.image.place(&known.nodes[node].place);
        let tests = self.tests.iter();
        let conditions: Vec<Condition> = tests
            .map(|&(kind, seed)| condition(kind, &mut Dice::new(seed), &place, &scene))
            .collect();
        let is_fen = |condition: &Condition| matches!(condition.test, PositionTest::Fen(_));
        let rights = self.rights && conditions.iter().any(is_fen);
        let mut at = At::default();
        at.conditions = conditions;
        at.consecutive = Consecutive(self.consecutive);
        (at.flip, at.mirror, at.rights) = (self.flip, self.mirror, rights);
        at.shift = self.shift;
        at
    }
}

/// A condition that the position satisfies, most often.
pub(super) fn condition(kind: u8, dice: &mut Dice, place: &Place, scene: &Scene<'_>) -> Condition {
    use PositionTest::*;
    use tabiya::query::State::{
        BackRankMate, Check, DiscoveredCheck, DoubleCheck, Mate, SmotheredMate, Stalemate,
    };
    let count = |man: Man| place.board.by_piece(man.into()).count() as i32;
    let sum = |men: &[Man]| men.iter().map(|&man| count(man)).sum::<i32>();
    let told = place.remark;
    let test = match kind {
        0 | 1 => fen(dice, place),
        2..=4 => board(dice, place),
        5 => Pawns(pawns(place)),
        6 => Files(pawns(place)),
        7 => Material(Counts::of(&place.board)),
        8 => {
            let man = some_man(dice, false);
            Count(man, near(dice, count(man), 1, 0))
        }
        9 => {
            let color = *dice.pick(&Color::ALL);
            let minors = [Role::Bishop, Role::Knight].map(|role| Man::new(color, role));
            Measure(
                tabiya::query::Measure::Minors(color),
                near(dice, sum(&minors), 1, 0),
            )
        }
        10 => Measure(
            tabiya::query::Measure::Men,
            near(dice, sum(&Man::ALL), 2, 0),
        ),
        11 => {
            let value = |man: Man| {
                let value = [0, 9, 5, 3, 3, 1][man.index() % 6] * count(man);
                if man.color().is_white() {
                    value
                } else {
                    -value
                }
            };
            let difference = Man::ALL.into_iter().map(value).sum();
            Measure(
                tabiya::query::Measure::Difference,
                near(dice, difference, 2, i32::MIN),
            )
        }
        12 => Bishops {
            same: dice.percent(50),
        },
        13..=15 => piece(dice, place),
        16 => Turn(place.turn),
        17 => {
            if dice.percent(70) {
                Ply(near(dice, place.ply as i32, 3, 0))
            } else {
                MoveNumber(near(dice, place.number as i32, 2, 0))
            }
        }
        18 => State(match (place.mate, place.stalemate, place.check) {
            (true, ..) => *dice.pick(&[Mate, Mate, SmotheredMate, BackRankMate]),
            (_, true, _) => Stalemate,
            (.., true) => *dice.pick(&[Check, Check, DoubleCheck, DiscoveredCheck]),
            _ => *dice.pick(&[Check, Mate, Stalemate, DoubleCheck, DiscoveredCheck]),
        }),
        25 => PositionTest::Relation(relation(dice, place)),
        26 => {
            let all: Vec<_> = tabiya::query::Structure::all().collect();
            PositionTest::Structure(*dice.pick(&all))
        }
        27 => {
            // A position a little different.
            let mut board = place.board.clone();
            for _ in 0..dice.below(6) {
                board.discard_piece_at(*dice.pick(&Square::ALL));
            }
            let least = Share::from_millionths(1000 * (400 + dice.below(601)) as u32);
            PositionTest::Similar(Box::new(board), least.expect("a share"))
        }
        20 if place.eval.is_some() || dice.percent(15) => score(dice, place),
        21 if place.eval.is_some() || dice.percent(15) => visits(dice, place),
        22 if told.clock.is_some() || dice.percent(30) => {
            Clock(near_time(dice, told.clock, comparison))
        }
        23 if told.spent.is_some() || dice.percent(30) => {
            Spent(near_time(dice, told.spent, comparison))
        }
        24 if told.eval.is_some() || dice.percent(30) => {
            Eval(near_eval(dice, told.eval, comparison))
        }
        FIRST_NEW_KIND.. => new_test(kind - FIRST_NEW_KIND, dice, place, scene),
        _ => san(dice, place),
    };
    Condition {
        negated: dice.percent(12),
        test,
    }
}

/// A comparison with shares around this one.
fn near_share(dice: &mut Dice, share: f64) -> Compare<Share> {
    let mut about = || {
        let spread = [0, 1, 1000, 100_000][dice.below(4)];
        let millionths = (share * 1e6) as i32 + dice.between(-spread, spread);
        Share::from_millionths(millionths.clamp(0, 1_000_000) as u32).expect("a share")
    };
    let (one, other) = (about(), about());
    comparison(dice, one, other)
}

fn score(dice: &mut Dice, place: &Place) -> PositionTest {
    let score = place.eval.as_ref().map_or(0.5, |eval| eval.score);
    PositionTest::Score(near_share(dice, score))
}

fn visits(dice: &mut Dice, place: &Place) -> PositionTest {
    let eval = place.eval.as_ref();
    let Some(eval) = eval.filter(|eval| !eval.visits.is_empty()) else {
        return PositionTest::Visits(Some("e4".to_owned()), near_share(dice, 0.5));
    };
    if dice.percent(40) {
        return PositionTest::Visits(None, near_share(dice, eval.focus().unwrap_or(1.0)));
    }
    let (san, visits) = dice.pick(&eval.visits);
    let share = near_share(dice, eval.share(*visits));
    PositionTest::Visits(Some(san_pattern(dice, san)), share)
}

fn fen(dice: &mut Dice, place: &Place) -> PositionTest {
    let (mut castling, mut en_passant) = (place.castling, place.en_passant);
    match dice.below(6) {
        // Rights that cannot be are as good as none.
        0 => castling |= Bitboard::from_iter([Square::A1, Square::H8]),
        1 => castling = Bitboard::EMPTY,
        2 => en_passant = None,
        _ => {}
    }
    let turn = dice.percent(80).then_some(place.turn);
    PositionTest::Fen(Box::new(FenTest {
        board: place.board.clone(),
        castling: if turn.is_some() {
            castling
        } else {
            Bitboard::EMPTY
        },
        en_passant: en_passant.filter(|_| turn.is_some()),
        turn,
    }))
}

fn board(dice: &mut Dice, place: &Place) -> PositionTest {
    let mut sets = [ManSet::ANY; 64];
    // All men, those of some ranks, or a few squares.
    let squares: Vec<Square> = match dice.below(4) {
        0 => Square::ALL.to_vec(),
        1 => {
            let rank = dice.below(8);
            Square::ALL
                .into_iter()
                .filter(|square| *square as usize / 8 == rank)
                .collect()
        }
        _ => (0..=dice.below(6))
            .map(|_| *dice.pick(&Square::ALL))
            .collect(),
    };
    for square in squares {
        let here = match place.board.piece_at(square) {
            Some(piece) => ManSet::of(piece.into()),
            None => ManSet::EMPTY,
        };
        sets[square as usize] = match dice.below(8) {
            0 => ManSet(here.0 | ManSet::of(some_man(dice, true)).0),
            1 => ManSet(here.0 | ManSet::EMPTY.0),
            2 if here.0 & ManSet::WHITE.0 != 0 => ManSet::WHITE,
            3 if here.0 & ManSet::BLACK.0 != 0 => ManSet::BLACK,
            4 => ManSet::ANY,
            _ => here,
        };
    }
    PositionTest::Board(Box::new(BoardPattern(sets)))
}

fn pawns(place: &Place) -> PawnPlacement {
    let of = |color| place.board.pawns() & place.board.by_color(color);
    PawnPlacement {
        white: of(Color::White),
        black: of(Color::Black),
    }
}

fn piece(dice: &mut Dice, place: &Place) -> PositionTest {
    let men: Vec<(Square, shakmaty::Piece)> = place.board.iter().collect();
    let (square, man) = if men.is_empty() || dice.percent(20) {
        (*dice.pick(&Square::ALL), some_man(dice, true))
    } else {
        let (square, piece) = *dice.pick(&men);
        (square, piece.into())
    };
    let place = match dice.below(4) {
        0 => Where::File(square.file()),
        1 => Where::Rank(square.rank()),
        _ => Where::Square(square),
    };
    PositionTest::Piece(man, place)
}

/// Men of which one is on the board most often, in its place or anywhere.
pub(super) fn designator(dice: &mut Dice, place: &Place, pawns: bool) -> Designator {
    let men: Vec<(Square, Man)> = place
        .board
        .iter()
        .map(|(square, piece)| (square, Man::from(piece)))
        .filter(|(_, man)| !pawns || man.role() == Role::Pawn)
        .collect();
    let white_pawn = Man::new(Color::White, Role::Pawn);
    let (square, man) = if men.is_empty() {
        (Square::E4, white_pawn)
    } else {
        *dice.pick(&men)
    };
    let set = ManSet::of(man);
    let side = if man.color().is_white() {
        ManSet::WHITE
    } else {
        ManSet::BLACK
    };
    let pair = ManSet(set.0 | ManSet::of(some_man(dice, true)).0);
    let set = match dice.below(6) {
        0 if pawns => ManSet(set.0 | ManSet::of(man.swapped()).0),
        0 => side,
        1 if !pawns => pair,
        _ => set,
    };
    let at = match dice.below(6) {
        0 => Some(Where::Square(square)),
        1 => Some(Where::File(square.file())),
        2 => Some(Where::Rank(square.rank())),
        _ => None,
    };
    Designator {
        men: set,
        place: at,
    }
}

fn relation(dice: &mut Dice, place: &Place) -> Relation<Designator> {
    const STANDINGS: [Standing; 10] = [
        Standing::Defended,
        Standing::Undefended,
        Standing::Hanging,
        Standing::Pinned,
        Standing::Fork,
        Standing::Passed,
        Standing::Isolated,
        Standing::Doubled,
        Standing::Backward,
        Standing::Connected,
    ];
    match dice.below(8) {
        0 | 1 => {
            let mut on = designator(dice, place, false);
            if dice.percent(30) {
                on.men = ManSet::ANY;
                on.place = Some(Where::Square(*dice.pick(&Square::ALL)));
            }
            Relation::Attacks {
                by: designator(dice, place, false),
                on,
                times: *dice.pick(&[1, 1, 1, 2, 3]),
            }
        }
        2 | 3 => Relation::Ray([0; 3].map(|_| designator(dice, place, false))),
        _ => {
            let number = dice.below(STANDINGS.len());
            Relation::Standing(STANDINGS[number], designator(dice, place, number > 4))
        }
    }
}

pub(super) fn some_man(dice: &mut Dice, kings: bool) -> Man {
    loop {
        let man = *dice.pick(&Man::ALL);
        if kings || man.role() != Role::King {
            return man;
        }
    }
}

fn san(dice: &mut Dice, place: &Place) -> PositionTest {
    let san = place.played.as_deref().unwrap_or("O-O");
    PositionTest::San(san_pattern(dice, san))
}

/// A pattern that a move fits.
fn san_pattern(dice: &mut Dice, san: &str) -> String {
    let san = if dice.percent(40) {
        san.trim_end_matches(['+', '#']).to_owned()
    } else {
        san.to_owned()
    };
    let hidden = dice.below(4);
    let letters = san.chars().enumerate().map(|(index, letter)| {
        let is_kept = "O-=".contains(letter);
        if index >= hidden && !is_kept && dice.percent(25) {
            '?'
        } else {
            letter
        }
    });
    letters.collect()
}
