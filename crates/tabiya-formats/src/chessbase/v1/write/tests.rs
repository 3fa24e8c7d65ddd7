//! Single rules of the format, and files that appear together or not at all.

use std::{fs, num::NonZeroU16};

use shakmaty::{Chess, Color, Move, Position, Role, Setup, Square, fen::Fen, san::San};
use tabiya_chess::{Eco, RatingKind, Start};

use super::{
    Encoder, Loss, SUFFIXES, Writer,
    encode::GameMeta,
    men::{Code, Pieces},
};
use crate::{
    Encode, EncodedGame, GameHeader, Overwrite, Visitor,
    error::{ErrorKind, Result},
    game::Rating,
    header::flag,
};

fn setup(fen: &str) -> Setup {
    fen.parse::<Fen>().unwrap().into_setup()
}

fn quiet(role: Role, from: Square, to: Square) -> Move {
    Move::Normal {
        role,
        from,
        capture: None,
        to,
        promotion: None,
    }
}

fn code(pieces: &Pieces, turn: Color, played: Move) -> Option<Code> {
    pieces.code(turn, played, false).map(|(code, _)| code)
}

/// Encodes a game from a start position.
fn encoded(header: &GameHeader, fen: Option<&str>, sans: &[&str]) -> Result<EncodedGame<GameMeta>> {
    let mut encoder = Encoder::new();
    encoder.begin(header);
    let mut position = Chess::default();
    if let Some(fen) = fen {
        let setup = setup(fen);
        let _ = encoder.start(Start::Custom(&setup));
        position = setup.position(shakmaty::CastlingMode::Chess960).unwrap();
    }
    for san in sans {
        let played = san.parse::<San>().unwrap().to_move(&position).unwrap();
        let _ = encoder.play(Some(played));
        position.play_unchecked(played);
    }
    encoder.finish()
}

#[test]
fn of_two_codes_for_a_step_the_lower_is_written() {
    let pieces = Pieces::new(&setup("4k3/8/8/8/8/8/8/B3K3 w - - 0 1"));
    let far = quiet(Role::Bishop, Square::A1, Square::E5);
    assert_eq!(code(&pieces, Color::White, far), Some(Code::Short(67 + 3)));
}

#[test]
fn a_fourth_piece_moves_by_squares_and_so_do_all_once_numbers_are_in_doubt() {
    let mut pieces = Pieces::new(&setup("k7/8/8/8/8/3q4/8/RRRR3K b - - 0 1"));
    let fourth = quiet(Role::Rook, Square::D1, Square::E1);
    let second = quiet(Role::Rook, Square::B1, Square::B2);
    let word = |from: u16, to: u16| Some(Code::Word(to << 6 | from));
    assert_eq!(code(&pieces, Color::White, fourth), word(24, 32));
    assert_eq!(code(&pieces, Color::White, second), Some(Code::Short(53)));
    let capture = Move::Normal {
        role: Role::Queen,
        from: Square::D3,
        capture: None,
        to: Square::B1,
        promotion: None,
    };
    let (_, capture) = pieces.code(Color::Black, capture, false).unwrap();
    pieces.make(Color::Black, capture);
    let third = quiet(Role::Rook, Square::C1, Square::C2);
    assert_eq!(code(&pieces, Color::White, third), word(16, 17));
}

#[test]
fn men_do_not_move_around_the_edge_of_the_board() {
    let pieces = Pieces::new(&setup("4k3/8/8/8/8/8/P7/R3K2R w - - 0 1"));
    for (role, from, to) in [
        (Role::Pawn, Square::A2, Square::H3),
        (Role::Rook, Square::A1, Square::B3),
        (Role::King, Square::E1, Square::E8),
        (Role::Queen, Square::A1, Square::A2),
    ] {
        assert_eq!(code(&pieces, Color::White, quiet(role, from, to)), None);
    }
    let own = quiet(Role::Rook, Square::A1, Square::A2);
    assert_eq!(code(&pieces, Color::White, own), None);
}

#[test]
fn an_empty_game_is_the_end_of_its_line() {
    let game = encoded(&GameHeader::default(), None, &[]).unwrap();
    assert_eq!(game.as_bytes(), [0, 0, 0, 5, 0x0c]);
    let game = encoded(&GameHeader::default(), None, &["e4"]).unwrap();
    assert_eq!(game.as_bytes().last(), Some(&0x0d));
}

