//! Conditions that may stand anywhere on the board, in one arrangement.
//!
//! With `shift` one condition becomes up to 64 patterns for each of its images. Nearly all of them
//! are ruled out together: what a named square needs gives the set of places at which the whole may
//! stand, and the sets of all named squares are intersected, with the board as a word of 64 bits.

use super::{Boards, Men, Pattern, Symmetry, relation::EMPTY};
use shakmaty::{File, Rank, Square};

/// The patterns of one image of a condition: itself, moved over the board.
///
/// Each is known by its *anchor*: the square on the leftmost of all files and the lowest of all
/// ranks that it names.
#[derive(Debug, Clone)]
pub(crate) struct Shifted {
    /// What all of them have in common.
    pub(crate) outline: Pattern,
    needs: Vec<Need>,
    /// The anchors of all patterns.
    anchors: u64,
    /// By anchor: the number of the pattern.
    patterns: Box<[u16; 64]>,
}

/// A place that a condition names, and what must be there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Named {
    pub(crate) place: Line,
    /// One of these men, or none of them if negated; with [`EMPTY`] nothing at all will do.
    pub(crate) men: Option<(Men, bool)>,
}

/// A square, file or rank.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Line {
    Square(Square),
    File(File),
    Rank(Rank),
}

/// What must be in a place, seen from the anchor.
#[derive(Debug, Clone)]
struct Need {
    men: Men,
    negated: bool,
    line: Line,
    /// By how many squares the place is behind the anchor.
    distance: u32,
}

impl Named {
    pub(crate) fn image(&self, symmetry: Symmetry) -> Named {
        let square = |file: File, rank: Rank| symmetry.square(Square::from_coords(file, rank));
        Named {
            place: match self.place {
                Line::Square(at) => Line::Square(symmetry.square(at)),
                Line::File(file) => Line::File(square(file, Rank::First).file()),
                Line::Rank(rank) => Line::Rank(square(File::A, rank).rank()),
            },
            men: self.men.map(|(men, negated)| (symmetry.men(men), negated)),
        }
    }

    fn file(&self) -> Option<File> {
        match self.place {
            Line::Square(square) => Some(square.file()),
            Line::File(file) => Some(file),
            Line::Rank(_) => None,
        }
    }

    fn rank(&self) -> Option<Rank> {
        match self.place {
            Line::Square(square) => Some(square.rank()),
            Line::Rank(rank) => Some(rank),
            Line::File(_) => None,
        }
    }
}

/// Returns the anchor of what is named.
pub(crate) fn anchor(named: &[Named]) -> Square {
    let file = named.iter().filter_map(Named::file).min();
    let rank = named.iter().filter_map(Named::rank).min();
    Square::from_coords(file.unwrap_or(File::A), rank.unwrap_or(Rank::First))
}

impl Shifted {
    /// Combines patterns that are the same but for their places: `named` are those of one of them,
    /// `patterns` are the anchors and numbers of all.
    pub(crate) fn new(
        outline: Pattern,
        named: &[Named],
        patterns: impl Iterator<Item = (Square, u16)>,
    ) -> Shifted {
        let anchor = anchor(named);
        let need = |named: &Named| {
            let (men, negated) = named.men?;
            let files = named
                .file()
                .map_or(0, |file| file as u32 - anchor.file() as u32);
            let ranks = named
                .rank()
                .map_or(0, |rank| rank as u32 - anchor.rank() as u32);
            Some(Need {
                men,
                negated,
                line: named.place,
                distance: 8 * ranks + files,
            })
        };
        let mut shifted = Shifted {
            outline,
            needs: named.iter().filter_map(need).collect(),
            anchors: 0,
            patterns: Box::new([0; 64]),
        };
        for (anchor, number) in patterns {
            shifted.anchors |= 1 << anchor as u32;
            shifted.patterns[anchor as usize] = number;
        }
        shifted
    }

    /// Returns the numbers of the patterns that may match: all others do not.
    #[inline]
    pub(super) fn candidates(&self, boards: &Boards) -> impl Iterator<Item = usize> {
        let mut anchors = self.anchors;
        for need in &self.needs {
            // Squares of the next rank come from beyond the edge. No pattern has such an anchor.
            anchors &= need.places(boards) >> need.distance;
            if anchors == 0 {
                break;
            }
        }
        std::iter::from_fn(move || {
            let anchor = anchors.trailing_zeros();
            let number = self.patterns.get(anchor as usize)?;
            anchors &= anchors - 1;
            Some(usize::from(*number))
        })
    }
}

impl Need {
    /// Returns the squares of all places where it is satisfied.
    #[inline]
    fn places(&self, boards: &Boards) -> u64 {
        let mut squares = match self.men & !EMPTY {
            0 => 0,
            men => boards.union(men),
        };
        if self.men & EMPTY != 0 {
            squares |= !boards.occupied();
        }
        let places = match self.line {
            Line::Square(_) => squares,
            Line::File(_) => whole_files(squares),
            Line::Rank(_) => whole_ranks(squares),
        };
        if self.negated { !places } else { places }
    }
}

/// Returns all squares of the files on which there is one of some squares.
const fn whole_files(squares: u64) -> u64 {
    let squares = squares | squares.rotate_left(32);
    let squares = squares | squares.rotate_left(16);
    squares | squares.rotate_left(8)
}

/// Returns all squares of the ranks on which there is one of some squares.
const fn whole_ranks(squares: u64) -> u64 {
    const LOW: u64 = 0x0101_0101_0101_0101;
    let squares = squares | squares >> 4 & 0x0f0f_0f0f_0f0f_0f0f;
    let squares = squares | squares >> 2 & 0x3333_3333_3333_3333;
    let squares = squares | squares >> 1 & 0x5555_5555_5555_5555;
    (squares & LOW) * 0xff
}
