//! What readers do with games beyond reading them: similar positions, novelties, lists, saving.

use std::{
    io::{Cursor, Read},
    thread,
    time::Duration,
};

use serde_json::{Value, json};
use tabiya::{Database, GameId, Novelties, Similar};
use tabiya_explorer::Limits;
use zip::ZipArchive;

use crate::{
    client::{encoded, long_search, send},
    server::{Folder, Server, fixture},
};

const RUY: &str = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R";

/// Returns the body of an answer that is no text.
fn bytes(server: &Server, path: &str) -> Vec<u8> {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let mut answer = Vec::new();
    let _ = send(server.address, request).read_to_end(&mut answer);
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{path}");
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
    answer.split_off(end.expect("a head") + 4)
}

fn texts<'v>(rows: &'v Value, name: &str) -> Vec<&'v str> {
    let rows = rows.as_array().expect("rows").iter();
    rows.map(|row| row[name].as_str().expect("a text"))
        .collect()
}

#[test]
fn games_come_in_the_order_of_their_likeness_page_by_page() {
    let server = Server::famous();
    let database = Database::open(fixture("famous.si4")).expect("a database");
    let similar = Similar::from_fen(RUY).expect("a position").limit(200);
    let (expected, _) = similar.run(&database).expect("games");
    let address = format!("/api/search?like={}&limit=50", encoded(RUY));
    let mut seen = Vec::new();
    for offset in [0, 50] {
        let page = server.get(&format!("{address}&offset={offset}")).json();
        assert_eq!(page["total"], 91);
        seen.extend(page["games"].as_array().expect("games").clone());
    }
    assert_eq!((seen.len(), expected.len()), (91, 91));
    for (row, game) in seen.iter().zip(&expected) {
        assert_eq!(row["number"], game.game.number_in_part());
        assert_eq!(row["ply"], game.ply);
        let similarity = row["similarity"].as_f64().expect("a number");
        assert!((similarity - game.similarity).abs() < 1e-6, "{row}");
    }
    assert_eq!(seen[0]["similarity"], 1.0);
    // The filter leaves some of them, in the same order.
    let some = server.get(&format!("{address}&q=player:morphy")).json();
    let numbers: Vec<&Value> = seen.iter().map(|row| &row["number"]).collect();
    let left = some["games"].as_array().expect("games");
    let places = left
        .iter()
        .map(|row| numbers.iter().position(|number| **number == row["number"]));
    let places: Vec<usize> = places.map(|place| place.expect("one of them")).collect();
    assert!(places.len() > 2 && places.is_sorted(), "{places:?}");
    // Two databases: equal games stay in the order of the databases.
    let two = vec![fixture("famous.si4"), fixture("famous.pgn")];
    let two = Server::new(two, Limits::default());
    let page = two.get(&address).json();
    assert_eq!(texts(&page["games"], "db")[0], "famous");
    assert_eq!(page["total"], 182);
    for wrong in [
        "like=x",
        "like=8/8&sort=date",
        &format!("like={RUY}&sort=date"),
    ] {
        assert_eq!(
            server.get(&format!("/api/search?{wrong}")).status,
            400,
            "{wrong}"
        );
    }
}

#[test]
fn novelties_are_those_of_the_library_and_the_others_have_reasons() {
    let server = Server::famous();
    let database = Database::open(fixture("famous.si4")).expect("a database");
    let expected = Novelties::new().run(&database, &[&database]);
    let (expected, _) = expected.expect("novelties");
    let answer = server.get("/api/novelties?limit=200").json();
    let rows = answer["games"].as_array().expect("games");
    assert_eq!(rows.len(), 91);
    let mut novelties = expected.iter();
    for row in rows {
        if row["novelty"].is_null() {
            let reason = row["reason"].as_str().expect("a reason");
            let is_dated = row["game"]["date"].is_string();
            assert_eq!(reason == "undated", !is_dated, "{row}");
            continue;
        }
        let novelty = novelties.next().expect("one more");
        assert_eq!(row["game"]["number"], novelty.game.number_in_part());
        assert_eq!(row["novelty"]["ply"], novelty.ply);
        assert_eq!(row["novelty"]["before"], novelty.before);
        let latest = novelty.latest.map(|(_, game)| game.number_in_part());
        assert_eq!(
            row["novelty"]["latest"]["number"].as_u64(),
            latest.map(u64::from)
        );
        let label = row["novelty"]["label"].as_str().unwrap_or_default();
        let number = novelty.ply.div_ceil(2).to_string();
        assert!(novelty.ply == 0 || label.starts_with(&number), "{row}");
        // The latest game is told at the position that it shares.
        if novelty.latest.is_some() {
            assert!(row["novelty"]["latest"]["ply"].is_u64(), "{row}");
        }
    }
    assert!(novelties.next().is_none());
    // Nothing is earlier than the only game.
    let folder = Folder::new("explorer-first");
    let only = folder.put("only.pgn", b"[Date \"2001.01.01\"]\n\n1. e4 *\n");
    let server = Server::new(vec![only], Limits::default());
    let answer = server.get("/api/novelties").json();
    assert_eq!(answer["games"][0]["reason"], "first");
    assert!(answer["games"][0]["novelty"].is_null());
}

