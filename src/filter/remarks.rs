//! What a sidecar proves about a condition on what comments tell.
//!
//! The sidecar has the least and the greatest clock, time spent and evaluation of each main line,
//! rounded. A test that some number of a game passes needs one in its range, and there is none if
//! the range lies beside the least and the greatest. A game that lacks the numbers of a test does
//! not match; nor one without evaluations if a test is about what moves did to them. If nothing but
//! such a test is asked and the least or the greatest passes it, the game matches. What all
//! rounded numbers of a bucket have in common is known from the buckets of the range's ends,
//! because rounding keeps the order. Nothing is concluded of games about which nothing is known.

use std::sync::Arc;

use super::BlockBounds;
use crate::{
    pattern::{
        Pattern, Test,
        automaton::{Automaton, Goal},
        remark::{RemarkTest, Topic},
        told_moves::ToldMoves,
    },
    sidecar::{
        BLOCK_WORDS, BlockGames, Sidecar,
        remarks::{BUCKETS, Extremes, bucket_of_eval, bucket_of_time},
    },
};

/// The conditions of an automaton on what comments tell.
#[derive(Debug)]
pub(super) struct RemarkFilter {
    sidecar: Arc<Sidecar>,
    /// For every step, its alternatives, and for each of these the tests that must all pass
    /// somewhere in the game. Steps without tests are left out.
    steps: Vec<Vec<Vec<Wanted>>>,
    /// Whether nothing else is asked, so that games can be certain.
    pub(super) decides: bool,
}

/// A test, and what it asks of the rounded numbers.
#[derive(Debug)]
struct Wanted {
    test: RemarkTest,
    buckets: Buckets,
}

/// What the buckets of numbers say about a test.
#[derive(Debug, Clone, Copy)]
struct Buckets {
    /// The topic whose buckets are compared.
    topic: Topic,
    /// A number in these buckets may pass.
    may: [u16; 2],
    /// A number in these buckets passes; empty if the first is greater.
    passes: [u16; 2],
    /// The same for tests that numbers outside a range pass: numbers up to the first bucket, and
    /// from the second on.
    outside: bool,
}

impl RemarkFilter {
    /// Prepares a filter. Returns `None` if the sidecar says nothing about the automaton.
    pub(super) fn new(automaton: &Automaton, sidecar: &Arc<Sidecar>) -> Option<RemarkFilter> {
        if !sidecar.has_remarks() {
            return None;
        }
        let tests = |pattern: &Pattern| -> Vec<Wanted> {
            let terms = pattern.terms.iter().filter(|term| !term.negated);
            let told = terms.filter_map(|term| match term.test {
                Test::Remark(test) => Some(Wanted {
                    test,
                    buckets: Buckets::of(&test),
                }),
                _ => None,
            });
            told.collect()
        };
        let steps = automaton.steps.iter();
        let steps = steps.map(|step| step.outlines().map(tests).collect::<Vec<_>>());
        let steps: Vec<_> = steps
            .filter(|step| !step.iter().any(Vec::is_empty))
            .collect();
        (!steps.is_empty()).then(|| RemarkFilter {
            sidecar: Arc::clone(sidecar),
            steps,
            decides: is_all(automaton),
        })
    }

    /// Returns the bounds for the main lines of a block; `None` if nothing is known.
    pub(super) fn bounds(&self, block: usize) -> Option<BlockBounds> {
        let mut bounds: Option<[BlockGames; 2]> = None;
        for step in &self.steps {
            let mut of_step = [BlockGames::NONE, BlockGames::NONE];
            for tests in step {
                for (sum, of_tests) in of_step.iter_mut().zip(self.all(block, tests)?) {
                    *sum = std::mem::replace(sum, BlockGames::NONE).or(of_tests);
                }
            }
            bounds = Some(match bounds {
                None => of_step,
                Some(before) => both(before, of_step),
            });
        }
        let [possible, certain] = bounds?;
        Some(BlockBounds {
            possible,
            certain: if self.decides {
                certain
            } else {
                BlockGames::NONE
            },
        })
    }

    /// Returns the games in which each of some tests may pass, and those in which it does.
    fn all(&self, block: usize, tests: &[Wanted]) -> Option<[BlockGames; 2]> {
        let of_test = |told: &Wanted| {
            let extremes = self.sidecar.extremes(block, told.buckets.topic)?;
            Some(told.buckets.games(extremes))
        };
        let mut all = tests.iter().map(of_test);
        let first = all.next()??;
        all.try_fold(first, |before, next| Some(both(before, next?)))
    }

