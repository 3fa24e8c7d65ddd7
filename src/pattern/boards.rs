//! A board that follows a game with all that patterns may ask for.

use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, Move, Position, Role, Setup,
    Square, attacks,
};

use super::{
    played::SanPattern,
    term::Moment,
    thought::{Kept, ShareRange},
};
use crate::chess::{Counts, Man, Placed, Thought, forgiving_position};

/// Bitboards, counts, who is to move, how far the game is.
#[derive(Debug, Clone)]
pub(crate) struct Boards {
    /// By [`Man::index`]; padded so that no index can miss.
    men: [u64; 16],
    /// How many men there are of each kind.
    pub(crate) counts: Counts,
    /// Who is to move.
    pub(crate) turn: Color,
    /// Plies since the start of the game.
    pub(crate) ply: u32,
    /// Full-move number of the start position, doubled, plus one if Black began.
    clock: u32,
    /// A pawn has moved or a man has left since somebody last cleared this.
    pub(crate) changed_for_good: bool,
    /// Whether the next two are kept up to date.
    tracks_rights: bool,
    /// Rooks that have not moved since the start and whose king has not either.
    castling: u64,
    /// The square behind a pawn that has just made a double step.
    double_step: Option<Square>,
    /// The last move; kept only if somebody wants it.
    last: Option<Box<LastMove>>,
    /// What an engine thought of the position; kept only if somebody wants it.
    thought: Option<Box<Kept>>,
}

/// The last ply, and the men before it.
#[derive(Debug, Clone, Default)]
struct LastMove {
    men_before: [u64; 16],
    castling_before: u64,
    /// The man that moved, before and after (a promoting pawn is still a pawn). The king when
    /// castling.
    moved: Option<(Placed, Placed)>,
    /// The castling rook, before.
    rook: Option<Placed>,
    captured: Option<Placed>,
    promoted: Option<Placed>,
}

impl Boards {
    /// Returns the standard start position.
    pub(crate) fn standard() -> Boards {
        Boards::new(&Setup::initial())
    }

    /// Returns a start position.
    pub(crate) fn new(setup: &Setup) -> Boards {
        let mut men = [0; 16];
        for man in Man::ALL {
            men[man.index()] = setup.board.by_piece(man.into()).into();
        }
        Boards {
            men,
            counts: Counts::of(&setup.board),
            turn: setup.turn,
            ply: 0,
            clock: setup
                .fullmoves
                .get()
                .saturating_mul(2)
                .saturating_add(u32::from(setup.turn.is_black())),
            changed_for_good: true,
            tracks_rights: false,
            castling: valid_castling(setup),
            double_step: setup.ep_square,
            last: None,
            thought: None,
        }
    }

    /// Starts a game at this position. Reuses memory.
    #[inline]
    pub(crate) fn restart(&mut self, at: &Boards) {
        *self = Boards {
            last: self.last.take(),
            thought: self.thought.take(),
            tracks_rights: self.tracks_rights,
            ..*at
        };
    }

    /// Keeps the last move from now on, for [`last_move`](Boards::last_move).
    pub(crate) fn keep_last_move(&mut self) {
        self.last.get_or_insert_default();
    }

    /// Keeps what an engine thinks from now on.
    pub(crate) fn keep_thoughts(&mut self) {
        self.thought.get_or_insert_default();
    }

    /// Something is told of the position that comes next.
    #[inline]
    pub(crate) fn think(&mut self, thought: Option<Thought<'_>>) {
        if let Some(kept) = &mut self.thought {
            kept.keep(thought);
        }
    }

    /// Keeps castling and en-passant rights up to date from now on.
    pub(crate) fn track_rights(&mut self) {
        self.tracks_rights = true;
    }

    /// Returns the squares of one kind of men.
    #[inline]
    pub(crate) fn of(&self, man: Man) -> u64 {
        self.men[man.index()]
    }

    /// Returns the squares of all men of a set (bit [`Man::index`]).
    #[inline]
    pub(crate) fn union(&self, men: u16) -> u64 {
        let mut rest = men & 0xfff;
        // Most patterns ask for one kind of men at a time.
        let mut squares = self.men[rest.trailing_zeros() as usize & 15];
        rest &= rest.wrapping_sub(1);
        while rest != 0 {
            squares |= self.men[rest.trailing_zeros() as usize & 15];
            rest &= rest - 1;
        }
        squares
    }

