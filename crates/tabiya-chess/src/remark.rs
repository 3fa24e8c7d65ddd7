//! What the comments of a move tell of the clock, the time and an engine's evaluation.
//!
//! | command | meaning |
//! |---|---|
//! | `[%clk H:MM:SS]` | time left for the side that has moved |
//! | `[%emt H:MM:SS]` | time spent on the move |
//! | `[%eval PAWNS]`, `[%eval #MOVES]` | evaluation for White; more may follow a comma |
//! | `wv=PAWNS`, `wv=-MMOVES` | the same, as TCEC writes it |
//! | `PAWNS/DEPTH`, `-MMOVES/DEPTH` at the beginning | the same for the side that has moved |
//! | `[%evp FIRST,LAST,...]` before the first move | evaluations by half-move: [`Profile`] |
//!
//! Of several evaluations of a move the first of this list counts. The third form is that of
//! cutechess, fastchess and WinBoard, the last that of ChessBase.
//!
//! Times may have fractions, and fewer parts. All numbers are kept in thousandths, so that they
//! are compared exactly; digits after the third are ignored.

use std::{fmt, ops::Neg, str::FromStr};

use shakmaty::Color;

use super::parse_error::ParseError;

/// Digits after the point that count.
const DIGITS: usize = 3;
/// Thousandths of one.
const ONE: i32 = 1000;

/// A time in thousandths of seconds. Longer times than 24 days count as that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Seconds(i32);

/// The error for text that is not a time.
const NO_TIME: ParseError =
    ParseError("a number of seconds with at most three digits after the point");

impl Seconds {
    /// Returns this many thousandths.
    #[must_use]
    pub const fn from_thousandths(thousandths: i32) -> Seconds {
        Seconds(thousandths)
    }

    /// Returns the number of thousandths; below 0 for a difference of clocks.
    #[must_use]
    pub const fn thousandths(self) -> i32 {
        self.0
    }

    /// Returns the number of seconds.
    #[must_use]
    pub fn seconds(self) -> f64 {
        f64::from(self.0) / f64::from(ONE)
    }

    /// Returns the time between two readings of a clock, with what was added in between.
    #[doc(hidden)]
    pub fn until(self, later: Seconds, increment: Seconds) -> Seconds {
        let spent = i64::from(self.0) - i64::from(later.0) + i64::from(increment.0);
        Seconds(clamped(spent, i32::MAX))
    }

    /// Parses `H:MM:SS`, `M:SS` or seconds, with a fraction or without.
    fn of_clock(text: &str) -> Option<Seconds> {
        // Nearly all are of this form, and there is one for each move.
        if let [hours, b':', a, b, b':', c, d] = text.as_bytes()
            && [hours, a, b, c, d].into_iter().all(u8::is_ascii_digit)
        {
            let two = |tens: &u8, ones: &u8| i32::from(tens - b'0') * 10 + i32::from(ones - b'0');
            let minutes = i32::from(hours - b'0') * 60 + two(a, b);
            return Some(Seconds((minutes * 60 + two(c, d)) * ONE));
        }
        let (before, seconds) = text.rsplit_once(':').unwrap_or(("0", text));
        let (hours, minutes) = before.split_once(':').unwrap_or(("0", before));
        let whole = |part: &str| thousandths(part).filter(|_| !part.contains('.'));
        let minutes = whole(hours)?
            .saturating_mul(60)
            .saturating_add(whole(minutes)?);
        let time = minutes
            .saturating_mul(60)
            .saturating_add(thousandths(seconds)?);
        Some(Seconds(clamped(time, i32::MAX)))
    }
}

impl FromStr for Seconds {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Seconds, ParseError> {
        let number = exact(text).and_then(|()| thousandths(text));
        let number = number.ok_or(NO_TIME)?;
        Ok(Seconds(clamped(number, i32::MAX)))
    }
}

impl fmt::Display for Seconds {
    /// Writes as few digits as needed: `90`, `0.5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_thousandths(self.0, f)
    }
}

/// A number with at most three digits after the point, positive or negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Decimal(i32);

/// The error for text that is not such a number.
const NO_DECIMAL: ParseError = ParseError("a number with at most three digits after the point");

