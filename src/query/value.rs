//! Parses the values of clauses, except boards.
//!
//! One file because every value is read in the same way: a small grammar, and a fault that says
//! what was expected.

use shakmaty::{Board, File, Rank, Square};
use tabiya_chess::{EcoRange, GameResult, Man, PartialDate};
use winnow::{
    Parser,
    combinator::{alt, opt, preceded, separated},
    error::EmptyError,
    token::{any, one_of, take_while},
};

use super::{
    Compare, DateTest, Decimal, EcoTest, EvalTest, Fault, Op, Path, Place, Seconds, Share, Values,
    board, fault::excerpt, lex::Value, part::Part, suggest, table::Field,
};

use crate::limits::QUERY_CONDITIONS_MAX;

type Read<T> = winnow::Result<T, EmptyError>;

/// The similarity that is asked for if a query does not say.
const SIMILAR_MILLIONTHS: u32 = 750_000;

/// The last year that files can store.
const YEAR_MAX: u16 = 2047;

/// A clause, split into its parts.
#[derive(Debug)]
pub(super) struct Operand<'a> {
    pub(super) field: &'static Field,
    /// The name as typed.
    pub(super) name: &'a str,
    /// The same, with its place.
    pub(super) left: Part<'a>,
    pub(super) op: Op,
    pub(super) value: Value<'a>,
    /// Whether the value stood between slashes.
    pub(super) is_regex: bool,
    /// What stands after the value and `>=`, of `similar`.
    pub(super) bound: Option<Value<'a>>,
}

