//! Parameters: which there are, and how long a query may be.

use serde_json::{Value, json};

use crate::{
    client::{ask, encoded},
    server::Server,
};

/// More than a query may have.
const LONG: usize = (8 << 10) + 1;

/// Returns the names of an operation's parameters as the description has them.
fn described<'d>(description: &'d Value, operation: &'d Value) -> Vec<&'d str> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let name = |parameter: &'d Value| {
        let target = parameter["$ref"]
            .as_str()
            .map(|name| name.trim_start_matches('#'));
        let parameter = target.map_or(Some(parameter), |target| description.pointer(target));
        parameter
            .and_then(|parameter| parameter["name"].as_str())
            .expect("a name")
    };
    parameters.map(name).collect()
}

#[test]
fn parameters_that_are_unknown_are_refused_and_the_known_ones_told() {
    let server = Server::famous();
    let description = server.get("/api/openapi.json").json();
    let paths = description["paths"].as_object().expect("paths");
    let mut seen = 0;
    for (path, operations) in paths.iter().filter(|(path, _)| path.starts_with("/api/")) {
        for (method, operation) in operations.as_object().expect("operations") {
            let method = method.to_uppercase();
            let known = described(&description, operation);
            for other in ["moves", "FEN", "", "x%20y"] {
                let rest = if method == "POST" {
                    "Content-Length: 2\r\n\r\n{}"
                } else {
                    "\r\n"
                };
                let answer = ask(server.address, &method, &format!("{path}?{other}=e4"), rest);
                assert_eq!(answer.status, 400, "{path} {other}: {}", answer.body);
                let told: Value = serde_json::from_str(&answer.body).expect("JSON");
                let told = told["error"].as_str().expect("a message");
                let list = told.split_once(": ").expect("a list").1;
                let list = list.strip_prefix("known here are ").unwrap_or_default();
                let list: Vec<&str> = list.split(", ").filter(|name| !name.is_empty()).collect();
                let (mut list, mut known) = (list, known.clone());
                list.sort_unstable();
                known.sort_unstable();
                // What is told is what the description has.
                assert_eq!(list, known, "{path}");
            }
            seen += 1;
        }
    }
    assert_eq!(seen, 31);
    // The position that is not asked for is not answered.
    assert_eq!(server.get("/api/tree?moves=e4").status, 400);
    // Clients of Lichess send what the original knows and this server does not.
    assert_eq!(server.get("/masters?source=analysis").status, 200);
}

#[test]
fn queries_have_a_bound_in_addresses_and_in_what_is_posted() {
    let server = Server::famous();
    let long = format!("white:\"{}\"", "e\u{301}".repeat(LONG / 3));
    let bare = "x".repeat(LONG);
    for query in [&*long, &*bare] {
        let body = json!({ "positions": [], "q": query }).to_string();
        let answer = server.post("/api/positions", &body);
        assert_eq!(answer.status, 400);
        assert!(
            answer.body.contains("longer than 8192 bytes"),
            "{}",
            answer.body
        );
    }
    for path in ["/api/search", "/api/tree", "/api/stats"] {
        let answer = server.get(&format!("{path}?q={bare}"));
        assert_eq!(answer.status, 400, "{path}");
        let told: Value = serde_json::from_str(&answer.body).expect("JSON");
        assert_eq!(
            (&told["start"], &told["end"]),
            (&json!(LONG - 1), &json!(LONG))
        );
    }
    let checked = server.get(&format!("/api/query?q={bare}")).json();
    assert_eq!(checked["fault"]["end"], LONG);
    let player = server.get(&format!("/player?color=white&player={bare}"));
    assert_eq!(player.status, 400);
    // As long as it may be, of texts that are short enough.
    let fitting = "white:x ".repeat(LONG / 8);
    let answer = server.get(&format!("/api/search?q={}", encoded(&fitting)));
    assert_eq!(answer.status, 200, "{}", answer.body);
}
