//! From what a reader tells to what a follower follows.

use shakmaty::{Color, Move};

use crate::{
    chess::{Flow, Follow, Rewind, Start, follow::make},
    format::Visitor,
};

/// Tells a follower the main line, and passes over variations.
pub(crate) struct MainLine<'f, F> {
    follow: &'f mut F,
    turn: Color,
    /// Variations around the present place.
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
        self.follow.look()
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

/// Tells a follower all lines, depth first.
pub(crate) struct AllLines<'f, F: Rewind> {
    follow: &'f mut F,
    now: Color,
    /// The position before the line's last move, where variations of it begin.
    before: Option<(F::Snapshot, Color)>,
    outer: Vec<Outer<F::Snapshot>>,
}

/// A line that waits for a variation to end.
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
        self.follow.look()
    }

    fn begin_variation(&mut self) -> Flow {
        // A reader begins none before the first move of a line.
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
