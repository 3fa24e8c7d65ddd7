//! A board that follows a game and has everything that patterns can test.

use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, Chess, Color, EnPassantMode, Position, Role,
    Setup, Square, attacks,
};
use tabiya_chess::{Counts, EngineEval, GameResult, Man, Placed, forgiving_position, step::Step};

use super::{
    engine_eval::{Kept, ShareRange},
    history::History,
    remark::Told,
};

/// Bitboards, counts, side to move and ply.
#[derive(Debug, Clone)]
pub(crate) struct Boards {
    /// By [`Man::index`]; padded so that no index is out of bounds.
    men: [u64; 16],
    /// The squares of all men.
    occupied: u64,
    /// How many men there are of each kind.
    pub(crate) counts: Counts,
    /// Who is to move.
    pub(crate) turn: Color,
    /// Plies since the start of the game.
    pub(crate) ply: u32,
    /// Full-move number of the start position, doubled, plus one if Black began.
    clock: u32,
    /// Whether a pawn has moved since this was last cleared.
    pub(super) pawn_moved: bool,
    /// Whether a man has left or was added since this was last cleared.
    pub(super) men_changed: bool,
    /// Whether castling rights are kept up to date.
    tracks_castling: bool,
    /// Rooks that have not moved since the start and whose king has not either.
    castling: u64,
    /// The en-passant square of the start position, before the first ply.
    en_passant_at_start: Option<Square>,
    /// The last man shifted in the last ply; the rook when castling.
    shifted: Option<(Placed, Placed)>,
    /// The last move; kept only on request.
    last: Option<LastMove>,
    /// Engine data of the position; kept only on request.
    eval: Option<Box<Kept>>,
    /// What the comments of the last move tell, if a search passes it.
    told: Told,
    /// The positions before; kept only on request.
    history: Option<Box<History>>,
    /// Plies since the last capture or pawn move.
    quiet: u32,
    /// Whether a pawn has moved or a man left in this ply.
    is_irreversible: bool,
    /// The result of the game.
    result: Option<GameResult>,
    /// What follows on the line, if a search passes it.
    ahead: Ahead,
}

/// What follows a position on its line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ahead {
    /// The next move.
    pub(crate) next: Step,
    /// What the last move has given that the next ones do not win back.
    pub(crate) sacrifice: Option<i32>,
}

impl Default for Ahead {
    /// Nothing follows.
    fn default() -> Ahead {
        Ahead {
            next: Step::END,
            sacrifice: None,
        }
    }
}

/// The properties of a position that do not depend on its squares.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) counts: Counts,
    pub(crate) turn: Color,
    /// Plies since the start.
    pub(crate) ply: u32,
    /// Full-move number.
    pub(crate) move_number: u32,
}

/// What is cleared when the next ply begins.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LastPly {
    en_passant_at_start: Option<Square>,
    shifted: Option<(Placed, Placed)>,
    last: Option<LastMove>,
}

