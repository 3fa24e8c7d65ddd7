//! What the words about attacks, pins and pawns mean, told by walking over the board.

use shakmaty::{Board, Color, Move, Piece, Position, Role, Square};
use tabiya::{
    chess::Man,
    query::{Designator, ManSet, Place as Where, Relation, Standing, State},
};

use super::{
    lines::View,
    walk::{Made, Place},
};

const KNIGHT: [(i32, i32); 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];
const STRAIGHT: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const DIAGONAL: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

/// Files and ranks by which the named squares are moved.
pub(crate) type Shift = (i32, i32);

/// Returns the square that is `files` and `ranks` away, if it is on the board.
pub(crate) fn moved(square: Square, (files, ranks): Shift) -> Option<Square> {
    let (file, rank) = (square as i32 % 8 + files, square as i32 / 8 + ranks);
    let on_board = (0..8).contains(&file) && (0..8).contains(&rank);
    on_board.then(|| Square::new((rank * 8 + file) as u32))
}

/// Whether a square is in a place that has been moved.
pub(crate) fn is_in(square: Square, place: Where, shift: Shift) -> bool {
    let (file, rank) = (square as i32 % 8, square as i32 / 8);
    match place {
        Where::Square(wanted) => moved(wanted, shift) == Some(square),
        Where::File(wanted) => wanted as i32 + shift.0 == file,
        Where::Rank(wanted) => wanted as i32 + shift.1 == rank,
    }
}

/// The men that a designator names, with their squares.
fn men_of(board: &Board, men: &Designator, shift: Shift) -> Vec<(Square, Piece)> {
    let on_board = Square::ALL.into_iter();
    let men_on_board = on_board.filter_map(|square| Some((square, board.piece_at(square)?)));
    men_on_board
        .filter(|(square, piece)| {
            men.men.contains(Man::from(*piece))
                && men.place.is_none_or(|place| is_in(*square, place, shift))
        })
        .collect()
}

/// The directions in which a sliding man moves.
fn directions(role: Role) -> Vec<(i32, i32)> {
    match role {
        Role::Rook => STRAIGHT.to_vec(),
        Role::Bishop => DIAGONAL.to_vec(),
        Role::Queen => [STRAIGHT, DIAGONAL].concat(),
        _ => Vec::new(),
    }
}

/// The squares that a man attacks.
fn attacked(board: &Board, from: Square, piece: Piece) -> Vec<Square> {
    let steps: Vec<(i32, i32)> = match piece.role {
        Role::Pawn => {
            let ahead = if piece.color.is_white() { 1 } else { -1 };
            vec![(-1, ahead), (1, ahead)]
        }
        Role::Knight => KNIGHT.to_vec(),
        Role::King => [STRAIGHT, DIAGONAL].concat(),
        slider => {
            let mut squares = Vec::new();
            for step in directions(slider) {
                let mut now = from;
                while let Some(next) = moved(now, step) {
                    squares.push(next);
                    if board.piece_at(next).is_some() {
                        break;
                    }
                    now = next;
                }
            }
            return squares;
        }
    };
    let squares = steps.into_iter();
    squares.filter_map(|step| moved(from, step)).collect()
}

fn attackers(board: &Board, square: Square, is_one: impl Fn(Square, Piece) -> bool) -> usize {
    let men = Square::ALL.into_iter();
    let men = men.filter_map(|from| Some((from, board.piece_at(from)?)));
    men.filter(|&(from, piece)| is_one(from, piece))
        .filter(|&(from, piece)| attacked(board, from, piece).contains(&square))
        .count()
}

fn is_defended(board: &Board, square: Square, color: Color) -> bool {
    attackers(board, square, |_, piece| piece.color == color) > 0
}

/// The men met one after the other from a square in a direction.
fn met(board: &Board, from: Square, step: (i32, i32)) -> Vec<(Square, Piece)> {
    let squares = std::iter::successors(moved(from, step), |&now| moved(now, step));
    squares
        .filter_map(|square| Some((square, board.piece_at(square)?)))
        .collect()
}

