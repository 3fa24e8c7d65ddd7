//! Puzzles, positions and games as JSON.

use std::fs;

use tabiya::{
    Database, ErrorKind, Flow, OpenOptions, Search, SidecarOptions, Strategy, convert,
    format::{FormatKind, Overwrite},
};
use tempfile::TempDir;

use crate::{
    agree::random_queries,
    support::{
        ask,
        dice::Dice,
        exercise,
        game::PlainGame,
        lists::List,
        pool::{random_game, told_game},
    },
};

const PUZZLES: &str = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,Url\n\
    a1,6k1/p4ppp/8/8/8/8/5PPP/3R2K1 b - - 0 30,a7a6 d1d8,950,80,92,100,backRankMate mate,u#1\n\
    a2,4k3/8/8/3q4/8/4N3/8/4K3 b - - 0 40,d5d6 e3f5 d6d7 f5g7,1750,80,-20,9,fork short,u#2\n\
    a3,4k3/8/8/8/8/8/8/4K3 w - - 0 40,e1e9,100,1,1,1,broken,u#3\n\
    a4\n";

fn written(name: &str, text: &str) -> (TempDir, Database) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    let database = Database::open(&path).unwrap();
    (folder, database)
}

/// Returns the numbers of the games that match, by every way.
fn ids(database: &Database, query: &str) -> Vec<u32> {
    let [found, decoded] = [Strategy::Auto, Strategy::FullDecode]
        .map(|strategy| ask::numbers(database, query, strategy, true));
    assert_eq!(found, decoded, "{query}");
    found
}

#[test]
fn puzzles_are_found_by_themes_ratings_and_positions() {
    let (_folder, database) = written("puzzles.csv", PUZZLES);
    assert_eq!(database.kind(), FormatKind::Puzzles);
    for (query, games) in [
        ("theme:fork", &[2][..]),
        ("theme:FORK", &[2]),
        ("theme:mate", &[1]),
        ("theme:mate*", &[1]),
        ("theme:mat", &[]),
        ("theme!=fork", &[1, 3]),
        ("rating:900..1000", &[1]),
        ("rating>=1000", &[2]),
        ("popularity<0", &[2]),
        ("mate", &[1]),
        ("piece:Nf5 theme:short", &[2]),
        ("tag.PuzzleId=a2", &[2]),
        ("event:lichess", &[1, 2, 3]),
        ("start:custom", &[1, 2, 3]),
        ("plies=2", &[1]),
    ] {
        assert_eq!(ids(&database, query), games, "{query}");
    }
}

#[test]
fn a_damaged_puzzle_is_told_with_its_row_and_its_place() {
    let (_folder, database) = written("puzzles.csv", PUZZLES);
    let verified = database.verify().unwrap();
    let faults = verified.damaged_games.iter().map(|error| {
        let place = (error.game().unwrap(), error.line(), error.offset());
        (place, error.kind().to_string())
    });
    let offset = |row: &str| PUZZLES.find(row).map(|at| at as u64);
    let faults: Vec<_> = faults.collect();
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert_eq!(faults[0].0, (3, Some(4), offset("a3,")));
    assert!(faults[0].1.contains("e1e9"), "{faults:?}");
    assert_eq!(faults[1].0, (4, Some(5), offset("a4\n")));
    assert!(faults[1].1.contains("a row without moves"), "{faults:?}");
}

