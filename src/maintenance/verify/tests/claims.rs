//! Every claim of a record that searches rely on is verified against the game.

use std::{fs, path::PathBuf};

use tabiya_formats::{ScdbLayout, check::claims::Claim};

use crate::{ConvertOptions, convert};

use super::super::*;

/// Formats whose records make claims of their own; other formats derive theirs from the games.
const KINDS: [&str; 6] = ["si3", "si4", "si5", "cbh", "2cbh", "dci"];

/// Three games with everything that records describe: variations, comments, NAGs, a promotion and
/// home pawns that have left; a custom start position; Chess960.
const GAMES: &str = "\
[White \"All\"]\n[Result \"1-0\"]\n\n\
1. a4 $1 b5 (1... e5 {x} 2. e4) 2. axb5 a6 3. bxa6 {y} Nc6 4. a7 Rb8 5. a8=Q 1-0\n\n\
[White \"Own\"]\n[SetUp \"1\"]\n[FEN \"4k3/7p/8/8/8/8/P7/R3K3 w Q - 0 1\"]\n\n\
1. O-O-O h5 2. a3 *\n\n\
[White \"Random\"]\n[Variant \"Chess960\"]\n[SetUp \"1\"]\n\
[FEN \"bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1\"]\n\n1. d4 d5 *\n\n";

/// A change to a byte of a record: 0-based game, offset in the record, the change.
type Change = (usize, usize, fn(u8) -> u8);

const LOWEST: fn(u8) -> u8 = |byte| byte ^ 1;
const SECOND: fn(u8) -> u8 = |byte| byte ^ 2;
const THIRD: fn(u8) -> u8 = |byte| byte ^ 4;
const FOURTH: fn(u8) -> u8 = |byte| byte ^ 8;
const FIFTH: fn(u8) -> u8 = |byte| byte ^ 16;
/// The code of an opening line that no game above begins with.
const LINE: fn(u8) -> u8 = |_| 106;

/// Returns how to break a claim in the records of a kind; empty if they do not make it.
fn breaks(claim: Claim, kind: &str) -> Vec<Change> {
    match kind {
        "2cbh" => breaks_of_chessbase_2(claim),
        _ => breaks_of_older(claim, kind),
    }
}

fn breaks_of_older(claim: Claim, kind: &str) -> Vec<Change> {
    // Records of .si3 lack a byte that those of .si4 have before these.
    let scid4 = |game, offset, change| match kind {
        "si3" => vec![(game, offset - 1, change)],
        "si4" => vec![(game, offset, change)],
        _ => Vec::new(),
    };
    let of = |wanted: &str, changes: &[Change]| {
        let meant = if kind == wanted { changes } else { &[] };
        meant.to_vec()
    };
    let parts = match claim {
        Claim::Game => [of("cbh", &[(0, 0, SECOND)]), Vec::new(), Vec::new()],
        Claim::OwnStart => [
            scid4(0, 8, LOWEST),
            of("si5", &[(0, 28, LOWEST), (1, 28, LOWEST)]),
            of("cbh", &[(0, 42, LOWEST), (1, 42, LOWEST)]),
        ],
        Claim::Chess960 => [
            of("cbh", &[(0, 39, FOURTH), (2, 39, FOURTH)]),
            of("si5", &[(0, 19, |byte| byte ^ 0x80)]),
            Vec::new(),
        ],
        Claim::Promotions => [
            scid4(0, 8, SECOND),
            of("si5", &[(0, 28, SECOND)]),
            Vec::new(),
        ],
        Claim::Plies => [
            scid4(0, 37, LOWEST),
            of("si5", &[(0, 30, |byte| byte ^ 0x40)]),
            [of("cbh", &[(0, 45, SECOND)]), of("dci", &[(0, 40, LOWEST)])].concat(),
        ],
        Claim::Material => [
            scid4(0, 36, LOWEST),
            of("si5", &[(0, 40, LOWEST)]),
            of("dci", &[(0, 44, FIFTH)]),
        ],
        Claim::HomePawns => [
            scid4(0, 38, LOWEST),
            of("si5", &[(0, 47, LOWEST), (0, 48, LOWEST)]),
            Vec::new(),
        ],
        Claim::StoredLine => [scid4(0, 33, LINE), of("si5", &[(0, 43, LINE)]), Vec::new()],
        Claim::Variations => [
            scid4(0, 22, LOWEST),
            of("si5", &[(0, 7, FIFTH)]),
            of("cbh", &[(0, 42, SECOND), (1, 42, SECOND)]),
        ],
        Claim::Comments => [
            scid4(0, 22, FIFTH),
            of("si5", &[(0, 3, FIFTH)]),
            // Whether there are any annotations: their location.
            of("cbh", &[(0, 8, |_| 0)]),
        ],
        Claim::Nags => [
            scid4(0, 21, LOWEST),
            of("si5", &[(0, 11, FIFTH)]),
            of("cbh", &[(0, 42, FOURTH), (1, 42, FOURTH)]),
        ],
        Claim::Contents => [
            of("cbh", &[(0, 42, THIRD), (1, 42, THIRD)]),
            of("cbh", &[(1, 42, FIFTH), (1, 40, LOWEST)]),
            Vec::new(),
        ],
    };
    parts.concat()
}

