//! Plays all lines of a `.cbg` game in PGN order: after a move come its alternatives, then the rest
//! of the line.
//!
//! The file stores the lines of a game one after the other, the main line first. Where a line has
//! alternatives, a branch code precedes the first of them. The end of each line leads back to the
//! last branch that is still open, and the next alternative starts there. So the starts of all
//! alternatives are located first, by codes alone.

use tabiya_chess::{Flow, Rewind};

use super::{
    codes::{self, Entry},
    flaws,
    game::Line,
    moves::{Men, Side, Step},
    stream::{Parts, Stream},
};
use crate::{
    Decoded, Scratch, Visitor, damage::Flaw, limits::VARIATION_DEPTH_MAX, recorder::Recorder,
};

/// Data that belongs to moves but is stored elsewhere. Moves are numbered in file order.
pub(super) trait Beside {
    /// Reports what comes before a move.
    fn tell_before<V: Visitor + ?Sized>(&mut self, position: i32, visitor: &mut V) -> Flow;

    /// Reports what comes after a move; position -1 is the start of the game.
    fn tell_after<V: Visitor + ?Sized>(&mut self, position: i32, visitor: &mut V) -> Flow;
}

/// No such data.
impl Beside for () {
    fn tell_before<V: Visitor + ?Sized>(&mut self, _: i32, _: &mut V) -> Flow {
        Flow::Continue(())
    }

    fn tell_after<V: Visitor + ?Sized>(&mut self, _: i32, _: &mut V) -> Flow {
        Flow::Continue(())
    }
}

/// Receives the lines of a game.
trait Audience {
    /// The state needed to return to a position.
    type Kept;

    /// Executes the code at the line's offset.
    fn step(&mut self, stream: &Stream<'_>, line: &mut Line) -> Result<Step, Flaw>;
    /// Called after a move; `moves` is the number of moves so far in file order.
    fn moved(&mut self, moves: u32) -> Flow;
    fn keep(&self) -> Self::Kept;
    /// Called when a variation starts from this position.
    fn begin_variation(&mut self, from: &Self::Kept) -> Flow;
    fn end_variation(&mut self) -> Flow;
    /// Called when the line continues from this position.
    fn go_on(&mut self, from: &Self::Kept);
}

/// The position before a variation is not passed to `look` again.
impl<F: Rewind> Audience for F {
    type Kept = F::Snapshot;

    fn step(&mut self, stream: &Stream<'_>, line: &mut Line) -> Result<Step, Flaw> {
        line.step(stream, self)
    }

    fn moved(&mut self, _: u32) -> Flow {
        self.look()
    }

    fn keep(&self) -> F::Snapshot {
        self.snapshot()
    }

    fn begin_variation(&mut self, from: &F::Snapshot) -> Flow {
        self.restore(from);
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        Flow::Continue(())
    }

    fn go_on(&mut self, from: &F::Snapshot) {
        self.restore(from);
    }
}

/// A visitor and the data to report besides the moves.
struct Reader<'v, V: ?Sized, B> {
    visitor: &'v mut V,
    beside: &'v mut B,
    recorder: Recorder,
}

impl<V: Visitor + ?Sized, B: Beside> Audience for Reader<'_, V, B> {
    type Kept = ();

    fn step(&mut self, stream: &Stream<'_>, line: &mut Line) -> Result<Step, Flaw> {
        self.recorder = Recorder::default();
        line.step(stream, &mut self.recorder)
    }

    fn moved(&mut self, moves: u32) -> Flow {
        let position = i32::try_from(moves).unwrap_or(i32::MAX) - 1;
        self.beside.tell_before(position, self.visitor)?;
        let played = self.recorder.take();
        self.visitor.play(played)?;
        self.beside.tell_after(position, self.visitor)
    }

    fn keep(&self) {}

    fn begin_variation(&mut self, (): &()) -> Flow {
        self.visitor.begin_variation()
    }

    fn end_variation(&mut self) -> Flow {
        self.visitor.end_variation()
    }

    fn go_on(&mut self, (): &()) {}
}

