//! All positions of a game as a tree, worked out move by move with nothing clever.

use shakmaty::{
    Bitboard, Board, CastlingMode, CastlingSide, Chess, Color, EnPassantMode, Move, Piece,
    Position, PositionError, Role, Setup, Square, san::SanPlus,
};
use tabiya::{chess::GameResult, query::Judgement};

use super::{
    engine_eval::EngineEval,
    game::{Event, PlainGame},
    remark::Remark,
};

/// How a position came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Made {
    Start,
    Null,
    Move(Move),
}

/// A position of a game, with all that a query may ask of it.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) board: Board,
    pub(crate) turn: Color,
    /// Plies since the game's own start position.
    pub(crate) ply: u32,
    /// The full-move number that PGN prints before the next move.
    pub(crate) number: u32,
    /// Rooks that may castle.
    pub(crate) castling: Bitboard,
    /// Where a legal en-passant capture would go.
    pub(crate) en_passant: Option<Square>,
    pub(crate) check: bool,
    pub(crate) mate: bool,
    pub(crate) stalemate: bool,
    /// The move that led here; none at the start and after a null move.
    pub(crate) played: Option<String>,
    pub(crate) made: Made,
    /// Where the men stand that the last move has moved.
    pub(crate) arrived: Bitboard,
    /// What an engine thought of it, where the format tells.
    pub(crate) eval: Option<EngineEval>,
    /// What the comments of the last move tell.
    pub(crate) remark: Remark,
    /// How the last move has changed the evaluation, in thousandths of pawns, for who made it.
    pub(crate) swing: Option<i64>,
    pub(crate) judgement: Option<Judgement>,
    /// How the game ended.
    pub(crate) result: GameResult,
    /// The square behind a pawn that has just made a double step.
    behind: Option<Square>,
}

/// A position in the tree.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) place: Place,
    /// The node of the position before; `None` at the start.
    pub(crate) parent: Option<usize>,
    /// The move that led here; none at the start and after a null move.
    pub(crate) moved: Option<Move>,
    pub(crate) in_main_line: bool,
}

/// Returns all positions of a game in the order of a PGN file, the start position first.
pub(crate) fn positions(game: &PlainGame) -> Vec<Node> {
    let start = game.start.clone().unwrap_or_else(Setup::initial);
    let mut place = Place::of_start(&start);
    place.result = game.header.result;
    let mut nodes = vec![Node {
        place,
        parent: None,
        moved: None,
        in_main_line: true,
    }];
    // The node that the next move continues, and those to come back to after variations.
    let mut now = 0;
    let mut waiting = Vec::new();
    for event in &game.events {
        match event {
            Event::Play(played) => {
                nodes.push(Node {
                    place: nodes[now].place.after(*played),
                    parent: Some(now),
                    moved: *played,
                    in_main_line: waiting.is_empty(),
                });
                now = nodes.len() - 1;
            }
            Event::Begin => {
                waiting.push(now);
                now = nodes[now].parent.expect("a variation of a move");
            }
            Event::End => now = waiting.pop().expect("a variation that began"),
            Event::Nag(_) | Event::Comment(_) => {}
        }
    }
    nodes
}

/// Returns the last positions of the main line and of all variations, in the order of a PGN file
/// but the main line first.
pub(crate) fn line_ends(game: &PlainGame, nodes: &[Node]) -> Vec<usize> {
    let (mut count, mut now) = (0, 0);
    let (mut waiting, mut ends) = (Vec::new(), Vec::new());
    for event in &game.events {
        match event {
            Event::Play(_) => {
                count += 1;
                now = count;
            }
            Event::Begin => {
                waiting.push(now);
                now = nodes[now].parent.expect("a variation of a move");
            }
            Event::End => {
                ends.push(now);
                now = waiting.pop().expect("a variation that began");
            }
            Event::Nag(_) | Event::Comment(_) => {}
        }
    }
    ends.insert(0, now);
    ends
}

