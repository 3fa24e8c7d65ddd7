//! Random queries of the words of the language's third part.

use std::sync::Arc;

use proptest::{collection::vec, prelude::*};
use shakmaty::{Chess, Color, File, Move, Position, Rank, Role, san::San};
use tabiya::{
    Query,
    chess::{EcoRange, Man},
    query::{
        Compare, Condition, CountSum, Counted, Decimal, Designator, EcoTest, HeaderClause,
        Judgement, ManSet, Measure, Op, OpeningTest, PositionTest, QualityField, Relation, Reply,
        Sequence, Speed, Standing, State, SumBound, SumTerm, SumTest, TextField, TextTest, Values,
        Wing, Zone,
    },
};

use super::{
    dice::Dice,
    evals,
    lines::Image,
    naive::{Known, RESULTS},
    pool::{OPENINGS, Pool, TAGS, WORDS},
    queries::{
        at_shape, comparison, condition, designator, moment, near, opening_name, part_of, sequence,
        some_man, text_test,
    },
    remark, sums,
    walk::{Made, Place},
};

/// Where the place stands for which a condition is made, and how it is turned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(super) known: &'a Known,
    pub(super) node: usize,
    pub(super) image: Image,
}

/// The first kind of condition that [`new_test`] makes.
pub(super) const FIRST_NEW_KIND: u8 = 40;
/// All kinds of it, most together with others.
const KINDS: [u8; 24] = [
    40, 40, 40, 41, 41, 41, 42, 43, 44, 45, 45, 46, 47, 47, 48, 48, 49, 50, 51, 52, 53, 54, 55, 56,
];
/// What stands in brackets.
const IN_BRACKETS: [u8; 24] = [
    40, 8, 10, 11, 13, 13, 16, 17, 18, 25, 26, 41, 41, 42, 43, 44, 45, 47, 48, 49, 50, 51, 52, 54,
];
/// What often holds at more positions than one.
const COUNTED: [u8; 16] = [2, 8, 10, 13, 16, 18, 18, 25, 40, 41, 43, 45, 47, 48, 49, 50];

/// A query of one or two new words, and sometimes of others.
pub(crate) fn word3_query(pool: &Arc<Pool>) -> impl Strategy<Value = Query> + use<> {
    let leaf = prop_oneof![
        3 => new_clause(pool),
        2 => position3_query(pool),
    ];
    leaf.prop_recursive(2, 4, 2, |inner| {
        prop_oneof![
            2 => vec(inner.clone(), 1..3).prop_map(Query::all_of),
            2 => vec(inner.clone(), 1..3).prop_map(Query::any_of),
            1 => inner.prop_map(|query| !query),
        ]
    })
}

/// A query about positions, of new words.
pub(crate) fn position3_query(pool: &Arc<Pool>) -> impl Strategy<Value = Query> + use<> {
    sequence(pool, &KINDS).prop_map(Query::Position)
}

/// A new word that stands outside of groups.
pub(super) fn new_clause(pool: &Arc<Pool>) -> impl Strategy<Value = Query> + use<> {
    prop_oneof![
        4 => header(pool).prop_map(Query::Header),
        2 => last(pool),
        3 => counted(pool),
        1 => line(pool),
    ]
}

// ---- the end, counts, lines ----

fn last(pool: &Arc<Pool>) -> impl Strategy<Value = Query> + use<> {
    let pool_of = Arc::clone(pool);
    let shapes = prop_oneof![at_shape(&KINDS), at_shape(&IN_BRACKETS)];
    (moment(pool), shapes).prop_map(move |(moment, shape)| {
        let known = &pool_of.games[moment.game];
        let last = known.nodes.iter().rposition(|node| node.in_main_line);
        Query::Last(shape.at(known, last.expect("a start")))
    })
}

