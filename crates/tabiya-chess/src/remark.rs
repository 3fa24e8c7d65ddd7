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
        self.read_commands(comment);
        if self.told > Told::ByTcec {
            self.tell(Told::ByTcec, of_tcec(comment));
        }
        if let Some(mover) = mover.filter(|_| self.told > Told::AtBeginning) {
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
        for piece in comment.split("[%").skip(1) {
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
mod tests {
    use super::*;

    fn remark(comments: &[&str]) -> Remark {
        let mut remark = Remark::default();
        comments
            .iter()
            .for_each(|comment| remark.read(comment, Some(Color::Black)));
        remark
    }

    #[test]
    fn commands_are_read_wherever_they_stand() {
        let told = remark(&[
            "good [%eval 0.35,20] [%clk 1:02:03.4]move",
            "[%emt 0:00:07]",
        ]);
        assert_eq!(told.clock, Some(Seconds(3_723_400)));
        assert_eq!(told.spent, Some(Seconds(7000)));
        assert_eq!(told.eval, Some(Evaluation(350)));
        for nothing in [
            "",
            "[%clk]",
            "[%clk 1:2:3:4]",
            "[%clk x]",
            "[%clk 1",
            "[%eval 1.x]",
        ] {
            assert_eq!(remark(&[nothing]), Remark::default(), "{nothing}");
        }
        for wrong in [
            "[%clk -1]",
            "[%clk 1.5:00]",
            "[%eval #]",
            "[%eval #1.5]",
            "[%eval 1.]",
        ] {
            assert_eq!(remark(&[wrong]), Remark::default(), "{wrong}");
        }
    }

    #[test]
    fn the_first_readable_command_counts() {
        let told = remark(&["[%clk ?] [%clk 0:05]", "[%clk 9] [%eval #-2] [%eval 3]"]);
        assert_eq!(told.clock, Some(Seconds(5000)));
        assert_eq!(told.eval, Some(Evaluation::mate(false, 2)));
    }

    #[test]
    fn evaluations_of_engine_matches_are_read() {
        for (comments, told) in [
            (&["+0.34/12 1.2s"][..], "-0.34"),
            (&["-M2/20 0.1s, Black is mated"], "#2"),
            (&["0.00/8"], "0"),
            (&["M5/30"], "#-5"),
            (&["d=30, sd=40, wv=2.50, R50=49"], "2.5"),
            (&["wv=-M2;"], "#-2"),
            (&["book", "+0.5/3 1s", "wv=1.5"], "1.5"),
            (&["wv=1.5 [%eval 0.7,20]"], "0.7"),
        ] {
            let told = Some(told.parse().unwrap());
            assert_eq!(remark(comments).eval, told, "{comments:?}");
        }
        for nothing in [
            "0.34",
            "a +0.34/12",
            "+0.34/d",
            "xwv=1",
            "wv=",
            "M/3",
            "1/2-1/2",
        ] {
            let is_told = remark(&[nothing]).eval.is_some();
            assert_eq!(is_told, nothing == "1/2-1/2", "{nothing}");
        }
    }

    #[test]
    fn profiles_have_an_evaluation_for_each_half_move() {
        let profile = Profile::find("x [%evp 0,5,19,-20,32767,29999,-29998,5000] y").unwrap();
        let told: Vec<String> = profile
            .evaluations()
            .map(|(ply, evaluation)| format!("{ply}:{evaluation}"))
            .collect();
        assert_eq!(told, ["0:0.19", "1:-0.2", "3:#1", "4:#-1", "5:50"]);
        for none in ["[%evp 1]", "[%evp x,2,3]", "[%evp 1,2,3", ""] {
            assert_eq!(Profile::find(none), None, "{none}");
        }
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for text in ["0", "30", "0.5", "59.999", "100000"] {
            assert_eq!(text.parse::<Seconds>().unwrap().to_string(), text);
        }
        for text in ["0", "-0.5", "2", "1.234", "#3", "#-2", "#0", "#-0"] {
            assert_eq!(text.parse::<Evaluation>().unwrap().to_string(), text);
        }
        for wrong in [
            "", ".", "-", "1.", "1.2345", "--1", "1e3", "#", "#x", "#--1", "1:30",
        ] {
            assert!(wrong.parse::<Evaluation>().is_err(), "{wrong}");
            assert!(wrong.parse::<Seconds>().is_err(), "{wrong}");
        }
        assert!("-1".parse::<Seconds>().is_err());
    }

    #[test]
    fn mates_count_as_more_than_any_number_of_pawns() {
        let read = |text: &str| Evaluation::of_command(text).unwrap();
        let inorder = [
            "#-1",
            "#-2",
            "#-99999999999999999999",
            "-99999999999999999999",
            "-1.001",
            "-1",
            "0.001",
            "1",
            "99999999999999999999",
            "#99999999999999999999",
            "#2",
            "#1",
        ];
        let numbers = inorder.map(read);
        assert!(
            numbers.is_sorted_by(|one, other| one < other),
            "{numbers:?}"
        );
        assert_eq!(Seconds::of_clock("9999999:00:00"), Some(Seconds(i32::MAX)));
    }
}