pub(crate) fn relation_holds(relation: &Relation<Designator>, board: &Board, shift: Shift) -> bool {
    match relation {
        Relation::Attacks { by, on, times } => {
            let by = men_of(board, by, shift);
            let targets: Vec<Square> = if on.men == ManSet::ANY {
                let squares = Square::ALL.into_iter();
                let is_named = |place| move |square: &Square| is_in(*square, place, shift);
                squares
                    .filter(is_named(on.place.expect("a square")))
                    .collect()
            } else {
                let men = men_of(board, on, shift).into_iter();
                men.map(|(square, _)| square).collect()
            };
            targets.into_iter().any(|target| {
                attackers(board, target, |from, piece| by.contains(&(from, piece)))
                    >= usize::from(*times)
            })
        }
        Relation::Ray(three) => {
            let [first, second, third] = three.each_ref().map(|men| men_of(board, men, shift));
            first.into_iter().any(|(from, piece)| {
                directions(piece.role).into_iter().any(|step| {
                    let met = met(board, from, step);
                    met.len() >= 2 && second.contains(&met[0]) && third.contains(&met[1])
                })
            })
        }
        Relation::Standing(standing, men) => men_of(board, men, shift)
            .into_iter()
            .any(|(square, piece)| stands(*standing, board, square, piece)),
        other => panic!("nobody evaluates {other:?}"),
    }
}

/// Whether the last move has opened the line of a sliding man of the first kind, which stood there
/// before, to one of the second, which did too.
pub(crate) fn discovered(men: &[Designator; 2], view: &View<'_>, shift: Shift) -> bool {
    let (after, Some(before)) = (view.place(), view.before()) else {
        return false;
    };
    if !matches!(after.made, Made::Move(_)) {
        return false;
    }
    let stood = |square: Square, piece: Piece| before.board.piece_at(square) == Some(piece);
    let [by, on] = men.each_ref().map(|men| men_of(&after.board, men, shift));
    by.iter().any(|&(from, slider)| {
        let is_slider = !directions(slider.role).is_empty() && slider.color == before.turn;
        is_slider
            && stood(from, slider)
            && on.iter().any(|&(target, man)| {
                stood(target, man)
                    && attacked(&after.board, from, slider).contains(&target)
                    && !attacked(&before.board, from, slider).contains(&target)
            })
    })
}

/// Whether one of the men is a piece of the side to move, would be lost where it stands, and also
/// wherever it may go.
pub(crate) fn trapped(men: &Designator, view: &View<'_>, shift: Shift) -> bool {
    let place = view.place();
    if place.check {
        return false;
    }
    let board = &view.original().board;
    let men = men_of(&place.board, men, shift).into_iter();
    let is_piece = |role| !matches!(role, Role::King | Role::Pawn);
    men.filter(|(_, piece)| piece.color == place.turn && is_piece(piece.role))
        .map(|(square, _)| view.image.square(square))
        .any(|square| {
            let piece = board.piece_at(square).expect("a man");
            is_in_danger(board, square, piece) && !can_be_saved(view.original(), square, piece)
        })
}

fn is_in_danger(board: &Board, square: Square, piece: Piece) -> bool {
    let is_enemy = |other: Piece| other.color != piece.color;
    let by = |is_one: &dyn Fn(Piece) -> bool| attackers(board, square, |_, other| is_one(other));
    let by_less = by(&|other| is_enemy(other) && value(other.role) < value(piece.role));
    by_less > 0 || (by(&is_enemy) > 0 && !is_defended(board, square, piece.color))
}

