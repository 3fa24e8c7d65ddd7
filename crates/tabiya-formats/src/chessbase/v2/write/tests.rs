//! Single rules of the format, and files that appear together or not at all.

use std::fs;

use shakmaty::{CastlingMode, Chess, Position, Setup, fen::Fen, san::San};
use tabiya_chess::{RatingKind, Start};

use super::{Encoder, SUFFIXES, Writer, encode::GameMeta};
use crate::{
    Encode, EncodedGame, GameHeader, Overwrite, Visitor,
    error::Result,
    game::Rating,
    header::flag,
    loss::{GameLosses, Loss},
};

/// Bytes of a record before its content.
const HEAD: usize = 26;

fn setup(fen: &str) -> Setup {
    fen.parse::<Fen>().unwrap().into_setup()
}

/// Encodes a game; of a SAN in brackets a variation is made.
fn encoded(
    tags: &[(&str, &str)],
    fen: Option<&str>,
    sans: &[&str],
) -> Result<EncodedGame<GameMeta>> {
    let mut encoder = Encoder::new();
    encoder.begin(&GameHeader::default());
    for (name, value) in tags {
        let _ = encoder.tag(name, value);
    }
    let mut position = Chess::default();
    if let Some(fen) = fen {
        let setup = setup(fen);
        let _ = encoder.start(Start::Custom(&setup));
        position = setup.position(CastlingMode::Chess960).unwrap();
    }
    let (mut before, mut outer) = (position.clone(), Vec::new());
    for san in sans {
        match *san {
            "(" => {
                let _ = encoder.begin_variation();
                outer.push((before.clone(), position));
                position = before.clone();
            }
            ")" => {
                let _ = encoder.end_variation();
                (before, position) = outer.pop().unwrap();
            }
            san => {
                before = position.clone();
                let played = san.parse::<San>().unwrap().to_move(&position).unwrap();
                let _ = encoder.play(Some(played));
                position.play_unchecked(played);
            }
        }
    }
    encoder.finish()
}

fn words(game: &EncodedGame<GameMeta>) -> Vec<u16> {
    let (words, rest) = game.as_bytes()[HEAD..].as_chunks();
    assert!(rest.is_empty());
    words.iter().map(|&word| u16::from_le_bytes(word)).collect()
}

#[test]
fn an_empty_game_is_the_end_of_its_line() {
    let game = encoded(&[], None, &[]).unwrap();
    assert_eq!(words(&game), [0xfffc, 0xffff]);
}

/// The order that the published description tells.
#[test]
fn alternatives_are_told_from_the_last_to_the_first() {
    let told = [
        "e4", "c5", "(", "c6", "d4", ")", "(", "Nf6", "e5", ")", "Nf3", "d6", "(", "Nc6", "Bb5",
        ")", "d4",
    ];
    let game = encoded(&[], None, &told).unwrap();
    let word = |before: &[&str]| words(&encoded(&[], None, before).unwrap())[before.len()];
    let (e4, c5, c6, nf6) = (
        word(&["e4"]),
        word(&["e4", "c5"]),
        word(&["e4", "c6"]),
        word(&["e4", "Nf6"]),
    );
    let after_c5 = |more: &[&str]| word(&[&["e4", "c5"], more].concat());
    let (nf3, d6) = (after_c5(&["Nf3"]), after_c5(&["Nf3", "d6"]));
    let nc6 = after_c5(&["Nf3", "Nc6"]);
    let bb5 = after_c5(&["Nf3", "Nc6", "Bb5"]);
    let d4 = after_c5(&["d4"]);
    let e5 = word(&["e4", "Nf6", "e5"]);
    let (other, end) = (0xfffd, 0xffff);
    let expected = [
        0xfffc, e4, c5, other, nf3, d6, other, d4, end, nc6, bb5, end, c6, other, d4, end, nf6, e5,
        end,
    ];
    assert_eq!(words(&game), expected);
}

#[test]
fn games_of_chess960_have_the_number_of_their_start() {
    let fen = "bnrkrbnq/pppppppp/8/8/8/8/PPPPPPPP/BNRKRBNQ w ECec - 0 1";
    let sans = ["Nf3", "Nf6", "g3", "g6", "Bg2", "Bg7", "O-O"];
    let game = encoded(&[], Some(fen), &sans).unwrap();
    let told = words(&game);
    assert_eq!(told[..3], [0xfffb, 370, 0xfffc]);
    assert_eq!(told[told.len() - 2..], [0xb12d + 4 * 370 + 1, 0xffff]);
    // Chess960, and an own start position.
    assert_eq!(game.as_bytes()[24..26], [2, 0]);
    let record = game.rest.record.as_bytes();
    assert_eq!(record[0x84..0x88], 0x0800_0001_u32.to_le_bytes());
    assert_eq!(record[0x80..0x82], (64_576_u16 + 370).to_le_bytes());
    // One right less, and it is another position.
    let fen = fen.replace("ECec", "ECe");
    let told = words(&encoded(&[], Some(&fen), &["Nf3"]).unwrap());
    assert_eq!(told[..5], [0xfffb, 1000, 1, 0x0b00, 0]);
}

