//! Flaws that several formats have, or that checking the games of any format finds.

use crate::damage::flaws;

flaws! {
    [Length]
    ARCHIVE_CUT = "the archive is cut short";
    FEWER_RECORDS = "the index holds fewer records than its header says";
    MORE_RECORDS = "the index holds more records than its header says";
    INDEX_OF_OTHER_LENGTH = "the index holds other records than it says, so nothing can be added";

    [Names]
    NO_SUCH_NAME = "the index says a name that does not exist";

    [Place]
    BEYOND_FILE = "the game lies beyond the end of the games file";
    SHARED_BYTES = "the game shares bytes with another one";
    ZEROS_ONLY = "the game's record is zeros only";

    [Moves]
    KING_CAPTURED = "a king is captured";
    CAPTURES_OWN_MAN = "a man captures one of its own side";
    PAWN_CAPTURES_NOTHING = "a pawn captures nothing";
    START_TOO_MANY_MEN = "a start position with more than 16 men a side";
    START_KINGS = "a start position without exactly one king a side";
    UNKNOWN_TOKEN = "a token that does not exist";
    VARIATION_NEVER_BEGAN = "a variation ends that never began";
    VARIATION_ENDLESS = "a variation has no end";
    VARIATION_OF_NO_MOVE = "a variation of no move";
    CASTLING_THROUGH_MEN = "castling through other men";
    CASTLING_MISPLACED = "castling without king and rook in their places";
    GAME_ENDLESS = "no end of game";
    START_CUT = "the start position is cut short";
    START_NO_FEN = "the start position is no FEN";
    NESTED_TOO_DEEP = "variations are nested too deep";

    [Contradiction]
    ANNOTATIONS_UNTOLD = "the index does not tell all annotations";
    OPENING_LINE = "the index says an opening line that the game does not begin with";
    FINAL_MATERIAL = "the index says another final material";
    NAG_COUNT = "the index says another number of NAGs";
    COMMENT_COUNT = "the index says another number of comments";
    PLY_COUNT = "the index says another number of half-moves";
    VARIATION_COUNT = "the index says another number of variations";
    CHESS960 = "the index says otherwise about Chess960";
    START_POSITION = "the index says otherwise about an own start position";
    OTHER_INDEX = "the index in the sidecar is not that of the games";
    GAME_OR_TEXT = "the index says otherwise about being a game or a text";
    HOME_PAWNS = "the index says otherwise about the home pawns";
    NO_PROMOTION = "the index says that there is no such promotion";

    [NotRead]
    OTHER_VARIANT = "a game of a variant that this version does not read";

    [Oddity]
    FORBIDDEN_PASS =
        "a null move leaves a king in check; the moves after it were not checked by the rules";
    HIGH_RATING = "a rating above 4000: searches take it for none, the tag keeps it";
    LATE_YEAR = "a year after 2047: searches take it for unknown, the tag keeps it";
    UNKNOWN_SIGN = "a sign or NAG without a known meaning was skipped";
    NO_LIST_OF_FILES = "no list of files to rename";
    NO_LIST_OF_OLD_CONTENT = "no list of what the files held before";
    CLAIMED_PROMOTION = "the index says a promotion that the game does not have";
    CLAIMED_ANNOTATIONS = "the index says annotations that the game does not have";
    FORBIDDEN_START =
        "the rules of chess do not allow this start position; moves were not checked by them";
}
