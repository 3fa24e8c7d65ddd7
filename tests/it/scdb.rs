//! Simple Chess Databases read, answer and are written as the reference program does it.

use std::{fs, path::Path};

use serde_json::Value;
use tabiya::{
    ConvertOptions, Database, DuplicateGroup, ErrorKind, FormatKind, GameId, LineEnd, Parts,
    SamePlayers, Search, Strategy,
    chess::{Eco, PartialDate, RatingKind},
    format::{GameHeader, Overwrite, ScdbLayout, Visitor as _},
};
use tabiya_formats::{Encode, scdb::Encoder};

use crate::{
    bodies::scdb::written,
    conformance::{recorded_answers_are_given, soundness},
    harm::any_harm_is_survived,
    round_trip::convert,
    support::{
        ask,
        dice::Dice,
        game::{Event, PlainGame},
        pool::random_game,
        shared,
    },
};

/// The databases of the reference program: games, half-moves of main lines and of all lines.
const REFERENCE: [(&str, u32, (u64, u64)); 4] = [
    ("edge", 5, (23, 29)),
    ("len", 16, (320, 320)),
    ("annotated", 4957, (40_623, 61_540)),
    ("games", 10_219, (834_699, 834_699)),
];

/// Returns how many games match, and how many were decoded for it.
fn count(database: &Database, text: &str) -> (u64, u64) {
    let query = ask::query(text);
    let count = |strategy| {
        let report = Search::new(&query).strategy(strategy).count(database);
        report.unwrap()
    };
    let (auto, full) = (count(Strategy::Auto), count(Strategy::FullDecode));
    assert_eq!((auto.matched, auto.damaged), (full.matched, 0), "{text}");
    (auto.matched, auto.decoded)
}

// ---- the reference program's files ----

#[test]
fn every_game_of_the_reference_program_is_sound() {
    let more = [
        ("quirks/appended", 32, (2624, 2682)),
        ("quirks/crashed", 3359, (29_052, 49_139)),
        ("derived-not-reference/own39", 706, (24_056, 24_263)),
        ("derived-not-reference/own61", 706, (24_056, 24_263)),
    ];
    for (name, games, moves) in REFERENCE.into_iter().chain(more) {
        if let Some(database) = shared::database(&format!("scdb/{name}.dci")) {
            assert_eq!(soundness(&database, name, games), moves, "{name}");
            let kind = if name.ends_with("own61") {
                FormatKind::Scdb11
            } else {
                FormatKind::Scdb
            };
            assert_eq!(database.kind(), kind);
        }
    }
}

/// Compares one game with what is recorded of it.
fn is_as_recorded(database: &Database, game: GameId, recorded: &Value) {
    let line = database.line(game, LineEnd::Last).unwrap().unwrap();
    let moves: Vec<&str> = line.moves.iter().map(|played| &*played.uci).collect();
    let listed = recorded["uci"].as_array().unwrap().iter();
    let listed: Vec<&str> = listed.map(|played| played.as_str().unwrap()).collect();
    assert_eq!(moves, listed);
    let header = database.header(game).unwrap();
    let text = |field: &str| recorded[field].as_str().unwrap().to_owned();
    let number = |field: &str| recorded[field].as_u64().unwrap();
    assert_eq!(header.white, text("white"));
    assert_eq!(header.black, text("black"));
    assert_eq!(header.event, text("event"));
    assert_eq!(header.site, text("site"));
    assert_eq!(header.result.as_str(), text("result"));
    let eco = header.eco.map_or(String::new(), |eco| eco.to_string());
    assert_eq!(eco, text("eco"));
    let round = header.round.parse().unwrap_or(0);
    assert_eq!(round, number("round"));
    let date = header.date;
    assert_eq!(u64::from(date.year().unwrap_or(0)), number("year"));
    assert_eq!(u64::from(date.month()), number("month"));
    assert_eq!(u64::from(date.day()), number("day"));
    for (rating, field) in [
        (header.white_rating, "white_elo"),
        (header.black_rating, "black_elo"),
    ] {
        let rating = rating.map_or(0, |rating| rating.value.get());
        assert_eq!(u64::from(rating), number(field));
    }
    let facts = database.facts(game).unwrap();
    assert_eq!(facts.offset_bytes, number("offset"));
    let plain = PlainGame::read(database, game).unwrap();
    assert_eq!(plain.start.is_some(), recorded["start_fen"].is_string());
    // Those before the first move are not counted there.
    let is_first = |event: &&Event| !matches!(event, Event::Play(_));
    let moves = plain.events.iter().skip_while(is_first);
    let is_comment = |event: &&Event| matches!(event, Event::Comment(_));
    let comments = moves.filter(is_comment).count();
    assert_eq!(comments as u64, number("comment_count"));
    let has_variations = plain.events.contains(&Event::Begin);
    assert_eq!(Some(has_variations), recorded["has_variations"].as_bool());
}