/// Adds what an engine thought to the positions of a game without variations. A comment before
/// a move is about the position that the move leaves.
pub(crate) fn add_engine_data(game: &PlainGame, nodes: &mut [Node]) {
    let mut now = 0;
    for event in &game.events {
        match event {
            Event::Play(_) => now += 1,
            Event::Comment(text) => {
                let place = &mut nodes[now].place;
                let position = place.position();
                place.eval = EngineEval::read(text, place.turn, position.as_ref());
            }
            Event::Nag(_) | Event::Begin | Event::End => panic!("nothing but moves"),
        }
    }
}

/// Builds a position, letting pass what composed positions do.
pub(crate) fn legal(setup: Setup) -> Option<Chess> {
    legal_in(CastlingMode::Standard, setup)
}

/// As [`legal`], with the castling of standard chess or of Chess960.
pub(crate) fn legal_in(mode: CastlingMode, setup: Setup) -> Option<Chess> {
    setup
        .position::<Chess>(mode)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

impl Place {
    fn of_start(setup: &Setup) -> Place {
        let castling = match legal_in(CastlingMode::detect(setup), setup.clone()) {
            Some(position) => position.castles().castling_rights(),
            None => setup.castling_rights,
        };
        let start = Place {
            board: setup.board.clone(),
            turn: setup.turn,
            ply: 0,
            number: setup.fullmoves.get(),
            castling,
            en_passant: None,
            check: false,
            mate: false,
            stalemate: false,
            played: None,
            made: Made::Start,
            arrived: Bitboard::EMPTY,
            eval: None,
            remark: Remark::default(),
            swing: None,
            judgement: None,
            result: GameResult::Unknown,
            behind: setup.ep_square,
        };
        start.judged()
    }

    /// Returns the position for questions about legal moves.
    pub(crate) fn position(&self) -> Option<Chess> {
        let mut setup = Setup::empty();
        setup.board = self.board.clone();
        setup.turn = self.turn;
        setup.castling_rights = self.castling;
        setup.ep_square = self.behind;
        legal_in(CastlingMode::detect(&setup), setup)
    }

    /// Works out what the rules say about the position.
    fn judged(mut self) -> Place {
        let king = self.board.king_of(self.turn);
        let attackers = |king| {
            let enemy = self.turn.other();
            self.board.attacks_to(king, enemy, self.board.occupied())
        };
        self.check = king.is_some_and(|king| attackers(king).any());
        if let Some(position) = self.position() {
            self.mate = position.is_checkmate();
            self.stalemate = position.is_stalemate();
            self.en_passant = position.ep_square(EnPassantMode::Legal);
        }
        self
    }

    /// Returns the position after a move, `None` for a null move.
    pub(crate) fn after(&self, played: Option<Move>) -> Place {
        let mut next = self.clone();
        next.ply += 1;
        next.number += u32::from(self.turn.is_black());
        next.turn = self.turn.other();
        next.behind = None;
        next.eval = None;
        next.arrived = Bitboard::EMPTY;
        next.remark = Remark::default();
        next.en_passant = None;
        next.made = played.map_or(Made::Null, Made::Move);
        (next.swing, next.judgement) = (None, None);
        (next.mate, next.stalemate) = (false, false);
        next.played = played.and_then(|played| {
            let mut before = self.clone();
            if let Move::EnPassant { to, .. } = played {
                before.behind = Some(to);
            }
            Some(SanPlus::from_move(before.position()?, played).to_string())
        });
        if let Some(played) = played {
            next.make(played, self.turn);
        }
        next.judged()
    }

    fn make(&mut self, played: Move, color: Color) {
        let back = Bitboard::from(color.backrank());
        match played {
            Move::Normal {
                role,
                from,
                to,
                promotion,
                ..
            } => {
                self.board.discard_piece_at(from);
                let role_after = promotion.unwrap_or(role);
                self.put(to, color, role_after);
                self.castling.discard(from);
                self.castling.discard(to);
                if role == Role::King {
                    self.castling &= !back;
                }
                let double = role == Role::Pawn && (from as i32 - to as i32).abs() == 16;
                if double {
                    self.behind = Some(Square::new((from as u32 + to as u32) / 2));
                }
            }
            Move::EnPassant { from, to } => {
                self.board.discard_piece_at(from);
                let victim = Square::from_coords(to.file(), from.rank());
                self.board.discard_piece_at(victim);
                self.put(to, color, Role::Pawn);
            }
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_king_side(king < rook);
                self.board.discard_piece_at(king);
                self.board.discard_piece_at(rook);
                let rank = king.rank();
                let king_to = Square::from_coords(side.king_to_file(), rank);
                let rook_to = Square::from_coords(side.rook_to_file(), rank);
                self.put(king_to, color, Role::King);
                self.put(rook_to, color, Role::Rook);
                self.castling &= !back;
            }
            Move::Put { role, to } => self.put(to, color, role),
        }
    }

    fn put(&mut self, square: Square, color: Color, role: Role) {
        self.arrived.add(square);
        self.board.set_piece_at(square, Piece { color, role });
    }

    /// Returns the position with the colours exchanged and the ranks mirrored.
    pub(crate) fn flipped(&self) -> Place {
        let mut flipped = self.clone();
        flipped.board.flip_vertical();
        flipped.board.swap_colors();
        flipped.turn = self.turn.other();
        flipped.castling = self.castling.flip_vertical();
        flipped.arrived = self.arrived.flip_vertical();
        flipped.en_passant = self.en_passant.map(Square::flip_vertical);
        flipped.made = self.made.turned(Square::flip_vertical);
        flipped.result = match self.result {
            GameResult::WhiteWins => GameResult::BlackWins,
            GameResult::BlackWins => GameResult::WhiteWins,
            other => other,
        };
        flipped.played = self.played.as_deref().map(flipped_san);
        let renamed = |eval: &EngineEval| eval.renamed(flipped_san);
        flipped.eval = self.eval.as_ref().map(renamed);
        flipped.remark = self.remark.flipped();
        flipped
    }

    /// Returns the position with the files mirrored.
    pub(crate) fn mirrored(&self) -> Place {
        let mut mirrored = self.clone();
        mirrored.board.flip_horizontal();
        mirrored.castling = self.castling.flip_horizontal();
        mirrored.arrived = self.arrived.flip_horizontal();
        mirrored.en_passant = self.en_passant.map(Square::flip_horizontal);
        mirrored.made = self.made.turned(Square::flip_horizontal);
        mirrored.played = self.played.as_deref().map(mirrored_san);
        let renamed = |eval: &EngineEval| eval.renamed(mirrored_san);
        mirrored.eval = self.eval.as_ref().map(renamed);
        mirrored
    }
}

