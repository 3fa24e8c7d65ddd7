//! What is told of a game that is not as it was.

use std::fs;

use tabiya::{ConvertOptions, Database, GameId, GameLoss};
use tempfile::TempDir;

use super::{Moves, Repaired, Step, formats::made, moves_of, repaired};
use crate::support::game::{Event, PlainGame};

const RECORD: usize = 47;
const HEADER: usize = 182;

/// A database that is damaged in one place.
struct Sample {
    folder: TempDir,
    games: Vec<PlainGame>,
    database: Database,
}

impl Sample {
    fn new() -> Sample {
        let (folder, path) = made("old.si4", 2, ConvertOptions::default());
        let database = Database::read(&path).unwrap();
        let games = (0..database.len()).map(|id| PlainGame::read(&database, GameId(id)).unwrap());
        Sample {
            games: games.collect(),
            folder,
            database,
        }
    }

    /// Finds a game.
    fn game(&self, is_wanted: impl Fn(&PlainGame) -> bool) -> usize {
        self.games.iter().position(is_wanted).unwrap()
    }

    /// Changes bytes of a file and repairs.
    fn repaired(&self, suffix: &str, change: impl FnOnce(&mut Vec<u8>)) -> Repaired {
        let path = self.folder.path().join(format!("old.{suffix}"));
        let mut bytes = fs::read(&path).unwrap();
        change(&mut bytes);
        fs::write(&path, bytes).unwrap();
        repaired(
            &self.folder.path().join("old.si4"),
            &self.folder.path().join("new.si4"),
        )
    }

    /// Returns where a game's bytes are.
    fn place(&self, game: usize) -> std::ops::Range<usize> {
        let facts = self.database.facts(GameId(game as u32)).unwrap();
        let start = facts.offset_bytes as usize;
        start..start + facts.length_bytes as usize
    }

    /// Returns the last comment of a game of the new database.
    fn last_comment(&self, game: usize) -> Option<String> {
        let database = Database::open(self.folder.path().join("new.si4")).unwrap();
        let game = PlainGame::read(&database, GameId(game as u32)).unwrap();
        game.events.into_iter().rev().find_map(|event| match event {
            Event::Comment(text) => Some(text),
            _ => None,
        })
    }
}

/// Tells whether a game has many moves, and no comments or variations.
fn is_plain(game: &PlainGame) -> bool {
    let is_told = |event: &Event| matches!(event, Event::Play(_) | Event::Nag(_));
    game.events.len() > 12 && game.start.is_none() && game.events.iter().all(is_told)
}

fn main_line(moves: &Moves) -> Moves {
    let mut depth = 0;
    let mut line = Vec::new();
    for step in moves {
        match step {
            Step::Begin => depth += 1,
            Step::End => depth -= 1,
            Step::Play(_) if depth == 0 => line.push(step.clone()),
            Step::Play(_) => {}
        }
    }
    line
}

/// The byte that ends a variation. In a main line it is never right, as a move might be.
const END_OF_VARIATION: u8 = 14;

#[test]
fn a_game_cut_in_its_middle_keeps_the_moves_before_and_says_so() {
    let sample = Sample::new();
    let game = sample.game(is_plain);
    let place = sample.place(game);
    let at = place.end - 6;
    let repaired = sample.repaired("sg4", |bytes| bytes[at..place.end].fill(END_OF_VARIATION));
    let told = &repaired.losses[0];
    let GameLoss::Moves { kept, cause } = &told.losses[0] else {
        panic!("{told}")
    };
    let plies = moves_of(&sample.games[game]).len() as u32;
    assert!((plies - 6..plies).contains(kept), "{told} of {plies}");
    let offset = cause.offset().unwrap() as usize;
    assert!((at - 1..place.end).contains(&offset), "{told}");
    assert_eq!(cause.game(), Some(game as u32 + 1));
    assert_eq!(
        repaired.moves[game],
        moves_of(&sample.games[game])[..*kept as usize]
    );
    assert_eq!(
        sample.last_comment(game).as_deref(),
        Some("The source is damaged here.")
    );
    let text = told.to_string();
    assert!(
        text.contains(&format!("moves lost after half-move {kept}: ")),
        "{text}"
    );
}

#[test]
fn games_damaged_in_a_variation_keep_their_main_lines() {
    let sample = Sample::new();
    let has_variation = |game: &usize| sample.games[*game].events.contains(&Event::Begin);
    let damaged: Vec<usize> = (0..sample.games.len()).filter(has_variation).collect();
    let repaired = sample.repaired("sg4", |bytes| {
        for &game in &damaged {
            let blob = &mut bytes[sample.place(game)];
            // The first move of the last variation becomes one that does not exist.
            let begins = (0..blob.len()).rev().find(|&at| blob[at] == 13).unwrap();
            blob[begins + 1] = 0x0a;
        }
    });
    let mut count = 0;
    for told in &repaired.losses {
        let GameLoss::Variations { kept, .. } = &told.losses[0] else {
            continue;
        };
        let game = told.number as usize - 1;
        let before = main_line(&moves_of(&sample.games[game]));
        let place = repaired.new_place(game).unwrap();
        assert_eq!(main_line(&repaired.moves[place]), before, "{told}");
        assert!(*kept as usize <= before.len(), "{told}");
        count += 1;
    }
    assert!(count > 20 && damaged.contains(&(repaired.losses[0].number as usize - 1)));
}

