//! What comments tell of clocks and evaluations, read in the slowest way, and random comments.

use tabiya::query::{Compare, EvalTest, Evaluation, Seconds};

use super::{
    dice::Dice,
    evals::{add_profile, told},
    game::{Event, PlainGame, main_line_plies},
    walk::Node,
};

/// What the comments of the move to a position tell.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Remark {
    /// Thousandths of seconds.
    pub(crate) clock: Option<i64>,
    pub(crate) spent: Option<i64>,
    pub(crate) eval: Option<Eval>,
    /// The evaluation of the start position, which no move leads to.
    pub(crate) at_start: Option<Eval>,
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
        }
    }

    /// The same with the colours exchanged.
    pub(crate) fn flipped(self) -> Remark {
        Remark {
            eval: self.eval.map(|(mate, much)| (-mate, -much)),
            at_start: self.at_start.map(|(mate, much)| (-mate, -much)),
            ..self
        }
    }
}

/// Reads digits with a point or without.
pub(crate) fn decimal(text: &str) -> Option<i64> {
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

pub(crate) fn eval(text: &str) -> Option<Eval> {
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
    let mut comments: Vec<Vec<&str>> = vec![Vec::new(); nodes.len()];
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
                    comments[node].push(text);
                } else if count == 0 {
                    comments[0].push(text);
                }
            }
            Event::Nag(_) => {}
        }
    }
    for (node, comments) in nodes.iter_mut().zip(&comments) {
        let remark = &mut node.place.remark;
        let told = told(comments, node.place.turn.other());
        match node.parent {
            Some(_) => remark.eval = told,
            None => remark.at_start = told,
        }
    }
    add_profile(game, nodes);
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

pub(crate) fn time_control(game: &PlainGame) -> Option<&str> {
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
    if dice.percent(40) {
        evaluate(dice, game);
        return;
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

/// Replaces the comments of a game by evaluations of all moves or nearly all, in one of the forms
/// in which programs write them.
fn evaluate(dice: &mut Dice, game: &mut PlainGame) {
    let mut events = std::mem::take(&mut game.events);
    events.retain(|event| !matches!(event, Event::Comment(_)));
    let often = *dice.pick(&[100, 100, 90]);
    let spread = *dice.pick(&[30, 150, 400]);
    let form = dice.below(4);
    let mut told = 0;
    let mut next = |dice: &mut Dice| {
        told = (told + dice.between(-spread, spread)).clamp(-1200, 1200);
        (told, dice.percent(8).then(|| dice.below(6)))
    };
    let start = match form {
        // As many numbers as half-moves, or a few less.
        3 => {
            let first = dice.below(2);
            let moves = (main_line_plies(&events) + 1).saturating_sub(dice.below(3));
            let mut numbers = vec![first.to_string(), (first + moves).to_string()];
            for _ in 0..moves.max(1) {
                let (centipawns, mate) = next(dice);
                let sign = if centipawns < 0 { -1 } else { 1 };
                numbers.push(match mate {
                    _ if !dice.percent(often) => "32767".to_owned(),
                    Some(half_moves) => (sign * (30000 - half_moves as i32)).to_string(),
                    None => centipawns.to_string(),
                });
            }
            format!("[%evp {}]", numbers.join(","))
        }
        _ => "at the start".to_owned(),
    };
    game.events.push(Event::Comment(start));
    let mut pending = false;
    for event in events {
        let is_move = matches!(event, Event::Play(_));
        let is_glyph = matches!(event, Event::Nag(_));
        if pending && !is_glyph {
            let (centipawns, mate) = next(dice);
            let text = evaluation(dice, form, centipawns, mate);
            game.events.push(Event::Comment(text));
        }
        pending = (is_move || (is_glyph && pending)) && form < 3 && dice.percent(often);
        game.events.push(event);
    }
    if pending {
        let text = evaluation(dice, form, 20, None);
        game.events.push(Event::Comment(text));
    }
}

fn evaluation(dice: &mut Dice, form: usize, centipawns: i32, mate: Option<usize>) -> String {
    let sign = if centipawns < 0 { "-" } else { "" };
    let size = format!("{}.{:02}", centipawns.abs() / 100, centipawns.abs() % 100);
    let plus = if sign.is_empty() && dice.percent(60) {
        "+"
    } else {
        sign
    };
    match (form, mate) {
        (0, None) => format!("[%eval {sign}{size}]"),
        (0, Some(moves)) => format!("[%eval #{sign}{moves},12]"),
        (1, None) => format!("d=20, wv={sign}{size}, R50=49"),
        (1, Some(moves)) => format!("d=20, wv={sign}M{moves}, R50=49"),
        (_, None) => format!("{plus}{size}/12 1.2s"),
        (_, Some(moves)) => format!("{plus}M{moves}/20 0.1s"),
    }
}

fn comment(dice: &mut Dice) -> String {
    let mut parts = Vec::new();
    for _ in 0..=dice.below(3) {
        let (minutes, seconds) = (dice.below(2), dice.below(60));
        let (tenths, moves) = (dice.below(10), dice.below(4));
        let (sign, pawns) = (*dice.pick(&["", "-", "+"]), dice.below(4));
        parts.push(match dice.below(17) {
            14 => format!("d=20, wv={}{pawns}.{tenths}, R50=50", sign.replace('+', "")),
            15 => format!("{sign}{pawns}.{tenths}2/{} 1.2s", 1 + seconds),
            16 => format!("[%eval {pawns}.{tenths}/20]"),
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
