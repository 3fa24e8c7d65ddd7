//! Adapters from a reader's events to a follower.

use shakmaty::{Color, Move};
use tabiya_chess::{Flow, Follow, Rewind, Start, follow::make};

use crate::Visitor;

/// Passes the main line to a follower and skips variations.
pub(crate) struct MainLine<'f, F> {
    follow: &'f mut F,
    turn: Color,
    /// Number of open variations.
    depth: usize,
    /// Half-moves so far.
    pub(crate) plies: u32,
}

impl<F: Follow> MainLine<'_, F> {
    pub(crate) fn new(follow: &mut F) -> MainLine<'_, F> {
        MainLine {
            follow,
            turn: Color::White,
            depth: 0,
            plies: 0,
        }
    }
}

impl<F: Follow> Visitor for MainLine<'_, F> {
    fn start(&mut self, start: Start<'_>) -> Flow {
        self.turn = turn_at(start);
        self.follow.start(start)
    }

    #[inline]
    fn play(&mut self, played: Option<Move>) -> Flow {
        if self.depth > 0 {
            return Flow::Continue(());
        }
        self.plies = self.plies.saturating_add(1);
        if let Some(played) = played {
            make(played, self.turn, self.follow);
        }
        self.turn = self.turn.other();
        self.follow.ply_done()
    }

    fn begin_variation(&mut self) -> Flow {
        self.depth += 1;
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        self.depth = self.depth.saturating_sub(1);
        Flow::Continue(())
    }
}

/// Passes all lines to a follower, depth first.
pub(crate) struct AllLines<'f, F: Rewind> {
    follow: &'f mut F,
    now: Color,
    /// The position before the line's last move, where its variations begin.
    before: Option<(F::Snapshot, Color)>,
    outer: Vec<Outer<F::Snapshot>>,
}

/// A line to continue after a variation.
struct Outer<S> {
    now: (S, Color),
    before: (S, Color),
}

impl<F: Rewind> AllLines<'_, F> {
    pub(crate) fn new(follow: &mut F) -> AllLines<'_, F> {
        AllLines {
            follow,
            now: Color::White,
            before: None,
            outer: Vec::new(),
        }
    }
}

impl<F: Rewind> Visitor for AllLines<'_, F> {
    fn start(&mut self, start: Start<'_>) -> Flow {
        self.now = turn_at(start);
        self.follow.start(start)
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        self.before = Some((self.follow.snapshot(), self.now));
        if let Some(played) = played {
            make(played, self.now, self.follow);
        }
        self.now = self.now.other();
        self.follow.ply_done()
    }

    fn begin_variation(&mut self) -> Flow {
        // Readers do not begin a variation before the first move of a line.
        let Some(before) = self.before.take() else {
            return Flow::Break(());
        };
        let now = (self.follow.snapshot(), self.now);
        self.follow.restore(&before.0);
        self.now = before.1;
        self.outer.push(Outer { now, before });
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        if let Some(outer) = self.outer.pop() {
            self.follow.restore(&outer.now.0);
            self.now = outer.now.1;
            self.before = Some(outer.before);
        }
        Flow::Continue(())
    }
}

fn turn_at(start: Start<'_>) -> Color {
    match start {
        Start::Standard => Color::White,
        Start::Custom(setup) => setup.turn,
    }
}
