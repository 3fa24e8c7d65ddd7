//! Annotations from the commands in comments, `[%csl Ge4]`.
//!
//! Squares, arrows, times spent and evaluations are understood as `.cbh` writes them, in any usual
//! spelling. Other commands become annotations only if what is read of these is the same command
//! again. All others stay text.

use shakmaty::Square;
use tabiya_chess::Medal;

use crate::{
    bytes::Cursor,
    chessbase::common::{
        marks::kind,
        parse::{evaluation, marked_square, marks, number, time_spent},
        tell::Note as _,
    },
    chessbase::v2::annotations::Item,
};

/// The number of moves of a period that means all moves left, and what a period is.
const REST: u16 = 1000;
const ALL_MOVES: u8 = 0;
const SOME_MOVES: u8 = 1;
const ALL_MOVES_WITH_INCREMENT: u8 = 3;
const NO_PERIOD: u8 = 5;
const PERIODS: usize = 3;

/// Returns the type and the data of the annotation for a command, which is without its brackets.
pub(super) fn item(command: &str) -> Option<(u8, Vec<u8>)> {
    let (name, value) = command.split_once(' ')?;
    Some(match name {
        "csl" => (kind::SQUARES, counted(&marks(value, 1)?)),
        "cal" => (kind::ARROWS, counted(&marks(value, 2)?)),
        "emt" => {
            let [hours, minutes, seconds] = time_spent(value)?;
            (kind::TIME_SPENT, vec![0, seconds, minutes, hours])
        }
        "eval" => (kind::EVALUATION, evaluation(value)?),
        _ => {
            let (kind, data) = other(name, value)?;
            reads_as(kind, &data, command).then_some((kind, data))?
        }
    })
}

/// Whether an annotation is sound and read as this command.
fn reads_as(kind: u8, data: &[u8], command: &str) -> bool {
    let mut bytes = u16::from(kind).to_le_bytes().to_vec();
    bytes.extend_from_slice(data);
    let mut cursor = Cursor::new(&bytes);
    let item = Item::read(&mut cursor).ok();
    let item = item.filter(|item| cursor.left() == 0 && item.fault().is_none());
    item.is_some_and(|item| {
        let told = item.command();
        let told = told
            .strip_prefix("[%")
            .and_then(|told| told.strip_suffix(']'));
        told == Some(command)
    })
}

fn other(name: &str, value: &str) -> Option<(u8, Vec<u8>)> {
    Some(match name {
        "pawns" => (kind::PAWNS, vec![number(value)?]),
        "path" => {
            let (square, times) = value.split_once(' ')?;
            let square: Square = square.parse().ok()?;
            let square = marked_square([square.file().char() as u8, square.rank().char() as u8])?;
            (kind::PATH, counted(&[number(times)?, square]))
        }
        "clock" => clock(value)?,
        "critical" => {
            let phases = ["none", "opening", "middlegame", "endgame"];
            let phase = phases.iter().position(|phase| *phase == value)?;
            (kind::CRITICAL, vec![phase as u8])
        }
        "link" => (kind::LINK, link(value)?),
        "medal" => {
            let mut medals = value.split(',').map(Medal::set);
            let medals = medals.try_fold(0, |all, medal| Some(all | medal?))?;
            (kind::MEDALS, u32::from(medals).to_le_bytes().to_vec())
        }
        "colour" => (kind::COLOUR, colour(value)?),
        "timecontrol" => (kind::TIME_CONTROL, time_control(value)?),
        "videotime" => (
            kind::VIDEO_TIME,
            value.parse::<i32>().ok()?.to_le_bytes().to_vec(),
        ),
        "2cba" => {
            let (kind, data) = value.split_once(' ').unwrap_or((value, ""));
            (u8::from_str_radix(kind, 16).ok()?, hex(data)?)
        }
        _ => return None,
    })
}

/// Returns bytes with their length before them.
fn counted(bytes: &[u8]) -> Vec<u8> {
    let mut data = Vec::with_capacity(4 + bytes.len());
    append_counted(bytes, &mut data);
    data
}

/// Appends bytes and, before them, their length.
pub(super) fn append_counted(bytes: &[u8], data: &mut Vec<u8>) {
    data.extend((bytes.len() as i32).to_le_bytes());
    data.extend_from_slice(bytes);
}

