//! The forms of answers that Lichess publishes: those of its OpenAPI description (project
//! lichess-org/api, `doc/specs/schemas/OpeningExplorer*.yaml`), and the fields of answers that
//! were recorded for others (project lichess-org/berserk, `tests/clients/cassettes`).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    schema::faults,
    server::{Folder, Server, fixture},
};

/// The published forms, with what the three endpoints have in common said once.
///
/// Some of what is described as always there is left out or null where the server of Lichess
/// knows nothing (`src/api/response.rs` of project lichess-org/lila-openingexplorer), so it may
/// be missing here: `averageRating`, `averageOpponentRating`, `performance`, `speed`, `mode`,
/// `month`.
fn forms() -> Value {
    let results = |more: Value| {
        let mut properties = json!({
            "white": { "type": "integer" },
            "draws": { "type": "integer" },
            "black": { "type": "integer" }
        });
        for (name, schema) in more.as_object().into_iter().flatten() {
            properties[name] = schema.clone();
        }
        properties
    };
    let list = |of: &str| json!({ "type": "array", "items": { "$ref": format!("#/{of}") } });
    let opening = json!({ "anyOf": [{ "type": "null" }, { "$ref": "#/opening" }] });
    let row = |of_move: &[&str]| {
        let mut properties = results(json!({
            "uci": { "type": "string" },
            "san": { "type": "string" },
            "game": { "anyOf": [{ "type": "null" }, { "$ref": "#/game" }] },
            "opening": opening
        }));
        for &name in of_move {
            properties[name] = json!({ "type": "integer" });
        }
        let required = ["uci", "san", "white", "draws", "black", "game", "opening"];
        object(&required, properties)
    };
    let answer = |rows: &str, required: &[&str], more: Value| {
        let mut properties = results(more);
        properties["opening"] = opening.clone();
        properties["moves"] = list(rows);
        let all = [&["opening", "white", "draws", "black", "moves"], required];
        object(&all.concat(), properties)
    };
    let games = list("listed");
    json!({
        "opening": object(&["eco", "name"], strings(&["eco", "name"])),
        "player": player(),
        "game": game(&[]),
        "listed": game(&["uci"]),
        "month": object(
            &["month", "white", "draws", "black"],
            results(json!({ "month": { "type": "string" } })),
        ),
        "rated": row(&["averageRating"]),
        "played": row(&["averageOpponentRating", "performance"]),
        "/masters": answer("rated", &["topGames"], json!({ "topGames": games })),
        "/lichess": answer("rated", &["topGames", "recentGames"], json!({
            "topGames": games, "recentGames": games, "history": list("month")
        })),
        "/player": answer("played", &["queuePosition", "recentGames"], json!({
            "recentGames": games, "queuePosition": { "type": "integer" }
        })),
    })
}

fn object(required: &[&str], properties: Value) -> Value {
    json!({
        "type": "object", "required": required,
        "additionalProperties": false, "properties": properties
    })
}

fn strings(names: &[&str]) -> Value {
    let string = |&name: &&str| (name.to_owned(), json!({ "type": "string" }));
    names.iter().map(string).collect()
}

fn player() -> Value {
    let mut properties = strings(&["name"]);
    properties["rating"] = json!({ "type": "integer" });
    object(&["name", "rating"], properties)
}

/// A game; in lists it has its next move too.
fn game(more: &[&str]) -> Value {
    let mut properties = strings(&[&["id"], more].concat());
    for (name, schema) in [
        ("winner", json!({ "enum": ["white", "black", null] })),
        (
            "speed",
            json!({ "enum": [
            "ultraBullet", "bullet", "blitz", "rapid", "classical", "correspondence"
        ] }),
        ),
        ("mode", json!({ "enum": ["rated", "casual"] })),
        ("white", json!({ "$ref": "#/player" })),
        ("black", json!({ "$ref": "#/player" })),
        ("year", json!({ "type": "integer" })),
        ("month", json!({ "type": ["string", "null"] })),
    ] {
        properties[name] = schema;
    }
    let required = [&["id", "winner", "white", "black", "year", "month"], more];
    object(&required.concat(), properties)
}

/// What each endpoint is asked with; `play` is added.
const ASKED: [(&str, &str); 3] = [
    ("/masters", "?"),
    ("/lichess", "?history=True&"),
    ("/player", "?player=Carlsen&color=white&"),
];

/// Two games as Lichess exports them.
const ONLINE: &str = r#"
[Event "Rated Blitz game"]
[Date "2021.05.01"]
[White "Carlsen"]
[Black "Other"]
[Result "1-0"]
[WhiteElo "2850"]
[BlackElo "2500"]
[ECO "C20"]

