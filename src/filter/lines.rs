//! The stored opening lines that index records refer to by a code, replayed once for all queries.

use shakmaty::{Color, Move};
use tabiya_chess::{
    Flow, Follow, Placed, Start,
    follow::follow_line,
    material::CountRange,
    opening_names::{OpeningNumber, OpeningSeeker},
};

use crate::{
    pattern::{
        Boards, Finder, Pattern,
        automaton::{Automaton, Run},
    },
    sidecar::{RequiredSets, Squares, VisitTracker},
};

/// What a stored line proves about games that begin with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineVerdict {
    /// The game matches, at this ply.
    Found(u8),
    /// Nothing is proved.
    Open,
    /// The game cannot match.
    Never,
}

/// The end of a stored line.
#[derive(Debug)]
pub(super) struct StoredLineEnd {
    /// The number of the line's opening.
    pub(super) opening: OpeningNumber,
    /// The pawns of White and of Black.
    pub(super) pawns: [u64; 2],
    /// The number of men.
    pub(super) men: u32,
}

/// The stored lines of a format, by their codes.
#[derive(Debug)]
pub(crate) struct StoredLines(Vec<StoredLine>);

/// One stored line.
#[derive(Debug)]
struct StoredLine {
    moves: &'static [Move],
    /// The squares that men visit in it.
    squares: Squares,
    /// Its last position.
    end: Boards,
}

impl StoredLines {
    /// Replays all lines, about two thousand plies. A code without a line means the empty line.
    pub(crate) fn new(stored_line: impl Fn(u8) -> Option<&'static [Move]>) -> StoredLines {
        let line = |code| StoredLine::new(stored_line(code).unwrap_or_default());
        StoredLines((0..=255).map(line).collect())
    }

    /// Returns the ends of all lines, by their codes.
    pub(super) fn ends(&self) -> impl Iterator<Item = StoredLineEnd> {
        let mut seeker = OpeningSeeker::at_start();
        self.0.iter().map(move |line| {
            // It may stop early; then no other named position follows.
            let _ = follow_line(line.moves, &mut seeker);
            StoredLineEnd {
                opening: seeker.number(),
                pawns: Color::ALL.map(|color| line.end.pawns(color)),
                men: line.end.counts.men().into(),
            }
        })
    }

    /// Returns what each line proves, by its code.
    pub(super) fn verdicts(&self, automaton: &Automaton) -> Box<[LineVerdict; 256]> {
        let mut verdicts = Box::new([LineVerdict::Open; 256]);
        let mut run = Run::new(automaton);
        let single = automaton.single().filter(|step| step.consecutive == 1);
        let checks: Option<Vec<LinePrecheck<'_>>> =
            single.map(|step| step.outlines().map(LinePrecheck::new).collect());
        for (line, verdict) in self.0.iter().zip(verdicts.iter_mut()) {
            *verdict = match &checks {
                Some(checks) if !checks.iter().any(|check| check.may_match(line)) => {
                    if checks.iter().any(|check| check.may_follow(line)) {
                        LineVerdict::Open
                    } else {
                        LineVerdict::Never
                    }
                }
                _ => line.played(&mut run),
            };
        }
        verdicts
    }
}

impl StoredLine {
    fn new(moves: &'static [Move]) -> StoredLine {
        let mut course = AspectTracker {
            trace: VisitTracker::new(),
            end: Boards::standard(),
        };
        // The follower never stops early.
        let _ = follow_line(moves, &mut course);
        StoredLine {
            moves,
            squares: course.trace.squares,
            end: course.end,
        }
    }

    /// Replays the line and returns what it proves.
    fn played(&self, run: &mut Run<'_>) -> LineVerdict {
        let flow = follow_line(self.moves, run);
        match run.found() {
            Some(ply) => u8::try_from(ply).map_or(LineVerdict::Open, LineVerdict::Found),
            None if flow.is_break() => LineVerdict::Never,
            None => LineVerdict::Open,
        }
    }
}

/// What can be concluded about a pattern and a line without replaying the line.
struct LinePrecheck<'p> {
    pattern: &'p Pattern,
    wanted: RequiredSets,
    high: CountRange,
}

impl<'p> LinePrecheck<'p> {
    fn new(pattern: &'p Pattern) -> LinePrecheck<'p> {
        LinePrecheck {
            pattern,
            wanted: RequiredSets::new(pattern),
            high: CountRange {
                high: pattern.counts.high,
                ..CountRange::ANY
            },
        }
    }

    /// Returns whether some position of the line may match. Men must have stood where the pattern
    /// requires them, and there are never fewer men than at the end, since no line has a promotion.
    fn may_match(&self, line: &StoredLine) -> bool {
        !self.pattern.impossible
            && self.wanted.allows(&line.squares)
            && self.high.contains(line.end.counts)
    }

    /// Returns whether some position after the line may match.
    fn may_follow(&self, line: &StoredLine) -> bool {
        self.pattern.is_within_reach(&line.end)
    }
}

/// Follows a line to collect its visited squares and its last position.
struct AspectTracker {
    trace: VisitTracker,
    end: Boards,
}

impl Follow for AspectTracker {
    fn reset(&mut self) {
        self.trace.reset();
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.trace.start(start)
    }

    fn moved(&mut self, from: Placed, to: Placed) {
        self.trace.moved(from, to);
        self.end.shift(from, to);
    }

    fn remove(&mut self, gone: Placed) {
        self.trace.remove(gone);
        self.end.remove(gone);
    }

    fn place(&mut self, new: Placed) {
        self.trace.place(new);
        self.end.place(new);
    }

    fn ply_done(&mut self) -> Flow {
        self.end.pass();
        self.end.begin_ply();
        Flow::Continue(())
    }
}