impl Decimal {
    /// Returns the number of thousandths.
    #[must_use]
    pub const fn thousandths(self) -> i32 {
        self.0
    }

    /// Returns the number.
    #[must_use]
    pub fn value(self) -> f64 {
        f64::from(self.0) / f64::from(ONE)
    }
}

impl FromStr for Decimal {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Decimal, ParseError> {
        let (is_plus, size) = signed(text);
        let number = exact(size).and_then(|()| thousandths(size));
        let number = clamped(number.ok_or(NO_DECIMAL)?, i32::MAX);
        Ok(Decimal(if is_plus { number } else { -number }))
    }
}

impl fmt::Display for Decimal {
    /// Writes as few digits as needed: `90`, `-0.5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_thousandths(self.0, f)
    }
}

/// An engine's evaluation for White: pawns, or a mate announced. Mates count as more than any
/// number of pawns, and sooner ones as more than later ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Evaluation(i32);

/// The error for text that is not an evaluation.
const NO_EVALUATION: ParseError = ParseError(
    "pawns as `-0.5` with at most three digits after the point, or a mate as `#3` or `#-2`",
);

impl Evaluation {
    /// The largest number of pawns. More count as this.
    pub const PAWNS_MAX: i32 = 1_000_000_000;
    /// The [number](Evaluation::number) of a mate that has happened.
    #[doc(hidden)]
    pub const MATE: i32 = 2_000_000_000;
    /// The longest mate. Longer ones count as this.
    const MOVES_MAX: i64 = 999_999;

    /// Returns this many thousandths of pawns.
    #[must_use]
    pub fn from_thousandths(thousandths: i32) -> Evaluation {
        Evaluation(clamped(thousandths.into(), Evaluation::PAWNS_MAX))
    }

    /// Returns a mate by White in this many moves, or by Black.
    #[must_use]
    pub fn mate(by_white: bool, moves: u32) -> Evaluation {
        let mate = Evaluation::MATE - clamped(moves.into(), Evaluation::MOVES_MAX as i32);
        Evaluation(if by_white { mate } else { -mate })
    }

    /// Returns pawns, positive for White; `None` for a mate.
    #[must_use]
    pub fn pawns(self) -> Option<f64> {
        let is_mate = self.0.saturating_abs() > Evaluation::PAWNS_MAX;
        (!is_mate).then(|| f64::from(self.0) / f64::from(ONE))
    }

    /// Returns the moves to a mate, negative if Black mates; `None` for pawns.
    #[must_use]
    pub fn mate_in(self) -> Option<i32> {
        let moves = Evaluation::MATE.saturating_sub(self.0.saturating_abs());
        let is_mate = self.pawns().is_none();
        is_mate.then_some(if self.0 < 0 { -moves } else { moves })
    }

    /// Returns a number in the order of evaluations: thousandths of pawns up to `PAWNS_MAX`, and
    /// mates beyond. The same evaluation for Black has the negated number.
    #[doc(hidden)]
    pub const fn number(self) -> i32 {
        self.0
    }

    /// Returns the evaluation of such a number.
    #[doc(hidden)]
    pub fn from_number(number: i32) -> Evaluation {
        Evaluation(number.clamp(-Evaluation::MATE, Evaluation::MATE))
    }

    /// Parses the moves to a mate.
    fn of_moves(by_white: bool, moves: &str) -> Option<Evaluation> {
        let are_digits = moves.bytes().all(|byte| byte.is_ascii_digit());
        let moves = thousandths(moves).filter(|_| are_digits)? / i64::from(ONE);
        let moves = u32::try_from(moves.min(Evaluation::MOVES_MAX)).ok()?;
        Some(Evaluation::mate(by_white, moves))
    }

    /// Parses an evaluation whose number has any number of digits.
    fn of_command(text: &str) -> Option<Evaluation> {
        if let Some(moves) = text.strip_prefix('#') {
            let (by_white, moves) = signed(moves);
            return Evaluation::of_moves(by_white, moves);
        }
        let (is_plus, pawns) = signed(text);
        let number = clamped(thousandths(pawns)?, Evaluation::PAWNS_MAX);
        Some(Evaluation(if is_plus { number } else { -number }))
    }
}

