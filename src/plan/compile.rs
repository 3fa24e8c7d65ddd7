//! Compiles conditions on positions from syntax to patterns.
//!
//! One file because each condition takes a few lines, and all use the same small constructors.

use super::{ranges::range, shift};
use shakmaty::{Bitboard, Color, EnPassantMode, Position, Rank, Role, Setup, Square};
use tabiya_chess::material::CountRange;
use tabiya_chess::{Evaluation, Man, Seconds, Share};

use crate::{
    filter::index_test::Range,
    pattern::{
        Men, Pattern, Symmetry, Term, Test,
        automaton::{Automaton, PatternStep},
        engine_eval::ShareRange,
        played::SanPattern,
        position_of,
        relation::Group,
        remark::{RemarkTest, Topic},
        similar::Likeness,
    },
    query::{
        At, BoardPattern, Compare, Condition, Designator, EvalTest, FenTest, Link, ManSet, Op,
        Path, PawnPlacement, Place, PositionTest, Sequence, Values,
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

/// Compiles a sequence.
pub(super) fn automaton(sequence: &Sequence) -> Automaton {
    let first = step(&sequence.first, false);
    let rest = sequence
        .rest
        .iter()
        .map(|(link, at)| step(at, *link == Link::Next));
    Automaton {
        steps: std::iter::once(first).chain(rest).collect(),
    }
}

fn step(at: &At, immediately: bool) -> PatternStep {
    let mut symmetries = vec![Symmetry::default()];
    if at.flip {
        symmetries.push(Symmetry {
            flip: true,
            mirror: false,
        });
    }
    if at.mirror {
        let mirrored = symmetries.clone().into_iter().map(|symmetry| Symmetry {
            mirror: true,
            ..symmetry
        });
        symmetries.extend(mirrored);
    }
    let consecutive = at.consecutive.0.max(1);
    let turns = if consecutive == 1 { turns(at) } else { &[None] };
    let shifts = if at.shift {
        shift::shifts(at)
    } else {
        vec![at.clone()]
    };
    let mut alternatives: Vec<Pattern> = Vec::new();
    let mut shifted = Vec::new();
    for symmetry in symmetries {
        for &turn in turns {
            let mut anchors = Vec::new();
            for at in &shifts {
                let pattern = pattern(at, symmetry, turn);
                // A condition that is its own mirror image is tested once.
                if !pattern.impossible && !alternatives.contains(&pattern) {
                    let anchor = shift::anchor(at, symmetry);
                    anchors.push((anchor, alternatives.len() as u16));
                    alternatives.push(pattern);
                }
            }
            if at.shift && !anchors.is_empty() {
                let outline = pattern(&shift::outline(at), symmetry, turn);
                shifted.push(shift::shifted(at, symmetry, outline, anchors));
            }
        }
    }
    if alternatives.is_empty() {
        alternatives.push(pattern(at, Symmetry::default(), None));
    }
    PatternStep {
        alternatives,
        shifted,
        consecutive,
        immediately,
    }
}

/// Returns the sides to move that get patterns of their own. If the last move is asked for, knowing
/// who made it gives the squares a man came from and went to. In a consecutive run the side
/// changes.
fn turns(at: &At) -> &'static [Option<Color>] {
    let asks_for_move = |condition: &Condition| {
        !condition.negated && matches!(condition.test, PositionTest::Played(_))
    };
    if at.conditions.iter().any(asks_for_move) {
        &[Some(Color::White), Some(Color::Black)]
    } else {
        &[None]
    }
}

/// Compiles what a path requires: the man on each of its squares, in order. Between two of them
/// lies a move of the other side.
///
/// For a pawn, only its first square is certain, since it may promote at any time afterwards, and
/// that it has left its home square.
pub(super) fn stations(path: &Path) -> Automaton {
    let is_pawn = path.man.role() == Role::Pawn;
    let men = 1 << path.man.index();
    let station = |number: usize, square: Square| {
        let squares = Bitboard::from(square).into();
        let leaves_home = is_pawn && number > 0;
        let term = Term::new(leaves_home, Test::Some { men, squares });
        let ply = (2 * number).saturating_sub(1) as u32;
        PatternStep {
            alternatives: vec![Pattern::new(
                CountRange::ANY,
                None,
                (ply, u32::MAX),
                vec![term],
            )],
            shifted: Vec::new(),
            consecutive: 1,
            immediately: false,
        }
    };
    let first = path.squares.first().copied().flatten();
    let mut named = Vec::from_iter(path.squares.iter().copied().enumerate());
    if is_pawn {
        let home = path.man.color().fold_wb(Rank::Second, Rank::Seventh);
        let leaves = path.squares.len() > 1 && first.is_some_and(|first| first.rank() == home);
        named = vec![(0, first), (1, first.filter(|_| leaves))];
    }
    let steps = named
        .into_iter()
        .filter_map(|(number, square)| Some(station(number, square?)))
        .collect();
    Automaton { steps }
}

/// A pattern under construction, in the original orientation.
struct Draft {
    counts: CountRange,
    turn: Option<Color>,
    plies: (u32, u32),
    terms: Vec<Term>,
    contradictory: bool,
}

fn pattern(at: &At, symmetry: Symmetry, turn: Option<Color>) -> Pattern {
    let mut draft = Draft {
        counts: CountRange::ANY,
        turn: None,
        plies: (0, u32::MAX),
        terms: Vec::new(),
        contradictory: false,
    };
    for condition in &at.conditions {
        draft.add(condition, at.rights);
    }
    turn.into_iter().for_each(|turn| draft.set_turn(turn));
    if draft.contradictory {
        // An empty range of plies, which no position satisfies.
        draft.plies = (1, 0);
    }
    Pattern::new(
        symmetry.counts(draft.counts),
        draft.turn.map(|turn| symmetry.color(turn)),
        draft.plies,
        draft
            .terms
            .iter()
            .map(|term| term.image(symmetry))
            .collect(),
    )
}

impl Draft {
    /// Adds one condition: to the counts, turn and plies if possible, otherwise as terms.
    fn add(&mut self, condition: &Condition, rights: bool) {
        if !condition.negated && self.add_fact(&condition.test, rights) {
            return;
        }
        let mut terms = Vec::new();
        terms_of(&condition.test, rights, &mut terms);
        match (condition.negated, terms.as_mut_slice()) {
            (false, _) => self.terms.append(&mut terms),
            (true, [term]) => {
                term.negated = !term.negated;
                self.terms.append(&mut terms);
            }
            (true, _) => self.terms.push(Term::new(true, Test::Group(terms))),
        }
    }

    /// Adds a condition that is, or contains, a count, a turn or a range of plies. Returns whether
    /// it was added.
    fn add_fact(&mut self, test: &PositionTest, rights: bool) -> bool {
        match test {
            PositionTest::Material(counts) => {
                for man in Man::ALL {
                    let count = i32::from(counts.get(man));
                    self.narrow(man, count, count);
                }
                true
            }
            PositionTest::Count(man, compare) => {
                let range = range(*compare);
                if !range.outside {
                    self.narrow(*man, range.low, range.high);
                }
                !range.outside
            }
            PositionTest::Turn(color) => {
                self.set_turn(*color);
                true
            }
            PositionTest::Fen(fen) => {
                board_is(fen, &mut self.terms);
                if let Some(turn) = fen.turn {
                    self.set_turn(turn);
                    self.terms.extend(rights.then(|| rights_are(fen, turn)));
                }
                true
            }
            PositionTest::Ply(compare) => {
                let range = range(*compare);
                if !range.outside {
                    let (low, high) = unsigned(range);
                    self.plies = (self.plies.0.max(low), self.plies.1.min(high));
                    self.contradictory |= range.high < 0;
                }
                !range.outside
            }
            _ => false,
        }
    }

    fn set_turn(&mut self, turn: Color) {
        self.contradictory |= self.turn.is_some_and(|other| other != turn);
        self.turn = Some(turn);
    }

    fn narrow(&mut self, man: Man, low: i32, high: i32) {
        const MOST: i32 = 31;
        self.contradictory |= low > MOST || high < 0;
        let (low, high) = (low.clamp(0, MOST) as u8, high.clamp(0, MOST) as u8);
        self.contradictory |= !self.counts.narrow(man, low, high);
    }
}

fn unsigned(range: Range) -> (u32, u32) {
    (range.low.max(0) as u32, range.high.max(0) as u32)
}

/// Converts a test to terms that must all hold.
fn terms_of(test: &PositionTest, rights: bool, terms: &mut Vec<Term>) {
    let mut add = |test| terms.push(Term::new(false, test));
    match test {
        PositionTest::Fen(fen) => {
            board_is(fen, terms);
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
        PositionTest::Measure(measure, compare) => {
            let range = range(*compare);
            let test = Test::Measure(*measure, range.low, range.high);
            terms.push(Term::new(range.outside, test));
        }
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
            for Condition { negated, test } in structure.at().conditions {
                let from = terms.len();
                terms_of(&test, rights, terms);
                terms[from..]
                    .iter_mut()
                    .for_each(|term| term.negated ^= negated);
            }
        }
        PositionTest::Played(san) => add(Test::Played(SanPattern::new(san))),
        PositionTest::Score(compare) => add(Test::Score(shares(*compare))),
        PositionTest::Visits(san, compare) => {
            let wanted = san.as_deref().map(SanPattern::new);
            add(Test::Visits(wanted, shares(*compare)));
        }
        PositionTest::Clock(compare) => {
            add(told(Topic::Clock, range(compare.map(Seconds::thousandths))));
        }
        PositionTest::Spent(compare) => {
            add(told(Topic::Spent, range(compare.map(Seconds::thousandths))));
        }
        PositionTest::Eval(test) => add(told(Topic::Eval, evaluations(*test))),
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
        // Never matches, as the negation of an empty group.
        Term::new(!range.outside, Test::Group(Vec::new()))
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

fn board_is(fen: &FenTest, terms: &mut Vec<Term>) {
    for man in Man::ALL {
        let squares = fen.board.by_piece(man.into());
        terms.push(Term::new(false, exactly(man.color(), man.role(), squares)));
    }
}

/// Returns the term for the rights of a FEN. Castling rights that the rules do not allow in its
/// position are ignored, and so is an en-passant square without a legal capture.
fn rights_are(fen: &FenTest, turn: Color) -> Term {
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
