//! The walk through all lines of a game, for every format that stores games as moves in bytes.
//!
//! A format reads its tokens with a [`TokenCursor`]; the order of lines, positions to return to and
//! what is told of them are the same for all and are here. PGN checks every move by the rules and
//! goes on after what it cannot read, so it has a reader of its own.

use tabiya_chess::{Flow, Follow, Rewind, Start};

use super::{
    Damage, Decoded, Visitor, damage::Flaw, damage_at, flaws, limits::VARIATION_DEPTH_MAX,
    recorder::Recorder,
};

/// What comes next in a game, in the order of a PGN file.
pub(super) enum Token<N> {
    /// A move that has been played, or a null move.
    Move,
    /// A variation of the line's last move begins.
    Begin,
    /// The variation ends.
    End,
    /// A comment or NAGs, undecoded.
    Note(N),
    /// Only the cursor needs it.
    Skip,
    GameEnd,
}

/// Of a format that has no notes among its tokens.
pub(super) enum Never {}

/// Reads the tokens of one game, in the order of a PGN file.
pub(super) trait TokenCursor {
    /// The men and the side to move. Saving one over another is done for each move that may have
    /// variations, so `clone_from` copies as little as it can.
    type Position: Clone;
    /// A comment or NAGs, undecoded.
    type Note;

    /// Whether the next token may be a move that has variations.
    fn may_branch(&self) -> bool;

    /// Reads a token. A move is played in the position, and its changes are passed to the follower.
    fn next<F: Follow>(
        &mut self,
        position: &mut Self::Position,
        follow: &mut F,
    ) -> Decoded<Token<Self::Note>>;

    /// Returns the offset of the last token from the start of the game, in bytes.
    fn token_at(&self) -> usize;

    /// Passes a comment or NAGs to a visitor.
    fn tell<V: Visitor + ?Sized>(&mut self, note: Self::Note, visitor: &mut V) -> Flow;

    /// Passes on what is stored besides the tokens and comes before the last move.
    fn tell_before<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Flow {
        let _ = visitor;
        Flow::Continue(())
    }

    /// Passes on what is stored besides the tokens and comes after the last move, or before all
    /// moves.
    fn tell_after<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Flow {
        let _ = visitor;
        Flow::Continue(())
    }
}

/// Plays all lines to a follower until it breaks, depth first in the order of a PGN file. The
/// position before a variation is not visited again.
pub(super) fn follow_lines<C: TokenCursor, F: Rewind>(
    cursor: C,
    position: C::Position,
    start: Start<'_>,
    follow: &mut F,
) -> Decoded<()> {
    walk(cursor, position, start, &mut Positions(follow)).map(drop)
}

/// Passes the start, the moves and all that belongs to them to a visitor until it breaks.
pub(super) fn visit_lines<C: TokenCursor, V: Visitor + ?Sized>(
    cursor: C,
    position: C::Position,
    start: Start<'_>,
    visitor: &mut V,
) -> Decoded<Flow> {
    let recorder = Recorder::default();
    walk(cursor, position, start, &mut Events { visitor, recorder })
}

/// Receives the lines.
trait LineSink<C: TokenCursor> {
    type Follow: Rewind;

    /// Returns the follower of the board changes.
    fn follow(&mut self) -> &mut Self::Follow;

    fn start(&mut self, start: Start<'_>, cursor: &C) -> Flow;

    /// Called after the follower has seen a move; for a null move it has seen no change.
    fn played(&mut self, cursor: &C) -> Flow;

    fn begin_variation(&mut self) -> Flow {
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        Flow::Continue(())
    }

    fn note(&mut self, note: C::Note, cursor: &mut C) -> Flow {
        let _ = (note, cursor);
        Flow::Continue(())
    }
}

/// Looks at every position.
struct Positions<'f, F>(&'f mut F);

