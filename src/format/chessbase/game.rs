//! Playing the moves of a `.cbg` game: the main line, all lines as they lie in the file, all
//! lines as a PGN file has them.
//!
//! The file has the lines of a game one behind the other, the main line first. Where a line could
//! go on in several ways, a branch code stands before the first of them; the end of each line
//! leads back to the last branch that is still open, and there the next way is found.

use shakmaty::Setup;

use super::{
    codes::{self, Entry},
    moves::{Men, Side, Step},
    setup,
    stream::{Parts, Stream, damage},
};
use crate::{
    chess::{Flow, Follow, Start},
    format::{Damage, Decoded, Scratch, Visitor, recorder::Recorder},
    limits::VARIATION_DEPTH_MAX,
};

/// What belongs to moves and stands elsewhere. Moves are counted in the order of the file.
pub(super) trait Beside {
    /// Tells what stands before a move.
    fn tell_before<V: Visitor + ?Sized>(&mut self, position: i32, visitor: &mut V) -> Flow;

    /// Tells what stands behind a move; position -1 is the start of the game.
    fn tell_after<V: Visitor + ?Sized>(&mut self, position: i32, visitor: &mut V) -> Flow;
}

/// Nothing stands elsewhere.
impl Beside for () {
    fn tell_before<V: Visitor + ?Sized>(&mut self, _: i32, _: &mut V) -> Flow {
        Flow::Continue(())
    }

    fn tell_after<V: Visitor + ?Sized>(&mut self, _: i32, _: &mut V) -> Flow {
        Flow::Continue(())
    }
}

/// A place in the moves of a game and the position there.
#[derive(Debug, Clone, Copy)]
struct Line {
    men: Men,
    side: Side,
    /// Offset in the stream.
    at: usize,
    /// Moves so far, in the order of the file.
    moves: u32,
}

impl Line {
    #[inline(always)]
    fn step<F: Follow>(
        &mut self,
        stream: &Stream<'_>,
        follow: &mut F,
    ) -> Result<Step, &'static str> {
        let moves = self.moves as u8;
        let (step, next) = self.men.step(stream, self.side, moves, self.at, follow)?;
        self.at = next;
        if step == Step::Move {
            self.side ^= 1;
            self.moves = self.moves.wrapping_add(1);
        }
        Ok(step)
    }
}

/// A game whose moves are about to be played.
struct Begun<'s> {
    stream: Stream<'s>,
    line: Line,
    start: Start<'s>,
}

