//! Time controls, and how fast games are played.

use crate::{named, remark::Seconds};

named! {
    /// How fast a game is played.
    #[non_exhaustive]
    Speed, SPEED_NAMES[6]:
    UltraBullet "ultrabullet" "Less than 30 seconds for 40 moves.";
    Bullet "bullet" "Less than 3 minutes.";
    Blitz "blitz" "Less than 8 minutes.";
    Rapid "rapid" "Less than 25 minutes.";
    Classical "classical" "More.";
    Correspondence "correspondence" "Without a clock.";
}

/// The moves for which increments are counted.
const MOVES: u32 = 40;

/// The upper limits of the first speeds, in seconds.
const LIMITS: [(f64, Speed); 4] = [
    (30.0, Speed::UltraBullet),
    (180.0, Speed::Bullet),
    (480.0, Speed::Blitz),
    (1500.0, Speed::Rapid),
];

/// The name of the tag.
pub const TIME_CONTROL: &str = "TimeControl";

/// Time for a move from which on a game counts as correspondence, in seconds.
const CORRESPONDENCE: f64 = 3600.0;

/// A part of a time control: the moves it is for, if it says so; seconds for them, and for each.
#[derive(Debug, Clone, Copy)]
struct Period {
    moves: Option<u32>,
    base: f64,
    increment: f64,
}

impl Period {
    /// Parses `S`, `S+I`, `M/S` or `M/S+I`.
    fn parse(text: &str) -> Option<Period> {
        let (moves, time) = match text.split_once('/') {
            Some((moves, time)) => (Some(moves.parse().ok().filter(|&moves| moves > 0)?), time),
            None => (None, text),
        };
        // An hourglass, and a delay instead of an increment.
        let time = time.strip_prefix('*').unwrap_or(time);
        let time = time.strip_suffix('d').unwrap_or(time);
        let (base, increment) = time.split_once('+').unwrap_or((time, "0"));
        Some(Period {
            moves,
            base: number(base)?,
            increment: number(increment)?,
        })
    }
}

/// Parses a number of digits, with a fraction or without.
fn number(text: &str) -> Option<f64> {
    let is_of_number = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    let is_number = text.starts_with(|first: char| first.is_ascii_digit());
    (is_number && text.bytes().all(is_of_number)).then(|| text.parse().ok())?
}

/// Returns the speed of periods divided by `:`, which PGN's standard has.
fn of_periods(value: &str) -> Option<Speed> {
    let periods: Option<Vec<Period>> = value.split(':').map(Period::parse).collect();
    let periods = periods?;
    let first = periods.first()?;
    let for_one = first
        .moves
        .map_or(0.0, |moves| first.base / f64::from(moves));
    if for_one >= CORRESPONDENCE {
        return Some(Speed::Correspondence);
    }
    let (mut left, mut seconds) = (MOVES, 0.0);
    let mut play = |period: &Period| {
        let moves = period.moves.unwrap_or(MOVES).min(left);
        if moves > 0 {
            seconds += period.base + period.increment * f64::from(moves);
        }
        left -= moves;
        left > 0
    };
    let last = periods.iter().rfind(|period| period.moves.is_some());
    let again = last.into_iter().cycle();
    // Ends, as each period takes a move.
    let _ = periods.iter().chain(again).all(&mut play);
    Some(Speed::of_seconds(seconds))
}

/// Returns the speed of `G/N`, `G/N+I` and `G/N;dI`: minutes, and seconds for each move.
fn of_game_in(value: &str) -> Option<Speed> {
    let time = value.strip_prefix("g/")?;
    let (minutes, each) = time
        .split_once('+')
        .or_else(|| time.split_once(";d"))
        .unwrap_or((time, "0"));
    let seconds = 60.0 * number(minutes)? + f64::from(MOVES) * number(each)?;
    Some(Speed::of_seconds(seconds))
}

/// Returns whether a number stands before `day` or `days`, as in `1 in 5 days`.
fn has_days(value: &str) -> bool {
    value.match_indices("day").any(|(at, day)| {
        let after = &value[at + day.len()..];
        let after = after.strip_prefix('s').unwrap_or(after);
        let is_word = !after.starts_with(|next: char| next.is_alphanumeric());
        let before = value[..at].trim_end();
        is_word && before.ends_with(|digit: char| digit.is_ascii_digit())
    })
}

