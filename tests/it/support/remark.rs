//! What comments tell of clocks and evaluations, read in the slowest way, and random comments.

use tabiya::query::{Compare, EvalTest, Evaluation, Seconds};

use super::{
    dice::Dice,
    game::{Event, PlainGame},
    walk::Node,
};

/// What the comments of the move to a position tell.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Remark {
    /// Thousandths of seconds.
    pub(crate) clock: Option<i64>,
    pub(crate) spent: Option<i64>,
    pub(crate) eval: Option<Eval>,
}

/// Black mates (-1), pawns (0) or White mates (1), and how: moves until then, counted so that more
/// is better for White, or thousandths of pawns.
pub(crate) type Eval = (i64, i64);

impl Remark {
    fn read(&mut self, comment: &str) {
        for start in 0..comment.len() {
            let Some(command) = comment.get(start..) else {
                continue;
            };
            let said = |name: &str| {
                let value = command.strip_prefix(name)?.split_once(']')?.0;
                Some(
                    value
                        .split(',')
                        .next()
                        .unwrap_or_default()
                        .trim()
                        .to_owned(),
                )
            };
            if self.clock.is_none() {
                self.clock = said("[%clk ").and_then(|text| time(&text));
            }
            if self.spent.is_none() {
                self.spent = said("[%emt ").and_then(|text| time(&text));
            }
            if self.eval.is_none() {
                self.eval = said("[%eval ").and_then(|text| eval(&text));
            }
        }
    }

    /// The same with the colours exchanged.
    pub(crate) fn flipped(self) -> Remark {
        Remark {
            eval: self.eval.map(|(mate, much)| (-mate, -much)),
            ..self
        }
    }
}

/// Reads digits with a point or without.
fn decimal(text: &str) -> Option<i64> {
    let digits: Vec<&str> = text.split('.').collect();
    let are_digits = |text: &&str| text.chars().all(|c| c.is_ascii_digit());
    if text.is_empty() || digits.len() > 2 || !digits.iter().all(are_digits) {
        return None;
    }
    let part = match digits.get(1) {
        None => "000".to_owned(),
        Some(&"") => return None,
        Some(part) => format!("{part}00").chars().take(3).collect(),
    };
    format!("0{}{part}", digits[0]).parse().ok()
}

fn time(text: &str) -> Option<i64> {
    let mut parts: Vec<&str> = text.split(':').collect();
    let seconds = decimal(parts.pop()?)?;
    let mut minutes = 0;
    if parts.len() > 2 || parts.iter().any(|part| part.contains('.')) {
        return None;
    }
    for part in parts {
        minutes = 60 * minutes + decimal(part)?;
    }
    Some(60 * minutes + seconds)
}

fn eval(text: &str) -> Option<Eval> {
    let is_mate = text.starts_with('#');
    let text = text.trim_start_matches('#');
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let number = decimal(text.trim_start_matches(['-', '+']))?;
    match is_mate {
        true if text.contains('.') => None,
        true => Some((sign, -sign * number)),
        false => Some((0, sign * number)),
    }
}

/// Adds what the comments tell to the positions of a game.
pub(crate) fn add_remarks(game: &PlainGame, nodes: &mut [Node]) {
    let mut count = 0;
    // The move that comments are about, and those to come back to after variations.
    let mut now = None;
    let mut waiting = Vec::new();
    for event in &game.events {
        match event {
            Event::Play(_) => {
                count += 1;
                now = Some(count);
            }
            Event::Begin => waiting.push(now.take()),
            Event::End => now = waiting.pop().expect("a variation that began"),
            Event::Comment(text) => {
                if let Some(node) = now {
                    nodes[node].place.remark.read(text);
                }
            }
            Event::Nag(_) => {}
        }
    }
    let tag = time_control(game);
    let increment = tag.and_then(base_and_increment).map_or(0, |both| both.1);
    for node in 1..nodes.len() {
        let remark = nodes[node].place.remark;
        let other_side = nodes[node].parent.expect("a move");
        let Some(own) = nodes[other_side].parent else {
            continue;
        };
        let before = nodes[own].place.remark.clock;
        if let (None, Some(before), Some(clock)) = (remark.spent, before, remark.clock) {
            nodes[node].place.remark.spent = Some(before - clock + 1000 * increment);
        }
    }
}

