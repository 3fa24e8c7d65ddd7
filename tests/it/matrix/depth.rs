//! Variations inside each other, ten thousand deep and deeper.

use shakmaty::{Chess, Position, san::San};
use tabiya::{
    Database, Error, ErrorKind, GameId, Parts, SidecarOptions,
    chess::Start,
    format::{GameHeader, GameText, Visitor},
    limits::VARIATION_DEPTH_MAX,
};
use tabiya_formats::{
    Encode,
    chessbase::{v1 as chessbase, v2 as chessbase2},
    jose, scdb,
    scid4::{self, Edition, Writer},
};

use super::base::{Base, Kind, all_games, convert, found, games, verified};
use crate::support::game::{Event, PlainGame};

/// In each position a knight goes to the c file, and in a variation around that the other one
/// goes out or back, and so on. Each level has a position of its own, since ChessBase has all
/// alternatives to a move in one row.
fn nested(depth: usize) -> PlainGame {
    const PLAYED: [&str; 2] = ["Nc3", "Nc6"];
    const OTHER: [&str; 4] = ["Nf3", "Nf6", "Ng1", "Ng8"];
    let mut position = Chess::default();
    let mut events = Vec::new();
    for level in 0..=depth {
        let legal = |san: &str| san.parse::<San>().unwrap().to_move(&position).unwrap();
        events.push(Event::Play(Some(legal(PLAYED[level % 2]))));
        if level < depth {
            let other = legal(OTHER[level % 4]);
            events.extend([Event::Begin, Event::Play(Some(other))]);
            position.play_unchecked(other);
        }
    }
    events.resize(events.len() + depth, Event::End);
    PlainGame {
        events,
        ..PlainGame::default()
    }
}

/// The same as text, between other games.
fn text(depth: usize) -> String {
    let mut moves = String::new();
    for event in nested(depth).events {
        match event {
            Event::Play(Some(played)) => {
                moves += &format!("N{} ", played.to());
            }
            Event::Begin => moves.push('('),
            _ => moves.push(')'),
        }
    }
    let game = format!("[White \"own white deep\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n");
    [games("own", 1), game, games("own", 2)].concat()
}

/// Kinds that have variations.
fn with_variations() -> impl Iterator<Item = Kind> {
    Kind::ALL.into_iter().filter(|kind| !kind.is_training())
}

#[test]
fn a_game_of_the_greatest_depth_is_read_found_verified_and_converted() {
    for kind in with_variations() {
        let base = Base::new(kind, &text(VARIATION_DEPTH_MAX));
        let database = base.open();
        let games = all_games(&database);
        assert_eq!(games.len(), 4, "{kind:?}");
        assert!(
            games[1].events == nested(VARIATION_DEPTH_MAX).events,
            "{kind:?}"
        );
        assert_eq!(found(&database, "played:Nc3 white:deep"), [2], "{kind:?}");
        assert_eq!(verified(&database).damaged, 0, "{kind:?}");
        let target = base.folder().join("copy.si5");
        assert_eq!(convert(&base.path(), &target).skipped, 0, "{kind:?}");
        let copy = Database::open(&target).unwrap();
        assert!(all_games(&copy)[1].events == games[1].events, "{kind:?}");
        if kind != Kind::Scid5 {
            continue;
        }
        let made = SidecarOptions::new().build(&copy);
        made.expect("a sidecar can be made");
        let copy = Database::open(target).unwrap();
        assert!(copy.sidecar().is_some());
        assert_eq!(found(&copy, "played:Nc3 white:deep"), [2], "{kind:?}");
    }
}

