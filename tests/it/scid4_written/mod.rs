use std::num::NonZeroU16;

use shakmaty::{
    CastlingMode, Chess, FromSetup, Move, Position, PositionError, Setup, fen::Fen, san::San,
};
use tabiya_chess::{Flow, GameId, PartialDate, RatingKind, Start};

use tabiya::{Database, Error, ErrorKind, Result};
use tabiya_formats::{
    Encode, Extent, GameHeader, Header, Rating, Visitor, flag,
    loss::Loss,
    scid4::{Edition, EncodedGame, Encoder, Writer, flaws},
};

mod files;
mod round_trip;

/// An event that a visitor received.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Event {
    Tag(String, String),
    Start(Option<String>),
    Play(Option<Move>),
    Nag(u8),
    Comment(String),
    Begin,
    End,
}

/// Records all events it receives.
#[derive(Debug, Default)]
pub(super) struct Witness(pub(super) Vec<Event>);

impl Witness {
    fn note(&mut self, event: Event) -> Flow {
        self.0.push(event);
        Flow::Continue(())
    }
}

impl Visitor for Witness {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        self.note(Event::Tag(name.into(), value.into()))
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.note(Event::Start(match start {
            Start::Standard => None,
            Start::Custom(setup) => Some(Fen::try_from(setup.clone()).unwrap().to_string()),
        }))
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        self.note(Event::Play(played))
    }

    fn nag(&mut self, nag: u8) -> Flow {
        self.note(Event::Nag(nag))
    }

    fn comment(&mut self, text: &str) -> Flow {
        self.note(Event::Comment(text.into()))
    }

    fn begin_variation(&mut self) -> Flow {
        self.note(Event::Begin)
    }

    fn end_variation(&mut self) -> Flow {
        self.note(Event::End)
    }
}

/// Encodes a game from its events.
pub(super) fn encode(header: &GameHeader, events: &[Event]) -> Result<EncodedGame> {
    let mut encoder = Encoder::new();
    encoder.begin(header);
    for event in events {
        let flow = match event {
            Event::Tag(name, value) => encoder.tag(name, value),
            Event::Start(None) => encoder.start(Start::Standard),
            Event::Start(Some(fen)) => encoder.start(Start::Custom(&setup(fen))),
            Event::Play(played) => encoder.play(*played),
            Event::Nag(nag) => encoder.nag(*nag),
            Event::Comment(text) => encoder.comment(text),
            Event::Begin => encoder.begin_variation(),
            Event::End => encoder.end_variation(),
        };
        if flow.is_break() {
            break;
        }
    }
    encoder.finish()
}

pub(super) fn setup(fen: &str) -> Setup {
    fen.parse::<Fen>().unwrap().into_setup()
}

/// Returns the position of a FEN; the standard one if it is empty.
pub(super) fn position(fen: &str) -> Chess {
    match fen {
        "" => Chess::default(),
        _ => Chess::from_setup(setup(fen), CastlingMode::Standard)
            .or_else(PositionError::ignore_too_much_material)
            .unwrap(),
    }
}

/// Parses a game like "e4 ( d4 {better} ) $1 e5 --"; `fen` may be empty.
pub(super) fn events(fen: &str, text: &str) -> Vec<Event> {
    let start = position(fen);
    let mut events = vec![Event::Start((!fen.is_empty()).then(|| fen.to_owned()))];
    let mut line = (start.clone(), start);
    let mut outer = Vec::new();
    let mut words = text.split(' ').filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        events.push(match word {
            "(" => {
                let inner = (line.1.clone(), line.1.clone());
                outer.push(std::mem::replace(&mut line, inner));
                Event::Begin
            }
            ")" => {
                line = outer.pop().unwrap();
                Event::End
            }
            "--" => {
                line.1 = line.0.clone();
                line.0 = line.0.clone().swap_turn().unwrap();
                Event::Play(None)
            }
            _ if word.starts_with('$') => Event::Nag(word[1..].parse().unwrap()),
            _ if word.starts_with('{') => {
                let mut comment = word.to_owned();
                while !comment.ends_with('}') {
                    comment = format!("{comment} {}", words.next().unwrap());
                }
                Event::Comment(comment[1..comment.len() - 1].into())
            }
            _ => {
                let played = word.parse::<San>().unwrap().to_move(&line.0).unwrap();
                line.1 = line.0.clone();
                line.0.play_unchecked(played);
                Event::Play(Some(played))
            }
        });
    }
    events
}

