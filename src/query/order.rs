//! The fields by which games can be sorted.

use shakmaty::Color;
use tabiya_chess::{NameKind, text::fold_into};

use super::{
    DateField, NumberField,
    table::{self, FIELDS, Field, Kind},
};

/// A field by which games can be sorted: one of those in the table of fields that have one value
/// for each game, told by its record. [`Database::sort_number`](crate::Database::sort_number) and
/// [`HeaderKeys::sort_name`](crate::HeaderKeys::sort_name) return the value.
///
/// ```
/// use tabiya::query::SortField;
///
/// let field = SortField::find("AvgElo");
/// assert_eq!(field.map(SortField::name), Some("avgelo"));
/// assert_eq!(SortField::find("player"), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SortField {
    /// A number. `elo` is the lower of both ratings: it is at least 2600 where `elo>=2600` holds.
    Number(NumberField),
    /// A date, what is unknown of it being before what is known.
    Date(DateField),
    /// The opening code.
    Eco,
    /// The result: unknown, Black wins, draw, White wins.
    Result,
    /// The name of a player.
    Player(Color),
    /// The name of the player who won (`true`) or lost.
    Decided(bool),
    /// The name of the event.
    Event,
    /// The name of the site.
    Site,
    /// The round.
    Round,
}

impl SortField {
    /// Returns all of them, in the order of the table of fields.
    pub fn all() -> impl Iterator<Item = SortField> {
        FIELDS.iter().filter_map(SortField::of)
    }

    /// Returns the field of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<SortField> {
        table::find(name).and_then(SortField::of)
    }

    fn of(field: &Field) -> Option<SortField> {
        Some(match field.kind {
            Kind::Number(number) => SortField::Number(number),
            Kind::Date(date) => SortField::Date(date),
            Kind::Eco => SortField::Eco,
            Kind::Result => SortField::Result,
            Kind::Text("White") => SortField::Player(Color::White),
            Kind::Text("Black") => SortField::Player(Color::Black),
            Kind::Text("Winner") => SortField::Decided(true),
            Kind::Text("Loser") => SortField::Decided(false),
            Kind::Text("Event") => SortField::Event,
            Kind::Text("Site") => SortField::Site,
            Kind::Text("Round") => SortField::Round,
            _ => return None,
        })
    }

    /// Returns the name of the field in queries.
    #[must_use]
    pub fn name(self) -> &'static str {
        let mut fields = FIELDS.iter();
        let field = fields.find(|field| SortField::of(field) == Some(self));
        field.map_or("", |field| field.name)
    }

    /// Returns the list that holds its names; `None` if it holds none.
    #[must_use]
    pub const fn name_kind(self) -> Option<NameKind> {
        match self {
            SortField::Player(_) | SortField::Decided(_) => Some(NameKind::Player),
            SortField::Event => Some(NameKind::Event),
            SortField::Site => Some(NameKind::Site),
            SortField::Round => Some(NameKind::Round),
            SortField::Number(_) | SortField::Date(_) | SortField::Eco | SortField::Result => None,
        }
    }

    /// Returns a number that sorts as those of
    /// [`Database::sort_number`](crate::Database::sort_number) do, with what is absent first.
    #[must_use]
    pub fn rank(number: Option<i32>) -> u32 {
        number.map_or(0, |number| number.cast_unsigned() ^ 1 << 31)
    }

    /// Returns the text by which a name is sorted: without capitals and accents, and in rounds with
    /// zeros before numbers, so that 2 comes before 10.
    #[must_use]
    pub fn sort_text(self, name: &str) -> String {
        const DIGITS: usize = 10;
        let mut folded = Vec::with_capacity(name.len());
        fold_into(name.as_bytes(), &mut folded);
        let folded = String::from_utf8_lossy(&folded).into_owned();
        if self != SortField::Round {
            return folded;
        }
        let mut padded = String::with_capacity(2 * DIGITS);
        let mut digits = 0;
        for character in folded.chars().chain(['\0']) {
            if character.is_ascii_digit() {
                digits += 1;
            } else if digits > 0 {
                let start = padded.len() - digits;
                let zeros = "0".repeat(DIGITS.saturating_sub(digits));
                padded.insert_str(start, &zeros);
                digits = 0;
            }
            padded.push(character);
        }
        padded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_sort_as_numbers_and_names_without_capitals_and_accents() {
        let round = |text: &str| SortField::Round.sort_text(text);
        assert!(round("2") < round("10"));
        assert!(round("2.3") < round("2.12"));
        assert!(round("2") < round("2.1"));
        assert!(round("10") < round("?"));
        let name = |text: &str| SortField::Event.sort_text(text);
        assert_eq!(name("Müller"), name("muller"));
    }

    #[test]
    fn every_order_is_found_by_its_name() {
        for field in SortField::all() {
            assert_eq!(SortField::find(field.name()), Some(field));
        }
    }
}
