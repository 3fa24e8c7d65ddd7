//! The interface of Lichess: its counts, its filters, its lists of games.

use serde_json::{Value, json};
use tabiya::{Database, Query, TreePosition, TreeSearch};

use crate::{
    client::encoded,
    server::{Server, fixture},
};

#[test]
fn counts_are_those_of_the_library() {
    let server = Server::famous();
    let database = Database::open(fixture("famous.si4")).expect("a database");
    let filters = [
        ("/masters?since=1900&until=1999&", "date>=1900 date<=1999"),
        ("/masters?", ""),
        ("/lichess?ratings=2200,2500&", "avgelo>=2200"),
        (
            "/lichess?since=1858-06&until=2016-10&",
            "date>=1858.06 date<=2016.10",
        ),
        (
            "/player?player=Morphy,%20Paul&color=white&",
            "white=\"Morphy, Paul\"",
        ),
        ("/player?player=morphy&color=white&", "white:morphy"),
        ("/lichess?speeds=bullet&modes=casual&", ""),
        ("/lichess?ratings=&", "number<1"),
    ];
    let places = [
        ("", ""),
        ("e2e4,e7e5", "1.e4 e5"),
        ("e2e4,c7c5,g1f3", "1.e4 c5 2.Nf3"),
    ];
    for (address, query) in filters {
        let query: Query = query.parse().expect("a query");
        for (play, moves) in places {
            let position = TreePosition::from_moves(moves).expect("a position");
            let tree = TreeSearch::new(&position).query(&query);
            let tree = tree.run(&database).expect("a tree");
            let answer = server
                .get(&format!("{address}moves=100&play={play}"))
                .json();
            let total = tree.total();
            assert_eq!(answer["white"], total.white_wins(), "{address}{play}");
            assert_eq!(answer["draws"], total.draws(), "{address}{play}");
            assert_eq!(answer["black"], total.black_wins(), "{address}{play}");
            let rows = tree.rows().iter().filter(|row| row.san != "[end]");
            let rows: Vec<Value> = rows
                .map(|row| json!([row.san, row.stats.white_wins(), row.stats.black_wins()]))
                .collect();
            let moves = answer["moves"].as_array().expect("moves").iter();
            let moves: Vec<Value> = moves
                .map(|row| json!([row["san"], row["white"], row["black"]]))
                .collect();
            assert_eq!(moves, rows, "{address}{play}");
        }
    }
}

#[test]
fn no_opening_is_named_after_the_codes_of_games() {
    let server = Server::famous();
    // Most games with these moves have the codes of what came later.
    for play in [
        "",
        "e2e4",
        "e2e4,c7c5",
        "e2e4,c7c5,g1f3,d7d6,d2d4,c5d4,f3d4,g8f6,b1c3,a7a6",
    ] {
        for endpoint in ["/masters?", "/lichess?", "/player?player=a&color=white&"] {
            let answer = server.get(&format!("{endpoint}play={play}")).json();
            assert_eq!(
                answer.get("opening"),
                Some(&Value::Null),
                "{endpoint}{play}"
            );
            for row in answer["moves"].as_array().expect("moves") {
                assert_eq!(row.get("opening"), Some(&Value::Null), "{row}");
            }
        }
    }
}

#[test]
fn castling_is_read_in_both_ways_and_written_as_lichess_does() {
    let server = Server::famous();
    let line = "e2e4,e7e5,g1f3,b8c6,f1c4,f8c5,b2b4,c5b4,c2c3,b4a5,d2d4,e5d4";
    let before = server.get(&format!("/masters?play={line}")).json();
    let moves = before["moves"].as_array().expect("moves");
    let castling = moves.iter().find(|row| row["san"] == "O-O");
    assert_eq!(castling.map(|row| &row["uci"]), Some(&json!("e1h1")));
    let short = server.get(&format!("/masters?play={line},e1g1")).json();
    let long = server.get(&format!("/masters?play={line},e1h1")).json();
    assert_eq!(short, long);
    assert!(short["white"].as_u64() > Some(0));
}

#[test]
fn a_position_counts_however_it_is_reached_and_written() {
    let server = Server::famous();
    let one = server.get("/masters?play=d2d4,g8f6,c2c4").json();
    let other = server.get("/masters?play=c2c4,g8f6,d2d4").json();
    let fen = "rnbqkb1r/pppppppp/5n2/8/2PP4/8/PP2PPPP/RNBQKBNR b KQkq - 0 2";
    let by_fen = server.get(&format!("/masters?fen={}", encoded(fen))).json();
    let underscores = fen.replace(' ', "_");
    let short = server
        .get(&format!("/masters?variant=chess960&fen={underscores}"))
        .json();
    assert!(
        one["moves"]
            .as_array()
            .is_some_and(|moves| !moves.is_empty())
    );
    assert!(one == other && one == by_fen && one == short);
}

#[test]
fn games_of_the_lists_are_sorted_and_their_names_lead_to_them() {
    let server = Server::famous();
    let answer = server.get("/lichess?topGames=9&recentGames=2").json();
    let (top, recent) = (&answer["topGames"], &answer["recentGames"]);
    assert_eq!(top.as_array().map(Vec::len), Some(4));
    assert_eq!(recent.as_array().map(Vec::len), Some(2));
    let mean = |game: &Value| {
        let rating = |side: &str| game[side]["rating"].as_u64().unwrap_or(0);
        rating("white") + rating("black")
    };
    let means: Vec<u64> = top.as_array().into_iter().flatten().map(mean).collect();
    assert!(
        means.is_sorted_by(|one, other| one >= other) && means[0] > 5000,
        "{means:?}"
    );
    assert!(recent[0]["month"].as_str() >= recent[1]["month"].as_str());
    for game in top.as_array().into_iter().flatten() {
        let id = game["id"].as_str().expect("a name");
        assert_eq!(id.len(), 8);
        for path in ["/masters/pgn", "/master/pgn"] {
            let pgn = server.get(&format!("{path}/{id}"));
            assert_eq!(pgn.header("content-type"), "application/x-chess-pgn");
            let white = game["white"]["name"].as_str().expect("a name");
            assert!(
                pgn.body.contains(&format!("[White \"{white}\"]")),
                "{}",
                pgn.body
            );
        }
        let game = server.get(&format!("/api/game?id={id}")).json();
        assert_eq!(game["id"], id);
    }
}

#[test]
fn a_move_that_was_played_once_comes_with_its_game() {
    let server = Server::famous();
    let answer = server.get("/masters?moves=100").json();
    let moves = answer["moves"].as_array().expect("moves");
    let games = |row: &Value| {
        let count = |name: &str| row[name].as_u64().unwrap_or(0);
        count("white") + count("draws") + count("black")
    };
    let (once, often): (Vec<&Value>, Vec<&Value>) = moves.iter().partition(|row| games(row) == 1);
    assert!(!once.is_empty() && !often.is_empty());
    assert!(once.iter().all(|row| row["game"].is_object()), "{once:?}");
    assert!(often.iter().all(|row| row["game"].is_null()));
}

#[test]
fn several_databases_count_together_or_by_name() {
    let databases = vec![fixture("famous.si4"), fixture("famous.pgn")];
    let server = Server::new(databases, Default::default());
    let count = |address: &str| server.get(address).json()["white"].as_u64();
    let one = count("/masters?play=e2e4&db=famous");
    assert_eq!(one, count("/masters?play=e2e4&db=famous-2"));
    assert_eq!(one.map(|games| 2 * games), count("/masters?play=e2e4"));
    assert_eq!(server.get("/masters?db=other").status, 404);
}
