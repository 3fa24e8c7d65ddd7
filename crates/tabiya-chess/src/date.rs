//! Dates whose day, month or all parts may be unknown.

use std::{cmp::Ordering, fmt, str::FromStr};

use super::parse_error::ParseError;

/// A date as in PGN: year, month and day, each 0 if unknown.
///
/// Dates order by (year, month, day), so an unknown month or day comes before January or the
/// first. Displays as `2010.05.??`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PartialDate {
    year: u16,
    month: u8,
    day: u8,
}

impl PartialDate {
    /// The wholly unknown date, `????.??.??`.
    pub const UNKNOWN: PartialDate = PartialDate {
        year: 0,
        month: 0,
        day: 0,
    };

    /// Returns a date from parts that are 0 if unknown. Nothing is checked: files contain dates
    /// such as 31 February.
    #[must_use]
    pub const fn new(year: u16, month: u8, day: u8) -> PartialDate {
        PartialDate { year, month, day }
    }

    /// Returns the date packed as Scid does: year in bits 9 and up, month in bits 5 to 8, day
    /// in bits 0 to 4. Orders as dates do.
    #[must_use]
    pub const fn packed(self) -> u32 {
        (self.year as u32) << 9 | (self.month as u32) << 5 | self.day as u32
    }

    /// Unpacks a date packed by [`packed`](PartialDate::packed). Scid's files hold the low 20 bits
    /// of it, which limits years to 2047; the other bits must then be 0.
    #[must_use]
    pub const fn from_packed(bits: u32) -> PartialDate {
        PartialDate {
            year: (bits >> 9) as u16,
            month: (bits >> 5 & 15) as u8,
            day: (bits & 31) as u8,
        }
    }

    /// Reads a date as PGN's standard writes it, `2010.05.??`; `None` for any other text, or if a
    /// part is not possible. Faster than parsing, which reads the same.
    #[doc(hidden)]
    pub fn of_standard(text: &[u8]) -> Option<PartialDate> {
        let &[y1, y2, y3, y4, b'.', m1, m2, b'.', d1, d2] = text else {
            return None;
        };
        Some(PartialDate {
            year: part([y1, y2, y3, y4], YEAR_MAX)?,
            month: part([m1, m2], MONTH_MAX)? as u8,
            day: part([d1, d2], DAY_MAX)? as u8,
        })
    }

    /// Reads the value of a tag: a date as people write it, with the year first (`2019-2-3`,
    /// `2019-02-03T12:00`) or last (`26.02.2019`, `26/2/2019`, `02.2019`), of which what is
    /// certain is known. Numbers with dots between them are day and month; with other signs they
    /// may be month and day too. A date whose year is above 2047 is unknown. `None` if the text is
    /// no date.
    #[doc(hidden)]
    pub fn of_tag(text: &str) -> Option<PartialDate> {
        let text = text.trim();
        let text = text.split([' ', 'T', ',']).next().unwrap_or(text);
        let mut parts = text.split(['.', '-', '/']).map(number);
        let (first, second, third) = (parts.next()?, parts.next(), parts.next());
        if parts.next().is_some() {
            return None;
        }
        let is_year = |part: Option<(u16, usize)>| part.is_some_and(|(_, digits)| digits == 4);
        let value = |part: Option<Option<(u16, usize)>>| match part {
            None => Some(0),
            Some(part) => part.map(|(value, _)| value),
        };
        let (year, month, day) = match (first, second, third) {
            (first, Some(year), None) if is_year(year) && !is_year(first) => {
                (value(Some(year))?, value(Some(first))?, 0)
            }
            (first, Some(middle), Some(year)) if is_year(year) && !is_year(first) => {
                let (day, month) = day_first(first?.0, middle?.0, text.contains('.'));
                (year?.0, month, day)
            }
            (first, second, third) => {
                let (year, digits) = first?;
                if year > 0 && digits != 4 {
                    return Some(PartialDate::UNKNOWN);
                }
                (year, value(second)?, value(third)?)
            }
        };
        if year > YEAR_MAX {
            return Some(PartialDate::UNKNOWN);
        }
        let known = |part: u16, max: u16| if part <= max { part as u8 } else { 0 };
        let (month, day) = (known(month, MONTH_MAX), known(day, DAY_MAX));
        Some(PartialDate::new(year, month, day))
    }

