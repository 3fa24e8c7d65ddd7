//! PGN files are searched where they are, and answer as the database made from them does.

use std::{fs, io::Write, ops::ControlFlow, path::Path};

use serde_json::Value;
use tabiya::{
    DamageClass, Database, Error, ErrorKind, Query, Search, SidecarOptions, Strategy,
    chess::NameKind, format::Overwrite,
};

use crate::support::{ask::numbers, game::PlainGame, shared};

fn convert(source: &Path, target: &Path) -> u64 {
    let sources = [source.to_owned()];
    let done = tabiya::convert(&sources, target, Overwrite::Refuse, &mut |_| {
        ControlFlow::Continue(())
    });
    done.expect("converted").skipped
}

/// The recorded queries, with whether variations count.
fn queries() -> Option<Vec<(String, bool)>> {
    let text = fs::read_to_string(shared::path("truth/scid-dev.jsonl")?).unwrap();
    let query = |line: &str| {
        let case: Value = serde_json::from_str(line).unwrap();
        let arguments = case["args"].as_array().unwrap();
        let variations = arguments.iter().any(|argument| argument == "--variations");
        (case["query"].as_str().unwrap().to_owned(), variations)
    };
    Some(text.lines().map(query).collect())
}

/// Opens a PGN file and the database made from it; all games must be readable.
fn both(part: &str, folder: &Path) -> Option<(Database, Database)> {
    let source = shared::database(part)?;
    let (pgn, si4) = (folder.join("a.pgn"), folder.join("a.si4"));
    convert(source.path(), &pgn);
    assert_eq!(convert(&pgn, &si4), 0);
    let open = |path| Database::open(path).expect("opened");
    Some((open(&pgn), open(&si4)))
}

#[test]
fn a_pgn_file_answers_as_the_database_made_from_it() {
    let folder = tempfile::tempdir().unwrap();
    let both = both("scid4/edge/edge.si4", folder.path());
    let (Some(queries), Some((pgn, si4))) = (queries(), both) else {
        return;
    };
    assert_eq!(pgn.len(), si4.len());
    for (query, variations) in queries {
        for strategy in [Strategy::Auto, Strategy::FullDecode] {
            let [of_pgn, of_si4] =
                [&pgn, &si4].map(|database| numbers(database, &query, strategy, variations));
            assert_eq!(of_pgn, of_si4, "{strategy:?} {query}");
        }
    }
}

#[test]
fn the_games_of_a_pgn_file_are_those_of_the_database_made_from_it() {
    let folder = tempfile::tempdir().unwrap();
    let Some((pgn, si4)) = both("scid4/annotated/annotated.si4", folder.path()) else {
        return;
    };
    for id in pgn.games() {
        let [mut one, mut other] = [&pgn, &si4].map(|database| {
            PlainGame::read(database, id).unwrap_or_else(|error| panic!("{error}"))
        });
        one.tags.sort();
        other.tags.sort();
        assert_eq!(one, other, "game {}", id.number_in_part());
        let [one, other] = [&pgn, &si4].map(|database| database.facts(id).expect("facts"));
        assert_eq!(one.final_material, other.final_material);
        assert_eq!(one.home_pawns, other.home_pawns);
        assert_eq!(one.stored_line, other.stored_line);
        assert_eq!(one.flags, other.flags, "game {}", id.number_in_part());
    }
    let verified = pgn.verify().expect("verified");
    assert_eq!(verified.damaged, 0, "{:?}", verified.damaged_games);
    let other = si4.verify().expect("verified");
    assert_eq!(verified.main_line_moves, other.main_line_moves);
    assert_eq!(verified.all_moves, other.all_moves);
}

const TEXT: &str = "[Event \"One\"]\n[White \"A\"]\n[Board \"7\"]\n\n1. e4 e5 {fine} *\n\n\
    [Event \"Two\"]\n[White \"B\"]\n\n1. e4 e5\n2. Ke3 *\n\n\
    [Event \"Three\"]\n[White \"A\"]\n[FEN \"nonsense\"]\n\n*\n\n\
    [Event \"Four\"]\n[White \"C\"]\n\n1. d4 (1. e4 e5) d5 $1 1-0\n";

