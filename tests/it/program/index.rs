//! `index`: the sidecar, and what the other commands say of it.

use std::{fs, time::SystemTime};

use super::Bench;

const QUESTION: &str = "at(piece:qh4)";

fn stale(bench: &Bench) {
    let games = fs::File::options()
        .write(true)
        .open(bench.path("small.sg4"));
    games.unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
}

#[test]
fn a_sidecar_is_made_named_and_used() {
    let bench = Bench::new();
    let before = bench.ids(&["small.si4", QUESTION]);
    let ran = bench.run(&["index", "small"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""));
    let bytes = fs::metadata(bench.path("small.tabiya")).unwrap().len();
    assert!(
        ran.err
            .starts_with(&format!("small.tabiya: {bytes} bytes for ")),
        "{}",
        ran.err
    );
    let info = bench.run(&["info", "small.si4"]);
    let line = format!("\nsidecar       small.tabiya {bytes} bytes, ");
    assert!(
        info.out.contains(&line) && info.err.is_empty(),
        "{}",
        info.out
    );
    assert_eq!(bench.ids(&["small.si4", QUESTION]), before);
    let explained = bench.run(&["explain", "small.si4", QUESTION]).out;
    assert!(explained.contains("visit sets, stored line"), "{explained}");
}

#[test]
fn no_sidecar_is_used_when_that_is_asked_for() {
    let bench = Bench::new();
    assert_eq!(bench.run(&["index", "small.si4", "--threads", "1"]).code, 0);
    let explained = bench.run(&["explain", "small.si4", QUESTION, "--no-sidecar"]);
    assert!(!explained.out.contains("visit sets"), "{}", explained.out);
    let info = bench.run(&["info", "small.si4", "--no-sidecar"]);
    assert!(info.out.contains("\nsidecar       none\n"), "{}", info.out);
}

#[test]
fn a_stale_sidecar_is_told_of_once_and_made_anew() {
    let bench = Bench::new();
    assert_eq!(bench.run(&["index", "small.si4"]).code, 0);
    stale(&bench);
    let warning = "tabiya: warning: small.tabiya: the sidecar is not used: it was made from \
                   another state of the database, or from another one of this name; `tabiya index` \
                   makes a new one\n";
    let counted = bench.run(&["search", "small.si4", QUESTION, "--count", "--quiet"]);
    assert_eq!(counted.err, warning);
    assert_eq!(
        bench
            .run(&["search", "small.si4", QUESTION, "--no-sidecar", "-q"])
            .err,
        ""
    );
    let info = bench.run(&["info", "small.si4"]).out;
    assert!(
        info.contains("\nsidecar       not used, see the note\n"),
        "{info}"
    );
    // It is no damage of the database.
    let sound = Bench::new().run(&["verify", "small.si4"]).code;
    assert_eq!(bench.run(&["verify", "small.si4"]).code, sound);
    let again = bench.run(&["index", "small.si4"]);
    assert!(
        again.code == 0 && !again.err.contains("warning"),
        "{}",
        again.err
    );
    let answered = bench.run(&["search", "small.si4", QUESTION, "--count", "--quiet"]);
    assert_eq!((answered.err.as_str(), answered.out), ("", counted.out));
}

#[test]
fn a_sidecar_without_a_games_file_cannot_be_made() {
    let bench = Bench::new();
    fs::remove_file(bench.path("small.sg4")).unwrap();
    let ran = bench.run(&["index", "small.si4"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(!bench.path("small.tabiya").exists());
}

/// The bench's games over and over, so that one block is complete.
#[test]
fn what_is_kept_after_games_were_appended_is_told() {
    let bench = Bench::new();
    let small = fs::read(bench.path("small.si4")).unwrap();
    let (header, records) = small.split_at(182);
    let write = |games: usize| {
        let mut bytes = header.to_vec();
        bytes[14..17].copy_from_slice(&(games as u32).to_be_bytes()[1..]);
        bytes.extend(records.iter().cycle().take(games * 47));
        fs::write(bench.path("small.si4"), bytes).unwrap();
    };
    write(65_536);
    let made = bench.run(&["index", "small.si4"]).err;
    assert!(made.contains(" bytes for 65536 games, "), "{made}");
    assert!(!made.contains("kept"), "{made}");
    write(65_536 + 10);
    let refreshed = bench.run(&["index", "small.si4"]).err;
    let told = " bytes for 65546 games, 1 of 2 blocks kept, ";
    assert!(refreshed.contains(told), "{refreshed}");
}
