//! The move after the first occurrence of a position, as a number and as text.

use shakmaty::{
    Bitboard, Chess, Color, File, Move, Piece, Position, Rank, Role, Setup, Square, san::SanPlus,
};
use tabiya_chess::{
    Flow, Follow, Placed, Start, opening_of,
    step::{Step, StepTaken},
};

use crate::pattern::{Finder, position_of};

use super::row::NextMove;

/// Decodes the number of a step.
pub(in crate::report) fn decoded(step: Step) -> NextMove {
    match step {
        Step::END => NextMove::End,
        Step::NULL => NextMove::Null,
        step => {
            let (from, to, promotion) = step.squares();
            NextMove::Move {
                from,
                to,
                promotion,
            }
        }
    }
}

/// Follows a game until a finder has found its position, and one move further.
#[derive(Debug)]
pub(super) struct After<F> {
    finder: F,
    found: bool,
    /// The move after the position.
    taken: StepTaken,
    moved_on: bool,
}

impl<F: Finder> After<F> {
    pub(super) fn new(finder: F) -> After<F> {
        After {
            finder,
            found: false,
            taken: StepTaken::default(),
            moved_on: false,
        }
    }

    /// Returns the step after the position in the last game followed; `None` without the position.
    #[inline]
    pub(super) fn step(&self) -> Option<Step> {
        match (self.found, self.moved_on) {
            (false, _) => None,
            (true, false) => Some(Step::END),
            (true, true) => Some(self.taken.step()),
        }
    }

    /// Continues when the position is found, even if its finder breaks.
    #[inline]
    fn note(&mut self, flow: Flow) -> Flow {
        if flow.is_break() && self.finder.found().is_some() {
            self.found = true;
            return Flow::Continue(());
        }
        flow
    }
}

/// It cannot rewind, since trees are made of main lines.
impl<F: Finder> Follow for After<F> {
    fn reset(&mut self) {
        self.found = false;
        self.finder.reset();
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        (self.found, self.moved_on) = (false, false);
        self.taken = StepTaken::default();
        let flow = self.finder.start(start);
        self.note(flow)
    }

    #[inline]
    fn moved(&mut self, from: Placed, to: Placed) {
        if self.found {
            self.taken.shift(from, to)
        } else {
            self.finder.moved(from, to)
        }
    }

    #[inline]
    fn remove(&mut self, gone: Placed) {
        if !self.found {
            self.finder.remove(gone);
        }
    }

    #[inline]
    fn place(&mut self, new: Placed) {
        if self.found {
            self.taken.place(new);
        } else {
            self.finder.place(new);
        }
    }

    #[inline(always)]
    fn ply_done(&mut self) -> Flow {
        if self.found {
            self.moved_on = true;
            return Flow::Break(());
        }
        let flow = self.finder.ply_done();
        self.note(flow)
    }
}

/// Formats moves of one position.
#[derive(Debug)]
pub(in crate::report) struct Writer {
    setup: Setup,
    position: Option<Chess>,
}

impl Writer {
    /// Uses the position with every castling right that its men allow, since games reach it with
    /// and without.
    pub(in crate::report) fn new(setup: &Setup) -> Writer {
        let mut setup = setup.clone();
        let mut rooks = Bitboard(0);
        for color in Color::ALL {
            let piece = |role| Piece { color, role };
            let home = Bitboard::from(color.fold_wb(Rank::First, Rank::Eighth));
            let king = color.fold_wb(Square::E1, Square::E8);
            if setup.board.piece_at(king) == Some(piece(Role::King)) {
                let corners = Bitboard::CORNERS & home;
                rooks |= setup.board.by_piece(piece(Role::Rook)) & corners;
            }
        }
        setup.castling_rights = rooks;
        setup.ep_square = None;
        let position = position_of(setup.clone());
        Writer { setup, position }
    }

    /// Returns the move in SAN; as from and to squares (`e1e5`) if the rules do not allow it; `--`
    /// for a null move, `[end]` for the end of the game. Also returns the name of the opening that
    /// the position after a move has.
    pub(in crate::report) fn write(&self, next: NextMove) -> (String, Option<&'static str>) {
        let (from, to, promotion) = match next {
            NextMove::End => return ("[end]".to_owned(), None),
            NextMove::Null => {
                let opening = opening_of(&self.setup.board, self.setup.turn.other());
                return ("--".to_owned(), opening);
            }
            NextMove::Move {
                from,
                to,
                promotion,
            } => (from, to, promotion),
        };
        let Some((mut position, played)) = self.find(next) else {
            let letter = promotion.map(Role::char).map(String::from);
            let text = format!("{from}{to}{}", letter.unwrap_or_default());
            return (text, None);
        };
        let san = SanPlus::from_move_and_play_unchecked(&mut position, played).to_string();
        (san, opening_of(position.board(), position.turn()))
    }

    /// Returns the castling rights that the men allow.
    pub(in crate::report) fn rights(&self) -> Bitboard {
        self.setup.castling_rights
    }

    /// Returns a position in which a move is legal, and the move.
    pub(in crate::report) fn find(&self, next: NextMove) -> Option<(Chess, Move)> {
        let NextMove::Move { to, .. } = next else {
            return None;
        };
        let found = |position: &Chess| Some((position.clone(), legal(position, next)?));
        let with = |change: fn(&mut Setup, Square)| {
            let mut setup = self.setup.clone();
            change(&mut setup, to);
            found(&position_of(setup)?)
        };
        let usual = self.position.as_ref();
        usual
            .and_then(found)
            .or_else(|| with(|setup, to| setup.ep_square = Some(to)))
            .or_else(|| with(|setup, to| setup.castling_rights = Bitboard::from(to)))
    }
}

/// Returns the move in a position; `None` if it is not legal.
pub(in crate::report) fn legal(position: &Chess, next: NextMove) -> Option<Move> {
    let NextMove::Move {
        from,
        to,
        promotion,
    } = next
    else {
        return None;
    };
    let goes = |played: &Move| {
        let target = match played.castling_side() {
            Some(side) if Bitboard::CORNERS.contains(played.to()) && from.file() == File::E => {
                Square::from_coords(side.king_to_file(), from.rank())
            }
            _ => played.to(),
        };
        played.from() == Some(from) && target == to && played.promotion() == promotion
    };
    position.legal_moves().into_iter().find(goes)
}