fn time_control(game: &PlainGame) -> Option<&str> {
    let mut tags = game.tags.iter();
    let tag = tags.find(|(name, _)| name == "TimeControl")?;
    Some(tag.1.trim())
}

fn base_and_increment(tag: &str) -> Option<(i64, i64)> {
    match tag.split('+').collect::<Vec<_>>()[..] {
        [base] => Some((base.parse().ok()?, 0)),
        [base, increment] => Some((base.parse().ok()?, increment.parse().ok()?)),
        _ => None,
    }
}

/// The name of the speed at which a game was played.
pub(crate) fn speed(game: &PlainGame) -> Option<&'static str> {
    const NAMES: [&str; 6] = [
        "ultrabullet",
        "bullet",
        "blitz",
        "rapid",
        "classical",
        "correspondence",
    ];
    match time_control(game) {
        Some("-") => Some(NAMES[5]),
        Some("") | None => {
            let event = game.header.event.to_lowercase();
            let mut words = event.split(|c: char| !c.is_alphanumeric());
            words.find_map(|word| NAMES.into_iter().find(|name| *name == word))
        }
        Some(tag) => {
            let seconds = seconds_for_40_moves(tag)?;
            let limits = [30, 180, 480, 1500, i64::MAX];
            Some(NAMES[limits.iter().filter(|limit| seconds >= **limit).count()])
        }
    }
}

/// Plays 40 moves through the periods of a time control; `i64::MAX` for correspondence.
fn seconds_for_40_moves(tag: &str) -> Option<i64> {
    let mut periods = Vec::new();
    for period in tag.split(':') {
        let (moves, time) = match period.split_once('/') {
            Some((moves, time)) => (Some(moves.parse::<i64>().ok()?), time),
            None => (None, period),
        };
        let (base, increment) = base_and_increment(time)?;
        periods.push((moves, base, increment));
    }
    if let (Some(moves), base, _) = periods[0]
        && base / moves >= 3600
    {
        return Some(i64::MAX);
    }
    let last = *periods
        .iter()
        .rfind(|(moves, ..)| moves.is_some())
        .unwrap_or(&periods[0]);
    let (mut seconds, mut at, mut left_of_period) = (0, 0, 0);
    let mut increment = 0;
    for _ in 0..40 {
        if left_of_period == 0 {
            let (moves, base, each) = *periods.get(at).unwrap_or(&last);
            (left_of_period, increment) = (moves.unwrap_or(i64::MAX), each);
            (seconds, at) = (seconds + base, at + 1);
        }
        (seconds, left_of_period) = (seconds + increment, left_of_period - 1);
    }
    Some(seconds)
}

/// Reads a bound of a query.
pub(crate) fn eval_of(bound: Evaluation) -> Eval {
    eval(&bound.to_string()).expect("an evaluation")
}

// ---- random comments ----

const EVENTS: [&str; 3] = [
    "Rated UltraBullet game",
    "World Rapid & Blitz",
    "zurich blitz",
];
/// Tags of servers, with some values.
pub(crate) const TAGS: [(&str, &[&str]); 5] = [
    (
        "TimeControl",
        &[
            "40/7200", "180+2", "*", "60+0", "29", "0+5", "1800+20", "900", "-",
        ],
    ),
    ("WhiteTitle", &["GM", "WGM", "gm"]),
    ("BlackTitle", &["GM", "IM", ""]),
    ("Variant", &["Standard", "From Position"]),
    ("Termination", &["Normal", "Time forfeit"]),
];

