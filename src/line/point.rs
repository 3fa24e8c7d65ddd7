//! A position that follows a game, even outside the rules of chess.

use shakmaty::{
    CastlingMode, Chess, EnPassantMode, Move, Piece, Position as _, Role, Setup, Square, san::San,
};
use tabiya_chess::{castling::castled, forgiving_position};

use super::LineMove;

/// A position that follows a game and writes its moves, also where the game leaves the rules: a
/// move that is not legal is made all the same, and its notation is the long one.
///
/// ```
/// use shakmaty::{Move, Role, Setup, Square};
/// use tabiya::Point;
///
/// let mut point = Point::new(Setup::initial());
/// let e4 = Move::Normal {
///     role: Role::Pawn,
///     from: Square::E2,
///     capture: None,
///     to: Square::E4,
///     promotion: None,
/// };
/// assert_eq!(point.play(Some(e4)).san, "e4");
/// ```
#[derive(Debug, Clone)]
pub struct Point {
    mode: CastlingMode,
    state: State,
}

#[derive(Debug, Clone)]
enum State {
    Legal(Chess),
    /// The game has left the rules: only the board and the side to move.
    Loose(Box<Setup>),
}

impl Point {
    /// Sets up a start position, which may be an impossible one.
    #[must_use]
    pub fn new(setup: Setup) -> Point {
        let mode = CastlingMode::detect(&setup);
        Point::with_mode(setup, mode)
    }

    /// Sets up a position of a game; `mode` of its start position determines the castling notation.
    pub(super) fn with_mode(setup: Setup, mode: CastlingMode) -> Point {
        Point {
            mode,
            state: state(setup),
        }
    }

    /// Returns the position. In a legal one, rights that the board contradicts are left out.
    #[must_use]
    pub fn setup(&self) -> Setup {
        match &self.state {
            State::Legal(position) => position.to_setup(EnPassantMode::Legal),
            State::Loose(setup) => setup.as_ref().clone(),
        }
    }

    /// Returns whether the game has kept to the rules until now.
    #[must_use]
    pub fn is_legal(&self) -> bool {
        matches!(self.state, State::Legal(_))
    }

    /// Plays a move, `None` for a null move, and returns it with its notation.
    pub fn play(&mut self, played: Option<Move>) -> LineMove {
        let Some(played) = played else {
            self.pass();
            return LineMove {
                played: None,
                san: "--".to_owned(),
                uci: "0000".to_owned(),
            };
        };
        let uci = played.to_uci(self.mode).to_string();
        let san = match &mut self.state {
            State::Legal(position) if position.is_legal(played) => write_and_play(position, played),
            _ => {
                self.force(played);
                uci.clone()
            }
        };
        LineMove {
            played: Some(played),
            san,
            uci,
        }
    }

    /// Plays a move, `None` for a null move, without writing it.
    pub fn follow(&mut self, played: Option<Move>) {
        let Some(played) = played else {
            self.pass();
            return;
        };
        match &mut self.state {
            State::Legal(position) if position.is_legal(played) => position.play_unchecked(played),
            _ => self.force(played),
        }
    }

    fn force(&mut self, played: Move) {
        let mut setup = self.setup();
        force(&mut setup, played);
        self.state = State::Loose(Box::new(setup));
    }

    fn pass(&mut self) {
        let mut setup = self.setup();
        setup.ep_square = None;
        end_ply(&mut setup);
        self.state = match &self.state {
            State::Legal(_) => state(setup),
            State::Loose(_) => State::Loose(Box::new(setup)),
        };
    }
}

/// Plays a legal move and returns its notation.
fn write_and_play(position: &mut Chess, played: Move) -> String {
    let mut san = San::from_move(position, played).to_string();
    position.play_unchecked(played);
    // Moves out of check are few even with impossible material, where a list of all moves would
    // overflow.
    match position.is_check() {
        true if position.legal_moves().is_empty() => san.push('#'),
        true => san.push('+'),
        false => {}
    }
    san
}

/// Converts a setup to a position; accepts positions that are merely unreachable.
fn state(setup: Setup) -> State {
    let mode = CastlingMode::detect(&setup);
    match forgiving_position(setup.clone(), mode) {
        Ok(position) => State::Legal(position),
        Err(_) => State::Loose(Box::new(setup)),
    }
}

/// Moves the men of a move without checking the rules.
fn force(setup: &mut Setup, played: Move) {
    let turn = setup.turn;
    let mut put = |square, role| {
        setup
            .board
            .set_piece_at(square, Piece { color: turn, role })
    };
    match played {
        Move::Normal {
            role,
            to,
            promotion,
            ..
        } => put(to, promotion.unwrap_or(role)),
        Move::EnPassant { to, .. } => put(to, Role::Pawn),
        Move::Put { role, to } => put(to, role),
        Move::Castle { .. } => {}
    }
    match played {
        Move::Normal { from, to, .. } if from != to => setup.board.discard_piece_at(from),
        Move::EnPassant { from, to } => {
            setup.board.discard_piece_at(from);
            let victim = Square::from_coords(to.file(), from.rank());
            setup.board.discard_piece_at(victim);
        }
        Move::Castle { king, rook } => {
            let (king_to, rook_to) = castled(king, rook);
            setup.board.discard_piece_at(king);
            setup.board.discard_piece_at(rook);
            for (role, to) in [(Role::King, king_to), (Role::Rook, rook_to)] {
                setup.board.set_piece_at(to, Piece { color: turn, role });
            }
        }
        _ => {}
    }
    setup.castling_rights &= setup.board.rooks();
    setup.ep_square = None;
    end_ply(setup);
}

/// Ends the half-move and passes the turn.
fn end_ply(setup: &mut Setup) {
    if setup.turn.is_black() {
        setup.fullmoves = setup.fullmoves.saturating_add(1);
    }
    setup.halfmoves = setup.halfmoves.saturating_add(1);
    setup.turn = setup.turn.other();
}
