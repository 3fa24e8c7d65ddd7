//! ChessBase archives of the shared data unpack to the very files that lie beside them.

use std::{fs, path::Path};

use tabiya::Progress;
use tabiya_formats::chessbase::archive::Archive;

use crate::support::shared;

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Checks that an archive holds all files of a folder, byte for byte, and nothing else.
fn holds(archive: &Path, password: Option<&str>, folder: &Path) {
    let shown = archive.display();
    let bytes = read(archive);
    let archive =
        Archive::open(&bytes, password).unwrap_or_else(|error| panic!("{shown}: {error}"));
    for (index, member) in archive.members().iter().enumerate() {
        let unpacked = archive.unpack(index, &mut Progress::ignore);
        let unpacked = unpacked.unwrap_or_else(|error| panic!("{shown}: {error}"));
        assert!(
            unpacked == read(&folder.join(member.name())),
            "{shown}: {} differs",
            member.name()
        );
        assert_eq!(unpacked.len() as u64, member.size_bytes());
    }
    let files = fs::read_dir(folder).unwrap().count();
    assert_eq!(archive.members().len(), files, "{shown}");
    let set = archive.set_of_files();
    assert_eq!((set.len(), set[0].0.as_str()), (files, "cbh"), "{shown}");
}

#[test]
fn every_archive_unpacks_to_the_set_it_was_made_of() {
    let Some(folder) = shared::path("data/chessbase") else {
        return;
    };
    let archives = folder.join("archives");
    let small = archives.join("small");
    for (name, password, holding) in [
        ("small.cbv", None, &small),
        ("decrypted_small.cbv", None, &small),
        ("small.cbz", Some("password"), &small),
        ("small2.cbz", Some("pass"), &small),
        ("small3.cbz", Some("my long password"), &small),
        ("twic1134.cbv", None, &folder.join("twic1134")),
        ("../uncbv-erl/small.cbv", None, &small),
    ] {
        holds(&archives.join(name), password, holding);
    }
}

#[test]
fn an_archive_in_cipher_opens_with_its_own_password_only() {
    let Some(folder) = shared::path("data/chessbase/archives") else {
        return;
    };
    let bytes = read(&folder.join("small3.cbz"));
    for wrong in [Some("password"), Some("my long passwort"), Some(""), None] {
        assert!(Archive::open(&bytes, wrong).is_err(), "{wrong:?}");
    }
}