    /// Returns the squares of one side's pawns.
    #[inline]
    pub(crate) fn pawns(&self, color: Color) -> u64 {
        self.men[if color.is_white() { 5 } else { 11 }]
    }

    /// Returns the full-move number: what PGN would print before the next move.
    pub(crate) fn move_number(&self) -> u32 {
        self.clock.saturating_add(self.ply) / 2
    }

    /// Returns what can be said without squares.
    pub(crate) fn moment(&self) -> Moment {
        Moment {
            counts: self.counts,
            turn: self.turn,
            ply: self.ply,
            move_number: self.move_number(),
        }
    }

    /// Returns the squares of the rooks that may still castle.
    pub(crate) fn castling(&self) -> u64 {
        self.castling
    }

    /// A man moves.
    #[inline]
    pub(crate) fn shift(&mut self, from: Placed, to: Placed) {
        let (from_bit, to_bit) = (1u64 << from.square_index(), 1u64 << to.square_index());
        self.men[from.man_index()] ^= from_bit ^ to_bit;
        self.changed_for_good |= from.man_index() % 6 == 5;
        if self.tracks_rights {
            self.lose_rights(from, to);
        }
        if let Some(last) = &mut self.last {
            match last.moved {
                None => last.moved = Some((from, to)),
                Some(_) => last.rook = Some(from),
            }
        }
    }

    /// A king that moves takes the rights of its side along, a rook its own; a pawn's double
    /// step gives one.
    fn lose_rights(&mut self, from: Placed, to: Placed) {
        self.castling &= !(1 << from.square_index());
        match from.man_index() {
            0 => self.castling &= !0xff,
            6 => self.castling &= !(0xff << 56),
            5 | 11 if from.square_index().abs_diff(to.square_index()) == 16 => {
                let middle = (from.square_index() + to.square_index()) / 2;
                self.double_step = Some(Square::new(u32::from(middle & 63)));
            }
            _ => {}
        }
    }

    /// A man leaves the board.
    #[inline]
    pub(crate) fn remove(&mut self, gone: Placed) {
        self.men[gone.man_index()] ^= 1 << gone.square_index();
        self.counts.take(gone.man());
        self.castling &= !(1 << gone.square_index());
        self.changed_for_good = true;
        if let Some(last) = &mut self.last {
            // A promoting pawn is removed after it has moved; a captured man before.
            if last.moved.is_none() {
                last.captured = Some(gone);
            }
        }
    }

    /// A man appears.
    #[inline]
    pub(crate) fn place(&mut self, new: Placed) {
        self.men[new.man_index()] ^= 1 << new.square_index();
        self.counts.add(new.man());
        self.changed_for_good = true;
        if let Some(last) = &mut self.last {
            last.promoted = Some(new);
        }
    }

    /// Passes the turn: a ply is complete.
    #[inline]
    pub(crate) fn pass(&mut self) {
        self.turn = self.turn.other();
        self.ply += 1;
    }

    /// Forgets what only holds right after a move, before the next one.
    #[inline]
    pub(crate) fn begin_ply(&mut self) {
        self.double_step = None;
        if let Some(last) = &mut self.last {
            **last = LastMove {
                men_before: self.men,
                castling_before: self.castling,
                ..LastMove::default()
            };
        }
    }

    /// Tells whether the side to move is in check.
    pub(crate) fn is_check(&self) -> bool {
        let Some(king) = Bitboard(self.of(Man::new(self.turn, Role::King))).first() else {
            return false;
        };
        let enemy = |role| Bitboard(self.of(Man::new(self.turn.other(), role)));
        let occupied = Bitboard(self.union(0xfff));
        let queens = enemy(Role::Queen);
        (attacks::pawn_attacks(self.turn, king) & enemy(Role::Pawn)).any()
            || (attacks::knight_attacks(king) & enemy(Role::Knight)).any()
            || (attacks::bishop_attacks(king, occupied) & (enemy(Role::Bishop) | queens)).any()
            || (attacks::rook_attacks(king, occupied) & (enemy(Role::Rook) | queens)).any()
    }

