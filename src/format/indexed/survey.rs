//! What one pass over a game finds out about it.

use shakmaty::{Color, Move};

use crate::{
    chess::{
        Flow, Follow, Start,
        follow::make,
        variant::{Variant, starts_chess960},
    },
    format::{Visitor, check::Annotations, facts::Facts, header::flag},
};

/// A visitor that computes the contents of a record.
#[derive(Debug)]
pub(crate) struct Survey {
    pub(super) facts: Facts,
    pub(super) annotations: Annotations,
    /// Flags that depend only on the start position.
    pub(super) start_flags: u32,
    /// Whether a tag says that the game is Chess960.
    is_tagged: bool,
    turn: Color,
    /// Number of open variations.
    depth: usize,
}

impl Survey {
    /// Creates the survey of a game before its first event.
    pub(crate) fn new() -> Survey {
        Survey {
            facts: Facts::STANDARD,
            annotations: Annotations::default(),
            start_flags: 0,
            is_tagged: false,
            turn: Color::White,
            depth: 0,
        }
    }
}

impl Survey {
    /// Returns the number of half-moves of the main line so far.
    pub(crate) fn plies(&self) -> u32 {
        self.facts.plies
    }
}

impl Visitor for Survey {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        self.is_tagged |= name == "Variant" && Variant::of_tag(value) == Variant::Chess960;
        Flow::Continue(())
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        if let Start::Custom(setup) = start {
            self.turn = setup.turn;
            if self.is_tagged || starts_chess960(setup) {
                self.start_flags = flag::CHESS960;
            }
        }
        self.facts.start(start)
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        if self.depth > 0 {
            return Flow::Continue(());
        }
        if let Some(played) = played {
            make(played, self.turn, &mut self.facts);
        }
        self.turn = self.turn.other();
        self.facts.look()
    }

    fn nag(&mut self, nag: u8) -> Flow {
        self.annotations.nag(nag)
    }

    fn comment(&mut self, text: &str) -> Flow {
        self.annotations.comment(text)
    }

    fn begin_variation(&mut self) -> Flow {
        self.depth += 1;
        self.annotations.begin_variation()
    }

    fn end_variation(&mut self) -> Flow {
        self.depth = self.depth.saturating_sub(1);
        Flow::Continue(())
    }
}
