//! Games as comma-separated values, with the columns of `tabiya search --format csv`.

use std::fmt::Write as _;

use tabiya::{
    LineEnd, Match,
    chess::PartialDate,
    format::{GameHeader, Rating},
};

use crate::{errors::Fault, registry::DatabaseRef};

/// The columns after that of the database, which is there when there are several.
const COLUMNS: &str = "number,white,black,whiteElo,blackElo,event,site,round,date,result,eco,\
    plies,ply,line,isoDate,year,month,day,opening\n";

/// Returns the line of titles.
pub(super) fn titles(several: bool) -> String {
    format!("{}{COLUMNS}", if several { "database," } else { "" })
}

/// Appends the line of a game. What is unknown is empty.
///
/// # Errors
/// `Absent` when there is no such game.
pub(super) fn push(
    csv: &mut String,
    held: &DatabaseRef,
    place: Match,
    several: bool,
) -> Result<(), Fault> {
    let game = place.game;
    let header: GameHeader = held.header(game)?;
    let rating = |rating: Option<Rating>| rating.map(|rating| rating.value.get());
    let plies = match held.plies(game) {
        Ok(plies) => plies,
        // A damaged game has at least this number.
        Err(_) => held.facts(game)?.plies.at_least,
    };
    let line = match place.variation.map(LineEnd::Move) {
        Some(end) => held.line(game, end)?.map(|line| line.san()),
        None => None,
    };
    let date = header.date;
    let part = |part: u8| Some(part).filter(|&part| part > 0);
    let mut cells = Cells { csv, begun: false };
    if several {
        cells.text(&held.name);
    }
    cells.value(Some(held.number(game)));
    cells.text(&header.white);
    cells.text(&header.black);
    cells.value(rating(header.white_rating));
    cells.value(rating(header.black_rating));
    cells.text(&header.event);
    cells.text(&header.site);
    cells.text(&header.round);
    cells.value((!date.is_unknown()).then_some(date));
    cells.text(header.result.as_str());
    cells.value(header.eco);
    cells.value(Some(plies));
    cells.value(place.ply);
    cells.text(&line.unwrap_or_default());
    cells.text(&iso(date));
    cells.value(date.year());
    cells.value(part(date.month()));
    cells.value(part(date.day()));
    // A damaged game has no name and keeps its line.
    cells.text(held.opening(game).ok().flatten().unwrap_or_default());
    csv.push('\n');
    Ok(())
}

/// Returns a date as ISO 8601 has it, as far as it is known and valid.
fn iso(date: PartialDate) -> String {
    let Some(year) = date.year() else {
        return String::new();
    };
    let (month, day) = (date.month(), date.day());
    let is_leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let days = match month {
        2 => 28 + u8::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return format!("{year:04}"),
    };
    if (1..=days).contains(&day) {
        format!("{year:04}-{month:02}-{day:02}")
    } else {
        format!("{year:04}-{month:02}")
    }
}

/// A line that is being written.
struct Cells<'c> {
    csv: &'c mut String,
    begun: bool,
}

impl Cells<'_> {
    fn next(&mut self) {
        if std::mem::replace(&mut self.begun, true) {
            self.csv.push(',');
        }
    }

    /// Writes what needs no quotation marks.
    fn value(&mut self, value: Option<impl std::fmt::Display>) {
        self.next();
        if let Some(value) = value {
            // Writing to a string cannot fail.
            let _ = write!(self.csv, "{value}");
        }
    }

    /// Writes a text as it is; the question mark of PGN is an unknown one.
    fn text(&mut self, text: &str) {
        self.next();
        match text {
            "?" => {}
            text if text.contains([',', '"', '\n', '\r']) => {
                let _ = write!(self.csv, "\"{}\"", text.replace('"', "\"\""));
            }
            text => self.csv.push_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_where_they_must_be_and_never_changed() {
        let mut csv = String::new();
        let mut cells = Cells {
            csv: &mut csv,
            begun: false,
        };
        for text in [
            "a",
            "?",
            "",
            "a,b",
            "say \"x\"",
            "two\nlines",
            "=1+1",
            " b ",
        ] {
            cells.text(text);
        }
        cells.value(Some(7));
        cells.value(None::<u32>);
        let expected = "a,,,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",=1+1, b ,7,";
        assert_eq!(csv, expected);
    }

    #[test]
    fn dates_are_written_as_far_as_they_are_dates() {
        for (date, expected) in [
            ("2000.02.29", "2000-02-29"),
            ("1900.02.29", "1900-02"),
            ("2010.13.01", "2010"),
            ("2010.??.??", "2010"),
            ("????.??.??", ""),
        ] {
            let read: PartialDate = date.parse().unwrap_or_default();
            assert_eq!(iso(read), expected, "{date}");
        }
    }
}