impl Parts<'_> {
    /// Plays all lines to the follower until it breaks.
    pub(super) fn tree<F: Rewind>(&self, scratch: &mut Scratch, follow: &mut F) -> Decoded<()> {
        let begun = self.begin(scratch)?;
        match follow.start(begun.start) {
            Flow::Break(()) => Ok(()),
            Flow::Continue(()) => self.tell(&begun.stream, begun.line, follow),
        }
    }

    /// Reports the whole game to a visitor, with the data stored beside its moves.
    pub(super) fn visit<V: Visitor + ?Sized, B: Beside>(
        &self,
        scratch: &mut Scratch,
        beside: &mut B,
        visitor: &mut V,
    ) -> Decoded<()> {
        let begun = self.begin(scratch)?;
        if visitor.start(begun.start).is_break() || beside.tell_after(-1, visitor).is_break() {
            return Ok(());
        }
        let mut reader = Reader {
            visitor,
            beside,
            recorder: Recorder::default(),
        };
        self.tell(&begun.stream, begun.line, &mut reader)
    }

    /// Reports all lines.
    fn tell<A: Audience>(&self, stream: &Stream<'_>, line: Line, audience: &mut A) -> Decoded<()> {
        if stream.bytes.is_empty() {
            return Ok(());
        }
        let (branches, fault) = Branch::all(stream);
        let mut telling = Telling {
            stream,
            branches: &branches,
            line,
            next_branch: 0,
            is_fresh: false,
            open: Vec::new(),
            own: 0,
            nodes: Vec::new(),
        };
        loop {
            let at = telling.line.at;
            match telling.next(audience) {
                Ok(Some(Flow::Continue(()))) => {}
                Ok(Some(Flow::Break(()))) => return Ok(()),
                Ok(None) => break,
                Err(what) => return Err(self.damage(stream, what, at)),
            }
        }
        match fault {
            Some((what, at)) => Err(self.damage(stream, what, at)),
            None => Ok(()),
        }
    }
}

/// The start of a branch's alternative.
#[derive(Debug, Clone, Copy, Default)]
struct Branch {
    /// Offset in the stream; `None` if the game is cut short before it.
    at: Option<usize>,
    /// Number of moves so far, in file order.
    moves: u32,
    /// Number of branch codes before it in the stream.
    next_branch: usize,
}

impl Branch {
    /// Finds all branches in stream order, by codes alone. The second result is the fault in the
    /// stream and its offset; the branches before it are found.
    fn all(stream: &Stream<'_>) -> (Vec<Branch>, Option<(Flaw, usize)>) {
        let mut branches: Vec<Branch> = Vec::new();
        let mut open = Vec::new();
        let (mut at, mut moves) = (0, 0_u32);
        while let Some(&byte) = stream.bytes.get(at) {
            let entry = stream.translation.entry(byte, moves as u8, false);
            at += 1;
            match entry.files {
                _ if entry.slot != Entry::SPECIAL => moves += 1,
                codes::NULL | codes::CASTLE_KING_SIDE | codes::CASTLE_QUEEN_SIDE => moves += 1,
                codes::WORD => {
                    at += 2;
                    moves += 1;
                }
                codes::PADDING => {}
                codes::BRANCH if open.len() >= VARIATION_DEPTH_MAX => {
                    return (branches, Some((flaws::NESTED_TOO_DEEP, at - 1)));
                }
                codes::BRANCH => {
                    open.push(branches.len());
                    branches.push(Branch::default());
                }
                codes::LINE_END => {
                    let next_branch = branches.len();
                    let Some(branch) = open.pop().and_then(|index| branches.get_mut(index)) else {
                        return (branches, None);
                    };
                    *branch = Branch {
                        at: Some(at),
                        moves,
                        next_branch,
                    };
                }
                _ => return (branches, Some((flaws::UNKNOWN_MOVE_CODE, at - 1))),
            }
        }
        (branches, Some((flaws::GAME_ENDLESS, stream.bytes.len())))
    }
}