fn opened(bytes: &[u8], name: &str) -> Database {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    Database::read(&path).expect("opened")
}

#[test]
fn unreadable_games_are_listed_with_their_line_and_found_by_header() {
    let database = opened(TEXT.as_bytes(), "a.pgn");
    assert_eq!(database.len(), 4);
    assert_eq!(numbers(&database, "white:B", Strategy::Auto, false), [2]);
    assert_eq!(numbers(&database, "white:A", Strategy::Auto, false), [1, 3]);
    let query: Query = "at(Q=0)".parse().unwrap();
    let found = Search::new(&query).run(&database).unwrap();
    let damaged: Vec<_> = found.report().damaged_games.clone();
    // Of the second game something can be read.
    assert_eq!((damaged.len(), found.report().harmed), (1, 1));
    assert_eq!((damaged[0].line(), damaged[0].game()), (Some(15), Some(3)));
    let verified = database.verify().unwrap();
    assert_eq!(verified.damaged, 2);
    let illegal = &verified.damaged_games[0];
    assert_eq!(illegal.line(), Some(11));
    assert!(matches!(illegal.kind(), ErrorKind::IllegalMove(word) if word == "Ke3"));
    assert_eq!(verified.damaged_games[0].line(), Some(11));
}

#[test]
fn tags_comments_and_variations_of_pgn_text_are_searched() {
    let database = opened(TEXT.as_bytes(), "a.pgn");
    let auto = |query: &str| numbers(&database, query, Strategy::Auto, true);
    assert_eq!(auto("tag.Board:7"), [1]);
    assert_eq!(auto("text:fine"), [1]);
    assert_eq!(auto("variations>=1 nags=1"), [4]);
    let position = "fen:\"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w\"";
    assert_eq!(auto(position), [1, 2, 4]);
    assert_eq!(numbers(&database, position, Strategy::Auto, false), [1, 2]);
}

#[test]
fn compressed_pgn_answers_as_plain_and_keeps_what_is_before_damage() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(TEXT.repeat(300).as_bytes()).unwrap();
    let packed = encoder.finish().unwrap();
    let whole = opened(&packed, "a.pgn.gz");
    assert_eq!((whole.len(), whole.name().as_str()), (1200, "a"));
    assert_eq!(whole.name_count(NameKind::Player).unwrap(), 4);
    assert_eq!(numbers(&whole, "white:C", Strategy::Auto, false).len(), 300);
    let cut = opened(&packed[..packed.len() / 2], "a.pgn.gz");
    assert!(cut.len() < 1200);
    assert!(matches!(cut.notes()[0].kind(), ErrorKind::Io { .. }));
}

#[test]
fn any_text_opens_without_panic() {
    let text = TEXT.as_bytes();
    for at in 0..text.len() {
        for byte in [b'"', b'(', b'}', b'\n', 0xff] {
            let mut damaged = text.to_vec();
            damaged[at] = byte;
            let database = opened(&damaged, "a.pgn");
            let _ = numbers(&database, "at(Q=0)", Strategy::FullDecode, true);
            let _ = database.verify().unwrap();
        }
        let _ = opened(&text[..at], "a.pgn");
    }
}

#[test]
fn other_variants_answer_for_their_headers_only() {
    let game = |variant: &str| format!("[White \"w\"]\n[Variant \"{variant}\"]\n\n1. e4 e5 *\n\n");
    let text: String = ["Atomic", "Standard", "Antichess"].map(game).concat();
    let database = opened(text.as_bytes(), "a.pgn");
    for strategy in [Strategy::Auto, Strategy::FullDecode] {
        let found = |query| numbers(&database, query, strategy, false);
        assert_eq!(found("white:w"), [1, 2, 3]);
        assert_eq!(found("tag.Variant:a"), [1, 2, 3]);
        assert_eq!(found("piece:Pe4"), [2]);
        assert_eq!(found("not piece:Pe4"), [0; 0]);
    }
    let found = database.verify().unwrap();
    let classes = found.damaged_games.iter().map(Error::damage_class);
    assert_eq!(classes.collect::<Vec<_>>(), [DamageClass::NotRead; 2]);
}

