//! Games as JSON: those that Lichess exports, an object a line (`.ndjson`), and the monthly
//! archives of Chess.com, one object with the list `games`. Both are told apart object by object,
//! so an array of such objects, or one alone, is read too.

use std::ops::Range;

use memchr::{memchr, memchr3, memmem};
use serde_json::Value;
use tabiya_chess::text::decode;

use super::{chess_com, flaws, lichess};
use crate::{damage::Flaw, limits::LIST_ITEM_BYTES_MAX};

/// The only member of an archive before its games.
const ARCHIVE: &[u8] = b"\"games\"";

/// How the next game of an archive seems to begin. No string holds this without `\` in it.
const NEXT_IN_ARCHIVE: &[u8] = b"{\"url\":\"";

/// How the object of the next line begins. No string holds an end of a line.
const NEXT_LINE: &[u8] = b"\n{";

/// Returns where the first object is that begins at an offset or behind it, and is no archive.
///
/// One without an end ends where the next seems to begin, so that damage to one game costs that
/// game.
pub(super) fn next_object(text: &[u8], mut from: usize) -> Option<Range<usize>> {
    loop {
        let start = from + memchr(b'{', text.get(from..)?)?;
        match games_of_archive(text.get(start + 1..)?) {
            Some(inner) => from = start + 1 + inner,
            None => return Some(start..object_end(text, start)),
        }
    }
}

/// Returns where an object seems to begin, at an offset or behind it.
pub(super) fn likely_object(text: &[u8], from: usize) -> Option<usize> {
    let text = text.get(from..)?;
    let line = memmem::find(text, NEXT_LINE).map(|at| from + at + 1);
    line.or_else(|| memmem::find(text, NEXT_IN_ARCHIVE).map(|at| from + at))
}

/// Returns where the games begin in what follows the `{` of an archive.
fn games_of_archive(inner: &[u8]) -> Option<usize> {
    let mut rest = inner.trim_ascii_start().strip_prefix(ARCHIVE)?;
    for byte in [b':', b'['] {
        rest = rest.trim_ascii_start().strip_prefix(&[byte])?;
    }
    Some(inner.len() - rest.len())
}

fn object_end(text: &[u8], start: usize) -> usize {
    let most = start
        .saturating_add(LIST_ITEM_BYTES_MAX + 1)
        .min(text.len());
    let object = text.get(start..most).unwrap_or_default();
    start + end_of(object).unwrap_or(object.len())
}

/// Returns where the object ends with which a text begins, or where the next seems to begin before
/// that. O(bytes up to there).
fn end_of(text: &[u8]) -> Option<usize> {
    let (mut at, mut depth) = (0, 0_usize);
    loop {
        at += memchr3(b'{', b'}', b'"', text.get(at..)?)?;
        match text[at] {
            b'{' if at > 0 && text[at - 1..].starts_with(NEXT_LINE) => return Some(at - 1),
            b'{' if at > 0 && text[at..].starts_with(NEXT_IN_ARCHIVE) => return Some(at),
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {
                let end = string_end(text, at + 1);
                let string = &text[at..end.unwrap_or(text.len())];
                if let Some(next) = memmem::find(string, NEXT_LINE) {
                    return Some(at + next);
                }
                at = end?;
                // A string whose end is lost ends with the first quote of the next object.
                if text[at - 1..].starts_with(NEXT_IN_ARCHIVE) {
                    return Some(at - 1);
                }
            }
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}

/// Returns where the quote is that ends a string.
fn string_end(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

/// Whether an object is a game that can be told.
pub(super) fn is_game(object: &[u8]) -> bool {
    tell(object, &mut Vec::new()).is_ok()
}

pub(super) fn tell(object: &[u8], pgn: &mut Vec<u8>) -> Result<(), Flaw> {
    let game: Value = serde_json::from_str(&decode(object)).map_err(|_| flaws::JSON_UNREADABLE)?;
    let text = game["pgn"].as_str();
    match text {
        Some(text) => {
            chess_com::tell_beside(&game, pgn);
            pgn.extend(text.trim().bytes());
            Ok(())
        }
        None if game["players"].is_object() => {
            lichess::tell(&game, pgn);
            Ok(())
        }
        None => Err(flaws::OBJECT_WITHOUT_GAME),
    }
}
