//! What the truth says of a game, in the words of the test.

use serde_json::Value;
use shakmaty::{CastlingMode, Chess, Position, san::San};
use tabiya::query::Medal;

use crate::support::game::PlainGame;

pub(super) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or("")
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_default()
}

/// An event as it should be told.
#[derive(Debug)]
pub(super) enum Told {
    Is(String),
    /// It begins so, and holds these.
    Like(String, Vec<String>),
    /// A quoted game: it holds these, and its moves are these.
    Quote(Vec<String>, String),
}

impl Told {
    pub(super) fn is(&self, found: &str) -> bool {
        match self {
            Told::Is(told) => told == found,
            Told::Like(begin, parts) => {
                found.starts_with(begin) && parts.iter().all(|part| found.contains(part))
            }
            Told::Quote(parts, moves) => {
                let told = quoted_moves(found);
                // Moves from an illegal one on are left out.
                parts.iter().all(|part| found.contains(part))
                    && moves.starts_with(&told)
                    && told.is_empty() == moves.is_empty()
            }
        }
    }
}

/// Returns the moves of a game as PGN on one line.
fn quoted_moves(found: &str) -> String {
    let movetext = found.rsplit_once("\"]").map_or("", |(_, moves)| moves);
    let (mut position, mut moves) = (Chess::default(), Vec::new());
    for word in movetext.split_whitespace() {
        let Ok(san) = word.parse::<San>() else {
            continue;
        };
        let played = san.to_move(&position).unwrap();
        moves.push(played.to_uci(CastlingMode::Standard).to_string());
        position = position.play(played).unwrap();
    }
    moves.join(" ")
}

/// Returns the text of a comment with figurines as letters.
fn plain(text: &str) -> String {
    let letters = ('\u{e024}'..='\u{e028}').zip("KQRBN".chars());
    letters.fold(text.to_owned(), |text, (sign, letter)| {
        text.replace(sign, &letter.to_string())
    })
}

fn quoted(text: &str) -> String {
    format!(
        "\"{}\"",
        plain(text).replace('\\', "\\\\").replace('"', "\\\"")
    )
}

/// Returns all events of a game.
pub(super) fn events(record: &Value) -> Vec<Told> {
    let none = Vec::new();
    let annotations = record["annotations"].as_array().unwrap_or(&none);
    let at = |position: i64, before: bool| {
        let mut told = Vec::new();
        for annotation in annotations {
            if number(&annotation["pos"]) == position
                && (text(annotation, "type") == "82") == before
            {
                // Glyphs come first.
                if text(annotation, "type") == "03" {
                    let glyphs = annotation["nags"].as_array().unwrap();
                    let glyphs = glyphs.iter().map(number).filter(|&glyph| glyph > 0);
                    let glyphs = glyphs.map(|glyph| Told::Is(format!("${glyph}")));
                    let first = told
                        .iter()
                        .position(|told| !matches!(told, Told::Is(word) if word.starts_with('$')));
                    let first = first.unwrap_or(told.len());
                    told.splice(first..first, glyphs);
                } else {
                    told.extend(comment(annotation));
                }
            }
        }
        told
    };
    let mut events = at(-1, true);
    events.extend(at(-1, false));
    let mut position = 0;
    for word in text(record, "line").split_whitespace() {
        let is_move = !matches!(word, "(" | ")");
        if is_move {
            events.extend(at(position, true));
        }
        events.push(Told::Is(word.to_owned()));
        if is_move {
            events.extend(at(position, false));
            position += 1;
        }
    }
    events
}

fn list(value: &Value) -> Vec<&str> {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(Value::as_str).collect()
}

