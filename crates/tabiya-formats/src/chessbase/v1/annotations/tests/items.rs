//! Each type of item by itself.

use super::*;
use crate::chessbase::v1::tables;

#[test]
fn squares_and_arrows_are_the_commands_that_other_programs_know() {
    let squares = [2, 1, 3, 2, 4, 64];
    assert_eq!(told_of(kind::SQUARES, &squares), "[%csl Ga1,Ya2,Rh8]");
    let arrows = [2, 37, 38, 4, 58, 43];
    assert_eq!(told_of(kind::ARROWS, &arrows), "[%cal Ge5e6,Rh2f3]");
}

#[test]
fn times_are_hours_minutes_seconds() {
    assert_eq!(
        told_of(kind::TIME_SPENT, &[1, 2, 3, 0x1e]),
        "[%emt 1:02:03]"
    );
    let clock = 360_123_i32.to_be_bytes();
    assert_eq!(
        told_of(kind::WHITE_CLOCK, &clock),
        "[%clock white 1:00:01.23]"
    );
    let clock = (-150_i32).to_be_bytes();
    assert_eq!(
        told_of(kind::BLACK_CLOCK, &clock),
        "[%clock black -0:00:01.50]"
    );
    assert_eq!(told_of(kind::VIDEO_TIME, &[0, 0, 1, 2]), "[%videotime 258]");
}

#[test]
fn a_time_control_is_told_as_the_tag_is() {
    let period = |time: u32, increment: u32, moves: u16, kind: u8| {
        [
            &time.to_be_bytes()[..],
            &increment.to_be_bytes(),
            &moves.to_be_bytes(),
            &[kind],
        ]
        .concat()
    };
    let three = [
        period(720_000, 3_000, 40, 1),
        period(360_000, 0, 20, 1),
        period(90_000, 50, 1000, 3),
    ]
    .concat();
    let told = told_of(kind::TIME_CONTROL, &three);
    assert_eq!(told, "[%timecontrol 40/7200+30:20/3600:900+0.50]");
    let one = [period(30_000, 0, 1000, 3), vec![0; 22]].concat();
    assert_eq!(told_of(kind::TIME_CONTROL, &one), "[%timecontrol 300]");
}

#[test]
fn evaluations_are_pawns_or_moves_to_mate() {
    let evaluation =
        |numbers: [i16; 3]| told_of(kind::EVALUATION, &numbers.map(i16::to_le_bytes).concat());
    assert_eq!(evaluation([-35, 0, 22]), "[%eval -0.35,22]");
    assert_eq!(evaluation([1250, 0, 0]), "[%eval 12.50]");
    assert_eq!(evaluation([-3, 1, 18]), "[%eval #-3,18]");
    let profile = [0, 3, 0, 1, 0xff, 0xfe, 1, 9, 0, 4, 0xff, 0, 0, 0];
    assert_eq!(
        told_of(kind::PROFILE, &profile),
        "[%profile -0.02/1 #4/9 -]"
    );
}

#[test]
fn marks_on_moves_and_games_have_names() {
    assert_eq!(told_of(kind::CRITICAL, &[1]), "[%critical opening]");
    assert_eq!(told_of(kind::CRITICAL, &[3]), "[%critical endgame]");
    let medals = 0x0000_8301_u32.to_be_bytes();
    assert_eq!(
        told_of(kind::MEDALS, &medals),
        "[%medal best-game,defence,sacrifice,user]"
    );
    assert_eq!(told_of(kind::PAWNS, &[3]), "[%pawns 3]");
    assert_eq!(told_of(kind::PATH, &[3, 64]), "[%path h8 3]");
    assert_eq!(told_of(kind::COLOUR, &[0, 0xff, 0, 1]), "[%colour #0100ff]");
    assert_eq!(
        told_of(kind::COLOUR, &[3, 0, 0, 0]),
        "[%colour #000000 main-line moves]"
    );
}