fn counted(pool: &Arc<Pool>) -> impl Strategy<Value = Query> + use<> {
    let pool_of = Arc::clone(pool);
    let sequences = prop_oneof![sequence(pool, &COUNTED), sequence(pool, &KINDS)];
    (moment(pool), sequences, any::<u64>()).prop_map(move |(moment, sequence, seed)| {
        let mut dice = Dice::new(seed);
        let known = &pool_of.games[moment.game];
        let number = known.number_of_completions(&sequence);
        let mut compare = near(&mut dice, number, 2, 0);
        // All games have at least none, and it is open where.
        let is_any = match compare.values {
            Values::One(bound) => compare.op == Op::AtLeast && bound == 0,
            Values::Range(..) => false,
        };
        if is_any {
            compare.values = Values::One(1);
        }
        Query::Count(Box::new(sequence), compare)
    })
}

/// The moves of the main line as text, as far as they are moves from the usual start.
fn san_of_main_line(known: &Known) -> Vec<String> {
    let mut position = Chess::default();
    let mut words = Vec::new();
    if !known.starts_as_usual() {
        return words;
    }
    for played in known.game.main_line() {
        let Some(played) = played.filter(|played| position.is_legal(*played)) else {
            break;
        };
        let san = San::from_move(&position, played).to_string();
        words.push(match position.turn() {
            Color::White => format!("{}.{san}", position.fullmoves()),
            Color::Black => san,
        });
        position.play_unchecked(played);
    }
    words
}

/// A line of some game, or of the lists of openings, as a value in quotes.
fn line_text(dice: &mut Dice, known: &Known, plies: usize) -> String {
    let mut words = san_of_main_line(known);
    words.truncate(plies);
    if words.is_empty() || dice.percent(15) {
        return (*dice.pick(&OPENINGS)).to_owned();
    }
    words.join(" ")
}

fn line(pool: &Arc<Pool>) -> impl Strategy<Value = Query> + use<> {
    let pool_of = Arc::clone(pool);
    (moment(pool), any::<u64>()).prop_map(move |(moment, seed)| {
        let mut dice = Dice::new(seed);
        let plies = 1 + dice.below(12);
        let text = line_text(&mut dice, &pool_of.games[moment.game], plies);
        read(&format!("line:\"{text}\""))
    })
}

fn read(text: &str) -> Query {
    text.parse()
        .unwrap_or_else(|fault| panic!("{text}: {fault}"))
}

// ---- the header ----

fn header(pool: &Arc<Pool>) -> impl Strategy<Value = HeaderClause> + use<> {
    let pool = Arc::clone(pool);
    let kinds = (0..pool.games.len(), 0..12u8, any::<u64>());
    kinds.prop_map(move |(game, kind, seed)| {
        let (known, mut dice) = (&pool.games[game], Dice::new(seed));
        let dice = &mut dice;
        let header = &known.game.header;
        match kind {
            0..=2 => {
                let field = *dice.pick(&[&TextField::Winner, &TextField::Loser]);
                let name = *dice.pick(&[&header.white, &header.black]);
                text_test(dice, field.clone(), name)
            }
            3..=6 => matches(dice, known),
            7 => eco_position(dice, known),
            8 => match dice.below(7) {
                0 | 1 => HeaderClause::SpeedUnknown(dice.percent(70)),
                _ => HeaderClause::Speed(*dice.pick(&Speed::ALL), dice.percent(70)),
            },
            _ => quality(dice, known),
        }
    })
}

fn eco_position(dice: &mut Dice, known: &Known) -> HeaderClause {
    if dice.percent(15) {
        return HeaderClause::EcoPosition(EcoTest::Absent(dice.percent(50)));
    }
    let some = format!(
        "{}{:02}",
        *dice.pick(&["A", "B", "C", "D", "E"]),
        dice.below(100)
    );
    let code = known.opening_code().unwrap_or("A00");
    let mut cut = |code: &str| {
        let length = 1 + dice.below(3);
        code[..length].parse::<EcoRange>().expect("a code")
    };
    let (one, other) = (cut(code), cut(&some));
    let compare = comparison(dice, one.first, other.first);
    let range = |eco| if eco == one.first { one } else { other };
    HeaderClause::EcoPosition(EcoTest::Compare(mapped(compare, range)))
}

fn mapped<T: Copy, U>(compare: Compare<T>, with: impl Fn(T) -> U) -> Compare<U> {
    Compare {
        op: compare.op,
        values: match compare.values {
            Values::One(one) => Values::One(with(one)),
            Values::Range(low, high) => Values::Range(low.map(&with), high.map(&with)),
        },
    }
}

