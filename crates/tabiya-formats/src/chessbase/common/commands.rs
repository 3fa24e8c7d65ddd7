//! How values are written in the commands of PGN comments: `[%csl Ge4]`.

use std::fmt::{self, Write as _};

use super::marks::{Mark, MarkColor, Marks, Period, square};

/// The number of moves of a period that means all moves left.
const REST: u16 = 1000;

/// Writes values with a separator between them.
pub(crate) fn separated(
    values: impl Iterator<Item = impl fmt::Display>,
    separator: char,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    for (index, value) in values.enumerate() {
        if index > 0 {
            f.write_char(separator)?;
        }
        value.fmt(f)?;
    }
    Ok(())
}

/// Writes bytes as two hexadecimal digits each.
pub(crate) fn hex(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

/// Writes the squares of a move, by their numbers; in digits if there are no such squares.
pub(crate) fn from_to(from: u8, to: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match (square(from), square(to)) {
        (Some(from), Some(to)) => write!(f, "{from}{to}"),
        _ => hex(&[from, to], f),
    }
}

impl fmt::Display for Marks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        separated(self.iter(), ',', f)
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = MarkColor::ALL
            .iter()
            .find(|(_, color, _)| *color == self.color);
        known.map_or(Ok(()), |(.., letter)| letter.fmt(f))?;
        self.from.fmt(f)?;
        self.to.map_or(Ok(()), |to| to.fmt(f))
    }
}

pub(crate) fn evaluation(value: i16, mate: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if mate {
        return write!(f, "#{value}");
    }
    let sign = if value < 0 { "-" } else { "" };
    let value = value.unsigned_abs();
    write!(f, "{sign}{}.{:02}", value / 100, value % 100)
}

impl fmt::Display for Period {
    /// Writes a period as in the PGN tag `TimeControl`: moves / seconds + seconds per move.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.moves != REST {
            write!(f, "{}/", self.moves)?;
        }
        seconds(self.time, f)?;
        if self.increment > 0 {
            f.write_char('+')?;
            seconds(self.increment, f)?;
        }
        Ok(())
    }
}

fn seconds(hundredths: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{}", hundredths / 100)?;
    match hundredths % 100 {
        0 => Ok(()),
        rest => write!(f, ".{rest:02}"),
    }
}

/// A text in quotes on one line.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for character in self.0.chars() {
            match character {
                '"' | '\\' => write!(f, "\\{character}")?,
                '\n' | '\r' => f.write_char(' ')?,
                _ => f.write_char(character)?,
            }
        }
        f.write_char('"')
    }
}