/// Whether a move of the man takes it out of danger, or captures a man worth as much.
fn can_be_saved(place: &Place, square: Square, piece: Piece) -> bool {
    let legal = place.position().map(|position| position.legal_moves());
    legal.into_iter().flatten().any(|played| match played {
        Move::Normal {
            from, to, capture, ..
        } if from == square => {
            let wins = capture.is_some_and(|victim| value(victim) >= value(piece.role));
            wins || !is_in_danger(&place.after(Some(played)).board, to, piece)
        }
        _ => false,
    })
}

fn value(role: Role) -> i32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 100,
    }
}

fn stands(standing: Standing, board: &Board, square: Square, piece: Piece) -> bool {
    let (color, role) = (piece.color, piece.role);
    let enemy = color.other();
    let is_king = role == Role::King;
    match standing {
        Standing::Defended => is_defended(board, square, color),
        Standing::Undefended => !is_king && !is_defended(board, square, color),
        Standing::Hanging => {
            !is_king
                && !is_defended(board, square, color)
                && attackers(board, square, |_, piece| piece.color == enemy) > 0
        }
        Standing::Pinned => {
            let sees_king = |board: &Board, slider: Square, piece: Piece| {
                let king = Piece {
                    color,
                    role: Role::King,
                };
                attacked(board, slider, piece)
                    .into_iter()
                    .any(|square| board.piece_at(square) == Some(king))
            };
            let mut without = board.clone();
            without.discard_piece_at(square);
            Square::ALL.into_iter().any(|slider| {
                board.piece_at(slider).is_some_and(|piece| {
                    piece.color == enemy
                        && !directions(piece.role).is_empty()
                        && sees_king(&without, slider, piece)
                        && !sees_king(board, slider, piece)
                })
            }) && !is_king
        }
        Standing::Fork => {
            let victims = attacked(board, square, piece)
                .into_iter()
                .filter(|&square| {
                    board.piece_at(square).is_some_and(|victim| {
                        victim.color == enemy
                            && (victim.role == Role::King
                                || value(victim.role) > value(role)
                                || !is_defended(board, square, enemy))
                    })
                });
            victims.count() >= 2
        }
        pawns => pawn_stands(pawns, board, square, color),
    }
}

fn pawn_stands(standing: Standing, board: &Board, square: Square, color: Color) -> bool {
    let (file, rank) = (square as i32 % 8, square as i32 / 8);
    let ahead = if color.is_white() { 1 } else { -1 };
    let others = |color: Color| {
        Square::ALL.into_iter().filter(move |&other| {
            let pawn = Piece {
                color,
                role: Role::Pawn,
            };
            other != square && board.piece_at(other) == Some(pawn)
        })
    };
    let files_away = |other: Square| (other as i32 % 8 - file).abs();
    // How many ranks ahead of the pawn another one is.
    let ranks_ahead = |other: Square| (other as i32 / 8 - rank) * ahead;
    let is_beside = |other: &Square| files_away(*other) == 1;
    match standing {
        Standing::Passed => {
            !others(color.other()).any(|other| files_away(other) <= 1 && ranks_ahead(other) > 0)
        }
        Standing::Isolated => !others(color).any(|other| is_beside(&other)),
        Standing::Doubled => others(color).any(|other| files_away(other) == 0),
        Standing::Backward => {
            let stop = moved(square, (0, ahead));
            let is_watched = others(color.other()).any(|other| {
                let pawn = board.piece_at(other).expect("a pawn");
                stop.is_some_and(|stop| attacked(board, other, pawn).contains(&stop))
            });
            is_watched && !others(color).any(|other| is_beside(&other) && ranks_ahead(other) <= 0)
        }
        Standing::Connected => {
            others(color).any(|other| is_beside(&other) && ranks_ahead(other).abs() <= 1)
        }
        other => panic!("nobody evaluates {other:?}"),
    }
}