#[test]
fn one_query_asks_puzzles_positions_and_games_alike() {
    let (_one, puzzles) = written("puzzles.csv", PUZZLES);
    let (_two, positions) = written(
        "list.epd",
        "4k3/8/8/3q4/8/4N3/8/4K3 w - - bm Nxd5; id \"one\";\n",
    );
    let (_three, games) = written("games.json", r#"{"games":[{"url":"x","pgn":"1. e4 *"}]}"#);
    let found = |query| [&puzzles, &positions, &games].map(|base| ids(base, query).len());
    assert_eq!(found("piece:Ne3 piece:qd5"), [1, 1, 0]);
    assert_eq!(found("P=8 p=8"), [0, 0, 1]);
    assert_eq!(ids(&positions, "event=one tag.bm=Nxd5 plies=0"), [1]);
}

/// Each of the slow evaluator, the index in memory and that of the sidecar.
#[test]
fn random_queries_of_lists_mean_what_the_contract_says() {
    for (list, round) in List::ALL.into_iter().zip(0..) {
        random_queries(|seed, games| list.pool(seed, games), 1500 + round);
    }
}

#[test]
fn lists_hold_the_games_that_they_were_made_of() {
    let mut dice = Dice::new(5);
    let games: Vec<PlainGame> = (0..60).map(|_| told_game(&mut dice)).collect();
    for list in List::ALL {
        let name = format!("games.{}", list.suffix());
        let (_folder, database) = written(&name, &list.of_games(&games));
        assert_eq!(database.len() as usize, games.len(), "{list:?}");
        for (id, game) in database.games().zip(&games) {
            let read = PlainGame::read(&database, id).unwrap();
            let is_standard = read.start.is_none();
            assert!(
                is_standard || read.start == game.start || game.start.is_none(),
                "{id:?}"
            );
            let moves = game.main_line();
            let whole = moves
                .iter()
                .position(Option::is_none)
                .unwrap_or(moves.len());
            match list {
                List::Positions => assert!(read.events.is_empty()),
                List::Archive => assert_eq!(read.events, game.events),
                _ => assert_eq!(read.main_line(), moves[..whole], "{list:?} {id:?}"),
            }
        }
    }
}

#[test]
fn lists_become_databases_with_nothing_lost_that_these_hold() {
    let mut dice = Dice::new(7);
    let games: Vec<PlainGame> = (0..30).map(|_| random_game(&mut dice)).collect();
    let folder = tempfile::tempdir().unwrap();
    for list in List::ALL {
        let source = folder.path().join("games").with_extension(list.suffix());
        fs::write(&source, list.of_games(&games)).unwrap();
        let read = Database::open(&source).unwrap();
        for suffix in ["pgn", "si5"] {
            let target = folder.path().join(format!("{list:?}.{suffix}"));
            let go_on = &mut |_| Flow::Continue(());
            let done = convert(
                std::slice::from_ref(&source),
                &target,
                Overwrite::Refuse,
                go_on,
            )
            .unwrap();
            assert_eq!(
                (done.games, done.skipped + done.harmed),
                (30, 0),
                "{list:?}"
            );
            let written = Database::open(&target).unwrap();
            for id in read.games() {
                let [one, other] = [&read, &written].map(|base| PlainGame::read(base, id).unwrap());
                assert_eq!(
                    one.main_line(),
                    other.main_line(),
                    "{list:?} {suffix} {id:?}"
                );
                let tags = |game: PlainGame| {
                    let mut tags = game.tags;
                    tags.retain(|(name, _)| name != "SetUp");
                    tags
                };
                assert_eq!(tags(one), tags(other), "{list:?} {suffix} {id:?}");
            }
        }
    }
}

#[test]
fn packed_lists_and_those_with_an_index_are_the_same() {
    let mut dice = Dice::new(9);
    let games: Vec<PlainGame> = (0..30).map(|_| random_game(&mut dice)).collect();
    let folder = tempfile::tempdir().unwrap();
    for list in List::ALL {
        let text = list.of_games(&games);
        let plain = folder.path().join(format!("{list:?}.{}", list.suffix()));
        let packed = folder
            .path()
            .join(format!("{list:?}.{}.zst", list.suffix()));
        fs::write(&plain, &text).unwrap();
        fs::write(
            &packed,
            crate::support::frames::in_frames(text.as_bytes(), 700),
        )
        .unwrap();
        let whole = Database::open(&plain).unwrap();
        let games = |database: &Database| -> Vec<PlainGame> {
            let games = database
                .games()
                .map(|id| PlainGame::read(database, id).unwrap());
            games.collect()
        };
        let expected = games(&whole);
        for path in [&plain, &packed] {
            let database = Database::open(path).unwrap();
            assert_eq!(games(&database), expected, "{list:?}");
            SidecarOptions::new().build(&database).unwrap();
            let indexed = Database::open(path).unwrap();
            assert!(indexed.sidecar().is_some(), "{list:?}");
            assert_eq!(games(&indexed), expected, "{list:?}");
            assert!(indexed.verify().unwrap().damaged_games.is_empty());
        }
    }
}

/// Files that are cut anywhere, and of which any byte is another.
#[test]
fn any_harm_to_lists_is_survived() {
    let mut dice = Dice::new(3);
    let games: Vec<PlainGame> = (0..3).map(|_| random_game(&mut dice)).collect();
    let folder = tempfile::tempdir().unwrap();
    for list in List::ALL {
        let text = list.of_games(&games).into_bytes();
        let path = folder.path().join("harmed").with_extension(list.suffix());
        let (mut opened, mut tried) = (0, 0);
        let mut opens = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            tried += 1;
            if let Ok(database) = Database::read(&path) {
                exercise::whole(&database);
                opened += 1;
            }
        };
        for at in (0..text.len()).step_by(1 + text.len() / 100) {
            opens(&text[..at]);
            for value in [0, b'\n', b'"', b'{', b',', text[at] ^ 1] {
                let mut changed = text.clone();
                changed[at] = value;
                opens(&changed);
            }
        }
        assert!(opened > tried / 2, "{list:?}: {opened} of {tried}");
    }
}