    /// Returns the ply at which a game is certain to match.
    pub(super) fn found_at(&self, game: u32) -> Option<u32> {
        let mut told = ToldMoves::default();
        let [step] = self.steps.as_slice() else {
            return None;
        };
        self.sidecar
            .told(game, &mut told)
            .filter(|()| self.decides)?;
        let mut tests = step.iter().flatten();
        let passes = |told| tests.any(|wanted| wanted.test.holds(told));
        let at = told.moves().iter().position(passes)?;
        u32::try_from(at + 1).ok()
    }
}

/// Returns whether an automaton asks only for a move that passes one test, or one of some.
fn is_all(automaton: &Automaton) -> bool {
    let is_test = |pattern: &Pattern| {
        let terms = pattern.terms.as_slice();
        matches!(terms, [term] if !term.negated && matches!(term.test, Test::Remark(_)))
    };
    let boards = automaton.of_boards();
    let of_boards = boards.steps.iter().flat_map(|step| &step.alternatives);
    let step = automaton.single().filter(|step| step.consecutive == 1);
    automaton.goal == Goal::First
        && step.is_some_and(|step| step.shifted.is_empty() && step.alternatives.iter().all(is_test))
        && of_boards.into_iter().all(Pattern::is_everywhere)
}

fn both(before: [BlockGames; 2], next: [BlockGames; 2]) -> [BlockGames; 2] {
    let [possible, certain] = before;
    let [also_possible, also_certain] = next;
    [possible.and(also_possible), certain.and(also_certain)]
}

impl Buckets {
    fn of(test: &RemarkTest) -> Buckets {
        let (topic, bucket): (_, fn(i32) -> u16) = match test.topic {
            Topic::Clock | Topic::Spent => (test.topic, bucket_of_time),
            Topic::Eval => (Topic::Eval, bucket_of_eval),
            // They follow from evaluations.
            Topic::Swing | Topic::Judgement => {
                return Buckets {
                    topic: Topic::Eval,
                    may: [BUCKETS.start, BUCKETS.end - 1],
                    passes: [1, 0],
                    outside: false,
                };
            }
        };
        let [low, high] = [test.low, test.high].map(bucket);
        // The buckets of the nearest numbers that do not belong to the range; those beyond all
        // buckets if there are none.
        let below = test.low.checked_sub(1).map_or(BUCKETS.start - 1, bucket);
        let above = test.high.checked_add(1).map_or(BUCKETS.end, bucket);
        if test.outside {
            Buckets {
                topic,
                may: [below, above],
                passes: [low - 1, high + 1],
                outside: true,
            }
        } else {
            Buckets {
                topic,
                may: [low, high],
                passes: [below + 1, above - 1],
                outside: false,
            }
        }
    }

    /// Returns, of the games of a block, those with a number that may pass, and those with one that
    /// does.
    fn games(self, extremes: Extremes<'_>) -> [BlockGames; 2] {
        let [least, greatest] = extremes;
        let [mut possible, mut certain] = [0, 0].map(|_| Box::new([0; BLOCK_WORDS]));
        let words = possible.iter_mut().zip(certain.iter_mut());
        let buckets = least.chunks(64).zip(greatest.chunks(64));
        for ((possible, certain), (least, greatest)) in words.zip(buckets) {
            for (lane, (least, greatest)) in least.iter().zip(greatest).enumerate() {
                let (least, greatest) = (least.get(), greatest.get());
                let [may, passes] = if self.outside {
                    [self.may, self.passes].map(|[low, high]| {
                        (least <= low) & (least >= BUCKETS.start)
                            | (greatest >= high) & (greatest < BUCKETS.end)
                    })
                } else {
                    let [low, high] = self.may;
                    let within = |bucket| {
                        let [low, high] = self.passes;
                        (low <= bucket) & (bucket <= high)
                    };
                    let may = (greatest >= low) & (least <= high);
                    [may, within(least) | within(greatest)]
                };
                let is_any = (least < BUCKETS.start) & (greatest == BUCKETS.end);
                *possible |= u64::from(may | is_any) << lane;
                *certain |= u64::from(passes) << lane;
            }
        }
        [BlockGames::Many(possible), BlockGames::Many(certain)]
    }
}