impl Operand<'_> {
    /// Parses one value or a range, with the operator. See [`compare`].
    fn compare<T>(
        &self,
        one: impl Fn(&Part<'_>) -> Result<T, Fault>,
        in_order: impl Fn(&T, &T) -> bool,
    ) -> Result<Compare<T>, Fault> {
        compare(self.name, self.op, &self.value.part(), one, in_order)
    }

    /// Parses a number or range, none below `least`.
    pub(super) fn numbers(&self, least: i32) -> Result<Compare<i32>, Fault> {
        numbers(self.name, self.op, &self.value.part(), least)
    }

    /// Parses a decimal number or a range of such.
    pub(super) fn decimals(&self) -> Result<Compare<Decimal>, Fault> {
        self.compare(parsed, |low, high| low <= high)
    }

    /// Parses a share from 0 to 1 or a range of shares.
    pub(super) fn shares(&self) -> Result<Compare<Share>, Fault> {
        self.compare(parsed, |low, high| low <= high)
    }

    /// Parses seconds or a range of seconds.
    pub(super) fn seconds(&self) -> Result<Compare<Seconds>, Fault> {
        self.compare(parsed, |low, high| low <= high)
    }

    /// Parses an evaluation, a range of evaluations or `#`.
    pub(super) fn evaluation(&self) -> Result<EvalTest, Fault> {
        if self.is_word("#") {
            return self.present_or_not("#").map(EvalTest::Mate);
        }
        self.compare(parsed, |low, high| low <= high)
            .map(EvalTest::Compare)
    }

    /// Parses a position, and the least similarity after it.
    pub(super) fn likeness(&self) -> Result<(Board, Share), Fault> {
        let whole = self.value.part();
        let (position, bound) = match whole.split_once(">=") {
            Some((position, bound)) => (position, Some(bound)),
            None => (whole, None),
        };
        let bound = match &self.bound {
            Some(bound) => Some(parsed(&bound.part().trim())?),
            None => bound.map(|bound| parsed(&bound.trim())).transpose()?,
        };
        let usual = Share::from_millionths(SIMILAR_MILLIONTHS).unwrap_or(Share::ONE);
        Ok((board::placement(&position)?, bound.unwrap_or(usual)))
    }

    /// Parses shares, or a move with an operator and shares of its own.
    pub(super) fn visits(&self) -> Result<(Option<String>, Compare<Share>), Fault> {
        let part = self.value.part().trim();
        let Some((played, op, rest)) = part.split_operator() else {
            let is_move = part
                .text
                .starts_with(|c: char| c.is_alphabetic() || c == '?');
            return if is_move {
                Err(part.fault("a move needs its share after it, as in `e4=0.3..`"))
            } else {
                Ok((None, self.shares()?))
            };
        };
        if !matches!(self.op, Op::Has | Op::Equal) {
            let symbol = self.op.symbol();
            let message = format!("`visits` with a move goes with `:`, not with `{symbol}`");
            return Err(part.fault(message));
        }
        let played = san(&played)?;
        let shares = compare(&played, op, &rest, parsed, |low, high| low <= high)?;
        Ok((Some(played), shares))
    }

    /// Parses a date, a range of dates or `unknown`.
    pub(super) fn dates(&self) -> Result<DateTest, Fault> {
        let text = self.value.part();
        let unknown = self.is_word("unknown") || text.text.trim() == "????.??.??";
        if unknown {
            return self.present_or_not("unknown").map(DateTest::Unknown);
        }
        let in_order = |low: &PartialDate, high: &PartialDate| {
            let open = |part| if part == 0 { u8::MAX } else { part };
            let year = high.year().unwrap_or(0);
            *low <= PartialDate::new(year, open(high.month()), open(high.day()))
        };
        self.compare(date, in_order).map(DateTest::Compare)
    }

    /// Parses an opening code, a range of codes or `none`.
    pub(super) fn codes(&self) -> Result<EcoTest, Fault> {
        if self.is_word("none") {
            return self.present_or_not("none").map(EcoTest::Absent);
        }
        self.compare(code, |low, high| low.first <= high.last)
            .map(EcoTest::Compare)
    }

    /// The same without sub-codes.
    pub(super) fn whole_codes(&self) -> Result<EcoTest, Fault> {
        const WHOLE: usize = 3;
        let part = self.value.part();
        let mut codes = part.text.split("..").map(str::trim);
        if !self.is_word("none") && codes.any(|code| code.len() > WHOLE) {
            return Err(part.fault("the codes of positions have no sub-codes; write `B90`"));
        }
        self.codes()
    }

    /// Parses a comma-separated list of results.
    pub(super) fn results(&self) -> Result<Vec<GameResult>, Fault> {
        let mut results = Vec::new();
        for part in self.value.part().split(',') {
            let part = part.trim();
            let result = part.text.parse().map_err(|_| {
                let message = format!(
                    "expected a result `1-0`, `0-1`, `1/2-1/2` or `*`, found {}",
                    excerpt(part.text)
                );
                part.fault(message)
            })?;
            if !results.contains(&result) {
                results.push(result);
            }
        }
        Ok(results)
    }

    /// Parses one of the field's choices and returns its index.
    pub(super) fn choice(&self) -> Result<usize, Fault> {
        let part = self.value.part().trim();
        let choices = self.field.choices;
        let found = choices
            .iter()
            .position(|choice| part.text.eq_ignore_ascii_case(choice));
        found.ok_or_else(|| {
            let name = self.name;
            let found = excerpt(part.text);
            let near = suggest::nearest(part.text, choices.iter().copied());
            let message = match choices {
                [one, other] => format!("`{name}` takes `{one}` or `{other}`, not {found}"),
                [one, two, three] => {
                    format!("`{name}` takes `{one}`, `{two}` or `{three}`, not {found}")
                }
                _ if near.is_some() => format!("there is no {name} {found}"),
                _ => format!(
                    "there is no {name} {found}; expected one of {}",
                    choices.join(", ")
                ),
            };
            part.fault(message).suggest(near)
        })
    }

    /// Returns whether the value is this word.
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.value.part().trim().text.eq_ignore_ascii_case(word)
    }

    /// Checks the operator before an unordered word. Returns `true` unless it is `!=`.
    fn present_or_not(&self, word: &str) -> Result<bool, Fault> {
        match self.op {
            Op::Has | Op::Equal => Ok(true),
            Op::Differ => Ok(false),
            _ => {
                let symbol = self.op.symbol();
                let message = format!("`{word}` goes with `:`, `=` or `!=`, not `{symbol}`");
                Err(self.value.part().fault(message))
            }
        }
    }
}

/// Parses a number or range after a name and an operator, none below `least`.
pub(super) fn numbers(
    name: &str,
    op: Op,
    part: &Part<'_>,
    least: i32,
) -> Result<Compare<i32>, Fault> {
    compare(
        name,
        op,
        part,
        |part| number(part, least),
        |low, high| low <= high,
    )
}