/// Parses `white 1:30:00.00`.
fn clock(value: &str) -> Option<(u8, Vec<u8>)> {
    let (side, time) = value.split_once(' ')?;
    let kind = match side {
        "white" => kind::WHITE_CLOCK,
        "black" => kind::BLACK_CLOCK,
        _ => return None,
    };
    let (sign, time) = time.strip_prefix('-').map_or((1, time), |time| (-1, time));
    let mut parts = time.split([':', '.']).map(number::<i32>);
    let mut part = || parts.next().flatten();
    let (hours, minutes, seconds, hundredths) = (part()?, part()?, part()?, part()?);
    let seconds = hours
        .checked_mul(3600)?
        .checked_add(minutes * 60 + seconds)?;
    let time = seconds.checked_mul(100)?.checked_add(hundredths)?;
    Some((kind, (sign * time).to_le_bytes().to_vec()))
}

/// Parses `"ADDRESS" "CAPTION"`.
fn link(value: &str) -> Option<Vec<u8>> {
    let mut data = vec![1];
    let mut rest = value;
    for _ in 0..2 {
        let (text, after) = quoted(rest.trim_start())?;
        append_counted(text.as_bytes(), &mut data);
        rest = after;
    }
    Some(data)
}

/// Reads a text in quotes; returns what follows it, too.
fn quoted(value: &str) -> Option<(String, &str)> {
    let inside = value.strip_prefix('"')?;
    let (mut text, mut characters) = (String::new(), inside.char_indices());
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((text, &inside[at + 1..])),
            '\\' => text.push(characters.next()?.1),
            _ => text.push(character),
        }
    }
    None
}

/// Parses `#ff8000 main-line moves`.
fn colour(value: &str) -> Option<Vec<u8>> {
    let mut words = value.split(' ');
    let mut data = hex(words.next()?.strip_prefix('#')?)?;
    let flags = words.try_fold(0, |flags, word| match word {
        "main-line" => Some(flags | 1),
        "moves" => Some(flags | 2),
        _ => None,
    })?;
    data.push(flags);
    Some(data)
}

/// Parses two digits a byte.
fn hex(digits: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    rest.is_empty().then(|| pairs.iter().map(byte).collect())?
}

/// Parses `40/5400+30:1800`.
fn time_control(value: &str) -> Option<Vec<u8>> {
    let mut data = vec![1];
    let mut periods = value.split(':');
    for _ in 0..PERIODS {
        let Some(period) = periods.next() else {
            data.extend([0; 10]);
            data.push(NO_PERIOD);
            continue;
        };
        let (moves, times) = match period.split_once('/') {
            Some((moves, times)) => (number(moves)?, times),
            None => (REST, period),
        };
        let (time, increment) = times.split_once('+').unwrap_or((times, "0"));
        let (time, increment) = (hundredths(time)?, hundredths(increment)?);
        data.extend(time.to_le_bytes());
        data.extend(increment.to_le_bytes());
        data.extend(moves.to_le_bytes());
        data.push(match (moves, increment) {
            (REST, 0) => ALL_MOVES,
            (REST, _) => ALL_MOVES_WITH_INCREMENT,
            _ => SOME_MOVES,
        });
    }
    data.extend([0; 4]);
    periods.next().is_none().then_some(data)
}

/// Parses seconds, `5400` or `0.50`.
fn hundredths(value: &str) -> Option<u32> {
    let (seconds, part) = value.split_once('.').unwrap_or((value, "0"));
    number::<u32>(seconds)?
        .checked_mul(100)?
        .checked_add(number(part)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_annotations_only_if_they_read_the_same_again() {
        for command in [
            "pawns 3",
            "path f3 2",
            "clock white 1:30:00.00",
            "clock black -0:00:01.23",
            "critical endgame",
            "link \"https://a.b/?c=d\" \"a \\\"b\\\" \\\\\"",
            "medal best-game,novelty",
            "colour #ff8000 main-line",
            "timecontrol 40/5400+30:1800+30",
            "timecontrol 300",
            "videotime 987654",
            "2cba 08 06000000",
        ] {
            assert!(item(command).is_some(), "{command}");
        }
        for command in [
            "pawns 300",
            "path f9 2",
            "clock white 1:30",
            "clock white 1:90:00.00",
            "critical never",
            "link \"a\"",
            "medal none",
            "colour #ff80",
            "timecontrol 1:2:3:4",
            "2cba 08 0600",
            "2cba 1A 0600",
            "quote x",
        ] {
            assert_eq!(item(command), None, "{command}");
        }
    }
}