#[test]
fn chess960_castles_by_one_square_and_says_where_rooks_began() {
    let fen = "bnrkrbnq/pppppppp/8/8/8/8/PPPPPPPP/BNRKRBNQ w ECec - 0 1";
    let sans = ["Nf3", "Nf6", "g3", "g6", "Bg2", "Bg7", "O-O"];
    let game = encoded(&GameHeader::default(), Some(fen), &sans).unwrap();
    let bytes = game.as_bytes();
    assert_eq!(bytes[0], 64 | 10);
    // d1, d8, e1, c1, e8, c8.
    assert_eq!(bytes[32..38], [0x18, 0x1f, 0x20, 0x10, 0x27, 0x17]);
    assert_eq!(bytes[38..40], 370_u16.to_be_bytes());
    // Two bytes more than one per move and one for the end.
    assert_eq!(bytes.len(), 40 + sans.len() + 2 + 1);
    assert_eq!(
        game.rest.record.as_bytes()[35..37],
        (64_576_u16 + 370).to_be_bytes()
    );
}

#[test]
fn what_cannot_be_a_game_is_an_error() {
    let mut encoder = Encoder::new();
    encoder.begin(&GameHeader::default());
    assert!(encoder.begin_variation().is_break());
    assert!(matches!(
        encoder.finish().unwrap_err().kind(),
        ErrorKind::Corrupt { .. }
    ));
    encoder.begin(&GameHeader::default());
    let _ = encoder.play(Some(quiet(Role::Rook, Square::A1, Square::B3)));
    assert!(matches!(
        encoder.finish().unwrap_err().kind(),
        ErrorKind::IllegalMove(_)
    ));
    encoder.begin(&GameHeader::default());
    let full = setup("pppppppp/pppppppp/pppppppp/pppppppp/P7/8/8/8 w - - 0 1");
    let _ = encoder.start(Start::Custom(&full));
    assert!(matches!(
        encoder.finish().unwrap_err().kind(),
        ErrorKind::Unsupported { .. }
    ));
}

#[test]
fn what_does_not_fit_is_counted() {
    let header = GameHeader {
        event: "e".repeat(41),
        white: "Carlsen,M".into(),
        black: "Tal".into(),
        round: "3.1.2".into(),
        eco: "B90a".parse::<Eco>().ok(),
        white_rating: NonZeroU16::new(2700).map(|value| Rating {
            value,
            kind: RatingKind::Uscf,
        }),
        marks: flag::DELETED | 1 << 4,
        ..GameHeader::default()
    };
    let mut encoder = Encoder::new();
    encoder.begin(&header);
    let _ = encoder.tag("Opening", "Sicilian");
    let _ = encoder.tag("PlyCount", "0");
    let losses = *encoder.finish().unwrap().losses();
    for (loss, count) in [
        (Loss::NamesCutToFields, 1),
        (Loss::NamesRespelled, 1),
        (Loss::RoundsReduced, 1),
        (Loss::EcoRefinementsDropped, 1),
        (Loss::RatingSystemsDropped, 1),
        (Loss::MarksDropped, 1),
        (Loss::TagsDropped, 2),
    ] {
        assert_eq!(losses.count(loss), count, "{loss}");
    }
}

#[test]
fn files_appear_together_when_all_are_complete() {
    let folder = tempfile::tempdir().unwrap();
    let count = || fs::read_dir(folder.path()).unwrap().count();
    let path = folder.path().join("a.b.cbh");
    let mut writer = Writer::create(&path, (), Overwrite::Refuse).unwrap();
    let game = encoded(&GameHeader::default(), None, &["d4"]).unwrap();
    writer.append(&game).unwrap();
    assert_eq!(writer.game_count(), 1);
    assert!(!path.exists());
    drop(writer);
    assert_eq!(count(), 0);

    let writer = Writer::create(&path, (), Overwrite::Refuse).unwrap();
    writer.finish().unwrap();
    assert_eq!(count(), SUFFIXES.len());
    assert!(
        SUFFIXES
            .iter()
            .all(|suffix| path.with_extension(suffix).exists())
    );
    assert!(Writer::create(&path, (), Overwrite::Refuse).is_err());
    let writer = Writer::create(path.with_extension("cbj"), (), Overwrite::Replace).unwrap();
    assert_eq!(writer.finish().unwrap().games, 0);
    assert_eq!(count(), SUFFIXES.len());
}
