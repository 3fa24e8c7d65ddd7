//! Flaws that only jose databases have.

use crate::damage::flaws;

pub(super) use crate::flaws::*;

flaws! {
    [Header]
    NOT_AN_ARCHIVE = "not an archive of jose";

    [Place]
    NO_MOVES = "the row counts half-moves, and there are none";

    [Moves]
    IMPOSSIBLE_MOVE = "a move that no man can make";
    MOVES_CUT = "the moves end inside a token";

    [Contradiction]
    PLY_COUNT = "the row counts another number of half-moves";

    [Tables]
    UNKNOWN_COLUMN = "a column of a kind that is not known";
    COLUMN_COUNT = "a number of columns that no table of jose has";
    ROW_TOO_LONG = "a row goes on after its last column";
    ROW_CUT = "a row of the table is cut short";
    NOT_A_DESCRIPTION = "not the description of a MySQL table";
    NOT_A_TABLE_INDEX = "not the index of a MyISAM table";
    TABLE_MISSING = "the archive lacks a table of jose";
    COLUMNS_DIFFER = "the files of the table disagree about its columns";
    NULLS_DIFFER = "the files of the table disagree about which values may be NULL";
    TABLE_HEADER_CUT = "the header of the table is cut short";
    UNKNOWN_BLOCK = "the table goes on with a block of a kind that is not known";
    COLUMN_MISSING = "the table lacks a column of jose";

    [Oddity]
    IN_USE = "the database is in use: what is being written may read as damage";
}
