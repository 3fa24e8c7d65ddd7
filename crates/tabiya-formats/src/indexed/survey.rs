//! What one pass over a game finds out about it.

use shakmaty::{Color, Move};
use tabiya_chess::{
    Flow, Follow, Start,
    follow::make,
    variant::{Variant, starts_chess960},
};

use crate::{Visitor, check::Annotations, facts::Facts, header::flag, scid4::LineEncoder};

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
    /// The main line, if it is kept.
    line: Option<LineEncoder>,
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
            line: None,
        }
    }

    /// Creates a survey that also encodes the main line.
    pub(crate) fn with_line() -> Survey {
        Survey {
            line: Some(LineEncoder::new()),
            ..Survey::new()
        }
    }

    /// Forgets the last game.
    pub(crate) fn begin(&mut self) {
        *self = Survey {
            line: self.line.take(),
            ..Survey::new()
        };
    }

    /// Returns the number of half-moves of the main line so far.
    pub(crate) fn plies(&self) -> u32 {
        self.facts.plies
    }

    /// Passes the changes of a move to the facts if the line does not.
    #[inline(never)]
    fn play_alone(&mut self, played: Option<Move>) {
        if let Some(played) = played {
            make(played, self.turn, &mut self.facts);
        }
    }

    /// Returns the main line of a game that has been read; the inner `None` if it has none that can
    /// be encoded, the outer one if lines are not kept.
    pub(super) fn line(&mut self) -> Option<Option<&[u8]>> {
        self.line.as_mut().map(LineEncoder::finish)
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
        if let Some(line) = &mut self.line {
            line.start(start);
        }
        self.facts.start(start)
    }

    // Called for every move of a file, from one loop.
    #[inline(always)]
    fn play(&mut self, played: Option<Move>) -> Flow {
        if self.depth > 0 {
            return Flow::Continue(());
        }
        // Not by a closure, which would be a function of its own.
        let is_passed = match &mut self.line {
            Some(line) => line.play(played, &mut self.facts),
            None => false,
        };
        if !is_passed {
            self.play_alone(played);
        }
        self.turn = self.turn.other();
        self.facts.ply_done()
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
