//! Converts tests of positions from syntax to terms of patterns.
//!
//! One file because each test takes a few lines, and all use the same small constructors.

use shakmaty::{Bitboard, Board, Color, EnPassantMode, Position, Role, Setup};
use tabiya_chess::{Evaluation, Man, Seconds, Share, material::CountRange};

use super::ranges::range;
use crate::{
    filter::index_test::Range,
    pattern::{
        Men, Term, Test,
        engine_eval::ShareRange,
        played::MovePattern,
        position_of,
        relation::Group,
        remark::{RemarkTest, Topic},
        replies::ReplyTest,
        similar::Likeness,
        sum::{CountSum, Part},
        word::Measure,
    },
    query::{
        BoardPattern, Compare, Condition, Counted, Decimal, Designator, EvalTest, FenTest,
        Judgement, ManSet, Op, PawnPlacement, Place, PositionTest, Reply, SumBound, SumTest,
        Values, Wing,
    },
};

/// Converts a comparison of shares to a range. Strict bounds become the adjacent number; no stored
/// value lies between the two.
fn shares(compare: Compare<Share>) -> ShareRange {
    let between = |low, high| ShareRange {
        low,
        high,
        outside: compare.op == Op::Differ,
    };
    match (compare.op, compare.values) {
        (Op::Less, Values::One(share)) => between(0.0, share.get().next_down()),
        (Op::AtMost, Values::One(share)) => between(0.0, share.get()),
        (Op::Greater, Values::One(share)) => between(share.get().next_up(), 1.0),
        (Op::AtLeast, Values::One(share)) => between(share.get(), 1.0),
        (_, Values::One(share)) => between(share.get(), share.get()),
        (_, Values::Range(low, high)) => {
            between(low.map_or(0.0, Share::get), high.map_or(1.0, Share::get))
        }
    }
}

/// Returns the test that a number told by comments lies in a range.
fn told(topic: Topic, range: Range) -> Test {
    Test::Remark(RemarkTest {
        topic,
        low: range.low,
        high: range.high,
        outside: range.outside,
    })
}

/// Returns the range of numbers for a test of evaluations.
fn evaluations(test: EvalTest) -> Range {
    match test {
        EvalTest::Mate(holds) => Range {
            low: -Evaluation::PAWNS_MAX,
            high: Evaluation::PAWNS_MAX,
            outside: holds,
        },
        EvalTest::Compare(compare) => range(compare.map(Evaluation::number)),
    }
}

pub(super) fn unsigned(range: Range) -> (u32, u32) {
    (range.low.max(0) as u32, range.high.max(0) as u32)
}

/// Converts a test to terms that must all hold.
pub(super) fn terms_of(test: &PositionTest, rights: bool, terms: &mut Vec<Term>) {
    let mut add = |test| terms.push(Term::new(false, test));
    match test {
        PositionTest::Fen(fen) => {
            board_is(&fen.board, terms);
            terms.extend(fen.turn.map(|turn| Term::new(false, Test::Turn(turn))));
            terms.extend(
                fen.turn
                    .filter(|_| rights)
                    .map(|turn| rights_are(fen, turn)),
            );
        }
        PositionTest::Board(board) => board_terms(board, terms),
        PositionTest::Pawns(PawnPlacement { white, black }) => {
            add(exactly(Color::White, Role::Pawn, *white));
            add(exactly(Color::Black, Role::Pawn, *black));
        }
        PositionTest::Files(PawnPlacement { white, black }) => {
            add(Test::Files(by_file(*white), by_file(*black)));
        }
        PositionTest::Material(counts) => add(Test::Counts(CountRange::exactly(*counts))),
        PositionTest::Count(man, compare) => terms.push(count_term(*man, *compare)),
        PositionTest::After(moves) => {
            board_is(moves.board(), terms);
            terms.push(Term::new(false, Test::Turn(moves.turn())));
        }
        PositionTest::Any(branches) => add(any(branches, rights)),
        PositionTest::Sum(sum) => terms.push(sum_term(sum)),
        PositionTest::Majority(wing) => add(Test::Sum(majority(*wing))),
        PositionTest::Result(result) => add(Test::Result(1 << *result as u8)),
        PositionTest::Measure(measure, compare) => terms.push(measure_term(*measure, *compare)),
        PositionTest::Bishops { same } => add(Test::Bishops { same: *same }),
        PositionTest::Piece(man, place) => add(Test::Some {
            men: 1 << man.index(),
            squares: squares_of(*place),
        }),
        PositionTest::Turn(color) => add(Test::Turn(*color)),
        PositionTest::Ply(compare) => terms.push(unsigned_term(*compare, Test::Plies)),
        PositionTest::MoveNumber(compare) => {
            terms.push(unsigned_term(*compare, Test::MoveNumber));
        }
        PositionTest::State(state) => add(Test::State(*state)),
        PositionTest::Relation(relation) => {
            let relation = relation.try_map(|men| Some(group(men)));
            terms.extend(relation.map(|relation| Term::new(false, Test::Relation(relation))));
        }
        PositionTest::Similar(board, least) => {
            add(Test::Similar(Box::new(Likeness::new(board, *least))));
        }
        PositionTest::Structure(structure) => {
            for condition in structure.at().conditions {
                terms_of_condition(&condition, rights, terms);
            }
        }
        about_moves => terms.extend(term_of_moves(about_moves)),
    }
}

