//! Flaws that only Stockfish's training data has.

use crate::damage::flaws;

flaws! {
    [Length]
    BLOCK_LENGTH = "the length of a block does not lead to the next block";
    BLOCK_CUT = "the file ends inside a block";

    [Moves]
    UNKNOWN_MEN = "a game begins with men that do not exist";
    NOT_ONE_KING = "a game begins without one king on each side";
    PAWN_OUTSIDE = "a game begins with a pawn on the first or last rank";
    SENSELESS_RIGHTS = "a game begins with rights that its men do not allow";
    KING_LEFT_IN_CHECK = "a game begins with a king in check that its side has just left there";
    UNKNOWN_RESULT = "a game has a result that does not exist";
    NO_MOVE = "a game goes on without a move";
    NO_SUCH_MAN = "a move of a man that is not there";
    NO_SUCH_TARGET = "a move to where its man cannot go";
    ENDLESS_SCORE = "a score of too many bits";
    BLOCK_ENDS_IN_GAME = "the block ends inside a game";

    [IllegalMove]
    ILLEGAL_MOVE = "an illegal move";
}
