//! Files that are missing, cut or zeroed cost what they hold and nothing else.

use std::{fs, path::PathBuf};

use tabiya::{ConvertOptions, Error, ErrorKind, Flow, GameLoss, RepairOptions, repair};
use tempfile::TempDir;

use super::{Whole, formats::made, repaired};

/// The formats with an index file, and how many bytes its header has.
const FORMATS: [(&str, usize); 3] = [("old.si4", 182), ("old.cbh", 46), ("old.dci", 19)];

fn sound(name: &str) -> (TempDir, Whole) {
    let (folder, path) = made(name, 3, ConvertOptions::default());
    let whole = Whole::new(&path, |_| None);
    (folder, whole)
}

fn change(path: &PathBuf, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
}

#[test]
fn an_index_header_of_zeros_costs_no_game() {
    for (name, header) in FORMATS {
        let (folder, whole) = sound(name);
        change(&whole.index, |bytes| bytes[..header].fill(0));
        let repaired = repaired(&whole.index, &folder.path().join("new.si5"));
        repaired.adds_up();
        assert_eq!(repaired.moves, whole.moves, "{name}");
        assert!(!repaired.repair.notes.is_empty(), "{name}");
        assert_eq!(
            (repaired.repair.harmed, repaired.repair.lost),
            (0, 0),
            "{name}"
        );
    }
}

#[test]
fn an_index_that_ends_inside_a_record_costs_that_record() {
    for (name, _) in FORMATS {
        let (folder, whole) = sound(name);
        change(&whole.index, |bytes| bytes.truncate(bytes.len() - 5));
        let repaired = repaired(&whole.index, &folder.path().join("new.si5"));
        let games = whole.moves.len() - 1;
        assert_eq!(repaired.moves, whole.moves[..games], "{name}");
    }
}

#[test]
fn without_names_all_moves_come_over_and_every_lost_name_is_told() {
    for (name, _) in FORMATS {
        for is_deleted in [true, false] {
            let (folder, whole) = sound(name);
            let holds_names = |path: &&PathBuf| {
                let suffix = path.extension().unwrap();
                ["sn4", "cbp", "cbt", "dcn", "dcs", "dce"]
                    .iter()
                    .any(|known| suffix == *known)
            };
            for path in whole.files.iter().filter(holds_names) {
                if is_deleted {
                    fs::remove_file(path).unwrap()
                } else {
                    change(path, |bytes| bytes.clear())
                }
            }
            let repaired = repaired(&whole.index, &folder.path().join("new.si5"));
            repaired.adds_up();
            assert_eq!(repaired.moves, whole.moves, "{name}");
            let is_name = |loss: &&GameLoss| matches!(loss, GameLoss::Name(_));
            for game in &repaired.losses {
                assert_eq!(
                    game.losses.iter().filter(is_name).count(),
                    game.losses.len()
                );
            }
            assert_eq!(repaired.repair.harmed as usize, whole.moves.len(), "{name}");
        }
    }
}

#[test]
fn a_games_file_that_is_cut_costs_the_games_behind_the_cut() {
    for (name, _) in FORMATS {
        let (folder, whole) = sound(name);
        let (games, last) = whole.places[whole.places.len() - 1][0].clone();
        let cut = last.start / 2;
        change(&games, |bytes| bytes.truncate(cut as usize));
        let repaired = repaired(&whole.index, &folder.path().join("new.si5"));
        repaired.adds_up();
        for (game, places) in whole.places.iter().enumerate() {
            let place = repaired.new_place(game);
            if places[0].1.end <= cut {
                assert_eq!(repaired.moves[place.unwrap()], whole.moves[game], "{name}");
            } else if places[0].1.start >= cut {
                assert_eq!(place, None, "{name}");
            }
        }
    }
}

fn refused(source: &str, target: &str, games: &str) -> Error {
    let (folder, whole) = sound(source);
    let _ = fs::remove_file(whole.index.with_extension(games));
    let before = fs::read(&whole.index).unwrap();
    let repaired = repair(
        &whole.index,
        &folder.path().join(target),
        RepairOptions::from(tabiya::format::Overwrite::Replace),
        |_| Flow::Continue(()),
        |_| Flow::Continue(()),
    );
    assert_eq!(fs::read(&whole.index).unwrap(), before);
    repaired.unwrap_err()
}

#[test]
fn a_database_is_not_repaired_into_itself_nor_without_its_games() {
    for (name, target, other) in [
        ("old.si4", "old.si4", "none"),
        ("old.pgn", "old.pgn", "none"),
        ("old.cbh", "./old.cbh", "none"),
    ] {
        let error = refused(name, target, other);
        assert!(
            matches!(error.kind(), ErrorKind::Unsupported { .. }),
            "{error}"
        );
    }
    let error = refused("old.si4", "new.pgn", "sg4");
    assert!(matches!(error.kind(), ErrorKind::Missing { .. }), "{error}");
}
