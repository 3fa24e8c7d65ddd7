//! Games that are written get the codes and names of their openings by position: as a slow walk
//! over the table says, from and into every format.

use std::{
    collections::HashMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use shakmaty::{Chess, Position as _, san::San, uci::UciMove};
use tabiya::{
    ConvertOptions, Database, Edit, Flow, GameId, NamedOpening, Progress, convert,
    format::{Overwrite, Visitor},
    openings,
};

use crate::support::{
    dice::Dice,
    opening::{key_after, name_of_key},
};

const TARGETS: [&str; 6] = ["si4", "si5", "cbh", "2cbh", "dci", "pgn"];

/// Codes by position; of two lines to one position, that of the later.
fn codes() -> HashMap<String, String> {
    let line = |moves: &[&str]| key_after(&moves.iter().map(|&one| one.into()).collect::<Vec<_>>());
    openings()
        .map(|one| (line(&one.moves), one.eco.to_string()))
        .collect()
}

/// What a game has of its own, and what it gets.
struct Wanted {
    eco: String,
    name: Option<&'static str>,
}

/// Returns games as PGN, and what each is to have afterwards.
fn games(dice: &mut Dice) -> (String, Vec<Wanted>) {
    let (lines, codes) = (openings().collect::<Vec<NamedOpening>>(), codes());
    let (mut pgn, mut wanted) = (String::new(), Vec::new());
    for _ in 0..120 {
        let line = &lines[dice.below(lines.len())].moves;
        let own = *dice.pick(&["", "E99", "B97a"]);
        let mut moves: Vec<String> = line.iter().map(|&one| one.to_owned()).collect();
        moves.truncate(dice.below(moves.len() + 1));
        let (mut position, mut text) = (Chess::default(), String::new());
        let mut found = None;
        for ply in 0..moves.len() + dice.below(30) {
            let legal = position.legal_moves();
            let played = match moves.get(ply) {
                Some(known) => known
                    .parse::<UciMove>()
                    .unwrap()
                    .to_move(&position)
                    .unwrap(),
                None if legal.is_empty() => break,
                None => legal[dice.below(legal.len())],
            };
            // A variation, which does not count.
            let other = San::from_move(&position, legal[0]);
            let _ = write!(text, "{} ({other}) ", San::from_move(&position, played));
            position.play_unchecked(played);
            let key = format!(
                "{} {}",
                position.board().board_fen(),
                position.turn().char()
            );
            if ply < 40 && position.board().occupied().count() >= 20 {
                found = codes.get(&key).map(|code| (code.clone(), key)).or(found);
            }
        }
        let _ = write!(pgn, "[Result \"*\"]\n[ECO \"{own}\"]\n\n{text}*\n\n");
        wanted.push(match found {
            Some((code, key)) => Wanted {
                eco: if own.starts_with(&code) {
                    own.to_owned()
                } else {
                    code
                },
                name: name_of_key(&key),
            },
            None => Wanted {
                eco: own.to_owned(),
                name: None,
            },
        });
    }
    pgn +=
        "[Result \"*\"]\n[ECO \"D00\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 *\n\n";
    wanted.push(Wanted {
        eco: "D00".to_owned(),
        name: None,
    });
    (pgn, wanted)
}

#[derive(Default)]
struct Opening(Option<String>);

impl Visitor for Opening {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        if name == "Opening" {
            self.0 = Some(value.to_owned());
        }
        Flow::Continue(())
    }
}

fn codes_are(path: &Path, wanted: &[Wanted]) {
    let database = Database::open(path).unwrap();
    assert_eq!(database.len() as usize, wanted.len());
    for (game, wanted) in (0..).map(GameId).zip(wanted) {
        let eco = database.header(game).unwrap().eco;
        let eco = eco.map_or(String::new(), |eco| eco.to_string());
        // Only Scid has room for finer codes.
        let fits = path
            .extension()
            .is_some_and(|end| end == "si4" || end == "si5" || end == "pgn");
        let expected = if fits {
            &wanted.eco
        } else {
            &wanted.eco[..wanted.eco.len().min(3)]
        };
        assert_eq!(eco, expected, "{} {game:?}", path.display());
    }
}

fn convert_with(source: &Path, target: &Path, options: ConvertOptions) {
    let options = options.overwrite(Overwrite::Replace);
    let done = convert(&[source.to_owned()], target, options, Progress::ignore).unwrap();
    assert_eq!(done.skipped, 0, "{:?}", done.skipped_games);
}

#[test]
fn games_get_the_code_of_their_last_named_position() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let (pgn, wanted) = games(&mut Dice::new(5));
    assert!(wanted.iter().filter(|one| one.name.is_some()).count() > 60);
    fs::write(path("own.pgn"), pgn).unwrap();
    for suffix in TARGETS {
        let (own, coded) = (format!("own.{suffix}"), format!("coded.{suffix}"));
        let classify = ConvertOptions::new().classify(true);
        convert_with(&path("own.pgn"), &path(&coded), classify.clone());
        codes_are(&path(&coded), &wanted);
        if suffix != "pgn" {
            convert_with(&path("own.pgn"), &path(&own), ConvertOptions::new());
        }
        // From each format, and in place.
        convert_with(&path(&own), &path("from.si5"), classify);
        let edit = Edit::new().set("eco", "auto").unwrap();
        convert_with(
            &path(&own),
            &path(&format!("edited.{suffix}")),
            ConvertOptions::new(),
        );
        let edited = path(&format!("edited.{suffix}"));
        let told = edit.preview(&edited, None, Progress::ignore, |_, _| Flow::Continue(()));
        let changed = edit.run(&edited, None, Progress::ignore).unwrap().games;
        assert_eq!(told.unwrap(), changed);
        codes_are(&edited, &wanted);
        assert_eq!(edit.run(&edited, None, Progress::ignore).unwrap().games, 0);
    }
}

#[test]
fn the_name_by_position_becomes_the_tag_opening() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let (pgn, wanted) = games(&mut Dice::new(6));
    let pgn = pgn.replacen("[Result", "[Opening \"mine\"]\n[Result", 40);
    fs::write(path("own.pgn"), &pgn).unwrap();
    for base in ["own.si4", "own.si5", "own.pgn"] {
        if base != "own.pgn" {
            convert_with(&path("own.pgn"), &path(base), ConvertOptions::new());
        }
        let edit = Edit::new().set("opening", "auto").unwrap();
        let named = wanted.iter().filter(|one| one.name.is_some()).count() as u64;
        let mut told = 0;
        let count = |_, fields: Vec<_>| {
            told += fields.len() as u64;
            Flow::Continue(())
        };
        edit.preview(&path(base), None, Progress::ignore, count)
            .unwrap();
        let done = edit.run(&path(base), None, Progress::ignore).unwrap();
        assert_eq!((done.games, told), (named, named), "{base}");
        let database = Database::open(path(base)).unwrap();
        for (game, wanted) in (0..).map(GameId).zip(&wanted) {
            let mut opening = Opening::default();
            database.visit(game, &mut opening).unwrap();
            let kept = (game.0 < 40).then_some("mine");
            assert_eq!(
                opening.0.as_deref(),
                wanted.name.or(kept),
                "{base} {game:?}"
            );
        }
        drop(database);
        fs::write(path("own.pgn"), &pgn).unwrap();
    }
}

#[test]
fn names_of_openings_are_found_out_or_given_as_other_tags() {
    assert!(Edit::new().set("opening", "Sokolsky").is_err());
    assert!(Edit::new().set("tag.Opening", "Sokolsky").is_ok());
    assert!(Edit::new().set("eco", "automatic").is_err());
}