/// Encodes a game without header.
fn game(text: &str) -> EncodedGame {
    encode(&GameHeader::default(), &events("", text)).unwrap()
}

/// Returns the events of a written game.
fn read_back(game: &EncodedGame) -> Vec<Event> {
    let mut witness = Witness::default();
    let database = database(std::slice::from_ref(game));
    database.visit(GameId(0), &mut witness).unwrap();
    witness.0
}

pub(super) fn database(games: &[EncodedGame]) -> Database {
    let mut writer = Writer::in_memory(Edition::Si4).unwrap();
    for game in games {
        writer.append(game).unwrap();
    }
    let (parts, summary) = writer.finish_in_memory().unwrap();
    assert_eq!(summary.games as usize, games.len());
    Database::from_bytes(parts).unwrap()
}

#[test]
fn moves_are_the_bytes_that_scid_writes() {
    assert_eq!(game("d4").as_bytes(), b"\0\0\xbf\x0f");
    let played = game("e4 e5 Nf3 Nc6 Bb5 a6 O-O Qh4 -- Qxf2");
    let moves = [
        0xcf,
        0xcf,
        0x67,
        0x22,
        0x59,
        0x81,
        0x0a,
        0x43,
        64 + 31,
        0x00,
    ];
    assert_eq!(played.as_bytes()[2..12], moves);
}

#[test]
fn men_of_a_position_are_numbered_from_a8_to_h1_even_in_the_standard_one() {
    let standard = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let game = encode(&GameHeader::default(), &events(standard, "e4 e5")).unwrap();
    let mut bytes = vec![0, 1];
    bytes.extend_from_slice(standard.as_bytes());
    // White's pawns are numbered first; the king takes number 0 from the a-pawn. Black's king
    // is the fifth man and the e-pawn the thirteenth.
    bytes.extend_from_slice(&[0, 0x4f, 0xcf, 15]);
    assert_eq!(game.as_bytes(), bytes);
    let record = game.record();
    assert_eq!(record.flags(), flag::CUSTOM_START);
    assert_eq!((record.stored_line(), record.home_pawns().count()), (0, 0));
}

#[test]
fn annotations_after_a_variation_belong_to_the_move_before_it() {
    let expected = game("e4 $1 $2 {x y} ( d4 {z} ) e5 {e}");
    let late = game("e4 $1 ( d4 {z} ) {x} $2 {y} e5 {e}");
    assert_eq!(late.as_bytes(), expected.as_bytes());
    assert_eq!(late.losses().count(Loss::CommentsJoined), 1);
    let expected = game("e4 {x} ( d4 ) ( c4 {z} ( b3 ) ) e5");
    let late = game("e4 ( d4 ) ( c4 ( b3 ) {z} ) {x} e5");
    assert_eq!(late.as_bytes(), expected.as_bytes());
    assert!(late.losses().is_empty());
}

#[test]
fn comments_before_the_first_move_belong_to_the_start_of_the_line() {
    let game = game("{game} $5 e4 ( {line} $6 d4 )");
    let moves = [11, 5, 12, 0xcf, 13, 11, 6, 12, 0xbf, 14, 15];
    assert_eq!(
        game.as_bytes(),
        [&[0, 0], &moves[..], b"game\0line\0"].concat()
    );
}

#[test]
fn at_most_seven_nags_are_kept_and_no_empty_comment() {
    let kept = game("e4 $1 $2 $3 $4 $5 $6 $7 {} {x} $8");
    assert_eq!(kept.losses().count(Loss::NagsBeyondSevenDropped), 1);
    assert_eq!(read_back(&kept), events("", "e4 $1 $2 $3 $4 $5 $6 $7 {x}"));
    assert_eq!(
        (kept.record().nag_count(), kept.record().comment_count()),
        (Extent::exactly(7), Extent::exactly(1))
    );
}

