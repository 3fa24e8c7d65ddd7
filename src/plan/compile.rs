//! Compiles conditions on positions from syntax to patterns and automata.

use super::{
    ranges::range,
    shift,
    terms::{board_is, rights_are, terms_of_condition, unsigned},
};
use shakmaty::{Bitboard, Color, Rank, Role, Square};
use tabiya_chess::{Man, material::CountRange};

use crate::{
    filter::index_test::Range,
    pattern::{
        Pattern, Symmetry, Term, Test,
        automaton::{Automaton, Goal},
        element::PatternStep,
    },
    query::{At, Compare, Condition, Link, Moves, Op, Path, PositionTest, Sequence, Values},
};

/// Compiles the condition on a final position.
pub(super) fn last(at: &At) -> Automaton {
    Automaton {
        steps: vec![step(at, false)],
        goal: Goal::Last,
    }
}

/// Compiles a condition on the number of positions at which a sequence is complete.
pub(super) fn number(sequence: &Sequence, range: Range) -> Automaton {
    Automaton {
        goal: Goal::Number {
            low: range.low,
            high: range.high,
            outside: range.outside,
        },
        ..automaton(sequence)
    }
}

/// Compiles what games that begin with some moves have: the position after them, at its ply.
pub(super) fn end_of(moves: &Moves) -> Automaton {
    let plies = moves.moves().len() as i32;
    let condition = |test| Condition {
        negated: false,
        test,
    };
    let at = Compare {
        op: Op::Equal,
        values: Values::One(plies),
    };
    let mut end = At::from(PositionTest::After(Box::new(moves.clone())));
    end.conditions.push(condition(PositionTest::Ply(at)));
    automaton(&Sequence::from(end))
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
        goal: Goal::First,
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
    } else if consecutive == 1 {
        branches(at)
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

/// Returns conditions one of which must hold, without brackets as far as they are few: of each more
/// is known than of all together. In a consecutive run each position may satisfy another one.
fn branches(at: &At) -> Vec<At> {
    const MOST: usize = 16;
    let mut all = vec![at.clone()];
    loop {
        let (before, expanded) = (
            all.len(),
            all.iter().flat_map(expanded).collect::<Vec<At>>(),
        );
        if expanded.len() > MOST || expanded == all {
            return all;
        }
        debug_assert!(expanded.len() >= before);
        all = expanded;
    }
}

/// Returns the conditions with the branches of the first brackets in their place.
fn expanded(at: &At) -> Vec<At> {
    let is_any = |condition: &Condition| {
        !condition.negated && matches!(condition.test, PositionTest::Any(_))
    };
    let Some(index) = at.conditions.iter().position(is_any) else {
        return vec![at.clone()];
    };
    let PositionTest::Any(branches) = &at.conditions[index].test else {
        return vec![at.clone()];
    };
    let with = |branch: &Vec<Condition>| {
        let mut one = at.clone();
        one.conditions.splice(index..=index, branch.iter().cloned());
        one
    };
    branches.iter().map(with).collect()
}

/// Returns the sides to move that get patterns of their own. If the last move is asked for, knowing
/// who made it gives the squares a man came from and went to. In a consecutive run the side
/// changes.
fn turns(at: &At) -> &'static [Option<Color>] {
    let asks_for_move = |condition: &Condition| {
        !condition.negated
            && matches!(
                condition.test,
                PositionTest::Played(_) | PositionTest::San(_)
            )
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
    Automaton {
        steps,
        goal: Goal::First,
    }
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
        terms_of_condition(condition, rights, &mut self.terms);
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
            PositionTest::After(moves) => {
                board_is(moves.board(), &mut self.terms);
                self.set_turn(moves.turn());
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
                board_is(&fen.board, &mut self.terms);
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