/// A comparison with numbers around this one, all in thousandths.
fn near_decimal(dice: &mut Dice, number: i64, least: i64) -> Compare<Decimal> {
    let mut about = || {
        let spread = *dice.pick(&[0, 1, 100, 1000, 20_000]);
        (number + i64::from(dice.between(-spread, spread))).max(least)
    };
    let (one, other) = (about(), about());
    let compare = comparison(dice, one, other);
    mapped(compare, |thousandths: i64| {
        let sign = if thousandths < 0 { "-" } else { "" };
        let size = thousandths.abs();
        let text = format!("{sign}{}.{:03}", size / 1000, size % 1000);
        text.parse().expect("a number")
    })
}

fn quality(dice: &mut Dice, known: &Known) -> HeaderClause {
    let color = *dice.pick(&Color::ALL);
    let kinds = [QualityField::Loss(color), QualityField::Accuracy(color)];
    let field = *dice.pick(&kinds);
    let number = evals::quality(field, &known.nodes).unwrap_or(80.0);
    HeaderClause::Quality(field, near_decimal(dice, (number * 1000.0) as i64, 0))
}

fn matches(dice: &mut Dice, known: &Known) -> HeaderClause {
    let header = &known.game.header;
    let tag = |dice: &mut Dice| {
        let tags = *dice.pick(&[&TAGS[..], &remark::TAGS[..]]);
        let (name, values) = *dice.pick(tags);
        let name = if name == "WhiteTeam" { "Team" } else { name };
        (TextField::Tag(name.to_owned()), *dice.pick(values))
    };
    let (field, text) = match dice.below(12) {
        0 => (TextField::White, header.white.as_str()),
        1 => (TextField::Black, &*header.black),
        2 => (TextField::Player, &*header.black),
        3 => (TextField::Winner, &*header.white),
        4 => (TextField::Loser, &*header.white),
        5 => (TextField::Event, &*header.event),
        6 => (TextField::Site, &*header.site),
        7 => (TextField::Round, &*header.round),
        8 => {
            let name = opening_name(dice, known);
            let test = TextTest::Matches(regex(dice, name));
            return HeaderClause::Opening(OpeningTest::Name(test));
        }
        9 => {
            let word = *dice.pick(&WORDS);
            return HeaderClause::Comment(TextTest::Matches(regex(dice, word)));
        }
        _ => tag(dice),
    };
    HeaderClause::Text(field, TextTest::Matches(regex(dice, text)))
}

/// A regular expression that is found in the text, most often.
fn regex(dice: &mut Dice, text: &str) -> String {
    let letters: Vec<char> = text.chars().filter(|letter| *letter != '\n').collect();
    let start = dice.below(letters.len() + 1);
    let end = (start + 1 + dice.below(6)).min(letters.len());
    let piece: String = letters[start.min(end)..end].iter().collect();
    let whole: String = letters.iter().collect();
    let [piece, whole] = [piece, whole].map(|text| regex::escape(&text));
    match dice.below(12) {
        0 => format!("^{whole}$"),
        1 => format!("^{}", regex::escape(&part_of(dice, text).replace('\n', ""))),
        2 => format!("{piece}$"),
        3 => format!("x|{piece}|[0-9]/"),
        4 => format!("(?-i){piece}"),
        5 => format!("\\b{piece}"),
        6 => "[a-c]+[^ ] ?".to_owned(),
        7 => format!("{piece}.*\\w"),
        8 => piece.to_uppercase().replace("\\W", "\\w"),
        9 => "^.{0,4}$".to_owned(),
        10 => "\\d[/+]\\d".to_owned(),
        _ if piece.is_empty() => "a|\\?".to_owned(),
        _ => piece,
    }
}

// ---- positions ----

