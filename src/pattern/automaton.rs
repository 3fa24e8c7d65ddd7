//! Patterns over time: alternatives, consecutive positions, sequences.

use super::{Boards, Finder, Pattern, Term, Test};
use crate::chess::{Flow, Follow, Placed, Start};

/// Patterns that positions must match one after the other.
#[derive(Debug, Clone)]
pub(crate) struct Automaton {
    pub(crate) steps: Vec<PatternStep>,
}

/// One element of a sequence.
#[derive(Debug, Clone)]
pub(crate) struct PatternStep {
    /// Any of these must match: a pattern and its mirror images. A run of consecutive
    /// positions must match one and the same of them.
    pub(crate) alternatives: Vec<Pattern>,
    /// In this many consecutive positions, at least 1.
    pub(crate) consecutive: u32,
    /// Whether the run must begin right after the step before is complete.
    pub(crate) immediately: bool,
}

impl Automaton {
    /// Returns the only step, if there is just one.
    pub(crate) fn single(&self) -> Option<&PatternStep> {
        match self.steps.as_slice() {
            [step] => Some(step),
            _ => None,
        }
    }

    /// Tells whether some term is of the kind that `is` names.
    fn has_term(&self, is: impl Fn(&Test) -> bool) -> bool {
        fn any(terms: &[Term], is: &impl Fn(&Test) -> bool) -> bool {
            terms.iter().any(|term| match &term.test {
                Test::Group(terms) => any(terms, is),
                test => is(test),
            })
        }
        let mut patterns = self.steps.iter().flat_map(|step| &step.alternatives);
        patterns.any(|pattern| any(&pattern.terms, &is))
    }
}

/// Where a run of an automaton stands.
#[derive(Debug, Clone)]
struct Progress {
    /// By alternative, all steps in a row: how long its present run is.
    runs: Vec<u32>,
    /// By step: the ply at which all steps up to it were first complete.
    complete: Vec<Option<u32>>,
    /// By step: whether all steps up to it were complete at the position before.
    just_complete: Vec<bool>,
}

/// Runs an automaton over a game.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    automaton: &'a Automaton,
    /// The alternatives, if there is one step and one position is enough.
    simple: Option<&'a [Pattern]>,
    standard: Boards,
    boards: Boards,
    progress: Progress,
    /// The ply at which the last step was complete, once it was.
    found: Option<u32>,
    /// The lowest of the plies after which some pattern cannot match any more.
    last_ply: u32,
    /// Whether to keep looking in positions that cannot lead to a match on this line, because
    /// another line might.
    all_lines: bool,
}