impl<'a> Parts<'a> {
    /// Finds out where the game begins.
    #[inline(always)]
    fn begin<'s>(&self, scratch: &'s mut Scratch) -> Decoded<Begun<'s>>
    where
        'a: 's,
    {
        let stream = self.stream(&mut scratch.moves);
        let begun = Begun {
            stream,
            line: Line {
                men: Men::standard(self.encoding().reversed),
                side: 0,
                at: 0,
                moves: 0,
            },
            start: Start::Standard,
        };
        match self.setup {
            None => Ok(begun),
            Some(bytes) => self.set_up(bytes, &mut scratch.setup, begun),
        }
    }

    /// Replaces the standard start position by the game's own.
    #[inline(never)]
    fn set_up<'s>(
        &self,
        bytes: &[u8],
        room: &'s mut Option<Setup>,
        mut begun: Begun<'s>,
    ) -> Decoded<Begun<'s>> {
        let setup_at = |what| damage(what, self.moves_at - bytes.len());
        let (setup, homes) = setup::read(bytes, begun.stream.homes).map_err(setup_at)?;
        let setup = room.insert(setup);
        let reversed = self.encoding().reversed;
        begun.line.men = Men::from_setup(setup, reversed).map_err(setup_at)?;
        begun.line.side = setup.turn.is_black().into();
        begun.stream.homes = homes;
        begun.start = Start::Custom(setup);
        Ok(begun)
    }

    /// Turns a fault in the stream into one of the game. What was rewritten has no offsets of
    /// its own any more.
    fn damage(&self, stream: &Stream<'_>, what: &'static str, at: usize) -> Damage {
        let rewritten = !std::ptr::eq(stream.encoding, self.encoding());
        damage(what, self.moves_at + if rewritten { 0 } else { at })
    }

    /// Plays the main line to the follower until it has seen enough or the line ends. Returns
    /// how many plies were played.
    pub(super) fn main_line<F: Follow>(
        &self,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32> {
        let begun = self.begin(scratch)?;
        let stream = &begun.stream;
        // Apart, so that all but the men stay in registers.
        let Line {
            mut men,
            mut side,
            mut at,
            mut moves,
        } = begun.line;
        if follow.start(begun.start).is_break() || stream.bytes.is_empty() {
            return Ok(0);
        }
        loop {
            match men.step(stream, side, moves as u8, at, follow) {
                Ok((Step::Move, next)) => {
                    moves = moves.wrapping_add(1);
                    if follow.look().is_break() {
                        return Ok(moves);
                    }
                    side ^= 1;
                    at = next;
                }
                Ok((Step::LineEnd, _)) => return Ok(moves),
                Ok((Step::Branch | Step::Padding, next)) => at = next,
                Err(what) => return Err(self.damage(stream, what, at)),
            }
        }
    }

    /// Plays all lines to the follower in the order of the file until it has seen enough. The
    /// position before a variation is not looked at again.
    pub(super) fn tree<F: Follow>(&self, scratch: &mut Scratch, follow: &mut F) -> Decoded<()> {
        let begun = self.begin(scratch)?;
        let (stream, mut line) = (&begun.stream, begun.line);
        if follow.start(begun.start).is_break() || stream.bytes.is_empty() {
            return Ok(());
        }
        let mut branches = Vec::new();
        loop {
            let at = line.at;
            match line.step(stream, follow) {
                Ok(Step::Move) => {
                    if follow.look().is_break() {
                        return Ok(());
                    }
                }
                Ok(Step::Branch) => {
                    if branches.len() >= VARIATION_DEPTH_MAX {
                        return Err(self.damage(stream, "variations nested too deep", at));
                    }
                    branches.push((line.men, line.side, follow.snapshot()));
                }
                Ok(Step::LineEnd) => {
                    let Some((men, side, snapshot)) = branches.pop() else {
                        return Ok(());
                    };
                    (line.men, line.side) = (men, side);
                    follow.restore(&snapshot);
                }
                Ok(Step::Padding) => {}
                Err(what) => return Err(self.damage(stream, what, at)),
            }
        }
    }

    /// Plays the whole game to a visitor in the order of a PGN file, with what stands beside
    /// its moves.
    pub(super) fn visit<V: Visitor + ?Sized, B: Beside>(
        &self,
        scratch: &mut Scratch,
        beside: &mut B,
        visitor: &mut V,
    ) -> Decoded<()> {
        let begun = self.begin(scratch)?;
        let stream = &begun.stream;
        if visitor.start(begun.start).is_break() || beside.tell_after(-1, visitor).is_break() {
            return Ok(());
        }
        if stream.bytes.is_empty() {
            return Ok(());
        }
        let (branches, fault) = Branch::all(stream);
        let mut telling = Telling {
            stream,
            branches: &branches,
            line: begun.line,
            next_branch: 0,
            is_fresh: false,
            open: Vec::new(),
            own: 0,
            nodes: Vec::new(),
        };
        loop {
            let at = telling.line.at;
            match telling.next(beside, visitor) {
                Ok(Some(Flow::Continue(()))) => {}
                Ok(Some(Flow::Break(())) | None) => break,
                Err(what) => return Err(self.damage(stream, what, at)),
            }
        }
        match fault {
            Some((what, at)) if telling.nodes.is_empty() => Err(self.damage(stream, what, at)),
            _ => Ok(()),
        }
    }
}

/// Where another way from a branch begins.
#[derive(Debug, Clone, Copy, Default)]
struct Branch {
    /// Offset in the stream; `None` when the game is cut short before that.
    at: Option<usize>,
    /// Moves so far, in the order of the file.
    moves: u32,
    /// How many branches stand before it in the stream.
    next_branch: usize,
}

