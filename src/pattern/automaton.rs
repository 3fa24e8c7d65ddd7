//! Patterns over time: alternatives, consecutive positions, sequences.

use tabiya_chess::{
    EngineEval, Flow, Follow, GameResult, Placed, Rewind, Start, follow::break_if,
    requirements::KingPlaces,
};

use super::{Ahead, Boards, Finder, Pattern, Test, Told, boards::LastPly, element::PatternStep};

/// Patterns that positions must match in this order.
#[derive(Debug, Clone)]
pub(crate) struct Automaton {
    pub(crate) steps: Vec<PatternStep>,
    pub(crate) goal: Goal,
}

/// What is asked of the positions at which the last step is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Goal {
    /// There is one; the first is found.
    First,
    /// The final position is one.
    Last,
    /// Their number is in this range, ends included, or outside of it.
    Number { low: i32, high: i32, outside: bool },
}

impl Automaton {
    /// Returns the only step, if there is exactly one.
    pub(crate) fn single(&self) -> Option<&PatternStep> {
        match self.steps.as_slice() {
            [step] => Some(step),
            _ => None,
        }
    }

    /// Returns whether only the final position counts.
    fn is_about_one_end(&self) -> bool {
        let step = self.single().filter(|_| self.goal == Goal::Last);
        step.is_some_and(|step| step.consecutive == 1)
    }

    /// Returns where the last step requires the kings; `None` if the standard start satisfies it.
    pub(crate) fn kings(&self) -> Option<KingPlaces> {
        let home: [u64; 2] = [1 << 4, 1 << 60];
        let at_home = |kings: &[u64; 2]| (0..2).all(|side| kings[side] & home[side] != 0);
        let outlines = self.steps.last()?.outlines();
        let places: Vec<[u64; 2]> = outlines.map(Pattern::kings).collect();
        (!places.iter().any(at_home)).then_some(KingPlaces(places))
    }

    /// Returns whether some term is about engine data.
    pub(crate) fn is_about_engine_data(&self) -> bool {
        self.has_term(Test::is_engine_data)
    }

    /// Returns whether some term is about the comments of moves.
    pub(crate) fn is_about_remarks(&self) -> bool {
        self.has_term(Test::is_remark)
    }

    /// Returns whether a match requires engine data.
    pub(crate) fn needs_engine_data(&self) -> bool {
        self.needs(Test::is_engine_data)
    }

    /// Returns whether a match requires a move with a comment.
    pub(crate) fn needs_remarks(&self) -> bool {
        self.needs(Test::is_remark)
    }

    /// Returns whether a match requires that a test passes which passes `is`.
    fn needs(&self, is: impl Fn(&Test) -> bool) -> bool {
        let needs = |pattern: &Pattern| {
            let mut terms = pattern.terms.iter();
            terms.any(|term| term.needs(&is))
        };
        let mut steps = self.steps.iter();
        steps.any(|step| step.outlines().all(needs))
    }

    /// Returns whether a game whose moves have these comments can match. A necessary condition
    /// only.
    pub(crate) fn admits(&self, remarks: &[Told]) -> bool {
        // The number of matches may be 0.
        if let Goal::Number { .. } = self.goal {
            return true;
        }
        let of_start = Told::default();
        let may_match = |pattern: &Pattern| {
            pattern.admits(&of_start) || remarks.iter().any(|remark| pattern.admits(remark))
        };
        let mut steps = self.steps.iter();
        steps.all(|step| step.outlines().any(may_match))
    }

    /// Returns whether some term is about more than the positions up to the one it is asked of.
    pub(crate) fn is_beside_boards(&self) -> bool {
        self.has_term(Test::is_beside_boards)
    }

    /// Returns whether some term is about what follows on the line.
    pub(crate) fn looks_ahead(&self) -> bool {
        self.has_term(Test::looks_ahead)
    }

    /// Returns whether it asks what a move gives that the next ones do not win back.
    pub(crate) fn weighs_sacrifices(&self) -> bool {
        self.has_term(|test| matches!(test, Test::Sacrifice { .. }))
    }

    /// Returns whether lines must be followed to their ends, or beyond the positions in question.
    pub(crate) fn needs_whole_lines(&self) -> bool {
        self.goal != Goal::First || self.looks_ahead()
    }

    /// Returns whether playing one position after the other, up to a match, does not answer it.
    pub(crate) fn asks_beyond_positions(&self) -> bool {
        self.needs_whole_lines() || self.is_about_remarks()
    }