#[test]
fn tags_are_coded_and_what_is_too_long_is_cut_between_characters() {
    let tag = |name: &str, value: &str| Event::Tag(name.into(), value.into());
    let long = "é".repeat(200);
    let told = [
        tag("Annotator", "A"),
        tag("SetUp", "1"),
        tag("Setup", ""),
        tag("annotator", "B"),
        tag("", "nothing"),
        tag(&long, &long),
    ];
    let game = encode(&GameHeader::default(), &told).unwrap();
    assert!(
        game.as_bytes()
            .starts_with(b"\xf3\x01A\xfa\x011\xf8\0\x09annotator\x01B\xf0")
    );
    let cut = tag(&"é".repeat(120), &"é".repeat(4));
    assert_eq!(read_back(&game)[4..], [cut, Event::Start(None)]);
    for loss in [
        Loss::NamelessTagsDropped,
        Loss::TagNamesCut,
        Loss::TagValuesCut,
    ] {
        assert_eq!(game.losses().count(loss), 1);
    }
}

#[test]
fn zero_bytes_become_spaces() {
    let header = GameHeader {
        white: "a\0b".into(),
        ..GameHeader::default()
    };
    let told = [
        Event::Tag("X".into(), "c\0".into()),
        Event::Comment("d\0e".into()),
    ];
    let game = encode(&header, &told).unwrap();
    assert_eq!(game.losses().count(Loss::ZeroBytesReplaced), 3);
    let database = database(&[game]);
    assert_eq!(database.header(GameId(0)).unwrap().white, "a b");
}

#[test]
fn an_event_date_is_kept_within_three_years_of_the_date() {
    let stored = |year, event: PartialDate| {
        let header = GameHeader {
            date: PartialDate::new(year, 5, 6),
            event_date: event,
            ..GameHeader::default()
        };
        let game = encode(&header, &[]).unwrap();
        let lost = game.losses().count(Loss::EventDatesAsTags);
        (game.record().event_date(), lost)
    };
    for year in 1997..=2003 {
        let event = PartialDate::new(year, 12, 31);
        assert_eq!(stored(2000, event), (event, 0));
    }
    for year in [1996, 2004, 0] {
        let event = PartialDate::new(year, 1, 0);
        assert_eq!(stored(2000, event), (PartialDate::UNKNOWN, 1));
    }
    assert_eq!(stored(0, PartialDate::UNKNOWN), (PartialDate::UNKNOWN, 0));
    assert_eq!(
        stored(2000, PartialDate::UNKNOWN),
        (PartialDate::UNKNOWN, 0)
    );
}

#[test]
fn what_a_field_cannot_hold_is_reduced_and_reported() {
    let rating = |value, kind| NonZeroU16::new(value).map(|value| Rating { value, kind });
    let header = GameHeader {
        white: "é".repeat(128),
        date: PartialDate::new(2048, 16, 31),
        white_rating: rating(4001, RatingKind::Uscf),
        black_rating: rating(4000, RatingKind::Elo),
        marks: u32::MAX,
        ..GameHeader::default()
    };
    let game = encode(&header, &[]).unwrap();
    for loss in [
        Loss::NamesCutAt255,
        Loss::DatesReduced,
        Loss::RatingsClamped,
    ] {
        assert_eq!(game.losses().count(loss), 1, "{loss}");
    }
    assert_eq!(game.record().flags(), flag::MARKS);
    let header = database(&[game]).header(GameId(0)).unwrap();
    assert_eq!(header.white, "é".repeat(127));
    assert_eq!(header.date, PartialDate::new(0, 0, 31));
    assert_eq!(header.white_rating, rating(4000, RatingKind::Uscf));
    assert_eq!(header.marks, flag::MARKS);
}