impl FromStr for Evaluation {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Evaluation, ParseError> {
        let evaluation = exact(text).and_then(|()| Evaluation::of_command(text));
        evaluation.ok_or(NO_EVALUATION)
    }
}

impl fmt::Display for Evaluation {
    /// Writes as few digits as needed: `-0.5`, `#3`, `#-2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.saturating_abs();
        if size <= Evaluation::PAWNS_MAX {
            return write_thousandths(self.0, f);
        }
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "#{sign}{}", Evaluation::MATE.saturating_sub(size))
    }
}

/// What the comments of one move tell.
///
/// ```
/// # mod tabiya { pub use tabiya_chess as chess; }
/// use tabiya::chess::Remark;
///
/// let mut remark = Remark::default();
/// remark.read("[%eval -0.5] [%clk 0:01:30]", None);
/// assert_eq!(remark.clock.unwrap().thousandths(), 90_000);
/// assert_eq!(remark.eval.unwrap().to_string(), "-0.5");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Remark {
    /// Time left for the side that has moved: `[%clk]`.
    pub clock: Option<Seconds>,
    /// Time spent on the move: `[%emt]`.
    pub spent: Option<Seconds>,
    /// An engine's evaluation of the position after the move.
    pub eval: Option<Evaluation>,
    /// How it is told.
    told: Told,
}

/// Ways to tell an evaluation, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Told {
    ByCommand,
    ByTcec,
    AtBeginning,
    #[default]
    Otherwise,
}

impl Remark {
    /// Reads a comment of a move, made by this side if it is known. What an earlier comment of the
    /// move has told stays.
    pub fn read(&mut self, comment: &str, mover: Option<Color>) {
        let has = |byte: u8| comment.as_bytes().contains(&byte);
        self.read_commands(comment);
        if self.told > Told::ByTcec && has(b'=') {
            self.tell(Told::ByTcec, of_tcec(comment));
        }
        if let Some(mover) = mover.filter(|_| self.told > Told::AtBeginning && has(b'/')) {
            let evaluation = at_beginning(comment);
            let for_white = evaluation.map(|evaluation| mover.fold_wb(evaluation, -evaluation));
            self.tell(Told::AtBeginning, for_white);
        }
    }

    fn tell(&mut self, told: Told, evaluation: Option<Evaluation>) {
        if evaluation.is_some() {
            (self.eval, self.told) = (evaluation, told);
        }
    }

    fn read_commands(&mut self, comment: &str) {
        let mut rest = comment;
        while let Some(at) = command_at(rest) {
            rest = &rest[at + SIGN.len()..];
            let piece = &rest[..command_at(rest).unwrap_or(rest.len())];
            let Some((command, _)) = piece.split_once(']') else {
                return;
            };
            let Some((name, value)) = command.split_once(char::is_whitespace) else {
                continue;
            };
            // More may follow, such as the depth.
            let value = value.split([',', '/']).next().unwrap_or_default().trim();
            match name {
                "clk" => self.clock = self.clock.or_else(|| Seconds::of_clock(value)),
                "emt" => self.spent = self.spent.or_else(|| Seconds::of_clock(value)),
                "eval" if self.told > Told::ByCommand => {
                    self.tell(Told::ByCommand, Evaluation::of_command(value));
                }
                _ => {}
            }
        }
    }
}

/// How a command begins.
const SIGN: &str = "[%";

/// Returns where the first command begins: faster than a search for a text of two letters, for
/// which much is prepared.
fn command_at(text: &str) -> Option<usize> {
    let mut brackets = text.match_indices('[').map(|(at, _)| at);
    brackets.find(|&at| text[at..].starts_with(SIGN))
}

impl Neg for Evaluation {
    type Output = Evaluation;

    /// Returns the same evaluation for Black.
    fn neg(self) -> Evaluation {
        Evaluation(-self.0)
    }
}

/// Parses pawns, or `M` and moves, with a sign or without.
fn pawns_or_mate(text: &str) -> Option<Evaluation> {
    let (is_plus, size) = signed(text);
    match size.strip_prefix('M') {
        Some(moves) => Evaluation::of_moves(is_plus, moves),
        None => Evaluation::of_command(text).filter(|_| !size.starts_with(['#', '-', '+'])),
    }
}