#[test]
fn a_record_of_zeros_is_a_lost_game() {
    let sample = Sample::new();
    let repaired = sample.repaired("si4", |bytes| {
        bytes[HEADER + 4 * RECORD..HEADER + 5 * RECORD].fill(0);
    });
    assert_eq!((repaired.repair.lost, repaired.losses[0].number), (1, 5));
    let text = repaired.losses[0].to_string();
    assert!(
        text.contains("lost: ") && text.ends_with("the game's record is zeros only"),
        "{text}"
    );
}

#[test]
fn a_length_of_zero_is_a_lost_game_and_no_empty_one() {
    let sample = Sample::new();
    let game = sample.game(is_plain);
    let at = HEADER + game * RECORD + 4;
    let repaired = sample.repaired("si4", |bytes| bytes[at..at + 3].fill(0));
    let number = repaired.losses[0].number as usize;
    assert_eq!((repaired.repair.lost, number), (1, game + 1));
}

#[test]
fn a_record_that_contradicts_its_game_is_doubtful_and_the_game_whole() {
    let sample = Sample::new();
    let game = sample.game(is_plain);
    // The lower bits of the half-moves that the record counts.
    let at = HEADER + game * RECORD + 37;
    let repaired = sample.repaired("si4", |bytes| bytes[at] ^= 0x3f);
    let told = &repaired.losses[0];
    assert!(matches!(told.losses[..], [GameLoss::Doubt(_)]), "{told}");
    assert_eq!(repaired.moves[game], moves_of(&sample.games[game]));
    assert_eq!(repaired.repair.harmed, 1);
}

#[test]
fn names_behind_a_damaged_one_are_found_again() {
    let sample = Sample::new();
    let names = |database: &Database| -> Vec<String> {
        let header = |id| database.header(GameId(id)).unwrap();
        (0..database.len()).map(|id| header(id).site).collect()
    };
    let before = names(&sample.database);
    // The length of the first name of all, which is a player's; sites come later.
    let repaired = sample.repaired("sn4", |bytes| bytes[36 + 3] = 0xff);
    assert!(repaired.repair.harmed > 0 && repaired.repair.lost == 0);
    let new = Database::open(sample.folder.path().join("new.si4")).unwrap();
    assert_eq!(names(&new), before);
}

#[test]
fn damaged_annotations_cost_no_move_and_are_told() {
    let (folder, path) = made("old.cbh", 6, ConvertOptions::default());
    let whole = Database::read(&path).unwrap();
    let moves: Vec<Moves> = (0..whole.len())
        .map(|id| moves_of(&PlainGame::read(&whole, GameId(id)).unwrap()))
        .collect();
    let annotations = path.with_extension("cba");
    let mut bytes = fs::read(&annotations).unwrap();
    // After the head of the file nothing begins as annotations do.
    bytes[26..].fill(0xff);
    fs::write(&annotations, bytes).unwrap();
    let repaired = repaired(&path, &folder.path().join("new.si4"));
    assert_eq!(repaired.moves, moves);
    assert_eq!(repaired.repair.lost, 0);
    assert!(repaired.repair.harmed > 20, "{:?}", repaired.repair);
    for game in &repaired.losses {
        let [GameLoss::Annotations(cause)] = &game.losses[..] else {
            panic!("{game}")
        };
        assert_eq!(cause.path(), Some(annotations.as_path()));
        assert!(cause.offset().is_some_and(|offset| offset >= 26), "{cause}");
        assert_eq!(cause.game(), Some(game.number));
    }
    fs::remove_file(&annotations).unwrap();
    let repaired = super::repaired(&path, &folder.path().join("new.si4"));
    assert_eq!(repaired.moves, moves);
    let text = repaired.losses[0].to_string();
    assert!(
        text.contains("annotations lost: ") && text.contains("old.cba, which is missing"),
        "{text}"
    );
}

#[test]
fn tags_whose_texts_are_lost_are_told_game_by_game() {
    let folder = tempfile::tempdir().unwrap();
    let [text, old, new] = ["a.pgn", "old.cbh", "new.pgn"].map(|name| folder.path().join(name));
    let games = "[White \"a\"]\n[Annotator \"one\"]\n[Source \"two\"]\n[BlackTeam \"three\"]\n\n\
                 1. e4 *\n\n[White \"b\"]\n\n1. d4 *\n";
    fs::write(&text, games).unwrap();
    let go_on = &mut |_| tabiya::Flow::Continue(());
    tabiya::convert(&[text], &old, ConvertOptions::default(), go_on).unwrap();
    let sound = repaired(&old, &new);
    assert!(sound.losses.is_empty(), "{:?}", sound.losses);
    for suffix in ["cbc", "cbs", "cbe"] {
        let path = old.with_extension(suffix);
        let bytes = fs::read(&path).unwrap();
        fs::write(path, &bytes[..bytes.len().min(40)]).unwrap();
    }
    let told = repaired(&old, &folder.path().join("newer.pgn")).losses;
    let lost: Vec<String> = told[0].losses.iter().map(GameLoss::to_string).collect();
    assert_eq!(lost, ["Annotator lost", "Source lost", "BlackTeam lost"]);
}
