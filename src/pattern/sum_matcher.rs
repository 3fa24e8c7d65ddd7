//! The fast path: follows a game using the sums of a pattern and its mirror images.

use shakmaty::Color;
use tabiya_chess::{Counts, Flow, Follow, Placed, Rewind, Start};

use super::{Finder, sum_weights::SumWeights};

/// Follows a game until its position agrees with one of `N` patterns.
#[derive(Debug)]
pub(crate) struct SumMatcher<'a, const N: usize> {
    weights: [&'a SumWeights; N],
    now: Now<N>,
    /// The ply after which no pattern can match.
    last_ply: u32,
    /// The ply at which the position matched, if it did.
    found: Option<u32>,
    /// See [`Finder::look_in_all_lines`].
    all_lines: bool,
    /// Whether to continue although the patterns can no longer match on this line.
    looks_on: bool,
}

/// The state at the present position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Now<const N: usize> {
    sums: [u64; N],
    counts: Counts,
    turn: Color,
    ply: u32,
}

impl<'a, const N: usize> SumMatcher<'a, N> {
    /// Prepares a run.
    pub(crate) fn new(weights: [&'a SumWeights; N]) -> SumMatcher<'a, N> {
        let last_plies = weights.iter().map(|weights| weights.pattern.plies.1);
        SumMatcher {
            now: Now {
                sums: weights.map(|weights| weights.standard),
                counts: Counts::STANDARD,
                turn: Color::White,
                ply: 0,
            },
            last_ply: last_plies.max().unwrap_or_default(),
            weights,
            found: None,
            all_lines: false,
            looks_on: false,
        }
    }

    /// Tests the present position. Returns `Break` when the result is decided.
    ///
    /// Nearly always no sum matches now and all may match later, which is tested without a branch.
    #[inline(always)]
    fn test(&mut self) -> Flow {
        let (mut agrees, mut goes_on) = (false, false);
        for (weights, sum) in self.weights.iter().zip(self.now.sums) {
            let counts = &weights.pattern.counts;
            agrees |= weights.match_at(sum) & counts.contains(self.now.counts);
            goes_on |= weights.may_match_after(sum) & counts.is_reached_by(self.now.counts);
        }
        if agrees | !goes_on | (self.now.ply >= self.last_ply) {
            return self.settle();
        }
        Flow::Continue(())
    }

    /// Decides a position that the fast test has flagged.
    #[inline(never)]
    fn settle(&mut self) -> Flow {
        let now = &self.now;
        let agrees = |(weights, sum): (&&SumWeights, u64)| {
            let pattern = &weights.pattern;
            weights.match_at(sum)
                && pattern.counts.contains(now.counts)
                && pattern.turn.is_none_or(|turn| turn == now.turn)
                && (pattern.plies.0..=pattern.plies.1).contains(&now.ply)
                && !pattern.impossible
        };
        if self.weights.iter().zip(now.sums).any(agrees) {
            self.found = Some(now.ply);
            return Flow::Break(());
        }
        let may_agree_later = |(weights, sum): (&&SumWeights, u64)| {
            weights.may_match_after(sum)
                && now.ply < weights.pattern.plies.1
                && weights.pattern.counts.is_within_reach(now.counts)
        };
        if self.looks_on || self.weights.iter().zip(now.sums).any(may_agree_later) {
            Flow::Continue(())
        } else {
            Flow::Break(())
        }
    }

    #[inline(always)]
    fn change(&mut self, change: impl Fn(&SumWeights, u64) -> u64) {
        for (weights, sum) in self.weights.iter().zip(&mut self.now.sums) {
            *sum = change(weights, *sum);
        }
    }
}

impl<const N: usize> Follow for SumMatcher<'_, N> {
    #[inline]
    fn reset(&mut self) {
        self.found = None;
    }

    #[inline]
    fn start(&mut self, start: Start<'_>) -> Flow {
        self.found = None;
        self.looks_on = self.all_lines;
        self.now = match start {
            Start::Standard => Now {
                sums: self.weights.map(|weights| weights.standard),
                counts: Counts::STANDARD,
                turn: Color::White,
                ply: 0,
            },
            Start::Custom(setup) => {
                // Conclusions from stray pawns assume at most eight pawns.
                let pawns = |color| setup.board.pawns() & setup.board.by_color(color);
                self.looks_on |= Color::ALL.into_iter().any(|color| pawns(color).count() > 8);
                Now {
                    sums: self.weights.map(|weights| weights.sum(&setup.board)),
                    counts: Counts::of(&setup.board),
                    turn: setup.turn,
                    ply: 0,
                }
            }
        };
        self.test()
    }

    #[inline(always)]
    fn moved(&mut self, from: Placed, to: Placed) {
        self.change(|weights, sum| {
            let sum = sum.wrapping_sub(weights.of(from));
            sum.wrapping_add(weights.of(to))
        });
    }

    #[inline(always)]
    fn remove(&mut self, gone: Placed) {
        self.change(|weights, sum| sum.wrapping_sub(weights.of(gone)));
        self.now.counts.take(gone.man());
    }

    #[inline(always)]
    fn place(&mut self, new: Placed) {
        self.change(|weights, sum| sum.wrapping_add(weights.of(new)));
        self.now.counts.add(new.man());
    }

    #[inline(always)]
    fn ply_done(&mut self) -> Flow {
        self.now.turn = self.now.turn.other();
        self.now.ply += 1;
        self.test()
    }
}

impl<const N: usize> Rewind for SumMatcher<'_, N> {
    type Snapshot = Now<N>;

    fn snapshot(&self) -> Now<N> {
        self.now
    }

    fn restore(&mut self, now: &Now<N>) {
        self.now = *now;
    }
}

impl<const N: usize> Finder for SumMatcher<'_, N> {
    fn found(&self) -> Option<u32> {
        self.found
    }

    fn look_in_all_lines(&mut self, all_lines: bool) {
        self.all_lines = all_lines;
    }
}
