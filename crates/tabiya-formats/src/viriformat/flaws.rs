//! Flaws that only viriformat has.

use crate::damage::flaws;

flaws! {
    [Header]
    NO_GAME = "there is no whole game in viriformat";

    [Moves]
    UNKNOWN_MEN = "a game begins with men that do not exist";
    NOT_ONE_KING = "a game begins without one king on each side";
    SENSELESS_RIGHTS = "a game begins with rooks that castle with no king";
    SENSELESS_START = "a game begins with numbers that mean nothing";
    START_AGAINST_RULES = "a game begins with a position that the rules do not allow";
    IMPOSSIBLE_MOVE = "a move that these men cannot make";
    FILE_ENDS_IN_GAME = "the file ends inside a game";

    [IllegalMove]
    ILLEGAL_MOVE = "an illegal move";
}
