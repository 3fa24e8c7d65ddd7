//! The twelve kinds of men, numbered for use as table indices.

use std::fmt;

use shakmaty::{Color, Piece, Role};

/// One of the twelve kinds of men: a role and a colour in one small number.
///
/// White K Q R B N P are 0 to 5, black k q r b n p are 6 to 11.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Man(u8);

/// Roles in the order of [`Man`]'s numbers.
const ROLES: [Role; 6] = [
    Role::King,
    Role::Queen,
    Role::Rook,
    Role::Bishop,
    Role::Knight,
    Role::Pawn,
];

impl Man {
    /// The number of kinds.
    pub const COUNT: usize = 12;

    /// All twelve kinds, White first, in the order K Q R B N P.
    pub const ALL: [Man; Man::COUNT] = {
        let mut all = [Man(0); Man::COUNT];
        let mut index = 0;
        while index < Man::COUNT {
            all[index] = Man(index as u8);
            index += 1;
        }
        all
    };

    /// Returns the man of this colour and role.
    #[must_use]
    pub const fn new(color: Color, role: Role) -> Man {
        let kind = match role {
            Role::King => 0,
            Role::Queen => 1,
            Role::Rook => 2,
            Role::Bishop => 3,
            Role::Knight => 4,
            Role::Pawn => 5,
        };
        Man(kind + if color.is_white() { 0 } else { 6 })
    }

    /// Returns the man with this number; `None` from 12 on.
    #[must_use]
    pub const fn from_index(index: usize) -> Option<Man> {
        if index < Man::COUNT {
            Some(Man(index as u8))
        } else {
            None
        }
    }

    /// Returns the man for this FEN letter.
    #[must_use]
    pub fn from_char(letter: char) -> Option<Man> {
        Piece::from_char(letter).map(Man::from)
    }

    /// Returns the number, 0 to 11.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the colour.
    #[must_use]
    pub const fn color(self) -> Color {
        if self.0 < 6 {
            Color::White
        } else {
            Color::Black
        }
    }

    /// Returns the role.
    #[must_use]
    pub const fn role(self) -> Role {
        ROLES[(self.0 % 6) as usize]
    }

    /// Returns the same role in the other colour.
    #[must_use]
    pub const fn swapped(self) -> Man {
        Man(if self.0 < 6 { self.0 + 6 } else { self.0 - 6 })
    }

    /// Returns the FEN letter.
    #[must_use]
    pub fn char(self) -> char {
        Piece::from(self).char()
    }

    /// Returns what the man counts, with Q 9, R 5, B 3, N 3, P 1; 0 for kings.
    #[must_use]
    pub const fn points(self) -> i32 {
        match self.role() {
            Role::King => 0,
            Role::Queen => 9,
            Role::Rook => 5,
            Role::Bishop | Role::Knight => 3,
            Role::Pawn => 1,
        }
    }
}

impl From<Piece> for Man {
    fn from(piece: Piece) -> Man {
        Man::new(piece.color, piece.role)
    }
}

impl From<Man> for Piece {
    fn from(man: Man) -> Piece {
        Piece {
            color: man.color(),
            role: man.role(),
        }
    }
}

impl fmt::Debug for Man {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Man({})", self.char())
    }
}
