//! Flaws that only archives of ChessBase have.

use crate::damage::flaws;

flaws! {
    [Header]
    NO_DATABASE_IN_ARCHIVE = "the archive holds no ChessBase database";
    NOT_AN_ARCHIVE = "no archive, or one that needs a password (.cbz)";

    [Archive]
    BLOCK_CUT = "a block is cut short";
    UNKNOWN_PACKING = "a block is packed in an unknown way";
    COPY_FROM_BEFORE = "a copy from before the member's start";
    MEMBER_TOO_LARGE = "a member larger than its packed bytes can become";
    MEMBER_TOO_SMALL = "a member unpacks to less than its size";
    NO_HUFFMAN_CODE = "bits that are no Huffman code";
    NO_MEMBER_LIST = "no list of members where it should be";
    HUFFMAN_PREFIX = "one Huffman code begins with another";
    NO_SUCH_MEMBER = "the archive has no such member";
}