#[test]
fn of_a_deeper_game_what_is_not_too_deep_is_converted() {
    let too_deep = VARIATION_DEPTH_MAX + 1;
    for kind in [Kind::Pgn, Kind::Gzip, Kind::Bzip2, Kind::Zstd] {
        let base = Base::new(kind, &text(too_deep));
        let error = PlainGame::read(&base.open(), GameId(1)).unwrap_err();
        assert_eq!((error.game(), error.line()), (Some(2), Some(13)), "{error}");
        for suffix in ["si4", "si5", "cbh", "2cbh", "dci", "pgn"] {
            let done = convert(
                &base.path(),
                &base.folder().join("copy").with_extension(suffix),
            );
            assert_eq!((done.games, done.harmed), (4, 1), "{kind:?} {suffix}");
            let error = &done.harmed_games[0];
            assert!(
                matches!(error.kind(), ErrorKind::LimitExceeded { .. }),
                "{error}"
            );
            assert_eq!(error.game(), Some(2), "{error}");
        }
    }
}

#[test]
fn no_writer_takes_a_deeper_game() {
    fn told(visitor: &mut impl Visitor, depth: usize) {
        let told = nested(depth).tell(visitor);
        assert_eq!(told.is_continue(), depth <= VARIATION_DEPTH_MAX);
    }
    for depth in [VARIATION_DEPTH_MAX, VARIATION_DEPTH_MAX + 1, 50_000] {
        let header = GameHeader::default();
        let mut results: Vec<Result<(), Error>> = Vec::new();
        for edition in [Edition::Si4, Edition::Si5] {
            let mut encoder = scid4::Encoder::with_edition(edition);
            encoder.begin(&header);
            told(&mut encoder, depth);
            results.push(encoder.finish().map(drop));
        }
        let mut encoder = scdb::Encoder::new();
        encoder.begin(&header);
        told(&mut encoder, depth);
        results.push(encoder.finish().map(drop));
        let mut encoder = chessbase::Encoder::new();
        encoder.begin(&header);
        told(&mut encoder, depth);
        results.push(encoder.finish().map(drop));
        let mut encoder = chessbase2::Encoder::new();
        encoder.begin(&header);
        told(&mut encoder, depth);
        results.push(encoder.finish().map(drop));
        let mut text = GameText::new(&header);
        told(&mut text, depth);
        results.push(text.finish().map(drop));
        for result in results {
            let is_limit = |error: Error| matches!(error.kind(), ErrorKind::LimitExceeded { .. });
            assert_eq!(result.is_err_and(is_limit), depth > VARIATION_DEPTH_MAX);
        }
    }
}

/// Makes a file of Scid's formats with a game of these bytes.
fn scid_game(kind: Kind, blob: &[u8]) -> Base {
    let base = Base::three(kind);
    let length = blob.len() as u32;
    base.change(kind.suffix(), |index| match kind {
        Kind::Scid5 => {
            index[32..36].copy_from_slice(&(length << 15).to_le_bytes());
            index[36..40].fill(0);
        }
        _ => {
            let record = if kind == Kind::Scid3 { 128 } else { 182 };
            index[record..record + 4].fill(0);
            index[record + 4..record + 6].copy_from_slice(&(length as u16).to_be_bytes());
        }
    });
    base.change(kind.games_file().unwrap(), |games| {
        games.resize(games.len().max(blob.len()), 0);
        games[..blob.len()].copy_from_slice(blob);
    });
    base
}

/// A game of Scid's: no tags, the standard start, a pawn moves in variations of each other.
fn scid_bytes(depth: usize) -> Vec<u8> {
    let opened = [&[0, 0, 0x28][..], &[13, 0x28].repeat(depth)].concat();
    [opened, vec![14; depth], vec![15]].concat()
}

#[test]
fn a_deeper_game_in_a_file_of_scid_is_damaged_and_its_main_line_is_found() {
    for kind in [Kind::Scid3, Kind::Scid4, Kind::Scid5] {
        for (depth, fits) in [
            (VARIATION_DEPTH_MAX, true),
            (VARIATION_DEPTH_MAX + 1, false),
        ] {
            let base = scid_game(kind, &scid_bytes(depth));
            let database = base.open();
            is_too_deep(&database, fits);
            let main_line = crate::support::ask::numbers(
                &database,
                "number:1 played:Nc3",
                tabiya::Strategy::FullDecode,
                false,
            );
            assert_eq!(main_line, [1], "{kind:?}");
        }
    }
}

