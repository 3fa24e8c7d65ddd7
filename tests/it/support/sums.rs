//! Counts of men, in the slowest way.

use shakmaty::{Board, Color, File, Piece, Rank, Role, Square};
use tabiya::{
    chess::Man,
    query::{CountSum, Counted, Measure, Op, Place as Where, SumBound, SumTest, Zone},
};

use super::relations::Shift;

/// The files and ranks that a comparison names.
pub(crate) fn named_in(test: &SumTest) -> Vec<Where> {
    let mut named = Vec::new();
    let mut sums = vec![&test.left];
    if let SumBound::Sum(right) = &test.right {
        sums.push(right);
    }
    for term in sums.into_iter().flat_map(|sum| &sum.0) {
        match term.count {
            Counted::Men(_, Some(Zone::Files(low, high))) => {
                named.extend([Where::File(low), Where::File(high)]);
            }
            Counted::Men(_, Some(Zone::Ranks(low, high))) => {
                named.extend([Where::Rank(low), Where::Rank(high)]);
            }
            _ => {}
        }
    }
    named
}

pub(crate) fn sum_holds(test: &SumTest, board: &Board, shift: Shift) -> bool {
    let left = total(&test.left, board, shift);
    let right = match &test.right {
        SumBound::Sum(right) => total(right, board, shift),
        SumBound::Range(low, high) => {
            let is_less = low.is_some_and(|low| left < i64::from(low));
            let is_more = high.is_some_and(|high| left > i64::from(high));
            return (is_less || is_more) == (test.op == Op::Differ);
        }
    };
    match test.op {
        Op::Has | Op::Equal => left == right,
        Op::Differ => left != right,
        Op::Less => left < right,
        Op::AtMost => left <= right,
        Op::Greater => left > right,
        Op::AtLeast => left >= right,
    }
}

fn total(sum: &CountSum, board: &Board, shift: Shift) -> i64 {
    let mut total = 0;
    for term in &sum.0 {
        let number = i64::from(counted(term.count, board, shift));
        total += if term.minus { -number } else { number };
    }
    total
}

/// Counts on a board. The zone is moved.
pub(crate) fn counted(count: Counted, board: &Board, shift: Shift) -> i32 {
    match count {
        Counted::Number(number) => number,
        Counted::Measure(measure) => measured(measure, board),
        Counted::Men(men, zone) => {
            let is_counted = |(square, piece): &(Square, Piece)| {
                men.contains(Man::from(*piece)) && zone.is_none_or(|z| is_in(*square, z, shift))
            };
            board.iter().filter(is_counted).count() as i32
        }
        other => panic!("nobody evaluates {other:?}"),
    }
}

fn is_in(square: Square, zone: Zone, (right, up): Shift) -> bool {
    let (file, rank) = (square as i32 % 8, square as i32 / 8);
    let between = |low: i32, high: i32, by: i32, here: i32| low + by <= here && here <= high + by;
    match zone {
        Zone::Files(low, high) => between(file_number(low), file_number(high), right, file),
        Zone::Ranks(low, high) => between(rank_number(low), rank_number(high), up, rank),
        // The corner a1 is dark.
        Zone::Light => (file + rank) % 2 == 1,
        Zone::Dark => (file + rank) % 2 == 0,
    }
}

fn file_number(file: File) -> i32 {
    file as i32
}

fn rank_number(rank: Rank) -> i32 {
    rank as i32
}

/// The words that are numbers of a board.
pub(crate) fn measured(measure: Measure, board: &Board) -> i32 {
    let count = |color, roles: &[Role]| {
        let is_one =
            |(_, piece): &(Square, Piece)| piece.color == color && roles.contains(&piece.role);
        board.iter().filter(is_one).count() as i32
    };
    let value = |color| {
        9 * count(color, &[Role::Queen])
            + 5 * count(color, &[Role::Rook])
            + 3 * count(color, &[Role::Bishop, Role::Knight])
            + count(color, &[Role::Pawn])
    };
    match measure {
        Measure::Minors(color) => count(color, &[Role::Bishop, Role::Knight]),
        Measure::Men => board.iter().count() as i32,
        Measure::Difference => value(Color::White) - value(Color::Black),
        other => panic!("no number of a board: {other:?}"),
    }
}
