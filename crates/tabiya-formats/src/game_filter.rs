//! Leaves parts of games out on their way to an encoder.

use shakmaty::Move;
use tabiya_chess::{Flow, Start};

use super::game::Visitor;

/// The parts of games that are left out on purpose.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Omit {
    /// Whether comments are left out.
    pub comments: bool,
    /// Whether variations are left out.
    pub variations: bool,
}

/// Passes the events of a game on, except those of the parts that are left out.
#[allow(missing_debug_implementations, reason = "holds any visitor")]
pub struct GameFilter<'v, V: ?Sized> {
    visitor: &'v mut V,
    leave: Omit,
    /// Tags that are told instead of others of the same names; without a value, none is told.
    tags: &'v [(String, Option<String>)],
    /// Depth of the present variation, if variations are left out.
    depth: u32,
}

impl<'v, V: Visitor + ?Sized> GameFilter<'v, V> {
    /// Creates a filter before a visitor.
    pub fn new(visitor: &'v mut V, leave: Omit) -> GameFilter<'v, V> {
        GameFilter {
            visitor,
            leave,
            tags: &[],
            depth: 0,
        }
    }

    /// Tells these tags instead of others of the same names; of one without a value none.
    pub fn with_tags(self, tags: &'v [(String, Option<String>)]) -> GameFilter<'v, V> {
        GameFilter { tags, ..self }
    }

    fn pass(&mut self, tell: impl FnOnce(&mut V) -> Flow) -> Flow {
        if self.depth == 0 {
            tell(self.visitor)
        } else {
            Flow::Continue(())
        }
    }
}

impl<V: Visitor + ?Sized> Visitor for GameFilter<'_, V> {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        if self.tags.iter().any(|(other, _)| other == name) {
            return Flow::Continue(());
        }
        self.visitor.tag(name, value)
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        for (name, value) in self.tags {
            if let Some(value) = value {
                self.visitor.tag(name, value)?;
            }
        }
        self.visitor.start(start)
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        self.pass(|visitor| visitor.play(played))
    }

    fn nag(&mut self, nag: u8) -> Flow {
        self.pass(|visitor| visitor.nag(nag))
    }

    fn void_nag(&mut self) -> Flow {
        self.pass(|visitor| visitor.void_nag())
    }

    fn comment(&mut self, text: &str) -> Flow {
        if self.leave.comments {
            return Flow::Continue(());
        }
        self.pass(|visitor| visitor.comment(text))
    }

    fn guiding_text(&mut self, title: &[u8], body: &[u8]) -> Flow {
        if self.leave.comments {
            return Flow::Continue(());
        }
        self.visitor.guiding_text(title, body)
    }

    fn annotation(&mut self, kind: u8, data: &[u8], told: &str) -> Flow {
        if self.leave.comments {
            return Flow::Continue(());
        }
        self.pass(|visitor| visitor.annotation(kind, data, told))
    }

    fn begin_variation(&mut self) -> Flow {
        self.depth += u32::from(self.leave.variations);
        self.pass(|visitor| visitor.begin_variation())
    }

    fn end_variation(&mut self) -> Flow {
        let flow = self.pass(|visitor| visitor.end_variation());
        self.depth = self.depth.saturating_sub(self.leave.variations.into());
        flow
    }
}
