//! Flaws that only databases of the first version have.

use crate::damage::flaws;

pub(super) use crate::flaws::*;

flaws! {
    [Header]
    NOT_AN_INDEX = "not a ChessBase index";

    [Names]
    NAMES_BEGIN_AFTER_END = "names begin after their file's end";
    NAMES_TOO_SHORT = "names shorter than their fields";
    NAME_COUNT = "the file of names says another number of them, so nothing can be added";

    [Place]
    SHORTER_THAN_HEAD = "a game shorter than its own head";
    RECORD_NOT_IN_USE = "a record that is not in use";

    [Moves]
    NO_SUCH_MAN = "a man moves that is not there";
    UNKNOWN_MOVE_CODE = "a move code without a meaning";
    PAWN_CAPTURES_AHEAD = "a pawn captures straight ahead";
    PAWN_STAYS_PAWN = "a pawn on the last rank stays one";
    UNKNOWN_MAN = "a start position with a man that does not exist";
    TEXT_CUT = "the text is cut short";

    [Annotations]
    QUOTATION_START = "a quotation from an impossible position";
    QUOTATION_ENDLESS = "a quotation without an end";
    ANNOTATION_CUT = "an annotation is cut short";
    ANNOTATION_FORM = "an annotation that does not have the form of its type";
    QUOTATION_ILLEGAL_MOVE = "an illegal move in a quotation";
    ANNOTATIONS_MISSING = "annotations are missing";
    ANNOTATIONS_TOO_SHORT = "annotations shorter than their own head";
    NO_ANNOTATIONS = "no annotations where they should be";
    ANNOTATIONS_CUT = "the annotations are cut short";
    ANNOTATIONS_BEYOND_FILE = "the game's annotations lie beyond the end of their file";

    [NotRead]
    ILLEGAL_START = "a game from an illegal position, which this version does not read";

    [Oddity]
    TEXT_LEFT_OVER = "the text goes on after its last part";
}