/// Parses one value or a range after a name and an operator.
///
/// `one` parses a single value; `in_order` returns whether two of them can be the ends of a range.
fn compare<T>(
    name: &str,
    op: Op,
    part: &Part<'_>,
    one: impl Fn(&Part<'_>) -> Result<T, Fault>,
    in_order: impl Fn(&T, &T) -> bool,
) -> Result<Compare<T>, Fault> {
    let part = part.trim();
    let values = match part.split_once("..") {
        None => Values::One(one(&part).map_err(|fault| hyphen_range(&part, fault, &one))?),
        Some((low, high)) => {
            let end = |end: Part<'_>| match end.trim() {
                open if open.text.is_empty() => Ok(None),
                end => one(&end).map(Some),
            };
            Values::Range(end(low)?, end(high)?)
        }
    };
    let symbol = op.symbol();
    match (&values, op) {
        (Values::Range(None, None), _) => {
            Err(part.fault("a range needs an end, as in `10..20`, `10..` or `..20`"))
        }
        (Values::Range(Some(low), Some(high)), _) if !in_order(low, high) => {
            let turned = part.text.split_once("..");
            let turned = turned.map(|(low, high)| format!("{high}..{low}"));
            Err(part.fault("this range runs backwards").suggest(turned))
        }
        (Values::Range(..), Op::Less | Op::AtMost | Op::Greater | Op::AtLeast) => Err(part.fault(
            format!("`{name}{symbol}` takes a single value; a range goes with `:`"),
        )),
        _ => Ok(Compare { op, values }),
    }
}

