//! Counts that are not true, and links that lead nowhere or in circles.

use std::fs;

use tabiya::{Database, ErrorKind, chess::NameKind};

use super::base::{Base, Kind, all_games, found, read_each, verified};

/// Where an index says how many games it holds: offset and bytes of the number, and what is added.
fn count_of_games(kind: Kind) -> Option<(usize, usize, u32)> {
    match kind {
        Kind::Scid3 | Kind::Scid4 => Some((14, 3, 0)),
        Kind::ChessBase => Some((6, 4, 1)),
        // By the length of the file.
        _ => None,
    }
}

fn set_number(bytes: &mut [u8], number: u32) {
    let width = bytes.len();
    bytes.copy_from_slice(&number.to_be_bytes()[4 - width..]);
}

#[test]
fn of_games_that_are_miscounted_those_are_read_that_are_there_and_counted() {
    for kind in Kind::ALL {
        let Some((at, width, more)) = count_of_games(kind) else {
            continue;
        };
        let most = u32::MAX >> (32 - 8 * width as u32);
        for count in [0, 1, 2, 3, 4, 1000, most - 1] {
            let base = Base::three(kind);
            let whole = all_games(&base.open());
            base.change(kind.suffix(), |index| {
                set_number(&mut index[at..at + width], count + more);
            });
            let database = base.open();
            assert_eq!(database.len(), count.min(3), "{kind:?} {count}");
            let told = usize::from(count != 3);
            assert_eq!(database.notes().len(), told, "{kind:?} {count}");
            let note = database.notes().first();
            assert!(note.is_none_or(|note| note.path().is_some()), "{note:?}");
            let read = all_games(&database);
            assert_eq!(read[..], whole[..count.min(3) as usize], "{kind:?}");
            assert!(verified(&database).notes.len() >= told, "{kind:?} {count}");
        }
    }
}

#[test]
fn of_names_that_are_miscounted_none_is_made_up() {
    // In Scid's files the counts of all kinds, in ChessBase's records, free ones, used ones.
    let scid = [12..15, 15..18, 18..21, 21..24];
    for (kind, suffix, numbers) in [
        (Kind::Scid3, "sn3", &scid[..]),
        (Kind::Scid4, "sn4", &scid),
        (Kind::ChessBase, "cbp", &[0..4, 16..20, 20..24]),
        (Kind::ChessBase, "cbt", &[0..4, 16..20, 20..24]),
    ] {
        for number in numbers {
            for count in [0, 1, 0x7f, 0xffff_ffff_u32] {
                let base = Base::three(kind);
                let whole = all_games(&base.open());
                base.change(suffix, |names| {
                    let width = number.len();
                    let bytes = count.to_le_bytes();
                    names[number.clone()].copy_from_slice(&bytes[..width]);
                    if kind != Kind::ChessBase {
                        names[number.clone()].reverse();
                    }
                });
                let database = base.open();
                for (read, whole) in read_each(&database).iter().zip(&whole) {
                    let read = read.as_ref().expect("the moves are there");
                    assert_eq!(read.events, whole.events);
                    let names = [(&read.header.white, &whole.header.white)];
                    for (name, true_name) in names {
                        let is_known = name == true_name || name == "?" || name.is_empty();
                        let is_scid = kind != Kind::ChessBase;
                        assert!(is_known || is_scid && name.starts_with("own "), "{name}");
                    }
                    if kind == Kind::ChessBase {
                        assert_eq!(read.header, whole.header, "{suffix} {number:?}");
                    }
                }
                let known = database.name_count(NameKind::Player);
                assert!(known.is_ok_and(|known| known <= 12), "{kind:?}");
            }
        }
    }
}

#[test]
fn an_archive_that_miscounts_its_members_opens_with_those_there_are_or_not_at_all() {
    for (count, opens) in [(0, false), (1, false), (200, false), (255, false)] {
        let base = Base::three(Kind::Archive);
        base.change("cbv", |archive| archive[2] = count);
        let opened = Database::read(base.path());
        assert_eq!(opened.is_ok(), opens, "{count}");
        let error = opened.unwrap_err();
        let is_told = matches!(
            error.kind(),
            ErrorKind::Corrupt { .. } | ErrorKind::Truncated { .. }
        );
        assert!(is_told && error.path().is_some(), "{count}: {error}");
    }
}

/// The trees of names are not followed, whatever they hold.
#[test]
fn name_trees_that_lead_in_circles_or_nowhere_hide_no_name() {
    const HEADER_BYTES: usize = 32;
    for link in [0, -1, 1, 7, i32::MAX, i32::MIN, -998, -1000] {
        let base = Base::three(Kind::ChessBase);
        let whole = all_games(&base.open());
        for (suffix, payload) in [("cbp", 58), ("cbt", 90), ("cbc", 53), ("cbs", 59)] {
            base.change(suffix, |bytes| {
                bytes[4..8].copy_from_slice(&link.to_le_bytes());
                for record in bytes[HEADER_BYTES..].chunks_mut(9 + payload) {
                    record[..4].copy_from_slice(&link.to_le_bytes());
                    record[4..8].copy_from_slice(&link.to_le_bytes());
                    record[8] = link as u8;
                }
            });
        }
        let database = base.open();
        assert_eq!(all_games(&database), whole, "{link}");
        assert_eq!(found(&database, "player:\"own white 2\" event:own"), [2]);
        assert_eq!(verified(&database).damaged, 0, "{link}");
    }
}

/// Makes the second row of a table of two blocks, of which the second begins at `next`.
fn with_link(base: &Base, next: u64) {
    base.change("moregame.MYD", |rows| {
        let length = |at: usize| u32::from_be_bytes([0, rows[at + 1], rows[at + 2], rows[at + 3]]);
        let at = (4 + length(0) as usize).next_multiple_of(4);
        let row_bytes = length(at) as u16;
        // A row that goes on elsewhere: its length, the bytes here, the next block.
        let mut block = vec![5];
        block.extend(row_bytes.to_be_bytes());
        block.extend((row_bytes - 16).to_be_bytes());
        block.extend(next.to_be_bytes());
        rows[at..at + block.len()].copy_from_slice(&block);
    });
}

#[test]
fn rows_of_jose_that_go_on_nowhere_or_in_themselves_are_no_games_and_others_stay() {
    let base = Base::three(Kind::JoseFolder);
    let whole = all_games(&base.open());
    let end = fs::metadata(base.file("moregame.MYD")).unwrap().len();
    for next in [0, 1, 4, 64, end - 1, end, end + 1, u64::MAX / 2, u64::MAX] {
        let base = Base::three(Kind::JoseFolder);
        with_link(&base, next);
        let database = base.open();
        let note = database.notes().first().expect("the damage is told of");
        assert!(note.offset().is_some() && note.path().is_some(), "{note}");
        assert_eq!(all_games(&database)[0], whole[0], "{next}");
        let read = all_games(&database);
        assert!(read.iter().all(|game| whole.contains(game)), "{next}");
        assert!(!read.contains(&whole[1]), "{next}");
    }
}
