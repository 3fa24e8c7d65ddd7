//! Lists of conditions that games of a report meet: structures, endings, lengths and speeds.

use tabiya_chess::speed::SPEED_NAMES;
use tabiya_formats::error::Result;

use super::{
    ReportSection,
    subject::{Subject, Told, named, parsed},
};
use crate::{
    pattern::word::PHASE_NAMES,
    query::{Query, TextField, table::FIELDS},
};

/// Endings by their names.
const ENDINGS: [(&str, &str); 8] = [
    ("Pawn endings", "at(Q=0 q=0 R=0 r=0 B=0 b=0 N=0 n=0)"),
    ("Rook endings", "at(Q=0 q=0 R>=1 r>=1 B=0 b=0 N=0 n=0)"),
    ("Queen endings", "at(Q>=1 q>=1 R=0 r=0 B=0 b=0 N=0 n=0)"),
    (
        "Bishops of the same colour",
        "at(Q=0 q=0 R=0 r=0 N=0 n=0 bishops:same)",
    ),
    (
        "Bishops of opposite colours",
        "at(Q=0 q=0 R=0 r=0 N=0 n=0 bishops:opposite)",
    ),
    (
        "Bishop against knight",
        "at(Q=0 q=0 R=0 r=0 B=1 b=0 N=0 n=1 flip)",
    ),
    ("Knight endings", "at(Q=0 q=0 R=0 r=0 B=0 b=0 N>=1 n>=1)"),
    (
        "Rook and a minor piece each",
        "at(Q=0 q=0 R=1 r=1 wminor=1 bminor=1)",
    ),
];

const LENGTHS: [(&str, &str); 4] = [
    ("to 20 moves", "moves:..20"),
    ("21 to 40", "moves:21..40"),
    ("41 to 60", "moves:41..60"),
    ("61 and more", "moves>=61"),
];

const MISTAKES: [(&str, &str); 3] = [
    ("Blunders", "blunder"),
    ("Mistakes", "mistake"),
    ("Inaccuracies", "inaccuracy"),
];

/// Hours of the day, and how their times begin.
const HOURS: [(&str, &str); 8] = [
    ("0:00 to 2:59", "0[0-2]"),
    ("3:00 to 5:59", "0[3-5]"),
    ("6:00 to 8:59", "0[6-8]"),
    ("9:00 to 11:59", "09|1[01]"),
    ("12:00 to 14:59", "1[2-4]"),
    ("15:00 to 17:59", "1[5-7]"),
    ("18:00 to 20:59", "1[89]|20"),
    ("21:00 to 23:59", "2[1-3]"),
];

const WEEKDAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

/// Times on a clock, in seconds.
const CLOCKS: [(&str, u32); 4] = [
    ("10 seconds", 10),
    ("30 seconds", 30),
    ("a minute", 60),
    ("five minutes", 300),
];

pub(super) fn structures(subject: &Subject<'_>, told: &mut Told<'_>) -> Result<ReportSection> {
    let structures = FIELDS.iter().find(|field| field.name == "structure");
    let structures = structures.map_or(&[][..], |field| field.choices);
    let structures = structures.iter().map(|name| {
        let query = parsed(&format!("at(structure:{name} flip)"));
        (structure_name(name), query)
    });
    let note = "Games in which the pawns of one side stand so at some time.";
    list(subject, "Structures", note, structures, told)
}

pub(super) fn endings(subject: &Subject<'_>, told: &mut Told<'_>) -> Result<ReportSection> {
    let note = "Games in which no other pieces are on the board at some time.";
    list(subject, "Endings", note, owned(&ENDINGS), told)
}

pub(super) fn lengths(subject: &Subject<'_>, told: &mut Told<'_>) -> Result<ReportSection> {
    list(subject, "Length", "", owned(&LENGTHS), told)
}

pub(super) fn speeds(subject: &Subject<'_>, told: &mut Told<'_>) -> Result<ReportSection> {
    let speeds = SPEED_NAMES.iter().map(|name| {
        let query = parsed(&format!("speed:{name}"));
        (capitalized(name), query)
    });
    list(subject, "Speed", "", speeds, told)
}

/// Returns the games by hour and by day of the week, where games have a time: nobody asks that of
/// games over the board.
pub(super) fn times(subject: &Subject<'_>, told: &mut Told<'_>) -> Result<Vec<ReportSection>> {
    let has_time = parsed("tag.UTCTime:/^[0-9]/");
    let is_timed = subject.asked(String::new(), &has_time, told)?.games > 0;
    let hours = HOURS.into_iter().filter(|_| is_timed);
    let hours = hours.map(|(label, hours)| {
        let query = parsed(&format!("tag.UTCTime:/^({hours})/"));
        (label.to_owned(), query)
    });
    let note = "By the tag UTCTime: in universal time.";
    let hours = list(subject, "Hours", note, hours, told)?;
    let days = (1..).zip(WEEKDAYS).filter(|_| is_timed);
    let days = days.map(|(day, name)| (name.to_owned(), parsed(&format!("weekday={day}"))));
    let days = list(subject, "Weekdays", "", days, told)?;
    Ok(vec![hours, days])
}

/// Returns the games in which the player makes mistakes of each kind in each phase, where comments
/// have evaluations.
pub(super) fn mistakes(
    subject: &Subject<'_>,
    player: &str,
    told: &mut Told<'_>,
) -> Result<ReportSection> {
    let kinds = MISTAKES.into_iter();
    let rows = kinds.flat_map(|(name, word)| {
        let rows = PHASE_NAMES.iter().map(move |phase| {
            let label = format!("{name} in the {phase}");
            (
                label,
                after_moves_of(player, &format!("{word} phase:{phase}")),
            )
        });
        rows.collect::<Vec<_>>()
    });
    let note = "Games in which the player makes one at some time, by the evaluations in comments.";
    list(subject, "Mistakes", note, rows, told)
}

/// Returns the games in which the player's clock falls below some times, where comments have them.
pub(super) fn clocks(
    subject: &Subject<'_>,
    player: &str,
    told: &mut Told<'_>,
) -> Result<ReportSection> {
    let rows = CLOCKS.into_iter().map(|(label, seconds)| {
        let query = after_moves_of(player, &format!("clock<{seconds}"));
        (format!("less than {label}"), query)
    });
    let note = "Games in which the player's clock falls so low, by the comments.";
    list(subject, "Time left", note, rows, told)
}

/// Returns the query for games with such a position after a move of the player.
fn after_moves_of(player: &str, test: &str) -> Query {
    let side = |field, other| {
        let position = parsed(&format!("at({test} stm:{other})"));
        named(field, player).and(position)
    };
    side(TextField::White, "black").or(side(TextField::Black, "white"))
}

/// Returns a row for each query that finds games.
pub(super) fn list(
    subject: &Subject<'_>,
    title: &str,
    note: &str,
    queries: impl Iterator<Item = (String, Query)>,
    told: &mut Told<'_>,
) -> Result<ReportSection> {
    let mut rows = Vec::new();
    for (label, query) in queries {
        let row = subject.asked(label, &query, told)?;
        rows.extend(Some(row).filter(|row| row.games > 0));
    }
    Ok(ReportSection::new(title, note, rows))
}

fn owned(list: &[(&str, &str)]) -> impl Iterator<Item = (String, Query)> {
    list.iter()
        .map(|(name, query)| ((*name).to_owned(), parsed(query)))
}

fn structure_name(name: &str) -> String {
    match name {
        "iqp" => "Isolated queen's pawn".to_owned(),
        "kings-indian" => "King's Indian".to_owned(),
        name => capitalized(&name.replace('-', " ")),
    }
}

fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
