//! What names and dates of a game become in the files of both versions.

use tabiya_chess::PartialDate;

use crate::loss::{GameLosses, Loss};

/// The tag of an event's first day, if the header does not have it.
pub(crate) const EVENT_DATE: &str = "EventDate";

/// Tags that follow from the game itself and need no field.
pub(crate) const IMPLIED_TAGS: [&str; 2] = ["SetUp", "FEN"];

/// Returns the name, empty if it is `?`.
pub(crate) fn known(name: &str) -> &str {
    if name == "?" { "" } else { name }
}

/// Returns the last and the first name of a player, both empty for `?`.
pub(crate) fn last_and_first<'n>(name: &'n str, losses: &mut GameLosses) -> (&'n str, &'n str) {
    let name = known(name);
    let (last, first) = name.split_once(',').unwrap_or((name, ""));
    let first = first.trim();
    let is_usual = match first {
        "" => last == name,
        _ => {
            name.strip_prefix(last)
                .and_then(|rest| rest.strip_prefix(", "))
                == Some(first)
        }
    };
    if !is_usual {
        losses.add(Loss::NamesRespelled);
    }
    (last, first)
}

/// Returns a date without the parts that do not fit their bits: twelve for the year, four for the
/// month, five for the day.
pub(crate) fn fitting(date: PartialDate, losses: &mut GameLosses) -> PartialDate {
    let fitting = PartialDate::new(
        date.year().filter(|&year| year < 1 << 12).unwrap_or(0),
        Some(date.month())
            .filter(|&month| month < 1 << 4)
            .unwrap_or(0),
        Some(date.day()).filter(|&day| day < 1 << 5).unwrap_or(0),
    );
    if fitting != date {
        losses.add(Loss::DatesReduced);
    }
    fitting
}