/// Checks that the first game is damaged because of its depth, or fits.
fn is_too_deep(database: &Database, fits: bool) {
    let read = PlainGame::read(database, GameId(0));
    assert_eq!(read.is_ok(), fits, "{}", database.kind());
    if let Err(error) = read {
        assert!(error.to_string().contains("deep"), "{error}");
        assert_eq!(error.game(), Some(1), "{error}");
        assert!(
            error.path().is_some() && error.offset().is_some(),
            "{error}"
        );
        let listed = verified(database).damaged_games;
        assert!(
            listed.iter().any(|error| error.game() == Some(1)),
            "{listed:?}"
        );
    }
}

#[test]
fn a_deeper_game_of_a_simple_chess_database_is_damaged() {
    for kind in [Kind::Scdb, Kind::Scdb11] {
        for (depth, fits) in [
            (VARIATION_DEPTH_MAX, true),
            (VARIATION_DEPTH_MAX + 1, false),
        ] {
            let base = Base::new(kind, &text(1));
            let deep = {
                let mut encoder = scdb::Encoder::new();
                encoder.begin(&GameHeader::default());
                let _ = nested(VARIATION_DEPTH_MAX).tell(&mut encoder);
                encoder.finish().unwrap().as_bytes().to_vec()
            };
            // One variation more inside: begin, the last move, end.
            let (begin, end) = (0x84, 0x85);
            let middle = deep.len() - VARIATION_DEPTH_MAX;
            assert!(deep[middle..].iter().all(|&byte| byte == end));
            let played = [deep[middle - 2], deep[middle - 1]];
            let more = [begin, played[0], played[1], end].repeat(depth - VARIATION_DEPTH_MAX);
            let head = deep.iter().position(|&byte| byte == 0).unwrap();
            let body = [&deep[head..middle], &more, &deep[middle..]].concat();
            let length = (body.len() as u32).to_be_bytes();
            let game = [&[0x84][..], &length, &body].concat();
            let offset = base.open().facts(GameId(0)).unwrap().offset_bytes as usize;
            base.change("dcg", |games| {
                games.truncate(offset);
                games.extend(game);
            });
            is_too_deep(&base.open(), fits);
        }
    }
}

#[test]
fn a_deeper_stream_of_jose_is_damage() {
    for (depth, fits) in [
        (VARIATION_DEPTH_MAX, true),
        (VARIATION_DEPTH_MAX + 1, false),
        (200_000, false),
    ] {
        let mut encoder = jose::Encoder::new();
        assert!(nested(depth).tell(&mut encoder).is_continue());
        let (bin, comments) = encoder.finish(None).unwrap();
        let mut told = PlainGame::default();
        let replayed = jose::Stream::new(&bin, &comments).replay(Start::Standard, &mut told);
        assert_eq!(replayed.is_ok(), fits, "{depth}");
        if let Err(error) = replayed {
            assert!(
                error.to_string().contains("deep") && error.offset().is_some(),
                "{error}"
            );
        }
    }
}

/// Unclosed variations, more than a recursion for each would survive.
#[test]
fn variations_that_never_end_are_damage_in_bounded_depth() {
    let endless = [&[0, 0, 0x28][..], &[13, 0x28].repeat(65_000)].concat();
    let mut writer = Writer::in_memory(Edition::Si4).unwrap();
    let mut encoder = scid4::Encoder::new();
    encoder.begin(&GameHeader::default());
    writer.append(&encoder.finish().unwrap()).unwrap();
    let mut parts: Parts = writer.finish_in_memory().unwrap().0;
    let mut index = std::mem::take(&mut parts.index);
    let length = endless.len() as u32;
    index[186..188].copy_from_slice(&(length as u16).to_be_bytes());
    index[188] = (length >> 9) as u8 & 0x80;
    (parts.index, parts.games) = (index, Some(endless));
    let database = Database::from_bytes(parts);
    let error = PlainGame::read(&database.unwrap(), GameId(0)).unwrap_err();
    assert!(error.to_string().contains("deep"), "{error}");
}