/// Returns how an annotation other than glyphs is told.
fn comment(annotation: &Value) -> Option<Told> {
    let of = text(annotation, "type");
    let value = number(&annotation["value"]);
    let is = |name: &str, told: &str| Told::Is(format!("{{[%{name} {told}]}}"));
    let raw = || Told::Like(format!("{{[%2cba {} ", of.to_uppercase()), Vec::new());
    let marks = |name: &str, key: &str| {
        let marks = list(&annotation[key]);
        let is_known = marks
            .iter()
            .all(|mark| !mark.starts_with(|c: char| c.is_ascii_digit()));
        if is_known {
            is(name, &marks.join(","))
        } else {
            raw()
        }
    };
    Some(match of {
        "02" | "82" if text(annotation, "text").is_empty() => return None,
        "02" | "82" => Told::Is(format!("{{{}}}", plain(text(annotation, "text")))),
        "04" => marks("csl", "csl"),
        "05" => marks("cal", "cal"),
        "07" => {
            let spent = number(&annotation["spent"]);
            let (hours, minutes) = (spent / 3600, spent / 60 % 60);
            is("emt", &format!("{hours}:{minutes:02}:{:02}", spent % 60))
        }
        "09" => training(annotation),
        "13" => quotation(annotation),
        "14" => is("pawns", &value.to_string()),
        "15" => match annotation["path"].as_array() {
            Some(path) => is("path", &format!("{} {}", path[1].as_str()?, path[0])),
            None => raw(),
        },
        "16" | "17" => {
            let (side, time) = (
                if of == "16" { "white" } else { "black" },
                &annotation["cs"],
            );
            let (time, seconds) = (number(time), number(time) / 100);
            let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
            let (seconds, rest) = (seconds % 60, time % 100);
            is(
                "clock",
                &format!("{side} {hours}:{minutes:02}:{seconds:02}.{rest:02}"),
            )
        }
        "18" => is(
            "critical",
            ["opening", "middlegame", "endgame"][value as usize - 1],
        ),
        "1c" => {
            let (address, caption) = (text(annotation, "url"), text(annotation, "caption"));
            is("link", &format!("{} {}", quoted(address), quoted(caption)))
        }
        "20" => is("video", &quoted(text(annotation, "text"))),
        "21" => evaluation(annotation).map_or_else(raw, |told| is("eval", &told)),
        "22" => {
            let medals = number(&annotation["medals"]);
            let given = Medal::ALL
                .into_iter()
                .filter(|&medal| medals >> medal as u16 & 1 == 1);
            let names: Vec<&str> = given.map(Medal::name).collect();
            is("medal", &names.join(","))
        }
        "23" => {
            let flags = number(&annotation["flags"]);
            let main = if flags & 1 == 1 { " main-line" } else { "" };
            let moves = if flags & 2 == 2 { " moves" } else { "" };
            is(
                "colour",
                &format!("#{}{main}{moves}", text(annotation, "rgb")),
            )
        }
        "24" => is("timecontrol", &stages(annotation)),
        "25" => is("videotime", &value.to_string()),
        "26" => profile(annotation).map_or_else(raw, |told| is("profile", &told)),
        _ => raw(),
    })
}

fn pawns(value: i64) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", value.abs() / 100, value.abs() % 100)
}

fn evaluation(annotation: &Value) -> Option<String> {
    let value = number(&annotation["value"]);
    let told = match number(&annotation["kind"]) {
        0 => pawns(value),
        1 => format!("#{value}"),
        _ => return None,
    };
    Some(match number(&annotation["depth"]) {
        0 => told,
        depth => format!("{told},{depth}"),
    })
}

fn profile(annotation: &Value) -> Option<String> {
    let positions = annotation["evals"].as_array()?.iter().map(|position| {
        let (value, depth) = (number(&position[0]), &position[1]);
        match number(&position[2]) {
            0 => Some(format!("{}/{depth}", pawns(value))),
            // Half-moves become moves: one and two are the first.
            1 => Some(format!(
                "#{}/{depth}",
                value.signum() * (value.abs() + 1).div_euclid(2)
            )),
            255 => Some("-".to_owned()),
            _ => None,
        }
    });
    Some(positions.collect::<Option<Vec<String>>>()?.join(" "))
}

fn stages(annotation: &Value) -> String {
    let hundredths = |time: i64| match time % 100 {
        0 => (time / 100).to_string(),
        rest => format!("{}.{rest:02}", time / 100),
    };
    let stages = annotation["stages"].as_array().unwrap().iter();
    let stages = stages.filter(|stage| number(&stage[2]) > 0).map(|stage| {
        let moves = match number(&stage[2]) {
            1000 => String::new(),
            moves => format!("{moves}/"),
        };
        let increment = match number(&stage[1]) {
            0 => String::new(),
            increment => format!("+{}", hundredths(increment)),
        };
        format!("{moves}{}{increment}", hundredths(number(&stage[0])))
    });
    stages.collect::<Vec<String>>().join(":")
}

