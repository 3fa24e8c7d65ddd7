//! Flaws that only databases of ChessBase 1 to 5 have.

use crate::damage::flaws;

pub(super) use crate::flaws::*;

flaws! {
    [Place]
    NOT_A_GAME = "what follows is not the head of a game";

    [Moves]
    HEAD_CUT = "the head of the game is cut short";
    NAMES_CUT = "the names of the game are cut short";
    MOVES_CUT = "the moves are cut short";
    NO_SUCH_MOVE = "a move with a number that no move has";
    START_UNKNOWN_MAN = "a start position with a man that does not exist";

    [Contradiction]
    CHECKSUM = "the checksum of the head is another";

    [Annotations]
    ANNOTATIONS_MISSING = "fewer annotations than moves that have one";
    ANNOTATION_CUT = "an annotation without an end";
}
