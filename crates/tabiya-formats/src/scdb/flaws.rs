//! Flaws that only Simple Chess Databases have.

use crate::damage::flaws;

pub(super) use crate::flaws::*;

flaws! {
    [Header]
    NOT_AN_INDEX = "not the index of a Simple Chess Database";
    OTHER_BEGINNING = "the file does not begin as one of its kind";

    [Length]
    INDEX_ENDS_IN_ENTRY = "the index ends inside an entry";

    [Names]
    FILE_ENDS_IN_NAME = "the file ends inside a name";

    [Place]
    NO_LENGTH = "the length of the game is none";

    [Moves]
    KING_LEAPS = "a king that leaps";
    NOT_A_MAN_TO_MOVE = "a move of no man, or of the other side's";
    PAWN_BECOMES_NOTHING = "a pawn on its last rank that becomes nothing";
    PROMOTION_ELSEWHERE = "a promotion of no pawn on its last rank";
    START_PAWN_RANK = "a start position with a pawn on its first or last rank";
    UNKNOWN_START = "neither a start position nor none";
    GAME_CUT = "the game is cut short";

    [Oddity]
    NAME_PLACE = "the index refers to a place where no name begins";
}
