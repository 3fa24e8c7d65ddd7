//! Time controls, and how fast games are played.

use super::{marks::named, remark::Seconds};

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
const MOVES: u64 = 40;

/// The upper limits of the first speeds, in seconds.
const LIMITS: [(u64, Speed); 4] = [
    (30, Speed::UltraBullet),
    (180, Speed::Bullet),
    (480, Speed::Blitz),
    (1500, Speed::Rapid),
];

/// The name of the tag.
pub(crate) const TIME_CONTROL: &str = "TimeControl";

/// Parses the value of the tag `TimeControl`, `BASE` or `BASE+INCREMENT` in seconds.
fn time_control(value: &str) -> Option<(u32, u32)> {
    let (base, increment) = value.split_once('+').unwrap_or((value, "0"));
    let number = |text: &str| {
        let are_digits = text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| are_digits)
    };
    Some((number(base)?, number(increment)?))
}

/// Returns the increment of the tag `TimeControl`; 0 if it tells none.
pub(crate) fn increment(value: &str) -> Seconds {
    let (_, increment) = time_control(value.trim()).unwrap_or_default();
    Seconds::whole(increment)
}

impl Speed {
    /// Returns the speed that the tag `TimeControl` tells, if it does.
    pub(crate) fn of_tag(value: &str) -> Option<Speed> {
        let value = value.trim();
        if value == "-" {
            return Some(Speed::Correspondence);
        }
        let (base, increment) = time_control(value)?;
        let seconds = u64::from(base) + MOVES * u64::from(increment);
        let fast = LIMITS.into_iter().find(|&(limit, _)| seconds < limit);
        Some(fast.map_or(Speed::Classical, |(_, speed)| speed))
    }

    /// Returns the speed that the name of an event tells: the first word that is one.
    pub(crate) fn of_event(event: &str) -> Option<Speed> {
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
            ("0+1", Some(Speed::Bullet)),
            ("179+0", Some(Speed::Bullet)),
            ("60+3", Some(Speed::Blitz)),
            ("480", Some(Speed::Rapid)),
            ("1500+0", Some(Speed::Classical)),
            ("-", Some(Speed::Correspondence)),
            ("4294967295+4294967295", Some(Speed::Classical)),
            ("40/7200:3600", None),
            ("?", None),
            ("", None),
            ("+5", None),
            ("5+", None),
            ("+5+5", None),
        ];
        for (value, speed) in speeds {
            assert_eq!(Speed::of_tag(value), speed, "{value}");
        }
        assert_eq!(increment("180+2"), Seconds::whole(2));
        assert_eq!(increment("40/7200"), Seconds::whole(0));
    }

    #[test]
    fn speeds_are_words_of_events() {
        assert_eq!(Speed::of_event("Rated Blitz game"), Some(Speed::Blitz));
        assert_eq!(Speed::of_event("UltraBullet!"), Some(Speed::UltraBullet));
        assert_eq!(Speed::of_event("World Rapid & Blitz"), Some(Speed::Rapid));
        assert_eq!(Speed::of_event("Blitzkrieg Cup"), None);
    }
}
