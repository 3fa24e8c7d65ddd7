//! Flaws that only Monty's training data has.

use crate::damage::flaws;

flaws! {
    [Header]
    NO_LAYOUT = "no layout of Monty's data gives a game";

    [Moves]
    START_AGAINST_RULES = "a game begins with a position that the rules do not allow";
    VISITS_OF_OTHER_MOVES = "the visits are not those of the legal moves";
    UNKNOWN_MEN = "a game begins with men that do not exist";
    SENSELESS_HEADER = "a game's header holds values that mean nothing";
    ROOKS_BESIDE_BOARD = "a game's rooks stand beside the board";
    IMPOSSIBLE_MOVE = "a move that these men cannot make";
    ILLEGAL_MOVE = "an illegal move";
    VISITS_MISCOUNTED = "another number of visits than of legal moves";
    FILE_ENDS_IN_GAME = "the file ends inside a game";
}