/// Collects texts and marks of a question, wherever they are.
fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(pair) if pair.len() == 2 && pair[0].is_u64() => match &pair[1] {
            Value::String(text) => found.push(quoted(text)),
            marks => found.push(list(marks).join(",")),
        },
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| texts(field, found)),
        _ => {}
    }
}

fn training(annotation: &Value) -> Told {
    let (seconds, points) = (&annotation["seconds"], &annotation["points"]);
    let mut parts = Vec::new();
    for key in ["question", "responses", "solutions"] {
        texts(&annotation[key], &mut parts);
    }
    Told::Like(format!("{{[%training {seconds}s {points}p"), parts)
}

fn quotation(annotation: &Value) -> Told {
    let player = |key: &str| {
        let names = list(&annotation[key]);
        if names[1].is_empty() {
            names[0].to_owned()
        } else {
            names.join(", ")
        }
    };
    let parts = vec![
        format!("[White \"{}\"]", player("white")),
        format!("[Black \"{}\"]", player("black")),
        format!("[Event \"{}\"]", text(annotation, "event")),
        format!("[Site \"{}\"]", text(annotation, "site")),
        format!("[Date \"{}\"]", text(annotation, "date")),
    ];
    match annotation["moves"].as_str() {
        Some(moves) => Told::Quote(parts, moves.to_owned()),
        None => Told::Like("{[%".to_owned(), Vec::new()),
    }
}

/// Compares the header and the tags of a game with its record, as far as this has them.
pub(super) fn header_differs(game: &PlainGame, record: &Value) -> Option<String> {
    let header = &game.header;
    let or_unknown = |name: &str| match text(record, name) {
        "" => "?".to_owned(),
        name => name.to_owned(),
    };
    let round = match (number(&record["round"]), number(&record["subround"])) {
        (0, 0) | (..0, _) => "?".to_owned(),
        (round, ..=0) => round.to_string(),
        (round, sub_round) => format!("{round}.{sub_round}"),
    };
    let rating = |rating: Option<tabiya::format::Rating>| {
        rating.map_or(0, |rating| i64::from(rating.value.get()))
    };
    let pairs = [
        ("white", header.white.clone(), or_unknown("white")),
        ("black", header.black.clone(), or_unknown("black")),
        ("event", header.event.clone(), or_unknown("event")),
        ("site", header.site.clone(), or_unknown("site")),
        (
            "date",
            header.date.to_string(),
            text(record, "date").to_owned(),
        ),
        (
            "event_date",
            header.event_date.to_string(),
            text(record, "event_date").to_owned(),
        ),
        ("round", header.round.clone(), round),
        ("result", header.result.to_string(), result(record)),
        (
            "eco",
            header.eco.map_or(String::new(), |eco| eco.to_string()),
            text(record, "eco").to_owned(),
        ),
        (
            "white_elo",
            rating(header.white_rating).to_string(),
            number(&record["white_elo"]).to_string(),
        ),
        (
            "black_elo",
            rating(header.black_rating).to_string(),
            number(&record["black_elo"]).to_string(),
        ),
    ];
    let differing = pairs
        .into_iter()
        .filter(|(key, ..)| !record[*key].is_null() || *key == "round" && record["kind"] == "game")
        .find(|(_, found, expected)| found != expected);
    if let Some((key, found, expected)) = differing {
        return Some(format!("{key} {found:?} instead of {expected:?}"));
    }
    if record["flags"].is_null() {
        return None;
    }
    let (found, expected) = (&game.tags, tags(record));
    (*found != expected).then(|| format!("tags {found:?} instead of {expected:?}"))
}

/// Both lost is no result of PGN.
fn result(record: &Value) -> String {
    match text(record, "result") {
        "0-0" => "*".to_owned(),
        result => result.to_owned(),
    }
}