#[test]
fn damage_to_one_item_of_a_list_costs_that_game() {
    let mut dice = Dice::new(11);
    let games: Vec<PlainGame> = (0..20).map(|_| random_game(&mut dice)).collect();
    for list in [List::Puzzles, List::Archive, List::Lines] {
        let text = list.of_games(&games);
        let name = format!("games.{}", list.suffix());
        let (_one, whole) = written(&name, &text);
        // The quote or comma in the middle goes.
        let at = text.len() / 2;
        let sign = if list == List::Puzzles { ',' } else { '"' };
        let at = at + text[at..].find(sign).unwrap();
        let (_two, harmed) = written(&name, &(text[..at].to_owned() + &text[at + 1..]));
        let same = harmed.games().filter(|&id| {
            let [one, other] = [&harmed, &whole].map(|base| PlainGame::read(base, id).ok());
            one.is_some() && one == other
        });
        assert_eq!((harmed.len(), same.count()), (20, 19), "{list:?}");
    }
}

#[test]
fn an_item_longer_than_the_limit_is_damaged_and_others_stay() {
    let long = "x".repeat(5 << 20);
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    for (name, text) in [
        (
            "a.csv",
            format!("1,{fen},e2e4\n2,{fen},e2e4,{long}\n3,{fen},e2e3\n"),
        ),
        ("a.epd", format!("{fen}\n{fen} c0 \"{long}\";\n{fen}\n")),
        (
            "a.ndjson",
            format!("{{\"pgn\":\"*\"}}\n{{\"pgn\":\"{{{long}}} *\"}}\n{{\"pgn\":\"*\"}}\n"),
        ),
    ] {
        let (_folder, database) = written(name, &text);
        let damaged = database.verify().unwrap().damaged_games;
        assert_eq!(database.len(), 3, "{name}");
        assert_eq!(damaged.len(), 1, "{name}");
        assert_eq!(damaged[0].game(), Some(2), "{name}");
    }
}

#[test]
fn other_files_with_the_suffix_of_a_list_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("table.csv", "name,score\nAnn,3\n"),
        ("package.json", "{\"name\":\"package\",\"version\":\"1\"}\n"),
        ("text.epd", "hello world\n"),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let error = Database::open(&path).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Corrupt { .. }), "{error}");
        assert_eq!(error.path(), Some(&*path));
        assert!(!tabiya::format::is_database_entry(&path), "{name}");
    }
}

#[test]
fn a_puzzle_is_among_those_that_are_similar_to_its_position() {
    let (_folder, database) = written("puzzles.csv", PUZZLES);
    assert_eq!(
        ids(&database, r#"similar:"4k3/8/8/3q4/8/4N3/8/4K3">=0.9"#),
        [2]
    );
}

#[test]
fn a_rating_that_no_puzzle_has_may_be_that_of_players() {
    let (_folder, database) = written(
        "a.pgn",
        "[WhiteElo \"2600\"]\n[BlackElo \"2600\"]\n\n1. e4 *\n",
    );
    let query = ask::query("rating>2500");
    let hints = Search::new(&query).hints(&database).unwrap();
    let hints: Vec<String> = hints.iter().map(ToString::to_string).collect();
    assert_eq!(
        hints,
        ["nothing fits `rating>2500`; did you mean `elo>2500`?"]
    );
    let (_folder, puzzles) = written("puzzles.csv", PUZZLES);
    assert!(Search::new(&query).hints(&puzzles).unwrap().is_empty());
}

/// The result of a game of which only tags are read would be another one.
#[test]
fn a_result_among_the_moves_of_a_puzzle_is_no_result() {
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let text = format!("1,{fen},e2e4 1/2 e8e7\n2,{fen},1-0\n3,{fen},[Event \"x\"] e2e4\n");
    let (folder, whole) = written("puzzles.csv", &text);
    let query = ask::query("result:*");
    let options = OpenOptions::new().for_query(&query);
    let tags = options.open(folder.path().join("puzzles.csv")).unwrap();
    for database in [&whole, &tags] {
        assert_eq!(ids(database, "result:*"), [1, 2, 3]);
        assert_eq!(database.verify().unwrap().damaged_games.len(), 3);
    }
}