    /// Returns the results with which a game may match: bit [`GameResult`].
    pub(crate) fn results(&self) -> u8 {
        let of_pattern = |pattern: &Pattern| {
            let terms = pattern.terms.iter();
            terms.fold(u8::MAX, |all, term| all & term.results())
        };
        let of_step =
            |step: &PatternStep| step.outlines().map(of_pattern).fold(0, |any, of| any | of);
        self.steps
            .iter()
            .map(of_step)
            .fold(u8::MAX, |all, of| all & of)
    }

    /// Returns the automaton without the terms about more than that. Every game that matches the
    /// whole also matches this.
    pub(crate) fn of_boards(&self) -> Automaton {
        let mut automaton = self.clone();
        let patterns = automaton
            .steps
            .iter_mut()
            .flat_map(|step| &mut step.alternatives);
        for pattern in patterns {
            pattern
                .terms
                .retain(|term| !term.any(&Test::is_beside_boards));
        }
        automaton.goal = match automaton.goal {
            // More positions match without the terms, so only a least number remains.
            Goal::Number { low, high, outside } => Goal::Number {
                low: match (outside, low <= 0) {
                    (false, _) => low,
                    (true, true) => high.saturating_add(1),
                    (true, false) => 0,
                },
                high: i32::MAX,
                outside: false,
            },
            goal => goal,
        };
        automaton
    }

    /// Returns what a condition on the final position asks of its men, side to move and ply, and
    /// whether it asks nothing else. Returns `None` if it is not about the final position, or asks
    /// nothing of these.
    pub(crate) fn of_end(&self) -> Option<(PatternStep, bool)> {
        let is_other = |test: &Test| !test.is_about_placement();
        let mut step = self.single().filter(|_| self.goal == Goal::Last)?.clone();
        for pattern in &mut step.alternatives {
            pattern.terms.retain(|term| !term.any(&is_other));
        }
        let excludes = !step.alternatives.iter().any(Pattern::is_everywhere);
        let is_all = self.is_about_one_end() && !self.has_term(is_other);
        excludes.then_some((step, is_all))
    }

    /// Returns whether some test passes `is`.
    fn has_term(&self, is: impl Fn(&Test) -> bool) -> bool {
        let patterns = self.steps.iter().flat_map(|step| &step.alternatives);
        let mut terms = patterns.flat_map(|pattern| &pattern.terms);
        terms.any(|term| term.any(&is))
    }
}

/// The state of a run of an automaton.
#[derive(Debug, Clone)]
pub(crate) struct Progress {
    /// By alternative, all steps in a row: the length of its present run.
    runs: Vec<u32>,
    /// By step: the ply at which all steps up to it were first complete.
    complete: Vec<Option<u32>>,
    /// By step: the plies at which all steps up to it were complete, as far back as the next step
    /// can have begun, if that must follow immediately. Otherwise empty.
    completions: Vec<Vec<u32>>,
    /// The first step that is not complete for good.
    settled: usize,
    /// Whether neither this step nor any after it is in progress: only this one can match next.
    is_idle: bool,
    /// The number of positions at which the last step was complete.
    count: i32,
}

/// Runs an automaton over a game.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    automaton: &'a Automaton,
    standard: Boards,
    boards: Boards,
    progress: Progress,
    /// The ply of the match, once there was one.
    found: Option<u32>,
    /// Whether the last step is complete at the present position.
    is_complete: bool,
    /// If only the final position is tested: what the present ply has changed.
    awaits_end: Option<LastPly>,
    /// The lowest of the last plies of all patterns.
    last_ply: u32,
    /// Whether a man that leaves can put a pattern out of reach.
    needs_men: bool,
    /// Whether a pawn that moves can put a pattern out of reach.
    needs_pawns: bool,
    /// See [`Finder::look_in_all_lines`].
    all_lines: bool,
}

impl<'a> Run<'a> {
    /// Prepares a run.
    pub(crate) fn new(automaton: &'a Automaton) -> Run<'a> {
        let mut standard = Boards::standard();
        if automaton.has_term(Test::is_about_castling) {
            standard.track_castling();
        }
        let mut boards = standard.clone();
        if automaton.has_term(Test::is_about_last_move) {
            boards.keep_last_move();
        }
        if automaton.has_term(Test::is_about_history) {
            boards.keep_history();
        }
        if automaton.is_about_engine_data() {
            boards.keep_engine_data();
        }
        let steps = &automaton.steps;
        let patterns = || steps.iter().flat_map(PatternStep::outlines);
        let alternatives = steps.iter().map(|step| step.alternatives.len());
        Run {
            automaton,
            standard,
            boards,
            progress: Progress {
                runs: vec![0; alternatives.sum()],
                complete: vec![None; steps.len()],
                completions: vec![Vec::new(); steps.len()],
                settled: 0,
                is_idle: true,
                count: 0,
            },
            found: None,
            is_complete: false,
            awaits_end: automaton.is_about_one_end().then(LastPly::default),
            last_ply: patterns().map(|pattern| pattern.plies.1).min().unwrap_or(0),
            needs_men: patterns().any(Pattern::needs_men),
            needs_pawns: patterns().any(Pattern::needs_pawns),
            all_lines: false,
        }
    }

    /// Sets the result of the games that follow.
    pub(crate) fn set_result(&mut self, result: GameResult) {
        self.boards.set_result(result);
    }

    /// Returns the automaton.
    pub(crate) fn automaton(&self) -> &'a Automaton {
        self.automaton
    }