#[test]
fn games_hold_what_is_recorded_of_them() {
    for (name, games, _) in REFERENCE {
        let database = shared::database(&format!("scdb/{name}.dci"));
        let recorded = shared::packed("truth/scdb-edge.json")
            .map(|edge| edge.with_file_name(format!("scdb-{name}.json")))
            .filter(|path| path.exists());
        let (Some(database), Some(recorded)) = (database, recorded) else {
            continue;
        };
        let recorded = fs::read_to_string(recorded).unwrap();
        let recorded: Vec<Value> = serde_json::from_str(&recorded).unwrap();
        assert_eq!(recorded.len(), games as usize);
        for (id, recorded) in (0..).zip(&recorded) {
            is_as_recorded(&database, GameId(id), recorded);
        }
    }
}

#[test]
fn games_written_anew_are_those_of_the_reference_program_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.dci");
    let games = |path: &Path| fs::read(path.with_extension("dcg")).unwrap();
    for (name, count, _) in REFERENCE {
        let Some(original) = shared::path(&format!("data/scdb/{name}.dci")) else {
            return;
        };
        let text = original.with_extension("pgn");
        for source in [original.clone(), text].iter().filter(|path| path.exists()) {
            for suffix in ["dci", "dcg", "dcn", "dcs", "dce"] {
                let _ = fs::remove_file(copy.with_extension(suffix));
            }
            assert_eq!(convert(source, &copy).games, u64::from(count));
            assert!(games(&original) == games(&copy), "{}", source.display());
        }
    }
}

#[test]
fn deleted_and_cut_entries_are_as_the_reference_program_takes_them() {
    if let Some(deleted) = shared::database("scdb/derived-not-reference/deleted.dci") {
        assert_eq!((deleted.len(), count(&deleted, "flag:deleted").0), (5, 2));
        let games = Search::new(&ask::query("flag:deleted"))
            .run(&deleted)
            .unwrap();
        let games: Vec<u32> = games
            .as_slice()
            .iter()
            .map(|hit| hit.game.number_in_part())
            .collect();
        assert_eq!(games, [2, 4]);
    }
    if let Some(cut) = shared::database("scdb/derived-not-reference/truncated.dci") {
        assert_eq!((cut.len(), cut.notes().len()), (4, 1));
    }
}

// ---- searching ----

#[test]
fn the_same_games_give_the_recorded_answers_from_dci() {
    let sources = [
        ("res", "data/scid4/res/res_database.si4"),
        ("edge", "data/scid4/edge/edge.si4"),
    ];
    for (name, part) in sources {
        let Some(source) = shared::path(part) else {
            continue;
        };
        for scdb_layout in [ScdbLayout::Reference, ScdbLayout::Described] {
            let folder = tempfile::tempdir().unwrap();
            let copy = folder.path().join("copy.dci");
            let mut options = ConvertOptions::from(Overwrite::Refuse);
            options = options.layout(scdb_layout);
            let go_on = &mut |_| tabiya::Flow::Continue(());
            let done =
                tabiya::convert(std::slice::from_ref(&source), &copy, options, go_on).unwrap();
            assert_eq!(done.skipped, 0);
            let copy = Database::open(copy).unwrap();
            assert!(recorded_answers_are_given(name, &copy, |_| true) > 40);
        }
    }
}

#[test]
fn starts_and_promotions_that_the_index_does_not_tell_are_found_in_the_games() {
    if let Some(edge) = shared::database("scdb/edge.dci") {
        for (text, games) in [
            ("start:custom", 2),
            ("start:standard", 3),
            ("start!=custom", 3),
            ("start:chess960", 0),
            ("flag:promotion", 1),
            ("flag:underpromotion", 1),
            ("variations:1..", 1),
            ("comments:3", 1),
            ("nags:3", 1),
            (
                "fen:\"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"",
                3,
            ),
        ] {
            assert_eq!(count(&edge, text).0, games, "{text}");
        }
    }
}