#[test]
fn novelties_of_named_games_ask_the_databases_that_are_on() {
    let databases = vec![fixture("famous.si4"), fixture("famous.pgn")];
    let server = Server::new(databases, Limits::default());
    let page = server
        .get("/api/search?db=famous&sort=date:desc&limit=10")
        .json();
    let ids = texts(&page["games"], "id").join(",");
    let one = server
        .get(&format!("/api/novelties?ids={ids}&db=famous"))
        .json();
    let two = server.get(&format!("/api/novelties?ids={ids}")).json();
    assert_eq!(one["games"].as_array().map(Vec::len), Some(10));
    for (one, two) in one["games"]
        .as_array()
        .expect("games")
        .iter()
        .zip(two["games"].as_array().expect("games"))
    {
        assert_eq!(one["novelty"]["ply"], two["novelty"]["ply"]);
        let both = (
            one["novelty"]["before"].as_u64(),
            two["novelty"]["before"].as_u64(),
        );
        if let (Some(one), Some(two)) = both {
            assert_eq!(2 * one, two);
        }
    }
    for (status, wrong) in [
        (400, "ids=x".to_owned()),
        (404, "ids=000000ZZ".to_owned()),
        (400, format!("ids={ids}&q=mate")),
        (404, format!("ids={ids}&db=nowhere")),
        (400, format!("ids={}", vec!["00000001"; 1001].join(","))),
    ] {
        let answer = server.get(&format!("/api/novelties?{wrong}"));
        assert_eq!(answer.status, status, "{wrong}: {}", answer.body);
    }
}

#[test]
fn games_are_exported_as_pgn_in_their_order() {
    let server = Server::famous();
    let page = server.get("/api/search?q=player:morphy&sort=date").json();
    let ids = texts(&page["games"], "id");
    assert!(ids.len() > 3);
    let each = ids
        .iter()
        .map(|id| server.get(&format!("/masters/pgn/{id}")).body);
    let each: String = each.collect();
    let found = server.get("/api/export?q=player:morphy&sort=date&name=Morphy%0d%0aX:%20y");
    assert_eq!(found.body, each);
    assert_eq!(found.header("content-type"), "application/x-chess-pgn");
    assert_eq!(found.header("x"), "");
    assert!(
        found
            .header("content-disposition")
            .contains("MorphyX- y.pgn")
    );
    let reversed: Vec<&str> = ids.iter().rev().copied().collect();
    let named = server.get(&format!("/api/export?ids={}", reversed.join(",")));
    assert!(
        named
            .body
            .ends_with(&server.get(&format!("/masters/pgn/{}", ids[0])).body)
    );
    assert_eq!(named.body.len(), each.len());
    let two = server.get("/api/export?offset=1&limit=2&q=player:morphy&sort=date");
    assert_eq!(two.body.matches("[Event ").count(), 2);
}

#[test]
fn lines_are_saved_as_pgn_and_as_a_book() {
    let server = Server::famous();
    let pgn = server.get("/api/lines?play=e2e4,e7e5&depth=2&minGames=5&name=Open%20games");
    assert_eq!(pgn.header("content-type"), "application/x-chess-pgn");
    let file = pgn.header("content-disposition");
    assert!(file.contains("Open games.pgn"), "{file}");
    let tree = server.get("/api/tree?play=e2e4,e7e5").json();
    let rows = &tree["trees"][0]["rows"];
    let played = format!("2. {} {{{},", texts(rows, "san")[0], rows[0]["games"]);
    assert!(pgn.body.contains("\n1. e4 e5 2. "), "{}", pgn.body);
    assert!(pgn.body.contains(&played), "{played} in {}", pgn.body);
    let games = server.get("/api/lines?play=e2e4,e7e5&depth=2&minGames=5&format=games");
    assert!(games.body.matches("[Event ").count() > 1);
    let book = bytes(&server, "/api/lines?format=bin&only=white");
    assert!(book.len() > 32 && book.len().is_multiple_of(16));
    for wrong in [
        "depth=0",
        "depth=41",
        "format=exe",
        "only=red",
        "q=nothing:x",
        "minGames=x",
    ] {
        assert_eq!(
            server.get(&format!("/api/lines?{wrong}")).status,
            400,
            "{wrong}"
        );
    }
}