/// Suggests `a..b` for `a-b`.
fn hyphen_range<T>(
    part: &Part<'_>,
    fault: Fault,
    one: impl Fn(&Part<'_>) -> Result<T, Fault>,
) -> Fault {
    let ends = part.split_once("-").filter(|(low, high)| {
        let reads = |end: &Part<'_>| one(&end.trim()).is_ok();
        reads(low) && reads(high)
    });
    match ends {
        Some((low, high)) => part
            .fault("a range is written with two dots")
            .suggest(Some(format!("{}..{}", low.trim().text, high.trim().text))),
        None => fault,
    }
}

/// Parses a whole number that is at least `least`.
pub(super) fn number(part: &Part<'_>, least: i32) -> Result<i32, Fault> {
    let digits = part.text.strip_prefix(['-', '+']).unwrap_or(part.text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let message = format!("expected a whole number, found {}", excerpt(part.text));
        return Err(part.fault(message));
    }
    match part.text.parse() {
        Ok(number) if number >= least => Ok(number),
        Err(_) if least == i32::MIN || !part.text.starts_with('-') => {
            Err(part.fault("this number is too large"))
        }
        _ => Err(part.fault(format!("this number cannot be below {least}"))),
    }
}

/// Parses a value of a type that says what it expects.
fn parsed<T>(part: &Part<'_>) -> Result<T, Fault>
where
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    part.text.parse().map_err(|error| {
        let message = format!("expected {error}, found {}", excerpt(part.text));
        part.fault(message)
    })
}

/// Parses a date whose year is known.
fn date(part: &Part<'_>) -> Result<PartialDate, Fault> {
    type Parts = (u16, Option<u8>, Option<u8>);
    fn separator(input: &mut &str) -> Read<char> {
        one_of(['.', '-', '/']).parse_next(input)
    }
    fn rest(input: &mut &str) -> Read<Option<u8>> {
        let unknown = take_while(1.., '?').value(None);
        opt(preceded(separator, alt((unknown, padded.map(Some)))))
            .map(Option::flatten)
            .parse_next(input)
    }
    fn date(input: &mut &str) -> Read<Parts> {
        (padded, rest, rest).parse_next(input)
    }
    let Ok((year, month, day)) = date.parse(part.text) else {
        let message = format!(
            "expected a date such as `2010`, `2010.05` or `2010.05.17`, or `unknown`, found {}",
            excerpt(part.text)
        );
        return Err(part.fault(message));
    };
    let wrong = match (year, month, day) {
        (year, ..) if year == 0 || year > YEAR_MAX => Some("years run from 1 to 2047".to_owned()),
        (_, Some(month), _) if month == 0 || month > 12 => {
            Some("months run from 1 to 12".to_owned())
        }
        (_, _, Some(day)) if day == 0 || day > 31 => Some("days run from 1 to 31".to_owned()),
        (_, None, Some(_)) => Some("a day needs its month".to_owned()),
        (year, Some(month), Some(day)) if day > days_in(year, month) => {
            let days = days_in(year, month);
            Some(format!("{year}.{month:02} has {days} days"))
        }
        _ => None,
    };
    match wrong {
        Some(message) => Err(part.fault(message)),
        None => Ok(PartialDate::new(year, month.unwrap_or(0), day.unwrap_or(0))),
    }
}

/// Returns the number of days in a month of the Gregorian calendar, also before 1582.
fn days_in(year: u16, month: u8) -> u8 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Parses a number with optional leading zeros.
fn padded<N: std::str::FromStr>(input: &mut &str) -> Read<N> {
    take_while(1..=4, |c: char| c.is_ascii_digit())
        .verify_map(|digits: &str| digits.parse().ok())
        .parse_next(input)
}

/// Parses an opening code, whole or shortened.
fn code(part: &Part<'_>) -> Result<EcoRange, Fault> {
    part.text.parse().map_err(|_| {
        let message = format!(
            "expected an opening code `A00` to `E99`, shortened `B9` or with sub-code `B90a`, \
             or `none`, found {}",
            excerpt(part.text)
        );
        part.fault(message)
    })
}

fn man(input: &mut &str) -> Read<Man> {
    any.verify_map(Man::from_char).parse_next(input)
}

fn file(input: &mut &str) -> Read<File> {
    any.verify_map(File::from_char).parse_next(input)
}

fn rank(input: &mut &str) -> Read<Rank> {
    any.verify_map(Rank::from_char).parse_next(input)
}

fn square(input: &mut &str) -> Read<Square> {
    (file, rank)
        .map(|(file, rank)| Square::from_coords(file, rank))
        .parse_next(input)
}

fn square_or_line(input: &mut &str) -> Read<Place> {
    let line = alt((file.map(Place::File), rank.map(Place::Rank)));
    alt((square.map(Place::Square), preceded('@', line))).parse_next(input)
}

/// Parses a square, file or rank.
pub(super) fn place(part: &Part<'_>) -> Option<Place> {
    square_or_line.parse(part.text).ok()
}

/// Parses a `piece` value.
pub(super) fn piece(part: &Part<'_>) -> Result<(Man, Place), Fault> {
    fn placed(input: &mut &str) -> Read<(Man, Place)> {
        (man, square_or_line).parse_next(input)
    }
    let part = part.trim();
    placed.parse(part.text).map_err(|_| {
        let message = format!(
            "expected a piece and its square, file or rank, as `Nd5`, `P@e` or `k@8`, found {}",
            excerpt(part.text)
        );
        part.fault(message)
    })
}

/// Parses a `path` value.
pub(super) fn path(part: &Part<'_>) -> Result<Path, Fault> {
    fn stop(input: &mut &str) -> Read<Option<Square>> {
        alt((square.map(Some), '?'.value(None))).parse_next(input)
    }
    fn route(input: &mut &str) -> Read<(Man, Vec<Option<Square>>)> {
        (man, separated(2.., stop, '-')).parse_next(input)
    }
    let part = part.trim();
    match route.parse(part.text) {
        Ok((_, squares)) if squares.len() > QUERY_CONDITIONS_MAX => Err(part.fault(format!(
            "this path has more than {QUERY_CONDITIONS_MAX} squares"
        ))),
        Ok((man, squares)) => Ok(Path { man, squares }),
        Err(_) => {
            let message = format!(
                "expected a piece and two squares or more, as `Nb1-d2-?-g3`, found {}",
                excerpt(part.text)
            );
            Err(part.fault(message))
        }
    }
}

/// Checks that a `san` value has only characters of moves and returns it as typed.
pub(super) fn san(part: &Part<'_>) -> Result<String, Fault> {
    let part = part.trim();
    let stranger = part
        .text
        .char_indices()
        .find(|(_, sign)| !"KQRBNabcdefgh12345678x=O0-+#!?".contains(*sign));
    match stranger {
        Some((offset, sign)) => {
            let wrong = part.slice(offset..offset + sign.len_utf8());
            let message = format!(
                "{} does not occur in moves; expected a move such as `Bxh7+`, `e8=Q`, `O-O` or \
                 `?x?7`",
                excerpt(wrong.text)
            );
            Err(wrong.fault(message))
        }
        None if part.text.is_empty() => {
            Err(part.fault("expected a move such as `Bxh7+`, found nothing"))
        }
        None => Ok(part.text.to_owned()),
    }
}