/// A condition that the place satisfies, most often.
pub(super) fn new_test(
    kind: u8,
    dice: &mut Dice,
    place: &Place,
    scene: &Scene<'_>,
) -> PositionTest {
    match kind {
        0 => group(dice, place, scene),
        1 => PositionTest::Sum(sum(dice, place)),
        2 => PositionTest::Measure(Measure::Repetition, near(dice, repetition(scene), 1, 1)),
        3 => match dice.below(5) {
            0 => PositionTest::State(State::FiftyMoves),
            _ => PositionTest::Measure(Measure::Quiet, near(dice, quiet(scene), 3, 0)),
        },
        4 => PositionTest::Result(match place.result {
            result if result != RESULTS[0] && dice.percent(80) => result,
            _ => *dice.pick(&RESULTS[1..]),
        }),
        5 => PositionTest::Played(match place.made {
            Made::Move(played) => pattern(dice, played, place),
            Made::Null => "--".to_owned(),
            Made::Start => some_pattern(dice),
        }),
        6 => {
            let text = line_text(dice, scene.known, place.ply as usize);
            let query = read(&format!("after:\"{text}\""));
            let Query::Position(Sequence { mut first, .. }) = query else {
                panic!("{text} is no position");
            };
            first.conditions.swap_remove(0).test
        }
        7 => PositionTest::Can(reply(dice, scene)),
        8 => PositionTest::Missed(reply(dice, scene)),
        9 => PositionTest::Swing(near_decimal(dice, place.swing.unwrap_or(0), i64::MIN)),
        10 => PositionTest::Judgement(match place.judgement {
            Some(judgement) => judgement,
            None => *dice.pick(&[
                Judgement::Blunder,
                Judgement::Mistake,
                Judgement::Inaccuracy,
            ]),
        }),
        11 => PositionTest::State(*dice.pick(&[State::Opening, State::Middlegame, State::Endgame])),
        12 => match dice.below(6) {
            0 => PositionTest::State(State::SymmetricPawns),
            1 => PositionTest::State(State::EqualFiles),
            2..=3 => PositionTest::Majority(Wing::Queenside),
            _ => PositionTest::Majority(Wing::Kingside),
        },
        13 => PositionTest::Relation(Relation::Discovered(two(dice, place))),
        14 => {
            let mut men = designator(dice, place, false);
            if dice.percent(60) {
                men = Designator {
                    men: side(place.turn),
                    place: None,
                };
            }
            PositionTest::Relation(Relation::Standing(Standing::Trapped, men))
        }
        15 => {
            let given = sacrifice(scene).unwrap_or(1);
            PositionTest::Measure(Measure::Sacrifice, near(dice, given, 2, i32::MIN))
        }
        _ => PositionTest::San("O-O".to_owned()),
    }
}

/// Brackets with a few branches.
fn group(dice: &mut Dice, place: &Place, scene: &Scene<'_>) -> PositionTest {
    let mut branches = Vec::new();
    for _ in 0..=dice.below(3) {
        let mut branch: Vec<Condition> = Vec::new();
        for _ in 0..=dice.below(3) {
            let kind = *dice.pick(&IN_BRACKETS);
            branch.push(condition(kind, dice, place, scene));
        }
        branches.push(branch);
    }
    PositionTest::Any(branches)
}

fn side(color: Color) -> ManSet {
    match color {
        Color::White => ManSet::WHITE,
        Color::Black => ManSet::BLACK,
    }
}

/// Men of the side that has moved, and any others.
fn two(dice: &mut Dice, place: &Place) -> [Designator; 2] {
    let mut by = designator(dice, place, false);
    let mut on = designator(dice, place, false);
    if dice.percent(70) {
        by.men = side(place.turn.other());
    }
    if dice.percent(50) {
        on = Designator {
            men: side(place.turn),
            place: None,
        };
    }
    by.place = by.place.filter(|_| dice.percent(30));
    [by, on]
}

// ---- sums ----

fn zone(dice: &mut Dice) -> Zone {
    let (one, other) = (dice.below(8), dice.below(8));
    let (low, high) = (one.min(other) as u32, one.max(other) as u32);
    match dice.below(6) {
        0 => Zone::Files(File::new(low), File::new(low)),
        1 => Zone::Ranks(Rank::new(low), Rank::new(low)),
        2 => Zone::Files(File::new(low), File::new(high)),
        3 => Zone::Ranks(Rank::new(low), Rank::new(high)),
        4 => Zone::Light,
        _ => Zone::Dark,
    }
}

