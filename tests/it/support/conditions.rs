//! Whether one position of a line satisfies conditions.

use std::collections::BTreeSet;

use shakmaty::{Bitboard, Board, CastlingMode, Color, File, Move, Piece, Role, Setup, Square};
use tabiya::{
    chess::{Counts, Man},
    query::{
        Compare, Condition, Decimal, EvalTest, FenTest, ManSet, Measure, PositionTest, Relation,
        Seconds, Share, Standing, State, Wing,
    },
};

use super::{
    engine_eval::EngineEval,
    lines::{View, moves_while},
    moves,
    naive::{holds, within},
    relations::{
        Shift, discovered, is_in, moved, relation_holds, state_holds, structure_holds, trapped,
    },
    remark::eval_of,
    sums,
    walk::{Made, Place, legal_in},
};

pub(crate) fn all_hold(
    conditions: &[Condition],
    rights: bool,
    view: &View<'_>,
    shift: Shift,
) -> bool {
    let mut conditions = conditions.iter();
    conditions.all(|Condition { negated, test }| test_holds(test, rights, view, shift) != *negated)
}

fn test_holds(test: &PositionTest, rights: bool, view: &View<'_>, shift: Shift) -> bool {
    let place = view.place();
    let count = |man: Man| place.board.by_piece(Piece::from(man)).count() as i32;
    match test {
        PositionTest::Any(branches) => {
            let mut branches = branches.iter();
            branches.any(|branch| all_hold(branch, rights, view, shift))
        }
        PositionTest::Sum(sum) => sums::sum_holds(sum, &place.board, shift),
        PositionTest::Fen(fen) => fen_is(fen, rights, place),
        PositionTest::Board(pattern) => Square::ALL.into_iter().all(|square| {
            let set = pattern.0[square as usize];
            if set == ManSet::ANY {
                return true;
            }
            match place
                .board
                .piece_at(moved(square, shift).expect("a square"))
            {
                None => set.contains_empty(),
                Some(piece) => set.contains(Man::from(piece)),
            }
        }),
        PositionTest::Pawns(pawns) => {
            pawns_of(place, Color::White) == pawns.white
                && pawns_of(place, Color::Black) == pawns.black
        }
        PositionTest::Files(pawns) => File::ALL.into_iter().all(|file| {
            let on_file = |pawns: Bitboard| (pawns & Bitboard::from(file)).count();
            on_file(pawns_of(place, Color::White)) == on_file(pawns.white)
                && on_file(pawns_of(place, Color::Black)) == on_file(pawns.black)
        }),
        PositionTest::Material(counts) => *counts == Counts::of(&place.board),
        PositionTest::Count(man, compare) => holds(count(*man), compare),
        PositionTest::Measure(measure, compare) => {
            number_of(*measure, view).is_some_and(|number| holds(number, compare))
        }
        PositionTest::Bishops { same } => bishops_stand(place, *same),
        PositionTest::Piece(man, place_of_man) => {
            let men = place.board.by_piece(Piece::from(*man));
            men.into_iter()
                .any(|square| is_in(square, *place_of_man, shift))
        }
        PositionTest::Turn(color) => place.turn == *color,
        PositionTest::Ply(compare) => holds(place.ply as i32, compare),
        PositionTest::MoveNumber(compare) => holds(place.number as i32, compare),
        PositionTest::State(state) => is_in_state(*state, view),
        PositionTest::Relation(Relation::Discovered(two)) => discovered(two, view, shift),
        PositionTest::Relation(Relation::Standing(Standing::Trapped, men)) => {
            trapped(men, view, shift)
        }
        PositionTest::Relation(relation) => relation_holds(relation, &place.board, shift),
        PositionTest::Similar(board, least) => {
            similarity(board, &place.board) >= least.get() - 1e-9
        }
        PositionTest::Structure(structure) => structure_holds(structure.name(), &place.board),
        PositionTest::Played(pattern) => moves::is_played(pattern, place),
        PositionTest::San(pattern) => {
            let san = place.played.as_ref();
            san.is_some_and(|san| has_letters(san, pattern))
        }
        PositionTest::Can(reply) => moves::can(reply, view),
        PositionTest::Missed(reply) => {
            let next = view.ahead().next();
            moves::can(reply, view) && next.is_some_and(|next| !moves::is_such(reply, next))
        }
        PositionTest::After(line) => place.board == *line.board() && place.turn == line.turn(),
        PositionTest::Result(result) => place.result == *result,
        PositionTest::Majority(wing) => {
            let pawns = |color| {
                let files = match wing {
                    Wing::Queenside => 0..4,
                    Wing::Kingside => 4..8,
                };
                let is_there = |square: &Square| files.contains(&(*square as i32 % 8));
                pawns_of(place, color).into_iter().filter(is_there).count()
            };
            pawns(Color::White) > pawns(Color::Black)
        }
        PositionTest::Swing(compare) => place.swing.is_some_and(|swing| {
            let bound = |bound: Decimal| i64::from(bound.thousandths());
            within(swing, compare, |s, b| s < bound(b), |s, b| s > bound(b))
        }),
        PositionTest::Judgement(judgement) => place.judgement == Some(*judgement),
        PositionTest::Score(compare) => {
            let eval = place.eval.as_ref();
            eval.is_some_and(|eval| share_holds(eval.score, compare))
        }
        PositionTest::Visits(None, compare) => {
            let focus = place.eval.as_ref().and_then(EngineEval::focus);
            focus.is_some_and(|focus| share_holds(focus, compare))
        }
        PositionTest::Visits(Some(pattern), compare) => place.eval.as_ref().is_some_and(|eval| {
            let fits = |(san, visits): &(String, u8)| {
                has_letters(san, pattern) && share_holds(eval.share(*visits), compare)
            };
            eval.visits.iter().any(fits)
        }),
        PositionTest::Clock(compare) => time_holds(place.remark.clock, compare),
        PositionTest::Spent(compare) => time_holds(place.remark.spent, compare),
        PositionTest::Eval(test) => place.remark.eval.is_some_and(|eval| match test {
            EvalTest::Mate(holds) => (eval.0 != 0) == *holds,
            EvalTest::Compare(compare) => within(
                eval,
                compare,
                |eval, bound| eval < eval_of(bound),
                |eval, bound| eval > eval_of(bound),
            ),
            other => panic!("nobody evaluates {other:?}"),
        }),
        other => panic!("nobody evaluates {other:?}"),
    }
}

