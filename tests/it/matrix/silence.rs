//! One changed byte takes no moves away in silence.

use std::fs;

use tabiya::Database;

use super::base::{Base, Kind, all_games, read_each, verified};
use crate::support::game::PlainGame;

/// Changes each byte of a file in a few ways. The database is refused, something is said of it
/// or of a game, or all games have their moves.
fn nothing_is_lost_in_silence(base: &Base, suffix: &str, is_watched: impl Fn(usize) -> bool) {
    let path = base.file(suffix);
    let sound = fs::read(&path).unwrap();
    let whole = all_games(&base.open());
    let has_moves = |(game, whole): (&Option<PlainGame>, &PlainGame)| {
        let game = game.as_ref();
        game.is_some_and(|game| (&game.start, &game.events) == (&whole.start, &whole.events))
    };
    for at in (0..sound.len()).filter(|&at| is_watched(at)) {
        let byte = sound[at];
        for value in [0, byte ^ 1, 255] {
            let mut bytes = sound.clone();
            bytes[at] = value;
            fs::write(&path, bytes).unwrap();
            let Ok(database) = Database::read(base.path()) else {
                continue;
            };
            let games = read_each(&database);
            let is_whole = games.len() == whole.len() && games.iter().zip(&whole).all(has_moves);
            let is_told = || {
                let verified = verified(&database);
                verified.damaged > 0 || !verified.notes.is_empty()
            };
            assert!(
                is_whole || is_told(),
                "{:?} {suffix} {at}: {value}",
                base.kind
            );
        }
    }
    fs::write(path, sound).unwrap();
}

#[test]
fn no_byte_that_lays_out_tables_of_jose_hides_moves() {
    let base = Base::three(Kind::JoseFolder);
    for file in ["game.MYI", "moregame.MYI", "game.frm", "moregame.frm"] {
        nothing_is_lost_in_silence(&base, file, |_| true);
    }
}

#[test]
fn no_byte_of_a_record_of_scid_hides_moves() {
    for (kind, header) in [(Kind::Scid3, 128), (Kind::Scid4, 182), (Kind::Scid5, 0)] {
        let is_record = |at| at >= header;
        nothing_is_lost_in_silence(&Base::three(kind), kind.suffix(), is_record);
    }
}
