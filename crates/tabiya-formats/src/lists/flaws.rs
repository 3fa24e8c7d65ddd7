//! Flaws that only lists have.

use crate::damage::flaws;

flaws! {
    [Header]
    NO_PUZZLES = "none of its first rows is a puzzle: an id, a FEN and moves with commas between";
    NO_POSITIONS = "none of its first lines is a position in FEN or EPD";
    NO_GAMES = "none of its first objects is a game by Lichess or Chess.com";

    [Moves]
    ITEM_TOO_LONG = "an item of a list longer than the limit";
    TOO_FEW_COLUMNS = "a row without moves: a puzzle has an id, a FEN and moves at least";
    JSON_UNREADABLE = "an object that is no JSON";
    OBJECT_WITHOUT_GAME = "an object without a game";
}