#[test]
fn final_material_excludes_games_before_they_are_decoded() {
    let Some(long) = shared::database("scdb/derived-not-reference/own61.dci") else {
        return;
    };
    let Some(short) = shared::database("scdb/derived-not-reference/own39.dci") else {
        return;
    };
    let text = "at(P=0 p=0)";
    let ((found, decoded), (same, all)) = (count(&long, text), count(&short, text));
    assert_eq!(found, same);
    assert!(found > 0 && decoded < all / 2, "{decoded} of {all} decoded");
}

// ---- writing ----

fn random_games(number: usize, bytes_max: usize) -> Vec<PlainGame> {
    let mut dice = Dice::new(11);
    let mut games = Vec::new();
    while games.len() < number {
        let game = random_game(&mut dice);
        if (5..bytes_max).contains(&game.events.len()) {
            games.push(game);
        }
    }
    games
}

/// Returns what the format holds of a game, by its rules and not by the encoder's.
fn reduced(mut game: PlainGame) -> PlainGame {
    game.tags.clear();
    let header = &mut game.header;
    for name in [
        &mut header.white,
        &mut header.black,
        &mut header.event,
        &mut header.site,
    ] {
        let trimmed = name.trim_ascii();
        let cut = &trimmed[..trimmed.floor_char_boundary(36)];
        *name = cut.trim_ascii().to_owned();
    }
    let is_number = header
        .round
        .parse()
        .is_ok_and(|round: u16| round > 0 && round.to_string() == header.round);
    if !is_number {
        header.round = "?".to_owned();
    }
    header.event_date = PartialDate::UNKNOWN;
    header.eco = header.eco.map(Eco::basic);
    header.marks &= 1 << 3;
    for rating in [&mut header.white_rating, &mut header.black_rating]
        .into_iter()
        .flatten()
    {
        rating.kind = RatingKind::Elo;
    }
    let mut events: Vec<Event> = Vec::new();
    // Comments of lines that have no move yet, one for each line that is open.
    let mut early: Vec<Vec<String>> = Vec::new();
    let mut in_line = false;
    for event in game.events {
        match event {
            Event::Begin => {
                early.push(Vec::new());
                in_line = false;
                events.push(Event::Begin);
            }
            Event::End => {
                early.pop();
                in_line = true;
                events.push(Event::End);
            }
            Event::Play(_) => {
                let waiting = early.last_mut().map(std::mem::take).unwrap_or_default();
                events.push(event);
                in_line = true;
                let joined = waiting.join(" ");
                if !joined.is_empty() {
                    events.push(Event::Comment(joined));
                }
            }
            Event::Nag(_) if !in_line => {}
            Event::Nag(_) => match events.last() {
                Some(Event::Comment(_)) => {
                    let at = events.len() - 1;
                    events.insert(at, event);
                }
                _ => events.push(event),
            },
            Event::Comment(text) => match (events.last_mut(), early.last_mut()) {
                (_, Some(waiting)) if !in_line => waiting.push(text),
                (Some(Event::Comment(before)), _) => {
                    before.push(' ');
                    before.push_str(&text);
                }
                _ => events.push(Event::Comment(text)),
            },
        }
    }
    game.events = events;
    game
}

#[test]
fn a_written_game_reads_back_as_far_as_the_format_holds_it() {
    let games = random_games(300, 400);
    for layout in [ScdbLayout::Reference, ScdbLayout::Described] {
        let database = Database::from_bytes(written(&games, layout)).unwrap();
        for (id, game) in (0..).zip(&games) {
            let read = PlainGame::read(&database, GameId(id)).unwrap();
            assert_eq!(read, reduced(game.clone()), "game {}", id + 1);
        }
        let verified = database.verify().unwrap();
        assert_eq!(verified.damaged, 0, "{:?}", verified.damaged_games.first());
    }
}