#[test]
fn a_game_of_another_variant_is_told_wherever_its_tag_is() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[White \"w\"]\n[Variant \"Standard\"]\n\n1. e4 e5 *\n";
    let source = folder.path().join("a.pgn");
    fs::write(&source, text).unwrap();
    for target in ["a.si4", "a.si5"] {
        let target = folder.path().join(target);
        assert_eq!(convert(&source, &target), 0);
        let games = target.with_extension(match target.extension() {
            Some(suffix) if suffix == "si5" => "sg5",
            _ => "sg4",
        });
        let mut bytes = fs::read(&games).unwrap();
        let at = bytes.windows(8).position(|bytes| bytes == b"Standard");
        bytes[at.unwrap()..][..8].copy_from_slice(b"Atomic. ");
        fs::write(&games, bytes).unwrap();
        let database = Database::open(&target).unwrap();
        let found = database.verify().unwrap();
        let classes = found.damaged_games.iter().map(Error::damage_class);
        assert_eq!(classes.collect::<Vec<_>>(), [DamageClass::NotRead]);
    }
}

/// Starts with their tags, and whether they are of Chess960.
const STARTS: [(&str, &str, bool); 7] = [
    (
        "rnqbkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNQBKBNR w KQkq - 0 1",
        "",
        false,
    ),
    (
        "rqnbkbnr/pppppppp/8/8/8/8/PPPPPPPP/RQNBKBNR w KQkq - 0 1",
        "",
        false,
    ),
    (
        "rnqnkbbr/pppppppp/8/8/8/8/PPPPPPPP/RNQNKBBR w KQkq - 0 1",
        "",
        true,
    ),
    (
        "rnqnkbbr/pppppppp/8/8/8/8/PPPPPPPP/RNQNKBBR w KQkq - 0 1",
        "Chess960",
        true,
    ),
    (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "Chess960",
        true,
    ),
    (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "Standard",
        false,
    ),
    ("4k3/8/8/8/8/8/4P3/4K2R w K - 0 1", "Fischerandom", true),
];

#[test]
fn chess960_is_found_by_its_tag_and_by_its_array() {
    let folder = tempfile::tempdir().unwrap();
    let game = |(fen, variant, _): &(&str, &str, bool)| {
        let variant = match *variant {
            "" => String::new(),
            variant => format!("[Variant \"{variant}\"]\n"),
        };
        format!("[White \"w\"]\n[Result \"1-0\"]\n{variant}[FEN \"{fen}\"]\n\n1-0\n\n")
    };
    let text: String = STARTS
        .iter()
        .map(game)
        .chain(["1. e4 *\n".to_owned()])
        .collect();
    let source = folder.path().join("a.pgn");
    fs::write(&source, text).unwrap();
    let numbered = (1..).zip(STARTS);
    let tagged: Vec<u32> = numbered
        .filter(|(_, start)| start.2)
        .map(|(number, _)| number)
        .collect();
    for suffix in ["pgn", "si4", "si5", "cbh", "2cbh", "dci"] {
        let target = folder.path().join("b").with_extension(suffix);
        assert_eq!(convert(&source, &target), 0, "{suffix}");
        let answers = || {
            let database = Database::open(&target).unwrap();
            let answer = |strategy| {
                let found = numbers(&database, "start:chess960", strategy, false);
                let others = numbers(&database, "start!=chess960", strategy, false);
                assert_eq!(found.len() + others.len(), database.len() as usize);
                found
            };
            let found = answer(Strategy::Auto);
            assert_eq!(found, answer(Strategy::FullDecode), "{suffix}");
            found
        };
        let found = answers();
        // Where the tag is not kept, the array still tells.
        let expected = match suffix {
            "dci" => vec![3, 4],
            // A game from the usual start is no game of Chess960 there.
            "2cbh" => tagged.iter().copied().filter(|&game| game != 5).collect(),
            _ => tagged.clone(),
        };
        assert_eq!(found, expected, "{suffix}");
        let database = Database::open(&target).unwrap();
        let columns = SidecarOptions::new().columns(true);
        columns.build(&database).unwrap();
        assert_eq!(answers(), found, "{suffix}");
    }
}