fn count(dice: &mut Dice) -> Counted {
    let men = match dice.below(8) {
        0 => ManSet::WHITE,
        1 => ManSet::BLACK,
        2 => {
            return Counted::Measure(*dice.pick(&[
                Measure::Men,
                Measure::Difference,
                Measure::Minors(Color::White),
                Measure::Minors(Color::Black),
            ]));
        }
        3 | 4 => ManSet::of(Man::new(*dice.pick(&Color::ALL), Role::Pawn)),
        _ => ManSet::of(some_man(dice, true)),
    };
    let zone = dice.percent(60).then(|| zone(dice));
    Counted::Men(men, zone)
}

fn counts(dice: &mut Dice, most: usize) -> CountSum {
    let mut terms: Vec<SumTerm> = Vec::new();
    for index in 0..=dice.below(most) {
        let one_line = match terms.last().map(|term| term.count) {
            Some(Counted::Men(_, Some(Zone::Files(low, high)))) => low == high,
            Some(Counted::Men(_, Some(Zone::Ranks(low, high)))) => low == high,
            _ => false,
        };
        terms.push(SumTerm {
            // `P@a-b` is a range of files.
            minus: index > 0 && !one_line && dice.percent(50),
            count: count(dice),
        });
    }
    CountSum(terms)
}

fn sum(dice: &mut Dice, place: &Place) -> SumTest {
    let value = |sum: &CountSum| {
        let terms = sum.0.iter().map(|term| {
            let number = sums::counted(term.count, &place.board, (0, 0));
            if term.minus { -number } else { number }
        });
        terms.sum::<i32>()
    };
    let left = counts(dice, 3);
    let number = |number: i32| SumTerm {
        minus: number < 0,
        count: Counted::Number(number.abs()),
    };
    let have = value(&left);
    let compare = near(dice, have, 2, i32::MIN);
    let right = match compare.values {
        Values::Range(low, high) => SumBound::Range(low, high),
        Values::One(bound) if compare.op == Op::Has || dice.percent(40) => {
            SumBound::Sum(CountSum(vec![number(bound)]))
        }
        Values::One(bound) => {
            let mut right = counts(dice, 2);
            let missing = bound - value(&right);
            let is_line = matches!(
                right.0.last(),
                Some(SumTerm {
                    count: Counted::Men(_, Some(Zone::Ranks(..))),
                    ..
                })
            );
            if missing > 0 || (missing < 0 && !is_line) {
                right.0.push(number(missing));
            }
            SumBound::Sum(right)
        }
    };
    SumTest {
        left,
        op: compare.op,
        right,
    }
}

// ---- what a line tells ----

fn repetition(scene: &Scene<'_>) -> i32 {
    let nodes = &scene.known.nodes;
    let here = &nodes[scene.node].place;
    let line = scene.known.line_to(scene.node);
    let same = line.iter().filter(|&&node| {
        let place = &nodes[node].place;
        place.board == here.board && place.turn == here.turn
    });
    same.count() as i32
}

fn quiet(scene: &Scene<'_>) -> i32 {
    let nodes = &scene.known.nodes;
    let mut line = scene.known.line_to(scene.node).into_iter().rev();
    let mut count = 0;
    let noisy = |played: Move| played.is_capture() || played.role() == Role::Pawn;
    while let Some(node) = line.next().filter(|&node| nodes[node].parent.is_some()) {
        if nodes[node].moved.is_some_and(noisy) {
            break;
        }
        count += 1;
    }
    count
}

/// On the way that the first moves after the position go.
fn sacrifice(scene: &Scene<'_>) -> Option<i32> {
    let nodes = &scene.known.nodes;
    let before = &nodes[nodes[scene.node].parent?].place;
    let difference = |place: &Place| {
        let white = sums::measured(Measure::Difference, &place.board);
        if before.turn.is_white() {
            white
        } else {
            -white
        }
    };
    let mut now = scene.node;
    let mut best = None;
    for _ in 0..8 {
        let next = nodes.iter().position(|node| node.parent == Some(now));
        let Some(next) = next else { break };
        best = best.max(Some(difference(&nodes[next].place)));
        now = next;
    }
    Some(difference(before) - best?)
}

