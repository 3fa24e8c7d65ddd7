//! Every file cut at every byte, and every byte changed, where no test of one format does that.

use std::fs;

use rayon::prelude::*;
use tabiya::{Database, Error, ErrorKind, GameId, Strategy};

use super::base::{Base, Kind, archive, games, read_each, verified};
use crate::{
    malformed::replacements,
    support::{ask, game::PlainGame},
};

/// Two games and no more, so that every byte can be wrong.
fn small(kind: Kind) -> Base {
    Base::new(kind, &games("a", 2))
}

/// Does all that can be done. Whatever opens must say of each game what it is or what is wrong.
fn exercise(base: &Base) -> Option<Database> {
    let database = match Database::read(base.path()) {
        Ok(database) => database,
        Err(error) => {
            let path = error.path().unwrap_or_else(|| panic!("no path: {error}"));
            assert!(path.starts_with(base.folder()), "{error}");
            assert!(
                !matches!(error.kind(), ErrorKind::Missing { .. }),
                "{error}"
            );
            return None;
        }
    };
    if lacks_games(&database) {
        return Some(database);
    }
    let read = read_each(&database);
    let damaged = read.iter().filter(|game| game.is_none()).count() as u64;
    assert!(verified(&database).damaged >= damaged);
    // Without names there is an error that says which file they should be in.
    let query = ask::query("player:white or text:slow or year:1..");
    match tabiya::Search::new(&query).run(&database) {
        Ok(found) => assert!(found.len() <= read.len()),
        Err(error) => assert!(error.path().is_some(), "{error}"),
    }
    Some(database)
}

/// Tells whether the games file is not there, as when an archive has it under another name. Then
/// that is noted when the database is opened.
fn lacks_games(database: &Database) -> bool {
    let is_missing = |error: &Error| matches!(error.kind(), ErrorKind::Missing { .. });
    let lacks = PlainGame::read(database, GameId(0)).is_err_and(|error| is_missing(&error));
    assert!(!lacks || database.notes().iter().any(is_missing));
    lacks
}

/// Returns how many damaged databases opened, of how many.
fn any_harm(kind: Kind, suffix: &str, step: usize) -> (usize, usize) {
    let whole = fs::read(small(kind).file(suffix)).unwrap();
    let places = (0..whole.len()).into_par_iter().step_by(step);
    // A copy for each thread.
    let tried = places.map_init(
        || small(kind),
        |base, at| {
            let path = base.file(suffix);
            let opens = |bytes: &[u8]| {
                fs::write(&path, bytes).unwrap();
                usize::from(exercise(base).is_some())
            };
            let mut opened = opens(&whole[..at]);
            let values = replacements(whole[at]);
            for value in values {
                let mut changed = whole.clone();
                changed[at] = value;
                opened += opens(&changed);
            }
            (opened, 1 + values.len())
        },
    );
    tried.reduce(|| (0, 0), |one, other| (one.0 + other.0, one.1 + other.1))
}

#[test]
fn any_harm_to_a_scid_3_database_is_survived() {
    for suffix in ["si3", "sg3", "sn3"] {
        let (opened, tried) = any_harm(Kind::Scid3, suffix, 1);
        assert!(opened > tried / 2, "{suffix}: {opened} of {tried}");
    }
}

#[test]
fn any_harm_to_a_text_plain_or_packed_is_survived() {
    for kind in [Kind::Pgn, Kind::Json, Kind::Gzip, Kind::Bzip2, Kind::Zstd] {
        let (opened, tried) = any_harm(kind, kind.suffix(), 1);
        assert!(opened > tried / 3, "{kind:?}: {opened} of {tried}");
    }
}

/// The lists of members and the heads of all blocks; of the rest every nth byte.
#[test]
fn any_harm_to_an_archive_of_chessbase_is_survived() {
    let (opened, tried) = any_harm(Kind::Archive, "cbv", 41);
    assert!(opened > tried / 3, "{opened} of {tried}");
}

#[test]
fn any_harm_to_tables_of_jose_is_survived() {
    for (file, step) in [
        ("game.frm", 13),
        ("game.MYI", 5),
        ("game.MYD", 1),
        ("moregame.MYI", 5),
        ("moregame.MYD", 1),
        ("player.MYD", 1),
    ] {
        let (opened, tried) = any_harm(Kind::JoseFolder, file, step);
        assert!(opened > 0 && opened <= tried, "{file}: {opened} of {tried}");
    }
    let (opened, tried) = any_harm(Kind::Jose, "jose", 7);
    assert!(opened < tried, "{opened} of {tried}");
}

#[test]
fn any_harm_to_a_set_of_chessbase_1_to_5_is_survived() {
    for suffix in ["cbi", "cbf"] {
        let (opened, tried) = any_harm(Kind::Cbf, suffix, 1);
        assert!(opened + 6 > tried, "{suffix}: {opened} of {tried}");
    }
}

#[test]
fn lengths_of_damaged_games_are_those_that_queries_find() {
    let mut harmed = 0;
    for kind in Kind::ALL {
        let Some(file) = kind.games_file() else {
            continue;
        };
        let base = small(kind);
        let path = base.file(file);
        let whole = fs::read(&path).unwrap();
        for at in (0..whole.len()).step_by(3) {
            let mut changed = whole.clone();
            changed[at] ^= 0x15;
            fs::write(&path, changed).unwrap();
            let Ok(database) = Database::read(base.path()) else {
                continue;
            };
            harmed += verified(&database).damaged;
            let found = |query: &str, strategy| ask::numbers(&database, query, strategy, false);
            // The others are damaged for whoever decodes them.
            let readable = found("plies>=0", Strategy::FullDecode);
            for game in database.games() {
                let (number, plies) = (database.number(game), database.plies(game));
                let Ok(plies) = plies else {
                    assert!(!readable.contains(&number), "{kind:?} {at}");
                    continue;
                };
                for query in [
                    format!("plies={plies}"),
                    format!("moves={}", plies.div_ceil(2)),
                ] {
                    let said = format!("{kind:?} {at}: {query}");
                    assert!(found(&query, Strategy::Auto).contains(&number), "{said}");
                    let decoded = found(&query, Strategy::FullDecode).contains(&number);
                    assert_eq!(decoded, readable.contains(&number), "{said}");
                }
            }
        }
    }
    assert!(harmed > 100, "{harmed}");
}

#[test]
fn an_archive_whose_members_share_bytes_opens_and_counts_each() {
    let base = small(Kind::Archive);
    let whole = fs::read(base.path()).unwrap();
    let members = usize::from(whole[2]);
    // All members begin where the first does, as long as they are.
    let mut shared = whole.clone();
    for member in 1..members {
        let at = 8 + 173 * member + 128;
        shared.copy_within(136..140, at);
        shared.copy_within(157..165, at + 21);
    }
    fs::write(base.path(), shared).unwrap();
    let opened = Database::read(base.path());
    assert!(opened.is_err_and(|error| error.path().is_some()));
    let bomb = |size| vec![("a.cbh".to_owned(), vec![0; 8 << 20], size)];
    fs::write(base.path(), archive(&bomb(1 << 31))).unwrap();
    let error = Database::read(base.path()).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::LimitExceeded { .. }),
        "{error}"
    );
    assert_eq!(error.path(), Some(&*base.path()));
}
