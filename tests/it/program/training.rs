//! Every command takes training data.

use std::fs;

use super::Bench;
use crate::support::{binpack, dice::Dice, viri};

#[test]
fn every_command_takes_training_data() {
    let bench = Bench::new();
    let files = [
        ("sf.binpack", binpack::random_file(&mut Dice::new(1), 40)),
        ("viri.vf", viri::random_file(&mut Dice::new(1), 40)),
    ];
    for (name, bytes) in files {
        fs::write(bench.path(name), bytes).unwrap();
        let run = |arguments: &[&str]| {
            let ran = bench.run(arguments);
            assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.err);
            ran.out
        };
        assert!(run(&["info", name]).contains("training data"), "{name}");
        assert_eq!(run(&["search", name, "plies>=0", "--count"]), "40\n");
        assert!(!run(&["search", name, "at(score:0.5..)"]).is_empty());
        assert!(!run(&["tree", name, "plies>=0"]).is_empty());
        assert!(run(&["stats", name]).contains("40"));
        assert!(run(&["show", name, "1..40"]).contains("[%eval "));
        run(&["verify", name]);
        run(&["convert", name, "out.pgn", "--force"]);
        assert_eq!(run(&["search", "out.pgn", "plies>=0", "--count"]), "40\n");
        run(&["index", name]);
        assert_eq!(run(&["search", name, "plies>=0", "--count"]), "40\n");
    }
    let ran = bench.run(&["search", "viri.vf", "plies>=3", "-o", "found.vf"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(bench.run(&["info", "found.vf"]).out.contains("viriformat"));
}