    /// Returns the year; `None` if unknown.
    #[must_use]
    pub const fn year(self) -> Option<u16> {
        if self.year == 0 {
            None
        } else {
            Some(self.year)
        }
    }

    /// Returns the month; 0 if unknown. Damaged files contain values up to 15.
    #[must_use]
    pub const fn month(self) -> u8 {
        self.month
    }

    /// Returns the day; 0 if unknown.
    #[must_use]
    pub const fn day(self) -> u8 {
        self.day
    }

    /// Returns the day of the week, 1 for Monday to 7 for Sunday, by the Gregorian calendar; `None`
    /// unless year, month and day are known and there is such a day.
    #[must_use]
    pub const fn weekday(self) -> Option<u8> {
        const LENGTHS: [u8; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        // Of the first of each month, if the year began in March.
        const SHIFTS: [u16; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
        if self.year == 0 || self.month == 0 || self.month > 12 || self.day == 0 {
            return None;
        }
        let month = self.month as usize - 1;
        let year = self.year;
        let is_leap =
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        if self.day > LENGTHS[month] + (month == 1 && is_leap) as u8 {
            return None;
        }
        let year = year - (month < 2) as u16;
        let days = year + year / 4 - year / 100 + year / 400 + SHIFTS[month] + self.day as u16;
        Some(((days + 6) % 7 + 1) as u8)
    }

    /// Whether year, month and day are all unknown.
    #[must_use]
    pub const fn is_unknown(self) -> bool {
        self.packed() == 0
    }
}

impl Ord for PartialDate {
    fn cmp(&self, other: &PartialDate) -> Ordering {
        (self.year, self.month, self.day).cmp(&(other.year, other.month, other.day))
    }
}

impl PartialOrd for PartialDate {
    fn partial_cmp(&self, other: &PartialDate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for PartialDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.year {
            0 => f.write_str("????")?,
            year => write!(f, "{year:04}")?,
        }
        for part in [self.month, self.day] {
            match part {
                0 => f.write_str(".??")?,
                part => write!(f, ".{part:02}")?,
            }
        }
        Ok(())
    }
}

const YEAR_MAX: u16 = 2047;
const MONTH_MAX: u16 = 12;
const DAY_MAX: u16 = 31;

/// Reads one part of a date: digits, or question marks if it is unknown.
fn part<const N: usize>(text: [u8; N], max: u16) -> Option<u16> {
    if text == [b'?'; N] {
        return Some(0);
    }
    let digit = |byte: u8| Some(byte.wrapping_sub(b'0')).filter(|&digit| digit < 10);
    let number = text.into_iter().try_fold(0, |number, byte| {
        Some(10 * number + u16::from(digit(byte)?))
    });
    number.filter(|&number| number <= max)
}

/// Reads a part of a date of a tag: its number and how many digits it has. Question marks, and
/// nothing, are 0; as many of them as a year has digits are a year.
fn number(part: &str) -> Option<(u16, usize)> {
    let part = part.trim();
    if part.bytes().all(|byte| byte == b'?') {
        return Some((0, part.len()));
    }
    let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
    Some((part.parse().ok().filter(|_| is_number)?, part.len()))
}

/// Returns day and month of two numbers before a year; 0 for both if they can be meant in two ways.
fn day_first(first: u16, second: u16, has_dots: bool) -> (u16, u16) {
    match (first, second) {
        (day, month) if month <= MONTH_MAX && (has_dots || day > MONTH_MAX || day == month) => {
            (day, month)
        }
        (month, day) if month <= MONTH_MAX && day > MONTH_MAX => (day, month),
        _ => (0, 0),
    }
}

/// The error for text that is not a date.
const NO_DATE: ParseError = ParseError("not a date: year, year.month or year.month.day");

impl FromStr for PartialDate {
    type Err = ParseError;

    /// Parses `2010`, `2010.05` or `2010.05.17`, with `.`, `-` or `/` between the parts. A part
    /// that is empty or question marks, a year above 2047, a month above 12 or a day above 31 reads
    /// as unknown.
    fn from_str(text: &str) -> Result<PartialDate, ParseError> {
        let mut parts = text.trim().splitn(3, ['.', '-', '/']);
        let mut next = |max: u16| match parts.next().map(str::trim) {
            None => Ok(0),
            Some(part) if part.bytes().all(|byte| byte == b'?') => Ok(0),
            Some(part) => match part.parse::<u16>() {
                Ok(number) if number <= max => Ok(number),
                Ok(_) => Ok(0),
                Err(_) => Err(NO_DATE),
            },
        };
        let (year, month, day) = (next(YEAR_MAX)?, next(MONTH_MAX)?, next(DAY_MAX)?);
        Ok(PartialDate::new(year, month as u8, day as u8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_day_has_the_weekday_after_that_of_the_day_before() {
        // The first day of year 1 was a Monday.
        let mut days = (1..=7).cycle();
        for year in 1..=YEAR_MAX {
            let is_leap =
                year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
            for month in 1..=MONTH_MAX as u8 {
                let length = match month {
                    4 | 6 | 9 | 11 => 30,
                    2 => 28 + u8::from(is_leap),
                    _ => 31,
                };
                for day in 0..=DAY_MAX as u8 {
                    let is_day = (1..=length).contains(&day);
                    let wanted = if is_day { days.next() } else { None };
                    assert_eq!(PartialDate::new(year, month, day).weekday(), wanted);
                }
            }
        }
        assert_eq!(PartialDate::UNKNOWN.weekday(), None);
        assert_eq!(PartialDate::new(2024, 2, 29).weekday(), Some(4));
    }

    #[test]
    fn dates_read_print_and_pack() {
        for text in ["2010.05.17", "2010.05.??", "1851.??.??", "????.??.??"] {
            let date: PartialDate = text.parse().unwrap();
            assert_eq!(date.to_string(), text);
            assert_eq!(PartialDate::of_standard(text.as_bytes()), Some(date));
            assert_eq!(PartialDate::from_packed(date.packed()), date);
        }
        assert_eq!("1999-12".parse(), Ok(PartialDate::new(1999, 12, 0)));
        assert!("May".parse::<PartialDate>().is_err());
        for text in [
            "2010.05.32",
            "2010.13.01",
            "2048.01.01",
            "2010.5.17",
            "2010.05.1?",
        ] {
            assert_eq!(PartialDate::of_standard(text.as_bytes()), None);
        }
    }

    #[test]
    fn dates_of_tags_are_read_where_they_are_certain() {
        for (text, date) in [
            ("26.02.2019", "2019.02.26"),
            ("3.2.2019", "2019.02.03"),
            ("2019-2-3", "2019.02.03"),
            ("2019/02/03", "2019.02.03"),
            ("2019-02-03T12:00:00Z", "2019.02.03"),
            ("26/02/2019", "2019.02.26"),
            ("02/26/2019", "2019.02.26"),
            ("02/03/2019", "2019.??.??"),
            ("02-03-2019", "2019.??.??"),
            ("02.2019", "2019.02.??"),
            ("2019", "2019.??.??"),
            ("2019.05.??", "2019.05.??"),
            ("????.05.??", "????.05.??"),
            ("??.??.2019", "2019.??.??"),
            ("2019.13.32", "2019.??.??"),
            ("2048.01.01", "????.??.??"),
            ("26.02.19", "????.??.??"),
            ("26", "????.??.??"),
        ] {
            let read = PartialDate::of_tag(text).map(|date| date.to_string());
            assert_eq!(read.as_deref(), Some(date), "{text}");
        }
        for text in ["May", "19??.01.01", "2019.1.2.3", "May 2, 2019", "x.y.2019"] {
            assert_eq!(PartialDate::of_tag(text), None, "{text}");
        }
    }

    #[test]
    fn unknown_parts_come_first() {
        let year: PartialDate = "2010".parse().unwrap();
        let month: PartialDate = "2010.01".parse().unwrap();
        let day: PartialDate = "2010.01.01".parse().unwrap();
        assert!(PartialDate::UNKNOWN < year && year < month && month < day);
    }
}
