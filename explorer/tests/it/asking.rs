//! What helps to ask: completion, openings by name, and what is pasted.

use serde_json::{Value, json};

use crate::{
    client::encoded,
    server::{Folder, Server, fixture},
};
use tabiya_explorer::Limits;

fn labels(server: &Server, query: &str) -> Vec<String> {
    let answer = server
        .get(&format!("/api/complete?q={}", encoded(query)))
        .json();
    let items = answer["items"].as_array().expect("items").iter();
    let label = |item: &Value| item["label"].as_str().expect("a label").to_owned();
    items.map(label).collect()
}

#[test]
fn a_word_goes_on_with_fields_choices_and_the_names_of_the_databases() {
    let server = Server::famous();
    assert_eq!(labels(&server, "pla")[0], "player");
    assert_eq!(labels(&server, "structure:carl"), ["carlsbad"]);
    let found = labels(&server, "white:MORPH");
    assert!(
        found.iter().all(|name| name.contains("Morphy")) && !found.is_empty(),
        "{found:?}"
    );
    // A word without a field may be a name too.
    assert!(
        labels(&server, "morph")
            .iter()
            .any(|name| name.contains("Morphy"))
    );
    assert!(labels(&server, "at(morph").is_empty());
    let answer = server
        .get("/api/complete?q=white:morphx+year%3E1800&at=11&limit=1")
        .json();
    assert_eq!((&answer["start"], &answer["end"]), (&json!(0), &json!(12)));
    assert_eq!(answer["items"].as_array().map(Vec::len), Some(1));
    let text = answer["items"][0]["text"].as_str().expect("a text");
    let rest = encoded(&format!("{text} year>1800"));
    assert!(server.get(&format!("/api/query?q={rest}")).json()["fault"].is_null());
    // Names of all databases that are asked, with their games together.
    let both = Server::new(
        vec![fixture("famous.si4"), fixture("famous.pgn")],
        Limits::default(),
    );
    let games = |server: &Server, rest: &str| {
        let answer = server
            .get(&format!("/api/complete?q=player:morphy{rest}"))
            .json();
        let detail = answer["items"][0]["detail"]
            .as_str()
            .expect("games")
            .to_owned();
        detail
            .split(' ')
            .next()
            .and_then(|games| games.parse::<u32>().ok())
            .expect("a number")
    };
    assert_eq!(games(&both, ""), 2 * games(&server, ""));
    assert_eq!(games(&both, "&db=famous"), games(&server, ""));
    assert_eq!(both.get("/api/complete?q=x&db=other").status, 404);
}

#[test]
fn a_search_tells_what_was_probably_meant() {
    let server = Server::new(
        vec![fixture("famous.si4"), fixture("famous.pgn")],
        Limits::default(),
    );
    let hints = |query: &str| {
        let address = format!("/api/search?limit=1&q={}", encoded(query));
        let answer = server.get(&address).json();
        let hints = answer["hints"].as_array().expect("hints").iter();
        let of = |hint: &Value, name: &str| hint[name].as_str().unwrap_or_default().to_owned();
        let told = hints.map(|hint| {
            assert!(of(hint, "text").contains(&of(hint, "instead")), "{hint}");
            (of(hint, "condition"), of(hint, "instead"))
        });
        told.collect::<Vec<_>>()
    };
    let told = |condition: &str, instead: &str| vec![(condition.to_owned(), instead.to_owned())];
    // Words of the game are told whether or not a name has them, beside a position too.
    assert_eq!(hints("gambit"), []);
    let castling = "played:O-O or played:O-O-O";
    assert_eq!(hints("castling year>1"), told("castling", castling));
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w";
    let beside = hints(&format!("fen:\"{start}\" (Threefold\n)"));
    assert!(beside.contains(&("threefold".to_owned(), "repetition:3".to_owned())));
    // Names only if nothing is found, and each once for all databases.
    let instead = "player:\"Morphy, Paul\"";
    assert_eq!(hints("player:morfy"), told("player:morfy", instead));
    assert_eq!(hints("player:morfy or year>1"), []);
}