impl Made {
    fn turned(self, square: impl Fn(Square) -> Square) -> Made {
        match self {
            Made::Move(played) => Made::Move(turned_move(played, square)),
            other => other,
        }
    }
}

/// A move with all its squares turned.
pub(crate) fn turned_move(played: Move, square: impl Fn(Square) -> Square) -> Move {
    match played {
        Move::Normal {
            role,
            from,
            capture,
            to,
            promotion,
        } => Move::Normal {
            role,
            from: square(from),
            capture,
            to: square(to),
            promotion,
        },
        Move::EnPassant { from, to } => Move::EnPassant {
            from: square(from),
            to: square(to),
        },
        Move::Castle { king, rook } => Move::Castle {
            king: square(king),
            rook: square(rook),
        },
        Move::Put { role, to } => Move::Put {
            role,
            to: square(to),
        },
    }
}

/// A move with the ranks mirrored.
fn flipped_san(san: &str) -> String {
    let other = |letter: char| match letter.to_digit(10) {
        Some(digit) => char::from_digit(9 - digit, 10).unwrap_or(letter),
        None => letter,
    };
    san.chars().map(other).collect()
}

/// A move with the files mirrored.
fn mirrored_san(san: &str) -> String {
    let sign = san.trim_start_matches(['O', '-']);
    match san.len() - sign.len() {
        0 => {}
        3 => return format!("O-O-O{sign}"),
        _ => return format!("O-O{sign}"),
    }
    let other = |letter: char| match letter {
        'a'..='h' => char::from(b'a' + b'h' - letter as u8),
        other => other,
    };
    san.chars().map(other).collect()
}