/// Whether one of the kinds of check and mate holds.
pub(crate) fn state_holds(state: State, place: &Place) -> bool {
    let board = &place.board;
    let Some(king) = board.king_of(place.turn) else {
        return false;
    };
    let enemy = place.turn.other();
    let checkers: Vec<(Square, Piece)> = Square::ALL
        .into_iter()
        .filter_map(|square| Some((square, board.piece_at(square)?)))
        .filter(|(_, piece)| piece.color == enemy && piece.role != Role::King)
        .filter(|&(square, piece)| attacked(board, square, piece).contains(&king))
        .collect();
    let is_own = |square: Square| {
        board
            .piece_at(square)
            .is_some_and(|piece| piece.color == place.turn)
    };
    let around = || {
        let steps = [STRAIGHT, DIAGONAL].concat();
        steps.into_iter().filter_map(|step| moved(king, step))
    };
    let (first, second) = if place.turn.is_white() {
        (0, 1)
    } else {
        (7, 6)
    };
    match state {
        State::DoubleCheck => checkers.len() >= 2,
        State::DiscoveredCheck => {
            let has_moved = |square: Square| place.arrived.contains(square);
            place.arrived.any() && checkers.iter().any(|&(square, _)| !has_moved(square))
        }
        State::SmotheredMate => {
            place.mate
                && matches!(checkers[..], [(_, piece)] if piece.role == Role::Knight)
                && around().all(is_own)
        }
        State::BackRankMate => {
            let is_heavy = |&(square, piece): &(Square, Piece)| {
                matches!(piece.role, Role::Rook | Role::Queen) && square as i32 / 8 == first
            };
            place.mate
                && king as i32 / 8 == first
                && checkers.iter().any(is_heavy)
                && around()
                    .filter(|&square| square as i32 / 8 == second)
                    .all(is_own)
        }
        other => panic!("nobody evaluates {other:?}"),
    }
}

/// Structures by pawns that must stand on squares or files, and files without a pawn.
const STRUCTURES: [(&str, &[&str], &[&str]); 12] = [
    ("iqp", &["P@d"], &["P@c", "P@e"]),
    ("hanging-pawns", &["Pc4", "Pd4"], &["P@b", "P@e"]),
    ("carlsbad", &["Pd4", "P@e", "pd5", "p@c"], &["P@c", "p@e"]),
    ("maroczy", &["Pc4", "Pe4", "p@d"], &["P@d", "p@c"]),
    (
        "hedgehog",
        &["Pc4", "Pe4", "p@d", "pa6", "pb6", "pd6", "pe6"],
        &["P@d", "p@c"],
    ),
    ("stonewall", &["Pd4", "Pe3", "Pf4"], &[]),
    ("french", &["Pd4", "Pe5", "pd5", "pe6"], &[]),
    ("benoni", &["Pd5", "Pe4", "pd6", "pc5"], &["P@c", "p@e"]),
    ("kings-indian", &["Pc4", "Pd5", "Pe4", "pd6", "pe5"], &[]),
    ("scheveningen", &["Pe4", "pd6", "pe6"], &["P@d", "p@c"]),
    ("dragon", &["Pe4", "pd6", "pg6", "pe7"], &["P@d", "p@c"]),
    ("boleslavsky", &["Pe4", "pd6", "pe5"], &["P@d", "p@c"]),
];

pub(crate) fn structure_holds(name: &str, board: &Board) -> bool {
    let known = STRUCTURES.iter().find(|(known, ..)| *known == name);
    let (_, there, missing) = known.unwrap_or_else(|| panic!("nobody knows {name}"));
    let is_there = |pawn: &&str| {
        let letters: Vec<char> = pawn.chars().collect();
        let piece = Piece::from_char(letters[0]).expect("a pawn");
        Square::ALL.into_iter().any(|square| {
            let is_named = match letters[1] {
                '@' => square.file().char() == letters[2],
                _ => square.to_string() == pawn[1..],
            };
            is_named && board.piece_at(square) == Some(piece)
        })
    };
    there.iter().all(is_there) && !missing.iter().any(is_there)
}
