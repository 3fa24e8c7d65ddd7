//! One row a game.

use std::sync::{Arc, LazyLock};

use datafusion::arrow::{
    array::{
        ArrayRef, Date32Array, Int32Array, Int64Array, StringViewArray, StringViewBuilder,
        UInt32Array,
    },
    compute::take,
    datatypes::{DataType, Schema},
    error::ArrowError,
};
use tabiya::{
    HeaderKeys, Match,
    chess::{Eco, Elo, PartialDate},
    format::NameSlot,
};

use super::{
    decoded::{match_fens, tag_of, tags},
    external, repeated, signed,
};
use crate::{
    base::Base,
    columns::{Column, always, maybe},
};

pub(super) const COLUMNS: &[Column] = &[
    always(
        "db",
        DataType::Utf8View,
        "The name of the database: that of its file, or its path if the name is taken",
    ),
    always(
        "game",
        DataType::Int64,
        "The number of the game in its database, from 1",
    ),
    maybe(
        "white",
        DataType::Utf8View,
        "White's name as in the database; null if unknown (`?`)",
    ),
    maybe(
        "black",
        DataType::Utf8View,
        "Black's name as in the database; null if unknown (`?`)",
    ),
    maybe(
        "event",
        DataType::Utf8View,
        "The event; null if unknown (`?`)",
    ),
    maybe(
        "site",
        DataType::Utf8View,
        "The site; null if unknown (`?`)",
    ),
    maybe(
        "round",
        DataType::Utf8View,
        "The round, as text; null if unknown (`?`)",
    ),
    maybe(
        "date",
        DataType::Date32,
        "The date; null unless it has a year, month and day that the calendar has",
    ),
    maybe(
        "year",
        DataType::Int32,
        "The year of the date; null if unknown",
    ),
    maybe(
        "month",
        DataType::Int32,
        "The month of the date, 1 to 12; null if unknown",
    ),
    maybe(
        "day",
        DataType::Int32,
        "The day of the date, 1 to 31; null if unknown",
    ),
    always(
        "result",
        DataType::Utf8View,
        "`1-0`, `0-1`, `1/2-1/2`, or `*` if there is none",
    ),
    maybe(
        "white_elo",
        DataType::Int32,
        "White's rating; null if unknown",
    ),
    maybe(
        "black_elo",
        DataType::Int32,
        "Black's rating; null if unknown",
    ),
    maybe(
        "eco",
        DataType::Utf8View,
        "The code of three characters; null if there is none. The table `tags` has the longer \
         codes of Scid",
    ),
    maybe(
        "opening",
        DataType::Utf8View,
        "The name of the last named position; null if no position has one. Without a sidecar \
         (`tabiya index`) the first 40 plies of each game are decoded for it",
    ),
    maybe(
        "plies",
        DataType::Int32,
        "Half-moves of the main line; null for a damaged game whose length is unknown",
    ),
    always(
        "flags",
        DataType::Int64,
        "The marks of the game as bits, numbered as Scid does (`GameHeader::marks`)",
    ),
    maybe(
        "time_control",
        DataType::Utf8View,
        "The tag `TimeControl`, for which the tags of each game are read; null without it",
    ),
    maybe(
        "termination",
        DataType::Utf8View,
        "The tag `Termination`, for which the tags of each game are read; null without it",
    ),
    maybe(
        "white_title",
        DataType::Utf8View,
        "The tag `WhiteTitle`, for which the tags of each game are read; null without it",
    ),
    maybe(
        "black_title",
        DataType::Utf8View,
        "The tag `BlackTitle`, for which the tags of each game are read; null without it",
    ),
    maybe(
        "match_ply",
        DataType::Int32,
        "The half-move after which the query of the call holds, 0 at the start; null unless the \
         query asks for positions",
    ),
    maybe(
        "match_fen",
        DataType::Utf8View,
        "The position at `match_ply` as FEN; null like it",
    ),
];

/// The basic codes of ECO, from A00 on.
static ECO_CODES: LazyLock<StringViewArray> = LazyLock::new(|| {
    let codes = (0..=u16::MAX).filter_map(Eco::from_code);
    let basic = codes.filter(|eco| eco.basic() == *eco);
    StringViewArray::from_iter_values(basic.map(|eco| eco.to_string()))
});

/// Games of a database.
struct Block<'a> {
    base: &'a Base,
    hits: &'a [Match],
}

/// Returns the columns of a schema.
pub(super) fn columns(
    base: &Base,
    schema: &Schema,
    hits: &[Match],
) -> Result<Vec<ArrayRef>, ArrowError> {
    let block = Block { base, hits };
    let fields = schema.fields().iter();
    fields.map(|field| block.column(field.name())).collect()
}

