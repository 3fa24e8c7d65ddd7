//! One condition on a position, and its mirror images.
//!
//! One file because each kind of test needs its answer on a board, its answer without one and its
//! image, and a new kind is added in one place.

use shakmaty::{Color, Role, Square};
use tabiya_chess::{GameResult, Man, material::CountRange};

use super::{
    boards::{Boards, Moment},
    engine_eval::ShareRange,
    played::MovePattern,
    relation::{Group, Relation},
    remark::RemarkTest,
    replies::ReplyTest,
    similar::Likeness,
    sum::CountSum,
    symmetry::{Men, Symmetry},
    word::{Measure, State},
};

/// A test, optionally negated.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Term {
    pub(crate) negated: bool,
    pub(crate) test: Test,
}

/// One test of a position. Squares are bits: bit 0 is a1, bit 63 is h8.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Test {
    /// At least one of the men stands on one of the squares.
    Some { men: Men, squares: u64 },
    /// One of the men stands on each of the squares.
    All { men: Men, squares: u64 },
    /// Men of this kind stand on exactly these squares.
    Exactly { man: Man, squares: u64 },
    /// The counts lie in these ranges.
    Counts(CountRange),
    /// A number lies in this range, ends included.
    Measure(Measure, i32, i32),
    /// Counts compared with each other.
    Sum(CountSum),
    /// Pawns on each file, White's and Black's.
    Files([u8; 8], [u8; 8]),
    /// Each side has one bishop, on the same (or different) colour of squares.
    Bishops { same: bool },
    /// Who is to move.
    Turn(Color),
    /// Plies since the start, inclusive.
    Plies(u32, u32),
    /// Full-move number, inclusive.
    MoveNumber(u32, u32),
    /// Castling rights (squares of the rooks) and the square of a legal en-passant capture.
    Rights {
        castling: u64,
        en_passant: Option<Square>,
    },
    /// A word without a value.
    State(State),
    /// The last move.
    Played(MovePattern),
    /// The position is as similar to this one as asked for.
    Similar(Box<Likeness>),
    /// How men stand to each other.
    Relation(Relation<Group>),
    /// An engine's expectation for the side to move.
    Score(ShareRange),
    /// An engine's visits: the share of the most visited move in all visits, or the visits of a
    /// move that fits as a share of those of the most visited move.
    Visits(Option<MovePattern>, ShareRange),
    /// What the comments of the last move tell.
    Remark(RemarkTest),
    /// Some legal move fits, and perhaps another is played.
    Reply(Box<ReplyTest>),
    /// The result of the game: bit [`GameResult`] of those that pass.
    Result(u8),
    /// What was given for nothing lies in this range, or outside of it. Fails where nothing
    /// follows.
    Sacrifice { low: i32, high: i32, outside: bool },
    /// All terms of one of these branches hold.
    Any(Vec<Vec<Term>>),
}

impl Term {
    pub(crate) fn new(negated: bool, test: Test) -> Term {
        Term { negated, test }
    }

    /// Returns the term's mirror image.
    pub(crate) fn image(&self, symmetry: Symmetry) -> Term {
        Term {
            negated: self.negated,
            test: self.test.image(symmetry),
        }
    }