    /// Tells whether the side to move is checkmated.
    pub(crate) fn is_mate(&self) -> bool {
        self.is_check()
            && self
                .position()
                .is_some_and(|position| position.is_checkmate())
    }

    /// Tells whether the side to move is stalemated.
    pub(crate) fn is_stalemate(&self) -> bool {
        !self.is_check()
            && self
                .position()
                .is_some_and(|position| position.is_stalemate())
    }

    /// Tells whether an engine's expectation for the side to move lies in a range; not when none
    /// is told.
    pub(crate) fn scores(&self, range: &ShareRange) -> bool {
        self.thought
            .as_ref()
            .is_some_and(|thought| thought.scores(range))
    }

    /// Tells whether an engine's visits lie in a range: those of a move that is wanted, or of
    /// the most visited one; not when none are told.
    pub(crate) fn visits(&self, wanted: Option<&SanPattern>, range: &ShareRange) -> bool {
        let Some(thought) = &self.thought else {
            return false;
        };
        match wanted {
            None => thought.is_focused(range),
            Some(wanted) => self
                .position()
                .is_some_and(|position| thought.visits_move(&position, wanted, range)),
        }
    }

    /// Returns the square of a legal en-passant capture.
    pub(crate) fn en_passant(&self) -> Option<Square> {
        self.double_step?;
        self.position()?.ep_square(EnPassantMode::Legal)
    }

    /// Returns the position for questions about legal moves; `None` if the rules of chess do
    /// not know such a position.
    fn position(&self) -> Option<Chess> {
        position(&self.men, self.castling, self.turn, self.double_step)
    }

    /// Returns the last move and the position before it; `None` at the start, after a null
    /// move, if nobody wanted it kept and if the rules do not know such a position.
    pub(crate) fn last_move(&self) -> Option<(Chess, Move)> {
        let last = self.last.as_deref()?;
        let (from, to) = last.moved?;
        let mut castling = last.castling_before;
        let mut en_passant = None;
        let played = match (last.rook, last.captured) {
            (Some(rook), _) => {
                castling |= 1 << rook.square_index();
                Move::Castle {
                    king: from.square(),
                    rook: rook.square(),
                }
            }
            (None, Some(captured)) if captured.square() != to.square() => {
                en_passant = Some(to.square());
                Move::EnPassant {
                    from: from.square(),
                    to: to.square(),
                }
            }
            (None, captured) => Move::Normal {
                role: from.man().role(),
                from: from.square(),
                capture: captured.map(|captured| captured.man().role()),
                to: to.square(),
                promotion: last.promoted.map(|placed| placed.man().role()),
            },
        };
        let before = position(&last.men_before, castling, self.turn.other(), en_passant)?;
        Some((before, played))
    }
}

/// Returns what of a start position's castling rights the rules allow.
fn valid_castling(setup: &Setup) -> u64 {
    let rooks = setup.board.rooks() & setup.castling_rights;
    let side = |color: Color| {
        let back = Bitboard::from(color.backrank());
        let king_home = setup
            .board
            .king_of(color)
            .is_some_and(|king| back.contains(king));
        if king_home {
            rooks & setup.board.by_color(color) & back
        } else {
            Bitboard(0)
        }
    };
    (side(Color::White) | side(Color::Black)).into()
}

fn position(
    men: &[u64; 16],
    castling: u64,
    turn: Color,
    en_passant: Option<Square>,
) -> Option<Chess> {
    let mut board = Board::empty();
    for man in Man::ALL {
        for square in Bitboard(men[man.index()]) {
            board.set_piece_at(square, man.into());
        }
    }
    let mut setup = Setup::empty();
    setup.board = board;
    setup.turn = turn;
    setup.castling_rights = Bitboard(castling);
    setup.ep_square = en_passant;
    position_of(setup)
}

/// Builds a position, letting pass what studies and composed positions do; `None` if the rules
/// do not know such a position even so.
pub(crate) fn position_of(setup: Setup) -> Option<Chess> {
    let mode = CastlingMode::detect(&setup);
    forgiving_position(setup, mode).ok()
}