#[test]
fn the_usual_start_position_is_no_chess960() {
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let tags = [("Variant", "Chess960")];
    let game = encoded(&tags, Some(fen), &["e4"]).unwrap();
    assert_eq!(words(&game)[0], 0xfffc);
    assert_eq!(game.losses().count(Loss::TagsDropped), 1);
}

#[test]
fn start_positions_tell_rights_and_en_passant_as_real_ones_do() {
    let fen = "4k3/8/8/8/4pP2/8/8/4K2R b K f3 0 30";
    let game = encoded(&[], Some(fen), &["exf3"]).unwrap();
    let told = words(&game);
    assert_eq!(told[..4], [0xfffb, 30, 0x0201, 6]);
    // The men by files: e1, e4, e8, f4, h1.
    let men = [
        0xc02d + 32,
        0xc2dd + 26,
        0xc16d + 39,
        0xc2ad + 32,
        0xc02d + 4 * 64 + 56,
    ];
    assert_eq!(told[4..9], men);
    // A single move of Black has one number.
    assert_eq!(game.rest.record.as_bytes()[0x8a..0x8c], [1, 0]);
}

#[test]
fn what_cannot_be_a_start_position_is_an_error_or_reported() {
    for fen in [
        "P3k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "8/8/8/8/8/8/8/4K3 w - - 0 1",
        "pppppppp/pppppppp/pppppppp/8/8/8/8/k3K3 w - - 0 1",
    ] {
        let mut encoder = Encoder::new();
        encoder.begin(&GameHeader::default());
        let _ = encoder.start(Start::Custom(&setup(fen)));
        assert!(encoder.finish().is_err(), "{fen}");
    }
    let mut encoder = Encoder::new();
    let losses = |encoder: &mut Encoder, fen: &str| {
        encoder.begin(&GameHeader::default());
        let _ = encoder.start(Start::Custom(&setup(fen)));
        *encoder.finish().unwrap().losses()
    };
    let lost = losses(&mut encoder, "4k3/8/8/8/8/8/8/4K3 w - - 7 65530");
    assert_eq!(lost.count(Loss::HalfmoveClocksDropped), 1);
    assert_eq!(lost.count(Loss::ClocksDropped), 1);
    // A king castles with the outer rook.
    let lost = losses(&mut encoder, "4k3/8/8/8/8/8/8/1K3R1R w F - 0 1");
    assert_eq!(lost.count(Loss::CastlingRightsDropped), 1);
}

#[test]
fn annotations_count_moves_in_the_order_of_pgn() {
    let mut encoder = Encoder::new();
    encoder.begin(&GameHeader::default());
    let position = Chess::default();
    let play = |encoder: &mut Encoder, san: &str, comment: &str| {
        let played = san.parse::<San>().unwrap().to_move(&position).unwrap();
        let _ = encoder.play(Some(played));
        let _ = encoder.comment(comment);
    };
    // The third is an alternative to the second, and stored after all that follows it.
    let _ = encoder.nag(1);
    play(&mut encoder, "e4", "zero");
    let _ = encoder.begin_variation();
    play(&mut encoder, "d4", "one");
    let _ = encoder.begin_variation();
    play(&mut encoder, "c4", "[%csl Ga1]three");
    let _ = encoder.end_variation();
    let _ = encoder.play(None);
    let _ = encoder.comment("two");
    let _ = encoder.end_variation();
    let game = encoder.finish().unwrap();
    let content = &game.rest.annotations[HEAD..];
    let text = |text: &str| {
        let mut bytes = vec![2, 0, 0, 0, 7, 0, text.len() as u8, 0, 0, 0];
        bytes.extend(text.as_bytes());
        bytes
    };
    let block = |position: i32, items: &[Vec<u8>]| {
        let head = [position, items.len() as i32]
            .map(i32::to_le_bytes)
            .concat();
        [head, items.concat()].concat()
    };
    let expected = [
        block(-1, &[vec![3, 0, 1, 0, 0]]),
        block(0, &[text("zero")]),
        block(1, &[text("one")]),
        block(2, &[text("two")]),
        block(3, &[vec![4, 0, 2, 0, 0, 0, 2, 1], text("three")]),
        i32::MAX.to_le_bytes().to_vec(),
    ];
    assert_eq!(content, expected.concat());
    // Variations, texts, symbols, squares.
    let record = game.rest.record.as_bytes();
    assert_eq!(record[0x84..0x88], 0x1e_u32.to_le_bytes());
}

fn header() -> GameHeader {
    GameHeader {
        event: "e".repeat(600),
        site: "s".repeat(600),
        white: "Carlsen,M".into(),
        black: "Tal".into(),
        round: "3.1.2".into(),
        marks: flag::DELETED | 1 << 4,
        ..GameHeader::default()
    }
}

