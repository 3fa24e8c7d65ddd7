//! Moves as people write them, with wildcards.

use shakmaty::san::SanPlus;

use super::{boards::Boards, term::Symmetry};

/// A move in SAN; `?` stands for any one character. Marks for check and mate may be left out
/// of the pattern; when it has them, the move must have them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SanPattern(String);

impl SanPattern {
    /// Takes a pattern as typed; annotation marks `!` at the end do not count.
    pub(crate) fn new(text: &str) -> SanPattern {
        SanPattern(text.trim_end_matches('!').replace('0', "O"))
    }

    /// Returns the pattern on the mirrored board: ranks, files and castling sides change.
    pub(crate) fn image(&self, symmetry: Symmetry) -> SanPattern {
        let mirrored = match (symmetry.mirror, self.0.as_str()) {
            (false, text) => text.to_owned(),
            (true, text) if text.starts_with("O-O-O") => text.replacen("O-O-O", "O-O", 1),
            (true, text) if text.starts_with("O-O") => text.replacen("O-O", "O-O-O", 1),
            (true, text) => text.to_owned(),
        };
        let image = |letter: char| match letter {
            '1'..='8' if symmetry.flip => char::from(b'9' - (letter as u8 - b'0')),
            'a'..='h' if symmetry.mirror => char::from(b'a' + b'h' - letter as u8),
            other => other,
        };
        SanPattern(mirrored.chars().map(image).collect())
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
        let bare = san.trim_end_matches(['+', '#']);
        fits(self.0.as_bytes(), san.as_bytes()) || fits(self.0.as_bytes(), bare.as_bytes())
    }
}

fn fits(pattern: &[u8], text: &[u8]) -> bool {
    pattern.len() == text.len()
        && pattern
            .iter()
            .zip(text)
            .all(|(&want, &have)| want == b'?' || want == have)
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
}