/// What a word stands for as a number, if it does.
fn number_of(measure: Measure, view: &View<'_>) -> Option<i32> {
    let board = &view.place().board;
    Some(match measure {
        Measure::Minors(_) | Measure::Men | Measure::Difference => sums::measured(measure, board),
        Measure::Repetition => {
            let parts = |place: &Place| {
                let Place {
                    board,
                    turn,
                    castling,
                    en_passant,
                    ..
                } = place;
                (board.clone(), *turn, *castling, *en_passant)
            };
            let this = parts(view.place());
            view.back().filter(|place| parts(place) == this).count() as i32
        }
        Measure::Quiet => quiet(view),
        Measure::Sacrifice => {
            let mover = view.before()?.turn;
            let difference = |place: &Place| {
                let white = sums::measured(Measure::Difference, &place.board);
                if mover.is_white() { white } else { -white }
            };
            difference(view.before()?) - view.ahead().take(8).map(difference).max()?
        }
        other => panic!("nobody evaluates {other:?}"),
    })
}

/// Half-moves since the last capture or pawn move.
fn quiet(view: &View<'_>) -> i32 {
    let is_quiet = |made| match made {
        Made::Move(Move::Normal { role, capture, .. }) => role != Role::Pawn && capture.is_none(),
        Made::Move(Move::EnPassant { .. }) => false,
        _ => true,
    };
    moves_while(view, is_quiet) as i32
}

fn is_in_state(state: State, view: &View<'_>) -> bool {
    let place = view.place();
    let board = &place.board;
    let pieces = board.occupied() & !board.pawns() & !board.kings();
    let at_home = |color: Color| {
        let rank = Bitboard::from(color.backrank());
        (board.by_color(color) & rank).count() >= 4
    };
    let is_opening = pieces.count() > 10 && at_home(Color::White) && at_home(Color::Black);
    match state {
        State::Check => place.check,
        State::Mate => place.mate,
        State::Stalemate => place.stalemate,
        State::Endgame => pieces.count() <= 6,
        State::Opening => is_opening,
        State::Middlegame => pieces.count() > 6 && !is_opening,
        State::FiftyMoves => quiet(view) >= 100,
        State::SymmetricPawns => {
            let turned = pawns_of(place, Color::White).flip_vertical();
            turned == pawns_of(place, Color::Black)
        }
        State::EqualFiles => File::ALL.into_iter().all(|file| {
            let on_file = |color| (pawns_of(place, color) & Bitboard::from(file)).count();
            on_file(Color::White) == on_file(Color::Black)
        }),
        kind => state_holds(kind, place),
    }
}