// ---- moves ----

const PATTERNS: [&str; 18] = [
    "?x??", "??=?", "?x??=?", "exd8=Q", "O-O", "O-O-O", "0-0", "e.p.", "???", "??", "K??", "?x??#",
    "???+", "Q?h?+", "R?x??", "O-O-O+", "P?4", "?x?7",
];

fn some_pattern(dice: &mut Dice) -> String {
    (*dice.pick(&PATTERNS)).to_owned()
}

fn reply(dice: &mut Dice, scene: &Scene<'_>) -> Reply {
    let place = &scene.known.nodes[scene.node].place;
    let legal = place.position().map(|position| position.legal_moves());
    let legal: Vec<Move> = legal.into_iter().flatten().collect();
    let after = |played: Move| place.after(Some(played));
    if dice.percent(10) || legal.iter().any(|&played| after(played).mate) && dice.percent(60) {
        return Reply::Mate;
    }
    if legal.is_empty() {
        return Reply::Move(some_pattern(dice));
    }
    let rare: Vec<Move> = legal
        .iter()
        .filter(|played| played.is_castle() || played.is_promotion() || played.is_capture())
        .copied()
        .collect();
    let played = if rare.is_empty() || dice.percent(50) {
        *dice.pick(&legal)
    } else {
        *dice.pick(&rare)
    };
    Reply::Move(pattern(dice, scene.image.played(played), &after(played)))
}

/// A pattern that a move fits, most often.
fn pattern(dice: &mut Dice, played: Move, after: &Place) -> String {
    if dice.percent(10) {
        return some_pattern(dice);
    }
    let mark = match (after.mate, after.check) {
        (true, _) if dice.percent(50) => "#",
        (_, true) if dice.percent(50) => "+",
        _ if dice.percent(3) => "+",
        _ => "",
    };
    let (from, to) = match played {
        Move::Castle { king, rook } => {
            let zero = dice.percent(10);
            let castling = match (rook.file() > king.file(), zero) {
                (true, false) => "O-O",
                (true, true) => "0-0",
                (false, false) => "O-O-O",
                (false, true) => "0-0-0",
            };
            return format!("{castling}{mark}");
        }
        Move::EnPassant { .. } if dice.percent(40) => return format!("e.p.{mark}"),
        Move::EnPassant { from, to } | Move::Normal { from, to, .. } => (from, to),
        Move::Put { .. } => panic!("no game of chess"),
    };
    let mut hidden = |letter: char, chance: usize| {
        if dice.percent(chance) { '?' } else { letter }
    };
    let is_pawn = played.role() == Role::Pawn;
    let man = hidden(played.role().upper_char(), 25).to_string();
    let [from_file, from_rank] =
        [from.file().char(), from.rank().char()].map(|letter| hidden(letter, 15));
    let [to_file, to_rank] = [to.file().char(), to.rank().char()].map(|letter| hidden(letter, 30));
    let mut origin = match dice.below(8) {
        0 => from_file.to_string(),
        1 => from_rank.to_string(),
        2 => format!("{from_file}{from_rank}"),
        3 => "?".to_owned(),
        _ => String::new(),
    };
    let man = match dice.below(4) {
        // Nothing means a pawn.
        1.. if is_pawn && !origin.starts_with('?') => String::new(),
        _ => man,
    };
    let takes = if played.is_capture() { "x" } else { "" };
    if takes.is_empty() && man.is_empty() && origin.len() == 1 {
        origin.clear();
    }
    let promotion = match played.promotion().map(Role::upper_char) {
        None if dice.percent(2) => "=?".to_owned(),
        None => String::new(),
        Some(role) => match dice.below(5) {
            0 => "=?".to_owned(),
            1 => String::new(),
            2 if to_rank != '?' => role.to_string(),
            _ => format!("={role}"),
        },
    };
    let en_passant = match played {
        Move::EnPassant { .. } => *dice.pick(&["", " e.p.", "e.p."]),
        _ => "",
    };
    format!("{man}{origin}{takes}{to_file}{to_rank}{promotion}{en_passant}{mark}")
}