#[test]
fn facts_are_those_of_the_main_line_alone() {
    // A pawn captured at home counts as gone, once; a promotion in a variation does not count.
    let game = game("e4 d5 exd5 c6 dxc6 a6 cxb7 ( Nf3 h5 ) h6 bxa8=N ( bxa8=Q Qd7 ) Qxd2");
    let record = game.record();
    assert_eq!(record.flags(), flag::PROMOTION | flag::UNDERPROMOTION);
    // e2 d7 c7 a7 b7 h7 d2
    assert!(record.home_pawns().iter().eq([11, 4, 5, 7, 6, 0, 12]));
    assert_eq!(
        (record.plies().at_least, record.variation_count()),
        (10, Extent::exactly(2))
    );
    assert_eq!(record.final_material().0, 0x6b_65a5);
    let game = self::game("e4 e5 ( d5 exd5 c6 dxc6 Nf6 cxb7 Nd5 bxa8=Q ) Nf3");
    assert_eq!(game.record().flags(), 0);
}

#[test]
fn four_queens_count_as_three_and_plies_wrap_at_1024() {
    let start = "QQQQ4/8/8/8/8/K7/8/6k1 w - - 3 40";
    let game = encode(&GameHeader::default(), &events(start, "Kb3")).unwrap();
    assert_eq!(game.record().final_material().0, 3 << 22);
    let shuffle = "Nf3 Nf6 Ng1 Ng8 ".repeat(275);
    let long = self::game(&shuffle);
    assert_eq!(long.record().plies().at_least, 1100 - 1024);
    assert_eq!(long.record().plies().exact(), None);
}

#[test]
fn the_longest_stored_line_is_found_through_castling() {
    let moves = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Na5 Bc2 c5 d4";
    assert_eq!(game(moves).record().stored_line(), 199);
    assert_eq!(game("e4 e5 Nf3 Nc6 Bb5 h5").record().stored_line(), 189);
    assert_eq!(game("h4").record().stored_line(), 0);
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let refused = |told: &[Event]| encode(&GameHeader::default(), told).err().unwrap();
    let illegal = Move::Normal {
        role: shakmaty::Role::Rook,
        from: shakmaty::Square::A1,
        capture: None,
        to: shakmaty::Square::A2,
        promotion: None,
    };
    let error = refused(&[Event::Play(Some(illegal))]);
    assert_eq!(error.kind(), &ErrorKind::IllegalMove("Ra1-a2".into()));
    assert_eq!(
        refused(&[Event::Begin]).kind(),
        Error::corrupt(flaws::VARIATION_OF_NO_MOVE).kind()
    );
    assert!(encode(&GameHeader::default(), &events("", "e4 ( d4 ) e5")).is_ok());

    let what = "Chess960 in a .si4 database";
    let chess960 = ErrorKind::Unsupported { what };
    let rights = "bqnrkrnb/pppppppp/8/8/8/8/PPPPPPPP/BQNRKRNB w FDfd - 0 1";
    assert_eq!(
        refused(&[Event::Start(Some(rights.into()))]).kind(),
        &chess960
    );
    let castle = Move::Castle {
        king: shakmaty::Square::E1,
        rook: shakmaty::Square::F1,
    };
    let no_rights = rights.replace("FDfd", "-");
    let told = [Event::Start(Some(no_rights)), Event::Play(Some(castle))];
    assert_eq!(refused(&told).kind(), &chess960);

    let long = Event::Comment("x".repeat(131_071 - 5 + 1));
    let limit = 131_071;
    let what = "the bytes of a game";
    assert_eq!(
        refused(&[long]).kind(),
        &ErrorKind::LimitExceeded { what, limit }
    );
    let fits = Event::Comment("x".repeat(131_071 - 5));
    assert_eq!(
        encode(&GameHeader::default(), &[fits])
            .unwrap()
            .as_bytes()
            .len(),
        131_071
    );
}

#[test]
fn rights_to_castle_without_rook_are_dropped_from_a_start() {
    let start = "4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1";
    let game = encode(&GameHeader::default(), &[Event::Start(Some(start.into()))]).unwrap();
    assert_eq!(game.losses().count(Loss::CastlingRightsDropped), 3);
    let kept = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    assert_eq!(read_back(&game), [Event::Start(Some(kept.into()))]);
}