    fn reset(&mut self) {
        self.progress.runs.fill(0);
        self.progress.complete.fill(None);
        self.progress.completions.iter_mut().for_each(Vec::clear);
        (self.progress.settled, self.progress.is_idle) = (0, true);
        self.progress.count = 0;
        (self.found, self.is_complete) = (None, false);
    }

    /// Tests the final position, if no other one is asked for. To be called at the end of a main
    /// line, before [`found`](Finder::found).
    pub(crate) fn end_line(&mut self) {
        if let Some(ply) = self.awaits_end {
            self.boards.return_to(ply);
            // Nothing follows that it could break off.
            let _ = self.test();
        }
    }

    /// Tests the present position, unless only the final one is asked for. Returns `Break` when the
    /// result is decided.
    #[inline]
    fn look(&mut self) -> Flow {
        let flow = match &mut self.awaits_end {
            None => self.test(),
            Some(ply) => {
                *ply = self.boards.last_ply();
                Flow::Continue(())
            }
        };
        self.boards.begin_ply();
        flow
    }

    /// Tests the present position. Returns `Break` when the result is decided.
    #[inline]
    fn test(&mut self) -> Flow {
        let found = match self.automaton.steps.as_slice() {
            [step] if step.consecutive == 1 => step.matches(&self.boards),
            [step] => self.prolong(step),
            // A piece path with only open squares has no steps.
            [] => false,
            steps => {
                let next = &steps[self.progress.settled];
                let is_out = self.progress.is_idle && !next.matches(&self.boards);
                !is_out && self.advance()
            }
        };
        match self.automaton.goal {
            Goal::First if found => {
                self.found = Some(self.boards.ply);
                return Flow::Break(());
            }
            Goal::First => {}
            goal => return self.look_on(goal, found),
        }
        if self.all_lines {
            return Flow::Continue(());
        }
        // Only permanent changes and time can put a match out of reach.
        let has_changed =
            self.needs_men && self.boards.men_changed || self.needs_pawns && self.boards.pawn_moved;
        if has_changed || self.boards.ply >= self.last_ply {
            (self.boards.men_changed, self.boards.pawn_moved) = (false, false);
            if !self.is_within_reach() {
                return Flow::Break(());
            }
        }
        Flow::Continue(())
    }

    /// Notes whether the last step is complete at the present position, for other goals than the
    /// first such position.
    #[inline(never)]
    fn look_on(&mut self, goal: Goal, is_complete: bool) -> Flow {
        self.is_complete = is_complete;
        let Goal::Number { low, high, outside } = goal else {
            return Flow::Continue(());
        };
        let count = &mut self.progress.count;
        *count += i32::from(is_complete);
        if is_complete && *count == low {
            self.found = Some(self.boards.ply);
        }
        // From here on it can only grow.
        let has_all = high == i32::MAX && *count >= low;
        break_if(!outside && (has_all || *count > high))
    }

    /// Advances the runs of the only step by one position. Returns whether one is complete.
    #[inline]
    fn prolong(&mut self, step: &PatternStep) -> bool {
        let mut is_complete = false;
        let candidates = step.candidates(&self.boards);
        let alternatives = step.alternatives.iter().zip(&mut self.progress.runs);
        for (number, (pattern, run)) in alternatives.enumerate() {
            let matches = candidates.has(number) && pattern.matches(&self.boards);
            *run = if matches { *run + 1 } else { 0 };
            is_complete |= *run >= step.consecutive;
        }
        is_complete
    }