/// Returns the speed of numbers with units, as in `90 min for 40 moves + 30 sec`.
fn of_words(value: &str) -> Option<Speed> {
    let (mut base, mut increment, mut has_base) = (0.0, 0.0, false);
    let mut rest = value;
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_digit()) {
        rest = &rest[at..];
        let length = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
        let (digits, after) = rest.split_at(length.unwrap_or(rest.len()));
        let after = after.trim_start();
        let length = after.find(|letter: char| !letter.is_ascii_alphabetic());
        let unit = &after[..length.unwrap_or(after.len())];
        let amount = number(digits)?;
        match unit {
            "h" | "hour" | "hours" => (base, has_base) = (base + 3600.0 * amount, true),
            "m" | "min" | "mins" | "minute" | "minutes" => {
                (base, has_base) = (base + 60.0 * amount, true);
            }
            "s" | "sec" | "secs" | "second" | "seconds" => increment += amount,
            "move" | "moves" => {}
            _ => return None,
        }
        rest = after;
    }
    has_base.then(|| Speed::of_seconds(base + f64::from(MOVES) * increment))
}

/// Returns the increment of the tag `TimeControl` if it is `BASE+INCREMENT`; else 0.
pub fn increment(value: &str) -> Seconds {
    let period = Period::parse(value.trim()).filter(|period| period.moves.is_none());
    let increment = period.map_or(0.0, |period| period.increment);
    // As far as it fits: a cast of what is larger gives the largest.
    Seconds::from_thousandths((increment * 1000.0).round() as i32)
}

impl Speed {
    /// Returns the speed that the tag `TimeControl` tells, if it does.
    #[doc(hidden)]
    pub fn of_tag(value: &str) -> Option<Speed> {
        let value = value.trim().to_ascii_lowercase();
        if matches!(&*value, "-" | "unlimited") {
            return Some(Speed::Correspondence);
        }
        of_periods(&value)
            .or_else(|| of_game_in(&value))
            .or_else(|| has_days(&value).then_some(Speed::Correspondence))
            .or_else(|| of_words(&value))
    }

    /// Returns the speed of a game for which a side has this many seconds.
    fn of_seconds(seconds: f64) -> Speed {
        let fast = LIMITS.into_iter().find(|&(limit, _)| seconds < limit);
        fast.map_or(Speed::Classical, |(_, speed)| speed)
    }

    /// Returns the speed that the name of an event tells: the first word that is one.
    #[doc(hidden)]
    pub fn of_event(event: &str) -> Option<Speed> {
        let mut words = event.split(|c: char| !c.is_alphanumeric());
        words.find_map(|word| {
            let mut speeds = Speed::ALL.into_iter();
            speeds.find(|speed| word.eq_ignore_ascii_case(speed.name()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_follow_from_time_controls() {
        let speeds = [
            ("29", Some(Speed::UltraBullet)),
            ("1 in 5 days", Some(Speed::Correspondence)),
            ("5 daylong", None),
            ("0+1", Some(Speed::Bullet)),
            ("179+0", Some(Speed::Bullet)),
            ("60+3", Some(Speed::Blitz)),
            ("480", Some(Speed::Rapid)),
            ("1500+0", Some(Speed::Classical)),
            ("-", Some(Speed::Correspondence)),
            ("4294967295+4294967295", Some(Speed::Classical)),
            ("99999999999+1", Some(Speed::Classical)),
            ("40/7200:3600", Some(Speed::Classical)),
            ("40/300", Some(Speed::Blitz)),
            ("10/60", Some(Speed::Blitz)),
            ("20/60:30+1", Some(Speed::Bullet)),
            ("1/86400", Some(Speed::Correspondence)),
            ("1/259200", Some(Speed::Correspondence)),
            ("unlimited", Some(Speed::Correspondence)),
            ("*180", Some(Speed::Blitz)),
            ("5+0.05", Some(Speed::UltraBullet)),
            ("5400+30d", Some(Speed::Classical)),
            ("G/90;d5", Some(Speed::Classical)),
            ("G/5", Some(Speed::Blitz)),
            ("3 min + 2 sec per move", Some(Speed::Blitz)),
            ("90min+30sec", Some(Speed::Classical)),
            (
                "90 minutes for 40 moves, then 30 minutes",
                Some(Speed::Classical),
            ),
            ("14 days per move", Some(Speed::Correspondence)),
            ("0/5", None),
            ("1.5/move", None),
            ("30 sec", None),
            ("5 rounds of 3 min", None),
            ("?", None),
            ("", None),
            ("+5", None),
            ("5+", None),
            ("+5+5", None),
        ];
        for (value, speed) in speeds {
            assert_eq!(Speed::of_tag(value), speed, "{value}");
        }
        assert_eq!(increment("180+2"), Seconds::from_thousandths(2000));
        assert_eq!(increment("40/7200"), Seconds::default());
    }

    #[test]
    fn speeds_are_words_of_events() {
        assert_eq!(Speed::of_event("Rated Blitz game"), Some(Speed::Blitz));
        assert_eq!(Speed::of_event("UltraBullet!"), Some(Speed::UltraBullet));
        assert_eq!(Speed::of_event("World Rapid & Blitz"), Some(Speed::Rapid));
        assert_eq!(Speed::of_event("Blitzkrieg Cup"), None);
    }
}