#[test]
fn what_does_not_fit_is_counted() {
    let mut encoder = Encoder::new();
    encoder.begin(&header());
    for (name, value) in [
        ("Opening", "Sicilian"),
        ("Board", "0"),
        ("EventRounds", "300"),
        ("SourceDate", "1.1.2000"),
        ("WhiteFideId", "x"),
        ("WhiteRatingList", "LiChess blitz"),
        ("Annotator", "a"),
        ("Annotator", "b"),
        ("GameTitle", &"t".repeat(500)),
    ] {
        let _ = encoder.tag(name, value);
    }
    let game = encoder.finish().unwrap();
    let losses: GameLosses = *game.losses();
    for (loss, count) in [
        (Loss::NamesCutToFields, 2),
        (Loss::NamesRespelled, 1),
        (Loss::RoundsReducedToFit, 1),
        (Loss::MarksDropped, 1),
        (Loss::TagsDropped, 7),
    ] {
        assert_eq!(losses.count(loss), count, "{loss}");
    }
    assert_eq!(game.rest.record.as_bytes()[..4], [0x81, 0, 1, 1]);
}

#[test]
fn rounds_are_two_numbers() {
    let mut encoder = Encoder::new();
    for (round, numbers, is_kept) in [
        ("?", [0, 0], true),
        ("7", [7, 0], true),
        ("32767", [32_767, 0], true),
        ("1023.1023", [1023, 1023], true),
        ("8.7.1", [8, 7], false),
        ("7.1024", [7, 0], false),
        ("40000", [0, 0], false),
        ("final", [0, 0], false),
        ("-3", [0, 0], false),
        ("1.x", [1, 0], false),
    ] {
        encoder.begin(&GameHeader {
            round: round.to_owned(),
            ..GameHeader::default()
        });
        let game = encoder.finish().unwrap();
        let stored = &game.rest.record.as_bytes()[0x5a..0x5e];
        assert_eq!(stored, numbers.map(i16::to_le_bytes).concat(), "{round}");
        let lost = game.losses().count(Loss::RoundsReducedToFit);
        assert_eq!(lost == 0, is_kept, "{round}");
    }
}

#[test]
fn ratings_are_those_of_known_lists() {
    let rated = |value: u16, kind, list: Option<&str>| {
        let mut encoder = Encoder::new();
        encoder.begin(&GameHeader {
            white_rating: std::num::NonZeroU16::new(value).map(|value| Rating { value, kind }),
            ..GameHeader::default()
        });
        let _ = list.map(|list| encoder.tag("WhiteRatingList", list));
        let game = encoder.finish().unwrap();
        let bytes = &game.rest.record.as_bytes()[0x60..0x70];
        let number = |at: usize| i16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let name = String::from_utf8_lossy(&bytes[8..]);
        let name = name.trim_end_matches('\0').to_owned();
        ([number(0), number(2), number(4), number(6)], name)
    };
    let is = |numbers: [i16; 4], name: &str| (numbers, name.to_owned());
    assert_eq!(rated(0, RatingKind::Elo, None), is([0; 4], ""));
    assert_eq!(
        rated(2700, RatingKind::Elo, None),
        is([2700, 1, 1, 0], "FIDE")
    );
    let blitz = rated(2700, RatingKind::Elo, Some("FIDE blitz"));
    assert_eq!(blitz, is([2700, 17, 2, 0], "FIDE"));
    assert_eq!(
        rated(2700, RatingKind::Rapid, None),
        is([2700, 25, 3, 0], "FIDE")
    );
    assert_eq!(
        rated(2700, RatingKind::Iccf, None),
        is([2700, 33, 4, 0], "ICCF")
    );
    assert_eq!(
        rated(2000, RatingKind::Dwz, None),
        is([2000, 2, 100, 53], "")
    );
    let server = rated(1999, RatingKind::Rating, Some("LiChess blitz"));
    assert_eq!(server, is([1999, 19, 16, 196], "LiChess"));
}

#[test]
fn files_appear_together_when_all_are_complete() {
    let folder = tempfile::tempdir().unwrap();
    let count = || fs::read_dir(folder.path()).unwrap().count();
    let path = folder.path().join("a.b.2cbh");
    let mut writer = Writer::create(&path, (), Overwrite::Refuse).unwrap();
    writer
        .append(&encoded(&[], None, &["d4"]).unwrap())
        .unwrap();
    assert!(!path.exists());
    drop(writer);
    assert_eq!(count(), 0);
    let writer = Writer::create(&path, (), Overwrite::Refuse).unwrap();
    writer.finish().unwrap();
    assert_eq!(count(), SUFFIXES.len());
    // Files that are made of the names go with those that they were made of.
    let sorted = path.with_extension("2lcd");
    fs::write(&sorted, "order").unwrap();
    assert!(Writer::create(&path, (), Overwrite::Refuse).is_err());
    let writer = Writer::create(&path, (), Overwrite::Replace).unwrap();
    writer.finish().unwrap();
    assert_eq!((count(), sorted.exists()), (SUFFIXES.len(), false));
}
