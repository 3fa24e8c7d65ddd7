//! The names of openings for the slow evaluator: read from the table by itself, and looked up by
//! the text of a position.

use std::{collections::HashMap, sync::LazyLock};

use shakmaty::{Board, Chess, Color, Position, uci::UciMove};

/// The table that the program has.
const TABLE: &str = include_str!("../../../crates/tabiya-chess/src/opening_names/table.txt");

/// The codes of its positions.
const CODES: &str = include_str!("../../../crates/tabiya-chess/src/opening_names/codes.txt");

/// Names and codes by position.
static NAMES: LazyLock<HashMap<String, (String, String)>> = LazyLock::new(|| {
    let runs = CODES.lines().filter_map(|line| line.split_once(' '));
    let codes: Vec<&str> = runs
        .flat_map(|(code, times)| vec![code; times.parse().expect("a number")])
        .collect();
    let (names, positions) = TABLE.split_once("\n\n").expect("two lists");
    let mut all: Vec<String> = Vec::new();
    for line in names.lines() {
        let (shared, rest) = line.split_once(' ').expect("a number and a name");
        let shared: usize = shared.parse().expect("a number");
        let before = all.last().cloned().unwrap_or_default();
        all.push(format!("{}{rest}", &before[..shared]));
    }
    let mut named = HashMap::new();
    let mut line: Vec<String> = Vec::new();
    assert_eq!(positions.lines().count(), codes.len());
    for (position, code) in positions.lines().zip(codes) {
        let [shared, moves, number] = position.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{position}");
        };
        line.truncate(shared.parse().expect("a number"));
        let moves: Vec<char> = moves.chars().collect();
        line.extend(moves.chunks(4).map(String::from_iter));
        let number: usize = number.parse().expect("a number");
        let name = all[number - 1].clone();
        named.insert(key_after(&line), (name, code.to_owned()));
    }
    named
});

/// Returns the key of the position after moves in UCI notation.
pub(crate) fn key_after(line: &[String]) -> String {
    let mut position = Chess::default();
    for played in line {
        let played: UciMove = played.parse().expect("a move");
        let played = played.to_move(&position).expect("a legal move");
        position.play_unchecked(played);
    }
    key(position.board(), position.turn())
}

fn key(board: &Board, turn: Color) -> String {
    format!("{} {}", board.board_fen(), turn.char())
}

/// Returns the name of a position by its key.
pub(crate) fn name_of_key(key: &str) -> Option<&'static str> {
    NAMES.get(key).map(|(name, _)| name.as_str())
}

/// Returns the name of a position.
pub(crate) fn name_of(board: &Board, turn: Color) -> Option<&'static str> {
    name_of_key(&key(board, turn))
}

/// Returns the code of a position that has a name.
pub(crate) fn code_of(board: &Board, turn: Color) -> &'static str {
    &NAMES[&key(board, turn)].1
}

/// Returns all names.
pub(crate) fn all() -> Vec<&'static str> {
    let mut all: Vec<&str> = NAMES.values().map(|(name, _)| name.as_str()).collect();
    all.sort_unstable();
    all
}
