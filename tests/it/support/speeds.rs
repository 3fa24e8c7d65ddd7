//! How fast games are played, by their time controls.

use super::{game::PlainGame, remark::time_control};

const NAMES: [&str; 6] = [
    "ultrabullet",
    "bullet",
    "blitz",
    "rapid",
    "classical",
    "correspondence",
];
const CORRESPONDENCE: &str = NAMES[5];
/// Moves for which time is counted.
const MOVES: f64 = 40.0;

/// The name of the speed at which a game was played.
pub(crate) fn speed(game: &PlainGame) -> Option<&'static str> {
    match time_control(game) {
        Some("") | None => {
            let event = game.header.event.to_lowercase();
            let mut words = event.split(|c: char| !c.is_alphanumeric());
            words.find_map(|word| NAMES.into_iter().find(|name| *name == word))
        }
        Some(tag) => of_tag(&tag.to_lowercase()),
    }
}

/// What a time control says.
enum Told {
    Correspondence,
    /// Seconds for 40 moves.
    Seconds(f64),
}

fn of_tag(tag: &str) -> Option<&'static str> {
    if matches!(tag, "-" | "unlimited") {
        return Some(CORRESPONDENCE);
    }
    let forms = [in_periods, in_minutes, in_days, in_words];
    let told = forms.into_iter().find_map(|form| form(tag))?;
    Some(match told {
        Told::Correspondence => CORRESPONDENCE,
        Told::Seconds(seconds) => {
            let limits = [30.0, 180.0, 480.0, 1500.0];
            NAMES[limits.iter().filter(|limit| seconds >= **limit).count()]
        }
    })
}

fn number(text: &str) -> Option<f64> {
    let is_part = |letter: char| letter.is_ascii_digit() || letter == '.';
    let begins = text.starts_with(|letter: char| letter.is_ascii_digit());
    (begins && text.chars().all(is_part))
        .then(|| text.parse().ok())
        .flatten()
}

/// Moves, seconds and increment.
type Period = (Option<f64>, f64, f64);

fn period(text: &str) -> Option<Period> {
    let text = text.strip_suffix('d').unwrap_or(text);
    let (moves, time) = match text.split_once('/') {
        Some((moves, time)) => (Some(number(moves)?), time),
        None => (None, text),
    };
    let time = time.strip_prefix('*').unwrap_or(time);
    let (base, increment) = match time.split_once('+') {
        Some((base, increment)) => (number(base)?, number(increment)?),
        None => (number(time)?, 0.0),
    };
    Some((moves, base, increment))
}

/// `40/7200:3600`
fn in_periods(tag: &str) -> Option<Told> {
    let periods: Option<Vec<Period>> = tag.split(':').map(period).collect();
    let periods = periods?;
    if let (Some(moves), base, _) = periods[0]
        && base / moves >= 3600.0
    {
        return Some(Told::Correspondence);
    }
    let again = periods.iter().rfind(|(moves, ..)| moves.is_some());
    let (mut left, mut seconds) = (MOVES, 0.0);
    let mut coming = periods.iter();
    while left > 0.0 {
        let (moves, base, increment) = *coming.next().or(again).expect("a period with moves");
        let played = moves.map_or(left, |moves| moves.min(left));
        seconds += base + increment * played;
        left -= played;
    }
    Some(Told::Seconds(seconds))
}

/// `G/15;d5`
fn in_minutes(tag: &str) -> Option<Told> {
    let rest = tag.strip_prefix("g/")?;
    let (minutes, increment) = match rest.split_once('+').or_else(|| rest.split_once(";d")) {
        Some((minutes, increment)) => (number(minutes)?, number(increment)?),
        None => (number(rest)?, 0.0),
    };
    Some(Told::Seconds(60.0 * minutes + MOVES * increment))
}

/// Numbers and the words that follow them, if there are only spaces between.
fn numbers_and_words(tag: &str) -> Vec<(f64, String)> {
    let mut all = Vec::new();
    let mut rest = tag;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_digit()) {
        rest = &rest[start..];
        let is_part = |letter: char| letter.is_ascii_digit() || letter == '.';
        let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        let (digits, after) = rest.split_at(end);
        let word = after.trim_start();
        let end = word.find(|letter: char| !letter.is_alphabetic());
        let word = &word[..end.unwrap_or(word.len())];
        all.push((digits.parse().unwrap_or(f64::NAN), word.to_owned()));
        rest = after;
    }
    all
}

/// `1 day per move`
fn in_days(tag: &str) -> Option<Told> {
    let mut words = numbers_and_words(tag).into_iter();
    words
        .any(|(_, word)| matches!(word.as_str(), "day" | "days"))
        .then_some(Told::Correspondence)
}

/// `90 min + 30 sec per move`
fn in_words(tag: &str) -> Option<Told> {
    let (mut base, mut increment, mut has_base) = (0.0, 0.0, false);
    for (number, word) in numbers_and_words(tag) {
        match word.as_str() {
            "h" | "hour" | "hours" => {
                (base, has_base) = (base + 3600.0 * number, true);
            }
            "m" | "min" | "mins" | "minute" | "minutes" => {
                (base, has_base) = (base + 60.0 * number, true);
            }
            "s" | "sec" | "secs" | "second" | "seconds" => increment += number,
            "move" | "moves" => {}
            _ => return None,
        }
    }
    has_base.then_some(Told::Seconds(base + MOVES * increment))
}