fn measure_term(measure: Measure, compare: Compare<i32>) -> Term {
    let range = range(compare);
    match measure {
        // Where nothing follows, neither holds.
        Measure::Sacrifice => Term::new(
            false,
            Test::Sacrifice {
                low: range.low,
                high: range.high,
                outside: range.outside,
            },
        ),
        _ => Term::new(range.outside, Test::Measure(measure, range.low, range.high)),
    }
}

/// Converts a test of moves, or of what files tell of them.
fn term_of_moves(test: &PositionTest) -> Option<Term> {
    Some(Term::new(
        false,
        match test {
            PositionTest::Played(text) => match MovePattern::by_meaning(text) {
                Ok(pattern) => Test::Played(pattern),
                // Nothing else comes from the parser.
                Err(_) => never(),
            },
            PositionTest::San(text) => Test::Played(MovePattern::san(text)),
            PositionTest::Can(reply) => reply_test(reply, false),
            PositionTest::Missed(reply) => reply_test(reply, true),
            PositionTest::Score(compare) => Test::Score(shares(*compare)),
            PositionTest::Visits(san, compare) => {
                let wanted = san.as_deref().map(MovePattern::san);
                Test::Visits(wanted, shares(*compare))
            }
            PositionTest::Clock(compare) => {
                told(Topic::Clock, range(compare.map(Seconds::thousandths)))
            }
            PositionTest::Spent(compare) => {
                told(Topic::Spent, range(compare.map(Seconds::thousandths)))
            }
            PositionTest::Eval(test) => told(Topic::Eval, evaluations(*test)),
            PositionTest::Swing(compare) => {
                told(Topic::Swing, range(compare.map(Decimal::thousandths)))
            }
            PositionTest::Judgement(judgement) => told(Topic::Judgement, exactly_this(*judgement)),
            _ => return None,
        },
    ))
}

/// Returns a test that no position passes.
fn never() -> Test {
    Test::Any(Vec::new())
}

/// Converts a condition to terms that must all hold.
pub(super) fn terms_of_condition(condition: &Condition, rights: bool, terms: &mut Vec<Term>) {
    let Condition { negated, test } = condition;
    let before = terms.len();
    terms_of(test, rights, terms);
    if !negated {
        return;
    }
    if let [term] = &mut terms[before..] {
        term.negated = !term.negated;
    } else {
        let all = terms.split_off(before);
        terms.push(Term::new(true, Test::Any(vec![all])));
    }
}

/// Returns the test of conditions in brackets.
fn any(branches: &[Vec<Condition>], rights: bool) -> Test {
    let branch = |branch: &Vec<Condition>| {
        let mut all = Vec::new();
        for condition in branch {
            terms_of_condition(condition, rights, &mut all);
        }
        all
    };
    Test::Any(branches.iter().map(branch).collect())
}

fn reply_test(reply: &Reply, is_missed: bool) -> Test {
    let wanted = match reply {
        Reply::Mate => None,
        Reply::Move(text) => match MovePattern::by_meaning(text) {
            Ok(pattern) => Some(pattern),
            Err(_) => return never(),
        },
    };
    Test::Reply(Box::new(ReplyTest { wanted, is_missed }))
}

/// Returns the range of the number of a judgement.
fn exactly_this(judgement: Judgement) -> Range {
    Range {
        low: judgement as i32,
        high: judgement as i32,
        outside: false,
    }
}

/// Returns the test that White has more pawns on a wing.
fn majority(wing: Wing) -> CountSum {
    let pawns = |color, times| Part {
        times,
        men: 1 << Man::new(color, Role::Pawn).index(),
        squares: wing.squares(),
    };
    CountSum {
        parts: vec![pawns(Color::White, 1), pawns(Color::Black, -1)],
        low: 1,
        high: i64::MAX,
    }
}

/// Converts a comparison of sums to one of their difference with a range.
fn sum_term(test: &SumTest) -> Term {
    let mut number = 0_i64;
    let mut parts: Vec<Part> = Vec::new();
    let right = match &test.right {
        SumBound::Sum(sum) => sum.0.as_slice(),
        SumBound::Range(..) => &[],
    };
    let left = test.left.0.iter().map(|term| (1, term));
    for (sign, term) in left.chain(right.iter().map(|term| (-1, term))) {
        let times = if term.minus { -sign } else { sign };
        for part in parts_of(term.count, times) {
            let same = |other: &&mut Part| (other.men, other.squares) == (part.men, part.squares);
            match parts.iter_mut().find(same) {
                Some(other) => other.times += part.times,
                None => parts.push(part),
            }
        }
        if let Counted::Number(count) = term.count {
            number += i64::from(times) * i64::from(count);
        }
    }
    let (low, high) = match (&test.right, test.op) {
        (SumBound::Range(low, high), _) => (
            low.map_or(i64::MIN, i64::from),
            high.map_or(i64::MAX, i64::from),
        ),
        (_, Op::Has | Op::Equal | Op::Differ) => (0, 0),
        (_, Op::Less) => (i64::MIN, -1),
        (_, Op::AtMost) => (i64::MIN, 0),
        (_, Op::Greater) => (1, i64::MAX),
        (_, Op::AtLeast) => (0, i64::MAX),
    };
    let sum = CountSum {
        parts,
        low: low.saturating_sub(number),
        high: high.saturating_sub(number),
    };
    Term::new(test.op == Op::Differ, Test::Sum(sum))
}

