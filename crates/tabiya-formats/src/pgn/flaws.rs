//! Flaws that only PGN has.

use crate::damage::flaws;

pub(super) use crate::flaws::*;

flaws! {
    [Moves]
    GAME_TOO_LONG = "a game longer than the limit";
    CLOSED_NOT_OPENED = "a closing bracket without an opening one";
    COMMENT_UNCLOSED = "a comment is not closed";
    UNREADABLE_MOVE = "a move is illegal or not readable";
    AMBIGUOUS_MOVE = "a move that can be meant in two ways";
    VARIATION_UNCLOSED = "a variation is not closed";
    VARIATION_MISPLACED = "a variation that does not replace the move before it";
    VARIATION_WITHOUT_MOVE = "a variation without a move before it";
    MOVES_AFTER_RESULT = "moves after the result";
    FRAME_UNREADABLE = "the packed text of the game cannot be unpacked";
    FEN_UNPLAYABLE = "the FEN is no position that can be played from";
    FEN_UNREADABLE = "the FEN is not readable";
    FENS_DIFFER = "two FEN tags that differ";

    [Oddity]
    RESULTS_DIFFER = "the tag `Result` says otherwise than the moves' end; the tag is believed";

    [Archive]
    MEMBERS_SHARE_BYTES = "members of the archive share bytes";
    MEMBER_LIST_UNREADABLE = "the list of the archive's members cannot be read";
}