#[test]
fn reports_are_pages_without_scripts_on_players_and_openings() {
    let server = Server::famous();
    for (about, title) in [
        ("player=Morphy,%20Paul", "<h1>Morphy, Paul</h1>"),
        ("opening=gambit&q=result:1-0", "<h1>gambit</h1>"),
        ("play=e2e4,e7e5", "<h1>King&#39;s Pawn Game: 1.e4 e5</h1>"),
    ] {
        let page = server.get(&format!("/api/report?{about}"));
        assert_eq!(page.status, 200);
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        assert!(
            page.header("content-security-policy")
                .starts_with("default-src 'none';")
        );
        assert!(page.body.contains(title) && !page.body.contains("<script"));
        assert!(page.body.contains("<a href=\"/?db=famous&amp;q="));
        let notes = server.get(&format!("/api/report?{about}&format=markdown"));
        assert!(notes.body.starts_with("# "), "{}", notes.body);
    }
    for wrong in ["format=pdf", "player=A&opening=b", "play=e2e5"] {
        assert_eq!(
            server.get(&format!("/api/report?{wrong}")).status,
            400,
            "{wrong}"
        );
    }
}

#[test]
fn csv_has_the_columns_of_the_program_and_quotes_what_it_must() {
    let folder = Folder::new("explorer-csv");
    let pgn = "[White \"=HYPERLINK(\\\"x\\\"), Inc\"]\n[Black \"<img src=x onerror=alert(1)>\"]\n\
        [Date \"2010.02.30\"]\n[WhiteElo \"2700\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 1-0\n";
    let database = folder.put("odd.pgn", pgn.as_bytes());
    let server = Server::new(vec![database], Limits::default());
    let csv = server.get("/api/export?format=csv&q=at(ply:2)");
    assert_eq!(
        csv.header("content-type"),
        "text/csv; charset=utf-8; header=present"
    );
    let expected = "number,white,black,whiteElo,blackElo,event,site,round,date,result,eco,plies,\
        ply,line,isoDate,year,month,day,opening\n\
        1,\"=HYPERLINK(\"\"x\"\"), Inc\",<img src=x onerror=alert(1)>,2700,,,,,2010.02.30,1-0,,3,\
        2,,2010-02,2010,2,30,King's Knight Opening\n";
    assert_eq!(csv.body, expected);
    // With several databases the first column names them.
    let two = Server::new(
        vec![fixture("famous.si4"), fixture("famous.pgn")],
        Limits::default(),
    );
    let csv = two.get("/api/export?format=csv").body;
    assert!(csv.starts_with("database,number,"), "{csv}");
    assert_eq!(csv.lines().count(), 183);
}

#[test]
fn a_new_database_has_the_games_in_their_order_and_opens() {
    let server = Server::famous();
    let page = server
        .get("/api/search?q=player:morphy&sort=date:desc")
        .json();
    let events = texts(&page["games"], "date");
    for format in ["si5", "si4", "cbh", "2cbh", "dci"] {
        let address =
            format!("/api/export?q=player:morphy&sort=date:desc&name=M%20x&format={format}");
        let mut zip = ZipArchive::new(Cursor::new(bytes(&server, &address))).expect("a zip file");
        let folder = Folder::new(&format!("explorer-zip-{format}"));
        for index in 0..zip.len() {
            let mut file = zip.by_index(index).expect("a file");
            let name = file.name().expect("a name").into_owned();
            assert!(name.starts_with("M x"), "{name}");
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).expect("bytes");
            folder.put(&name, &bytes);
        }
        let database = Database::open(folder.0.join(format!("M x.{format}"))).expect("a database");
        assert_eq!(database.len() as usize, events.len(), "{format}");
        for (game, date) in (0..).map(GameId).zip(&events) {
            let header = database.header(game).expect("a header");
            assert_eq!(header.date.to_string(), *date, "{format}");
        }
    }
    server.wait_until_idle();
}

