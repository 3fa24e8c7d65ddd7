//! Plays one game: its main line, which ends at the first end of a line, or all its lines.
//!
//! All lines come in PGN order: after a move come its alternatives, then the rest of the line.
//!
//! The file stores the lines of a game one after the other, the main line first. Where a line has
//! alternatives, a branch code precedes the first of them. The end of each line leads back to the
//! last branch that is still open, and the next alternative starts there. So the starts of all
//! alternatives are located first, by codes alone.

use shakmaty::Setup;
use tabiya_chess::{Flow, Follow, Rewind, Start};

use super::{
    annotations::Annotations,
    codes::{self, Entry},
    flaws,
    men::{Men, Side, Step},
    setup,
    stream::{Parts, Stream},
};
use crate::{
    Damage, Decoded, Scratch, Visitor,
    damage::Flaw,
    damage_at,
    limits::VARIATION_DEPTH_MAX,
    walk::{Never, Token, TokenCursor, follow_lines, visit_lines},
};

/// A game before its first move.
pub(super) struct Begun<'s> {
    pub(super) stream: Stream<'s>,
    pub(super) men: Men,
    pub(super) side: Side,
    pub(super) start: Start<'s>,
}

impl<'a> Parts<'a> {
    /// Sets up the start position and the move stream.
    #[inline(always)]
    pub(super) fn begin<'s>(&self, scratch: &'s mut Scratch) -> Decoded<Begun<'s>>
    where
        'a: 's,
    {
        let stream = self.stream(&mut scratch.moves);
        let begun = Begun {
            stream,
            men: Men::standard(self.encoding().reversed),
            side: 0,
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
        let setup_at = |what| damage_at(what, self.moves_at - bytes.len());
        let (setup, homes) = setup::read(bytes, begun.stream.homes).map_err(setup_at)?;
        let setup = room.insert(setup);
        let reversed = self.encoding().reversed;
        begun.men = Men::from_setup(setup, reversed).map_err(setup_at)?;
        begun.side = setup.turn.is_black().into();
        begun.stream.homes = homes;
        begun.start = Start::Custom(setup);
        Ok(begun)
    }

    /// Converts an offset in the stream into damage of the game. Rewritten streams have no offsets
    /// of their own, so their damage is reported at the start of the moves.
    pub(super) fn damage(&self, stream: &Stream<'_>, what: Flaw, at: usize) -> Damage {
        let rewritten = !std::ptr::eq(stream.encoding, self.encoding());
        damage_at(what, self.moves_at + if rewritten { 0 } else { at })
    }

    /// Plays the main line to the follower until it breaks or the line ends. Returns the number of
    /// plies played.
    pub(super) fn main_line<F: Follow>(
        &self,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32> {
        // Destructured so that all but the men stay in registers.
        let Begun {
            ref stream,
            mut men,
            mut side,
            start,
        } = self.begin(scratch)?;
        let (mut at, mut moves) = (0, 0_u32);
        if follow.start(start).is_break() || stream.bytes.is_empty() {
            return Ok(0);
        }
        loop {
            match men.step(stream, side, moves as u8, &mut at, follow) {
                Ok(Step::Move) => {
                    moves = moves.wrapping_add(1);
                    if follow.ply_done().is_break() {
                        return Ok(moves);
                    }
                    side ^= 1;
                }
                Ok(Step::LineEnd) => return Ok(moves),
                Ok(Step::Branch | Step::Padding) => {}
                Err(what) => return Err(self.damage(stream, what, at)),
            }
        }
    }
}

impl Parts<'_> {
    /// Plays all lines to the follower until it breaks.
    pub(super) fn tree<F: Rewind>(&self, scratch: &mut Scratch, follow: &mut F) -> Decoded<()> {
        let begun = self.begin(scratch)?;
        let none = Annotations::NONE;
        let (lines, position) = Lines::new(self, &begun, &none);
        follow_lines(lines, position, begun.start, follow)
    }

    /// Passes the whole game to a visitor, with its annotations.
    pub(super) fn visit<V: Visitor + ?Sized>(
        &self,
        scratch: &mut Scratch,
        annotations: &Annotations<'_>,
        visitor: &mut V,
    ) -> Decoded<()> {
        let begun = self.begin(scratch)?;
        let (lines, position) = Lines::new(self, &begun, annotations);
        visit_lines(lines, position, begun.start, visitor).map(drop)
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

/// The place of a line in the stream.
#[derive(Debug, Clone, Copy)]
struct LinePlace {
    /// Offset of the next code.
    at: usize,
    /// Number of moves so far, in file order.
    moves: u32,
    /// Number of the next branch code in the line.
    next_branch: usize,
}

/// Reads the tokens of all lines.
struct Lines<'s> {
    parts: &'s Parts<'s>,
    stream: &'s Stream<'s>,
    annotations: &'s Annotations<'s>,
    branches: Vec<Branch>,
    /// The damage after the last branch.
    fault: Option<Damage>,
    place: LinePlace,
    /// Offset of the last code.
    code_at: usize,
    /// Whether the line is a variation whose first move has not been played. Branches met now
    /// belong to the position where it starts.
    is_fresh: bool,
    /// Whether the alternatives of the innermost node come next.
    is_at_node: bool,
    /// Branches met but not yet taken, the innermost last.
    open: Vec<usize>,
    /// How many of them belong to the line's next move.
    own: usize,
    /// Moves whose alternatives are being read, the innermost last.
    nodes: Vec<Node>,
}

/// A move whose alternatives are being read.
struct Node {
    /// Where the line continues after them.
    place: LinePlace,
    /// Number of open branches that belong to other nodes.
    others: usize,
}

impl<'s> Lines<'s> {
    fn new(
        parts: &'s Parts<'s>,
        begun: &'s Begun<'s>,
        annotations: &'s Annotations<'s>,
    ) -> (Lines<'s>, (Men, Side)) {
        let stream = &begun.stream;
        let (branches, fault) = if stream.bytes.is_empty() {
            Default::default()
        } else {
            Branch::all(stream)
        };
        let lines = Lines {
            parts,
            stream,
            annotations,
            branches,
            fault: fault.map(|(what, at)| parts.damage(stream, what, at)),
            place: LinePlace {
                at: 0,
                moves: 0,
                next_branch: 0,
            },
            code_at: 0,
            is_fresh: false,
            is_at_node: false,
            open: Vec::new(),
            own: 0,
            nodes: Vec::new(),
        };
        (lines, (begun.men, begun.side))
    }

    fn move_played(&mut self) {
        self.is_fresh = false;
        self.is_at_node = self.own > 0;
        if self.is_at_node {
            self.nodes.push(Node {
                place: self.place,
                others: self.open.len().saturating_sub(self.own),
            });
        }
        self.own = 0;
    }

    fn branch_met(&mut self) {
        self.open.push(self.place.next_branch);
        self.place.next_branch += 1;
        self.own += usize::from(!self.is_fresh);
    }

    fn end_line(&mut self) -> Decoded<Token<Never>> {
        // A branch without a first move: the line continues with the alternative.
        if self.own > 0 {
            self.own -= 1;
            if let Some(branch) = self.take_branch(self.open.len().saturating_sub(1)) {
                self.go_to(branch);
                return Ok(Token::Skip);
            }
        }
        self.is_at_node = !self.nodes.is_empty();
        match self.fault {
            _ if self.is_at_node => Ok(Token::End),
            Some(fault) => Err(fault),
            None => Ok(Token::GameEnd),
        }
    }

    /// Goes to the next variation of the innermost node, or back to its line after the last.
    fn leave_node(&mut self) -> Token<Never> {
        self.is_at_node = false;
        let Some(node) = self.nodes.last() else {
            return Token::Skip;
        };
        let (others, place) = (node.others, node.place);
        if let Some(branch) = self.take_branch(others) {
            self.go_to(branch);
            self.is_fresh = true;
            return Token::Begin;
        }
        self.nodes.pop();
        self.place = place;
        Token::Skip
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
        self.place = LinePlace {
            at: branch.at.unwrap_or(self.stream.bytes.len()),
            moves: branch.moves,
            next_branch: branch.next_branch,
        };
    }

    /// Returns the position of the last move's annotations.
    fn position(&self) -> i32 {
        i32::try_from(self.place.moves).unwrap_or(i32::MAX) - 1
    }
}

impl TokenCursor for Lines<'_> {
    type Position = (Men, Side);
    type Note = Never;

    fn may_branch(&self) -> bool {
        self.own > 0
    }

    fn next<F: Follow>(
        &mut self,
        (men, side): &mut (Men, Side),
        follow: &mut F,
    ) -> Decoded<Token<Never>> {
        if self.is_at_node {
            return Ok(self.leave_node());
        }
        if self.stream.bytes.is_empty() {
            return Ok(Token::GameEnd);
        }
        self.code_at = self.place.at;
        let (moves, at) = (self.place.moves as u8, &mut self.place.at);
        let step = men.step(self.stream, *side, moves, at, follow);
        match step.map_err(|what| self.parts.damage(self.stream, what, self.code_at))? {
            Step::Move => {
                *side ^= 1;
                self.place.moves = self.place.moves.wrapping_add(1);
                self.move_played();
                return Ok(Token::Move);
            }
            Step::Branch => self.branch_met(),
            Step::Padding => {}
            Step::LineEnd => return self.end_line(),
        }
        Ok(Token::Skip)
    }

    fn token_at(&self) -> usize {
        self.parts
            .damage(self.stream, flaws::NESTED_TOO_DEEP, self.code_at)
            .at as usize
    }

    fn tell<V: Visitor + ?Sized>(&mut self, note: Never, _: &mut V) -> Flow {
        match note {}
    }

    fn tell_before<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Flow {
        self.annotations.tell_before(self.position(), visitor)
    }

    fn tell_after<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Flow {
        self.annotations.tell_after(self.position(), visitor)
    }
}
