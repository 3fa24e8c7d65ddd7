//! Moves as people write them, with wildcards.

use shakmaty::san::SanPlus;

use super::{boards::Boards, term::Symmetry};

/// A move in SAN; `?` stands for any one character. Marks for check and mate may be left out
/// of the pattern; when it has them, the move must have them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SanPattern {
    text: String,
    /// Whether castling short is asked of moves that castle long, and the other way round. It
    /// cannot be in the text, whose wildcards may stand for either.
    swaps_castling: bool,
}

impl SanPattern {
    /// Takes a pattern as typed; annotation marks `!` at the end do not count.
    pub(crate) fn new(text: &str) -> SanPattern {
        SanPattern {
            text: text.trim_end_matches('!').replace('0', "O"),
            swaps_castling: false,
        }
    }

    /// Returns the pattern on the mirrored board: ranks, files and castling sides change.
    pub(crate) fn image(&self, symmetry: Symmetry) -> SanPattern {
        let image = |letter: char| match letter {
            '1'..='8' if symmetry.flip => char::from(b'9' - (letter as u8 - b'0')),
            'a'..='h' if symmetry.mirror => char::from(b'a' + b'h' - letter as u8),
            other => other,
        };
        SanPattern {
            text: self.text.chars().map(image).collect(),
            swaps_castling: self.swaps_castling != symmetry.mirror,
        }
    }

    /// Tells whether the move that led to the position fits.
    pub(crate) fn is_last_move_of(&self, boards: &Boards) -> bool {
        let Some((position, played)) = boards.last_move() else {
            return false;
        };
        self.fits(&SanPlus::from_move(position, played).to_string())
    }

    /// Tells whether a move fits that is written with its marks for check and mate.
    pub(super) fn fits(&self, san: &str) -> bool {
        let swapped = match self.swaps_castling {
            true => castling_to_the_other_side(san),
            false => None,
        };
        let san = swapped.as_deref().unwrap_or(san);
        let bare = san.trim_end_matches(['+', '#']);
        [san, bare].iter().any(|san| fits(&self.text, san))
    }
}

/// Returns castling to the other side, with the same marks; `None` for other moves.
fn castling_to_the_other_side(san: &str) -> Option<String> {
    const SHORT: &str = "O-O";
    const LONG: &str = "O-O-O";
    match san.strip_prefix(LONG) {
        Some(marks) => Some([SHORT, marks].concat()),
        None => Some([LONG, san.strip_prefix(SHORT)?].concat()),
    }
}

fn fits(pattern: &str, text: &str) -> bool {
    let mut pairs = pattern.bytes().zip(text.bytes());
    pattern.len() == text.len() && pairs.all(|(want, have)| want == b'?' || want == have)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_stand_for_one_character() {
        let fits = |pattern: &str, san: &str| SanPattern::new(pattern).fits(san);
        assert!(fits("Bxh7+", "Bxh7+") && fits("Bxh7", "Bxh7+"));
        assert!(!fits("Bxh7+", "Bxh7") && !fits("Bxh7+", "Bxh7#"));
        assert!(fits("?x?7", "Bxf7+") && !fits("?x?7", "Nbxd7"));
        assert!(fits("0-0-0", "O-O-O+") && !fits("O-O", "O-O-O"));
    }

    #[test]
    fn castling_to_one_side_is_castling_to_the_other_on_the_mirrored_board() {
        let mirror = Symmetry {
            mirror: true,
            flip: false,
        };
        let fits = |pattern: &str, san: &str| {
            let image = SanPattern::new(pattern).image(mirror);
            let twice = image.image(mirror);
            assert_eq!(twice, SanPattern::new(pattern));
            image.fits(san)
        };
        for pattern in ["O-O", "0-0", "???", "?-O", "O??"] {
            assert!(fits(pattern, "O-O-O") && !fits(pattern, "O-O"), "{pattern}");
        }
        for pattern in ["O-O-O", "O-O-O+", "?-?-?", "?????+"] {
            assert!(
                fits(pattern, "O-O+") && !fits(pattern, "O-O-O+"),
                "{pattern}"
            );
        }
        assert!(fits("?d5", "Ne5") && fits("???", "Nf3+") && !fits("?d5", "Nd5"));
    }
}
