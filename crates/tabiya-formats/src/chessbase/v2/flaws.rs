//! Flaws that only databases of ChessBase 2 have.

use crate::damage::flaws;

pub(super) use crate::flaws::*;

flaws! {
    [Header]
    NOT_AN_INDEX = "not an index of ChessBase 2: its records do not have 192 bytes";

    [Length]
    ENDS_IN_RECORD = "the index ends inside a record";

    [Names]
    NAMES_SHAPE = "the header of the names says sizes that cannot be";
    NAMES_CUT = "the names end inside one";
    NAME_COUNT = "the header of the names says another number of them";
    NAME_FORM = "a name that does not have the form of its kind";
    DELETED_CIRCLE = "the list of deleted names runs in a circle";
    DELETED_NOWHERE = "the list of deleted names leads to one that is not deleted";

    [Place]
    NO_FRAME = "no record begins where the index says";
    RECORD_SIZES = "a record with sizes that cannot be";
    WRONG_CONTENT = "a record that holds something other than the index says";
    RECORD_KIND = "an entry of a kind that is not known";

    [Moves]
    RECORD_CUT = "a record is cut short";
    RECORD_END = "a record says another length at its end";
    CHECKSUM = "the bytes of the record do not have its checksum";
    ODD_BYTES = "moves that end inside a word";
    NO_MOVES_SECTION = "no moves where they should begin";
    UNKNOWN_WORD = "a word without a meaning";
    ALTERNATIVE_OF_NO_MOVE = "an alternative to no move";
    WORDS_AFTER_END = "words after the end of the game";
    NOT_ITS_TURN = "a man of the side that is not to move moves";
    NO_SUCH_MAN = "a man moves that is not there";
    OTHER_CAPTURE = "a move captures what is not there";
    UNKNOWN_START = "a start position with a man that does not exist";
    UNKNOWN_CHESS960 = "a number of a Chess960 start position that does not exist";
    TEXT_FORM = "a text that does not have its form";

    [Annotations]
    NO_ANNOTATIONS = "no annotations where they should be";
    ANNOTATIONS_BEYOND_FILE = "the game's annotations lie beyond the end of their file";
    ANNOTATIONS_DAMAGED = "the annotations do not have their length or checksum";
    ANNOTATIONS_CUT = "the annotations are cut short";
    ANNOTATION_FORM = "an annotation that does not have the form of its type";
    QUOTATION_ILLEGAL_MOVE = "an illegal move in a quotation";
    ANNOTATION_OF_NO_MOVE = "an annotation of a move that the game does not have";
    ANNOTATION_TYPE =
        "an annotation of an unknown type: how long it is nobody knows, so it and those after it \
         are not read";
}