impl<C: TokenCursor, F: Rewind> LineSink<C> for Positions<'_, F> {
    type Follow = F;

    fn follow(&mut self) -> &mut F {
        self.0
    }

    fn start(&mut self, start: Start<'_>, _: &C) -> Flow {
        self.0.start(start)
    }

    fn played(&mut self, _: &C) -> Flow {
        self.0.ply_done()
    }
}

/// Passes everything to a visitor.
struct Events<'v, V: ?Sized> {
    visitor: &'v mut V,
    recorder: Recorder,
}

impl<C: TokenCursor, V: Visitor + ?Sized> LineSink<C> for Events<'_, V> {
    type Follow = Recorder;

    fn follow(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    fn start(&mut self, start: Start<'_>, cursor: &C) -> Flow {
        self.visitor.start(start)?;
        cursor.tell_after(self.visitor)
    }

    fn played(&mut self, cursor: &C) -> Flow {
        cursor.tell_before(self.visitor)?;
        self.visitor.play(self.recorder.take())?;
        cursor.tell_after(self.visitor)
    }

    fn begin_variation(&mut self) -> Flow {
        self.visitor.begin_variation()
    }

    fn end_variation(&mut self) -> Flow {
        self.visitor.end_variation()
    }

    fn note(&mut self, note: C::Note, cursor: &mut C) -> Flow {
        cursor.tell(note, self.visitor)
    }
}

/// A line of the game while it is being read.
struct Line<P, S> {
    position: P,
    /// Before the line's last move, where its variations begin.
    before: Option<(P, S)>,
}

impl<P: Clone, S> Line<P, S> {
    /// Saves the position before a move.
    #[inline(always)]
    fn save(&mut self, snapshot: S) {
        match &mut self.before {
            Some((position, before)) => {
                position.clone_from(&self.position);
                *before = snapshot;
            }
            None => self.before = Some((self.position.clone(), snapshot)),
        }
    }
}

/// Returns whether the receiver got all, or broke.
fn walk<C: TokenCursor, A: LineSink<C>>(
    mut cursor: C,
    position: C::Position,
    start: Start<'_>,
    sink: &mut A,
) -> Decoded<Flow> {
    if sink.start(start, &cursor).is_break() {
        return Ok(Flow::Break(()));
    }
    let mut line = Line {
        position,
        before: None,
    };
    let mut outer_lines: Vec<(Line<_, _>, _)> = Vec::new();
    loop {
        if cursor.may_branch() {
            line.save(sink.follow().snapshot());
        }
        let flow = match cursor.next(&mut line.position, sink.follow())? {
            Token::Move => sink.played(&cursor),
            Token::Skip => continue,
            Token::Note(note) => sink.note(note, &mut cursor),
            Token::Begin => {
                let Some((position, before)) = line.before.take() else {
                    return Err(damage(&cursor, flaws::VARIATION_OF_NO_MOVE));
                };
                if outer_lines.len() >= VARIATION_DEPTH_MAX {
                    return Err(damage(&cursor, flaws::NESTED_TOO_DEEP));
                }
                let present = sink.follow().snapshot();
                sink.follow().restore(&before);
                let inner = Line {
                    position: position.clone(),
                    before: None,
                };
                line.before = Some((position, before));
                outer_lines.push((std::mem::replace(&mut line, inner), present));
                sink.begin_variation()
            }
            Token::End => {
                let Some((outer, present)) = outer_lines.pop() else {
                    return Err(damage(&cursor, flaws::VARIATION_NEVER_BEGAN));
                };
                sink.follow().restore(&present);
                line = outer;
                sink.end_variation()
            }
            Token::GameEnd if outer_lines.is_empty() => return Ok(Flow::Continue(())),
            Token::GameEnd => return Err(damage(&cursor, flaws::VARIATION_ENDLESS)),
        };
        if flow.is_break() {
            return Ok(flow);
        }
    }
}

fn damage(cursor: &impl TokenCursor, what: Flaw) -> Damage {
    damage_at(what, cursor.token_at())
}
