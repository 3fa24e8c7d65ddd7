//! The three files: the layout of games in them, and when they appear.

use std::{fs, path::Path};

use tabiya_chess::NameKind;

use super::*;
use tabiya_formats::{Overwrite, scid4::write::Properties};

fn sized(bytes: usize) -> EncodedGame {
    encode(
        &GameHeader::default(),
        &[Event::Comment("x".repeat(bytes - 5))],
    )
    .unwrap()
}

#[test]
fn no_game_crosses_a_block() {
    let games: Vec<_> = [131_000, 72, 1, 131_071, 60_000, 71_072, 71_073]
        .map(|bytes: usize| sized(bytes.max(6)))
        .into();
    let database = database(&games);
    let offsets: Vec<u64> = (0..7)
        .map(|game| database.facts(GameId(game)).unwrap().offset_bytes)
        .collect();
    // The second game fills the block to its end.
    let block = 131_072;
    let expected = [
        0,
        131_000,
        block,
        2 * block,
        3 * block,
        3 * block + 60_000,
        4 * block,
    ];
    assert_eq!(offsets, expected);
    let mut witness = Witness::default();
    database.visit(GameId(6), &mut witness).unwrap();
    assert_eq!(witness.0[1], Event::Comment("x".repeat(71_073 - 5)));
}

#[test]
fn names_are_numbered_by_first_use_white_first() {
    let named = |white: &str, black: &str, event: &str| GameHeader {
        white: white.into(),
        black: black.into(),
        event: event.into(),
        ..GameHeader::default()
    };
    let headers = [
        named("Zoë", "Anna", "e"),
        named("Anna", "Zo", ""),
        named("Zoë", "Zoé", "e"),
    ];
    let games: Vec<_> = headers
        .iter()
        .map(|header| encode(header, &[]).unwrap())
        .collect();
    let database = database(&games);
    let name = |id| {
        database
            .name_of(NameKind::Player, tabiya_chess::NameId(id))
            .unwrap()
    };
    assert_eq!(name(0).as_deref(), Some("Zoë"));
    assert_eq!(name(1).as_deref(), Some("Anna"));
    assert_eq!(name(2).as_deref(), Some("Zo"));
    assert_eq!(name(3).as_deref(), Some("Zoé"));
    assert_eq!(name(4), None);
    assert_eq!(database.name_count(NameKind::Round).unwrap(), 1);
    for (id, header) in headers.iter().enumerate() {
        assert_eq!(&database.header(GameId(id as u32)).unwrap(), header);
    }
}

#[test]
fn names_files_are_front_coded_with_frequencies() {
    let mut writer = Writer::in_memory(Edition::Si4).unwrap();
    let header = GameHeader {
        white: "ab".into(),
        black: "abc".into(),
        ..GameHeader::default()
    };
    for _ in 0..256 {
        writer.append(&encode(&header, &[]).unwrap()).unwrap();
    }
    let (parts, _) = writer.finish_in_memory().unwrap();
    let mut expected = b"Scid.sn\0\0\0\0\0\0\0\x02\0\0\x01\0\0\x01\0\0\x01".to_vec();
    expected.extend_from_slice(&b"\0\x01\0".repeat(4));
    expected.extend_from_slice(b"\0\0\x01\0\x02ab\0\x01\x01\0\x03\x02c");
    expected.extend_from_slice(&b"\0\0\x01\0\0".repeat(3));
    assert_eq!(parts.names.unwrap(), expected);
}

#[test]
fn an_index_begins_with_its_properties() {
    let mut writer = Writer::in_memory(Edition::Si4).unwrap();
    let new = Writer::in_memory(Edition::Si4).unwrap();
    let (parts, _) = new.finish_in_memory().unwrap();
    assert_eq!(parts.index.len(), 182);
    assert_eq!(
        parts.index[..20],
        *b"Scid.si\0\x01\x90\0\0\0\0\0\0\0\0\0\x01"
    );
    assert!(parts.index[20..].iter().all(|&byte| byte == 0));
    writer.set_properties(Properties {
        description: "é".repeat(60),
        kind: 7,
        autoload: u32::MAX,
        flag_labels: std::array::from_fn(|index| format!("label {index} and more")),
    });
    let (parts, _) = writer.finish_in_memory().unwrap();
    assert_eq!(parts.index[10..20], *b"\0\0\0\x07\0\0\0\xff\xff\xff");
    assert_eq!(parts.index[128..146], *b"label 0 \0label 1 \0");
    let database = Database::from_bytes(parts).unwrap();
    assert_eq!(database.description(), "é".repeat(53));
}

fn listing(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<_> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

#[test]
fn files_appear_when_all_is_done_or_not_at_all() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.b");
    let mut writer = Writer::create(&path, Edition::Si4, Overwrite::Refuse).unwrap();
    writer.append(&game("e4")).unwrap();
    assert!(
        listing(directory.path())
            .iter()
            .all(|name| name.starts_with(".tabiya-"))
    );
    drop(writer);
    assert!(listing(directory.path()).is_empty());

    let mut writer = Writer::create(&path, Edition::Si4, Overwrite::Refuse).unwrap();
    writer.append(&game("e4")).unwrap();
    assert_eq!(writer.finish().unwrap().games, 1);
    assert_eq!(listing(directory.path()), ["a.b.sg4", "a.b.si4", "a.b.sn4"]);
    assert_eq!(Database::open(&path).unwrap().len(), 1);
}

#[test]
fn a_database_is_replaced_only_when_told() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("old.si4");
    for number in 1..4 {
        let overwrite = [Overwrite::Refuse, Overwrite::Replace][usize::from(number > 1)];
        let mut writer = Writer::create(&path, Edition::Si4, overwrite).unwrap();
        for _ in 0..number {
            writer.append(&game("d4")).unwrap();
        }
        writer.finish().unwrap();
        assert_eq!(Database::read(&path).unwrap().len(), number);
    }
    fs::remove_file(&path).unwrap();
    let error = Writer::create(&path, Edition::Si4, Overwrite::Refuse).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Io { action: "create" });
    assert_eq!(
        error.path(),
        Some(directory.path().join("old.sg4").as_path())
    );
    let error = Writer::create("x.si3", Edition::Si4, Overwrite::Replace).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }));
}

#[test]
fn a_file_that_appears_meanwhile_is_not_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("new.si4");
    let writer = Writer::create(&path, Edition::Si4, Overwrite::Refuse).unwrap();
    fs::write(&path, "mine").unwrap();
    assert!(writer.finish().is_err());
    assert_eq!(listing(directory.path()), ["new.si4"]);
    assert_eq!(fs::read(&path).unwrap(), b"mine");
}

#[test]
fn losses_are_counted_with_the_first_game() {
    let mut writer = Writer::in_memory(Edition::Si4).unwrap();
    for text in ["e4", "e4 {a} {b} {c}", "e4 {a} {b}"] {
        writer.append(&game(text)).unwrap();
    }
    let (_, summary) = writer.finish_in_memory().unwrap();
    let losses: Vec<_> = summary.losses.iter().collect();
    assert_eq!(losses, [(Loss::CommentsJoined, 3, 2)]);
    assert_eq!(summary.losses.count(Loss::CommentsJoined), 3);
}