/// What the last ply has changed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LastMove {
    /// The man that moved, before and after (a promoting pawn is still a pawn). The king when
    /// castling.
    pub(super) moved: Option<(Placed, Placed)>,
    /// The castling rook, before and after.
    pub(super) rook: Option<(Placed, Placed)>,
    /// The square of the captured man.
    pub(super) captured: Option<u8>,
    pub(super) promotion: Option<Role>,
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
            occupied: setup.board.occupied().into(),
            counts: Counts::of(&setup.board),
            turn: setup.turn,
            ply: 0,
            clock: setup
                .fullmoves
                .get()
                .saturating_mul(2)
                .saturating_add(u32::from(setup.turn.is_black())),
            pawn_moved: true,
            men_changed: true,
            tracks_castling: false,
            castling: valid_castling(setup),
            en_passant_at_start: setup.ep_square,
            shifted: None,
            last: None,
            eval: None,
            told: Told::default(),
            history: None,
            quiet: 0,
            is_irreversible: false,
            result: None,
            ahead: Ahead::default(),
        }
    }

    /// Returns a start position from which castling rights are kept up to date: in Chess960
    /// castling can be the only legal move.
    pub(crate) fn with_castling(setup: &Setup) -> Boards {
        Boards {
            tracks_castling: true,
            ..Boards::new(setup)
        }
    }

    /// Starts a game at this position. Reuses memory.
    #[inline]
    pub(crate) fn restart(&mut self, at: &Boards) {
        *self = Boards {
            last: self.last.take().map(|_| LastMove::default()),
            eval: self.eval.take(),
            history: self.history.take(),
            result: self.result,
            ahead: self.ahead,
            ..*at
        };
        self.remember(true);
    }

    /// Sets up the end of a game: the squares of all men, their [indices](Man::index) in the order
    /// of the squares, half a byte each (lower half first), the side to move and the square that a
    /// pawn has just crossed. Indices that no man has are passed over.
    pub(crate) fn set_up(
        &mut self,
        squares: u64,
        men: &[u8],
        turn: Color,
        crossed: Option<Square>,
    ) {
        (self.men, self.counts) = ([0; 16], Counts::default());
        (self.occupied, self.turn, self.en_passant_at_start) = (squares, turn, crossed);
        let mut rest = squares;
        for pair in men {
            for half in [pair & 15, pair >> 4] {
                self.men[usize::from(half)] |= rest & rest.wrapping_neg();
                rest &= rest.wrapping_sub(1);
                self.counts.add_if_any(half);
            }
        }
        // The half byte after the last man looks like a king, which is not counted.
    }

    /// Adds the present position to the history, which begins anew after a move that cannot be
    /// undone.
    fn remember(&mut self, begins: bool) {
        let (occupied, castling) = (self.occupied, self.castling);
        let is_lost = |history: &History| history.castling() != castling;
        let begins = begins || self.history.as_deref().is_some_and(is_lost);
        let has_en_passant = begins && self.history.is_some() && self.en_passant().is_some();
        match &mut self.history {
            Some(history) if begins => history.begin(occupied, castling, has_en_passant),
            Some(history) => history.go_on(occupied),
            None => {}
        }
    }

    /// Keeps the positions of the line from now on.
    pub(crate) fn keep_history(&mut self) {
        self.history.get_or_insert_default();
    }

    /// Returns the number of half-moves since the last capture or pawn move of the line.
    pub(super) fn quiet(&self) -> u32 {
        self.quiet
    }

    /// Returns how often the position has stood on the line, this time included.
    pub(crate) fn repetition(&self) -> u32 {
        self.history
            .as_ref()
            .map_or(0, |history| history.repetition(&self.men))
    }

    /// Stores the result of the games that follow.
    pub(crate) fn set_result(&mut self, result: GameResult) {
        self.result = Some(result);
    }

    /// Returns the result of the game.
    pub(super) fn result(&self) -> Option<GameResult> {
        self.result
    }

    /// Stores what follows the next position.
    pub(crate) fn look_ahead(&mut self, ahead: Ahead) {
        self.ahead = ahead;
    }

    /// Returns what the last move has given that the next ones do not win back.
    pub(super) fn sacrifice(&self) -> Option<i32> {
        self.ahead.sacrifice
    }

    /// Returns the next move of the line.
    pub(super) fn next_move(&self) -> Step {
        self.ahead.next
    }

    /// Keeps the last move from now on, for [`last`](Boards::last).
    pub(crate) fn keep_last_move(&mut self) {
        self.last.get_or_insert_default();
    }

    /// Keeps engine data from now on.
    pub(crate) fn keep_engine_data(&mut self) {
        self.eval.get_or_insert_default();
    }

    /// Stores the engine data of the next position.
    #[inline]
    pub(crate) fn evaluation(&mut self, eval: Option<EngineEval<'_>>) {
        if let Some(kept) = &mut self.eval {
            kept.keep(eval);
        }
    }

    /// Stores what the comments of the next move tell.
    pub(super) fn note(&mut self, told: Told) {
        self.told = told;
    }

    /// Returns what the comments of the last move tell.
    pub(super) fn told(&self) -> &Told {
        &self.told
    }

    /// Keeps castling rights up to date from now on.
    pub(crate) fn track_castling(&mut self) {
        self.tracks_castling = true;
    }

    /// Returns the squares of one kind of men.
    #[inline]
    pub(crate) fn of(&self, man: Man) -> u64 {
        self.men[man.index()]
    }

    /// Returns the squares of all men.
    #[inline]
    pub(crate) fn occupied(&self) -> u64 {
        self.occupied
    }

    /// Returns the squares of all men of a set (bit [`Man::index`]).
    #[inline]
    pub(crate) fn union(&self, men: u16) -> u64 {
        let mut rest = men & 0xfff;
        // Most patterns test one kind of men at a time.
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

    /// Returns the full-move number that PGN would print before the next move.
    pub(crate) fn move_number(&self) -> u32 {
        self.clock.saturating_add(self.ply) / 2
    }

    /// Returns the data that does not depend on squares.
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

    /// Moves a man.
    #[inline]
    pub(crate) fn shift(&mut self, from: Placed, to: Placed) {
        let (from_bit, to_bit) = (1u64 << from.square_index(), 1u64 << to.square_index());
        self.men[from.man_index()] ^= from_bit ^ to_bit;
        self.occupied ^= from_bit ^ to_bit;
        let is_pawn = from.man_index() % 6 == 5;
        self.pawn_moved |= is_pawn;
        self.is_irreversible |= is_pawn;
        self.shifted = Some((from, to));
        if self.tracks_castling {
            self.lose_castling(from);
        }
        if let Some(history) = &mut self.history {
            history.shift(from, to);
        }
        if let Some(last) = &mut self.last {
            match last.moved {
                None => last.moved = Some((from, to)),
                Some(_) => last.rook = Some((from, to)),
            }
        }
    }

    /// Updates castling rights: a king's move ends those of its side, a rook's move its own.
    fn lose_castling(&mut self, from: Placed) {
        self.castling &= !(1 << from.square_index());
        match from.man_index() {
            0 => self.castling &= !0xff,
            6 => self.castling &= !(0xff << 56),
            _ => {}
        }
    }

    /// Removes a man from the board.
    #[inline]
    pub(crate) fn remove(&mut self, gone: Placed) {
        self.men[gone.man_index()] ^= 1 << gone.square_index();
        self.occupied ^= 1 << gone.square_index();
        self.counts.take(gone.man());
        self.castling &= !(1 << gone.square_index());
        self.men_changed = true;
        self.is_irreversible = true;
        if let Some(last) = &mut self.last {
            // A promoting pawn is removed after it has moved; a captured man before.
            if last.moved.is_none() {
                last.captured = Some(gone.square_index());
            }
        }
    }

    /// Adds a man to the board.
    #[inline]
    pub(crate) fn place(&mut self, new: Placed) {
        self.men[new.man_index()] ^= 1 << new.square_index();
        self.occupied ^= 1 << new.square_index();
        self.counts.add(new.man());
        self.men_changed = true;
        if let Some(last) = &mut self.last {
            last.promotion = Some(new.man().role());
        }
    }

    /// Ends the ply: the other side is to move.
    #[inline]
    pub(crate) fn pass(&mut self) {
        self.turn = self.turn.other();
        self.ply += 1;
        self.quiet = if self.is_irreversible {
            0
        } else {
            self.quiet + 1
        };
        if self.history.is_some() {
            self.remember(self.is_irreversible);
        }
    }

    /// Clears what only holds right after a move.
    #[inline]
    pub(crate) fn begin_ply(&mut self) {
        (self.en_passant_at_start, self.shifted) = (None, None);
        self.is_irreversible = false;
        if let Some(last) = &mut self.last {
            *last = LastMove::default();
        }
    }

    /// Returns what [`begin_ply`](Boards::begin_ply) clears.
    #[inline]
    pub(super) fn last_ply(&self) -> LastPly {
        LastPly {
            en_passant_at_start: self.en_passant_at_start,
            shifted: self.shifted,
            last: self.last,
        }
    }

    /// Returns to the position before the present ply began.
    pub(super) fn return_to(&mut self, ply: LastPly) {
        self.en_passant_at_start = ply.en_passant_at_start;
        (self.shifted, self.last) = (ply.shifted, ply.last);
    }

    /// Returns whether an engine's expectation for the side to move is in a range; `false` without
    /// engine data.
    pub(crate) fn scores(&self, range: &ShareRange) -> bool {
        self.eval.as_ref().is_some_and(|eval| eval.scores(range))
    }

    /// Returns whether an engine's visits are in a range: those of the wanted move, or else those
    /// of the most visited move. `false` without engine data.
    pub(crate) fn visits(&self, fits: Option<impl Fn(&str) -> bool>, range: &ShareRange) -> bool {
        let Some(eval) = &self.eval else {
            return false;
        };
        match fits {
            None => eval.is_focused(range),
            Some(fits) => self
                .position()
                .is_some_and(|position| eval.visits_move(&position, fits, range)),
        }
    }

    /// Returns the square of a legal en-passant capture.
    pub(crate) fn en_passant(&self) -> Option<Square> {
        let behind = self.double_step()?;
        let near = attacks::pawn_attacks(self.turn.other(), behind);
        if u64::from(near) & self.pawns(self.turn) == 0 {
            return None;
        }
        self.position()?.ep_square(EnPassantMode::Legal)
    }

    /// Returns the position, to be asked about legal moves; `None` if the rules of chess do not
    /// allow it.
    ///
    /// It has no castling rights if they are not kept up to date. In standard chess that does not
    /// affect whether there is a legal move: a king that may castle may also step onto the adjacent
    /// square that it would cross.
    pub(super) fn position(&self) -> Option<Chess> {
        let castling = if self.tracks_castling {
            self.castling
        } else {
            0
        };
        position(&self.men, castling, self.turn, self.double_step())
    }

    /// Returns the square that a pawn has just crossed by a double step.
    pub(crate) fn double_step(&self) -> Option<Square> {
        let (from, to) = match self.shifted {
            Some((from, to)) if from.man().role() == Role::Pawn => (from, to),
            _ => return self.en_passant_at_start,
        };
        let (from, to) = (from.square_index(), to.square_index());
        (from.abs_diff(to) == 16).then(|| Square::new(u32::from((from + to) / 2)))
    }

    /// Returns the changes of the last ply, if they are kept.
    pub(super) fn last(&self) -> Option<&LastMove> {
        self.last.as_ref()
    }
}

/// Returns the castling rights of a start position that the rules allow.
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
    let of = |color, role| Bitboard(men[Man::new(color, role).index()]);
    let both = |role| of(Color::White, role) | of(Color::Black, role);
    let all = |color| {
        Role::ALL
            .into_iter()
            .fold(Bitboard::EMPTY, |all, role| all | of(color, role))
    };
    let mut setup = Setup::empty();
    setup.board = Board::try_from_bitboards(ByRole::new_with(both), ByColor::new_with(all)).ok()?;
    setup.turn = turn;
    setup.castling_rights = Bitboard(castling);
    setup.ep_square = en_passant;
    position_of(setup)
}

/// Builds a position, tolerating what occurs in studies and composed positions. Returns `None` if
/// the rules do not allow it even so.
pub(crate) fn position_of(setup: Setup) -> Option<Chess> {
    let mode = CastlingMode::detect(&setup);
    forgiving_position(setup, mode).ok()
}
