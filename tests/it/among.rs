//! Searches and trees among games that are known already.

use tabiya::{
    Database, GameId, GameSet, Positions, Query, Search, Strategy, TreePosition, TreeSearch,
};

const QUERIES: [&str; 5] = [
    "mate",
    "white:morphy",
    "not mate",
    "piece:Bb5",
    "result:1-0 or mate",
];

fn database() -> Database {
    Database::open("fixtures/famous.si4").unwrap()
}

/// Returns every second and third game, and one that the database does not have.
fn some() -> GameSet {
    let games = (0..200).filter(|game| game % 2 == 0 || game % 3 == 0);
    games.map(GameId).collect()
}

#[test]
fn a_search_among_games_finds_those_of_them_that_match() {
    let (database, some) = (database(), some());
    for query in QUERIES {
        let query: Query = query.parse().unwrap();
        for strategy in [Strategy::Auto, Strategy::FullDecode] {
            let search = Search::new(&query).strategy(strategy);
            let all = search.run(&database).unwrap();
            let among = search.among(&some);
            let found = among.run(&database).unwrap();
            let expected = all.iter().filter(|found| some.contains(found.game));
            assert!(found.iter().eq(expected), "{query}");
            let count = among.count(&database).unwrap();
            assert_eq!(count.matched, found.len() as u64, "{query}");
            let bounds = among.bounds(&database).unwrap();
            assert!(bounds.possible.is_subset(&some) && bounds.certain.is_subset(&found.games()));
        }
    }
}

#[test]
fn a_tree_among_games_is_that_of_the_query_that_found_them() {
    let database = database();
    for (query, moves) in QUERIES
        .iter()
        .flat_map(|query| ["", "1.e4", "1.e4 e5"].map(|moves| (query, moves)))
    {
        let query: Query = query.parse().unwrap();
        let found = Search::new(&query).run(&database).unwrap().games();
        let position = TreePosition::from_moves(moves).unwrap();
        for strategy in [Strategy::Auto, Strategy::FullDecode] {
            let all = TreeSearch::new(&position).strategy(strategy);
            let (tree, games) = all.clone().among(&found).run_with_games(&database).unwrap();
            let (expected, same) = all.clone().query(&query).run_with_games(&database).unwrap();
            assert_eq!(
                format!("{:?}", tree.rows()),
                format!("{:?}", expected.rows()),
                "{query} {moves}"
            );
            assert_eq!(games, same);
            let both = all.query(&query).among(&some()).run(&database).unwrap();
            let fewer = games.iter().filter(|game| some().contains(**game)).count();
            assert_eq!(both.total().games(), fewer as u64, "{query} {moves}");
        }
    }
}

#[test]
fn positions_among_games_are_those_of_the_query_that_found_them() {
    let database = database();
    let epd = std::fs::read_to_string("fixtures/positions.epd").unwrap();
    let positions = Positions::from_epd(&epd).unwrap().keep_games(true);
    let all = positions.run(&database).unwrap();
    for query in QUERIES {
        let query: Query = query.parse().unwrap();
        let found = Search::new(&query).run(&database).unwrap().games();
        for strategy in [Strategy::Auto, Strategy::FullDecode] {
            let positions = positions.clone().strategy(strategy);
            let among = positions.clone().among(&found).run(&database).unwrap();
            let expected = positions.clone().query(&query).run(&database).unwrap();
            assert_eq!(among.rows(), expected.rows(), "{query}");
            let both = positions.query(&query).among(&some()).run(&database);
            for (row, all) in both.unwrap().rows().iter().zip(all.rows()) {
                assert!(row.games == all.games.and(&found).and(&some()), "{query}");
            }
        }
    }
}