/// Returns the tags besides the header.
fn tags(record: &Value) -> Vec<(String, String)> {
    let mut tags = Vec::new();
    let mut add = |name: &str, value: String| {
        if !value.is_empty() && value != "????.??.??" && value != "0" {
            tags.push((name.to_owned(), value));
        }
    };
    if number(&record["variant"]) == 2 {
        add("Variant", "Chess960".to_owned());
    }
    if number(&record["sub_eco"]) > 0 {
        let sub = number(&record["sub_eco"]);
        add("ECOSub", format!("{}/{sub:02}", text(record, "eco")));
    }
    if number(&record["line_eval"]) > 0 {
        add("LineEvaluation", format!("${}", record["line_eval"]));
    }
    let medals = number(&record["medals"]);
    let given = Medal::ALL
        .into_iter()
        .filter(|&medal| medals >> medal as u16 & 1 == 1);
    add(
        "Medals",
        given.map(Medal::name).collect::<Vec<_>>().join(", "),
    );
    add("Board", number(&record["board"]).max(0).to_string());
    for (name, key) in [
        ("WhiteRatingList", "white_rating"),
        ("BlackRatingList", "black_rating"),
    ] {
        let class = ["", "bullet", "blitz", "rapid", "correspondence"];
        let class = class[number(&record[key][1]) as usize];
        let list = record[key][4].as_str().unwrap_or_default();
        let told = format!("{list} {class}");
        add(
            name,
            // What the kind of the rating says, or nothing.
            if matches!(&*told, "FIDE " | "FIDE rapid" | "ICCF correspondence") {
                String::new()
            } else {
                told.trim().to_owned()
            },
        );
    }
    add("EventEndDate", text(record, "event_end_date").to_owned());
    add("EventType", event_type(number(&record["event_type"])));
    add("EventRounds", number(&record["event_rounds"]).to_string());
    add(
        "EventCategory",
        number(&record["event_category"]).to_string(),
    );
    add("Annotator", text(record, "annotator").to_owned());
    add("Source", text(record, "source").to_owned());
    add(
        "SourcePublisher",
        text(record, "source_publisher").to_owned(),
    );
    add("SourceDate", text(record, "source_date").to_owned());
    add("WhiteTeam", text(record, "white_team").to_owned());
    add("BlackTeam", text(record, "black_team").to_owned());
    add(
        "WhiteFideId",
        number(&record["white_fide"]).max(0).to_string(),
    );
    add(
        "BlackFideId",
        number(&record["black_fide"]).max(0).to_string(),
    );
    add("GameTitle", plain(first(&record["tag"])));
    tags
}

/// Returns the text of the first language by its number.
fn first(texts: &Value) -> &str {
    let texts = texts.as_object().into_iter().flatten();
    let first = texts.min_by_key(|(language, _)| language.parse::<u32>().unwrap_or_default());
    first
        .and_then(|(_, text)| text.as_str())
        .unwrap_or_default()
}

fn event_type(code: i64) -> String {
    const KINDS: [&str; 9] = [
        "", "game", "match", "tourn", "swiss", "team", "k.o.", "simul", "schev",
    ];
    let kind = KINDS.get(code as usize & 31).copied().unwrap_or_default();
    let speeds = [(32, "blitz"), (64, "rapid"), (128, "corr")];
    match speeds.iter().find(|(bit, _)| code & bit != 0) {
        None => kind.to_owned(),
        Some((_, speed)) if kind.is_empty() => (*speed).to_owned(),
        Some((_, speed)) => format!("{kind} ({speed})"),
    }
}

/// Returns the events of a text: its titles, then what its bodies show.
pub(super) fn text_words(record: &Value) -> Vec<String> {
    let sorted = |key: &str| {
        let texts = record[key].as_object().into_iter().flatten();
        let mut texts: Vec<(u32, &str)> = texts
            .map(|(language, text)| (language.parse().unwrap(), text.as_str().unwrap()))
            .collect();
        texts.sort_unstable();
        texts.into_iter().map(|(_, text)| text.to_owned())
    };
    let shown = sorted("bodies").map(|body| {
        let body = body.replace("<head></head>", "").replace("</h1>", "\n");
        let mut shown = String::new();
        let mut is_tag = false;
        for letter in body.chars() {
            match letter {
                '<' => is_tag = true,
                '>' => is_tag = false,
                letter if !is_tag => shown.push(letter),
                _ => {}
            }
        }
        shown.replace("&amp;", "&").trim().to_owned()
    });
    let words = sorted("titles").chain(shown);
    words.map(|word| format!("{{{word}}}")).collect()
}