impl Block<'_> {
    fn column(&self, name: &str) -> Result<ArrayRef, ArrowError> {
        let database = self.base.database();
        Ok(match name {
            "db" => repeated(self.base.name(), self.hits.len()),
            "game" => {
                let numbers = self.hits.iter().map(|hit| database.number(hit.game).into());
                Arc::new(Int64Array::from_iter_values(numbers))
            }
            "white" => self.names(NameSlot::White)?,
            "black" => self.names(NameSlot::Black)?,
            "event" => self.names(NameSlot::Event)?,
            "site" => self.names(NameSlot::Site)?,
            "round" => self.names(NameSlot::Round)?,
            "date" => Arc::new(Date32Array::from(self.keys(|keys| days(keys.date))?)),
            "year" => self.numbers(|keys| keys.date.year().map(i32::from))?,
            "month" => self.numbers(|keys| known(keys.date.month()))?,
            "day" => self.numbers(|keys| known(keys.date.day()))?,
            "result" => {
                let results = self.keys(|keys| keys.result.as_str())?;
                Arc::new(StringViewArray::from_iter_values(results))
            }
            "white_elo" => self.numbers(|keys| rating(keys.white_rating))?,
            "black_elo" => self.numbers(|keys| rating(keys.black_rating))?,
            // Without the further letters and digits of Scid.
            "eco" => {
                let places = self.keys(|keys| keys.eco.map(|eco| eco.index().into()))?;
                take(&*ECO_CODES, &UInt32Array::from(places), None)?
            }
            "opening" => self.each(|hit| database.opening(hit.game))?,
            "plies" => {
                let plies = self
                    .hits
                    .iter()
                    .map(|hit| self.base.undamaged(database.plies(hit.game)))
                    .map(|plies| Ok::<_, ArrowError>(plies.map_err(external)?.map(signed)));
                Arc::new(plies.collect::<Result<Int32Array, _>>()?)
            }
            "flags" => Arc::new(Int64Array::from(self.keys(|keys| i64::from(keys.marks))?)),
            "match_ply" => {
                let plies = self.hits.iter().map(|hit| hit.ply.map(signed));
                Arc::new(plies.collect::<Int32Array>())
            }
            "match_fen" => match_fens(self.base, self.hits)?,
            other => {
                if let Some(tag) = tag_of(other) {
                    return tags(self.base, self.hits, tag);
                }
                let message = format!("there is no column {other}");
                return Err(ArrowError::SchemaError(message));
            }
        })
    }

    /// Returns something of each header.
    fn keys<T>(&self, of: impl Fn(&HeaderKeys) -> T) -> Result<Vec<T>, ArrowError> {
        let games = self.hits.iter().map(|hit| hit.game);
        self.base.database().keys_of(games, of).map_err(external)
    }

    fn numbers(&self, of: impl Fn(&HeaderKeys) -> Option<i32>) -> Result<ArrayRef, ArrowError> {
        Ok(Arc::new(Int32Array::from(self.keys(of)?)))
    }

    fn names(&self, slot: NameSlot) -> Result<ArrayRef, ArrowError> {
        let names = self.base.names(slot.kind()).map_err(external)?;
        let ids = self.keys(|keys| keys.name(slot))?;
        Ok(Arc::new(names.column(ids.into_iter())?.finish()))
    }

    fn each(
        &self,
        read: impl Fn(&Match) -> tabiya::Result<Option<&'static str>>,
    ) -> Result<ArrayRef, ArrowError> {
        let mut column = StringViewBuilder::with_capacity(self.hits.len());
        for hit in self.hits {
            let read = self.base.undamaged(read(hit)).map_err(external)?;
            column.append_option(read.flatten());
        }
        Ok(Arc::new(column.finish()))
    }
}

fn rating(rating: Option<Elo>) -> Option<i32> {
    rating.map(|rating| i32::from(rating.get()))
}

fn known(part: u8) -> Option<i32> {
    (part > 0).then_some(part.into())
}

/// Returns the days since 1970-01-01 of a complete date that the calendar has.
fn days(date: PartialDate) -> Option<i32> {
    let (year, month, day) = (i32::from(date.year()?), date.month(), date.day());
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => 0,
    };
    if !(1..=last).contains(&day) {
        return None;
    }
    // Years that begin with March, so that the leap day is the last.
    let (year, month) = if month < 3 {
        (year - 1, month + 9)
    } else {
        (year, month - 3)
    };
    let day_of_year = (153 * i32::from(month) + 2) / 5 + i32::from(day) - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(365 * year + leap_days + day_of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_complete_dates_of_the_calendar_have_days() {
        let days = |year, month, day| days(PartialDate::new(year, month, day));
        assert_eq!(days(1970, 1, 1), Some(0));
        assert_eq!(days(1969, 12, 31), Some(-1));
        assert_eq!(days(2000, 2, 29), Some(11_016));
        assert_eq!(days(2026, 11, 24), Some(20_781));
        assert_eq!(days(1851, 6, 21), Some(-43_293));
        for (year, month, day) in [
            (0, 1, 1),
            (1999, 2, 29),
            (1900, 2, 29),
            (2000, 0, 1),
            (2000, 4, 31),
        ] {
            assert_eq!(days(year, month, day), None);
        }
    }
}
