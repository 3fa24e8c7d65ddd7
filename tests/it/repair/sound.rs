//! Sound databases come over as converting them does; real ones keep the promise too.

use std::{fs, path::Path};

use tabiya::{ConvertOptions, Flow, convert};

use super::{Patient, Whole, damage, formats, repaired};
use crate::support::{dice::Dice, shared};

/// The files of a database written by converting and by repairing.
fn is_repaired_as_converted(source: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let converted = convert(
        &[source.to_owned()],
        &path("converted.si5"),
        ConvertOptions::default(),
        &mut |_| Flow::Continue(()),
    );
    let converted = converted.unwrap();
    let repaired = repaired(source, &path("repaired.si5"));
    repaired.adds_up();
    let shown = source.display();
    // What converting leaves out may be saved in part.
    if converted.skipped == 0 {
        for suffix in ["si5", "sg5", "sn5"] {
            let read = |name: &str| fs::read(path(name).with_extension(suffix)).unwrap();
            assert!(
                read("converted.si5") == read("repaired.si5"),
                "{shown}: {suffix}"
            );
        }
        assert_eq!(repaired.repair.lost, 0, "{shown}");
    } else {
        assert!(repaired.repair.lost <= converted.skipped, "{shown}");
    }
}

#[test]
fn a_sound_database_is_repaired_as_it_is_converted() {
    for name in [
        "old.si4", "old.si5", "old.cbh", "old.2cbh", "old.dci", "old.pgn",
    ] {
        let (_folder, path) = formats::made(name, 11, ConvertOptions::default());
        is_repaired_as_converted(&path);
    }
}

#[test]
fn sound_databases_by_other_programs_are_repaired_as_they_are_converted() {
    for part in [
        "scid4/annotated/annotated.si4",
        "chessbase/hedgehog/Hedgehog.cbh",
        "chessbase/archives/small.cbv",
        "chessbase/twic1134/twic1134.cbh",
        "scdb/annotated.dci",
        "jose/lab.jose",
        "jose/lab-older-schema.jos",
        "jose/live-mysql-jose",
        "monty/frc.binpack",
        "monty/old41-value.binpack",
        "training/sf-ep1.binpack",
        "training/viri.vf",
    ] {
        let Some(path) = shared::path(&format!("data/{part}")) else {
            return;
        };
        is_repaired_as_converted(&path);
    }
}

#[test]
fn of_real_databases_every_undamaged_game_comes_over() {
    for (part, suffixes, header, record) in [
        (
            "scid4/annotated/annotated",
            &["si4", "sg4", "sn4"][..],
            182,
            47,
        ),
        (
            "scdb/annotated",
            &["dci", "dcg", "dcn", "dcs", "dce"],
            19,
            39,
        ),
        (
            "chessbase/twic1134/twic1134",
            &["cbh", "cbg", "cba", "cbp", "cbt", "cbj"],
            46,
            46,
        ),
    ] {
        let Some(folder) = shared::path("data") else {
            return;
        };
        let copies = tempfile::tempdir().unwrap();
        let index = copies.path().join("copy").with_extension(suffixes[0]);
        for suffix in suffixes {
            let bytes = fs::read(folder.join(part).with_extension(suffix)).unwrap();
            fs::write(index.with_extension(suffix), bytes).unwrap();
        }
        let whole = Whole::new(&index, formats::records(header, record));
        let patient = Patient::new(copies, whole);
        let mut dice = Dice::new(header);
        for make in [damage::bytes as fn(&mut Dice, &mut [u8]), damage::sectors] {
            let harm = patient.harm(make, &mut dice);
            let (untouched, saved) = patient.recovers(&harm, "new.si5", false);
            let games = patient.whole.moves.len();
            println!("{part}: of {games} games {untouched} untouched, {saved} saved");
        }
    }
}
