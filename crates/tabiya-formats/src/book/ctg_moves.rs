//! What the bytes of moves in books of ChessBase mean.
//!
//! A byte names a man of the side to move by its kind and its number, counted file by file from a1,
//! a2 to h8 on the board as the book has it, and where it goes: squares to the right and forward,
//! both modulo 8. The bytes follow no order. Kings castle by going two squares. A pawn that comes
//! to the last rank becomes a queen. Third pieces of a kind have no bytes.
//!
//! The tables are the same in all readers that were compared. Of the second queen they have two
//! bytes for going six forward and none for going six to the right: one of the two must mean that,
//! so it is taken where six forward is not legal.

use shakmaty::Role;

/// Where a man may go, as squares to the right and forward, and the bytes for each number of it.
struct Table {
    role: Role,
    steps: &'static [(u8, u8)],
    codes: &'static [&'static [u8]],
}

const STRAIGHT: &[(u8, u8)] = &[
    (0, 1),
    (0, 2),
    (0, 3),
    (0, 4),
    (0, 5),
    (0, 6),
    (0, 7),
    (1, 0),
    (2, 0),
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (7, 0),
];

/// Four forward and four to the right is the same on both diagonals.
const DIAGONAL: &[(u8, u8)] = &[
    (1, 1),
    (2, 2),
    (3, 3),
    (4, 4),
    (5, 5),
    (6, 6),
    (7, 7),
    (1, 7),
    (2, 6),
    (3, 5),
    (5, 3),
    (6, 2),
    (7, 1),
];

const TABLES: [Table; 7] = [
    Table {
        role: Role::Pawn,
        steps: &[(0, 1), (0, 2), (7, 1), (1, 1)],
        codes: &[
            &[0xec, 0xdb, 0x0c, 0x8b],
            &[0x04, 0x62, 0xd1, 0x96],
            &[0x55, 0x9b, 0x27, 0x7c],
            &[0xcf, 0xe6, 0x06, 0xeb],
            &[0xbb, 0x5f, 0xde, 0x00],
            &[0xcb, 0xb1, 0x82, 0x2d],
            &[0x18, 0xc8, 0xc7, 0x5c],
            &[0xa3, 0x4a, 0x24, 0x14],
        ],
    },
    Table {
        role: Role::Knight,
        steps: &[
            (1, 2),
            (2, 1),
            (2, 7),
            (1, 6),
            (7, 6),
            (6, 7),
            (6, 1),
            (7, 2),
        ],
        codes: &[
            &[0x34, 0x36, 0xe9, 0x8a, 0xda, 0x0f, 0xf7, 0x85],
            &[0x4c, 0xd2, 0xe0, 0x2a, 0x30, 0x01, 0xd3, 0xf3],
        ],
    },
    Table {
        role: Role::Bishop,
        steps: DIAGONAL,
        codes: &[
            &[
                0x2e, 0xc1, 0x0d, 0x6a, 0x15, 0x3a, 0x12, 0x26, 0xb2, 0x3c, 0x66, 0xc3, 0x1b,
            ],
            &[
                0xf5, 0xc2, 0xb9, 0x9f, 0x32, 0x09, 0x1d, 0x72, 0x79, 0xcc, 0xca, 0x22, 0x54,
            ],
        ],
    },
    Table {
        role: Role::Rook,
        steps: STRAIGHT,
        codes: &[
            &[
                0x81, 0xe8, 0x7a, 0x99, 0x87, 0x50, 0xe1, 0x7f, 0xcd, 0x98, 0xef, 0x6e, 0x52, 0x86,
            ],
            &[
                0x7d, 0xf4, 0xe3, 0xc5, 0xa5, 0x7b, 0x69, 0xc4, 0xa9, 0x0e, 0xad, 0xb5, 0xd8, 0x21,
            ],
        ],
    },
    Table {
        role: Role::Queen,
        steps: STRAIGHT,
        codes: &[
            &[
                0x05, 0x9d, 0x94, 0x37, 0xb7, 0x9a, 0xfd, 0x2f, 0x74, 0x31, 0xe5, 0x39, 0x29, 0x8f,
            ],
            // Six to the right is one of the bytes for six forward; see above.
            &[
                0x4d, 0xbd, 0xa0, 0xb0, 0xc6, 0x1a, 0xc9, 0xf8, 0x03, 0xfa, 0x08, 0xbc, 0xf9, 0xf0,
            ],
        ],
    },
    Table {
        role: Role::Queen,
        steps: DIAGONAL,
        codes: &[
            &[
                0xf1, 0xa2, 0x45, 0xe7, 0x28, 0x61, 0xed, 0x42, 0x80, 0x4b, 0x7e, 0xd9, 0xd7,
            ],
            &[
                0x92, 0xfb, 0xae, 0x38, 0x41, 0x23, 0x6f, 0x63, 0xab, 0x3b, 0xfe, 0x8e, 0xee,
            ],
        ],
    },
    Table {
        role: Role::King,
        steps: &[
            (0, 1),
            (1, 1),
            (1, 0),
            (1, 7),
            (0, 7),
            (7, 7),
            (7, 0),
            (7, 1),
            (2, 0),
            (6, 0),
        ],
        codes: &[&[0x13, 0x67, 0xbe, 0x44, 0x0a, 0x8c, 0x97, 0xdf, 0x6b, 0xf6]],
    },
];

/// The bytes of the second queen of which one means six forward, and one six to the right.
const EITHER: [u8; 2] = [0x1a, 0xf9];

/// A man and where it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) role: Role,
    /// Men of this kind before it.
    pub(super) number: usize,
    /// Squares to the right, modulo 8.
    pub(super) right: u8,
    /// Squares forward, modulo 8.
    pub(super) forward: u8,
}

/// Returns what a byte may mean, the most likely first; nothing if no move has this byte.
pub(super) fn steps(code: u8) -> Vec<Step> {
    let mut found = Vec::new();
    for table in &TABLES {
        for (number, codes) in table.codes.iter().enumerate() {
            for (&(right, forward), &known) in table.steps.iter().zip(*codes) {
                let is_either = EITHER.contains(&known) && EITHER.contains(&code);
                if known == code || is_either {
                    found.push(Step {
                        role: table.role,
                        number,
                        right,
                        forward,
                    });
                }
            }
        }
    }
    found
}

/// Returns the byte of a step, for books that tests write.
#[cfg(test)]
pub(super) fn code(step: Step) -> Option<u8> {
    (0..=u8::MAX).find(|&code| steps(code).contains(&step))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_byte_means_one_move_but_for_two() {
        let mut means = BTreeSet::new();
        let mut used = 0;
        for code in 0..=u8::MAX {
            let found = steps(code);
            assert_eq!(found.len() == 2, EITHER.contains(&code), "{code:#x}");
            used += usize::from(!found.is_empty());
            means.extend(found.iter().map(|step| format!("{step:?}")));
        }
        // Eight pawns, two knights, bishops, rooks and queens, a king.
        assert_eq!(used, 8 * 4 + 2 * 8 + 2 * 13 + 2 * 14 + 2 * 27 + 10);
        assert_eq!(means.len(), used);
    }
}
