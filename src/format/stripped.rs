//! Leaves out comments or variations on purpose.

use shakmaty::Move;

use super::game::Visitor;
use crate::chess::{Flow, Start};

/// What is left out of every game.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Without {
    pub(crate) comments: bool,
    pub(crate) variations: bool,
}

/// Passes a game on without some of its contents.
pub(crate) struct Stripped<'v> {
    to: &'v mut dyn Visitor,
    without: Without,
    /// Number of open variations that are left out.
    depth: usize,
}

impl<'v> Stripped<'v> {
    pub(crate) fn new(to: &'v mut dyn Visitor, without: Without) -> Stripped<'v> {
        Stripped {
            to,
            without,
            depth: 0,
        }
    }

    /// Passes an event on unless it is inside a variation that is left out.
    fn pass(&mut self, event: impl FnOnce(&mut dyn Visitor) -> Flow) -> Flow {
        match self.depth {
            0 => event(self.to),
            _ => Flow::Continue(()),
        }
    }
}

impl Visitor for Stripped<'_> {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        self.to.tag(name, value)
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.to.start(start)
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        self.pass(|to| to.play(played))
    }

    fn nag(&mut self, nag: u8) -> Flow {
        self.pass(|to| to.nag(nag))
    }

    fn void_nag(&mut self) -> Flow {
        self.pass(|to| to.void_nag())
    }

    fn comment(&mut self, text: &str) -> Flow {
        if self.without.comments {
            return Flow::Continue(());
        }
        self.pass(|to| to.comment(text))
    }

    fn begin_variation(&mut self) -> Flow {
        if self.without.variations {
            self.depth += 1;
            return Flow::Continue(());
        }
        self.to.begin_variation()
    }

    fn end_variation(&mut self) -> Flow {
        if self.without.variations {
            self.depth = self.depth.saturating_sub(1);
            return Flow::Continue(());
        }
        self.to.end_variation()
    }
}