/// Returns the evaluation after `wv=`.
fn of_tcec(comment: &str) -> Option<Evaluation> {
    comment.match_indices("wv=").find_map(|(at, sign)| {
        let is_word = !comment[..at].ends_with(|before: char| before.is_alphanumeric());
        let value = &comment[at + sign.len()..];
        let ends = |letter: char| letter.is_whitespace() || matches!(letter, ',' | '/' | ';' | ']');
        let value = value.split(ends).next().unwrap_or_default();
        pawns_or_mate(value).filter(|_| is_word)
    })
}

/// Returns the evaluation before a slash and a depth, at the beginning of a comment.
fn at_beginning(comment: &str) -> Option<Evaluation> {
    let (value, depth) = comment.trim_start().split_once('/')?;
    depth
        .starts_with(|digit: char| digit.is_ascii_digit())
        .then(|| pawns_or_mate(value))?
}

/// The evaluations of a main line by half-move, which ChessBase stores before the first move:
/// `[%evp FIRST,LAST,...]`. 32767 stands for none, and what is beyond 29000 for a mate in as many
/// half-moves as 30000 is more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profile<'c> {
    /// The half-move of the first value; 0 is the start.
    first: u32,
    values: &'c str,
}

impl<'c> Profile<'c> {
    /// Finds the command in a comment.
    #[must_use]
    pub fn find(comment: &'c str) -> Option<Profile<'c>> {
        let (_, command) = comment.split_once("[%evp ")?;
        let (value, _) = command.split_once(']')?;
        let (first, rest) = value.split_once(',')?;
        let (_, values) = rest.split_once(',')?;
        Some(Profile {
            first: first.trim().parse().ok()?,
            values,
        })
    }

    /// Iterates over the half-moves with an evaluation.
    pub fn evaluations(self) -> impl Iterator<Item = (u32, Evaluation)> + 'c {
        const NONE: i32 = 32767;
        const MATE_BEYOND: i32 = 29_000;
        const MATE: i32 = 30_000;
        let evaluation = |value: &str| {
            let value: i32 = value.trim().parse().ok()?;
            let size = value.saturating_abs();
            match size {
                _ if value == NONE => None,
                size if size > MATE_BEYOND => {
                    let plies = MATE.saturating_sub(size).max(0).unsigned_abs();
                    Some(Evaluation::mate(value > 0, plies.div_ceil(2)))
                }
                _ => Some(Evaluation::from_thousandths(
                    value.saturating_mul(ONE / 100),
                )),
            }
        };
        let plies = self.first..;
        let told = plies.zip(self.values.split(','));
        told.filter_map(move |(ply, value)| Some((ply, evaluation(value)?)))
    }
}

/// Returns whether a text begins with no minus, and what follows its sign.
fn signed(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (false, rest),
        None => (true, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// Returns `None` if the text has more digits after the point than count.
fn exact(text: &str) -> Option<()> {
    let (_, part) = text.split_once('.').unwrap_or((text, ""));
    (part.len() <= DIGITS).then_some(())
}

/// Parses a number without a sign, as thousandths; huge ones count as the largest.
fn thousandths(text: &str) -> Option<i64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if text.is_empty() || part.is_empty() || !are_digits(whole) || !are_digits(part) {
        return None;
    }
    let number = |digits: &mut dyn Iterator<Item = u8>| {
        digits.fold(0_i64, |number, digit| {
            let ten = number.saturating_mul(10);
            ten.saturating_add(i64::from(digit - b'0'))
        })
    };
    let zeros = std::iter::repeat(b'0');
    let whole = number(&mut whole.bytes()).saturating_mul(ONE.into());
    let part = number(&mut part.bytes().chain(zeros).take(DIGITS));
    Some(whole.saturating_add(part))
}

/// Returns the number, not beyond `most` on either side.
fn clamped(number: i64, most: i32) -> i32 {
    number.clamp(-i64::from(most), most.into()) as i32
}

fn write_thousandths(number: i32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let sign = if number < 0 { "-" } else { "" };
    let (whole, part) = (
        number.unsigned_abs() / ONE as u32,
        number.unsigned_abs() % ONE as u32,
    );
    let text = format!("{sign}{whole}.{part:0DIGITS$}");
    f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests;
