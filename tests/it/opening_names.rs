//! The names of openings: the table has every row of its source, and real games have the openings
//! that are recorded.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde_json::Value;
use shakmaty::{Chess, Color, Position as _, fen::Epd, san::San, uci::UciMove};
use tabiya::{Database, GameId, NamedOpening, Strategy, opening_of, openings};

use crate::support::{
    ask,
    opening::{key_after, name_of_key},
    shared,
};

/// A row of the source of the table.
struct Row {
    eco: String,
    name: String,
    moves: Vec<String>,
    epd: String,
}

impl Row {
    /// The code and the moves. Where rows share a position, names are those of the last one.
    fn described(&self) -> String {
        format!("{} {}", self.eco, self.moves.join(" "))
    }
}

fn described(opening: &NamedOpening) -> String {
    let key = key_after(
        &opening
            .moves
            .iter()
            .map(|&one| one.into())
            .collect::<Vec<_>>(),
    );
    assert_eq!(name_of_key(&key), Some(opening.name));
    format!("{} {}", opening.eco, opening.moves.join(" "))
}

/// Returns the rows of a table with the columns eco, name, pgn, uci and epd.
fn rows(text: &str) -> Vec<Row> {
    let lines = text.lines().skip(1).map(|line| {
        let [eco, name, _, moves, epd] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        Row {
            eco: eco.to_owned(),
            name: name.to_owned(),
            moves: moves.split(' ').map(str::to_owned).collect(),
            epd: epd.to_owned(),
        }
    });
    lines.collect()
}

/// Returns the number of equal items at the beginning.
fn shared_by<T: PartialEq>(one: &[T], other: &[T]) -> usize {
    let pairs = one.iter().zip(other);
    pairs.take_while(|(one, other)| one == other).count()
}

/// Returns the table as the program has it.
fn made(mut rows: Vec<Row>) -> String {
    // The later one counts.
    let named: BTreeMap<String, String> = rows
        .iter()
        .map(|row| (key_after(&row.moves), row.name.clone()))
        .collect();
    let names: BTreeSet<&str> = named.values().map(String::as_str).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let mut table = String::new();
    let mut before = "";
    for &name in &names {
        let shared = name.floor_char_boundary(shared_by(name.as_bytes(), before.as_bytes()));
        table += &format!("{shared} {}\n", &name[shared..]);
        before = name;
    }
    table += "\n";
    rows.sort_by(|one, other| one.moves.cmp(&other.moves));
    let mut before: &[String] = &[];
    for row in &rows {
        let shared = shared_by(&row.moves, before);
        let name = named[&key_after(&row.moves)].as_str();
        let number = 1 + names.binary_search(&name).unwrap();
        table += &format!("{shared} {} {number}\n", row.moves[shared..].concat());
        before = &row.moves;
    }
    table
}

/// Returns the codes in the order of the table as the program has them: each with its count.
fn made_codes(mut rows: Vec<Row>) -> String {
    rows.sort_by(|one, other| one.moves.cmp(&other.moves));
    let runs = rows.chunk_by(|one, other| one.eco == other.eco);
    let lines = runs.map(|run| format!("{} {}\n", run[0].eco, run.len()));
    lines.collect()
}

const TABLE: &str = "crates/tabiya-chess/src/opening_names/table.txt";
const CODES: &str = "crates/tabiya-chess/src/opening_names/codes.txt";

fn source() -> Option<String> {
    let path = shared::path("data/openings/all.tsv")?;
    Some(fs::read_to_string(path).unwrap())
}

/// Writes the table and its codes anew, from the file that `TABIYA_OPENINGS` names.
#[test]
#[ignore = "it writes the table"]
fn the_table_is_made() {
    let source = std::env::var_os("TABIYA_OPENINGS").expect("TABIYA_OPENINGS is set");
    let source = fs::read_to_string(source).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::write(root.join(TABLE), made(rows(&source))).unwrap();
    fs::write(root.join(CODES), made_codes(rows(&source))).unwrap();
}

#[test]
fn the_table_is_that_of_its_source() {
    if let Some(source) = source() {
        let table = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(TABLE));
        assert!(
            table.unwrap() == made(rows(&source)),
            "the table is not that of its source"
        );
        let codes = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(CODES));
        assert!(
            codes.unwrap() == made_codes(rows(&source)),
            "the codes are not those of the source"
        );
        let mut listed: Vec<String> = openings().map(|one| described(&one)).collect();
        let mut wanted: Vec<String> = rows(&source).iter().map(Row::described).collect();
        listed.sort_unstable();
        wanted.sort_unstable();
        assert!(listed == wanted, "the list is not that of the source");
    }
}

