//! Files truncated at and changed at any byte: errors, but no panics.

use super::*;

/// Calls every reading function and ignores the results.
fn read_all(parts: Parts) {
    struct Deaf;
    impl Visitor for Deaf {}

    let Ok(database) = Database::from_bytes(parts) else {
        return;
    };
    let _ = database.verify();
    let _ = database.description();
    for game in 0..database.len() {
        let _ = database.header(GameId(game)).unwrap();
        let _ = database.facts(GameId(game)).unwrap();
        let _ = database.visit(GameId(game), &mut Deaf);
    }
}

fn file(parts: &mut Parts, which: usize) -> &mut Vec<u8> {
    match which {
        0 => &mut parts.index,
        1 => parts.games.as_mut().unwrap(),
        _ => parts.names.as_mut().unwrap(),
    }
}

#[test]
fn files_cut_at_any_byte_never_panic() {
    for which in 0..3 {
        for length in 0..file(&mut sample(), which).len() {
            let mut parts = sample();
            file(&mut parts, which).truncate(length);
            read_all(parts);
        }
    }
}

#[test]
fn files_changed_at_any_byte_never_panic() {
    let mut whole = sample();
    for which in 0..3 {
        for offset in 0..file(&mut whole, which).len() {
            let old = file(&mut whole, which)[offset];
            let flipped = (0..8).map(|bit| old ^ 1 << bit);
            for new in flipped.chain([0, 11, 12, 13, 14, 15, 255]) {
                file(&mut whole, which)[offset] = new;
                let mut parts = Parts::new(whole.index.clone());
                parts.games.clone_from(&whole.games);
                parts.names.clone_from(&whole.names);
                read_all(parts);
            }
            file(&mut whole, which)[offset] = old;
        }
    }
}

#[test]
fn a_lost_part_is_noted_and_its_games_are_listed() {
    let games = sample().games.unwrap().len();
    let mut parts = sample();
    file(&mut parts, 1).truncate(games - 1);
    let fault = "3: damaged: the game lies beyond the end of the games file";
    assert_eq!(faults(&verify(parts)), [fault]);

    let mut parts = sample();
    file(&mut parts, 0).truncate(HEADER_BYTES + RECORD_BYTES + 1);
    let verification = verify(parts);
    assert_eq!((verification.games, verification.notes.len()), (1, 2));
}

#[test]
fn a_names_file_that_is_not_whole_is_noted() {
    let length = sample().names.unwrap().len();
    let changed = |change: fn(&mut Vec<u8>)| {
        let mut parts = sample();
        change(file(&mut parts, 2));
        let verification = verify(parts);
        let notes = verification
            .notes
            .iter()
            .map(|note| note.kind().to_string());
        (verification.damaged, notes.collect::<Vec<_>>())
    };
    assert!(length > 40);
    let cut = changed(|names| names.truncate(names.len() - 1));
    assert_eq!(
        cut,
        (0, vec!["damaged: the names are cut short".to_owned()])
    );
    let longer = changed(|names| names.push(0));
    let after = "damaged: the file goes on after the last name";
    assert_eq!(longer, (0, vec![after.to_owned()]));
    // The first entry is the empty name, number 1; number 0 is already taken.
    let repeated = changed(|names| names[37] = 0);
    let twice = "damaged: a number is given to two names, so that another has none";
    assert_eq!(repeated, (0, vec![twice.to_owned()]));
}