    /// Returns the terms implied by a required move (a man on its target square, check or mate), by
    /// a relation (its men) and by kinds of check and mate. `mover` is the side that made the move,
    /// if known.
    pub(super) fn implied(&self, mover: Option<Color>) -> Vec<Term> {
        let state = |state| Term::new(false, Test::State(state));
        match &self.test {
            _ if self.negated => Vec::new(),
            Test::Played(san) if san.is_null => Vec::new(),
            Test::Played(san) => {
                let (men, squares) = san.arrivals(mover);
                let arrived = Term::new(false, Test::Some { men, squares });
                [arrived]
                    .into_iter()
                    .chain(san.threat().map(state))
                    .collect()
            }
            Test::Relation(relation) => {
                let groups = relation.groups().into_iter();
                let there = |Group { men, squares }| Test::Some { men, squares };
                groups.map(|group| Term::new(false, there(group))).collect()
            }
            Test::State(kind) => kind.implied().map(state).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Returns whether the term is worth testing: nearly every position has some man on the board.
    pub(super) fn excludes_positions(&self) -> bool {
        const EVERYWHERE: u64 = u64::MAX;
        !matches!(
            self.test,
            Test::Some {
                squares: EVERYWHERE,
                ..
            }
        )
    }

    /// Returns a sort key that puts cheap terms first.
    pub(super) fn cost(&self) -> u8 {
        self.test.cost()
    }

    /// Returns whether the position satisfies the term.
    #[inline]
    pub(crate) fn holds(&self, boards: &Boards) -> bool {
        self.test.holds(boards) != self.negated
    }

    /// Returns whether the position satisfies the term; `None` if that depends on squares.
    pub(crate) fn holds_at(&self, moment: &Moment) -> Option<bool> {
        Some(self.test.holds_at(moment)? != self.negated)
    }

    /// Returns whether any test of the term, groups included, passes `is`.
    pub(crate) fn any(&self, is: &impl Fn(&Test) -> bool) -> bool {
        match &self.test {
            Test::Any(branches) => branches.iter().flatten().any(|term| term.any(is)),
            test => is(test),
        }
    }

    /// Returns whether the term holds only where some test that passes `is` does.
    pub(crate) fn needs(&self, is: &impl Fn(&Test) -> bool) -> bool {
        match &self.test {
            _ if self.negated => false,
            Test::Any(branches) => {
                let mut branches = branches.iter();
                branches.all(|branch| branch.iter().any(|term| term.needs(is)))
            }
            test => is(test),
        }
    }

    /// Returns the results with which the term may hold: bit [`GameResult`].
    pub(crate) fn results(&self) -> u8 {
        const ANY: u8 = u8::MAX;
        match (&self.test, self.negated) {
            (Test::Result(results), false) => *results,
            (Test::Result(results), true) => !results,
            (Test::Any(branches), false) => {
                let of_branch =
                    |branch: &Vec<Term>| branch.iter().fold(ANY, |all, term| all & term.results());
                branches
                    .iter()
                    .map(of_branch)
                    .fold(0, |any, results| any | results)
            }
            _ => ANY,
        }
    }

    /// Returns the least number of these men in a position that satisfies the term.
    pub(crate) fn least(&self, man: Man) -> u8 {
        match (&self.test, self.negated) {
            (Test::Some { men, squares }, false) if *squares != 0 => only(*men, man).into(),
            (Test::All { men, squares }, false) if only(*men, man) => squares.count_ones() as u8,
            (Test::Exactly { man: this, squares }, false) if *this == man => {
                squares.count_ones() as u8
            }
            (Test::Files(white, black), false) if man.role() == Role::Pawn => match man.color() {
                Color::White => white.iter().sum(),
                Color::Black => black.iter().sum(),
            },
            (Test::Bishops { .. }, false) => (man.role() == Role::Bishop).into(),
            (Test::Sum(sum), false) => sum.numbers_of(man).0,
            (Test::Similar(likeness), false) => likeness.numbers_asked(man).0,
            _ => 0,
        }
    }

    /// Returns the greatest number of these men in a position that satisfies the term.
    pub(crate) fn most(&self, man: Man) -> u8 {
        const ANY: u8 = 31;
        match (&self.test, self.negated) {
            (Test::Exactly { man: this, .. }, false) if *this == man => self.least(man),
            (Test::Files(..), false) if man.role() == Role::Pawn => self.least(man),
            (Test::Bishops { .. }, false) if man.role() == Role::Bishop => 1,
            (Test::Sum(sum), false) => sum.numbers_of(man).1,
            (Test::Similar(likeness), false) => likeness.numbers_asked(man).1,
            (Test::Measure(Measure::Minors(color), _, high), false)
                if *color == man.color() && matches!(man.role(), Role::Bishop | Role::Knight) =>
            {
                (*high).clamp(0, 31) as u8
            }
            (Test::Some { men, squares }, true) if *squares == u64::MAX => {
                if men >> man.index() & 1 == 1 { 0 } else { ANY }
            }
            _ => ANY,
        }
    }

    /// Returns the squares on which this colour must have a pawn.
    pub(crate) fn pawns_required(&self, color: Color) -> u64 {
        let pawn = Man::new(color, Role::Pawn);
        match (&self.test, self.negated) {
            (Test::All { men, squares }, false) if only(*men, pawn) => *squares,
            (Test::Some { men, squares }, false)
                if only(*men, pawn) && squares.is_power_of_two() =>
            {
                *squares
            }
            (Test::Exactly { man, squares }, false) if *man == pawn => *squares,
            _ => 0,
        }
    }

    /// Returns the squares on which this colour cannot have a pawn.
    pub(crate) fn pawns_excluded(&self, color: Color) -> u64 {
        let pawn = Man::new(color, Role::Pawn);
        match (&self.test, self.negated) {
            (Test::All { men, squares }, false) if men >> pawn.index() & 1 == 0 => *squares,
            (Test::Some { men, squares }, false)
                if men >> pawn.index() & 1 == 0 && squares.is_power_of_two() =>
            {
                *squares
            }
            (Test::Some { men, squares }, true) if men >> pawn.index() & 1 == 1 => *squares,
            (Test::Exactly { man, squares }, false) if *man == pawn => !*squares,
            (Test::Exactly { squares, .. }, false) => *squares,
            (Test::Files(white, black), false) => {
                let files = if color.is_white() { white } else { black };
                (0..8)
                    .filter(|&file| files[file] == 0)
                    .fold(0, |squares, file| squares | 0x0101_0101_0101_0101 << file)
            }
            _ => 0,
        }
    }

    /// Returns the squares that the term allows for a man that is the only one of its kind.
    pub(crate) fn squares_of_one(&self, man: Man) -> u64 {
        match (&self.test, self.negated) {
            (Test::Some { men, squares } | Test::All { men, squares }, false)
                if only(*men, man) =>
            {
                *squares
            }
            (Test::Exactly { man: this, squares }, false) if *this == man => *squares,
            (Test::Some { men, squares }, true) if men >> man.index() & 1 == 1 => !*squares,
            _ => u64::MAX,
        }
    }

    /// Returns squares, one of which must hold a pawn of this colour; 0 if nothing is known.
    pub(crate) fn pawn_somewhere(&self, color: Color) -> u64 {
        let pawn = Man::new(color, Role::Pawn);
        match (&self.test, self.negated) {
            (Test::Some { men, squares }, false) if only(*men, pawn) => *squares,
            _ => 0,
        }
    }
}

fn only(men: Men, man: Man) -> bool {
    men == 1 << man.index()
}

impl Test {
    fn image(&self, symmetry: Symmetry) -> Test {
        match self {
            Test::Some { men, squares } => Test::Some {
                men: symmetry.men(*men),
                squares: symmetry.squares(*squares),
            },
            Test::All { men, squares } => Test::All {
                men: symmetry.men(*men),
                squares: symmetry.squares(*squares),
            },
            Test::Exactly { man, squares } => Test::Exactly {
                man: if symmetry.flip { man.swapped() } else { *man },
                squares: symmetry.squares(*squares),
            },
            Test::Counts(range) => Test::Counts(symmetry.counts(*range)),
            Test::Measure(measure, low, high) => {
                let (measure, low, high) = measure.image(*low, *high, symmetry);
                Test::Measure(measure, low, high)
            }
            Test::Sum(sum) => Test::Sum(sum.image(symmetry)),
            Test::Files(white, black) => {
                let (white, black) = (symmetry.files(*white), symmetry.files(*black));
                if symmetry.flip {
                    Test::Files(black, white)
                } else {
                    Test::Files(white, black)
                }
            }
            Test::Turn(color) => Test::Turn(symmetry.color(*color)),
            Test::Rights {
                castling,
                en_passant,
            } => Test::Rights {
                castling: symmetry.squares(*castling),
                en_passant: en_passant.map(|square| symmetry.square(square)),
            },
            Test::Played(pattern) => Test::Played(pattern.image(symmetry)),
            Test::Relation(relation) => Test::Relation(relation.image(symmetry)),
            Test::Similar(likeness) => Test::Similar(Box::new(likeness.image(symmetry))),
            Test::Visits(Some(pattern), range) => {
                Test::Visits(Some(pattern.image(symmetry)), *range)
            }
            Test::Remark(test) => Test::Remark(test.image(symmetry)),
            Test::Reply(test) => Test::Reply(Box::new(test.image(symmetry))),
            Test::Result(results) if symmetry.flip => Test::Result(turned(*results)),
            Test::Any(branches) => {
                let image =
                    |branch: &Vec<Term>| branch.iter().map(|term| term.image(symmetry)).collect();
                Test::Any(branches.iter().map(image).collect())
            }
            other => other.clone(),
        }
    }

    /// Evaluates the most frequent tests inline.
    #[inline(always)]
    fn holds(&self, boards: &Boards) -> bool {
        match self {
            Test::Some { men, squares } => boards.union(*men) & squares != 0,
            Test::All { men, squares } => boards.union(*men) & squares == *squares,
            Test::Exactly { man, squares } => boards.of(*man) == *squares,
            Test::State(state) => state.holds(boards),
            Test::Played(pattern) => pattern.is_last_move_of(boards),
            rarer => rarer.holds_rarer(boards),
        }
    }

    fn cost(&self) -> u8 {
        match self {
            Test::Some { .. } | Test::All { .. } | Test::Exactly { .. } => 0,
            Test::Any(branches) => {
                let costs = branches.iter().flatten().map(Term::cost);
                costs.max().unwrap_or_default()
            }
            Test::Result(_) => 0,
            Test::Measure(Measure::Repetition, ..) => 3,
            Test::Reply(_) => 7,
            Test::State(state) => state.cost(),
            Test::Relation(relation) => relation.cost(),
            Test::Played(san) => {
                if san.is_narrow() {
                    0
                } else {
                    5
                }
            }
            Test::Rights { .. } => 6,
            Test::Score(_) | Test::Visits(..) => 7,
            _ => 1,
        }
    }

    /// Returns whether the test is about engine data.
    pub(super) fn is_engine_data(&self) -> bool {
        matches!(self, Test::Score(_) | Test::Visits(..))
    }

    /// Returns whether the test is about the comments of a move.
    pub(super) fn is_remark(&self) -> bool {
        matches!(self, Test::Remark(_))
    }

    /// Returns whether the test is about what follows on the line.
    pub(super) fn looks_ahead(&self) -> bool {
        match self {
            Test::Reply(test) => test.is_missed,
            Test::Sacrifice { .. } => true,
            _ => false,
        }
    }

    /// Returns whether the test is about something besides the positions up to this one.
    pub(super) fn is_beside_boards(&self) -> bool {
        self.is_engine_data()
            || self.is_remark()
            || self.looks_ahead()
            || matches!(self, Test::Result(_))
    }

    /// Returns whether the test is about the positions before.
    pub(super) fn is_about_history(&self) -> bool {
        matches!(
            self,
            Test::Measure(Measure::Repetition | Measure::Quiet, ..)
                | Test::State(State::FiftyMoves)
        )
    }

    /// Returns whether the test is about the last move.
    pub(super) fn is_about_last_move(&self) -> bool {
        matches!(
            self,
            Test::Played(_)
                | Test::State(State::DiscoveredCheck)
                | Test::Relation(Relation::Discovered(_))
        )
    }

    /// Returns whether the test is about castling rights.
    pub(super) fn is_about_castling(&self) -> bool {
        matches!(
            self,
            Test::Visits(..)
                | Test::Rights { .. }
                | Test::Reply(_)
                | Test::Measure(Measure::Repetition, ..)
        )
    }

    /// Returns whether the men, the side to move, the ply and a pawn that has just moved two
    /// squares tell if a position passes.
    pub(super) fn is_about_placement(&self) -> bool {
        !(self.is_beside_boards()
            || self.is_about_history()
            || self.is_about_last_move()
            || self.is_about_castling()
            || matches!(self, Test::MoveNumber(..)))
    }

    /// Returns whether the test is only about material and time.
    pub(crate) fn is_about_material(&self) -> bool {
        match self {
            Test::Counts(_) | Test::Turn(_) | Test::Plies(..) | Test::MoveNumber(..) => true,
            Test::Measure(measure, ..) => measure.is_count(),
            Test::State(state) => *state == State::Endgame,
            Test::Sum(sum) => sum.is_about_material(),
            _ => false,
        }
    }

    /// Returns whether the position passes; `None` if that depends on squares.
    fn holds_at(&self, moment: &Moment) -> Option<bool> {
        Some(match self {
            Test::Counts(range) => range.contains(moment.counts),
            Test::Measure(measure, low, high) => {
                (*low..=*high).contains(&measure.with(moment.counts)?)
            }
            Test::Sum(sum) => sum.holds_with(moment.counts)?,
            Test::State(state) => state.holds_with(moment.counts)?,
            Test::Turn(color) => moment.turn == *color,
            Test::Plies(low, high) => (*low..=*high).contains(&moment.ply),
            Test::MoveNumber(low, high) => (*low..=*high).contains(&moment.move_number),
            Test::Any(branches) => {
                let mut any = Some(false);
                for branch in branches {
                    match all_hold_at(branch, moment) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => any = None,
                    }
                }
                return any;
            }
            _ => return None,
        })
    }

    /// Evaluates all other tests.
    fn holds_rarer(&self, boards: &Boards) -> bool {
        match self {
            Test::Some { .. }
            | Test::All { .. }
            | Test::Exactly { .. }
            | Test::State(_)
            | Test::Played(_) => self.holds(boards),
            Test::Counts(_) | Test::Turn(_) | Test::Plies(..) | Test::MoveNumber(..) => {
                self.holds_at(&boards.moment()).unwrap_or_default()
            }
            Test::Measure(measure, low, high) => {
                let number = measure.of(boards);
                number.is_some_and(|number| (*low..=*high).contains(&number))
            }
            Test::Sacrifice { low, high, outside } => boards
                .sacrifice()
                .is_some_and(|given| (*low..=*high).contains(&given) != *outside),
            Test::Sum(sum) => sum.holds(boards),
            Test::Reply(test) => test.holds(boards),
            Test::Result(results) => boards
                .result()
                .is_some_and(|result| results >> result as u8 & 1 == 1),
            Test::Files(white, black) => {
                on_files(boards.pawns(Color::White), white)
                    && on_files(boards.pawns(Color::Black), black)
            }
            Test::Bishops { same } => bishops_stand(boards, *same),
            Test::Rights {
                castling,
                en_passant,
            } => boards.castling() == *castling && boards.en_passant() == *en_passant,
            Test::Relation(relation) => relation.holds(boards),
            Test::Similar(likeness) => likeness.holds(boards),
            Test::Score(range) => boards.scores(range),
            Test::Visits(wanted, range) => {
                let fits = wanted.as_ref().map(|wanted| |san: &str| wanted.fits(san));
                boards.visits(fits, range)
            }
            Test::Remark(test) => test.holds(boards.told()),
            Test::Any(branches) => {
                let mut branches = branches.iter();
                branches.any(|branch| branch.iter().all(|term| term.holds(boards)))
            }
        }
    }
}

/// Returns the results that the sides have when the colours are exchanged.
fn turned(results: u8) -> u8 {
    let (white, black) = (GameResult::WhiteWins as u8, GameResult::BlackWins as u8);
    let others = results & !(1 << white | 1 << black);
    others | (results >> white & 1) << black | (results >> black & 1) << white
}

/// Returns whether all terms hold. One that is false decides, even if others are unknown.
fn all_hold_at(terms: &[Term], moment: &Moment) -> Option<bool> {
    let mut all = Some(true);
    for term in terms {
        match term.holds_at(moment) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => all = None,
        }
    }
    all
}

fn on_files(pawns: u64, files: &[u8; 8]) -> bool {
    (0..8)
        .all(|file| (pawns & 0x0101_0101_0101_0101 << file).count_ones() == u32::from(files[file]))
}

fn bishops_stand(boards: &Boards, same: bool) -> bool {
    const DARK: u64 = 0xaa55_aa55_aa55_aa55;
    let bishops =
        [Color::White, Color::Black].map(|color| boards.of(Man::new(color, Role::Bishop)));
    let one_each = bishops.iter().all(|bishops| bishops.is_power_of_two());
    let [white, black] = bishops.map(|bishops| bishops & DARK != 0);
    one_each && (white == black) == same
}
