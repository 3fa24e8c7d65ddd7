//! Games that an index places where they are not: on each other, out of order, beyond the end.

use std::fs;

use super::base::{Base, Kind, all_games, found, read_each, verified};
use crate::support::game::{Event, PlainGame};

/// The formats whose index says where games lie.
const KINDS: [Kind; 6] = [
    Kind::Scid3,
    Kind::Scid4,
    Kind::Scid5,
    Kind::ChessBase,
    Kind::Scdb,
    Kind::Scdb11,
];

/// Bytes of the index before the records and of a record; where in it the offset stands, and how
/// many bytes that has.
fn layout(kind: Kind) -> (usize, usize, usize, usize) {
    match kind {
        Kind::Scid3 => (128, 46, 0, 4),
        Kind::Scid4 => (182, 47, 0, 4),
        Kind::Scid5 => (0, 56, 36, 4),
        Kind::ChessBase => (46, 46, 1, 4),
        Kind::Scdb => (19, 39, 1, 8),
        Kind::Scdb11 => (11, 61, 1, 8),
        other => unreachable!("{other:?} has no records"),
    }
}

/// Puts a game of this number, counted from 0, elsewhere.
fn set_offset(base: &Base, game: usize, offset: u64) {
    let (header, record, at, width) = layout(base.kind);
    base.change(base.kind.suffix(), |index| {
        let field = &mut index[header + game * record + at..][..width];
        field.copy_from_slice(&offset.to_be_bytes()[8 - width..]);
        if base.kind == Kind::Scid5 {
            field.reverse();
        }
    });
}

fn offsets(base: &Base) -> Vec<u64> {
    let database = base.open();
    let games = database.games();
    games
        .map(|game| database.facts(game).unwrap().offset_bytes)
        .collect()
}

/// Sets the length of a game where its format has it: in the record or before the game.
fn set_length(base: &Base, game: usize, length: u32) {
    let (header, record, ..) = layout(base.kind);
    let start = header + game * record;
    let in_games = offsets(base)[game] as usize;
    let games_file = base.kind.games_file().unwrap();
    match base.kind {
        Kind::Scid3 | Kind::Scid4 => base.change(base.kind.suffix(), |index| {
            index[start + 4..start + 6].copy_from_slice(&(length as u16).to_be_bytes());
            if base.kind == Kind::Scid4 {
                index[start + 6] = (length >> 9) as u8 & 0x80;
            }
        }),
        // The 17 highest bits of a little-endian word.
        Kind::Scid5 => base.change("si5", |index| {
            index[start + 32..start + 36].copy_from_slice(&(length << 15).to_le_bytes());
        }),
        Kind::ChessBase => base.change(games_file, |games| {
            games[in_games + 1..in_games + 4].copy_from_slice(&length.to_be_bytes()[1..]);
        }),
        _ => base.change(games_file, |games| {
            games[in_games] = 0x84;
            games[in_games + 1..in_games + 5].copy_from_slice(&length.to_be_bytes());
        }),
    }
}

#[test]
fn two_records_of_the_same_bytes_are_the_same_game() {
    for kind in KINDS {
        let base = Base::three(kind);
        let whole = all_games(&base.open());
        set_offset(&base, 1, offsets(&base)[0]);
        if matches!(kind, Kind::Scid3 | Kind::Scid4 | Kind::Scid5) {
            let length = base.open().facts(tabiya::GameId(0)).unwrap().length_bytes;
            set_length(&base, 1, length);
        }
        let read = read_each(&base.open());
        let read: Vec<_> = read.into_iter().map(Option::unwrap).collect();
        assert_eq!((&read[0], &read[2]), (&whole[0], &whole[2]), "{kind:?}");
        // ChessBase keeps glyphs in another place.
        let moves = |game: &PlainGame| {
            let is_move = |event: &&Event| matches!(event, Event::Play(_));
            game.events
                .iter()
                .filter(is_move)
                .cloned()
                .collect::<Vec<_>>()
        };
        assert_eq!(moves(&read[1]), moves(&whole[0]), "{kind:?}");
        assert_eq!(read[1].header.white, whole[1].header.white, "{kind:?}");
    }
}

