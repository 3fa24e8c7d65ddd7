//! Reads a damaged game as far as possible.
//!
//! Everything before the damage is passed on. If the damage is in a variation, the main line can
//! often be read past it: then the rest of the main line is passed on too, without annotations and
//! variations. In PGN, where brackets tell the end of a variation, it is passed on with them.

use shakmaty::Move;
use tabiya_chess::{Flow, Follow, Placed, Start};

use super::{Damage, Scratch, View, Visitor, pgn::Game, recorder::Recorder};
use crate::error::{Error, Result};

/// Comment where an incomplete game or variation ends.
const MARK: &str = "The source is damaged here.";

/// How much of a game was passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// All of it.
    Whole,
    /// All half-moves of the main line; comments and variations at least before the damage.
    MainLine {
        /// Half-moves of the main line before the damage.
        plies: u32,
        /// The damage.
        damage: Damage,
    },
    /// The main line up to this many half-moves, possibly none.
    Part {
        /// Half-moves of the main line before the damage.
        plies: u32,
        /// The damage.
        damage: Damage,
    },
}

/// Passes a game to a visitor. Closes variations, and appends a comment to an incomplete game.
pub fn tell<V: View>(
    view: V,
    record: &V::Record,
    scratch: &mut Scratch,
    visitor: &mut dyn Visitor,
) -> Completeness {
    let mut listener = Listener::new(visitor);
    let Err(damage) = view.visit(record, scratch, &mut listener) else {
        return Completeness::Whole;
    };
    listener.close();
    let (plies, damaged_from) = (listener.plies, listener.damaged_from);
    if !listener.has_started || listener.has_enough {
        return Completeness::Part { plies, damage };
    }
    let mut rest = Rest {
        visitor,
        told: plies,
        plies: 0,
        recorder: Recorder::default(),
    };
    let ends = view.main_line(record, scratch, &mut rest);
    let reached = rest.plies.max(plies);
    if damaged_from.is_none() {
        let _ = visitor.comment(MARK);
    }
    match ends {
        Ok(_) => Completeness::MainLine {
            plies: damaged_from.unwrap_or(plies),
            damage,
        },
        Err(damage) => Completeness::Part {
            plies: reached,
            damage,
        },
    }
}

/// Damage to a game of which the rest can be read.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct GameDamage {
    /// Half-moves of the main line before the damage, at least 1.
    pub plies: u32,
    /// What is wrong, and where.
    pub cause: Error,
}

impl GameDamage {
    /// Creates the damage before which this many half-moves can be read.
    #[doc(hidden)]
    #[must_use]
    pub fn new(plies: u32, cause: Error) -> GameDamage {
        GameDamage { plies, cause }
    }
}

/// Passes what is sound of a PGN game to a visitor, as [`tell`] does.
///
/// # Errors
/// The damage, if no half-move can be read.
pub fn tell_pgn(game: &Game<'_>, visitor: &mut dyn Visitor) -> Result<Option<GameDamage>> {
    let mut listener = Listener::new(visitor);
    let Err(cause) = game.replay(&mut listener) else {
        return Ok(None);
    };
    listener.close();
    match listener.damaged_from.unwrap_or(listener.plies) {
        0 => Err(cause),
        plies => Ok(Some(GameDamage { plies, cause })),
    }
}

/// Forwards all events and tracks the position in the game.
struct Listener<'v> {
    visitor: &'v mut dyn Visitor,
    /// Number of open variations.
    depth: usize,
    /// Half-moves of the main line so far.
    plies: u32,
    has_started: bool,
    /// Whether the visitor has stopped.
    has_enough: bool,
    /// Half-moves of the main line before the damage, if the reader has told of it.
    damaged_from: Option<u32>,
}

impl<'v> Listener<'v> {
    fn new(visitor: &'v mut dyn Visitor) -> Listener<'v> {
        Listener {
            visitor,
            depth: 0,
            plies: 0,
            has_started: false,
            has_enough: false,
            damaged_from: None,
        }
    }

    fn pass(&mut self, flow: Flow) -> Flow {
        self.has_enough |= flow.is_break();
        flow
    }

    /// Ends the open variations.
    fn close(&mut self) {
        for _ in 0..std::mem::take(&mut self.depth) {
            if self.visitor.end_variation().is_break() {
                self.has_enough = true;
                return;
            }
        }
    }
}

impl Visitor for Listener<'_> {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        let flow = self.visitor.tag(name, value);
        self.pass(flow)
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.has_started = true;
        let flow = self.visitor.start(start);
        self.pass(flow)
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        self.plies += u32::from(self.depth == 0);
        let flow = self.visitor.play(played);
        self.pass(flow)
    }

    fn nag(&mut self, nag: u8) -> Flow {
        let flow = self.visitor.nag(nag);
        self.pass(flow)
    }

    fn void_nag(&mut self) -> Flow {
        let flow = self.visitor.void_nag();
        self.pass(flow)
    }

    fn comment(&mut self, text: &str) -> Flow {
        let flow = self.visitor.comment(text);
        self.pass(flow)
    }

    fn guiding_text(&mut self, title: &[u8], body: &[u8]) -> Flow {
        let flow = self.visitor.guiding_text(title, body);
        self.pass(flow)
    }

    fn annotation(&mut self, kind: u8, data: &[u8], told: &str) -> Flow {
        let flow = self.visitor.annotation(kind, data, told);
        self.pass(flow)
    }

    fn damaged(&mut self) -> Flow {
        self.damaged_from.get_or_insert(self.plies);
        self.comment(MARK)
    }

    fn begin_variation(&mut self) -> Flow {
        self.depth += 1;
        let flow = self.visitor.begin_variation();
        self.pass(flow)
    }

    fn end_variation(&mut self) -> Flow {
        self.depth = self.depth.saturating_sub(1);
        let flow = self.visitor.end_variation();
        self.pass(flow)
    }
}

/// Follows the main line and passes the half-moves that the visitor has not seen.
struct Rest<'v> {
    visitor: &'v mut dyn Visitor,
    /// Half-moves that the visitor has seen.
    told: u32,
    /// Half-moves so far.
    plies: u32,
    recorder: Recorder,
}

impl Follow for Rest<'_> {
    fn reset(&mut self) {
        self.plies = 0;
        self.recorder.reset();
    }

    fn start(&mut self, _: Start<'_>) -> Flow {
        Flow::Continue(())
    }

    fn moved(&mut self, from: Placed, to: Placed) {
        self.recorder.moved(from, to);
    }

    fn remove(&mut self, gone: Placed) {
        self.recorder.remove(gone);
    }

    fn place(&mut self, new: Placed) {
        self.recorder.place(new);
    }

    fn ply_done(&mut self) -> Flow {
        let played = self.recorder.take();
        self.plies += 1;
        if self.plies > self.told {
            self.visitor.play(played)
        } else {
            Flow::Continue(())
        }
    }
}