#[test]
fn media_and_links_keep_their_names() {
    assert_eq!(told_of(kind::SOUND, b"12"), "[%sound 12]");
    assert_eq!(told_of(kind::PICTURE, b"3\0"), "[%picture 3]");
    assert_eq!(told_of(kind::VIDEO, b"7"), "[%video 7]");
    let link = b"\x10\0\x06a\\.com\x05say \"";
    assert_eq!(told_of(kind::LINK, link), r#"[%link "a\\.com" "say \""]"#);
}

#[test]
fn what_nobody_has_explained_is_kept_as_it_is() {
    assert_eq!(told_of(0x08, &[1, 2, 0xab, 4]), "[%cba 08 0102ab04]");
    assert_eq!(told_of(0x1a, &[]), "[%cba 1A ]");
    assert_eq!(told_of(kind::CORRESPONDENCE, &[9]), "[%correspondence 09]");
    let header = told_of(kind::CORRESPONDENCE_HEADER, &[0xff]);
    assert_eq!(header, "[%correspondence-header ff]");
}

#[test]
fn a_training_question_tells_its_texts_moves_and_points() {
    let mut rest = vec![104, 1, 0, 0, 6, 0];
    rest.extend(b"\x01\0\0\0\x04\0Mate");
    rest.extend(b"\0\0\x01\0\0\0\x05\0Q \xa3g5\0\0");
    rest.extend(b"\x02\x3d\x2f\0\x06\x02\0\0\0\x03\0Yes\x01\0\x02\0Ja");
    rest.extend(b"\x01\x00\0\x00\0\0");
    let length = (rest.len() as u16 + 2).to_le_bytes();
    let data = [&[1, 0, 1], &length[..], &rest].concat();
    assert_eq!(
        told_of(kind::TRAINING, &data),
        r#"[%training 360s 6p "Mate" "Q Qg5" h6f8 6p "Yes" "Ja" a2a1 0p]"#
    );
}

/// A quotation with these moves (words) and optional start position.
fn quotation(setup: Option<[u8; 28]>, words: &[u16]) -> Vec<u8> {
    let mut data = vec![0, 0, 0, 2, 0, if setup.is_some() { 0x40 } else { 0 }];
    data.extend(setup.iter().flatten());
    data.extend(b"\x07Doe,Jan\0\x03Roe\0\x09\xc4\0\0");
    data.extend((33 * 128_u16 + 5).to_be_bytes());
    data.extend(b"\x04Open\0\x04Ro\xf6m\0");
    data.extend((2001_u32 << 9 | 5 << 5 | 17).to_be_bytes());
    data.extend([1, 0x24, 0, 42, 0, 3, 0, 9]);
    data.extend([2, 5, 2, 0, 0]);
    for (moves, word) in words.iter().enumerate() {
        let byte = |code| tables::QUOTATION.byte(code, moves as u8);
        data.extend(word.to_be_bytes().map(byte));
    }
    let length = (data.len() as u16).to_be_bytes();
    data[..2].copy_from_slice(&length);
    data
}

/// A start position: White with king a1 and pawn b7, Black with king h8, move 30.
fn study() -> [u8; 28] {
    let mut setup = [0; 28];
    setup[..4].copy_from_slice(&[1, 0, 0, 30]);
    let mut bits = [0_u8; 192];
    // a1: 1 0 001; then 13 empty squares; b7: 1 0 110; 48 empty squares; h8: 1 1 001.
    for bit in [0, 4, 5 + 13, 5 + 13 + 2, 5 + 13 + 3, 71, 72, 75] {
        bits[bit] = 1;
    }
    for (byte, bits) in setup[4..].iter_mut().zip(bits.chunks(8)) {
        *byte = bits.iter().fold(0, |byte, bit| byte << 1 | bit);
    }
    setup
}

/// A quotation with every field set.
pub(super) fn full_quotation() -> Vec<u8> {
    quotation(Some(study()), &[word((1, 6), (1, 7)), END])
}

/// A move's word from squares as (file, rank) from 0.
fn word(from: (u16, u16), to: (u16, u16)) -> u16 {
    ((to.0 * 8 + to.1) << 6) + from.0 * 8 + from.1
}

const END: u16 = 1 << 14;
const HEADER: &str = "[Event \"Open\"] [Site \"Roöm\"] [Date \"2001.05.17\"] [Round \"5.2\"] \
    [White \"Doe, Jan\"] [Black \"Roe\"] [Result \"1-0\"] [WhiteElo \"2500\"] [ECO \"A32\"] \
    [EventType \"team-swiss (blitz)\"] [EventRounds \"9\"] [EventCategory \"3\"]";

#[test]
fn a_quotation_is_a_game_on_one_line() {
    let moves = [
        word((4, 1), (4, 3)),
        word((4, 6), (4, 4)),
        word((6, 0), (5, 2)),
        0,
        word((5, 0), (4, 1)),
        word((6, 7), (5, 5)),
        word((4, 0), (6, 0)),
        END,
    ];
    assert_eq!(
        told_of(kind::QUOTATION, &quotation(None, &moves)),
        format!("[%quote {HEADER} 1. e4 e5 2. Nf3 -- 3. Be2 Nf6 4. O-O 1-0]")
    );
    let header_only = quotation(None, &[END]);
    assert_eq!(
        told_of(kind::QUOTATION, &header_only),
        format!("[%quote {HEADER} 1-0]")
    );
}

#[test]
fn a_quotation_may_begin_anywhere_and_promote() {
    let knight = 3 << 12;
    let moves = [word((1, 6), (1, 7)) | knight, word((7, 7), (7, 6)) | END];
    assert_eq!(
        told_of(kind::QUOTATION, &quotation(Some(study()), &moves)),
        format!(
            "[%quote {HEADER} [SetUp \"1\"] [FEN \"7k/1P6/8/8/8/8/8/K7 w - - 0 30\"] \
             30. b8=N Kh7 1-0]"
        )
    );
}

#[test]
fn a_quotation_with_an_illegal_move_is_told_up_to_it_and_is_a_fault() {
    let illegal = [word((4, 1), (4, 3)), word((0, 0), (0, 5)), END];
    for (words, what) in [
        (&illegal[..], "an illegal move in a quotation"),
        (&illegal[..1], "a quotation without an end"),
    ] {
        let bytes = record(&[(0, kind::QUOTATION, &quotation(None, words))]);
        let annotations = Annotations::parse(&bytes);
        let faults: Vec<String> = annotations
            .faults()
            .map(|fault| fault.to_string())
            .collect();
        assert_eq!(faults, [format!("damaged: {what} (at byte 14)")]);
        assert!(told(&annotations, 0)[1][0].ends_with("1. e4 1-0]"));
    }
}

#[test]
fn signs_of_the_chessbase_font_are_read_where_they_can_be_nothing_else() {
    let text = |bytes: &[u8]| told_of(kind::TEXT_AFTER, &[b"\0\0", bytes].concat());
    assert_eq!(
        text(b"\xa2e1 \xa3xd5 \xa4bd7 \xa51xe2 \xa6-h1 \xa7e6"),
        "Ke1 Qxd5 Nbd7 B1xe2 ¦-h1 Pe6"
    );
    assert_eq!(text(b"e8\xa3 a1=\xa4, \xa75, e5\xa7"), "e8Q a1=N, §5, e5§");
    assert_eq!(text("§e6 £x".as_bytes()), "§e6 £x");
    assert_eq!(
        text("\u{e024}e1 \u{e026}h6 \u{e028}xe4".as_bytes()),
        "Ke1 Rh6 Nxe4"
    );
    assert_eq!(text(b"\x9e \x85 g5 \x04"), "[#] … g5 [#]");
    assert_eq!(text(b"\x9eivot, mu\x9e"), "život, muž");
    assert_eq!(text("Ž\u{4}".as_bytes()), "Ž[#]");
}