#[test]
fn hostile_names_make_queries_that_find_them() {
    let folder = Folder::new("explorer-asking");
    let names = [
        "a \\\"b\\\" c",
        "x\\\\",
        "* star",
        "<img src=x>",
        "(bracket",
        "\u{202e}abc",
    ];
    let game = |name: &&str| format!("[White \"{name}\"]\n[Black \"y\"]\n\n1. e4 *\n\n");
    let pgn: String = names.iter().map(game).collect();
    let server = Server::new(
        vec![folder.put("names.pgn", pgn.as_bytes())],
        Limits::default(),
    );
    for operator in [":", "="] {
        let q = encoded(&format!("white{operator}"));
        let answer = server.get(&format!("/api/complete?q={q}")).json();
        let items = answer["items"].as_array().expect("items").iter();
        let items: Vec<&Value> = items.filter(|item| item["label"] != "y").collect();
        assert_eq!(items.len(), names.len(), "{answer}");
        for item in items {
            let text = item["text"].as_str().expect("a text");
            let found = server
                .get(&format!("/api/search?q={}", encoded(text)))
                .json();
            assert_eq!(found["total"], 1, "{text}");
            assert_eq!(found["games"][0]["white"], item["label"], "{text}");
        }
    }
}

#[test]
fn places_and_lengths_out_of_bounds_are_faults() {
    let server = Server::famous();
    for (path, status) in [
        ("/api/complete", 200),
        ("/api/complete?q=&at=0", 200),
        ("/api/complete?q=%C3%A9&at=1", 400),
        ("/api/complete?q=x&at=2", 400),
        ("/api/complete?q=x&at=-1", 400),
        ("/api/complete?q=x&limit=x", 400),
        ("/api/openings?limit=x", 400),
        ("/api/openings?limit=0", 200),
    ] {
        assert_eq!(server.get(path).status, status, "{path}");
    }
    let long = format!("/api/complete?q={}", "x".repeat((8 << 10) + 1));
    assert_eq!(server.get(&long).status, 400);
    let count = |path: &str, list: &str| server.get(path).json()[list].as_array().map(Vec::len);
    assert_eq!(count("/api/complete?limit=1000", "items"), Some(50));
    assert_eq!(count("/api/openings?limit=1000", "openings"), Some(200));
}

#[test]
fn openings_are_found_with_code_and_moves() {
    let server = Server::famous();
    let answer = server.get("/api/openings?name=najd&limit=1").json();
    let row = &answer["openings"][0];
    assert_eq!(row["name"], "Sicilian Defense: Najdorf Variation");
    assert_eq!(row["eco"], "B90");
    assert_eq!(
        row["moves"],
        "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6"
    );
    let play: Vec<&str> = row["play"]
        .as_array()
        .expect("moves")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let position = server
        .get(&format!("/api/position?play={}", play.join(",")))
        .json();
    assert_eq!(position["opening"], row["name"]);
    let hostile = server
        .get("/api/openings?name=%00%22%3Cimg%3E%E2%80%AE")
        .json();
    assert_eq!(hostile["openings"], json!([]));
}

#[test]
fn what_is_pasted_is_read_and_faults_are_answers() {
    let server = Server::famous();
    let pasted = |text: &str| {
        server
            .post("/api/pasted", &json!({ "text": text }).to_string())
            .json()
    };
    let game = pasted("[Event \"?\"]\r\n\r\n1. e4 e5 2. Nf3 *\r\n");
    assert_eq!(game["play"], json!(["e2e4", "e7e5", "g1f3"]));
    assert_eq!(
        (&game["kind"], &game["fen"], &game["fault"]),
        (&json!("pgn"), &json!(""), &json!(null))
    );
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    assert_eq!(pasted(fen)["fen"], fen);
    assert_eq!(
        pasted(&format!(
            "https://lichess.org/editor/{}",
            fen.replace(' ', "_")
        ))["fen"],
        fen
    );
    let far = pasted("https://lichess.org/abcdEF12");
    assert!(
        far["fault"]
            .as_str()
            .is_some_and(|fault| fault.contains("nothing is fetched"))
    );
    // Whatever it is, there is an answer without a failure.
    for text in [
        "",
        "\u{0}",
        "[",
        "{",
        "(((((",
        "1. e4 (1. d4 (1. c4",
        "8/8/8/8/8/8/8/8/8",
        "////////",
        "PK\u{3}\u{4}",
        "BZh9",
        "\u{feff}1. e4",
        "[FEN \"x\"]\n\n1. e4",
    ] {
        let answer = pasted(text);
        assert!(
            answer["fault"].is_string() || answer["kind"].is_string(),
            "{text:?}: {answer}"
        );
    }
    for body in ["", "{}", "[]", "{\"text\":1}", "{\"text\":\"\",\"more\":1}"] {
        assert_eq!(server.post("/api/pasted", body).status, 400, "{body}");
    }
    let large = json!({ "text": "e4 ".repeat(1 << 20) }).to_string();
    assert_eq!(server.post("/api/pasted", &large).status, 413);
}