#[test]
fn a_new_database_has_bounds_and_a_wrong_format_is_told() {
    let few = Limits {
        export_games: 10,
        ..Limits::default()
    };
    let server = Server::new(vec![fixture("famous.si4")], few);
    let answer = server.get("/api/export?format=si5");
    assert_eq!(answer.status, 400);
    assert!(
        answer.body.contains("may have 10 games, and these are 91"),
        "{}",
        answer.body
    );
    assert_eq!(server.get("/api/export?format=csv").status, 200);
    assert_eq!(server.get("/api/export?format=exe").status, 400);
    let small = Limits {
        export_size: 0,
        ..Limits::default()
    };
    let server = Server::new(vec![fixture("famous.si4")], small);
    let answer = server.get("/api/export?format=si5");
    assert_eq!(answer.status, 400);
    assert!(answer.body.contains("megabytes"), "{}", answer.body);
    server.wait_until_idle();
}

#[test]
fn no_more_than_two_new_databases_are_made_at_a_time() {
    let folder = Folder::new("explorer-exports");
    let limits = Limits {
        searches: 1,
        queue: 8,
        cache: 0,
        ..Limits::default()
    };
    let server = Server::new(vec![folder.large(600)], limits);
    let searching = server.begin(&long_search());
    let export = "/api/export?format=si4&q=number:1";
    let request = format!("GET {export} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let waiting: Vec<_> = (0..2).map(|_| send(server.address, &request)).collect();
    thread::sleep(Duration::from_millis(300));
    let third = server.get(export);
    assert_eq!(
        (third.status, third.header("retry-after")),
        (503, "1"),
        "{}",
        third.body
    );
    // Those who leave give their places back, though they never had their turn.
    drop((searching, waiting));
    server.wait_until_idle();
    bytes(&server, export);
}

#[test]
fn a_search_for_similar_positions_or_novelties_ends_when_its_client_leaves() {
    let folder = Folder::new("explorer-leaving");
    let limits = Limits {
        cache: 0,
        ..Limits::default()
    };
    let server = Server::new(vec![folder.large(200)], limits);
    for path in [
        &format!("/api/search?like={RUY}"),
        "/api/novelties?limit=200",
    ] {
        drop(server.begin(path));
        server.wait_until_idle();
    }
}

#[test]
fn a_damaged_game_is_left_out_of_pgn_with_a_line_about_it() {
    let folder = Folder::new("explorer-damaged");
    let path = folder.copy("hurt", &["si4", "sg4", "sn4"]);
    let games = std::fs::read(fixture("famous.sg4")).expect("games");
    folder.put("hurt.sg4", &games[..games.len() / 2]);
    let server = Server::new(vec![path], Limits::default());
    let answer = server.get("/api/export");
    assert_eq!(answer.status, 200, "{}", answer.body);
    let told = answer
        .body
        .lines()
        .filter(|line| line.starts_with("% game "));
    let told: Vec<&str> = told.collect();
    assert!(
        told.last() == Some(&"% game 91 of hurt is damaged and left out"),
        "{told:?}"
    );
    assert_eq!(answer.body.matches("[Event ").count() + told.len(), 91);
}

#[test]
fn games_of_lists_are_found_by_database_and_number() {
    let server = Server::famous();
    let body = json!({ "games": [
        { "db": "famous", "number": 3 }, { "db": "famous", "number": 92 },
        { "db": "famous", "number": 0 }, { "db": "<img src=x>", "number": 1 },
    ] });
    let answer = server.post("/api/games", &body.to_string()).json();
    assert_eq!(answer["games"][0]["id"], "00000003");
    for index in 1..4 {
        assert!(answer["games"][index].is_null());
    }
    let many = vec![json!({ "db": "famous", "number": 1 }); 1001];
    for wrong in [
        "",
        "[]",
        "{\"games\": 1}",
        "{\"games\": [{\"db\": 1, \"number\": 1}]}",
        "{\"games\": [], \"x\": 1}",
        &json!({ "games": many }).to_string(),
    ] {
        assert_eq!(server.post("/api/games", wrong).status, 400, "{wrong}");
    }
}

#[test]
fn pictures_have_any_title_as_text_and_may_load_nothing() {
    let server = Server::famous();
    let title = encoded("<script>alert(1)</script>\u{1}\u{202e} \"'&");
    let answer = server.get(&format!("/api/diagram?play=e2e4&side=black&title={title}"));
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, "image/svg+xml")
    );
    assert!(!answer.body.contains("<script") && !answer.body.contains('\u{1}'));
    assert_eq!(answer.body.matches("class=\"last\"").count(), 2);
    assert!(
        answer
            .header("content-security-policy")
            .starts_with("default-src 'none';")
    );
    for wrong in ["side=up", "fen=x", "last=e9", "play=e2e5", "size=9"] {
        assert_eq!(
            server.get(&format!("/api/diagram?{wrong}")).status,
            400,
            "{wrong}"
        );
    }
}