/// Gives a game tags of servers, and replaces its comments by ones that tell clocks and
/// evaluations, most often. A place has one comment at most, since some formats join them; that of
/// a move may stand after its variations.
pub(crate) fn annotate(dice: &mut Dice, game: &mut PlainGame) {
    if dice.percent(40) {
        return;
    }
    if dice.percent(50) {
        game.header.event = (*dice.pick(&EVENTS)).to_owned();
    }
    for (name, values) in TAGS {
        game.tags.retain(|(other, _)| other != name);
        if dice.percent(50) {
            game.tags
                .push((name.to_owned(), (*dice.pick(values)).to_owned()));
        }
    }
    let often = *dice.pick(&[20, 60, 95]);
    let mut events = std::mem::take(&mut game.events);
    events.retain(|event| !matches!(event, Event::Comment(_)));
    // ChessBase counts words alone as comments.
    let start = format!("at the start {}", comment(dice));
    game.events.push(Event::Comment(start));
    let mut has_comment = false;
    let mut waiting = Vec::new();
    for event in events {
        let chance = match &event {
            Event::Play(_) => {
                has_comment = false;
                often
            }
            Event::Begin => {
                waiting.push(has_comment);
                has_comment = false;
                10
            }
            Event::End => {
                has_comment = waiting.pop().expect("a variation that began");
                often
            }
            Event::Nag(_) | Event::Comment(_) => 0,
        };
        game.events.push(event);
        if !has_comment && dice.percent(chance) {
            game.events.push(Event::Comment(comment(dice)));
            has_comment = true;
        }
    }
}

fn comment(dice: &mut Dice) -> String {
    let mut parts = Vec::new();
    for _ in 0..=dice.below(3) {
        let (minutes, seconds) = (dice.below(2), dice.below(60));
        let (tenths, moves) = (dice.below(10), dice.below(4));
        let (sign, pawns) = (*dice.pick(&["", "-", "+"]), dice.below(4));
        parts.push(match dice.below(14) {
            0..=2 => format!("[%clk 0:{minutes:02}:{seconds:02}]"),
            3 => format!("[%clk {minutes}:{seconds:02}.{tenths}]"),
            4 | 5 => format!("[%emt 0:00:{seconds:02}]"),
            6 => format!("[%emt {tenths}.{seconds:02}5]"),
            7 | 8 => format!("[%eval {sign}{pawns}.{tenths}]"),
            9 => format!("[%eval {sign}{pawns}.{seconds:02}9,20]"),
            10 => format!("[%eval #{}{moves}]", sign.replace('+', "")),
            11 => "[%clk ?] [%eval x] [%emt]".to_owned(),
            12 => "[%csl Ge4]".to_owned(),
            _ => "a word".to_owned(),
        });
    }
    parts.join(*dice.pick(&["", " ", " - "]))
}

// ---- random conditions ----

/// A comparison with times around this one, by a function that compares numbers.
pub(crate) fn near_time(
    dice: &mut Dice,
    told: Option<i64>,
    compare: impl Fn(&mut Dice, Seconds, Seconds) -> Compare<Seconds>,
) -> Compare<Seconds> {
    let mut about = || {
        let spread = *dice.pick(&[0, 1, 100, 1000, 20_000]);
        let time = told.unwrap_or(5000) as i32 + dice.between(-spread, spread);
        Seconds::from_thousandths(time.max(0))
    };
    let (one, other) = (about(), about());
    compare(dice, one, other)
}

/// The same for evaluations.
pub(crate) fn near_eval(
    dice: &mut Dice,
    told: Option<Eval>,
    compare: impl Fn(&mut Dice, Evaluation, Evaluation) -> Compare<Evaluation>,
) -> EvalTest {
    if dice.percent(15) {
        return EvalTest::Mate(dice.percent(70));
    }
    let mut about = || match told.filter(|_| dice.percent(80)) {
        Some((mate @ (-1 | 1), moves)) => Evaluation::mate(mate > 0, (moves.abs() / 1000) as u32),
        told => {
            let spread = *dice.pick(&[0, 1, 100, 3000]);
            let pawns = told.map_or(0, |told| told.1) as i32;
            Evaluation::from_thousandths(pawns + dice.between(-spread, spread))
        }
    };
    let (one, other) = (about(), about());
    EvalTest::Compare(compare(dice, one, other))
}
