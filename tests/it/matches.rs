//! Matches one by one are those of a run.

use tabiya::{
    Database, ErrorKind, Flow, GameId, GameSet, Match, Query, Search, Strategy, convert,
    format::Overwrite,
};
use tempfile::TempDir;

/// More games than are examined at once.
const COPIES: usize = 60;

/// Returns a database of the famous games, many times over.
fn many(folder: &TempDir, name: &str) -> Database {
    let sources = vec!["fixtures/famous.si4".into(); COPIES];
    let target = folder.path().join(name);
    convert(&sources, &target, Overwrite::Refuse, |_| Flow::Continue(())).unwrap();
    Database::open(&target).unwrap()
}

fn one_by_one(search: &Search<'_>, database: &Database) -> Vec<Match> {
    let matches = search.matches(database).unwrap();
    matches.collect::<tabiya::Result<_>>().unwrap()
}

#[test]
fn matches_one_by_one_are_those_of_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut databases = vec![many(&folder, "many.si4"), many(&folder, "many.pgn")];
    for name in ["famous.cbh", "famous.pgn"] {
        databases.push(Database::open(format!("fixtures/{name}")).unwrap());
    }
    let some: GameSet = (0..5000).step_by(3).map(GameId).collect();
    for database in &databases {
        for text in [
            "",
            "white:morphy",
            "mate",
            "not mate",
            "result:1-0 or piece:Qh5",
            "at(Q=1 stm:black) next at(Q=0)",
            "white:nobody",
        ] {
            let query: Query = text.parse().unwrap();
            let search = Search::new(&query);
            for search in [
                search.clone(),
                search.clone().strategy(Strategy::FullDecode),
                search.clone().variations(true).plies(false),
                search.clone().limit(7),
                search.clone().limit(0),
                search.clone().among(&some),
            ] {
                let found = search.run(database).unwrap();
                assert_eq!(one_by_one(&search, database), found.as_slice(), "{text}");
            }
        }
    }
}

#[test]
fn matches_one_by_one_have_the_report_of_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let database = many(&folder, "many.si4");
    let query: Query = "check".parse().unwrap();
    let search = Search::new(&query).strategy(Strategy::FullDecode);
    let mut matches = search.matches(&database).unwrap();
    assert!(matches.next().is_some());
    let begun = matches.report().decoded;
    assert!(
        begun < database.len().into(),
        "all games were decoded first"
    );
    assert_eq!(
        matches.by_ref().count() as u64 + 1,
        matches.report().matched
    );
    let (mut found, run) = (matches.report().clone(), search.run(&database).unwrap());
    for time in [
        &mut found.bind_time,
        &mut found.index_time,
        &mut found.decode_time,
    ] {
        *time = Default::default();
    }
    let mut expected = run.report().clone();
    for time in [
        &mut expected.bind_time,
        &mut expected.index_time,
        &mut expected.decode_time,
    ] {
        *time = Default::default();
    }
    assert_eq!(format!("{found:?}"), format!("{expected:?}"));
}

#[test]
fn matches_one_by_one_end_when_the_database_changes() {
    let folder = tempfile::tempdir().unwrap();
    let database = many(&folder, "many.si4");
    let query: Query = "check".parse().unwrap();
    let search = Search::new(&query).strategy(Strategy::FullDecode);
    let mut matches = search.matches(&database).unwrap();
    assert!(matches.next().unwrap().is_ok());
    let games = folder.path().join("many.sg4");
    let file = std::fs::OpenOptions::new()
        .append(true)
        .open(games)
        .unwrap();
    file.set_len(file.metadata().unwrap().len() + 1).unwrap();
    let error = matches.find_map(Result::err).unwrap();
    assert!(matches!(error.kind(), ErrorKind::Changed { .. }), "{error}");
    assert!(matches.next().is_none());
}

#[test]
fn games_of_a_database_are_all_its_games_in_order() {
    let database = Database::open("fixtures/famous.si4").unwrap();
    assert_eq!(database.games().len(), 91);
    assert!(database.games().map(|game| game.0).eq(0..91));
}
