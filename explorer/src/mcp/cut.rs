//! Answers that are longer than an assistant is given: cut where something ends, with what to ask
//! for the rest.

use serde_json::{Map, Value};

use super::ANSWER_BYTES;

/// Bytes for saying that an answer is cut, and how to go on.
const NOTE_BYTES: usize = 512;

/// What is left out at the beginning: rows of `databases`, characters of a game's PGN.
pub(super) const FROM: &str = "from";

/// Returns an answer as it fits, and says so in the member `cut` when it is not whole.
///
/// # Errors
/// When even its first part is too long, with what to ask instead.
pub(super) fn fitting(tool: &str, text: String, from: usize) -> Result<String, String> {
    if text.len() <= ANSWER_BYTES && from == 0 {
        return Ok(text);
    }
    let Ok(Value::Object(mut answer)) = serde_json::from_str(&text) else {
        return Err(too_long());
    };
    let room = ANSWER_BYTES - NOTE_BYTES;
    let note = match tool {
        "game" => game(&mut answer, from, room),
        "databases" => rows(&mut answer, "databases", from, room)?
            .map(|shown| format!("these are not all databases; go on with from={shown}")),
        "search" => {
            let shown = rows(&mut answer, "games", 0, room)?;
            let next = answer["offset"].as_u64().unwrap_or(0) + shown.unwrap_or(0) as u64;
            shown.map(|shown| {
                answer.insert("next".to_owned(), next.into());
                format!("only {shown} games of this page fit; go on with offset={next}")
            })
        }
        "tree" => rows(&mut answer, "trees", 0, room)?.map(of_databases),
        "stats" => rows(&mut answer, "stats", 0, room)?.map(of_databases),
        _ => return Err(too_long()),
    };
    if let Some(note) = note {
        answer.insert("cut".to_owned(), note.into());
    }
    Ok(Value::Object(answer).to_string())
}

fn too_long() -> String {
    format!("the answer has more than {ANSWER_BYTES} bytes; ask for less, with `limit` or `db`")
}

fn of_databases(shown: usize) -> String {
    format!("only the first {shown} databases fit; name others with db, fewer at a time")
}

/// Leaves the rows of a member that there is room for, from one on. Returns at which row to go
/// on; `None` when the last one is there.
fn rows(
    answer: &mut Map<String, Value>,
    member: &str,
    from: usize,
    room: usize,
) -> Result<Option<usize>, String> {
    let Some(Value::Array(rows)) = answer.insert(member.to_owned(), Value::Null) else {
        return Err(too_long());
    };
    let all = rows.len();
    let mut bytes = Value::Object(answer.clone()).to_string().len();
    let fits = |row: &Value| {
        bytes += row.to_string().len() + 1;
        bytes <= room
    };
    let kept: Vec<Value> = rows.into_iter().skip(from).take_while(fits).collect();
    let next = from.saturating_add(kept.len());
    if kept.is_empty() && from < all {
        return Err(too_long());
    }
    answer.insert(member.to_owned(), kept.into());
    Ok((next < all).then_some(next))
}

/// Leaves the moves out, which stand in the PGN too, and so much of the PGN as there is room for.
fn game(answer: &mut Map<String, Value>, from: usize, room: usize) -> Option<String> {
    answer.remove("moves");
    let whole = answer.remove("pgn");
    let whole = whole.as_ref().and_then(Value::as_str).unwrap_or_default();
    // Tags may be of any length, and stand in the PGN too.
    if Value::Object(answer.clone()).to_string().len() > room / 2 {
        answer.retain(|_, value| value.to_string().len() < NOTE_BYTES);
    }
    let mut bytes = Value::Object(answer.clone()).to_string().len();
    let fits = |letter: &char| {
        bytes += written(*letter);
        bytes <= room
    };
    let part: String = whole.chars().skip(from).take_while(fits).collect();
    let all = whole.chars().count();
    let next = from.saturating_add(part.chars().count());
    answer.insert("pgn".to_owned(), part.into());
    let rest = if next < all {
        format!(" it goes on with from={next}")
    } else {
        " it ends here".to_owned()
    };
    Some(format!(
        "`moves` is left out: the PGN has them. It has {all} characters, these are those from \
         {from} on;{rest}"
    ))
}

/// Returns the bytes that a letter takes in JSON.
fn written(letter: char) -> usize {
    match letter {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        letter if letter < ' ' => 6,
        letter => letter.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_that_do_not_fit_are_left_out_with_where_to_go_on() {
        let row = "x".repeat(1000);
        let games = vec![row; 200];
        let answer = json!({ "offset": 400, "games": games, "next": null, "total": 1000 });
        let cut = fitting("search", answer.to_string(), 0).expect("an answer");
        assert!(cut.len() <= ANSWER_BYTES, "{}", cut.len());
        let cut: Value = serde_json::from_str(&cut).expect("JSON");
        let shown = cut["games"].as_array().expect("games").len();
        assert!(shown > 50);
        assert_eq!(cut["next"], 400 + shown);
        assert!(
            cut["cut"]
                .as_str()
                .is_some_and(|note| note.contains("offset="))
        );
        assert_eq!(fitting("search", "{}".to_owned(), 0), Ok("{}".to_owned()));
        let huge = json!({ "offset": 0, "games": ["x".repeat(ANSWER_BYTES)] });
        assert!(fitting("search", huge.to_string(), 0).is_err());
    }

    #[test]
    fn a_long_game_is_read_part_by_part() {
        let pgn = "\"{e4 ♞}\n".repeat(20_000);
        let answer =
            json!({ "white": "A", "moves": [1], "pgn": pgn, "tags": ["x".repeat(70_000)] });
        let (mut whole, mut from) = (String::new(), 0);
        while from < pgn.chars().count() {
            let cut = fitting("game", answer.to_string(), from).expect("an answer");
            assert!(cut.len() <= ANSWER_BYTES, "{}", cut.len());
            let cut: Value = serde_json::from_str(&cut).expect("JSON");
            whole.push_str(cut["pgn"].as_str().expect("a text"));
            from = whole.chars().count();
            let note = cut["cut"].as_str().expect("a note");
            let is_last = note.contains("ends here");
            assert!(is_last || note.contains(&format!("from={from}")), "{note}");
        }
        assert_eq!(whole, pgn);
    }
}