impl<'a> Run<'a> {
    /// Prepares a run. `all_lines` when variations are followed: then nothing is concluded
    /// from men that left the board on one line.
    pub(crate) fn new(automaton: &'a Automaton, all_lines: bool) -> Run<'a> {
        let standard = Boards::standard();
        let mut boards = standard.clone();
        if automaton.has_term(|test| matches!(test, Test::Played(_))) {
            boards.keep_last_move();
        }
        // En passant may be the only way out of mate or stalemate.
        let on_rights =
            |test: &Test| matches!(test, Test::Rights { .. } | Test::Mate | Test::Stalemate);
        if automaton.has_term(on_rights) {
            boards.track_rights();
        }
        let alternatives = automaton
            .steps
            .iter()
            .map(|step| step.alternatives.len())
            .sum();
        let simple = automaton.single().filter(|step| step.consecutive == 1);
        Run {
            automaton,
            simple: simple.map(|step| step.alternatives.as_slice()),
            standard,
            boards,
            progress: Progress {
                runs: vec![0; alternatives],
                complete: vec![None; automaton.steps.len()],
                just_complete: vec![false; automaton.steps.len()],
            },
            found: None,
            last_ply: automaton
                .steps
                .iter()
                .flat_map(|step| &step.alternatives)
                .map(|pattern| pattern.plies.1)
                .min()
                .unwrap_or(0),
            all_lines,
        }
    }

    fn reset(&mut self) {
        self.progress.runs.fill(0);
        self.progress.complete.fill(None);
        self.progress.just_complete.fill(false);
        self.found = None;
    }

    /// Looks at a position: `Break` when the matter is settled.
    #[inline]
    fn test(&mut self) -> Flow {
        let found = match self.simple {
            Some(patterns) => patterns.iter().any(|pattern| pattern.matches(&self.boards)),
            None => self.advance(),
        };
        if found {
            self.found = Some(self.boards.ply);
            return Flow::Break(());
        }
        if self.all_lines {
            return Flow::Continue(());
        }
        // Only what has changed for good can put a match out of reach; and time.
        if self.boards.changed_for_good || self.boards.ply >= self.last_ply {
            self.boards.changed_for_good = false;
            if !self.is_within_reach() {
                return Flow::Break(());
            }
        }
        Flow::Continue(())
    }

    /// Advances all steps by one position; tells whether the last is complete.
    ///
    /// Later steps first: a step must not build on what this very position completes.
    fn advance(&mut self) -> bool {
        let steps = &self.automaton.steps;
        let mut slot = self.progress.runs.len();
        let mut now_complete = false;
        for (index, step) in steps.iter().enumerate().rev() {
            slot -= step.alternatives.len();
            let may_begin = match index.checked_sub(1) {
                None => true,
                Some(before) if step.immediately => self.progress.just_complete[before],
                Some(before) => self.progress.complete[before].is_some(),
            };
            let mut complete = false;
            let runs = &mut self.progress.runs[slot..slot + step.alternatives.len()];
            for (pattern, run) in step.alternatives.iter().zip(runs) {
                let goes_on = (*run > 0 || may_begin) && pattern.matches(&self.boards);
                *run = if goes_on { *run + 1 } else { 0 };
                complete |= *run >= step.consecutive;
            }
            self.progress.just_complete[index] = complete;
            if complete {
                self.progress.complete[index].get_or_insert(self.boards.ply);
            }
            if index + 1 == steps.len() {
                now_complete = complete;
            }
        }
        now_complete
    }

    /// Tells whether every step that is still to come can come. Necessary conditions only.
    #[inline]
    fn is_within_reach(&self) -> bool {
        let mut steps = self.automaton.steps.iter().zip(&self.progress.complete);
        steps.all(|(step, complete)| {
            complete.is_some()
                || step
                    .alternatives
                    .iter()
                    .any(|pattern| pattern.is_within_reach(&self.boards))
        })
    }
}

impl Follow for Run<'_> {
    type Snapshot = (Boards, Vec<u32>, Vec<Option<u32>>, Vec<bool>);

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.reset();
        match start {
            Start::Standard => self.boards.restart(&self.standard),
            Start::Custom(setup) => self.boards.restart(&Boards::new(setup)),
        }
        let flow = self.test();
        self.boards.begin_ply();
        flow
    }

    #[inline]
    fn shift(&mut self, from: Placed, to: Placed) {
        self.boards.shift(from, to);
    }

    #[inline]
    fn remove(&mut self, gone: Placed) {
        self.boards.remove(gone);
    }

    #[inline]
    fn place(&mut self, new: Placed) {
        self.boards.place(new);
    }

    #[inline]
    fn look(&mut self) -> Flow {
        self.boards.pass();
        let flow = self.test();
        self.boards.begin_ply();
        flow
    }

    fn snapshot(&self) -> Self::Snapshot {
        (
            self.boards.clone(),
            self.progress.runs.clone(),
            self.progress.complete.clone(),
            self.progress.just_complete.clone(),
        )
    }

    fn restore(&mut self, snapshot: &Self::Snapshot) {
        let (boards, runs, complete, just_complete) = snapshot;
        self.boards.clone_from(boards);
        self.progress.runs.clone_from(runs);
        self.progress.complete.clone_from(complete);
        self.progress.just_complete.clone_from(just_complete);
    }
}

impl Finder for Run<'_> {
    fn found(&self) -> Option<u32> {
        self.found
    }
}
