//! Opening codes with Scid's sub-codes, and ranges of them.

use std::{fmt, str::FromStr};

use super::parse_error::ParseError;

/// An opening code: `B90`, or one of Scid's refinements `B90a` to `B90z` and `B90a1` to `B90z4`.
/// Codes sort as their text does.
///
/// Stored as in Scid: 1 + 131 × (100 × letter + number) + refinement. A game without a code is
/// `None` in this crate and 0 on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Eco(u16);

/// The number of refinements of one basic code, including itself.
const SUBCODES: u16 = 131;
/// The code of `E99z4`.
const LAST: u16 = 500 * SUBCODES;

impl Eco {
    /// Reads Scid's 16-bit code; `None` for 0 and for the unused values above E99z4.
    #[must_use]
    pub const fn from_code(code: u16) -> Option<Eco> {
        if code == 0 || code > LAST {
            None
        } else {
            Some(Eco(code))
        }
    }

    /// Returns Scid's 16-bit code, 1 to 65 500.
    #[must_use]
    pub const fn code(self) -> u16 {
        self.0
    }

    /// Returns the code without its refinement: `B90` for `B90a1`.
    #[must_use]
    pub const fn basic(self) -> Eco {
        Eco(self.0 - (self.0 - 1) % SUBCODES)
    }

    /// Returns the place of the code without its refinement among all 500: 0 for A00, 499 for E99.
    #[must_use]
    pub const fn index(self) -> u16 {
        (self.0 - 1) / SUBCODES
    }
}

impl fmt::Display for Eco {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (basic, sub) = (self.index(), (self.0 - 1) % SUBCODES);
        let letter = char::from(b'A' + (basic / 100) as u8);
        write!(f, "{letter}{:02}", basic % 100)?;
        if let Some(sub) = sub.checked_sub(1) {
            write!(f, "{}", char::from(b'a' + (sub / 5) as u8))?;
            if sub % 5 > 0 {
                write!(f, "{}", sub % 5)?;
            }
        }
        Ok(())
    }
}

/// The error for text that is not an opening code.
const NO_CODE: ParseError =
    ParseError("not an opening code: A00 to E99, with a refinement a to z and 1 to 4 if wanted");

impl FromStr for Eco {
    type Err = ParseError;

    /// Parses a whole code: `B90`, `b90a`, `B90a1`.
    fn from_str(text: &str) -> Result<Eco, ParseError> {
        let range: EcoRange = text.parse()?;
        if text.len() < 3 {
            return Err(NO_CODE);
        }
        Ok(range.first)
    }
}

/// The codes that a full or shortened code covers: `B` is B00 to B99z4, `B9` is B90 to B99z4, `B90`
/// is itself with all refinements, `B90a` is itself with B90a1 to B90a4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EcoRange {
    /// The lowest code.
    pub first: Eco,
    /// The highest code.
    pub last: Eco,
}

impl EcoRange {
    /// Whether the code is within the range.
    #[must_use]
    pub fn contains(self, eco: Eco) -> bool {
        self.first <= eco && eco <= self.last
    }
}

impl FromStr for EcoRange {
    type Err = ParseError;

    /// Parses one to five characters of a code, ignoring case.
    fn from_str(text: &str) -> Result<EcoRange, ParseError> {
        let digit = |byte: &u8, max: u8| match byte {
            b'0'..=b'9' if byte - b'0' <= max => Ok(u16::from(byte - b'0')),
            _ => Err(NO_CODE),
        };
        let letter = |byte: &u8, last: u8| match byte.to_ascii_lowercase() {
            small @ b'a'..=b'z' if small <= last => Ok(u16::from(small - b'a')),
            _ => Err(NO_CODE),
        };
        let (first, width) = match text.as_bytes() {
            [a] => (100 * letter(a, b'e')? * SUBCODES, 100 * SUBCODES),
            [a, t] => (
                (100 * letter(a, b'e')? + 10 * digit(t, 9)?) * SUBCODES,
                10 * SUBCODES,
            ),
            [a, t, u, rest @ ..] => {
                let basic = 100 * letter(a, b'e')? + 10 * digit(t, 9)? + digit(u, 9)?;
                let (sub, width) = match rest {
                    [] => (0, SUBCODES),
                    [s] => (1 + 5 * letter(s, b'z')?, 5),
                    [s, d] if *d != b'0' => (1 + 5 * letter(s, b'z')? + digit(d, 4)?, 1),
                    _ => return Err(NO_CODE),
                };
                (basic * SUBCODES + sub, width)
            }
            [] => return Err(NO_CODE),
        };
        Ok(EcoRange {
            first: Eco(first + 1),
            last: Eco(first + width),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_numbered_as_scid_numbers_them() {
        let known = [
            ("A00", 1),
            ("A00a", 2),
            ("A00a1", 3),
            ("A00b", 7),
            ("A00z4", 131),
            ("A01", 132),
            ("B00", 13_101),
            ("E99z4", 65_500),
        ];
        for (text, code) in known {
            let eco: Eco = text.parse().unwrap();
            assert_eq!(eco.code(), code, "{text}");
            assert_eq!(eco.to_string(), text);
        }
    }

    #[test]
    fn every_code_prints_and_reads_back() {
        for code in 1..=LAST {
            let eco = Eco::from_code(code).unwrap();
            assert_eq!(eco.to_string().parse(), Ok(eco));
        }
        assert_eq!(Eco::from_code(0), None);
        assert_eq!(Eco::from_code(LAST + 1), None);
    }

    #[test]
    fn a_short_code_covers_all_that_it_begins() {
        let range = |text: &str| {
            let range: EcoRange = text.parse().unwrap();
            (range.first.to_string(), range.last.to_string())
        };
        assert_eq!(range("B"), ("B00".into(), "B99z4".into()));
        assert_eq!(range("b9"), ("B90".into(), "B99z4".into()));
        assert_eq!(range("B90"), ("B90".into(), "B90z4".into()));
        assert_eq!(range("B90a"), ("B90a".into(), "B90a4".into()));
        assert_eq!(range("B90a2"), ("B90a2".into(), "B90a2".into()));
        for wrong in ["", "F00", "B9x", "B90aa", "B90a5", "B90a11", "é"] {
            assert!(wrong.parse::<EcoRange>().is_err(), "{wrong}");
        }
    }
}