#[test]
fn games_that_begin_inside_others_are_told_by_verifying_and_others_stay() {
    for kind in KINDS {
        for inside in [1, 5, 9] {
            let base = Base::three(kind);
            let whole = all_games(&base.open());
            set_offset(&base, 1, offsets(&base)[0] + inside);
            let database = base.open();
            let read = read_each(&database);
            assert_eq!(read[2].as_ref(), Some(&whole[2]), "{kind:?}");
            assert_eq!(read[0].as_ref(), Some(&whole[0]), "{kind:?}");
            let damaged = verified(&database).damaged_games;
            let is_told = damaged.iter().any(|error| error.game() == Some(2));
            assert!(is_told, "{kind:?} {inside}: {damaged:?}");
            assert_eq!(found(&database, "white:\"own white 2\""), [2]);
        }
    }
}

/// The records change places with their games, so that the last game lies first.
#[test]
fn games_may_lie_in_any_order() {
    for kind in KINDS {
        let base = Base::three(kind);
        let whole = all_games(&base.open());
        let (header, record, ..) = layout(kind);
        base.change(kind.suffix(), |index| {
            let mut backwards: Vec<Vec<u8>> = index[header..]
                .chunks(record)
                .take(3)
                .map(<[u8]>::to_vec)
                .collect();
            backwards.reverse();
            index[header..header + 3 * record].copy_from_slice(&backwards.concat());
        });
        // Its tags stand by the number of the game.
        let _ = fs::remove_file(base.file("cbj"));
        let database = base.open();
        let read = all_games(&database);
        let backwards: Vec<_> = whole.into_iter().rev().collect();
        assert_eq!(read, backwards, "{kind:?}");
        assert_eq!(verified(&database).damaged, 0, "{kind:?}");
        assert_eq!(found(&database, "played:c4"), [2, 3], "{kind:?}");
    }
}

#[test]
fn a_game_beyond_the_end_is_damaged_and_found_by_its_header() {
    for kind in KINDS {
        let end = fs::metadata(Base::three(kind).file(kind.games_file().unwrap()));
        let end = end.unwrap().len();
        let width = layout(kind).3;
        let most = u64::MAX >> (64 - 8 * width);
        for offset in [end - 1, end, end + 1, most / 2, most - 1, most] {
            let base = Base::three(kind);
            let whole = all_games(&base.open());
            set_offset(&base, 1, offset);
            let database = base.open();
            let read = read_each(&database);
            assert!(read[1].is_none(), "{kind:?} {offset}");
            assert_eq!(read[0].as_ref(), Some(&whole[0]), "{kind:?} {offset}");
            assert_eq!(read[2].as_ref(), Some(&whole[2]), "{kind:?} {offset}");
            assert_eq!(found(&database, "white:\"own white 2\""), [2]);
            assert_eq!(verified(&database).damaged, 1, "{kind:?} {offset}");
        }
    }
}

#[test]
fn a_length_that_cannot_be_costs_its_own_game_only() {
    for kind in KINDS {
        let most = match kind {
            Kind::Scid3 => u32::from(u16::MAX),
            Kind::Scid4 | Kind::Scid5 => (1 << 17) - 1,
            Kind::ChessBase => (1 << 24) - 1,
            _ => u32::MAX,
        };
        for length in [0, 1, most / 2, most - 1, most] {
            let base = Base::three(kind);
            let whole = all_games(&base.open());
            set_length(&base, 1, length);
            let database = base.open();
            let read = read_each(&database);
            assert_eq!(read[0].as_ref(), Some(&whole[0]), "{kind:?} {length}");
            assert_eq!(read[2].as_ref(), Some(&whole[2]), "{kind:?} {length}");
            match (kind, length, &read[1]) {
                // No bytes are a game without moves.
                (Kind::Scid3 | Kind::Scid4 | Kind::Scid5, 0, Some(game)) => {
                    assert!(game.events.is_empty());
                }
                // What stands after the end of the moves is not read.
                (Kind::ChessBase, 5.., Some(game)) => assert_eq!(game, &whole[1]),
                (_, _, game) => assert!(game.is_none(), "{kind:?} {length}"),
            }
            assert!(verified(&database).damaged <= 2, "{kind:?} {length}");
            assert_eq!(found(&database, "white:\"own white 2\""), [2]);
        }
    }
}
