//! Walks through all lines of a game, to look at positions or to pass everything to a visitor.

use tabiya_chess::{Flow, Rewind, Start};

use super::{Visitor, encoding::Charset, recorder::Recorder};

/// Callbacks of a walk through all lines, depth first in the order of a PGN file.
pub(super) trait Walk {
    type Follow: Rewind;

    /// Returns the follower of the board changes.
    fn follow(&mut self) -> &mut Self::Follow;

    fn start(&mut self, start: Start<'_>) -> Flow;

    /// Called after the follower has seen a move; for a null move it has seen no change.
    fn played(&mut self) -> Flow;

    fn begin_variation(&mut self) -> Flow {
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        Flow::Continue(())
    }

    /// A NAG as stored; 0 means none.
    fn nag(&mut self, nag: u8) -> Flow {
        let _ = nag;
        Flow::Continue(())
    }

    /// A comment as stored.
    fn comment(&mut self, comment: &[u8]) -> Flow {
        let _ = comment;
        Flow::Continue(())
    }
}

/// Looks at every position.
pub(super) struct Positions<'f, F>(pub(super) &'f mut F);

impl<F: Rewind> Walk for Positions<'_, F> {
    type Follow = F;

    fn follow(&mut self) -> &mut F {
        self.0
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.0.start(start)
    }

    fn played(&mut self) -> Flow {
        self.0.look()
    }
}

/// Passes everything to a visitor.
pub(super) struct Events<'v, V: ?Sized> {
    visitor: &'v mut V,
    charset: Charset,
    recorder: Recorder,
}

impl<V: Visitor + ?Sized> Events<'_, V> {
    /// Passes everything on, with comments read as the charset says.
    pub(super) fn new(visitor: &mut V, charset: Charset) -> Events<'_, V> {
        Events {
            visitor,
            charset,
            recorder: Recorder::default(),
        }
    }
}

impl<V: Visitor + ?Sized> Walk for Events<'_, V> {
    type Follow = Recorder;

    fn follow(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.visitor.start(start)
    }

    fn played(&mut self) -> Flow {
        let played = self.recorder.take();
        self.visitor.play(played)
    }

    fn begin_variation(&mut self) -> Flow {
        self.visitor.begin_variation()
    }

    fn end_variation(&mut self) -> Flow {
        self.visitor.end_variation()
    }

    fn nag(&mut self, nag: u8) -> Flow {
        match nag {
            0 => Flow::Continue(()),
            _ => self.visitor.nag(nag),
        }
    }

    fn comment(&mut self, comment: &[u8]) -> Flow {
        self.visitor.comment(&self.charset.decode(comment))
    }
}