#[test]
fn every_row_of_the_source_is_found() {
    let Some(source) = source() else {
        return;
    };
    let rows = rows(&source);
    assert!(rows.len() >= 3807);
    let mut named: BTreeMap<String, &str> = BTreeMap::new();
    for row in &rows {
        named.insert(key_after(&row.moves), &row.name);
    }
    for row in &rows {
        let key = key_after(&row.moves);
        assert!(row.epd.starts_with(&key), "{}", row.epd);
        let epd: Epd = row.epd.parse().unwrap();
        let setup = epd.into_setup();
        assert_eq!(opening_of(&setup.board, setup.turn), Some(named[&key]));
        assert_eq!(
            opening_of(&setup.board, setup.turn.other()),
            name_of_other(&key)
        );
    }
    let start = shakmaty::Board::new();
    assert_eq!(opening_of(&start, Color::White), None);
}

/// Returns the name of the same placement with the other side to move.
fn name_of_other(key: &str) -> Option<&'static str> {
    let (board, turn) = key.split_once(' ').unwrap();
    let other = if turn == "w" { "b" } else { "w" };
    name_of_key(&format!("{board} {other}"))
}

/// Returns a game with these moves as PGN; `None` if one is not legal.
fn game_of(moves: &[String]) -> Option<String> {
    let mut position = Chess::default();
    let mut game = "[Result \"*\"]\n\n".to_owned();
    for played in moves {
        let played = played.parse::<UciMove>().unwrap();
        let played = played.to_move(&position).ok()?;
        game += &format!("{} ", San::from_move(&position, played));
        position.play_unchecked(played);
    }
    Some(game + "*\n\n")
}

/// By its own moves, and by each other order of them in which one side's two moves in a row are
/// exchanged.
#[test]
fn every_row_is_the_opening_of_a_game() {
    let Some(source) = source() else {
        return;
    };
    let rows = rows(&source);
    let (mut pgn, mut wanted) = (String::new(), Vec::new());
    for row in &rows {
        let key = key_after(&row.moves);
        let mut orders = vec![row.moves.clone()];
        orders.extend((2..row.moves.len()).map(|place| {
            let mut order = row.moves.clone();
            order.swap(place - 2, place);
            order
        }));
        for order in orders {
            if let Some(game) = game_of(&order).filter(|_| key_after(&order) == key) {
                pgn += &game;
                wanted.push(name_of_key(&key));
            }
        }
    }
    assert!(wanted.len() > 2 * rows.len());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.pgn");
    fs::write(&path, pgn).unwrap();
    let database = Database::open(path).unwrap();
    assert_eq!(database.len() as usize, wanted.len());
    for (game, wanted) in (0..).map(GameId).zip(wanted) {
        assert_eq!(database.opening(game).unwrap(), wanted, "{game:?}");
    }
}

fn truth() -> Option<Value> {
    let text = fs::read_to_string(shared::packed("truth/openings-dev.json")?).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

fn games(value: &Value) -> Vec<u32> {
    let games = value.as_array().unwrap().iter();
    games.map(|game| game.as_u64().unwrap() as u32).collect()
}

/// Compares the openings of the first games of a database with those recorded.
fn recorded_openings_are_found(database: &Database, rows: &Value, count: u32) {
    let mut by_name: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    let mut none = Vec::new();
    for row in rows.as_array().unwrap() {
        let number = row[0].as_u64().unwrap() as u32;
        match row[2].as_str() {
            Some(name) => by_name.entry(name).or_default().push(number),
            None => none.push(number),
        }
    }
    assert!(by_name.len() > 20);
    let listed: BTreeSet<u32> = by_name.values().flatten().chain(&none).copied().collect();
    for (name, wanted) in by_name {
        for strategy in [Strategy::Auto, Strategy::FullDecode] {
            if strategy == Strategy::FullDecode && count > 2000 {
                continue;
            }
            let query = format!("opening=\"{}\" number:..{count}", name.to_uppercase());
            let mut found = ask::numbers(database, &query, strategy, false);
            found.retain(|game| listed.contains(game));
            assert_eq!(found, wanted, "{name} {strategy:?}");
        }
    }
    let mut found = ask::numbers(
        database,
        &format!("opening:none number:..{count}"),
        Strategy::Auto,
        false,
    );
    found.retain(|game| listed.contains(game));
    assert_eq!(found, none);
}

#[test]
fn games_have_the_recorded_openings() {
    let Some(truth) = truth() else {
        return;
    };
    for (name, path) in [
        ("res", "scid4/res/res_database.si4"),
        ("edge", "scid4/edge/edge.si4"),
    ] {
        let database = shared::database(path).unwrap();
        recorded_openings_are_found(&database, &truth[name], database.len());
    }
}

#[test]
fn queries_have_the_recorded_answers() {
    let Some(truth) = truth() else {
        return;
    };
    for (name, path) in [
        ("queries_res", "scid4/res/res_database.si4"),
        ("queries_edge", "scid4/edge/edge.si4"),
    ] {
        let database = shared::database(path).unwrap();
        for case in truth[name].as_array().unwrap() {
            let query = case["query"].as_str().unwrap();
            for strategy in [Strategy::Auto, Strategy::FullDecode] {
                let found = ask::numbers(&database, query, strategy, false);
                assert_eq!(found, games(&case["games"]), "{query} {strategy:?}");
            }
        }
    }
}