fn time_holds(told: Option<i64>, compare: &Compare<Seconds>) -> bool {
    let bound = |bound: Seconds| i64::from(bound.thousandths());
    let holds = |time| within(time, compare, |t, b| t < bound(b), |t, b| t > bound(b));
    told.is_some_and(holds)
}

fn share_holds(share: f64, compare: &Compare<Share>) -> bool {
    within(
        share,
        compare,
        |share, bound| share < bound.get(),
        |share, bound| share > bound.get(),
    )
}

/// How similar two positions are, as the contract measures it.
pub(crate) fn similarity(one: &Board, other: &Board) -> f64 {
    let men = |board: &Board, pawns: bool| -> BTreeSet<(Square, char)> {
        let men = board.iter();
        men.filter(|(_, piece)| (piece.role == Role::Pawn) == pawns)
            .map(|(square, piece)| (square, piece.char()))
            .collect()
    };
    let jaccard = |pawns: bool| {
        let (one, other) = (men(one, pawns), men(other, pawns));
        let (common, all) = (one.intersection(&other).count(), one.union(&other).count());
        if all == 0 {
            1.0
        } else {
            common as f64 / all as f64
        }
    };
    let (mut difference, mut sum) = (0, 0);
    for (letter, value) in [('P', 1), ('N', 3), ('B', 3), ('R', 5), ('Q', 9)] {
        for letter in [letter, letter.to_ascii_lowercase()] {
            let count = |board: &Board| {
                let is = |(_, piece): &(Square, Piece)| piece.char() == letter;
                board.iter().filter(is).count() as i32
            };
            difference += (count(one) - count(other)).abs() * value;
            sum += (count(one) + count(other)) * value;
        }
    }
    let material = match sum {
        0 => 1.0,
        sum => 1.0 - f64::from(difference) / f64::from(sum),
    };
    0.5 * jaccard(true) + 0.3 * jaccard(false) + 0.2 * material
}

fn pawns_of(place: &Place, color: Color) -> Bitboard {
    place.board.pawns() & place.board.by_color(color)
}

fn bishops_stand(place: &Place, same: bool) -> bool {
    let square = |color| {
        let bishops = place.board.bishops() & place.board.by_color(color);
        bishops.single_square()
    };
    match (square(Color::White), square(Color::Black)) {
        (Some(white), Some(black)) => (white.is_dark() == black.is_dark()) == same,
        _ => false,
    }
}

/// The 64 squares and, unless the placement stands alone, the side to move; with `rights` also
/// castling and en passant, as far as the rules allow them in the position of the FEN. The FEN
/// of a mirrored position has its king elsewhere, so the rules are those of Chess960.
fn fen_is(fen: &FenTest, rights: bool, place: &Place) -> bool {
    let same = fen.board == place.board && fen.turn.is_none_or(|turn| turn == place.turn);
    let Some(turn) = fen.turn.filter(|_| rights) else {
        return same;
    };
    let mut setup = Setup::empty();
    setup.board = fen.board.clone();
    setup.turn = turn;
    setup.castling_rights = fen.castling;
    setup.ep_square = fen.en_passant;
    let mode = CastlingMode::detect(&setup);
    let (castling, en_passant) = match legal_in(mode, setup) {
        Some(position) => {
            use shakmaty::Position;
            let en_passant = position.ep_square(shakmaty::EnPassantMode::Legal);
            (position.castles().castling_rights(), en_passant)
        }
        None => (fen.castling, None),
    };
    same && castling == place.castling && en_passant == place.en_passant
}

/// `?` is any one character; the signs of check and mate may be left out.
fn has_letters(san: &str, pattern: &str) -> bool {
    let pattern: Vec<char> = pattern
        .replace('0', "O")
        .trim_end_matches('!')
        .chars()
        .collect();
    let fits = |san: &str| {
        let san: Vec<char> = san.chars().collect();
        let mut pairs = san.iter().zip(&pattern);
        san.len() == pattern.len() && pairs.all(|(have, want)| *want == '?' || have == want)
    };
    fits(san) || fits(san.trim_end_matches(['+', '#']))
}
