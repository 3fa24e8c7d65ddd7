//! The columns of a game as PGN tags.

use std::borrow::Cow;

use datafusion::arrow::{
    array::{Array as _, ArrayRef, RecordBatch, StringArray},
    compute::{can_cast_types, cast},
    datatypes::{DataType, Field, TimeUnit},
    error::ArrowError,
};

use super::{MOVEDATA, MOVETEXT, texts};

/// Tags whose columns may be spelled in lower case.
const TAGS: [&str; 24] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "ECO",
    "Opening",
    "Variation",
    "WhiteElo",
    "BlackElo",
    "WhiteTitle",
    "BlackTitle",
    "WhiteRatingDiff",
    "BlackRatingDiff",
    "TimeControl",
    "Termination",
    "UTCDate",
    "UTCTime",
    "EventDate",
    "FEN",
    "SetUp",
    "Variant",
];

/// Columns that are told with the moves, or with another column.
pub(super) const NO_TAGS: [&str; 7] = [
    MOVETEXT,
    MOVEDATA,
    "clocks_white",
    "clocks_black",
    "evals",
    "ply_count",
    "time_increment",
];

/// The tags of some games, a column each.
pub(super) struct Tags(Vec<Column>);

struct Column {
    tag: String,
    values: StringArray,
    form: Form,
}

/// How a tag is made of a value.
enum Form {
    Same,
    /// With points for the hyphens of a date.
    Date,
    /// With a sign in front, whatever it is.
    Signed,
    After(&'static str),
    /// With the seconds that each move adds.
    Clock(StringArray),
}

impl Tags {
    pub(super) fn of(batch: &RecordBatch) -> Result<Tags, ArrowError> {
        let mut columns = Vec::new();
        for (field, values) in batch.schema().fields().iter().zip(batch.columns()) {
            match field.name().as_str() {
                name if NO_TAGS.contains(&name) || !is_tag(field) => {}
                "time_initial" => columns.push(clock(values, batch)?),
                "utc_timestamp" => {
                    let seconds = cast(values, &DataType::Timestamp(TimeUnit::Second, None))?;
                    let time = cast(&seconds, &DataType::Time32(TimeUnit::Second))?;
                    columns.push(Column::new("UTCDate", &cast(&seconds, &DataType::Date32)?)?);
                    columns.push(Column::new("UTCTime", &time)?);
                }
                name => columns.push(Column::new(name, values)?),
            }
        }
        // Games are found by this one.
        let named = |tag: &str| columns.iter().find(|column| column.tag == tag);
        if let (None, Some(date)) = (named("Date"), named("UTCDate")) {
            let values = date.values.clone();
            columns.push(Column {
                tag: "Date".to_owned(),
                values,
                form: Form::Date,
            });
        }
        Ok(Tags(columns))
    }

    pub(super) fn tell(&self, row: usize, pgn: &mut String) {
        for column in &self.0 {
            column.tell(row, pgn);
        }
    }
}

impl Column {
    fn new(name: &str, values: &ArrayRef) -> Result<Column, ArrowError> {
        let (tag, prefix) = match name {
            "white_rating" => ("WhiteElo", ""),
            "black_rating" => ("BlackElo", ""),
            "white_rating_diff" => ("WhiteRatingDiff", ""),
            "black_rating_diff" => ("BlackRatingDiff", ""),
            "white_title" => ("WhiteTitle", ""),
            "black_title" => ("BlackTitle", ""),
            "lichess_id" => ("Site", "https://lichess.org/"),
            "tournament" => ("Event", "tournament https://lichess.org/tournament/"),
            name => {
                let mut known = TAGS.into_iter();
                let known = known.find(|tag| tag.eq_ignore_ascii_case(name));
                (known.unwrap_or(name), "")
            }
        };
        let of = values.data_type();
        let form = match of {
            DataType::Date32 | DataType::Date64 => Form::Date,
            _ if !prefix.is_empty() => Form::After(prefix),
            _ if of.is_numeric() && tag.ends_with("RatingDiff") => Form::Signed,
            _ if tag.ends_with("Date") => Form::Date,
            _ => Form::Same,
        };
        // Ratings of which some are unknown are stored as fractions by some programs.
        let is_rating = tag.ends_with("Elo") || tag.ends_with("RatingDiff");
        let values = if is_rating && of.is_floating() {
            texts(&cast(values, &DataType::Int64)?)?
        } else {
            texts(values)?
        };
        Ok(Column {
            tag: tag.to_owned(),
            values,
            form,
        })
    }

    fn tell(&self, row: usize, pgn: &mut String) {
        let is_null = self.values.is_null(row);
        let value = match &self.form {
            // So Lichess writes games by correspondence.
            Form::Clock(added) if is_null || added.is_null(row) => Cow::Borrowed("-"),
            _ if is_null => return,
            Form::Same => Cow::Borrowed(self.values.value(row)),
            Form::Date => self.values.value(row).replace('-', ".").into(),
            Form::Signed if self.values.value(row).starts_with('-') => {
                self.values.value(row).into()
            }
            Form::Signed => format!("+{}", self.values.value(row)).into(),
            Form::After(prefix) => format!("{prefix}{}", self.values.value(row)).into(),
            Form::Clock(added) => format!("{}+{}", self.values.value(row), added.value(row)).into(),
        };
        tag(pgn, &self.tag, &value);
    }
}

/// Whether a column can be told as a tag.
pub(super) fn is_tag(column: &Field) -> bool {
    let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let is_named = !column.name().is_empty() && column.name().chars().all(is_name);
    is_named && can_cast_types(column.data_type(), &DataType::Utf8)
}

/// Returns the column of time controls.
fn clock(seconds: &ArrayRef, batch: &RecordBatch) -> Result<Column, ArrowError> {
    let added = batch.column_by_name("time_increment");
    Ok(Column {
        tag: "TimeControl".to_owned(),
        values: texts(seconds)?,
        form: Form::Clock(texts(added.unwrap_or(seconds))?),
    })
}

/// Appends a tag, unless its value is empty.
fn tag(pgn: &mut String, name: &str, value: &str) {
    if value.is_empty() {
        return;
    }
    pgn.push('[');
    pgn.push_str(name);
    pgn.push_str(" \"");
    for char in value.chars() {
        match char {
            '"' | '\\' => pgn.extend(['\\', char]),
            '\n' | '\r' | '\0' => pgn.push(' '),
            _ => pgn.push(char),
        }
    }
    pgn.push_str("\"]\n");
}