    /// Advances all steps by one position. Returns whether the last is complete.
    ///
    /// Later steps first: a step must not follow from what this same position completes.
    fn advance(&mut self) -> bool {
        let (steps, ply) = (&self.automaton.steps, self.boards.ply);
        let Progress {
            runs,
            complete,
            completions,
            settled,
            is_idle,
            ..
        } = &mut self.progress;
        let mut slot = runs.len();
        let mut now_complete = false;
        for (index, step) in steps.iter().enumerate().rev() {
            slot -= step.alternatives.len();
            let next = steps.get(index + 1);
            if complete[index].is_some() && next.is_some_and(|next| !next.immediately) {
                // The next step only requires that it was complete once.
                continue;
            }
            // Whether the previous steps were complete this many plies ago.
            let complete_before = |plies: u32| match (index.checked_sub(1), step.immediately) {
                (None, _) => true,
                (Some(before), false) => complete[before].is_some(),
                (Some(before), true) => ply
                    .checked_sub(plies)
                    .is_some_and(|then| completions[before].contains(&then)),
            };
            let mut step_complete = false;
            let candidates = step.candidates(&self.boards);
            for (offset, pattern) in step.alternatives.iter().enumerate() {
                let run = &mut runs[slot + offset];
                let goes_on = (*run > 0 || complete_before(1))
                    && candidates.has(offset)
                    && pattern.matches(&self.boards);
                *run = if goes_on { *run + 1 } else { 0 };
                step_complete |= *run >= step.consecutive && complete_before(step.consecutive);
            }
            if step_complete {
                complete[index].get_or_insert(ply);
                if let Some(next) = next.filter(|next| next.immediately) {
                    completions[index].retain(|then| then.saturating_add(next.consecutive) > ply);
                    completions[index].push(ply);
                }
            }
            if index + 1 == steps.len() {
                now_complete = step_complete;
            }
        }
        let is_past = |index: usize| match steps.get(index + 1) {
            Some(next) if next.immediately => completions[index]
                .iter()
                .all(|then| then.saturating_add(next.consecutive) <= ply),
            _ => complete[index].is_none(),
        };
        let is_complete_for_good = |index: usize| {
            let next = steps.get(index + 1);
            complete[index].is_some() && next.is_some_and(|next| !next.immediately)
        };
        while is_complete_for_good(*settled) {
            *settled += 1;
        }
        let alternatives = |step: &PatternStep| step.alternatives.len();
        let slot = steps[..*settled].iter().map(alternatives).sum();
        *is_idle = runs[slot..].iter().all(|&run| run == 0) && (*settled..steps.len()).all(is_past);
        now_complete
    }

    /// Returns whether every incomplete step can still occur. Necessary conditions only.
    #[inline(never)]
    fn is_within_reach(&self) -> bool {
        let mut steps = self.automaton.steps.iter().zip(&self.progress.complete);
        steps.all(|(step, complete)| {
            complete.is_some()
                || step
                    .outlines()
                    .any(|pattern| pattern.is_within_reach(&self.boards))
        })
    }
}

impl Follow for Run<'_> {
    fn reset(&mut self) {
        self.progress.count = 0;
        (self.found, self.is_complete) = (None, false);
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.reset();
        match start {
            Start::Standard => self.boards.restart(&self.standard),
            Start::Custom(setup) => self.boards.restart(&Boards::with_castling(setup)),
        }
        self.look()
    }

    #[inline]
    fn moved(&mut self, from: Placed, to: Placed) {
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
    fn evaluation(&mut self, eval: Option<EngineEval<'_>>) {
        self.boards.evaluation(eval);
    }

    #[inline]
    fn ply_done(&mut self) -> Flow {
        self.boards.pass();
        self.look()
    }
}

impl Rewind for Run<'_> {
    type Snapshot = (Boards, Progress);

    fn snapshot(&self) -> Self::Snapshot {
        (self.boards.clone(), self.progress.clone())
    }

    fn restore(&mut self, snapshot: &Self::Snapshot) {
        let (boards, progress) = snapshot;
        self.boards.clone_from(boards);
        self.progress.runs.clone_from(&progress.runs);
        self.progress.complete.clone_from(&progress.complete);
        self.progress.completions.clone_from(&progress.completions);
        (self.progress.settled, self.progress.is_idle) = (progress.settled, progress.is_idle);
        self.progress.count = progress.count;
    }
}

impl Finder for Run<'_> {
    fn found(&self) -> Option<u32> {
        let now = self.boards.ply;
        match self.automaton.goal {
            Goal::First => self.found,
            Goal::Last => self.is_complete.then_some(now),
            // Only of `>=` is there a place; others are true of the whole line.
            Goal::Number { low, high, outside } => {
                let holds = (low..=high).contains(&self.progress.count) != outside;
                holds.then(|| self.found.unwrap_or(now))
            }
        }
    }

    fn look_ahead(&mut self, ahead: Ahead) {
        self.boards.look_ahead(ahead);
    }

    fn look_in_all_lines(&mut self, all_lines: bool) {
        self.all_lines = all_lines;
    }

    fn note(&mut self, told: Told) {
        self.boards.note(told);
    }
}