#[test]
fn annotated_games_come_back_as_far_as_the_format_holds_them() {
    let Some(original) = shared::path("data/scid4/annotated/annotated.si4") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy.dci");
    assert_eq!(convert(&original, &copy).skipped, 0);
    let (original, copy) = (
        Database::open(original).unwrap(),
        Database::open(copy).unwrap(),
    );
    for id in original.games() {
        let read = |database| PlainGame::read(database, id).unwrap();
        assert!(
            read(&copy) == reduced(read(&original)),
            "game {}",
            id.number_in_part()
        );
    }
}

#[test]
fn nothing_is_lost_but_what_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (pgn, copy) = (folder.path().join("a.pgn"), folder.path().join("a.dci"));
    let name = "é".repeat(30);
    let text = format!(
        "[White \"{name}\"]\n[Black \" B \"]\n[Round \"3.4\"]\n[ECO \"B90a\"]\n\
         [EventDate \"2001.01.01\"]\n[WhiteUSCF \"2000\"]\n[ScidFlags \"DW\"]\n\
         [Annotator \"x\"]\n\n$1 1. e4 {{a}} {{b}} ({{c}} 1. d4) 1... e5 *\n"
    );
    fs::write(&pgn, text).unwrap();
    let done = convert(&pgn, &copy);
    let mut losses: Vec<(&str, u64)> = Vec::new();
    for lost in &done.losses {
        losses.push((lost.what.split(' ').next().unwrap(), lost.count));
        assert_eq!(lost.first_game, 1);
    }
    let expected = [
        ("comments", 1),
        ("tags", 1),
        ("dates", 1),
        ("rounds", 1),
        ("names", 1),
        ("names", 1),
        ("refinements", 1),
        ("ratings", 1),
        ("marks", 1),
        ("comments", 1),
        ("NAGs", 1),
    ];
    assert_eq!(losses, expected);
    // What has been through the format once loses nothing more.
    let again = folder.path().join("again.dci");
    assert!(convert(&copy, &again).losses.is_empty());
    for suffix in ["dci", "dcg", "dcn", "dcs", "dce"] {
        let bytes = |path: &Path| fs::read(path.with_extension(suffix)).unwrap();
        assert_eq!(bytes(&copy), bytes(&again), "{suffix}");
    }
}

#[test]
fn chess960_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (pgn, copy) = (folder.path().join("a.pgn"), folder.path().join("a.dci"));
    let fen = "4k3/8/8/8/8/8/8/5KR1 w G - 0 1";
    let text = format!("[Variant \"Chess960\"]\n[FEN \"{fen}\"]\n\n1. O-O *\n");
    fs::write(&pgn, text).unwrap();
    let done = convert(&pgn, &copy);
    assert_eq!((done.games, done.skipped), (0, 1));
    let shown = done.skipped_games[0].to_string();
    assert!(shown.contains("Chess960"), "{shown}");
}

// ---- odd files ----

/// A game with all four promotions, whose codes are three bits each.
fn promotions() -> Parts {
    let fen = "1n2k3/P6P/8/8/8/8/p6p/1N2K3 w - - 0 40";
    let text = format!("[FEN \"{fen}\"]\n\n1. axb8=Q+ Ke7 2. h8=N axb1=R+ 3. Kd2 h1=B *\n");
    let folder = tempfile::tempdir().unwrap();
    let (pgn, copy) = (folder.path().join("a.pgn"), folder.path().join("a.dci"));
    fs::write(&pgn, text).unwrap();
    assert_eq!(convert(&pgn, &copy).games, 1);
    let read = |suffix| fs::read(copy.with_extension(suffix)).unwrap();
    let mut parts = Parts::new(read("dci"));
    parts.games = Some(read("dcg"));
    parts.names = Some(read("dcn"));
    parts.sites = Some(read("dcs"));
    parts.events = Some(read("dce"));
    parts
}

/// The published description counts promotions from 1, all programs from 2.
#[test]
fn a_code_of_promotion_means_the_same_whatever_other_games_hold() {
    let one = promotions();
    let database = Database::from_bytes(one.clone()).unwrap();
    let plain = PlainGame::read(&database, GameId(0)).unwrap();
    let mut two = written(&[plain.clone(), plain.clone()], ScdbLayout::default());
    let games = two.games.as_mut().unwrap();
    let moves_at = games.len() - 12;
    let promoting = (moves_at..games.len())
        .step_by(2)
        .filter(|&at| games[at] >> 4 != 0);
    let promoting: Vec<usize> = promoting.filter(|&at| games[at] < 0x80).collect();
    assert_eq!(promoting.len(), 4);
    for at in promoting {
        games[at] = games[at] & 0x0f | 1 << 4;
    }
    let database = Database::from_bytes(two).unwrap();
    assert_eq!(
        PlainGame::read(&database, GameId(0)).unwrap().events,
        plain.events
    );
    let verified = database.verify().unwrap();
    assert_eq!(verified.damaged_games[0].game(), Some(2));
    assert_eq!(verified.damaged, 1);
}

