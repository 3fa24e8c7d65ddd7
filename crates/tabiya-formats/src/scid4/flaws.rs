//! Flaws that only Scid databases have.

use crate::damage::flaws;

pub use crate::flaws::*;

flaws! {
    [Header]
    NOT_AN_INDEX = "not a Scid index";
    OTHER_BEGINNING = "the index does not begin as its name says";

    [Length]
    INDEX_ENDS_IN_RECORD = "the index ends inside a record";

    [Names]
    NAME_SHARES_TOO_MUCH = "a name shares more bytes than it has";
    NAME_ID_OUT_OF_RANGE = "a name's id is out of range, or it shares more than there is";
    ID_GIVEN_TWICE = "a number is given to two names, so that another has none";
    UNKNOWN_ENTRY = "an entry of a kind that is not known";
    TOO_MANY_NAMES = "more names than can be numbered";
    NAMES_LEFT_OUT = "names that cannot be read are left out";
    NOT_A_NAME_FILE = "not a Scid name file";
    NAME_LENGTH = "the length of a name is cut short or too large";
    NAMES_CUT = "the names are cut short";
    NAMES_EXPAND_TOO_FAR = "the names expand too far";

    [Place]
    NO_BYTES = "the record says that the game has no bytes, and describes its moves";

    [Moves]
    COMMENT_ENDLESS = "a comment has no end";
    COMMENT_MISSING = "a comment is missing";
    UNKNOWN_MOVE = "a move that does not exist";
    QUEEN_MOVE_CUT = "a queen's move without its second byte";
    QUEEN_NO_DIAGONAL = "a queen's second byte that is no diagonal";
    CASTLING_WITHOUT_ROOK = "castling without a rook";
    START_ENDLESS = "the start position has no end";
    TAGS_CUT = "the tags are cut short";

    [Oddity]
    NAME_FILE_TOO_LONG = "the file goes on after the last name";
    COMMENTS_LEFT_OVER = "the game holds more comments than places for them";
}