/// Returns the same for ChessBase 2.
fn breaks_of_chessbase_2(claim: Claim) -> Vec<Change> {
    match claim {
        Claim::Game => vec![(0, 0, SECOND)],
        Claim::OwnStart => vec![(0, 132, LOWEST), (1, 132, LOWEST)],
        Claim::Chess960 => vec![(0, 135, FOURTH), (2, 135, FOURTH)],
        Claim::Plies => vec![(0, 138, SECOND)],
        Claim::Variations => vec![(0, 132, SECOND), (1, 132, SECOND)],
        Claim::Nags => vec![(0, 132, FOURTH)],
        Claim::Contents => vec![(0, 132, THIRD), (1, 132, FIFTH), (1, 134, LOWEST)],
        _ => Vec::new(),
    }
}

struct Base {
    folder: tempfile::TempDir,
    path: PathBuf,
    header_bytes: usize,
    record_bytes: usize,
}

impl Base {
    fn new(kind: &str) -> Base {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("games.pgn");
        fs::write(&source, GAMES).unwrap();
        let path = folder.path().join("base").with_extension(kind);
        let options = ConvertOptions::new().layout(ScdbLayout::Described);
        let written = match kind {
            "si3" => path.with_extension("si4"),
            _ => path.clone(),
        };
        convert(&[source], &written, options, &mut |_| Flow::Continue(())).unwrap();
        let (header_bytes, record_bytes) = match kind {
            "si3" => (128, 46),
            "si4" => (182, 47),
            "si5" => (0, 56),
            "cbh" => (46, 46),
            "2cbh" => (192, 192),
            _ => (11, 61),
        };
        let base = Base {
            folder,
            path,
            header_bytes,
            record_bytes,
        };
        if kind == "si3" {
            base.age();
        }
        base
    }

    /// Converts the `.si4` to `.si3`: a shorter header, and records without one byte.
    fn age(&self) {
        let file = |suffix| self.folder.path().join("base").with_extension(suffix);
        for (new, old) in [("sg4", "sg3"), ("sn4", "sn3")] {
            fs::rename(file(new), file(old)).unwrap();
        }
        let new = fs::read(file("si4")).unwrap();
        let (header, records) = new.split_at(182);
        let mut index = header[..128].to_vec();
        index[8..10].copy_from_slice(&300_u16.to_be_bytes());
        for record in records.chunks(47) {
            index.extend(&record[..6]);
            index.extend(&record[7..]);
        }
        fs::write(&self.path, index).unwrap();
    }

    /// Returns the reports about a game, after an optional change.
    fn reported(&self, change: Option<Change>, game: usize) -> Vec<String> {
        let whole = fs::read(&self.path).unwrap();
        if let Some((game, offset, change)) = change {
            let mut index = whole.clone();
            let byte = &mut index[self.header_bytes + game * self.record_bytes + offset];
            *byte = change(*byte);
            assert_ne!(index, whole);
            fs::write(&self.path, index).unwrap();
        }
        let database = Database::read(&self.path).unwrap();
        let verification = database.verify().unwrap();
        fs::write(&self.path, whole).unwrap();
        let all = verification.damaged_games.iter().chain(&verification.notes);
        let number = Some(game as u32 + 1);
        all.filter(|fault| fault.game() == number)
            .map(ToString::to_string)
            .collect()
    }
}

#[test]
fn whatever_searches_believe_of_a_record_is_verified() {
    for kind in KINDS {
        let base = Base::new(kind);
        for game in 0..3 {
            assert_eq!(base.reported(None, game), [""; 0], "{kind}");
        }
        for claim in Claim::ALL {
            for (game, offset, change) in breaks(claim, kind) {
                let reported = base.reported(Some((game, offset, change)), game);
                assert!(!reported.is_empty(), "{kind}: {claim:?} at {offset}");
            }
        }
    }
}

#[test]
fn every_claim_is_broken_in_the_records_of_some_format() {
    for claim in Claim::ALL {
        let is_broken = |kind: &&str| !breaks(claim, kind).is_empty();
        assert!(KINDS.iter().any(is_broken), "{claim:?}");
    }
}