#[test]
fn a_game_too_long_for_the_format_is_refused_while_it_is_told() {
    const GAME_BYTES_MAX: usize = 4_294_966;
    let mut encoder = Encoder::new();
    encoder.begin(&GameHeader::default());
    let mut told = 0;
    while encoder.play(None).is_continue() {
        told += 1;
        assert!(told <= GAME_BYTES_MAX);
    }
    let error = encoder.finish().unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::LimitExceeded { .. }),
        "{error}"
    );
}

/// The reference program adds the names of every import after those that are there.
#[test]
fn games_imported_twice_are_duplicates_although_their_names_are_stored_twice() {
    let Some(database) = shared::database("scdb/quirks/appended.dci") else {
        return;
    };
    let found = database.duplicates(SamePlayers::Exact).unwrap();
    let half = database.len() / 2;
    for game in 0..half {
        let pair = [game, game + half].map(GameId);
        let is_there = |group: &DuplicateGroup| pair.iter().all(|one| group.games.contains(one));
        assert!(found.groups.iter().any(is_there), "{pair:?}");
    }
    let mut without_names = Parts::new(bytes_of(&database, "dci"));
    without_names.games = Some(bytes_of(&database, "dcg"));
    let without_names = Database::from_bytes(without_names);
    let found = without_names.unwrap().duplicates(SamePlayers::Exact);
    assert!(found.unwrap().groups.is_empty());
}

fn bytes_of(database: &Database, suffix: &str) -> Vec<u8> {
    fs::read(database.path().with_extension(suffix)).unwrap()
}

#[test]
fn files_of_the_description_and_missing_ones_are_read() {
    let mut parts = promotions();
    parts.index[2] = 0xed;
    parts.games.as_mut().unwrap()[2] = 0xed;
    parts.events = None;
    let database = Database::from_bytes(parts).unwrap();
    assert_eq!(database.notes().len(), 1, "{:?}", database.notes());
    assert_eq!(count(&database, "flag:promotion").0, 1);
    assert_eq!(database.header(GameId(0)).unwrap().white, "?");
    let verified = database.verify().unwrap();
    assert_eq!((verified.damaged, verified.main_line_moves), (0, 6));
}

#[test]
fn a_database_opens_by_any_of_its_files_and_by_their_stem() {
    let folder = tempfile::tempdir().unwrap();
    let parts = written(&random_games(3, 40), ScdbLayout::Reference);
    let path = |suffix: &str| folder.path().join(format!("a.b.{suffix}"));
    for (suffix, bytes) in [
        ("dci", Some(parts.index)),
        ("dcg", parts.games),
        ("dcn", parts.names),
        ("dcs", parts.sites),
        ("dce", parts.events),
    ] {
        fs::write(path(suffix), bytes.unwrap()).unwrap();
    }
    let stem = folder.path().join("a.b");
    let members = ["dci", "dcg", "dcn", "dcs", "dce"].map(path);
    for path in members.into_iter().chain([stem]) {
        let database = Database::open(path).unwrap();
        assert_eq!((database.len(), database.kind()), (3, FormatKind::Scdb));
        assert!(database.notes().is_empty());
    }
}

#[test]
fn any_harm_to_a_simple_chess_database_is_survived() {
    for layout in [ScdbLayout::Reference, ScdbLayout::Described] {
        any_harm_is_survived(&written(&random_games(3, 40), layout));
    }
}

#[test]
fn an_empty_database_opens() {
    for layout in [ScdbLayout::Reference, ScdbLayout::Described] {
        let database = Database::from_bytes(written(&[], layout)).unwrap();
        assert!(database.is_empty() && database.notes().is_empty());
    }
    let header = GameHeader::default();
    let mut encoder = Encoder::new();
    encoder.begin(&header);
    assert_eq!(encoder.finish().unwrap().as_bytes(), [1, 0]);
}