/// Returns what is counted, each so many times.
fn parts_of(counted: Counted, times: i32) -> Vec<Part> {
    let part = |times, men, squares| Part {
        times,
        men,
        squares,
    };
    let of = |color, role| 1 << Man::new(color, role).index();
    match counted {
        Counted::Number(_) => Vec::new(),
        Counted::Men(men, zone) => {
            vec![part(
                times,
                men.0,
                zone.map_or(u64::MAX, |zone| zone.squares()),
            )]
        }
        Counted::Measure(Measure::Men) => vec![part(times, 0xfff, u64::MAX)],
        Counted::Measure(Measure::Minors(color)) => {
            vec![part(
                times,
                of(color, Role::Bishop) | of(color, Role::Knight),
                u64::MAX,
            )]
        }
        Counted::Measure(_) => Man::ALL
            .into_iter()
            .filter(|man| man.role() != Role::King)
            .map(|man| {
                let points = man.color().fold_wb(man.points(), -man.points());
                part(times * points, 1 << man.index(), u64::MAX)
            })
            .collect(),
    }
}

fn group(men: &Designator) -> Group {
    Group {
        men: men.men.0,
        squares: men.place.map_or(u64::MAX, squares_of),
    }
}

/// Returns a term for a range of a number that is never negative.
fn unsigned_term(compare: Compare<i32>, test: impl Fn(u32, u32) -> Test) -> Term {
    let range = range(compare);
    let (low, high) = unsigned(range);
    if range.high < 0 {
        Term::new(range.outside, test(1, 0))
    } else {
        Term::new(range.outside, test(low, high))
    }
}

fn count_term(man: Man, compare: Compare<i32>) -> Term {
    let range = range(compare);
    let mut counts = CountRange::ANY;
    let (low, high) = (range.low.clamp(0, 31) as u8, range.high.clamp(0, 31) as u8);
    let contradictory = range.low > 31 || range.high < 0 || low > high;
    counts.narrow(man, low, high);
    if contradictory {
        Term::new(range.outside, never())
    } else {
        Term::new(range.outside, Test::Counts(counts))
    }
}

fn exactly(color: Color, role: Role, squares: Bitboard) -> Test {
    Test::Exactly {
        man: Man::new(color, role),
        squares: squares.into(),
    }
}

pub(super) fn board_is(board: &Board, terms: &mut Vec<Term>) {
    for man in Man::ALL {
        let squares = board.by_piece(man.into());
        terms.push(Term::new(false, exactly(man.color(), man.role(), squares)));
    }
}

/// Returns the term for the rights of a FEN. Castling rights that the rules do not allow in its
/// position are ignored, and so is an en-passant square without a legal capture.
pub(super) fn rights_are(fen: &FenTest, turn: Color) -> Term {
    let mut setup = Setup::empty();
    setup.board = fen.board.clone();
    setup.turn = turn;
    setup.castling_rights = fen.castling;
    setup.ep_square = fen.en_passant;
    let position = position_of(setup);
    let castling = position
        .as_ref()
        .map(|position| position.castles().castling_rights());
    let test = Test::Rights {
        castling: castling.unwrap_or(fen.castling).into(),
        en_passant: position.and_then(|position| position.ep_square(EnPassantMode::Legal)),
    };
    Term::new(false, test)
}

fn board_terms(board: &BoardPattern, terms: &mut Vec<Term>) {
    let mut sets: Vec<ManSet> = board.0.to_vec();
    sets.sort_unstable_by_key(|set| set.0);
    sets.dedup();
    for set in sets.into_iter().filter(|&set| set != ManSet::ANY) {
        let squares = (0..64).filter(|&square| board.0[square] == set);
        let squares = squares.fold(0, |squares, square| squares | 1 << square);
        let men: Men = set.0 & 0xfff;
        terms.push(if set.contains_empty() {
            Term::new(
                true,
                Test::Some {
                    men: !men & 0xfff,
                    squares,
                },
            )
        } else {
            Term::new(false, Test::All { men, squares })
        });
    }
}

fn squares_of(place: Place) -> u64 {
    match place {
        Place::Square(square) => Bitboard::from(square).into(),
        Place::File(file) => Bitboard::from(file).into(),
        Place::Rank(rank) => Bitboard::from(rank).into(),
    }
}

fn by_file(pawns: Bitboard) -> [u8; 8] {
    std::array::from_fn(|file| {
        let file = shakmaty::File::new(file as u32);
        (pawns & Bitboard::from(file)).count() as u8
    })
}
