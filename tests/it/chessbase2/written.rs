//! Databases of ChessBase 2 that are written: games come back, and the files are what the published
//! description says, read here byte by byte.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tabiya::{
    Conversion, ConvertOptions, Database, Flow, GameId, Query, Search, convert,
    format::{GameHeader, Overwrite, flag},
    repair,
};
use tabiya_formats::{
    Encode,
    chessbase::v2::{Encoder, SUFFIXES, Writer},
};

use super::{
    compare,
    damaged::verified,
    description::{Files, annotation_bytes, frames, i32_at, u16_at},
    read, set,
};
use crate::support::{
    dice::Dice,
    game::{Event, PlainGame},
    losses::differences,
    pool::random_game,
    shared,
};

fn converted(source: &Path, target: &Path) -> Conversion {
    let options = ConvertOptions::from(Overwrite::Refuse);
    convert(
        &[source.to_owned()],
        target,
        options,
        tabiya::Progress::ignore,
    )
    .unwrap()
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name)
}

/// Checks the files, and that nothing is said against them.
fn is_sound(path: &Path) {
    Files::of(path).check();
    let database = Database::open(path).unwrap();
    assert!(database.notes().is_empty(), "{:?}", database.notes());
    let verified = verified(&database);
    assert_eq!(verified.damaged, 0, "{:?}", verified.damaged_games);
    assert!(verified.notes.is_empty(), "{:?}", verified.notes);
}

