//! Flaws that only opening books have.

use crate::damage::flaws;

flaws! {
    [Header]
    NO_POLYGLOT_BOOK = "this is no opening book of PolyGlot: its entries are not in order";
    NO_ARENA_BOOK = "this is no opening book of Arena: it does not begin with 03 41 42";

    [Length]
    PART_OF_ENTRY = "this is no opening book of PolyGlot: it ends inside an entry";
    TABLE_CUT = "the table of pages of the book ends too soon";

    [Place]
    NO_ENTRY = "an entry of the book leads to where no entry is";
    TWO_POSITIONS = "an entry of the book belongs to two positions";
    NO_PAGE = "the book leads to a page that it does not have";

    [Moves]
    DAMAGED_PAGE = "a page of the book does not hold the positions that it counts";
    UNKNOWN_MOVE = "a move of the book that no man can make";

    [IllegalMove]
    ILLEGAL_BOOK_MOVE = "an illegal move";
}