impl Branch {
    /// Finds all branches in the order of the stream, by codes alone. The second result is what
    /// is wrong with the stream, and where: what lies before that is found.
    fn all(stream: &Stream<'_>) -> (Vec<Branch>, Option<(&'static str, usize)>) {
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
                    return (branches, Some(("variations nested too deep", at - 1)));
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
                _ => return (branches, Some(("a move code without a meaning", at - 1))),
            }
        }
        (branches, Some(("no end of game", stream.bytes.len())))
    }
}

/// The state of telling a game in the order of a PGN file.
struct Telling<'s> {
    stream: &'s Stream<'s>,
    branches: &'s [Branch],
    line: Line,
    /// The number of the next branch code that the line meets.
    next_branch: usize,
    /// Whether the line is a variation of which no move has been told. The branches that it
    /// meets now belong to the position where it begins.
    is_fresh: bool,
    /// Branches that have been met and not been taken, the innermost last.
    open: Vec<usize>,
    /// How many of them wait for the line's next move.
    own: usize,
    /// Where variations are being told, the innermost last.
    nodes: Vec<Node>,
}

/// A position whose other ways are being told.
struct Node {
    men: Men,
    side: Side,
    /// The line that goes on when all are told.
    line: Line,
    next_branch: usize,
    /// How many open branches belong to others.
    others: usize,
}

impl Telling<'_> {
    /// Tells what the next code says; `None` at the end of the game.
    fn next<V: Visitor + ?Sized, B: Beside>(
        &mut self,
        beside: &mut B,
        visitor: &mut V,
    ) -> Result<Option<Flow>, &'static str> {
        let (men, side) = (self.line.men, self.line.side);
        let mut recorder = Recorder::default();
        let flow = match self.line.step(self.stream, &mut recorder)? {
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
                match tell_move(self.line.moves, recorder, beside, visitor) {
                    Flow::Continue(()) if own > 0 => {
                        self.nodes.push(Node {
                            men,
                            side,
                            line: self.line,
                            next_branch: self.next_branch,
                            others: self.open.len().saturating_sub(own),
                        });
                        self.next_way(visitor)
                    }
                    flow => flow,
                }
            }
            Step::LineEnd => return Ok(self.end_line(visitor)),
        };
        Ok(Some(flow))
    }

    /// Ends a line; `None` when that was the game.
    fn end_line<V: Visitor + ?Sized>(&mut self, visitor: &mut V) -> Option<Flow> {
        // A branch without a move of its own: the other way is how the line goes on.
        if self.own > 0 {
            self.own -= 1;
            if let Some(branch) = self.take_branch(self.open.len().saturating_sub(1)) {
                self.go_to(branch);
                return Some(Flow::Continue(()));
            }
        }
        self.nodes.last()?;
        let flow = visitor.end_variation();
        Some(match flow {
            Flow::Continue(()) => self.next_way(visitor),
            flow => flow,
        })
    }

    /// Begins the next variation of the innermost node, or goes on behind its last.
    fn next_way<V: Visitor + ?Sized>(&mut self, visitor: &mut V) -> Flow {
        let Some(node) = self.nodes.pop() else {
            return Flow::Continue(());
        };
        let Some(branch) = self.take_branch(node.others) else {
            self.line = node.line;
            self.next_branch = node.next_branch;
            return Flow::Continue(());
        };
        (self.line.men, self.line.side) = (node.men, node.side);
        self.nodes.push(node);
        self.go_to(branch);
        self.is_fresh = true;
        visitor.begin_variation()
    }

    /// Takes the innermost open branch that leads anywhere, leaving those of others.
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

/// Tells a move and what stands beside it. It is the last of so many, in the order of the file.
fn tell_move<V: Visitor + ?Sized, B: Beside>(
    moves: u32,
    recorder: Recorder,
    beside: &mut B,
    visitor: &mut V,
) -> Flow {
    let position = i32::try_from(moves).unwrap_or(i32::MAX) - 1;
    beside.tell_before(position, visitor)?;
    visitor.play(recorder.played())?;
    beside.tell_after(position, visitor)
}