#[test]
fn copies_of_the_sets_are_what_the_truth_says() {
    for name in ["edge2", "plain2"] {
        let (Some(path), Some(truth)) = (
            set(name),
            shared::packed(&format!("truth/2cbh-{name}.json")),
        ) else {
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("copy.2cbh");
        let done = converted(&path, &target);
        println!("{name}: {} games, {:?}", done.games, done.losses);
        let skipped: Vec<u32> = done
            .skipped_games
            .iter()
            .filter_map(|fault| fault.game())
            .collect();
        let mut records = read(&truth);
        records.retain(|record| !skipped.contains(&(record["id"].as_u64().unwrap() as u32)));
        for (record, id) in records.iter_mut().zip(1..) {
            record["id"] = id.into();
        }
        compare(&Database::open(&target).unwrap(), &records);
        Files::of(&target).check();
        assert_eq!(done.skipped, if name == "edge2" { 1 } else { 0 });
        assert!(
            name == "edge2" || done.losses.is_empty(),
            "{:?}",
            done.losses
        );
        // A copy of the copy is the copy.
        let again = folder.path().join("again.2cbh");
        assert!(converted(&target, &again).losses.is_empty());
        for suffix in SUFFIXES {
            let read = |path: &Path| fs::read(path.with_extension(suffix)).unwrap();
            assert!(read(&target) == read(&again), "{name}: {suffix}");
        }
    }
}

#[test]
fn what_is_written_satisfies_the_description_and_verifies() {
    let folder = tempfile::tempdir().unwrap();
    for (nth, source) in ["famous.pgn", "famous.si4", "famous.cbh"]
        .into_iter()
        .enumerate()
    {
        let target = folder.path().join(format!("{nth}.2cbh"));
        assert_eq!(converted(&fixture(source), &target).games, 91);
        is_sound(&target);
    }
    let empty = folder.path().join("empty.2cbh");
    Writer::create(&empty, (), Overwrite::Refuse)
        .unwrap()
        .finish()
        .unwrap();
    is_sound(&empty);
    assert_eq!(Database::open(&empty).unwrap().len(), 0);
    for source in [
        shared::packed("pgn/edge.pgn"),
        shared::packed("pgn/annotated.pgn"),
        shared::path("data/chessbase/hedgehog/Hedgehog.cbh"),
    ] {
        let Some(source) = source else {
            continue;
        };
        let stem = source.file_stem().unwrap().to_str().unwrap();
        let target = folder.path().join(format!("{stem}.2cbh"));
        assert!(converted(&source, &target).games > 0);
        is_sound(&target);
    }
}

#[test]
fn random_games_come_back_and_are_written_alike() {
    let mut dice = Dice::new(21);
    let mut games: Vec<PlainGame> = (0..400).map(|_| random_game(&mut dice)).collect();
    // A tag without a value says as much as none.
    let tags = games.iter_mut().map(|game| &mut game.tags);
    tags.for_each(|tags| tags.retain(|(_, value)| !value.is_empty()));
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = ["one.2cbh", "other.2cbh"].map(|name| folder.path().join(name));
    let mut lost = Vec::new();
    for path in [&one, &other] {
        let mut writer = Writer::create(path, (), Overwrite::Refuse).unwrap();
        let mut encoder = Encoder::new();
        lost.clear();
        for game in &games {
            encoder.begin(&game.header);
            assert!(game.tell(&mut encoder).is_continue());
            let encoded = encoder.finish().unwrap();
            lost.push(!encoded.losses().is_empty());
            writer.append(&encoded).unwrap();
        }
        assert_eq!(writer.finish().unwrap().games, 400);
    }
    Files::of(&one).check();
    for suffix in SUFFIXES {
        let read = |path: &Path| fs::read(path.with_extension(suffix)).unwrap();
        assert_eq!(read(&one), read(&other), "{suffix}");
    }
    let database = Database::open(&one).unwrap();
    let mut whole = 0;
    for ((game, id), lost) in games.iter().zip((0..).map(GameId)).zip(lost) {
        let copy = PlainGame::read(&database, id).unwrap();
        let is_deleted = game.header.marks & flag::DELETED;
        assert_eq!(copy.header.marks & flag::DELETED, is_deleted);
        if !lost {
            let different = differences(game, &copy);
            assert!(different.is_empty(), "{id:?}: {different:?}");
            whole += 1;
        }
    }
    assert!(whole > 50, "{whole}");
}

/// Tags that this format has fields for.
const TAGS: [(&str, &str); 17] = [
    ("ECOSub", "B90/07"),
    ("Medals", "novelty, sacrifice"),
    ("Board", "3"),
    ("WhiteRatingList", "FIDE blitz"),
    ("EventEndDate", "1999.05.11"),
    ("EventType", "swiss (rapid)"),
    ("EventRounds", "9"),
    ("EventCategory", "12"),
    ("Annotator", "Müller, Karsten"),
    ("Source", "CBM 70"),
    ("SourcePublisher", "ChessBase"),
    ("SourceDate", "1999.06.??"),
    ("WhiteTeam", "Solingen"),
    ("BlackTeam", "Porz"),
    ("WhiteFideId", "1503014"),
    ("BlackFideId", "4100018"),
    ("GameTitle", "Дебют"),
];

#[test]
fn what_has_a_field_comes_back_as_the_tag_that_it_was() {
    let game = PlainGame {
        header: GameHeader {
            eco: "B90".parse().ok(),
            white_rating: std::num::NonZeroU16::new(2700).map(|value| tabiya::format::Rating {
                value,
                kind: tabiya::chess::RatingKind::Elo,
            }),
            ..GameHeader::default()
        },
        tags: TAGS
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
        ..PlainGame::default()
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tags.2cbh");
    let mut writer = Writer::create(&path, (), Overwrite::Refuse).unwrap();
    let mut encoder = Encoder::new();
    encoder.begin(&game.header);
    assert!(game.tell(&mut encoder).is_continue());
    let encoded = encoder.finish().unwrap();
    assert!(encoded.losses().is_empty());
    writer.append(&encoded).unwrap();
    writer.finish().unwrap();
    is_sound(&path);
    let copy = PlainGame::read(&Database::open(&path).unwrap(), GameId(0)).unwrap();
    assert_eq!(copy.tags, game.tags);
    assert_eq!(
        (copy.header.eco, copy.header.white_rating),
        (game.header.eco, game.header.white_rating)
    );
}

/// What is told of annotations becomes the same annotations again, by way of PGN too.
#[test]
fn annotations_keep_their_types_by_way_of_text() {
    let commands = [
        "[%csl Ge4,Ra1]",
        "[%cal Yg1f3]",
        "[%emt 0:01:05]",
        "[%eval -0.35,22]",
        "[%pawns 3]",
        "[%path f3 2]",
        "[%clock white 1:30:00.00]",
        "[%critical endgame]",
        "[%link \"https://example.org\" \"Caption\"]",
        "[%medal novelty]",
        "[%colour #ff8000 main-line]",
        "[%timecontrol 40/5400+30:1800+30]",
        "[%videotime 987654]",
        "[%2cba 08 06000000]",
    ];
    let text = format!("[Result \"*\"]\n\n1. e4 {{{}}} *\n\n", commands.join("} {"));
    let folder = tempfile::tempdir().unwrap();
    let pgn = folder.path().join("a.pgn");
    fs::write(&pgn, text).unwrap();
    let target = folder.path().join("a.2cbh");
    assert!(converted(&pgn, &target).losses.is_empty());
    is_sound(&target);
    let files = Files::of(&target);
    let kinds = [
        4, 5, 7, 0x21, 0x14, 0x15, 0x16, 0x18, 0x1c, 0x22, 0x23, 0x24, 0x25, 8,
    ];
    let content = frames(&files.annotations, [0, 0])[0].content;
    assert_eq!(
        [i32_at(content, 0), i32_at(content, 4)],
        [0, kinds.len() as i32]
    );
    let mut at = 8;
    for kind in kinds {
        assert_eq!(u16_at(content, at), kind);
        at += annotation_bytes(&content[at..]).unwrap();
    }
    let game = PlainGame::read(&Database::open(&target).unwrap(), GameId(0)).unwrap();
    let told = game.events[1..].iter();
    assert!(told.eq(&commands.map(|command| Event::Comment(command.to_owned()))));
}

#[test]
fn strict_conversions_queries_and_repairs_write_this_format() {
    let folder = tempfile::tempdir().unwrap();
    let source = fixture("famous.cbh");
    let go_on = tabiya::Progress::ignore;
    let target = folder.path().join("some.2cbh");
    let query: Query = "result:1-0".parse().unwrap();
    let options = ConvertOptions::new().search(Search::new(&query));
    let found = convert(std::slice::from_ref(&source), &target, options, go_on).unwrap();
    let counted = Search::new(&query)
        .run(&Database::open(&source).unwrap())
        .unwrap();
    assert_eq!(found.games, counted.report().matched);
    is_sound(&target);
    // What is written can be written again without a loss.
    let again = folder.path().join("again.2cbh");
    let strict = ConvertOptions::new().strict(true);
    let copied = convert(std::slice::from_ref(&target), &again, strict.clone(), go_on).unwrap();
    assert_eq!(copied.games, found.games);
    let pgn = folder.path().join("a.pgn");
    fs::write(&pgn, "[Opening \"x\"]\n\n1. e4 *\n").unwrap();
    let refused = folder.path().join("refused.2cbh");
    let refused = convert(&[pgn], &refused, strict, go_on)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("tags dropped"), "{refused}");
    let repaired = folder.path().join("repaired.2cbh");
    let on_loss = |_: &_| Flow::Continue(());
    let done = repair(&target, &repaired, Overwrite::Refuse, on_loss, go_on).unwrap();
    assert_eq!((done.sound, done.harmed, done.lost), (found.games, 0, 0));
    is_sound(&repaired);
}