/// The state of the walk through all lines.
struct Telling<'s, K> {
    stream: &'s Stream<'s>,
    branches: &'s [Branch],
    line: Line,
    /// Number of the next branch code in the line.
    next_branch: usize,
    /// Whether the line is a variation whose first move has not been reported. Branches met now
    /// belong to the position where it starts.
    is_fresh: bool,
    /// Branches met but not yet taken, the innermost last.
    open: Vec<usize>,
    /// How many of them belong to the line's next move.
    own: usize,
    /// Positions whose variations are being reported, the innermost last.
    nodes: Vec<Node<K>>,
}

/// A position whose alternatives are being reported.
struct Node<K> {
    men: Men,
    side: Side,
    /// The same for the audience.
    before: K,
    /// The line that continues after them.
    line: Line,
    /// The same for the audience.
    after: K,
    next_branch: usize,
    /// Number of open branches that belong to other nodes.
    others: usize,
}

impl<K> Telling<'_, K> {
    /// Executes and reports the next code; `None` at the end of the game.
    fn next<A: Audience<Kept = K>>(&mut self, audience: &mut A) -> Result<Option<Flow>, Flaw> {
        let (men, side) = (self.line.men, self.line.side);
        let before = (self.own > 0).then(|| audience.keep());
        let flow = match audience.step(self.stream, &mut self.line)? {
            Step::Padding => Flow::Continue(()),
            Step::Branch => {
                self.open.push(self.next_branch);
                self.next_branch += 1;
                self.own += usize::from(!self.is_fresh);
                Flow::Continue(())
            }
            Step::Move => {
                self.is_fresh = false;
                let own = std::mem::take(&mut self.own);
                match (audience.moved(self.line.moves), before) {
                    (Flow::Continue(()), Some(before)) => {
                        self.nodes.push(Node {
                            men,
                            side,
                            before,
                            line: self.line,
                            after: audience.keep(),
                            next_branch: self.next_branch,
                            others: self.open.len().saturating_sub(own),
                        });
                        self.next_way(audience)
                    }
                    (flow, _) => flow,
                }
            }
            Step::LineEnd => return Ok(self.end_line(audience)),
        };
        Ok(Some(flow))
    }

    /// Ends a line; `None` at the end of the game.
    fn end_line<A: Audience<Kept = K>>(&mut self, audience: &mut A) -> Option<Flow> {
        // A branch without a first move: the line continues with the alternative.
        if self.own > 0 {
            self.own -= 1;
            if let Some(branch) = self.take_branch(self.open.len().saturating_sub(1)) {
                self.go_to(branch);
                return Some(Flow::Continue(()));
            }
        }
        self.nodes.last()?;
        let flow = audience.end_variation();
        Some(match flow {
            Flow::Continue(()) => self.next_way(audience),
            flow => flow,
        })
    }

    /// Starts the next variation of the innermost node, or continues its line after the last.
    fn next_way<A: Audience<Kept = K>>(&mut self, audience: &mut A) -> Flow {
        let Some(node) = self.nodes.pop() else {
            return Flow::Continue(());
        };
        let Some(branch) = self.take_branch(node.others) else {
            audience.go_on(&node.after);
            self.line = node.line;
            self.next_branch = node.next_branch;
            return Flow::Continue(());
        };
        (self.line.men, self.line.side) = (node.men, node.side);
        let flow = audience.begin_variation(&node.before);
        self.nodes.push(node);
        self.go_to(branch);
        self.is_fresh = true;
        flow
    }

    /// Pops the innermost open branch that has an alternative, keeping the `others` outermost ones.
    fn take_branch(&mut self, others: usize) -> Option<Branch> {
        while self.open.len() > others {
            let branch = self.open.pop().and_then(|index| self.branches.get(index));
            if let Some(branch) = branch.filter(|branch| branch.at.is_some()) {
                return Some(*branch);
            }
        }
        None
    }

    fn go_to(&mut self, branch: Branch) {
        self.line.at = branch.at.unwrap_or(self.stream.bytes.len());
        self.line.moves = branch.moves;
        self.next_branch = branch.next_branch;
    }
}
