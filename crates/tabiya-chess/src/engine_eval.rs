//! An engine's evaluation of a position, where a file stores it.

use std::{fmt, str::FromStr};

use shakmaty::Move;

use super::parse_error::ParseError;

/// An engine's evaluation of a position.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct EngineEval<'a> {
    /// The expected result of the side to move: 0 for a loss, 1 for a win.
    pub expectation: f64,
    /// How often the search visited each legal move, scaled so that the most visited has 255, in
    /// ascending order of [`code`](EngineEval::code); empty if not stored.
    pub visits: &'a [u8],
    /// Returns the number of a move by which the visits are sorted.
    pub code: fn(Move) -> u16,
}

impl<'a> EngineEval<'a> {
    /// Creates an evaluation of an expected result, visits, and the number of a move by which these
    /// are sorted.
    #[doc(hidden)]
    #[must_use]
    pub fn new(expectation: f64, visits: &'a [u8], code: fn(Move) -> u16) -> EngineEval<'a> {
        EngineEval {
            expectation,
            visits,
            code,
        }
    }
}

/// A number from 0 to 1, in millionths, with which scores and visits are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Share(u32);

/// Digits after the decimal point.
const DIGITS: usize = 6;

impl Share {
    /// The largest share, 1.
    pub const ONE: Share = Share(1_000_000);

    /// Returns this many millionths; `None` above [`ONE`](Share::ONE).
    #[must_use]
    pub const fn from_millionths(millionths: u32) -> Option<Share> {
        if millionths <= Share::ONE.0 {
            Some(Share(millionths))
        } else {
            None
        }
    }

    /// Returns the number, 0.0 to 1.0.
    #[must_use]
    pub fn get(self) -> f64 {
        f64::from(self.0) / f64::from(Share::ONE.0)
    }
}

/// The error for text that is not a share.
const NO_SHARE: ParseError =
    ParseError("a number from 0 to 1 with at most six digits after the point");

impl FromStr for Share {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Share, ParseError> {
        let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
        let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if text.is_empty() || part.is_empty() || part.len() > DIGITS || !are_digits(part) {
            return Err(NO_SHARE);
        }
        let whole = match whole {
            "" | "0" => 0,
            "1" => Share::ONE.0,
            _ => return Err(NO_SHARE),
        };
        let part: u32 = format!("{part:0<DIGITS$}").parse().map_err(|_| NO_SHARE)?;
        Share::from_millionths(whole + part).ok_or(NO_SHARE)
    }
}

impl fmt::Display for Share {
    /// Writes as few digits as needed: `0.6`, `1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.DIGITS$}", self.get());
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_as_they_are_written() {
        for millionths in (0..=1_000_000)
            .step_by(7)
            .chain([1, 10, 100_000, 1_000_000])
        {
            let share = Share::from_millionths(millionths).unwrap();
            assert_eq!(share.to_string().parse(), Ok(share));
        }
        let written = ["0", "1", "0.6", "0.000001"];
        assert_eq!(
            written.map(|text| text.parse::<Share>().unwrap().to_string()),
            written
        );
        assert_eq!(".50".parse(), "0.5".parse::<Share>());
        for wrong in [
            "",
            "1.1",
            "1.000001",
            "2",
            "-0.1",
            "0.",
            "0.1234567",
            "1e-1",
            "+1",
            "60%",
        ] {
            assert_eq!(wrong.parse::<Share>(), Err(NO_SHARE), "{wrong}");
        }
    }
}