1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0

[Event "Casual Rapid game"]
[Date "2021.06.01"]
[White "Carlsen"]
[Black "Other"]
[Result "0-1"]
[WhiteElo "2840"]
[BlackElo "2510"]
[ECO "A00"]

1. f3 e5 2. g4 Qh4# 0-1
"#;

fn server(folder: &Folder) -> Server {
    let online = folder.put("online.pgn", ONLINE.as_bytes());
    Server::new(vec![fixture("famous.si4"), online], Default::default())
}

#[test]
fn answers_have_the_published_form() {
    let folder = Folder::new("explorer-published");
    let server = server(&folder);
    let forms = forms();
    for (endpoint, rest) in ASKED {
        for play in ["", "e2e4", "e2e4,e7e5", "d2d4,g8f6,c2c4", "a2a3,a7a6,h2h3"] {
            let answer = server.get(&format!("{endpoint}{rest}play={play}")).json();
            let wrong = faults(&answer, &forms[endpoint], &forms);
            assert!(wrong.is_empty(), "{endpoint} {play}: {wrong:#?}");
        }
    }
}

/// Where recorded answers have a value that is not null, but for `opening`, which is always null
/// here. A list is one place.
const RECORDED: [(&str, &str); 3] = [
    (
        "/masters",
        "white draws black moves[].uci moves[].san moves[].averageRating moves[].white \
         moves[].draws moves[].black moves[].game.id moves[].game.winner \
         moves[].game.black.name moves[].game.black.rating moves[].game.white.name \
         moves[].game.white.rating moves[].game.year moves[].game.month topGames[].uci \
         topGames[].id topGames[].winner topGames[].black.name topGames[].black.rating \
         topGames[].white.name topGames[].white.rating topGames[].year topGames[].month",
    ),
    (
        "/lichess",
        "white draws black moves[].uci moves[].san moves[].averageRating moves[].white \
         moves[].draws moves[].black moves[].game.id moves[].game.winner moves[].game.speed \
         moves[].game.mode moves[].game.black.name moves[].game.black.rating \
         moves[].game.white.name moves[].game.white.rating moves[].game.year \
         moves[].game.month recentGames[].uci recentGames[].id recentGames[].winner \
         recentGames[].speed recentGames[].mode recentGames[].black.name \
         recentGames[].black.rating recentGames[].white.name recentGames[].white.rating \
         recentGames[].year recentGames[].month topGames[].uci topGames[].id \
         topGames[].winner topGames[].speed topGames[].mode topGames[].black.name \
         topGames[].black.rating topGames[].white.name topGames[].white.rating \
         topGames[].year topGames[].month history[].month history[].white history[].draws \
         history[].black",
    ),
    (
        "/player",
        "white draws black moves[].uci moves[].san moves[].averageOpponentRating \
         moves[].performance moves[].white moves[].draws moves[].black moves[].game.id \
         moves[].game.winner moves[].game.speed moves[].game.mode moves[].game.black.name \
         moves[].game.black.rating moves[].game.white.name moves[].game.white.rating \
         moves[].game.year moves[].game.month recentGames[].uci recentGames[].id \
         recentGames[].winner recentGames[].speed recentGames[].mode \
         recentGames[].black.name recentGames[].black.rating \
         recentGames[].white.name recentGames[].white.rating recentGames[].year \
         recentGames[].month queuePosition",
    ),
];

/// Adds the places at which a value has something other than null.
fn places(value: &Value, place: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Null => {}
        Value::Array(items) => {
            let place = format!("{place}[]");
            items.iter().for_each(|item| places(item, &place, found));
        }
        Value::Object(members) => {
            for (name, member) in members {
                let dot = if place.is_empty() { "" } else { "." };
                places(member, &format!("{place}{dot}{name}"), found);
            }
        }
        _ => {
            found.insert(place.to_owned());
        }
    }
}

#[test]
fn every_field_of_recorded_answers_is_there() {
    let folder = Folder::new("explorer-recorded");
    let server = server(&folder);
    for ((endpoint, rest), (_, recorded)) in ASKED.iter().zip(RECORDED) {
        let mut found = BTreeSet::new();
        for play in ["", "e2e4", "e2e4,c7c5", "e2e4,e7e5,d1h5"] {
            let answer = server.get(&format!("{endpoint}{rest}play={play}")).json();
            places(&answer, "", &mut found);
        }
        let missing: Vec<&str> = recorded
            .split_whitespace()
            .filter(|&place| !found.contains(place))
            .collect();
        assert!(missing.is_empty(), "{endpoint}: {missing:?}");
    }
}
